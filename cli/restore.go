package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	ucli "github.com/urfave/cli/v3"

	"sessc/archive"
	"sessc/batch"
	"sessc/restore"
	"sessc/session"
	"sessc/session/formats"
)

func restoreCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "restore", Usage: "bring a log back to what it was",
		UsageText:   "sessc restore [OPTION]... PATH",
		Description: restoreHelp,
		Flags: append([]ucli.Flag{
			&ucli.IntFlag{Name: "generation", Usage: "go back to before rewrite `N`, counted from 1", DefaultText: "all of them"},
			&ucli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the result to the new file `FILE`, leave the log alone"},
			&ucli.BoolFlag{Name: "json", Usage: "print one JSON object (docs/json.md)", HideDefault: true},
		}, settingFlags("min_age", "archive", "spawn_tool", "quiet")...),
		Action: func(ctx context.Context, c *ucli.Command) error { return p.restore(ctx, c) },
	}
}

func (p *Process) restore(ctx context.Context, c *ucli.Command) (err error) {
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	output := c.String("output")
	switch {
	case c.Args().Len() == 0:
		return usage("restore what? name a session log; see sessc restore --help")
	case c.Args().Len() > 1:
		return usage("restore takes one log at a time")
	case c.IsSet("output") && output == "":
		return usage("--output wants the name of a new file")
	case c.IsSet("generation") && c.Int("generation") < 1:
		return usage("--generation counts from 1")
	}
	if c.Args().First() == "" {
		return usage("the path is empty")
	}
	finder := batch.Finder{Formats: formats.All, Getenv: p.Getenv}
	t := finder.Find(c.Args().Slice(), false)[0]
	if t.Err == nil && !t.Named {
		return usage("%s is a folder; restore takes one log at a time, sessc restore --help shows how to bring back all of a folder", c.Args().First())
	}
	out := reporter{p: p, json: c.Bool("json"), quiet: cfg.Quiet, output: output}
	o := restore.Options{
		Formats: formats.All, Settings: session.Settings{SpawnTools: cfg.SpawnTool},
		Generation: int(c.Int("generation")), Output: output, MinAge: cfg.MinAge, Now: p.Now, Trace: p.Trace,
	}
	r, err := batch.Guard(t, func() (*restore.Report, error) {
		return p.restoreOne(ctx, t, o, func() (*store, error) { return p.store(cfg, false) })
	})
	if r != nil && inPlace(err) {
		if err := out.restored(t, r); err != nil {
			return err
		}
	}
	if (errors.Is(err, restore.ErrNothing) || errors.Is(err, session.ErrEmpty)) && output == "" {
		// As for a log that compress leaves as it is. A copy was asked for,
		// and there is none: that is a failure.
		if !cfg.Quiet {
			p.talk("%s", clean(err.Error()))
		}
		return out.failure(t, err, kindSkipped)
	}
	if err != nil {
		return errors.Join(err, out.failure(t, err, kindOf(err)))
	}
	return nil
}

// restoreOne restores one log.
func (p *Process) restoreOne(ctx context.Context, t batch.Target, o restore.Options, open func() (*store, error)) (r *restore.Report, err error) {
	if o.Output != "" {
		if err := newFile(o.Output); err != nil {
			return nil, err
		}
		if o.Output, err = filepath.Abs(o.Output); err != nil {
			return nil, err
		}
	}
	st, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	o.Archive = func(create bool) (*archive.Archive, error) { return st.get(ctx, create) }
	p.limitMemory(1, t)
	r, err = restore.Run(ctx, t.Real, o)
	if errors.Is(err, session.ErrUnknown) {
		return r, fmt.Errorf("%w; name a session log of one of these", err)
	}
	return r, explain(err, t.Named)
}

// restored prints what a restore did.
func (r *reporter) restored(t batch.Target, rep *restore.Report) error {
	switch {
	case r.json:
		return r.p.line(rep)
	case r.quiet:
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.Shown)
	fmt.Fprintf(&b, "  %s undone, %s bytes before, %s after\n", plural(len(rep.Generations), "rewrite", "rewrites"), comma(rep.Before), comma(rep.After))
	switch {
	case rep.Identical:
		fmt.Fprintln(&b, "  every removed byte is back, checked by SHA-256; what was appended since stands behind them")
	case rep.Case == restore.Exact:
		fmt.Fprintln(&b, "  every removed byte is back, checked by SHA-256; appended lines that named a mask name its entry now")
	case rep.Case == restore.Realigned:
		fmt.Fprintln(&b, "  every removed entry is back in its place; another program had changed lines, and its changes stay: not byte for byte the original")
	case len(rep.Forgotten) > 0:
		fmt.Fprintf(&b, "  the content of %s was deleted by sessc forget: they stay, the rest is back; not byte for byte the original\n", strings.Join(rep.Forgotten, ", "))
	default:
		fmt.Fprintln(&b, "  masks that had been altered stay as they are; the rest is back")
	}
	for _, l := range rep.Repointed {
		fmt.Fprintf(&b, "  re-pointed: %s\n", l)
	}
	for _, l := range rep.Foreign {
		fmt.Fprintf(&b, "  changed by another program: %s\n", l)
	}
	if len(rep.Masks) > 0 {
		fmt.Fprintf(&b, "  masks that stand in the log still: %s\n", strings.Join(rep.Masks, ", "))
	}
	switch {
	case r.output != "":
		fmt.Fprintf(&b, "  written to %s; %s stays as it is\n", r.output, t.Shown)
	case rep.Unnoted != "":
		fmt.Fprintf(&b, "  a run over folders may compress it again, keep it out with --exclude: the restore could not be noted: %s\n", rep.Unnoted)
	default:
		fmt.Fprintln(&b, "  runs over folders leave it alone from now on; name it to compress it again")
	}
	return r.p.emit([]byte(clean(b.String())))
}
