package session

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTaskText: what is kept ends at the border of a character, and is UTF-8
// whatever it was.
func TestTaskText(t *testing.T) {
	for _, r := range []struct{ name, text, want string }{
		{"short", "x", "x"},
		{"none", "", ""},
		{"as long as it may be", strings.Repeat("x", 400), strings.Repeat("x", 400)},
		{"one more", strings.Repeat("x", 401), strings.Repeat("x", 400)},
		{"wide characters", strings.Repeat("任务", 100), strings.Repeat("任务", 66) + "任"},
		{"no UTF-8 in it", "a\xff\xfeb", "a\uFFFDb"},
		{"no UTF-8 at the cut", strings.Repeat("x", 399) + "\xff\xff", strings.Repeat("x", 399)},
	} {
		if got := TaskText(r.text); got != r.want {
			t.Errorf("%s: %q, want %q", r.name, got, r.want)
		}
	}
	if got := TaskText(strings.Repeat("\x80", 1000)); got == "" || len(got) > 400 || !utf8.ValidString(got) {
		t.Errorf("of no UTF-8 at all: %q", got)
	}
	if got := ErrorText("\n" + strings.Repeat("x", 600) + "\n"); got != strings.Repeat("x", 500) {
		t.Errorf("an error of %d bytes", len(got))
	}
}

// TestPlainName: no name from a log leads out of its folder.
func TestPlainName(t *testing.T) {
	for name, want := range map[string]bool{
		"a.jsonl": true, "..x": true, "": false, ".": false, "..": false, "a/b": false, `a\b`: false, "a\x00": false,
	} {
		if PlainName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
