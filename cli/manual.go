package cli

import (
	"context"
	"fmt"
	"strings"

	ucli "github.com/urfave/cli/v3"

	"sessc/report"
)

// manualCommand prints the manual page, for packages. It is made of the help
// texts, so that it cannot fall behind them.
func manualCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "manual", Usage: "print the manual page (roff)", UsageText: "sessc manual > sessc.1", Hidden: true,
		Description: exitCodes,
		Action: func(_ context.Context, c *ucli.Command) error {
			if c.Args().Present() {
				return usage("manual takes no argument")
			}
			return p.emit([]byte(manual(c.Root())))
		},
	}
}

func manual(root *ucli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH SESSC 1 \"%s\" \"sessc %s\" \"User Commands\"\n", committed(), roff(version()))
	fmt.Fprintf(&b, ".SH NAME\nsessc \\- %s\n", roff(root.Usage))
	b.WriteString(".SH SYNOPSIS\n")
	verbatim(&b, root.UsageText)
	b.WriteString(".SH DESCRIPTION\n")
	verbatim(&b, strings.TrimSuffix(rootHelp, exitCodes))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range root.Commands {
		if c.Hidden {
			continue
		}
		fmt.Fprintf(&b, ".SS %s\n%s.\n", roff(c.Name), roff(report.Capital(c.Usage)))
		if c.UsageText != "" {
			b.WriteString(".PP\n")
			verbatim(&b, c.UsageText)
		}
		if text := strings.TrimSpace(strings.ReplaceAll(c.Description, exitCodes, "")); text != "" {
			b.WriteString(".PP\n")
			verbatim(&b, text)
		}
		for _, f := range c.Flags {
			manualFlag(&b, f)
		}
	}
	_, codes, _ := strings.Cut(exitCodes, "\n")
	b.WriteString(".SH EXIT STATUS\n")
	verbatim(&b, codes)
	return b.String()
}

func manualFlag(b *strings.Builder, flag ucli.Flag) {
	f, ok := flag.(ucli.DocGenerationFlag)
	if !ok {
		return
	}
	var names []string
	for _, n := range flag.Names() {
		dash := "--"
		if len(n) == 1 {
			dash = "-"
		}
		names = append(names, `\fB`+roff(dash+n)+`\fR`)
	}
	// The value's name stands between back quotes in the text.
	text := f.GetUsage()
	if before, rest, ok := strings.Cut(text, "`"); ok {
		value, after, _ := strings.Cut(rest, "`")
		text = before + value + after
		names[0] += ` \fI` + roff(value) + `\fR`
	}
	if d, ok := flag.(ucli.DocGenerationFlag); ok && d.TakesValue() && d.GetDefaultText() != "" {
		text += " (default: " + d.GetDefaultText() + ")"
	}
	fmt.Fprintf(b, ".TP\n%s\n%s\n", strings.Join(names, ", "), roff(text))
}

// verbatim writes lines that keep their breaks and columns.
func verbatim(b *strings.Builder, text string) {
	b.WriteString(".nf\n")
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		if line == "" {
			line = `\&`
		} else {
			line = roff(line)
		}
		b.WriteString(line + "\n")
	}
	b.WriteString(".fi\n")
}

// roff escapes what the formatter takes for its own.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}
