package properties_test

import (
	"cmp"

	"sessc/compress"
	"sessc/session"
	"sessc/tokens"
)

// numbers: what the report says is what a recount of the files says.
func (d *desk) numbers(o *outcome, was, now *session.Session) {
	d.tb.Helper()
	rep := o.rep
	if rep.File.Before != int64(len(o.before)) || rep.File.After != int64(len(o.after)) {
		d.wrong("reported file bytes %d to %d, counted %d to %d", rep.File.Before, rep.File.After, len(o.before), len(o.after))
	}
	if rep.Lines.All != len(o.was.lines) {
		d.wrong("reported %d lines, counted %d", rep.Lines.All, len(o.was.lines))
	}
	for _, c := range []compress.Change{rep.Context, rep.File} {
		if c.Saved != c.Before-c.After {
			d.wrong("saved %d of %d to %d", c.Saved, c.Before, c.After)
		}
	}
	if rep.Context.After > rep.Context.Before {
		d.wrong("the context grew from %d to %d tokens", rep.Context.Before, rep.Context.After)
	}
	if rep.Context.Before != int64(rep.Where.Total()) {
		d.wrong("the parts of the context are %d tokens, the whole %d", rep.Where.Total(), rep.Context.Before)
	}
	if rep.States.Compacted != len(rep.Tasks) || rep.States.Found != len(rep.Tasks)+len(rep.Left) {
		d.wrong("%d lifecycles found, %d compacted (%d listed), %d left alone", rep.States.Found, rep.States.Compacted, len(rep.Tasks), len(rep.Left))
	}
	replaced := 0
	for _, t := range rep.Tasks {
		replaced += t.Replaced
	}
	if f := rep.Finished; int64(f.Members-f.Masks) != rep.Context.Saved || f.Masks <= 0 && len(rep.Tasks) > 0 || max(replaced-f.Members, f.Members-replaced) > len(rep.Tasks) {
		d.wrong("masks of %d tokens replace %d, %d by the list, and save %d", f.Masks, f.Members, replaced, rep.Context.Saved)
	}
	size := rep.Context.Before
	for n, l := range rep.Layers {
		if l.Asked && n > 0 && !rep.Layers[n-1].Asked || !l.Asked && size != rep.Context.After && (n == 0 || rep.Layers[n-1].Asked) {
			d.wrong("layers %+v do not go from %d to %d with those that were asked for", rep.Layers, rep.Context.Before, rep.Context.After)
		}
		if l.Saved != size-l.After {
			d.wrong("%s saves %d, from %d to %d", l.Name, l.Saved, size, l.After)
		}
		size = l.After
	}
	weight := rep.Disk != nil && rep.Disk.Bytes > 0
	if rep.Changed != (len(rep.Tasks) > 0 || weight) {
		d.wrong("changed=%v with %d compacted lifecycles, disk weight %+v", rep.Changed, len(rep.Tasks), rep.Disk)
	}
	before, after := lineNumbers(was), lineNumbers(now)
	d.readsAlike(o.was, before, "the original")
	d.readsAlike(o.now, after, "the rewritten log")
	textBefore, textAfter := d.recount(o.was, before, rep, rep.Context.Before), d.recount(o.now, after, rep, rep.Context.After)
	if (textAfter < textBefore) != (len(rep.Tasks) > 0) {
		d.wrong("the context says %d bytes after and %d before, changed=%v", textAfter, textBefore, rep.Changed)
	}
	// Whatever is counted, a token is between a third of a byte (noise in
	// base64, rare scripts) and 30 bytes (a run of blanks).
	if saved, bytes := rep.Context.Saved, int64(textBefore-textAfter); saved > 3*bytes+100 || saved < bytes/30-100 {
		d.wrong("%d tokens saved by %d bytes of text", saved, bytes)
	}
}

// lineNumbers are the lines of the active path, from 0.
func lineNumbers(s *session.Session) []int {
	var all []int
	for _, i := range s.Active {
		all = append(all, s.LineOf(i)-1)
	}
	return all
}

// readsAlike compares the active path with that of the independent reader,
// where only one reading is possible.
func (d *desk) readsAlike(of seen, sent []int, what string) {
	d.tb.Helper()
	if !of.clean {
		return
	}
	if len(of.sent) != len(sent) {
		d.wrong("%s: %d lines on the active path, counted %d", what, len(sent), len(of.sent))
		return
	}
	for n := range sent {
		if sent[n] != of.sent[n] {
			d.wrong("%s: place %d of the active path is line %d, counted %d", what, n+1, sent[n]+1, of.sent[n]+1)
			return
		}
	}
}

// recount sums up what the lines of a context say, compares it with a reported
// figure, and returns its size in bytes, pictures as if they were texts.
func (d *desk) recount(of seen, sent []int, rep *compress.Report, reported int64) int {
	d.tb.Helper()
	var other, thinking, args, results int
	bytes, exact := 0, true
	model := ""
	for _, n := range sent {
		model = cmp.Or(of.lines[n].model, model)
	}
	for _, n := range sent {
		r := &of.lines[n]
		exact = exact && r.valid
		bytes += r.size() + 4*r.pictures*tokens.Image(1) // a picture has tokens, and no text
		said, thought, arguments := r.weight()
		if r.model != "" && r.model != model {
			thought = 0
		}
		thinking, args = thinking+thought, args+arguments
		if r.replies {
			results += said
		} else {
			other += said
		}
	}
	// The report rounds the parts of a context one by one.
	f := tokens.Factor{Value: rep.Counting.Factor}
	want := int64(f.Apply(other) + f.Apply(thinking) + f.Apply(args) + f.Apply(results))
	if diff := reported - want; exact && (diff > 3 || diff < -3) {
		d.wrong("%d tokens reported, counted %d", reported, want)
	}
	return bytes
}
