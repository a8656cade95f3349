package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	ucli "github.com/urfave/cli/v3"

	"sessc/batch"
	"sessc/config"
	"sessc/report"
)

// sessionsSchema names the version of sessionReport.
const sessionsSchema = "sessc.sessions/1"

// sessionReport is one log that was found, see docs/json.md.
type sessionReport struct {
	Schema   string `json:"schema"`
	Path     string `json:"path"`
	Agent    string `json:"agent"`
	Session  string `json:"session"`
	Model    string `json:"model,omitempty"`
	Size     int64  `json:"bytes"`
	Tokens   int64  `json:"context_tokens"`
	Method   string `json:"method"` // of counting
	Modified int64  `json:"modified_ms"`
	State    string `json:"state"`
	Why      string `json:"why,omitempty"`
	Masks    int    `json:"masks"`
	Rewrites int    `json:"rewrites"`
}

func sessionsCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "sessions", Usage: "list session logs: size, age, whether they are in use",
		UsageText:   "sessc sessions [OPTION]... [PATH]...",
		Description: sessionsHelp,
		Flags: slices.Concat([]ucli.Flag{
			&ucli.BoolFlag{Name: "json", Usage: "print one JSON object per session (docs/json.md)", HideDefault: true},
		}, findFlags(), listFlags(), settingFlags("archive", "tokenizer", "workers", "log_format", "quiet")),
		Action: func(ctx context.Context, c *ucli.Command) error { return p.sessions(ctx, c) },
	}
}

// listFlags are settings that mean something of their own for a list.
func listFlags() []ucli.Flag {
	flags := settingFlags("min_tokens", "min_age")
	for i, doc := range []string{
		"list only sessions whose context has at least `TOKENS`",
		"call a session young that has changed within the time `D` (90s, 10m, 2h, 1d)",
	} {
		f := flags[i].(*ucli.StringFlag)
		_, env, _ := config.Doc([]string{"min_tokens", "min_age"}[i])
		f.Usage = doc + " [$" + env + "]"
	}
	return flags
}

func (p *Process) sessions(ctx context.Context, c *ucli.Command) (err error) {
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	if !c.Args().Present() {
		if err := c.Set("all", "true"); err != nil {
			return err
		}
	}
	targets, known, err := p.find(c, "sessions", batch.Shard{})
	if err != nil {
		return err
	}
	st, err := p.store(cfg, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	out := reporter{p: p, json: c.Bool("json"), quiet: cfg.Quiet}
	p.limitMemory(workers(cfg), targets...)
	var t tally
	var rows []sessionReport
	err = batch.List(ctx, targets, workers(cfg), p.options(cfg, known, st), func(at batch.Target, f *batch.Found, err error) error {
		err = explain(err, at.Named)
		switch {
		case err != nil && len(targets) == 1 && (at.Named || at.Err != nil) && !noSession(err, at.Named):
			return errors.Join(err, out.failure(at, err, kindFailed))
		case err != nil:
			return out.scanFailed(&t, at, err)
		}
		t.same++ // also one that is too small for the list
		if f.Tokens < int64(cfg.MinTokens) {
			return nil
		}
		row := sessionReport{
			Schema: sessionsSchema, Path: f.Path, Agent: f.Agent, Session: f.ID, Model: f.Model, Size: f.Size, Tokens: f.Tokens,
			Method: f.Counting.Method, Modified: f.Modified.UnixMilli(), State: string(f.State), Why: f.Why, Masks: f.Masks, Rewrites: f.Rewrites,
		}
		if out.json {
			return p.line(row)
		}
		row.Path = at.Shown
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		t.stopped = len(targets) - t.all() - t.paths
	}
	if !out.json {
		if err := p.emit([]byte(clean(listed(rows, p.Now(), columns(p.Stdout), p.Getenv("HOME"))))); err != nil {
			return err
		}
	}
	return t.err()
}

// listed is the list for people, on a terminal of so many columns, 0 where
// there is none.
func listed(rows []sessionReport, now time.Time, width int, home string) string {
	var b strings.Builder
	cells := [][]string{{"agent", "session", right("tokens"), right("bytes"), right("age"), "state", right("masks"), "path"}}
	var tokens, bytes int64
	states := map[string]int{}
	for _, r := range rows {
		tokens, bytes = tokens+r.Tokens, bytes+r.Size
		states[r.State]++
		cells = append(cells, []string{
			r.Agent, r.Session, right(comma(r.Tokens)), right(comma(r.Size)), right(age(now.Sub(time.UnixMilli(r.Modified)))), r.State, right(comma(r.Masks)), r.Path,
		})
	}
	if width > 0 {
		cells = squeezed(cells, width, home)
	}
	if len(rows) > 0 {
		table(&b, "", cells)
	}
	fmt.Fprintf(&b, "total: %s", plural(len(rows), "session", "sessions"))
	for _, s := range []batch.State{batch.Cold, batch.Young, batch.Live, batch.Restored, batch.Blocked} {
		if n := states[string(s)]; n > 0 {
			fmt.Fprintf(&b, ", %s %s", comma(n), s)
		}
	}
	fmt.Fprintf(&b, "; %s in context, %s in files\n", plural(tokens, "token", "tokens"), plural(bytes, "byte", "bytes"))
	return b.String()
}

// leastPath is how many columns of a path have to be seen.
const leastPath = 12

// shortID is how much of a session's id stands in a narrow list. It is as much
// as a command line wants of one.
const shortID = 8

// squeezed makes rows of the list fit into a terminal: first their paths are
// cut, then the ids, then the masks and the bytes are left out.
func squeezed(rows [][]string, width int, home string) [][]string {
	const session, size, masks = 1, 3, 6
	for _, without := range []int{-1, session, masks, size} {
		for n := range rows {
			switch {
			case without == session && n > 0:
				rows[n][session] = report.Cut(rows[n][session], shortID+1)
			case without > session:
				rows[n] = slices.Delete(rows[n], without, without+1)
			}
		}
		if widthOf(rows)+leastPath <= width {
			break
		}
	}
	left := max(width-widthOf(rows), leastPath)
	for _, row := range rows[1:] {
		path := &row[len(row)-1]
		*path = narrow(*path, home, left)
	}
	return rows
}

// widthOf is how many columns a table takes before its last one.
func widthOf(rows [][]string) int {
	sum := 0
	for i := range len(rows[0]) - 1 {
		most := 0
		for _, row := range rows {
			most = max(most, uniseg.StringWidth(strings.TrimPrefix(row[i], rightMark)))
		}
		sum += most + 2
	}
	return sum
}

// age is a length of time in its largest unit.
func age(d time.Duration) string {
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if d >= u.of {
			return comma(int64(d/u.of)) + u.name
		}
	}
	return comma(int64(max(d, 0)/time.Second)) + "s"
}
