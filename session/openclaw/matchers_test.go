package openclaw

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// stampPattern says as an expression what stampLen looks for by hand, since
// every text is looked through.
var stampPattern = regexp.MustCompile(`^\[(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: [^\]\n]{1,40})?\] `)

// mixed strings pieces together at random.
func mixed(rng *rand.Rand, pieces []string) string {
	var b strings.Builder
	for range rng.IntN(9) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return b.String()
}

func TestStampLen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	pieces := []string{
		"[", "Mon ", "on T", "Sun ", "2026-03-17 03:43", "2026-03-17 03:4", "2026-03-17T03:43", ":09", ":0", " ", "GMT+1", " Europe/São Paulo",
		strings.Repeat("é", 39), strings.Repeat("é", 40), strings.Repeat("z", 41), "]", "] ", "\n", "\xff", "hi",
	}
	found := 0
	for range 200_000 {
		s := mixed(rng, pieces)
		if rng.IntN(2) == 0 {
			s = "[2026-03-17 03:43" + s
		}
		want := len(stampPattern.FindString(s))
		if got := stampLen(s); got != want {
			t.Fatalf("%q: got %d, want %d", s, got, want)
		}
		if want > 0 {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d of the texts began with a stamp", found)
	}
}
