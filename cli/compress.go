package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	ucli "github.com/urfave/cli/v3"

	"sessc/archive"
	"sessc/batch"
	"sessc/compress"
	"sessc/config"
	"sessc/lifecycle"
	"sessc/session"
	"sessc/writer"
)

func compressCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "compress", Usage: "replace finished sub-tasks by short records",
		UsageText:   "sessc compress [OPTION]... PATH...",
		Description: compressHelp,
		Flags: slices.Concat([]ucli.Flag{
			&ucli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "report what would be saved, touch nothing", HideDefault: true},
			&ucli.BoolFlag{Name: "show", Usage: "with --dry-run: print every mask below what it would replace", HideDefault: true},
			&ucli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the result to the new file `FILE`, leave the log alone"},
			&ucli.BoolFlag{Name: "json", Usage: "print one JSON object per session (docs/json.md)", HideDefault: true},
		}, findFlags(), batchFlags(), settingFlags("layers", "keep_last", "keep_turns", "keep_calls", "keep_results", "min_saving", "min_tokens", "min_age", "archive", "tokenizer", "spawn_tool",
			"model", "endpoint", "model_concurrency", "model_rate", "max_calls", "max_cost", "timeout", "workers", "log_format", "quiet")),
		Action: func(ctx context.Context, c *ucli.Command) error { return p.compress(ctx, c) },
	}
}

// compressRun is one run of the command over all its sessions.
type compressRun struct {
	p       *Process
	cfg     *config.Config
	formats []session.Format
	options compress.Options
	store   *store
	out     reporter
	tally   tally
	asking  *asking
}

// options are the choices of a run that come from the settings.
func (p *Process) options(cfg *config.Config, known []session.Format, st *store) compress.Options {
	o := compress.Options{
		Formats: known, Settings: session.Settings{SpawnTools: cfg.SpawnTool},
		Layers:     kinds(cfg.Layers),
		Disk:       slices.Contains(cfg.Layers, config.DiskLayer),
		Lifecycles: lifecycle.Options{KeepLast: cfg.KeepLast, KeepTurns: cfg.KeepTurns, KeepCalls: cfg.KeepCalls, KeepResults: cfg.KeepResults},
		MinSaving:  cfg.MinSaving, MinShare: cfg.MinShare, MinTokens: cfg.MinTokens, MinAge: cfg.MinAge,
		// A signal does not close the archive to what is finished in spite of it.
		Archive: func(create bool) (*archive.Archive, error) { return st.get(context.Background(), create) },
		Now:     p.Now, Trace: p.Trace,
	}
	if cfg.Tokenizer != config.Estimate {
		o.Tokenizer = cfg.Tokenizer
	}
	return o
}

func (p *Process) compress(ctx context.Context, c *ucli.Command) (err error) {
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	r := &compressRun{p: p, cfg: cfg}
	r.out = reporter{p: p, json: c.Bool("json"), quiet: cfg.Quiet, dry: c.Bool("dry-run"), show: c.Bool("show")}
	job, err := readBatch(c, p)
	if err != nil {
		return err
	}
	targets, err := r.targets(c, job.shard)
	if err != nil {
		return err
	}
	if r.store, err = p.store(cfg, r.out.dry); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.store.close()) }()
	r.options = p.options(cfg, r.formats, r.store)
	r.options.DryRun = r.out.dry
	r.options.NoOutlook = cfg.Quiet && !r.out.json
	if r.asking, err = p.asking(cfg, r.store, r.out.dry, c.String("output") == ""); err != nil {
		return err
	}
	defer r.asking.done()
	r.options.Author, r.out.engine, r.tally.words.engine = r.asking.author, r.asking.engine, r.asking.engine
	if out := c.String("output"); out != "" {
		if r.options.Output, err = filepath.Abs(out); err != nil {
			return err
		}
		r.out.output = out
	}
	if cfg.Origin("archive").Source == config.FromFlag {
		r.out.archive = cfg.Archive
	}
	if cfg.Origin("min_age").Source == config.FromFlag {
		r.out.minAge = cfg.MinAge.String()
	}
	if len(targets) == 1 && (targets[0].Named || targets[0].Err != nil) {
		return r.single(ctx, targets[0])
	}
	r.out.brief = true
	if !r.out.dry {
		r.options.NoOutlook = true // it would take thrice as long, each night
	}
	return r.batch(ctx, targets, job)
}

// kinds are the lifecycles of the named layers.
func kinds(layers []string) []lifecycle.Kind {
	chosen := []lifecycle.Kind{} // none where only disk weight goes
	for _, k := range lifecycle.Kinds {
		if slices.Contains(layers, k.Layer()) {
			chosen = append(chosen, k)
		}
	}
	return chosen
}

