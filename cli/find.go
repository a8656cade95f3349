package cli

import (
	"slices"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v3"

	"sessc/batch"
	"sessc/config"
	"sessc/session"
	"sessc/session/formats"
)

// findFlags are the flags of commands that work on many logs.
func findFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.BoolFlag{Name: "all", Usage: "look in the default folders of every known agent too", HideDefault: true},
		&ucli.StringSliceFlag{Name: "agent", Usage: "only logs of the agent `NAME` (" + strings.Join(session.AllAgents(formats.All), ", ") + "); may be repeated", HideDefault: true},
		&ucli.StringSliceFlag{Name: "include", Usage: "in folders: only logs that match `GLOB`, by name or by the last parts of the path; may be repeated", HideDefault: true},
		&ucli.StringSliceFlag{Name: "exclude", Usage: "in folders: no logs and no folders that match `GLOB`; may be repeated", HideDefault: true},
		&ucli.StringFlag{Name: "newer-than", Usage: "in folders: only logs that changed within the time `D` (90d, 26w)"},
	}
}

// ofAgents are the formats that the named agents write, and the agents whose
// logs count among them: none where all of them do. The name of a format
// stands for all who write it.
func ofAgents(named []string) (wanted []session.Format, only []string, err error) {
	part := false
	for _, name := range named {
		i := slices.IndexFunc(formats.All, func(f session.Format) bool { return slices.Contains(session.Agents(f), name) })
		if i < 0 {
			return nil, nil, usage("--agent: unknown agent %q; known: %s", name, strings.Join(session.AllAgents(formats.All), ", "))
		}
		f := formats.All[i]
		if !slices.ContainsFunc(wanted, func(w session.Format) bool { return w.Name() == f.Name() }) {
			wanted = append(wanted, f)
		}
		if name == f.Name() {
			only = append(only, session.Agents(f)...)
		} else {
			only, part = append(only, name), true
		}
	}
	if !part {
		only = nil
	}
	return wanted, only, nil
}

// find returns the logs that a command line names, and the formats that count
// in this run. what begins the message when it names nothing.
func (p *Process) find(c *ucli.Command, what string, shard batch.Shard) ([]batch.Target, []session.Format, error) {
	paths := c.Args().Slice()
	if len(paths) == 0 && !c.Bool("all") {
		return nil, nil, usage("%s what? name a session log or a folder of them, or give --all; see sessc %s --help", what, what)
	}
	if slices.Contains(paths, "") {
		return nil, nil, usage("a path is empty")
	}
	f := batch.Finder{
		Formats: formats.All, Getenv: p.Getenv,
		Include: c.StringSlice("include"), Exclude: c.StringSlice("exclude"), Shard: shard,
	}
	if only := c.StringSlice("agent"); len(only) > 0 {
		var err error
		if f.Formats, f.Agents, err = ofAgents(only); err != nil {
			return nil, nil, err
		}
	}
	for _, pattern := range slices.Concat(f.Include, f.Exclude) {
		if err := batch.CheckPattern(pattern); pattern == "" || err != nil {
			return nil, nil, usage("--include and --exclude want a pattern such as *.jsonl or main/sessions, not %q", pattern)
		}
	}
	var err error
	if f.Since, err = p.since(c); err != nil {
		return nil, nil, err
	}
	return f.Find(paths, c.Bool("all")), f.Formats, nil
}

// since is the earliest time that counts, zero for any.
func (p *Process) since(c *ucli.Command) (time.Time, error) {
	if !c.IsSet("newer-than") {
		return time.Time{}, nil
	}
	age, err := config.Duration(c.String("newer-than"))
	if err != nil {
		return time.Time{}, usage("--newer-than: %w", err)
	}
	return p.Now().Add(-age), nil
}
