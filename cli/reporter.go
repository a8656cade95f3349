package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sessc/batch"
	"sessc/compress"
)

// reporter prints what compress did, as tables or as JSON.
type reporter struct {
	p       *Process
	json    bool
	quiet   bool
	dry     bool
	show    bool
	brief   bool    // one line for a session that stays as it is
	output  string  // the copy that is written, "" in place
	archive string  // what an undo has to name, "" for the archive of the settings
	engine  *engine // the model that writes words, nil for none
	minAge  string  // the quiet period that an undo has to name, "" for that of the settings
}

// errorObject is a session that came to nothing, see docs/json.md.
type errorObject struct {
	Schema string `json:"schema"`
	Path   string `json:"path"`
	Error  string `json:"error"`
	Kind   string `json:"kind"`
}

// errorSchema names the version of errorObject.
const errorSchema = "sessc.error/1"

// line writes v as one line of JSON. HTML is not escaped: masks hold "<".
func (p *Process) line(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return unwritten(err)
	}
	return p.emit(b.Bytes())
}

// session prints the report on one session.
func (r *reporter) session(t batch.Target, rep *compress.Report) error {
	undo := r.undo(t, rep)
	switch {
	case r.json:
		if undo != "" && !r.quiet {
			r.p.talk("%s", undo)
		}
		return r.p.line(rep)
	case r.quiet:
		return nil
	}
	var b strings.Builder
	if r.brief && !rep.Changed {
		fmt.Fprintf(&b, "%s\n  %s, %s; %s\n", t.Shown, plural(rep.Context.Before, "context token", "context tokens"), counted(rep), whyUnchanged(rep, r.dry))
		return r.p.emit([]byte(clean(b.String())))
	}
	describe(&b, t.Shown, rep, r.dry)
	by := words{engine: r.engine, whole: !r.brief}
	by.add(rep.Prose)
	by.write(&b, r.dry)
	if r.show {
		showMasks(&b, rep)
	}
	if r.output != "" {
		fmt.Fprintf(&b, "  written to %s; %s stays as it is\n", r.output, t.Shown)
	}
	if undo != "" {
		fmt.Fprintln(&b, undo)
	}
	if rep.Refusal != "" {
		at := ""
		if r.brief {
			at = t.Shown + ": "
		}
		r.p.talk("note: a real run would be refused now: %s", clean(at+rep.Refusal))
	}
	if err := r.p.emit([]byte(clean(b.String()))); err != nil {
		if undo != "" {
			return fmt.Errorf("%w; the log was rewritten, %s", err, undo)
		}
		return err
	}
	return nil
}

// undo is the line that says how to get the original back, "" when the log was
// not replaced.
func (r *reporter) undo(t batch.Target, rep *compress.Report) string {
	if !rep.Changed || r.dry || r.output != "" {
		return ""
	}
	line := "undo: sessc restore "
	if r.archive != "" {
		line += "--archive " + quote(r.archive) + " "
	}
	if r.minAge != "" {
		line += "--min-age " + r.minAge + " "
	}
	return line + quote(t.Shown)
}

// failure prints a session without a report as JSON. Its text for people goes
// to stderr elsewhere, once.
func (r *reporter) failure(t batch.Target, err error, kind string) error {
	if !r.json {
		return nil
	}
	path := t.Real
	if path == "" {
		path = t.Shown
	}
	return r.p.line(errorObject{Schema: errorSchema, Path: path, Error: err.Error(), Kind: kind})
}

// totals prints the sums over a batch.
func (r *reporter) totals(t *tally) error {
	if r.json || r.quiet {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "total: %s: %s\n", plural(t.all(), "session", "sessions"), t.outcome(r.dry))
	if t.done() > 0 {
		table(&b, "  ", [][]string{
			{"", right("before"), right("after"), right("saved"), right("")},
			amounts("context tokens", t.context, t.counted),
			amounts("file bytes", t.file, ""),
		})
		called := noun("tasks")
		if t.mixed {
			called = mixed
		}
		fmt.Fprintf(&b, "  %s compacted\n", plural(t.compacted, called[0], called[1]))
		t.words.write(&b, r.dry)
	}
	return r.p.emit([]byte(clean(b.String())))
}

// room prints what the archive takes on disk: a log that shrank is only a part
// of the bill.
func (r *reporter) room(ctx context.Context, s *store) error {
	if r.json || r.quiet || s.open == nil {
		return nil
	}
	st, err := s.open.Status(context.WithoutCancel(ctx)) // a signal stops new work, not the account of what was done
	if err != nil {
		return err
	}
	return r.p.emit(fmt.Appendf(nil, "archive: %s bytes on disk in %s\n", comma(st.Disk()), clean(s.dir)))
}
