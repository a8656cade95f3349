package openclaw

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// childResult is the part of a block from the child's words to the instruction.
type childResult struct {
	head     int // where the heading of the result begins
	from, to int // the child's words
	end      int // behind the instruction
	stats    stats
	none     bool // the heading itself says that there is no output
	escaped  bool
}

// maxMarks bounds how many marks of a result are tried, so that a text full of
// them is read in reasonable time.
const maxMarks = 100

// result finds the result of the block whose task value begins at the
// parser's position. Both the task and the child's words may quote whole
// results. Marks that belong together are tried first, and an end only counts
// where the rest of an event follows it; that the event also ends there
// decides between several.
func (p *parser) result() (childResult, bool) {
	starts, ends := p.resultMarks()
	for _, strict := range []bool{true, false} {
		for _, b := range starts {
			if e, ok := partner(b, starts, ends); ok && p.tail(&b, e, strict) {
				return b, true
			}
		}
		for _, b := range starts {
			for _, e := range ends {
				if !b.none && e.closes(b) && p.tail(&b, e.at, strict) {
					return b, true
				}
			}
		}
	}
	return childResult{}, false
}

// resultMarks returns the places where a result begins and those where one
// ends, in order. All but one of the marks hold an angle bracket, of which texts
// have few.
func (p *parser) resultMarks() (starts []childResult, ends []resultEnd) {
	text, starts, ends := p.text, p.marks.starts[:0], p.marks.ends[:0]
	for at := p.pos; len(starts) < maxMarks || len(ends) < maxMarks; at++ {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			break
		}
		at += i
		for _, h := range []string{resultHeadC, resultHeadD} {
			head := at - strings.IndexByte(h, '<')
			if len(starts) < maxMarks && head >= p.pos && strings.HasPrefix(text[head:], h) {
				from := head + len(h)
				starts = append(starts, childResult{head: head, from: from, to: from, escaped: h == resultHeadD})
			}
		}
		if len(ends) < maxMarks && at > p.pos && text[at-1] == '\n' && hasAnyPrefix(text[at:], resultEnds) {
			ends = append(ends, resultEnd{at - 1, strings.HasPrefix(text[at:], promptDataEnd)})
		}
	}
	p.marks.starts, p.marks.ends = p.withNone(starts), ends
	return p.marks.starts, p.marks.ends
}

// marks is the memory of the places where results begin and end, and those
// places of a text where the program says that there is no result.
type marks struct {
	starts []childResult
	ends   []resultEnd
	nones  []int
	sought bool // nones are those of the text that is read
}

var resultEnds = []string{childEnd, promptDataEnd}

// withNone adds the places where the program says that there is no result.
func (p *parser) withNone(starts []childResult) []childResult {
	nones := p.nones()
	first, _ := slices.BinarySearch(nones, p.pos)
	nones = nones[first:min(len(nones), first+maxMarks)]
	for _, head := range nones {
		from := head + len(resultNoneD)
		starts = append(starts, childResult{head: head, from: from, to: from, none: true})
	}
	if len(nones) > 0 {
		slices.SortFunc(starts, func(a, b childResult) int { return cmp.Compare(a.head, b.head) })
	}
	return starts[:min(len(starts), maxMarks)]
}

// nones are all places where the program says that there is no result. They are
// sought once for a text, in which many events may stand.
func (p *parser) nones() []int {
	if p.marks.sought {
		return p.marks.nones
	}
	nones := p.marks.nones[:0]
	for at := 0; ; {
		// The whole of it begins with line breaks, of which texts have many.
		i := strings.Index(p.text[at:], noOutput)
		if i < 0 {
			break
		}
		at += i + len(noOutput)
		if head := at - len(resultNoneD); head >= 0 && p.text[head:at] == resultNoneD {
			nones = append(nones, head)
		}
	}
	p.marks.nones, p.marks.sought = nones, true
	return nones
}

// resultEnd is a place where a result may end.
type resultEnd struct {
	at      int
	escaped bool // the mark is that of the escaped form
}

// closes reports whether the end can belong to a start: it is of its form, and
// stands behind it. The line break before an end may be the one that ends the
// start's line.
func (e resultEnd) closes(b childResult) bool { return e.escaped == b.escaped && e.at >= b.from-1 }

// partner finds the end that closes a start when starts and ends of its form
// nest. A start that says there is no output closes itself.
func partner(b childResult, starts []childResult, ends []resultEnd) (int, bool) {
	if b.none {
		return b.from, true
	}
	depth, s := 1, 0
	for s < len(starts) && starts[s].from <= b.from {
		s++
	}
	for _, e := range ends {
		if !e.closes(b) {
			continue
		}
		for ; s < len(starts) && starts[s].from <= e.at; s++ {
			if !starts[s].none && starts[s].escaped == b.escaped {
				depth++
			}
		}
		if depth--; depth == 0 {
			return e.at, true
		}
	}
	return 0, false
}

