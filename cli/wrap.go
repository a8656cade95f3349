package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	ucli "github.com/urfave/cli/v3"
)

// helpWidth is how many columns help texts have: those of the usual terminal.
const helpWidth = 80

// optionColumn is where the texts of options begin.
const optionColumn = 28

// The library knows one printer for all commands, and no other place for it.
func init() { ucli.HelpPrinter = printHelp }

// printHelp writes help as the library does, with the options wrapped.
func printHelp(w io.Writer, template string, data any) {
	var b bytes.Buffer
	ucli.DefaultPrintHelp(&b, template, data)
	// The library asks for no error; the writer that [Run] gave it keeps it.
	_, _ = io.WriteString(w, wrapOptions(b.String()))
}

// again is what the library writes behind options that may be repeated.
var again = regexp.MustCompile(` \[ --[^]]* \]`)

// wrapOptions lays the lists of options of a help text out anew.
func wrapOptions(help string) string {
	var b strings.Builder
	options := false
	for line := range strings.Lines(help) {
		text := strings.TrimRight(line, " \n")
		if text != "" && text[0] != ' ' {
			options = strings.HasSuffix(text, "OPTIONS:")
		}
		if options && strings.HasPrefix(text, "   -") {
			wrapOption(&b, again.ReplaceAllString(strings.TrimSpace(text), ""))
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// wrapOption writes one option: its names, and its text in a column of its own.
func wrapOption(b *strings.Builder, option string) {
	names, text, _ := strings.Cut(option, "  ")
	at := 3 + utf8.RuneCountInString(names)
	b.WriteString("   " + names)
	if at+2 > optionColumn {
		b.WriteString("\n")
		at = 0
	}
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at < optionColumn:
			b.WriteString(strings.Repeat(" ", optionColumn-at))
			at = optionColumn
		case at+1+n > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", optionColumn))
			at = optionColumn
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteString("\n")
}
