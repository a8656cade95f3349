package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v3"

	"sessc/archive"
	"sessc/batch"
	"sessc/compress"
	"sessc/config"
	"sessc/report"
	"sessc/session"
	"sessc/session/formats"
)

// reportForms are the forms of a report, by name, with the ending of files
// that hold one.
var reportForms = []struct {
	name, ending string
	write        func(*report.Report, io.Writer) error
}{
	{"table", ".txt", reportTable},
	{"json", ".json", (*report.Report).JSON},
	{"csv", ".csv", (*report.Report).CSV},
	{"markdown", ".md", (*report.Report).Markdown},
	{"html", ".html", (*report.Report).HTML},
}

func reportCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "report", Usage: "report what compress would save, or what it has saved",
		UsageText:   "sessc report [OPTION]... [PATH]...",
		Description: reportHelp,
		Flags: slices.Concat([]ucli.Flag{
			&ucli.StringFlag{Name: "format", Usage: "write `FORMAT`: table, json, csv, markdown or html", DefaultText: "by the ending of --output, else table"},
			&ucli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of stdout; it replaces an older report"},
			&ucli.BoolFlag{Name: "history", Usage: "report the rewrites that the archive holds, not what a run would do", HideDefault: true},
			&ucli.FloatFlag{Name: "price", Usage: "what a million input tokens cost: `AMOUNT`, in any currency", HideDefault: true},
			&ucli.FloatFlag{Name: "cache-read", Usage: "price of a token read from the provider's cache: `PART` of --price", Value: 0.1},
			&ucli.FloatFlag{Name: "cache-write", Usage: "price of a token written to the provider's cache: `PART` of --price", Value: 1.25},
		}, findFlags(), settingFlags("layers", "keep_last", "keep_turns", "keep_calls", "keep_results", "min_saving", "min_tokens", "min_age", "archive", "tokenizer", "spawn_tool", "workers", "log_format", "quiet")),
		Action: func(ctx context.Context, c *ucli.Command) error { return p.report(ctx, c) },
	}
}

// reportOptions are the choices for a report.
type reportOptions struct {
	form   int // in reportForms
	output string
	prices report.Prices
}

func readReport(c *ucli.Command, getenv func(string) string) (o reportOptions, err error) {
	o.output = c.String("output")
	format := c.String("format")
	if c.IsSet("output") && o.output == "" {
		return o, usage("--output wants the name of a file")
	}
	o.form = -1
	for i, f := range reportForms {
		if f.name == format || format == "" && strings.EqualFold(f.ending, filepath.Ext(o.output)) {
			o.form = i
		}
	}
	if o.form < 0 && format != "" {
		return o, usage("--format: unknown format %q; known: table, json, csv, markdown, html", format)
	}
	o.prices = report.Prices{Input: c.Float("price"), Read: c.Float("cache-read"), Write: c.Float("cache-write")}
	for _, n := range []float64{o.prices.Input, o.prices.Read, o.prices.Write} {
		if !(n >= 0 && n <= 1e9) {
			return o, usage("--price, --cache-read and --cache-write want numbers from 0")
		}
	}
	if err := o.harmless(getenv); err != nil {
		return o, err
	}
	if o.form < 0 && filepath.Ext(o.output) != "" {
		return o, usage("--output %s: no report has this ending; use .txt, .json, .csv, .md or .html, or give --format", o.output)
	}
	o.form = max(o.form, 0)
	return o, nil
}

// harmless refuses an output that would take the place of a log, or lie where
// an agent takes all files for its own.
func (o *reportOptions) harmless(getenv func(string) string) error {
	if o.output == "" {
		return nil
	}
	abs, err := filepath.Abs(o.output)
	if err != nil {
		return err
	}
	if owner := ownerOf(filepath.Dir(abs), getenv); owner != "" {
		return usage("--output %s lies in %s, a folder of an agent, which would take the file there for its own", o.output, owner)
	}
	fi, err := os.Stat(abs)
	if err != nil {
		return nil // a new file
	}
	if !fi.Mode().IsRegular() {
		return usage("--output %s is no regular file", o.output)
	}
	if _, err := session.Recognise(abs, formats.All); err == nil {
		return usage("--output %s is a session log; name another file", o.output)
	}
	return nil
}

