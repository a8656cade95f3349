package cli

import (
	"strings"
	"testing"

	"sessc/compress"
)

// Who wrote the words of masks is one line, and a second one only where some of
// the questions came to nothing. What was not asked counts as no question.
func TestWordsOfMasks(t *testing.T) {
	for _, tc := range []struct {
		name     string
		levels   compress.Levels
		failures map[string]int
		want     string
	}{
		{"no mask", compress.Levels{}, nil, ""},
		{"all by the model", compress.Levels{Normal: 2, Aggressive: 1}, nil, "  words of the masks: 2 by local, 1 by it when asked again more strictly, 0 by code\n"},
		{"nobody there", compress.Levels{Record: 3}, map[string]int{"not asked": 3, "unreachable": 3}, "  words of the masks: 3 masks by code: the model failed (unreachable)\n"},
		{"two reasons", compress.Levels{Record: 1}, map[string]int{"busy": 1, "empty": 1}, "  words of the masks: 1 mask by code: the model failed (busy, empty)\n"},
		{"given up before", compress.Levels{Record: 3}, map[string]int{"not asked": 6}, "  words of the masks: 3 masks by code: the model was not asked\n"},
		{"some", compress.Levels{Normal: 1, Record: 2}, map[string]int{"not asked": 2, "timeout": 2},
			"  words of the masks: 1 by local, 0 by it when asked again more strictly, 2 by code\n    questions in vain: 2 timeout, others not asked\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := words{engine: &engine{name: "local"}}
			w.add(&compress.Prose{Levels: tc.levels, Failures: tc.failures})
			var b strings.Builder
			if w.write(&b, false); b.String() != tc.want {
				t.Errorf("%q, want %q", b.String(), tc.want)
			}
		})
	}
}
