package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v3"

	"sessc/batch"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/report"
	"sessc/scan"
	"sessc/session"
	"sessc/tokens"
)

// scanSchema names the version of scanReport.
const scanSchema = "sessc.scan/1"

// scanReport lists the lifecycles of one session, see docs/json.md.
type scanReport struct {
	Schema     string    `json:"schema"`
	Path       string    `json:"path"`
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Lifecycles []scanned `json:"lifecycles"`
}

// scanned is one lifecycle and what compress would do with it.
type scanned struct {
	Key     string `json:"key"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Line    int    `json:"line"`           // of the spawning call
	TookMS  int64  `json:"took_ms"`        // -1 unknown
	Spent   int64  `json:"tokens"`         // that the child used, -1 unknown
	Own     int    `json:"context_tokens"` // of its own entries, estimated
	Compact bool   `json:"compact"`
	Reason  string `json:"reason,omitempty"` // why it would be left alone
}

func scanCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "scan", Usage: "list the delegated sub-tasks of session logs",
		UsageText:   "sessc scan [OPTION]... PATH...",
		Description: scanHelp,
		Flags: slices.Concat([]ucli.Flag{
			&ucli.BoolFlag{Name: "json", Usage: "print one JSON object per session (docs/json.md)", HideDefault: true},
		}, findFlags(), settingFlags("keep_last", "min_saving", "min_tokens", "archive", "spawn_tool", "log_format", "quiet")),
		Action: func(ctx context.Context, c *ucli.Command) error { return p.scan(ctx, c) },
	}
}

func (p *Process) scan(ctx context.Context, c *ucli.Command) (err error) {
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	targets, known, err := p.find(c, "scan", batch.Shard{})
	if err != nil {
		return err
	}
	st, err := p.store(cfg, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	options := p.options(cfg, known, st)
	options.DryRun, options.Layers = true, nil // sub-tasks only
	out := reporter{p: p, json: c.Bool("json"), quiet: cfg.Quiet}
	var t tally
	for n, target := range targets {
		if ctx.Err() != nil {
			t.stopped += len(targets) - n
			break
		}
		p.limitMemory(1, target)
		r, err := batch.Guard(target, func() (*scanReport, error) { return scanOne(ctx, target, options) })
		if err == nil {
			t.same++
			if err := out.scanned(target, r); err != nil {
				return err
			}
			continue
		}
		if len(targets) == 1 && (target.Named || target.Err != nil) && !noSession(err, target.Named) {
			return errors.Join(err, out.failure(target, err, kindFailed))
		}
		if err := out.scanFailed(&t, target, err); err != nil {
			return err
		}
	}
	if t.all() == t.foreign && len(targets) == 1 && targets[0].Named {
		return nil // an empty file
	}
	return t.err()
}

// scanFailed counts and prints a log that could not be scanned.
func (r *reporter) scanFailed(t *tally, at batch.Target, err error) error {
	if !noSession(err, at.Named) {
		t.fail(at)
		r.p.Complain(err)
		return r.failure(at, err, kindFailed)
	}
	t.pass(err)
	if !r.quiet {
		r.p.skip(err)
	}
	return r.failure(at, err, kindSkipped)
}

// scanOne lists the lifecycles of a log. What compress would do with them is
// asked of compress itself, so that the two can never differ.
func scanOne(ctx context.Context, t batch.Target, o compress.Options) (*scanReport, error) {
	report, err := compress.Run(ctx, t.Real, o)
	if err != nil {
		return nil, explain(err, t.Named)
	}
	set := o.Settings
	set.NoHash = true
	s, err := session.Open(t.Real, o.Formats, set)
	if err != nil {
		return nil, explain(err, t.Named)
	}
	defer s.Close()
	return join(s, scan.Find(s), report), nil
}

// join puts what was found and what compress makes of it side by side.
func join(s *session.Session, found []lifecycle.Lifecycle, report *compress.Report) *scanReport {
	type id struct {
		key  string
		line int
	}
	verdict := map[id]scanned{}
	for _, t := range report.Tasks {
		verdict[id{t.Key, t.Line}] = scanned{Name: t.Name, Compact: true}
	}
	for _, l := range report.Left {
		verdict[id{l.Key, l.Line}] = scanned{Name: l.Name, Reason: l.Reason}
	}
	factor := tokens.Factor{Value: report.Counting.Factor}
	r := &scanReport{Schema: scanSchema, Path: report.Path, Agent: report.Agent, Session: report.Session, Lifecycles: []scanned{}}
	for n := range found {
		l := &found[n]
		line := s.LineOf(l.Spawn)
		row := verdict[id{l.Key, line}]
		row.Key, row.State, row.Line = l.Key, l.State.String(), line
		row.TookMS, row.Spent, row.Own = l.Took, l.Spent, factor.Apply(l.Own)
		r.Lifecycles = append(r.Lifecycles, row)
	}
	return r
}

// scanned prints the lifecycles of one session.
func (r *reporter) scanned(t batch.Target, rep *scanReport) error {
	switch {
	case r.json:
		return r.p.line(rep)
	case r.quiet:
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s session %s): %s\n", t.Shown, rep.Agent, rep.Session, plural(len(rep.Lifecycles), "sub-task", "sub-tasks"))
	rows := [][]string{{right("line"), "state", right("took"), right("tokens used"), right("in context"), "name", "compress"}}
	for _, l := range rep.Lifecycles {
		would := "would compact it"
		if !l.Compact {
			would = "leaves it alone: " + l.Reason
		}
		rows = append(rows, []string{
			right(fmt.Sprint(l.Line)), l.State, right(took(l.TookMS)), right(known(l.Spent)), right(comma(l.Own)), report.Cut(l.Name, nameCells), would,
		})
	}
	if len(rep.Lifecycles) > 0 {
		table(&b, "  ", rows)
	}
	return r.p.emit([]byte(clean(b.String())))
}
