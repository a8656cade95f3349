package cli

import (
	"context"
	"runtime"
	"slices"
	"time"

	ucli "github.com/urfave/cli/v3"

	"sessc/batch"
	"sessc/config"
	"sessc/session"
)

// batchFlags are the flags of compress that only matter with many sessions.
func batchFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.StringFlag{Name: "shard", Usage: "do only part `I/N` of the work, such as 2/5; N alone takes the part from JOB_COMPLETION_INDEX"},
		&ucli.IntFlag{Name: "max-sessions", Usage: "stop after `N` logs, skipped and failed ones aside; the next run goes on with the others", HideDefault: true},
		&ucli.StringFlag{Name: "max-duration", Usage: "begin nothing new after the time `D` (20m, 2h)"},
		&ucli.BoolFlag{Name: "again", Usage: "read logs too that have not changed since an earlier run left them", HideDefault: true},
	}
}

// batchOptions are the choices for a run over many sessions.
type batchOptions struct {
	shard batch.Shard
	most  int       // logs that are done, 0 for no bound
	until time.Time // zero for no bound
	again bool
}

func readBatch(c *ucli.Command, p *Process) (o batchOptions, err error) {
	if s := c.String("shard"); s != "" || c.IsSet("shard") {
		if o.shard, err = batch.ParseShard(s, p.Getenv("JOB_COMPLETION_INDEX")); err != nil {
			return o, usage("--shard: %w", err)
		}
	}
	if o.most = c.Int("max-sessions"); o.most < 0 || c.IsSet("max-sessions") && o.most == 0 {
		return o, usage("--max-sessions: wants a number from 1, not %d", o.most)
	}
	if c.IsSet("max-duration") {
		d, err := config.Duration(c.String("max-duration"))
		if err != nil {
			return o, usage("--max-duration: %w", err)
		}
		o.until = p.Now().Add(d)
	}
	if o.again = c.Bool("again"); o.again && o.most > 0 {
		return o, usage("--again and --max-sessions exclude each other: every run would read the same logs")
	}
	return o, nil
}

// batch compresses sessions, several at once. What fails is printed and
// counted; the rest goes on.
func (r *compressRun) batch(ctx context.Context, targets []batch.Target, o batchOptions) error {
	began := r.p.Now()
	memory, err := r.claim(ctx, targets, o)
	if err != nil {
		return err
	}
	job := batch.Job{
		Targets: targets, Options: r.options, Workers: workers(r.cfg), MaxSessions: o.most, Until: o.until, Memory: memory,
	}
	r.p.limitMemory(job.Workers, targets...)
	r.asking.joins()
	bars := r.p.begin(targets, r.asking, r.out.dry, r.cfg.Quiet)
	job.Done = func(o batch.Outcome) error {
		bars.add(o)
		return r.done(o)
	}
	rest, err := job.Run(ctx)
	bars.stop()
	if err != nil {
		return err
	}
	r.tally.stopped += rest.Stopped
	r.tally.left += rest.Left
	if err := r.out.totals(&r.tally); err != nil {
		return err
	}
	if r.tally.changed > 0 {
		if err := r.out.room(ctx, r.store); err != nil {
			return err
		}
	}
	r.asking.done()
	if !r.cfg.Quiet {
		r.p.summary(&r.tally, r.out.dry, r.p.Now().Sub(began), r.asking.figures())
	}
	return r.tally.err()
}

// workers is how many sessions are worked on at once.
func workers(cfg *config.Config) int {
	if cfg.Workers > 0 {
		return cfg.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// claim claims the archive for this run and recalls what earlier ones left. A
// run that prints every session reads every log, unless it is to go on where
// the one before stopped; one that finds no session log makes no archive.
func (r *compressRun) claim(ctx context.Context, targets []batch.Target, o batchOptions) (*batch.Memory, error) {
	if r.out.dry {
		return nil, nil
	}
	shard := o.shard.String()
	r.store.claim = &shard
	anyLog := slices.ContainsFunc(targets, func(t batch.Target) bool {
		_, err := session.Recognise(t.Real, r.formats)
		return t.Err == nil && err == nil
	})
	arch, err := r.store.get(ctx, anyLog)
	if arch == nil || err != nil {
		return nil, err
	}
	memory, err := batch.Recall(ctx, arch, &r.options, version())
	if err == nil && (o.again || r.out.json && o.most == 0) {
		memory.Forget()
	}
	return memory, err
}

// done counts and prints what became of a session.
func (r *compressRun) done(o batch.Outcome) error {
	if o.Known {
		r.tally.addKnown(o)
		if r.tally.counted == "" {
			r.tally.counted = countedBy(r.options.Tokenizer)
		}
		return nil
	}
	err := explain(o.Err, o.Target.Named)
	if o.Report != nil && inPlace(err) {
		r.tally.add(o.Report)
		if err := r.out.session(o.Target, o.Report); err != nil {
			return err
		}
	}
	if err == nil {
		return nil
	}
	return r.failed(context.Background(), o.Target, err)
}