// targets reads the paths and refuses options that contradict each other.
func (r *compressRun) targets(c *ucli.Command, shard batch.Shard) (targets []batch.Target, err error) {
	output := c.String("output")
	switch {
	case r.out.show && !r.out.dry:
		return nil, usage("--show goes with --dry-run")
	case r.out.show && r.out.json:
		return nil, usage("--show and --json exclude each other: the JSON holds every mask")
	case r.out.show && r.cfg.Quiet:
		return nil, usage("--show and --quiet exclude each other")
	case output == "-":
		return nil, usage("--output wants the name of a new file; a copy is checked on disk before it counts")
	case c.IsSet("output") && output == "":
		return nil, usage("--output wants the name of a new file")
	case output != "" && r.out.dry:
		return nil, usage("--output and --dry-run exclude each other: a dry run writes nothing")
	}
	targets, r.formats, err = r.p.find(c, "compress", shard)
	if err != nil || output == "" {
		return targets, err
	}
	if len(targets) != 1 || !targets[0].Named && targets[0].Err == nil {
		return nil, usage("--output takes the copy of one log; name one log")
	}
	if err := newFile(output); err != nil {
		return nil, err
	}
	return targets, nil
}

// newFile refuses a name under which nothing can be written, or something is.
func newFile(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: exists already, nothing was written; name a file that does not exist", path)
	}
	return folderOf(path)
}

// folderOf refuses a name in a folder that is not there.
func folderOf(path string) error {
	dir := filepath.Dir(path)
	if fi, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !fi.IsDir() {
		return fmt.Errorf("%s: there is no folder %s, nothing was written; make it first", path, dir)
	}
	return nil
}

// one compresses one session.
func (r *compressRun) one(ctx context.Context, t batch.Target) (*compress.Report, error) {
	r.p.limitMemory(1, t)
	report, err := batch.Guard(t, func() (*compress.Report, error) { return compress.Run(ctx, t.Real, r.options) })
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && !errors.Is(err, writer.ErrLate) {
		return report, &kindError{err, fmt.Errorf("%s: stopped, nothing was changed", t.Shown)}
	}
	return report, explain(err, t.Named)
}

// explain adds the next step where an error comes from a place that cannot
// know it.
func explain(err error, named bool) error {
	switch {
	case err == nil, errors.Is(err, writer.ErrRefused):
		return err
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; run sessc as the owner", err)
	case named && errors.Is(err, session.ErrUnknown):
		return fmt.Errorf("%w; name a session log of one of these, or a folder of them", err)
	}
	return err
}

// inPlace reports whether an error leaves the new log in place.
func inPlace(err error) bool { return err == nil || errors.Is(err, writer.ErrLate) }

func (r *compressRun) single(ctx context.Context, t batch.Target) error {
	report, err := r.one(ctx, t)
	if report != nil && inPlace(err) {
		if err := r.out.session(t, report); err != nil {
			return err
		}
	}
	if errors.Is(err, session.ErrEmpty) && r.options.Output == "" {
		return r.failed(ctx, t, err)
	}
	if err != nil {
		return errors.Join(err, r.out.failure(t, err, kindOf(err)))
	}
	if report.Changed {
		return r.out.room(ctx, r.store)
	}
	return nil
}

// failed counts and prints what went wrong with a session.
func (r *compressRun) failed(ctx context.Context, t batch.Target, err error) error {
	kind := kindOf(err)
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		r.tally.stopped++
	case errors.Is(err, writer.ErrLate):
		r.tally.late++ // the new log is in place, and counted
	case !t.Named && kind == kindRefused:
		kind = kindSkipped
		r.tally.skip(err)
	case noSession(err, t.Named):
		kind = kindSkipped
		r.tally.pass(err)
	case kind == kindRefused:
		r.tally.refused++
	default:
		r.tally.fail(t)
	}
	if kind != kindSkipped {
		r.p.Complain(err)
	} else if !r.cfg.Quiet {
		r.p.skip(err)
	}
	return r.out.failure(t, err, kind)
}

// noSession reports whether a file is passed over: an empty one holds nothing
// to do; others that are no session log count as mistakes only when named.
func noSession(err error, named bool) bool {
	return errors.Is(err, session.ErrEmpty) ||
		!named && (errors.Is(err, session.ErrUnknown) || errors.Is(err, session.ErrNotSession))
}

// kindOf sorts an error into those of docs/json.md.
func kindOf(err error) string {
	if errors.Is(err, writer.ErrRefused) {
		return kindRefused
	}
	return kindFailed
}

const (
	kindRefused = "refused" // must not be replaced now; nothing was changed
	kindFailed  = "failed"
	kindSkipped = "skipped" // empty; nothing to restore; or, in a folder: in use, too young, no session log
)
