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
)

// statusSchema names the version of statusReport.
const statusSchema = "sessc.status/1"

// statusReport is what the archive holds, see docs/json.md.
type statusReport struct {
	Schema   string          `json:"schema"`
	Archive  string          `json:"archive"`
	Disk     int64           `json:"disk_bytes"`
	Packs    int64           `json:"pack_bytes"`
	Index    int64           `json:"index_bytes"`
	Sessions []sessionStatus `json:"sessions"`
	Restored []restoredLog   `json:"restored,omitempty"`
	Unknown  []string        `json:"unknown_packs,omitempty"`
}

type sessionStatus struct {
	Session     string  `json:"session"`
	Agent       string  `json:"agent"`
	Path        string  `json:"path"`
	Generations int     `json:"generations"`
	Pending     []int64 `json:"pending,omitempty"`
	Masks       int     `json:"masks"`
	Late        int     `json:"late"`
	Removed     int64   `json:"removed_bytes"`
	Stored      int64   `json:"stored_bytes"`
	First       int64   `json:"first_ms"`
	Last        int64   `json:"last_ms"`
}

// restoredLog is a log that runs over folders leave alone.
type restoredLog struct {
	Session string `json:"session"`
	Agent   string `json:"agent"`
	Path    string `json:"path"`
	Time    int64  `json:"time_ms"`
}

func statusCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "status", Usage: "print what the archive holds",
		UsageText:   "sessc status [--json] [--late SESSION]",
		Description: statusHelp,
		Flags: append([]ucli.Flag{
			&ucli.BoolFlag{Name: "json", Usage: "print one JSON object (docs/json.md)", HideDefault: true},
			&ucli.StringFlag{Name: "late", Usage: "print the lines of `SESSION` that came too late to be carried over"},
		}, settingFlags("archive")...),
		Action: func(ctx context.Context, c *ucli.Command) error { return p.status(ctx, c) },
	}
}

func (p *Process) status(ctx context.Context, c *ucli.Command) (err error) {
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	if c.Args().Present() {
		return usage("status takes no argument")
	}
	st, err := p.store(cfg, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	if name := c.String("late"); name != "" {
		return p.late(ctx, st, name)
	}
	arch, err := st.get(ctx, false)
	if err != nil {
		return err
	}
	report := &statusReport{Schema: statusSchema, Archive: st.dir, Sessions: []sessionStatus{}}
	if arch != nil {
		held, err := arch.Status(ctx)
		if err != nil {
			return err
		}
		report.fill(held)
	}
	if c.Bool("json") {
		return p.line(report)
	}
	return p.emit([]byte(clean(report.String())))
}

func (r *statusReport) fill(held *archive.Status) {
	r.Disk, r.Packs, r.Index, r.Unknown = held.Disk(), held.Packs, held.Index, held.Unknown
	for _, l := range held.Restored {
		r.Restored = append(r.Restored, restoredLog{Session: l.Session, Agent: l.Format, Path: l.Path, Time: l.Time})
	}
	for _, s := range held.Sessions {
		r.Sessions = append(r.Sessions, sessionStatus{
			Session: s.Session, Agent: compress.AgentOf(s.Options, s.Format), Path: s.Path, Generations: s.Generations, Pending: s.Pending,
			Masks: s.Masks, Late: s.Late, Removed: s.Removed, Stored: s.Stored, First: s.First, Last: s.Last,
		})
	}
}

// String is the report for people.
func (r *statusReport) String() string {
	var b strings.Builder
	if len(r.Sessions) == 0 {
		fmt.Fprintf(&b, "archive %s: nothing is archived\n", r.Archive)
	} else {
		fmt.Fprintf(&b, "archive %s: %s, %s bytes on disk (%s in packs, %s in the index)\n",
			r.Archive, plural(len(r.Sessions), "session", "sessions"), comma(r.Disk), comma(r.Packs), comma(r.Index))
		rows := [][]string{{"session", "agent", right("rewrites"), right("masks"), right("removed"), right("stored"), "last rewrite", "path"}}
		for _, s := range r.Sessions {
			rows = append(rows, []string{
				s.Session, s.Agent, right(comma(s.Generations)), right(comma(s.Masks)),
				right(comma(s.Removed)), right(comma(s.Stored)), day(s.Last), s.Path,
			})
		}
		table(&b, "  ", rows)
	}
	for _, s := range r.Sessions {
		if len(s.Pending) > 0 {
			fmt.Fprintf(&b, "  session %s: %s not settled; bring its log back to its place and run sessc status\n", s.Session, plural(len(s.Pending), "rewrite is", "rewrites are"))
		}
		if s.Late > 0 {
			fmt.Fprintf(&b, "  session %s: lines came too late to be carried over; see sessc status --late %s\n", s.Session, quote(s.Session))
		}
	}
	for _, l := range r.Restored {
		fmt.Fprintf(&b, "  session %s: restored by you on %s; runs over folders leave it alone, sessc compress %s takes it up again\n", l.Session, day(l.Time), quote(l.Path))
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(&b, "  packs that the index does not list: %s\n", strings.Join(r.Unknown, ", "))
	}
	return b.String()
}

// late prints what late writers of a session appended, as exact lines.
func (p *Process) late(ctx context.Context, st *store, name string) error {
	arch, err := st.must(ctx)
	if err != nil {
		return err
	}
	kept, err := arch.LateLines(ctx, name)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		return fmt.Errorf("the archive holds no late lines of session %s; sessc status lists the sessions", name)
	}
	var b bytes.Buffer
	for _, l := range kept {
		b.Write(l.Raw)
	}
	return p.emit(b.Bytes())
}
