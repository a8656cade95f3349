// Package restore brings one session back to what it was: it undoes sessc's
// rewrites of a log, newest first, and keeps what the agent appended since.
//
// A rewrite is found by the masks in the log and by the log's content, never
// by its path, so that a moved, copied or forked log comes back too. It never
// changes the archive but for settling what a killed run left open, never
// guesses the content of a mask that somebody altered, and knows no format.
package restore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"sessc/archive"
	"sessc/session"
	"sessc/writer"
)

// Schema names the version of the report's JSON form.
const Schema = "sessc.restore/1"

// ErrNothing is wrapped by the error for a log in which there is nothing to
// undo: no mask that belongs to it stands there. The log was not touched, and
// is what it should be.
var ErrNothing = errors.New("nothing to restore")

// Options are the choices for one run.
type Options struct {
	Formats  []session.Format
	Settings session.Settings
	// Archive opens the archive; with create false, which is all that a
	// restore asks for, it returns nil when there is none yet.
	Archive func(create bool) (*archive.Archive, error)
	// Generation N brings the log back to what it was before its rewrite N,
	// counted from 1, the oldest: the number that its masks carry. 0 undoes
	// all of them.
	Generation int
	Output     string        // write a copy here, leave the log alone
	MinAge     time.Duration // quiet period of a log that is replaced
	Now        func() time.Time
	Trace      func(step string) // is told each step before it is taken, nil for none
}

// Case says how well a log could be brought back.
type Case string

const (
	// Exact: the log began with the bytes that sessc wrote, and begins with
	// the original ones now. What was appended follows.
	Exact Case = "exact"
	// Realigned: another program had rewritten lines. All that was removed is
	// back in its place, and the other program's changes stay.
	Realigned Case = "realigned"
	// Partial: some masks stay as they are and the rest is back. What they
	// stand for was deleted by forget; or they had been altered, and then only
	// a copy (Options.Output) is written.
	Partial Case = "partial"
)

// Report says what one run did. Byte figures are sizes of the log.
type Report struct {
	Schema      string  `json:"schema"`
	Path        string  `json:"path"`
	Session     string  `json:"session"`
	Output      string  `json:"output,omitempty"`
	Case        Case    `json:"case"`
	Generations []int64 `json:"generations"` // numbers in the archive, in the order in which they were undone
	Before      int64   `json:"bytes_before"`
	After       int64   `json:"bytes_after"`
	// Identical: all bytes that sessc had removed or changed are back, by the
	// recorded SHA-256, and all that was appended since is as it was.
	Identical bool `json:"identical"`
	// Repointed are the corrections to appended lines that named a mask.
	Repointed []string `json:"repointed,omitempty"`
	// Foreign are the lines that another program had changed, added or
	// removed, and the masks that were left alone because of it. Line numbers
	// are those of the log before the run.
	Foreign []string `json:"foreign,omitempty"`
	// Forgotten are the refs of masks whose content was deleted by forget.
	// They stay, together with masks that are woven into the same piece.
	Forgotten []string `json:"forgotten,omitempty"`
	// Unnoted says why the archive could not note that the log was restored: a
	// run of compress over folders will take it for any other log.
	Unnoted string `json:"unnoted,omitempty"`
	// Masks are the refs of all masks that stand in the log still: forgotten
	// and altered ones, those of rewrites that were not asked for or that this
	// archive does not hold, and copies from other logs.
	Masks []string `json:"masks_left,omitempty"`
}

// Run restores one session. On an error the log is as it was, unless the
// error says otherwise. Refusals wrap [writer.ErrRefused]: a log that must not
// be replaced now, or one with altered masks. [ErrNothing] says that there is
// nothing to undo; [archive.ErrNotFound] and [archive.ErrForgotten], that what
// the masks stand for is not there.
func Run(ctx context.Context, path string, o Options) (*Report, error) {
	o.Settings.NoEvents, o.Settings.NoTokens = true, true
	if o.Output == "" {
		writer.Sweep(path)
	}
	s, err := session.Open(path, o.Formats, o.Settings)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if o.Output == "" {
		if err := writer.Ready(s, o.MinAge, o.Now()); err != nil {
			return nil, err
		}
		writer.SweepLock(s)
	}
	if n := s.Generation(); o.Generation < 0 || n > 0 && o.Generation > n {
		return nil, fmt.Errorf("%s: there is no rewrite %d: the log went through %d; name one of 1 to %d", s.Path, o.Generation, n, n)
	}
	w, err := begin(ctx, s, &o)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.undo(ctx); err != nil {
		return nil, advise(err)
	}
	o.trace("stage")
	staged, err := w.stage(ctx)
	if err != nil {
		return nil, err
	}
	defer staged.Discard()
	report := w.report(staged)
	err = staged.Commit(ctx, writer.CommitTerms{
		MinAge: o.MinAge, Now: o.Now, Set: o.Settings,
		Settle: func(bool) error { return nil },
		KeepLate: func(b []byte) error {
			err := w.arch.KeepLate(context.WithoutCancel(ctx), w.undone[0].ID, o.Now().UnixMilli(), b)
			if err == nil {
				return nil
			}
			return keepBeside(s.Path+".sessc-late", b, err)
		},
	})
	if o.Output == "" && (err == nil || errors.Is(err, writer.ErrLate)) {
		report.Unnoted = w.note(ctx)
	}
	return report, err
}

