package cli

import (
	"errors"
	"fmt"
	"strings"

	"sessc/batch"
	"sessc/compress"
	"sessc/session"
	"sessc/writer"
)

// tally counts what became of the sessions of a batch.
type tally struct {
	changed, same   int
	busy, foreign   int // skipped in folders: in use or too young; no session log
	empty           int // of the foreign ones, those that hold nothing at all
	restored        int // skipped in folders: the user restored them
	refused, failed int
	late            int // of the changed ones: another program wrote to the old log meanwhile
	held            int // of a dry run: a real one would refuse or skip them now
	stopped         int // not done because of a signal
	known           int // of the unchanged ones: not read, since they have not changed since an earlier run
	left            int // not done because a bound was reached
	paths           int // that came to nothing: they are no sessions

	context, file compress.Change
	compacted     int
	mixed         bool // not only sub-tasks were asked for
	words         words
	counted       string // how the tokens of the sessions were counted
}

func (t *tally) add(r *compress.Report) {
	if r.Refusal != "" { // what is not done now is no figure to promise
		t.held++
		return
	}
	if r.Changed {
		t.changed++
	} else {
		t.same++
	}
	t.compacted += r.States.Compacted
	t.mixed = t.mixed || !onlyTasks(r)
	t.counted = counted(r)
	t.words.add(r.Prose)
	t.context.Before += r.Context.Before
	t.context.After += r.Context.After
	t.file.Before += r.File.Before
	t.file.After += r.File.After
}

// addKnown counts a session that is as an earlier run left it.
func (t *tally) addKnown(o batch.Outcome) {
	t.same++
	t.known++
	t.context.Before += o.Tokens
	t.context.After += o.Tokens
	t.file.Before += o.Target.Source.Size
	t.file.After += o.Target.Source.Size
}

// fail counts a session that failed, or a path that is none.
func (t *tally) fail(at batch.Target) {
	if at.Err != nil {
		t.paths++
		return
	}
	t.failed++
}

// skip counts a session in a folder that is left alone now.
func (t *tally) skip(err error) {
	var r *compress.Restored
	if errors.As(err, &r) {
		t.restored++
		return
	}
	t.busy++
}

// pass counts a file that is no session log.
func (t *tally) pass(err error) {
	t.foreign++
	if errors.Is(err, session.ErrEmpty) {
		t.empty++
	}
}

// done is how many sessions have a report.
func (t *tally) done() int { return t.changed + t.same }

func (t *tally) all() int {
	return t.done() + t.busy + t.restored + t.foreign + t.held + t.refused + t.failed + t.stopped + t.left
}

// err sums up a batch: failures first, since they need a look.
func (t *tally) err() error {
	var what []string
	if t.failed > 0 {
		what = append(what, fmt.Sprintf("%d failed", t.failed))
	}
	if t.refused > 0 {
		what = append(what, fmt.Sprintf("%d refused", t.refused))
	}
	if t.late > 0 {
		what = append(what, fmt.Sprintf("%d changed while another program wrote to it", t.late))
	}
	if t.stopped > 0 {
		what = append(what, fmt.Sprintf("%d not done because of a signal", t.stopped))
	}
	if len(what) == 0 && t.paths == 0 && t.foreign > 0 && t.foreign == t.all() {
		return errors.New("no session log among these files; name the folder where the agent keeps them")
	}
	var says []string
	if len(what) > 0 {
		says = append(says, fmt.Sprintf("of %s: %s", plural(t.all(), "session", "sessions"), strings.Join(what, ", ")))
	}
	if t.paths > 0 {
		says = append(says, plural(t.paths, "path", "paths")+" came to nothing")
	}
	if len(says) == 0 {
		return nil
	}
	err := errors.New(strings.Join(says, "; "))
	if t.failed+t.late+t.stopped+t.paths == 0 {
		return &kindError{writer.ErrRefused, err}
	}
	return &kindError{ErrBatch, err}
}

// outcome says in words what became of the sessions.
func (t *tally) outcome(dry bool) string {
	changed, same := "changed", "unchanged"
	if dry {
		changed, same = "would change", "would stay as they are"
	}
	if t.known > 0 {
		same += fmt.Sprintf(" (%s of them not read again)", comma(t.known))
	}
	if t.late > 0 {
		changed += fmt.Sprintf(" (%s of them while another program wrote to it)", comma(t.late))
	}
	parts := []string{fmt.Sprintf("%s %s", comma(t.changed), changed), fmt.Sprintf("%s %s", comma(t.same), same)}
	for _, c := range []struct {
		n    int
		what string
	}{
		{t.busy, "skipped as in use, too young or not to be written"}, {t.restored, "skipped as restored by you"}, {t.foreign - t.empty, "skipped as no session log"}, {t.empty, "skipped as empty"},
		{t.held, "would be refused or skipped now"}, {t.refused, "refused"}, {t.failed, "failed"}, {t.stopped, "not done"},
		{t.left, "left for the next run"},
	} {
		if c.n > 0 {
			parts = append(parts, comma(c.n)+" "+c.what)
		}
	}
	said := strings.Join(parts, ", ")
	if t.paths > 0 {
		said += "; " + plural(t.paths, "path", "paths") + " came to nothing"
	}
	return said
}
