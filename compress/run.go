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
	"sessc/mask"
	"sessc/scan"
	"sessc/session"
	"sessc/summarize"
	"sessc/writer"
)

// Options are the choices for one run. The zero value of a function field
// means the obvious thing.
type Options struct {
	Formats    []session.Format
	Settings   session.Settings
	Lifecycles lifecycle.Options

	DryRun    bool          // stage into a counter: no file, no lock, no archive entry
	Output    string        // write a copy here, leave the log alone
	MinSaving int           // least saving of a session, in uncalibrated context tokens
	MinAge    time.Duration // quiet period of a log that is replaced
	Tokenizer string        // "" estimates, "o200k" counts
	// Author has a model write the words of records; nil leaves them to code.
	Author *summarize.Author

	// Archive opens the archive; with create false it returns nil when there
	// is none yet.
	Archive func(create bool) (*archive.Archive, error)
	Now     func() time.Time
	Trace   func(step string) // is told each step before it is taken
}

// Run compresses one session. It returns a report also when nothing was
// changed; on an error the log is as it was, unless the error says otherwise.
// Refusals wrap [writer.ErrRefused].
func Run(ctx context.Context, path string, o Options) (*Report, error) {
	set := o.Settings
	set.NoHash = o.DryRun
	if o.inPlace() {
		writer.Sweep(path)
	}
	s, err := session.Open(path, o.Formats, set)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := o.ready(s); err != nil {
		return nil, err
	}
	found := scan.Find(s)
	sel := lifecycle.Select(s, found, o.Lifecycles)
	records, err := summarize.Records(ctx, s, found, &sel)
	if err != nil {
		return nil, err
	}
	if err := weigh(s, found, &sel, records); err != nil {
		return nil, err
	}
	told, err := o.retell(ctx, s, found, &sel, records)
	if err != nil {
		return nil, err
	}
	count, err := o.counting(ctx, s)
	if err != nil {
		return nil, err
	}
	plan, err := planned(s, found, &sel, records, count)
	if err != nil {
		return nil, err
	}
	levels := levelsOf(&sel, told)
	account, err := newAccount(s, plan, found, &sel, records, count, o.Now())
	if err != nil {
		return nil, err
	}
	staged, err := writer.Stage(s, plan, set)
	if err != nil {
		return nil, err
	}
	defer staged.Discard()
	if saved := account.tokens - staged.After.Tokens(); !plan.Empty() && saved < o.MinSaving {
		return account.same, o.unchanged(ctx, s, set)
	}
	report, err := account.settle(staged, count)
	if err == nil {
		o.credit(report, levels, told)
	}
	if err == nil && o.DryRun {
		report.Refusal = refusal(writer.Ready(s, o.MinAge, o.Now()))
	}
	if err != nil || o.DryRun || plan.Empty() && o.Output == "" {
		return report, err
	}
	if err := staged.Write(ctx, writer.Target{Output: o.Output, Trace: o.Trace}); err != nil {
		return nil, err
	}
	if plan.Empty() {
		return report, staged.Publish()
	}
	complete(account.generation, staged, count)
	return report, o.replace(ctx, staged, account.generation)
}

// weigh drops what would not pay: masks that are more than half of what they
// replace.
func weigh(s *session.Session, found []lifecycle.Lifecycle, sel *lifecycle.Selection, records map[int]mask.Record) error {
	var failed error
	sel.Weigh(s, func(w *lifecycle.Wave) (masks, stays int) {
		for _, n := range w.Lifecycles {
			rest, err := summarize.Stays(s, &found[n])
			failed = errors.Join(failed, err)
			stays += rest
		}
		return summarize.Cost(w, s, found, records), stays
	})
	return failed
}

// planned asks the format for a plan, without what it cannot plan.
func planned(s *session.Session, found []lifecycle.Lifecycle, sel *lifecycle.Selection, records map[int]mask.Record, count *counting) (*session.Plan, error) {
	for {
		plan, err := s.Format.Plan(s, summarize.Pieces(s, found, sel, records), count.terms(s))
		var unfit *session.Unfit
		if !errors.As(err, &unfit) || !sel.DropMember(unfit.Member, lifecycle.NoShape) {
			return plan, err
		}
	}
}

// refusal is what a refusal says without its path, "" for none.
func refusal(err error) string {
	var r *writer.Refusal
	if !errors.As(err, &r) {
		return ""
	}
	return r.Why + "; " + r.Hint
}

// inPlace reports whether the log itself may be replaced.
func (o *Options) inPlace() bool { return !o.DryRun && o.Output == "" }

// ready refuses a log that must not be replaced now, before any work is done.
func (o *Options) ready(s *session.Session) error {
	if !o.inPlace() {
		return nil
	}
	if err := writer.Ready(s, o.MinAge, o.Now()); err != nil {
		return err
	}
	writer.SweepLock(s)
	return nil
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