func (p *Process) report(ctx context.Context, c *ucli.Command) (err error) {
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	o, err := readReport(c, p.Getenv)
	if err != nil {
		return err
	}
	st, err := p.store(cfg, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	r := report.New(o.prices, c.Bool("history"), p.Now())
	var t tally
	if c.Bool("history") {
		err = p.past(ctx, c, st, r)
	} else {
		err = p.ahead(ctx, c, cfg, st, r, &t)
	}
	if err != nil {
		return err
	}
	r.Finish()
	if err := o.write(p, r); err != nil {
		return err
	}
	if o.output != "" && !cfg.Quiet {
		p.talk("report written to %s", clean(o.output))
	}
	return t.err()
}

// ahead asks compress, by a dry run, about every log.
func (p *Process) ahead(ctx context.Context, c *ucli.Command, cfg *config.Config, st *store, r *report.Report, t *tally) error {
	targets, known, err := p.find(c, "report", batch.Shard{})
	if err != nil {
		return err
	}
	options := p.options(cfg, known, st)
	options.DryRun = true
	job := batch.Job{Targets: targets, Options: options, Workers: workers(cfg)}
	p.limitMemory(job.Workers, targets...)
	bars := p.begin(targets, nil, true, cfg.Quiet)
	job.Done = func(o batch.Outcome) error {
		bars.add(o)
		err := explain(o.Err, o.Target.Named)
		switch {
		case err == nil:
			t.add(o.Report)
			r.Add(o.Report, o.Target.Source.Modified)
		case noSession(err, o.Target.Named):
			t.pass(err)
			if !cfg.Quiet {
				p.skip(err)
			}
		case len(targets) == 1 && (o.Target.Named || o.Target.Err != nil):
			return err
		default:
			t.fail(o.Target)
			r.Fail(o.Target.Shown, err.Error())
			p.Complain(err)
		}
		return nil
	}
	rest, err := job.Run(ctx)
	bars.stop()
	t.stopped = rest.Stopped
	return err
}

// past takes in the rewrites that the archive knows, of the logs that were
// named or of all.
func (p *Process) past(ctx context.Context, c *ucli.Command, st *store, r *report.Report) error {
	since, err := p.since(c)
	if err != nil {
		return err
	}
	arch, err := st.must(ctx)
	if err != nil {
		return err
	}
	all, err := arch.Generations(ctx, archive.Query{})
	if err != nil {
		return err
	}
	past, err := arch.History(ctx)
	if err != nil {
		return err
	}
	var below []string
	for _, path := range c.Args().Slice() {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		below = append(below, resolved(abs))
	}
	agents := c.StringSlice("agent")
	if _, _, err := ofAgents(agents); err != nil {
		return err
	}
	slices.Reverse(all) // oldest first
	logs := compress.Logs(all)
	for i := range all {
		g := &all[i]
		agent := compress.AgentOf(g.Options, g.Format)
		if g.State != archive.StateApplied || time.UnixMilli(g.Time).Before(since) ||
			len(agents) > 0 && !slices.Contains(agents, g.Format) && !slices.Contains(agents, agent) ||
			len(below) > 0 && !slices.ContainsFunc(below, func(dir string) bool { return within(g.Path, dir) }) {
			continue
		}
		s := report.Session{Path: g.Path, Agent: agent, ID: g.Session, Time: g.Time, Log: logs[i], Undone: compress.Undone(g, past[g.ID])}
		for _, f := range g.Files {
			s.Bytes.Before += f.Old.Size
			s.Bytes.After += f.New.Size
		}
		s.Bytes = compress.NewChange(s.Bytes.Before, s.Bytes.After)
		if saved := compress.Saved(g); saved != nil {
			s.Tokens, s.Counted = *saved, "noted by the rewrite"
		}
		var layers []string
		s.States, layers = compress.StatesOf(past[g.ID])
		r.AddRewrite(s, layers)
	}
	return nil
}

// write puts the report on stdout or, whole or not at all, into its file.
func (o *reportOptions) write(p *Process, r *report.Report) error {
	var b bytes.Buffer
	if err := reportForms[o.form].write(r, &b); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if o.output == "" {
		return p.emit(b.Bytes())
	}
	if err := folderOf(o.output); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(o.output), ".sessc-report-*")
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("write the report %s: no permission to write in its folder; name another file with --output", o.output)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	_, err = f.Write(b.Bytes())
	// A new report is for its maker's eyes; who may read the one before may
	// read this one.
	if fi, statErr := os.Stat(o.output); err == nil && statErr == nil {
		err = f.Chmod(fi.Mode().Perm())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), o.output)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the report: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// nothingTo says that there is nothing to report.
