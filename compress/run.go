// Package compress is the straight line: it takes one session from its log to
// its rewritten log, one stage after the other, and returns a report. It knows
// no terminal, no flags and no format.
package compress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"sessc/archive"
	"sessc/lifecycle"
	"sessc/session"
	"sessc/summarize"
	"sessc/writer"
)

// Options are the choices for one run. The zero value of a function field
// means the obvious thing.
type Options struct {
	Formats    []session.Format
	Settings   session.Settings
	Layers     []lifecycle.Kind // what is compacted; nil means tasks
	Disk       bool             // take out what no client reads again, too
	Lifecycles lifecycle.Options

	DryRun    bool          // stage into a counter: no file, no lock, no archive entry
	Output    string        // write a copy here, leave the log alone
	MinSaving int           // least saving of a session, in uncalibrated context tokens
	MinShare  int           // least saving of a session, in percent of its context
	MinTokens int           // least context of a session, in uncalibrated context tokens
	MinAge    time.Duration // quiet period of a log that is replaced
	Tokenizer string        // "" estimates, "o200k" counts
	Swept     bool          // the caller knows that no killed run left a file beside the log
	// Running spares a run over many logs to list the machine's programs for each
	// of them, before any work is done; what is rewritten is looked at anew.
	Running *session.Processes
	// LeaveRestored refuses a log that the user restored: for those that he did
	// not name.
	LeaveRestored bool
	// NoOutlook leaves out what the layers that were not asked for would save:
	// for those who print no report.
	NoOutlook bool
	// Author has a model write the words of records; nil leaves them to code.
	Author *summarize.Author

	// Archive opens the archive; with create false it returns nil when there
	// is none yet.
	Archive func(create bool) (*archive.Archive, error)
	Now     func() time.Time
	Trace   func(step string) // is told each step before it is taken

	from func(path string, set session.Settings) (*session.Session, error) // see open
}

// Run compresses one session. It returns a report also when nothing was
// changed; on an error the log is as it was, unless the error says otherwise.
// Refusals wrap [writer.ErrRefused].
func Run(ctx context.Context, path string, o Options) (*Report, error) {
	set := o.Settings
	set.NoHash = o.DryRun
	if o.inPlace() && !o.Swept {
		writer.Sweep(path)
	}
	s, err := o.open(path, set)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := o.ready(ctx, s); err != nil {
		return nil, err
	}
	c, err := o.choose(ctx, s)
	if err != nil {
		return nil, err
	}
	told, err := o.retell(ctx, s, c)
	if err != nil {
		return nil, err
	}
	count, err := o.newCounting(ctx, s)
	if err != nil {
		return nil, err
	}
	plan, err := o.plan(s, c, count)
	if err != nil {
		return nil, err
	}
	masks := len(c.sel.Waves) > 0
	levels := levelsOf(c, told)
	account, err := o.newAccount(ctx, s, plan, c, count)
	if err != nil {
		return nil, err
	}
	if err := s.Unread(); err != nil {
		return nil, err // not what the log is like
	}
	staged, err := writer.Stage(s, plan, set)
	if err != nil {
		return nil, err
	}
	defer staged.Discard()
	little := masks && o.tooLittle(account.tokens, staged.After.Tokens())
	report, err := account.settle(staged, count, little)
	if err != nil {
		return nil, err
	}
	o.foresee(report, account, staged, count)
	if little {
		return report, o.unchanged(ctx, s, set)
	}
	o.credit(report, levels, told)
	if o.DryRun || plan.Empty() && o.Output == "" {
		return report, nil
	}
	if err := staged.Write(ctx, writer.Target{Output: o.Output, Trace: o.Trace}); err != nil {
		return nil, err
	}
	if plan.Empty() {
		return report, staged.Publish()
	}
	complete(account.generation, staged, count, report.Context)
	return report, o.replace(ctx, staged, account.generation)
}

// plan is what will be done to a log. Where disk weight goes too, whether the
// masks pay is asked first: what no client reads goes also where they do not,
// since it is no part of what a provider caches.
func (o *Options) plan(s *session.Session, c *choice, count *counting) (*session.Plan, error) {
	terms := count.terms(s)
	if !o.Disk || !s.Format.Caps().Disk {
		return c.plan(s, terms)
	}
	if len(c.sel.Waves) > 0 {
		after, err := c.outcome(s, count, o.Settings)
		if err != nil {
			return nil, err
		}
		if o.tooLittle(s.Tokens(), after.Tokens()) {
			c.sel.DropAll(lifecycle.SavesTooLittle)
		}
	}
	terms.Disk = true
	plan, err := c.plan(s, terms)
	if err == nil && len(c.sel.Waves) == 0 && diskWeight(s, plan).Bytes < leastWeight {
		return &session.Plan{Files: []string{s.Path}, Notes: plan.Notes}, nil
	}
	return plan, err
}

