package properties_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/restore"
	"sessc/session"
)

// outcome is what one attacked log became.
type outcome struct {
	refused bool
	rep     *compress.Report
	before  []byte
	after   []byte
	was     seen
	now     seen
	touched map[int]bool // lines of before that masks replaced, from 0
}

// depth is how much is done to one log.
type depth bool

const (
	// quick leaves out what takes further runs that write.
	quick    depth = false
	thorough depth = true
)

// examine runs the line on a log and holds it to every promise that can be
// judged from the files.
func (d *desk) examine(how depth) *outcome {
	d.tb.Helper()
	o := &outcome{before: d.sp.data}
	s, err := d.read()
	if err != nil {
		o.refused = true
		d.refused(err)
		return o
	}
	defer s.Close()
	if d.sp.refused {
		d.wrong("it was read, but is no session log of this version")
	}
	d.identity(s)
	beside := d.names()

	dry, err := d.run("one", func(o *compress.Options) { o.DryRun = true })
	if err != nil {
		d.wrong("dry run: %v", err)
		return o
	}
	if !bytes.Equal(d.log(), o.before) || d.names() != beside {
		d.wrong("a dry run wrote")
	}
	o.rep, err = d.replace(how)
	o.after = d.log()
	if err != nil {
		d.wrong("real run: %v", err)
		if !bytes.Equal(o.after, o.before) {
			d.wrong("the run failed and changed the log")
		}
		return o
	}
	if a, b := jsonOf(d.tb, dry), jsonOf(d.tb, o.rep); a != b {
		d.wrong("the dry run reported\n%s\nthe real run\n%s", a, b)
	}
	if n := d.names(); n != beside {
		d.wrong("files beside the log: %s, before %s", n, beside)
	}
	if o.rep.Changed == bytes.Equal(o.after, o.before) {
		d.wrong("reported changed=%v, but the bytes say otherwise", o.rep.Changed)
	}
	o.was, o.now = d.tg.read(o.before), d.tg.read(o.after)
	o.touched = map[int]bool{}
	for _, t := range o.rep.Tasks {
		for _, line := range t.Entries {
			o.touched[line-1] = true
		}
	}
	after := d.open(o.after)
	d.kept(o)
	d.humans(o, s, after)
	d.answers(o, s)
	d.metadata(o)
	d.paired(o)
	d.numbers(o, s, after)
	if worse := session.Worse(s, after); worse != nil {
		d.wrong("worse: %s", strings.Join(worse, "; "))
	}
	d.truth(o)
	d.again(o, how)
	if o.rep.Changed {
		d.archived(o, s, how)
		if how == thorough {
			d.elsewhere(o)
		}
	}
	return o
}

// replace is the real run. The quick way writes a copy and puts that in the
// log's place: the same work without the search for living processes.
func (d *desk) replace(how depth) (*compress.Report, error) {
	if how == thorough {
		return d.run("one", nil)
	}
	out := filepath.Join(d.root, "quick.jsonl")
	rep, err := d.run("one", func(o *compress.Options) { o.Output = out })
	if err == nil {
		d.write(d.path, fileOf(d.tb, out))
	}
	return rep, err
}

// refused: what is no session is an error, and nothing is touched.
func (d *desk) refused(opened error) {
	d.tb.Helper()
	beside := d.names()
	_, err := d.run("one", nil)
	switch {
	case err == nil:
		d.wrong("no error, although opening says: %v", opened)
	case errors.Is(err, session.ErrEmpty), errors.Is(err, session.ErrUnknown), errors.Is(err, session.ErrNotSession):
	default:
		d.wrong("no clear error for what is no session: %v", err)
	}
	if !bytes.Equal(d.log(), d.sp.data) || d.names() != beside {
		d.wrong("a refused file was touched")
	}
}

// identity: the entries of a log are the log.
func (d *desk) identity(s *session.Session) {
	d.tb.Helper()
	var joined []byte
	for i := range s.Entries {
		raw, err := s.Raw(int32(i))
		if err != nil {
			d.wrong("%v", err)
			return
		}
		joined = append(joined, raw...)
	}
	if !bytes.Equal(joined, d.sp.data) {
		d.wrong("its entries joined are %d bytes, not the log's %d", len(joined), len(d.sp.data))
	}
}

