package batch

import (
	"context"
	"errors"
	"time"

	"sessc/compress"
	"sessc/session"
	"sessc/writer"
)

// State says whether a log could be rewritten now.
type State string

const (
	Cold    State = "cold"    // it could
	Live    State = "live"    // a program works with it
	Young   State = "young"   // it changed within the quiet period
	Blocked State = "blocked" // something else forbids it
	// Restored: its user restored it; only a run that names it rewrites it.
	Restored State = "restored"
)

// Found is what a look at a log tells without any of its sub-tasks.
type Found struct {
	Agent, ID, Model string
	Path             string
	Size             int64 // bytes
	Tokens           int64 // of its context, as [compress.Report] counts them
	Counting         compress.Counting
	Modified         time.Time
	State            State
	Why              string // it is not cold
	Masks            int    // sub-tasks that masks stand for in it
	Rewrites         int    // that left them
}

// List looks at logs, several at once, and tells done of each in their order.
// When ctx is cancelled, no more are looked at.
// The error given to done is that of one log; one that done returns ends the
// list.
func List(ctx context.Context, targets []Target, workers int, o compress.Options, done func(Target, *Found, error) error) error {
	more := func() bool { return ctx.Err() == nil }
	calm := context.WithoutCancel(ctx) // what is begun has not failed
	o.Running = &session.Processes{}
	_, err := inOrder(len(targets), workers, more, func(i int) (*Found, error) {
		return Guard(targets[i], func() (*Found, error) { return peek(calm, targets[i].Real, o) })
	}, func(i int, f *Found, err error) error { return done(targets[i], f, err) })
	return err
}

func peek(ctx context.Context, path string, o compress.Options) (*Found, error) {
	set := o.Settings
	set.NoHash, set.NoEvents = true, true
	s, err := session.Open(path, o.Formats, set)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	size, counting, err := compress.Measure(ctx, s, o)
	if err != nil {
		return nil, err
	}
	f := &Found{
		Agent: s.AgentName(), ID: s.Name(), Model: s.Model, Path: s.Path, Size: s.Size,
		Tokens: int64(size.Total()), Counting: counting, Modified: s.Source.Modified, Rewrites: s.Generation(),
	}
	refs := map[string]bool{}
	for i := range s.Entries {
		if m, ok := s.Mark(int32(i)); ok {
			refs[m.Ref] = true
		}
	}
	f.Masks = len(refs)
	var kept *compress.Restored
	switch err := o.RestoredByUser(ctx, s); {
	case errors.As(err, &kept):
		f.State, f.Why = Restored, kept.Why
	case err != nil:
		return nil, err
	default:
		f.State, f.Why = state(s, &o)
	}
	return f, nil
}

// state asks the writer, which decides, and sorts its answer.
func state(s *session.Session, o *compress.Options) (State, string) {
	minAge, now := o.MinAge, o.Now()
	var r *writer.Refusal
	switch {
	case !errors.As(writer.ReadyAmong(s, minAge, now, o.Running), &r):
		return Cold, ""
	case r.InUse():
		return Live, r.Why
	case minAge > 0 && now.Sub(s.Source.Modified) < minAge:
		if live := s.Format.Live(s, o.Running); live != "" {
			return Live, live
		}
		return Young, r.Why
	}
	return Blocked, r.Why
}