// leastWeight is how many bytes of disk weight are worth a rewrite by
// themselves.
const leastWeight = 4096

// plan asks the format for a plan, without what it cannot plan.
func (c *choice) plan(s *session.Session, terms session.PlanTerms) (*session.Plan, error) {
	for {
		plan, err := s.Format.Plan(s, summarize.Pieces(s, c.found, &c.sel, c.records), terms)
		var unfit *session.Unfit
		if !errors.As(err, &unfit) {
			return plan, err
		}
		members := map[int32]bool{unfit.Member: true}
		for _, i := range unfit.Also {
			members[i] = true
		}
		if !c.sel.DropMembers(members, lifecycle.NoShape) {
			return plan, err
		}
	}
}

// tooLittle reports whether a rewrite from one context to another, in
// uncalibrated tokens, is not worth it.
func (o *Options) tooLittle(before, after int) bool {
	saved := before - after
	return saved < o.MinSaving || 100*saved < o.MinShare*before
}

// refusal is what a refusal says without its path, "" for none. Other errors
// are returned.
func refusal(err error) (string, error) {
	var r *writer.Refusal
	if !errors.As(err, &r) {
		return "", err
	}
	return r.Why + "; " + r.Hint, nil
}

// inPlace reports whether the log itself may be replaced.
func (o *Options) inPlace() bool { return !o.DryRun && o.Output == "" }

// open opens the log, from another place than the disk where a test says so.
func (o *Options) open(path string, set session.Settings) (*session.Session, error) {
	if o.from != nil {
		return o.from(path, set)
	}
	return session.Open(path, o.Formats, set)
}

// ready refuses a log that must not be replaced now, before any work is done.
func (o *Options) ready(ctx context.Context, s *session.Session) error {
	if !o.inPlace() {
		return nil
	}
	if err := o.atRest(ctx, s); err != nil {
		return err
	}
	writer.SweepLock(s)
	return nil
}

// atRest refuses a log that its user wants as it is, or that is not at rest.
func (o *Options) atRest(ctx context.Context, s *session.Session) error {
	if o.LeaveRestored {
		if err := o.RestoredByUser(ctx, s); err != nil {
			return err
		}
	}
	return writer.ReadyAmong(s, o.MinAge, o.Now(), o.Running)
}

// unchanged leaves a session as it is although something could have been
// compacted. With --output the copy is exact.
func (o *Options) unchanged(ctx context.Context, s *session.Session, set session.Settings) error {
	if o.DryRun || o.Output == "" {
		return nil
	}
	staged, err := writer.Stage(s, &session.Plan{Files: []string{s.Path}}, set)
	if err != nil {
		return err
	}
	defer staged.Discard()
	if err := staged.Write(ctx, writer.Target{Output: o.Output, Trace: o.Trace}); err != nil {
		return err
	}
	return staged.Publish()
}

// replace stores what leaves the log, proves that the way back works, and only
// then puts the new log in place.
func (o *Options) replace(ctx context.Context, staged *writer.Staged, g *archive.Generation) error {
	arch, err := o.Archive(true)
	if err != nil {
		return err
	}
	o.trace("archive")
	pending, err := arch.Put(ctx, g, archive.Source{
		Read: func(_ int, off, n int64) ([]byte, error) {
			b := make([]byte, n)
			_, err := staged.Before.ReadAt(b, off)
			return b, err
		},
		Text: func(i int) (string, error) { return indexText(staged.Before, g.Entries[i].Old) },
	})
	if err != nil {
		return fmt.Errorf("%s: archive; nothing was changed: %w", staged.Before.Path, err)
	}
	o.trace("prove restore")
	if err := o.prove(ctx, arch, pending.ID, staged); err != nil {
		return errors.Join(err, pending.Settle(ctx, false))
	}
	return staged.Commit(ctx, writer.CommitTerms{
		MinAge: o.MinAge, Now: o.Now, Set: o.Settings,
		Settle: func(applied bool) error { return pending.Settle(ctx, applied) },
		KeepLate: func(b []byte) error {
			return arch.KeepLate(context.WithoutCancel(ctx), pending.ID, o.Now().UnixMilli(), b)
		},
	})
}

// prove puts the original together again from the staged file and the
// archive, and compares its hash.
func (o *Options) prove(ctx context.Context, arch *archive.Archive, id int64, staged *writer.Staged) error {
	f, err := staged.Open()
	if err != nil {
		return fmt.Errorf("%s: prove restore; nothing was changed: %w", staged.Before.Path, err)
	}
	defer f.Close()
	if err := arch.Original(ctx, id, 0, f, staged.New.Size(), io.Discard); err != nil {
		return fmt.Errorf("%s: prove restore; nothing was changed: %w", staged.Before.Path, err)
	}
	return nil
}

func (o *Options) trace(step string) {
	if o.Trace != nil {
		o.Trace(step)
	}
}