// humans: what a person typed stays, word for word, in place and in order.
func (d *desk) humans(o *outcome, was, now *session.Session) {
	d.tb.Helper()
	lines := func(s *session.Session) (all []int) {
		for _, i := range s.Active {
			if s.Entries[i].Kind == session.Human {
				all = append(all, s.LineOf(i)-1)
			}
		}
		return all
	}
	typed, left := lines(was), lines(now)
	if len(typed) != len(left) {
		d.wrong("%d human entries in the context, before %d", len(left), len(typed))
		return
	}
	for n := range typed {
		a, b := &o.was.lines[typed[n]], &o.now.lines[left[n]]
		if strings.Join(a.texts, "\x00") != strings.Join(b.texts, "\x00") {
			d.wrong("human entry %d of the context reads otherwise than line %d did", n+1, typed[n]+1)
		}
		if !bytes.Equal(a.raw, b.raw) {
			d.wrong("the line of human entry %d of the context changed (was line %d)", n+1, typed[n]+1)
		}
	}
	for i := range was.Entries {
		if line := was.LineOf(int32(i)); was.Entries[i].Kind == session.Human && o.touched[line-1] {
			d.wrong("line %d was typed by a person and was masked", line)
		}
	}
}

// answers: what stands directly before a person's words is what they answer. A
// long text before an event may be an answer too.
func (d *desk) answers(o *outcome, was *session.Session) {
	d.tb.Helper()
	prompt, event := false, false
	for p := len(was.Active) - 1; p >= 0; p-- {
		i := was.Active[p]
		e := &was.Entries[i]
		switch {
		case e.Kind == session.Human:
			prompt, event = true, false
		case e.Kind == session.HostEvent && e.Is(session.Quiet):
		case e.Kind == session.HostEvent:
			prompt, event = false, true
		case (e.Kind == session.Assistant || e.Kind == session.Mirror) && len(was.CallsOf(i)) == 0:
			if line := was.LineOf(i); prompt && o.touched[line-1] {
				d.wrong("line %d is the answer before a person's words, and was masked", line)
			}
			if line := was.LineOf(i); event && e.Kind == session.Assistant && e.Said > 60 && o.touched[line-1] {
				d.wrong("line %d is an answer of %d tokens before an event, and was masked", line, e.Said)
			}
		default:
			prompt, event = false, false
		}
	}
}

// metadata: lines that are never sent stay.
func (d *desk) metadata(o *outcome) {
	d.tb.Helper()
	for n := range o.was.lines {
		if o.was.lines[n].meta && o.touched[n] {
			d.wrong("line %d is metadata and was masked", n+1)
		}
	}
}

// paired: no call and no result is alone in what is sent that was not alone
// before, and no call is there twice that was there once.
func (d *desk) paired(o *outcome) {
	d.tb.Helper()
	if !o.was.clean {
		return // what was alone before is not known
	}
	was := o.was.unpaired()
	for _, id := range o.now.unpaired() {
		if !slices.Contains(was, id) {
			d.wrong("call or result %q is alone now", id)
		}
	}
	times := func(s seen) map[string]int {
		n := map[string]int{}
		for _, at := range s.sent {
			for _, id := range s.lines[at].calls {
				n[id]++
			}
		}
		return n
	}
	before := times(o.was)
	for id, n := range times(o.now) {
		if n > max(before[id], 1) {
			d.wrong("%d calls have the id %q, before %d", n, id, before[id])
		}
	}
}