func nothingTo(r *report.Report) string {
	if r.History {
		return "0 rewrites: the archive holds none of what was asked for, so that there are no savings to report"
	}
	return "0 sessions: no session log was found, so that there are no savings to report"
}

// mostRows is how many rows a table shows before the rest is only counted.
const mostRows = 30

// reportTable writes the report for a terminal.
func reportTable(r *report.Report, w io.Writer) error {
	var b strings.Builder
	what, one, heading := "would save", "session", "sessions"
	if r.History {
		what, one, heading = "saved", "rewrite", "rewrites"
	}
	t := &r.Total
	if t.Sessions == 0 && r.Aside() == "" {
		_, err := io.WriteString(w, nothingTo(r)+"\n")
		return err
	}
	fmt.Fprintf(&b, "%s%s; sessc %s\n", plural(t.Sessions, one, heading), r.OfLogs(), what)
	if aside := r.Aside(); aside != "" {
		fmt.Fprintf(&b, "  %s\n", aside)
	}
	table(&b, "  ", [][]string{
		{"", right("before"), right("after"), right("saved"), right("")},
		{"context tokens", right(comma(t.Tokens.Before)), right(comma(t.Tokens.After)), right(comma(t.Tokens.Saved)), right(share(t.Tokens.Saved, t.Tokens.Before))},
		{"file bytes", right(comma(t.Bytes.Before)), right(comma(t.Bytes.After)), right(comma(t.Bytes.Saved)), right(share(t.Bytes.Saved, t.Bytes.Before))},
	})
	if r.Prices.Input > 0 {
		fmt.Fprintf(&b, "  at %g per million input tokens, one turn of each costs %.4g less\n", r.Prices.Input, t.Money)
	}
	if t.Payback > 0 {
		fmt.Fprintf(&b, "  a provider's cache that still held them is %s\n", r.PaidBack())
	}
	if len(r.Layers) > 0 {
		rows := [][]string{{"layer", right("compacted"), right("tokens saved"), ""}}
		for _, l := range r.Layers {
			count, note := comma(l.Compacted), ""
			if !l.Asked {
				count, note = "", report.NotAsked
			}
			rows = append(rows, []string{l.Name, right(count), right(comma(l.Saved)), note})
		}
		table(&b, "", rows)
	}
	if r.States.Found > 0 {
		called := r.FoundNoun()
		fmt.Fprintf(&b, "%s, %s compacted\n", plural(r.States.Found, called[0], called[1]), comma(r.States.Compacted))
		var rows [][]string
		for _, x := range r.Reasons {
			rows = append(rows, []string{right(comma(x.Count)), x.Noun(), x.Reason})
		}
		table(&b, "  ", rows)
	}
	for _, g := range []struct {
		title string
		of    []report.Group
	}{{"agent", r.Agents}, {"day", r.Days}} {
		rows := [][]string{{g.title, right(heading), right("tokens before"), right("after"), right("saved"), right(""), right("bytes saved")}}
		for _, x := range g.of {
			rows = append(rows, []string{
				x.Name, right(comma(x.Sessions)), right(comma(x.Tokens.Before)), right(comma(x.Tokens.After)), right(comma(x.Tokens.Saved)),
				right(share(x.Tokens.Saved, x.Tokens.Before)), right(comma(x.Bytes.Saved)),
			})
		}
		table(&b, "", rows)
	}
	rows := [][]string{{right("tokens before"), right("after"), right("saved"), right(""), right("bytes saved"), "log"}}
	for i, s := range r.Sessions {
		if i == mostRows {
			break
		}
		if s.Undone {
			rows = append(rows, []string{right("undone"), "", "", "", "", s.Path})
			continue
		}
		if s.Counted == "" {
			rows = append(rows, []string{right("not noted"), "", "", "", right(comma(s.Bytes.Saved)), s.Path})
			continue
		}
		rows = append(rows, []string{
			right(comma(s.Tokens.Before)), right(comma(s.Tokens.After)), right(comma(s.Tokens.Saved)), right(share(s.Tokens.Saved, s.Tokens.Before)), right(comma(s.Bytes.Saved)), s.Path + s.Held(),
		})
	}
	table(&b, "", rows)
	if more := len(r.Sessions) - mostRows; more > 0 {
		fmt.Fprintf(&b, "%s more; --format csv lists all\n", comma(more))
	}
	_, err := io.WriteString(w, clean(b.String()))
	return err
}
