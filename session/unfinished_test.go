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

// An expression that looks at the end of a text sees no more than the end of it.
func TestTail(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	pieces := []string{"and", " and", "because", "porque", "，", "(", "truncated", "TRUNCATED", "…", "[", "]", "...", " ", "x", "但是", strings.Repeat("y", 30), "\xe5"}
	for range 200_000 {
		s := mixed(rng, pieces)
		if got, want := truncatedPattern().MatchString(tail(s)), truncatedPattern().MatchString(s); got != want {
			t.Fatalf("%q is truncated: %v, want %v", s, got, want)
		}
	}
}

// What is ruled out by a byte or two is nothing that an expression matches.
func TestRuledOut(t *testing.T) {
	broken := regexp.MustCompile(`(?:[,，、(（\[]|(?:^|\s)(?:and|or|but|the|an|with|because|which|from|ou|mas|para|com|porque|uma?|及|和|因为|但是))$`)
	list := regexp.MustCompile(`^(?:[-*+•|>] ?|\d{1,3}[.)] )`)
	rng := rand.New(rand.NewPCG(1, 4))
	pieces := []string{"let me check", "Next, ", "First ", "then ", "SO ", "oK, ", "o\u212a ", "\u017fo, ", "I'll start", "i’ll start by", "I will begin", "I AM going to fix",
		"We'll look", "agora ", "Primeiro, ", "em seguida, ", "a seguir ", "Depois ", "eu ", "Vou começar", "deixe-me ver", "vamos agora", "现在", "我先", "下一步", "首先我",
		" and", " or", " but", " the", " an", " with", " because", " which", " from", " ou", " mas", " para", " com", " porque", " um", " uma", "及", "，", "、", "(", "[", ",",
		"-", "*", "+ ", "•", "|", "> ", "1", "12", ". ", ") ", "x", "\xff", "\n", "```", "~~~", "```\n", "done."}
	for range 300_000 {
		s := mixed(rng, pieces)
		if got, want := listItem(s), list.MatchString(s); got != want {
			t.Fatalf("%q is a list item: %v, want %v", s, got, want)
		}
		if !mayPlan(s) && planPattern().MatchString(s) {
			t.Fatalf("%q is a plan", s)
		}
		if got, want := breaksOff(s), broken.MatchString(s); got != want {
			t.Fatalf("%q breaks off: %v, want %v", s, got, want)
		}
	}
}