// note has the archive remember that the user wants the log as it is now, and
// says why it cannot. That is no failure: the log is back.
func (w *way) note(ctx context.Context) string {
	w.o.trace("note")
	var undone []int64 // none is all: those of copies of the log, too
	if w.o.Generation > 1 {
		for _, g := range w.undone {
			undone = append(undone, g.ID)
		}
	}
	err := w.arch.NoteRestored(context.WithoutCancel(ctx), w.s.Name(), w.s.Format.Name(), w.s.Path, w.o.Now(), undone...)
	if err != nil {
		return err.Error()
	}
	return ""
}

// keepBeside saves late bytes in a new file beside the log, since nothing else
// has them and the archive, which a restore may only be able to read, cannot
// take them. The name is none that an agent takes for a log.
func keepBeside(path string, b []byte, why error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.Join(why, err)
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(why, err)
	}
	return fmt.Errorf("they stand in %s instead: %w", path, why)
}

// advise adds what can be done when a pack is damaged: where it is a part of it,
// the whole log cannot be put together, but the other parts are read on their own.
func advise(err error) error {
	const advice = "the log was left as it is: bring the pack back from a backup and run sessc restore again"
	switch {
	case errors.Is(err, archive.ErrFrame):
		return fmt.Errorf("%w; %s; until then sessc expand REF shows each mask whose bytes are sound", err, advice)
	case errors.Is(err, archive.ErrPack):
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}

// begin opens the archive and settles what killed runs left open in it.
func begin(ctx context.Context, s *session.Session, o *Options) (*way, error) {
	o.trace("open archive")
	arch, err := o.Archive(false)
	if err != nil {
		return nil, err
	}
	if marks := marksIn(s); arch == nil && len(marks) > 0 {
		return nil, unknown(s.Path, len(marks))
	}
	if arch == nil {
		return nil, fmt.Errorf("%s: %w: no mask of sessc stands in it", s.Path, ErrNothing)
	}
	o.trace("settle pending")
	if _, err := arch.SettlePending(ctx, writer.Peek); err != nil {
		return nil, err
	}
	return &way{
		o: o, s: s, name: s.Name(), arch: arch, kind: Exact, tried: map[int64]bool{}, forgotten: map[string]bool{},
		now: state{r: s, size: s.Size, index: s},
	}, nil
}

func (w *way) report(st *writer.Staged) *Report {
	r := &Report{
		Schema: Schema, Path: w.s.Path, Session: w.name, Output: w.o.Output, Case: w.kind,
		Before: w.s.Size, After: w.now.size, Identical: w.kind == Exact && len(w.repointed) == 0,
		Repointed: w.repointed, Foreign: once(w.foreign),
	}
	for _, g := range w.undone {
		r.Generations = append(r.Generations, g.ID)
	}
	for ref := range marksIn(st.After) {
		r.Masks = append(r.Masks, ref)
		if w.forgotten[ref] {
			r.Forgotten = append(r.Forgotten, ref)
		}
	}
	slices.Sort(r.Masks)
	slices.Sort(r.Forgotten)
	if len(r.Forgotten) > 0 {
		r.Case, r.Identical = Partial, false
	}
	return r
}

func (o *Options) trace(step string) {
	if o.Trace != nil {
		o.Trace(step)
	}
}

// once drops what a list says again: a line with two masks in it, or one that
// stood in the way of several rewrites, is told of once.
func once(all []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(line string) bool {
		again := seen[line]
		seen[line] = true
		return again
	})
}
