package restore

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"sessc/writer"
)

func sumsOf(text string) []writer.LineSum {
	var all []writer.LineSum
	for _, c := range text {
		sum := sha256.Sum256([]byte(string(c)))
		all = append(all, writer.LineSum(sum[:]))
	}
	return all
}

func TestAlign(t *testing.T) {
	tests := map[string]struct {
		old, now string
		want     []int
	}{
		"same":            {"abc", "abc", []int{0, 1, 2}},
		"appended":        {"abc", "abcde", []int{0, 1, 2}},
		"changed":         {"abc", "axc", []int{0, -1, 2}},
		"first changed":   {"abc", "xbc", []int{-1, 1, 2}},
		"gone":            {"abcd", "acd", []int{0, -1, 1, 2}},
		"added":           {"abc", "axxbc", []int{0, 3, 4}},
		"all gone":        {"abc", "", []int{-1, -1, -1}},
		"nothing written": {"", "abc", []int{}},
		"blank lines":     {"a--b-c", "a--b-c-", []int{0, 1, 2, 3, 4, 5}},
		"blank line gone": {"a--b", "a-b", []int{0, 1, -1, 2}},
		"swapped":         {"abcd", "acbd", []int{0, -1, 1, 3}},
		"blank at border": {"-ab", "xab", []int{-1, 1, 2}},
		"only blanks":     {"---", "--", []int{0, 1, -1}},
		"moved far":       {"abcdef", "bcdefa", []int{-1, 0, 1, 2, 3, 4}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := align(sumsOf(tt.old), sumsOf(tt.now))
			if len(got) != len(tt.want) {
				t.Fatalf("%v, want %v", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Fatalf("%v, want %v", got, tt.want)
				}
			}
		})
	}
}

// Whatever the two are, only equal lines are matched, in one order; and lines
// that occur once and were only mixed with others are all found.
func TestAlignRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		var old, now []writer.LineSum
		kept := 0
		for n := range r.IntN(40) {
			line := writer.LineSum{byte(n), 1}
			if r.IntN(5) == 0 {
				line = writer.LineSum{} // a blank line
			}
			old = append(old, line)
			switch r.IntN(6) {
			case 0:
			case 1:
				now = append(now, writer.LineSum{byte(n), 2})
			default:
				if line[1] == 1 {
					kept++
				}
				now = append(now, line)
			}
		}
		last, found := -1, 0
		for i, j := range align(old, now) {
			if j < 0 {
				continue
			}
			if old[i] != now[j] || j <= last {
				t.Fatalf("line %d is matched with %d after %d", i, j, last)
			}
			last = j
			if old[i][1] == 1 {
				found++
			}
		}
		if found != kept {
			t.Fatalf("%d of %d lines were found again", found, kept)
		}
	}
}
