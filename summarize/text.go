package summarize

import (
	"strings"

	"github.com/rivo/uniseg"
)

// unixLines ends the lines of a text with line feeds alone. A carriage return
// ends one too: programs write their progress over what they wrote before it.
func unixLines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// foldSpace puts every run of white space to one space and trims the ends.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts s to n grapheme clusters, the last being … where it cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	g := uniseg.NewGraphemes(s)
	cut := 0
	for i := 0; g.Next(); i++ {
		if i == n {
			return strings.TrimRight(s[:cut], " ") + "…"
		}
		if i == n-1 {
			cut, _ = g.Positions()
		}
	}
	return s
}

// clipCommand is clip for a command: it cuts before a word, so that no half of
// one passes for another command, where it has a word in its second half.
func clipCommand(s string, n int) string {
	short := clip(s, n)
	if i := strings.LastIndexByte(short, ' '); short != s && i > len(short)/2 {
		return short[:i] + " …"
	}
	return short
}