// tail reads what follows a result: paragraphs on attachments and figures, and
// the instruction under its heading. strict demands that the event ends there
// as the program ends it.
func (p *parser) tail(b *childResult, e int, strict bool) bool {
	at := e
	if !b.none {
		mark := "\n" + childEnd
		if b.escaped {
			mark = "\n" + promptDataEnd
		}
		if !strings.HasPrefix(p.text[e:], mark) {
			return false
		}
		at += len(mark)
		b.to = max(e, b.from)
	}
	st := stats{runtime: -1, tokens: -1}
	for range len(resultParagraphs) + 1 {
		par, ok := strings.CutPrefix(p.text[at:], "\n\n")
		if !ok {
			return false
		}
		for _, heading := range []string{"Action:\n", "Instruction:\n"} {
			body, ok := strings.CutPrefix(par, heading)
			if !ok {
				continue
			}
			n := instruction(body, true)
			end := at + 2 + len(heading) + n
			if n == 0 || strict && !p.eventEnd(end) {
				return false
			}
			b.end, b.stats = end, st
			return true
		}
		i := strings.Index(par, "\n\n")
		if i < 0 || !hasAnyPrefix(par, resultParagraphs) {
			return false
		}
		if strings.HasPrefix(par, "Stats: ") {
			st = parseStats(lineOf(par))
		}
		at += 2 + i
	}
	return false
}

// resultParagraphs may stand between a result and its instruction; the notes
// on attachments and media since 2026.7, that on the model since 2026.9.
var resultParagraphs = []string{"Stats: ", "Attachments:\n", "Generated media:\n", "Model route changed: "}

// eventEnd reports whether an event may end at a place.
func (p *parser) eventEnd(at int) bool {
	r := p.text[at:]
	return strings.TrimSpace(r) == "" || strings.HasPrefix(r, "\n"+contextEnd) || strings.HasPrefix(r, eventJoin) ||
		p.queued > 0 && strings.HasPrefix(r, p.queuedMark())
}

// stats are the figures that the program prints about a run.
type stats struct {
	runtime    int64 // ms, -1 unknown
	tokens     int64 // -1 unknown
	sessionKey string
	sessionID  string
}

// parseStats reads a line such as
//
//	Stats: runtime 5m12s • tokens 12.3k (in 11.9k / out 402) • sessionKey agent:main:subagent:1
//
// Parts that it does not know, such as costs and transcript paths, say nothing
// about the run.
func parseStats(line string) stats {
	st := stats{runtime: -1, tokens: -1}
	for f := range strings.SplitSeq(strings.TrimPrefix(line, "Stats: "), " • ") {
		name, value, _ := strings.Cut(strings.TrimSpace(f), " ")
		switch name {
		case "runtime":
			st.runtime = parseRuntime(value)
		case "tokens":
			value, _, _ = strings.Cut(value, " ")
			st.tokens = parseCount(value)
		case "sessionKey":
			st.sessionKey = strings.TrimSpace(value)
		case "sessionId":
			st.sessionID = strings.TrimSpace(value)
		}
	}
	return st
}

// parseRuntime reads a duration such as 1h2m, 5m12s, 4s or 800ms into ms. It
// returns -1 for n/a and anything else.
func parseRuntime(s string) int64 {
	units := []struct {
		name string
		ms   int64
	}{{"ms", 1}, {"d", 86_400_000}, {"h", 3_600_000}, {"m", 60_000}, {"s", 1000}}
	total := int64(-1)
	for s = strings.ReplaceAll(s, " ", ""); s != ""; {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		v, err := strconv.ParseInt(s[:n], 10, 32)
		if err != nil {
			return -1
		}
		s = s[n:]
		found := false
		for _, u := range units {
			if rest, ok := strings.CutPrefix(s, u.name); ok {
				total, s, found = max(total, 0)+v*u.ms, rest, true
				break
			}
		}
		if !found {
			return -1
		}
	}
	return total
}

// parseCount reads a count such as 402, 12.3k or 1.2m, -1 when it is none.
func parseCount(s string) int64 {
	scale := 1.0
	if v, ok := strings.CutSuffix(s, "k"); ok {
		s, scale = v, 1e3
	} else if v, ok := strings.CutSuffix(s, "m"); ok {
		s, scale = v, 1e6
	}
	if s == "" || len(s) > 12 || strings.Trim(s, "0123456789.") != "" {
		return -1
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return -1
	}
	return int64(math.Round(v * scale))
}