// unpaired are the ids of calls without a result and of results without a
// call, in what is sent.
func (s seen) unpaired() []string {
	alone := map[string]int{}
	for _, n := range s.sent {
		r := &s.lines[n]
		for _, id := range r.calls {
			alone[id]++
		}
		for _, id := range r.answers {
			alone[id]--
		}
	}
	var ids []string
	for id, n := range alone {
		if n != 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// again: a second run changes nothing and says so.
func (d *desk) again(o *outcome, how depth) {
	d.tb.Helper()
	rep, err := d.run("one", func(o *compress.Options) { o.DryRun = how == quick })
	if err != nil {
		d.wrong("second run: %v", err)
		return
	}
	if twice := d.log(); !bytes.Equal(twice, o.after) {
		d.wrong("the second run changed the log again: %d bytes, then %d", len(o.after), len(twice))
	}
	if rep.Changed || len(rep.Tasks) > 0 || rep.Context.Before != rep.Context.After || rep.File.Before != rep.File.After {
		d.wrong("the second run reports a change: %s", jsonOf(d.tb, rep))
	}
	if rep.Context.Before != o.rep.Context.After {
		d.wrong("the second run counts %d tokens, the first one left %d", rep.Context.Before, o.rep.Context.After)
	}
	if len(rep.Left) != rep.States.Found {
		d.wrong("the second run found %d lifecycles and left %d alone", rep.States.Found, len(rep.Left))
	}
}

// archived: the original comes back byte for byte, and each mask leads to
// exactly the lines that it replaced.
func (d *desk) archived(o *outcome, was *session.Session, how depth) {
	d.tb.Helper()
	ctx := context.Background()
	a, err := archive.Open(d.store("one"), false)
	if err != nil {
		d.wrong("open the archive: %v", err)
		return
	}
	defer a.Close()
	past, err := a.Generations(ctx, archive.Query{Session: was.ID})
	if err != nil || len(past) != 1 {
		d.wrong("%d generations in the archive, want 1 (%v)", len(past), err)
		return
	}
	if past[0].State != archive.StateApplied {
		d.wrong("the generation is %s", past[0].State)
	}
	d.expands(o, a)
	if how == thorough {
		d.restores(o, a)
		return
	}
	var original bytes.Buffer
	if err := a.Original(ctx, past[0].ID, 0, bytes.NewReader(o.after), int64(len(o.after)), &original); err != nil {
		d.wrong("restore: %v", err)
	}
	if sha256.Sum256(original.Bytes()) != sha256.Sum256(o.before) {
		d.wrong("the archive gives other bytes than the original")
	}
}

// restores: the real restore gives the original back by SHA-256, and what the
// agent appended since follows.
func (d *desk) restores(o *outcome, a *archive.Archive) {
	d.tb.Helper()
	appended := []byte(d.tg.later + "\n")
	for _, suffix := range [][]byte{nil, appended} {
		if bytes.HasSuffix(o.after, []byte("\n")) || suffix == nil {
			d.write(d.path, append(slices.Clone(o.after), suffix...))
		} else {
			continue
		}
		rep, err := restore.Run(context.Background(), d.path, restore.Options{
			Formats: []session.Format{d.tg.format}, Settings: d.sp.set, Now: time.Now,
			Archive: func(bool) (*archive.Archive, error) { return a, nil },
		})
		if err != nil {
			d.wrong("restore: %v", err)
			continue
		}
		if rep.Case != restore.Exact || !rep.Identical {
			d.wrong("restore says %s, identical %v", rep.Case, rep.Identical)
		}
		if sha256.Sum256(d.log()) != sha256.Sum256(append(slices.Clone(o.before), suffix...)) {
			d.wrong("restore gives other bytes than the original, with %d bytes appended", len(suffix))
		}
	}
	d.write(d.path, o.after)
}

// elsewhere: another archive, another clock and another place of the output
// give the same bytes.
func (d *desk) elsewhere(o *outcome) {
	d.tb.Helper()
	d.write(d.path, o.before)
	out := filepath.Join(d.root, "copy.jsonl")
	rep, err := d.run("two", func(o *compress.Options) {
		o.Output = out
		now := o.Now
		o.Now = func() time.Time { return now().Add(977 * time.Hour) }
	})
	if err != nil {
		d.wrong("run into a copy: %v", err)
		return
	}
	if b := fileOf(d.tb, out); !bytes.Equal(b, o.after) {
		d.wrong("the same log gave other bytes with another archive: %d and %d", len(o.after), len(b))
	}
	if a, b := jsonOf(d.tb, o.rep), jsonOf(d.tb, rep); a != b {
		d.wrong("the same log gave another report with another archive:\n%s\n%s", a, b)
	}
	if !bytes.Equal(d.log(), o.before) {
		d.wrong("writing a copy changed the log")
	}
	d.write(d.path, o.after)
}
