package batch

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"sessc/compress"
	"sessc/session"
	"sessc/writer"
)

// Job is one run over many sessions.
type Job struct {
	Targets []Target
	Options compress.Options
	Workers int // how many sessions at once, at least 1
	// MaxSessions is how many logs are done at most, 0 for no bound: compressed,
	// or found to hold nothing to do. Others do not count, since no later run
	// knows them, and those at the front would be in the way of the rest for
	// ever; for the same reason nothing that is known is read again, even when
	// it was named.
	MaxSessions int
	// Until is when nothing new is begun any more, zero for no bound.
	Until time.Time
	// Memory, if set, spares the reading of logs that have not changed.
	Memory *Memory
	// Done is told what became of a session, one at a time: first all that
	// are known, then the others, in the order of Targets. An error ends the
	// run.
	Done func(Outcome) error
}

// Outcome is what became of one session.
type Outcome struct {
	Target Target
	Report *compress.Report // nil with most errors, and when it is known
	Err    error
	Known  bool  // it has not changed since a run that left nothing to do
	Tokens int64 // of a known one's context
}

// done reports whether a run has had its way with a log that it read. One that
// a dry run would be refused is left for later.
func done(r *compress.Report, err error) bool {
	return r != nil && r.Refusal == "" && (err == nil || errors.Is(err, writer.ErrLate))
}

// Rest counts sessions that a run did not come to.
type Rest struct {
	Stopped int // the context was cancelled
	Left    int // a bound was reached
}

// Run works through the targets. A session's failure, a panic included, is an
// outcome and stops nothing. When ctx is cancelled, or a bound is reached, the
// sessions in work are finished and no others begun.
func (j *Job) Run(ctx context.Context) (Rest, error) {
	var changed []Target
	for _, t := range j.Targets {
		tokens, known := j.Memory.knows(t, j.MaxSessions > 0)
		if !known {
			changed = append(changed, t)
			continue
		}
		if err := j.Done(Outcome{Target: t, Known: true, Tokens: tokens}); err != nil {
			return Rest{}, err
		}
	}
	bound := newQuota(j.MaxSessions)
	more := func() bool {
		return bound.take() && ctx.Err() == nil && (j.Until.IsZero() || j.Options.Now().Before(j.Until))
	}
	// What is begun is finished: half of a session's work is of no use.
	calm := context.WithoutCancel(ctx)
	swept, running := sweptFolders(changed, j.Options), &session.Processes{}
	begun, err := inOrder(len(changed), max(1, j.Workers), more, func(i int) (r *compress.Report, err error) {
		defer func() { bound.give(done(r, err)) }()
		o := j.Options
		o.Swept, o.LeaveRestored, o.Running = swept[filepath.Dir(changed[i].Real)], !changed[i].Named, running
		return Guard(changed[i], func() (*compress.Report, error) { return compress.Run(calm, changed[i].Real, o) })
	}, func(i int, r *compress.Report, err error) error {
		if err := j.Done(Outcome{Target: changed[i], Report: r, Err: err}); err != nil {
			return err
		}
		if err != nil {
			return nil
		}
		return j.Memory.learn(calm, changed[i], r)
	})
	rest := Rest{Left: len(changed) - begun}
	if ctx.Err() != nil {
		rest = Rest{Stopped: len(changed) - begun}
	}
	return rest, errors.Join(err, j.Memory.close(calm))
}

// sweptFolders are those in which no killed run left a file. A folder is read
// once, not once for each of the thousands of logs in it.
func sweptFolders(targets []Target, o compress.Options) map[string]bool {
	swept := map[string]bool{}
	if o.DryRun || o.Output != "" {
		return swept
	}
	for _, t := range targets {
		dir := filepath.Dir(t.Real)
		if _, seen := swept[dir]; !seen && t.Err == nil {
			swept[dir] = !writer.Leftovers(dir)
		}
	}
	return swept
}
