package session

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// sentenceEnd says as an expression what lastSentence looks for by hand.
var sentenceEnd = regexp.MustCompile(`[.!?…]["')*_]*\s+|[。！？]`)

// mixed strings pieces together at random.
func mixed(rng *rand.Rand, pieces []string) string {
	var b strings.Builder
	for range rng.IntN(9) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return b.String()
}

func TestLastSentence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "Done", ".", ". ", "?", "…", "\"", "')", "**", "_", " ", "\t", "\u00a0", "。", "！", "é", "\xff", "3.14", "e.g. "}
	for range 200_000 {
		s := mixed(rng, pieces)
		want := strings.TrimRight(s, ".!…。！ ")
		if m := sentenceEnd.FindAllStringIndex(want, -1); m != nil {
			want = want[m[len(m)-1][1]:]
		}
		if want = strings.TrimLeft(want, "*_ \"'“"); lastSentence(s) != want {
			t.Fatalf("%q: got %q, want %q", s, lastSentence(s), want)
		}
	}
}

// Expressions that look at the end of a text see no more than the end of it.
func TestTail(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	pieces := []string{"and", " and", "because", "porque", "，", "(", "truncated", "TRUNCATED", "…", "[", "]", "...", " ", "x", "但是", strings.Repeat("y", 30), "\xe5"}
	for range 200_000 {
		s := mixed(rng, pieces)
		if got, want := brokenPattern().MatchString(tail(s)), brokenPattern().MatchString(s); got != want {
			t.Fatalf("%q breaks off: %v, want %v", s, got, want)
		}
		if got, want := truncatedPattern().MatchString(tail(s)), truncatedPattern().MatchString(s); got != want {
			t.Fatalf("%q is truncated: %v, want %v", s, got, want)
		}
	}
}
