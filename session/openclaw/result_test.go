package openclaw

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// resultMarksSlow finds the marks of a result literally, byte by byte.
func resultMarksSlow(p *parser) (starts []childResult, ends []resultEnd) {
	for at := p.pos; at < len(p.text); at++ {
		rest := p.text[at:]
		for _, lit := range []string{resultHeadC, resultHeadD, resultNoneD} {
			if len(starts) < maxMarks && strings.HasPrefix(rest, lit) {
				from := at + len(lit)
				starts = append(starts, childResult{head: at, from: from, to: from, none: lit == resultNoneD, escaped: lit == resultHeadD})
			}
		}
		for _, lit := range []string{childEnd, promptDataEnd} {
			if len(ends) < maxMarks && strings.HasPrefix(rest, "\n"+lit) {
				ends = append(ends, resultEnd{at, lit == promptDataEnd})
			}
		}
	}
	return starts, ends
}

func TestResultMarks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	pieces := []string{resultHeadC, resultHeadD, resultNoneD, "\n" + childEnd, "\n" + promptDataEnd, childEnd, "\n", "<", "<<", "result", "x", "\n\n", resultHeadC[1:], resultHeadD[:20]}
	for n := range 20_000 {
		var b strings.Builder
		size := rng.IntN(12)
		if n%100 == 0 {
			size = 4 * maxMarks
		}
		for range size {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		p := &parser{text: b.String()}
		p.pos = rng.IntN(len(p.text) + 1)
		starts, ends := p.resultMarks()
		wantStarts, wantEnds := resultMarksSlow(p)
		if len(starts)+len(wantStarts) > 0 && !reflect.DeepEqual(starts, wantStarts) || len(ends)+len(wantEnds) > 0 && !reflect.DeepEqual(ends, wantEnds) {
			t.Fatalf("%q from %d on:\n got %v %v\nwant %v %v", p.text, p.pos, starts, ends, wantStarts, wantEnds)
		}
	}
}
