package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Every help text fits a terminal of 80 columns, and loses no option.
func TestHelpFits(t *testing.T) {
	p := &Process{Getenv: func(string) string { return "" }, Now: time.Now}
	names := []string{""}
	for _, c := range rootCommand(p).Commands {
		names = append(names, c.Name)
	}
	for _, name := range names {
		var out bytes.Buffer
		p := &Process{Args: []string{"sessc", name, "--help"}, Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }, Now: time.Now}
		if name == "" {
			p.Args = []string{"sessc", "--help"}
		}
		if err := Run(context.Background(), p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
		c := rootCommand(p)
		if name != "" {
			c = c.Command(name)
		}
		for _, f := range c.Flags {
			if option := "--" + f.Names()[0]; len(f.Names()[0]) > 1 && !strings.Contains(out.String(), "   "+option) {
				t.Errorf("%s: the help does not list %s", name, option)
			}
		}
	}
}

func TestWrapOptions(t *testing.T) {
	const help = `USAGE:
   sessc x    y

OPTIONS:
   --short, -s                              what it does
   --include GLOB [ --include GLOB ]        in folders: only logs that match GLOB, by name or by the last parts of the path
`
	const want = `USAGE:
   sessc x    y

OPTIONS:
   --short, -s              what it does
   --include GLOB           in folders: only logs that match GLOB, by name or by
                            the last parts of the path
`
	if got := wrapOptions(help); got != want {
		t.Errorf("%s", got)
	}
	var b strings.Builder
	wrapOption(&b, "--a-name-that-is-longer-than-the-column  text")
	if b.String() != "   --a-name-that-is-longer-than-the-column\n                            text\n" {
		t.Errorf("%q", b.String())
	}
}
