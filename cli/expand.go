package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	ucli "github.com/urfave/cli/v3"

	"sessc/archive"
	"sessc/compress"
	"sessc/session"
	"sessc/session/formats"
)

func expandCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "expand", Usage: "print the entries that a mask stands for",
		UsageText:   "sessc expand [--raw] REF",
		Description: expandHelp,
		Flags: append([]ucli.Flag{
			&ucli.BoolFlag{Name: "raw", Usage: "print the exact lines of the log", HideDefault: true},
		}, settingFlags("archive")...),
		Action: func(ctx context.Context, c *ucli.Command) error { return p.expand(ctx, c) },
	}
}

// refPrefix stands before a reference in a mask.
const refPrefix = "sessc:"

func (p *Process) expand(ctx context.Context, c *ucli.Command) (err error) {
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	if c.Args().Len() != 1 {
		return usage("expand takes one REF, the reference at the end of a mask")
	}
	st, err := p.store(cfg, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	arch, err := st.must(ctx)
	if err != nil {
		return err
	}
	x, err := arch.Expand(ctx, strings.TrimPrefix(c.Args().First(), refPrefix))
	switch {
	case errors.Is(err, archive.ErrNotFound):
		return fmt.Errorf("%w; take the ref from a mask, or from the report of sessc compress", err)
	case errors.Is(err, archive.ErrFrame), errors.Is(err, archive.ErrPack):
		return fmt.Errorf("%w; bring the pack back from a backup; sessc doctor says what else is damaged", err)
	case err != nil:
		return err
	}
	if c.Bool("raw") {
		var b bytes.Buffer
		for _, e := range x.Entries {
			b.Write(e.Raw)
		}
		return p.emit(b.Bytes())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s  %s (%s)\n", refPrefix, x.Mask.Ref, x.Mask.Headline, x.Mask.State)
	fmt.Fprintf(&b, "from %s session %s, compacted %s\n", compress.AgentOf(x.Generation.Options, x.Generation.Format), x.Generation.Session, day(x.Generation.Time))
	format := formatOf(x.Generation.Format)
	for _, e := range x.Entries {
		readable(&b, format, e)
	}
	return p.emit([]byte(clean(b.String())))
}

// formatOf finds a format by name, nil when this release has none of it.
func formatOf(name string) session.Format {
	for _, f := range formats.All {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

// readable writes an entry as its reader would see it. What the format cannot
// decode is written as it stands in the log.
func readable(b *strings.Builder, format session.Format, e archive.RemovedEntry) {
	fmt.Fprintf(b, "\n── %s", e.Kind)
	if e.Tool != "" {
		fmt.Fprintf(b, " · %s", e.Tool)
	}
	if e.Time > 0 {
		fmt.Fprintf(b, " · %s", day(e.Time))
	}
	if e.ID != "" {
		fmt.Fprintf(b, " · %s", e.ID)
	}
	fmt.Fprintln(b, " ──")
	if format == nil {
		fmt.Fprintln(b, strings.TrimRight(string(e.Raw), "\r\n"))
		return
	}
	c, err := format.Content(e.Raw)
	if err != nil {
		fmt.Fprintln(b, strings.TrimRight(string(e.Raw), "\r\n"))
		return
	}
	for _, block := range c.Blocks {
		fmt.Fprintln(b, strings.TrimRight(blockText(block), "\n"))
	}
}

func blockText(block session.Block) string {
	switch block.Type {
	case session.ThinkingBlock:
		return "(thinking) " + block.Text
	case session.CallBlock:
		return "(call) " + block.Tool + " " + string(block.Args)
	case session.ImageBlock:
		return "(image)"
	case session.ResultBlock:
		if block.Failed {
			return "(error) " + block.Text
		}
	}
	return block.Text
}
