package properties_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sessc/archive"
	"sessc/lifecycle"
	"sessc/mask"
	"sessc/scripts/gen/genlog"
)

// piece is one record or receipt that stands in a log.
type piece struct {
	line   int // from 0
	text   string
	ref    string
	record *mask.Record // nil for a receipt
}

// masks are the lines of the new log that carry our envelope and did not
// before.
func (o *outcome) masks() []int {
	standing := map[string]bool{}
	for n := range o.was.lines {
		if r := &o.was.lines[n]; r.marked {
			standing[r.id] = true
		}
	}
	var all []int
	for n := range o.now.lines {
		if r := &o.now.lines[n]; r.marked && !standing[r.id] {
			all = append(all, n)
		}
	}
	return all
}

// changed is the line of the original that a marked line still is, with other
// texts inside it; nil for a line that was written anew.
func (o *outcome) changed(n int) *row {
	for _, t := range o.rep.Tasks {
		if t.Layer != lifecycle.Result.Layer() {
			continue
		}
		for _, line := range t.Entries {
			if was := &o.was.lines[line-1]; was.id == o.now.lines[n].id {
				return was
			}
		}
	}
	return nil
}

// said are the texts of sessc in a marked line: all of one that was written
// anew; of one that was changed those that took the place of others.
func (o *outcome) said(tg *target, n int) (texts, args []string, err error) {
	now, was := &o.now.lines[n], o.changed(n)
	if was == nil {
		if len(now.thoughts) > 0 || now.pictures > 0 {
			return nil, nil, errors.New("it holds reasoning or a picture")
		}
		return tg.masks(now), now.args, nil
	}
	if now.replies {
		if len(now.texts) != 1 || now.pictures > 0 {
			return nil, nil, fmt.Errorf("a cleared result has %d texts and %d pictures", len(now.texts), now.pictures)
		}
		return now.texts, nil, nil
	}
	if !slices.Equal(now.texts, was.texts) || !slices.Equal(now.thoughts, was.thoughts) || now.pictures != was.pictures || len(now.args) != len(was.args) {
		return nil, nil, errors.New("more changed in it than arguments")
	}
	for k := range now.args {
		if now.args[k] == was.args[k] {
			continue
		}
		var a, b any
		if json.Unmarshal([]byte(was.args[k]), &a) != nil || json.Unmarshal([]byte(now.args[k]), &b) != nil {
			return nil, nil, errors.New("arguments that are no JSON changed")
		}
		if texts, err = swapped(a, b, texts); err != nil {
			return nil, nil, err
		}
	}
	return texts, nil, nil
}

// swapped lists the strings of a value that are others than they were; nothing
// else may have changed.
func swapped(was, now any, found []string) ([]string, error) {
	switch a := was.(type) {
	case string:
		if b, ok := now.(string); ok && a != b {
			return append(found, b), nil
		}
	case []any:
		if b, ok := now.([]any); ok && len(a) == len(b) {
			for k := range a {
				var err error
				if found, err = swapped(a[k], b[k], found); err != nil {
					return nil, err
				}
			}
			return found, nil
		}
	case map[string]any:
		if b, ok := now.(map[string]any); ok && len(a) == len(b) {
			for _, k := range slices.Sorted(maps.Keys(a)) {
				var err error
				if found, err = swapped(a[k], b[k], found); err != nil {
					return nil, err
				}
			}
			return found, nil
		}
	}
	if !reflect.DeepEqual(was, now) {
		return nil, errors.New("an argument that is no text changed")
	}
	return found, nil
}

// ours is all that sessc says in a marked line.
func (o *outcome) ours(tg *target, n int) string {
	texts, args, err := o.said(tg, n)
	if err != nil {
		return ""
	}
	return strings.Join(append(slices.Clone(texts), args...), "\n")
}

// pieces reads all masks of a log: whatever a marked line says to the model in
// our name is a record or a receipt.
func (d *desk) pieces(o *outcome) []piece {
	d.tb.Helper()
	var all []piece
	for _, n := range o.masks() {
		texts, _, err := o.said(d.tg, n)
		if err != nil {
			d.wrong("mask in line %d: %v", n+1, err)
		}
		for _, text := range texts {
			for _, part := range strings.Split(text, "\n\n") {
				p, err := pieceOf(part)
				if err != nil {
					d.wrong("mask in line %d: %v\n%s", n+1, err, part)
					continue
				}
				p.line = n
				all = append(all, p)
			}
		}
	}
	return all
}

func pieceOf(text string) (piece, error) {
	if _, ref, err := mask.ParseReceipt(text); err == nil {
		return piece{text: text, ref: ref}, nil
	}
	r, err := mask.Parse(text)
	if err != nil {
		return piece{}, err
	}
	if again := mask.Render(r); again != text {
		return piece{}, fmt.Errorf("rendered again it reads otherwise:\n%s", again)
	}
	if r.Brief && strings.HasPrefix(r.Task, "argument, sha256 ") {
		return piece{text: text, ref: r.Ref}, nil // the record stands in the result
	}
	return piece{text: text, ref: r.Ref, record: &r}, nil
}

// originsOf says who can have asked for the work of a layer.
var originsOf = map[string][]mask.Origin{
	lifecycle.Task.Layer():   {mask.OriginAgent},
	lifecycle.Turn.Layer():   {mask.OriginUser, mask.OriginEvent},
	lifecycle.Result.Layer(): {mask.OriginUnknown},
}

// expands: every mask is listed, parses, and leads to the lines it replaced.
func (d *desk) expands(o *outcome, a *archive.Archive) {
	d.tb.Helper()
	layers := map[string]string{}
	for _, t := range o.rep.Tasks {
		layers[t.Ref] = t.Layer
	}
	records := map[string]int{}
	for _, p := range d.pieces(o) {
		if p.record != nil {
			records[p.ref]++
			if want := originsOf[layers[p.ref]]; !slices.Contains(want, p.record.Origin) || p.record.Brief != (layers[p.ref] == lifecycle.Result.Layer()) {
				d.wrong("origin %s of mask %s in layer %s", p.record.Origin, p.ref, layers[p.ref])
			}
		}
	}
	starts := []int64{}
	at := int64(0)
	for n := range o.was.lines {
		starts = append(starts, at)
		at += int64(len(o.was.lines[n].raw))
	}
	lineAt := map[int64]int{}
	for n, off := range starts {
		lineAt[off] = n
	}
	found := map[int]bool{}
	for _, t := range o.rep.Tasks {
		if records[t.Ref] != 1 {
			d.wrong("mask %s of %s stands %d times in the log", t.Ref, t.Key, records[t.Ref])
		}
		delete(records, t.Ref)
		if hollow(t.Mask) {
			d.wrong("mask %s counts what it leaves out and says nothing:\n%s", t.Ref, t.Mask)
		}
		x, err := a.Expand(context.Background(), t.Ref)
		if err != nil {
			d.wrong("expand %s: %v", t.Ref, err)
			continue
		}
		if x.Mask.Record != t.Mask {
			d.wrong("the archive holds another record for %s than the log", t.Ref)
		}
		var lines []int
		for _, e := range x.Entries {
			n, ok := lineAt[e.Old.Off]
			if !ok || !bytes.Equal(e.Raw, o.was.lines[n].raw) {
				d.wrong("expand %s: bytes %d+%d are not a line of the original", t.Ref, e.Old.Off, e.Old.Len)
				continue
			}
			lines, found[n] = append(lines, n+1), true
		}
		if fmt.Sprint(lines) != fmt.Sprint(t.Entries) {
			d.wrong("expand %s gives lines %v, the report says %v", t.Ref, lines, t.Entries)
		}
	}
	for ref := range records {
		d.wrong("mask %s stands in the log and in no report", ref)
	}
	gone := d.gone(o)
	for n := range gone {
		if !found[n] && !d.weighs(o, n) {
			d.wrong("line %d left the log and no mask leads to it", n+1)
		}
	}
	for n := range found {
		if !gone[n] {
			d.wrong("a mask leads to line %d, which still stands", n+1)
		}
	}
}

// gone are the lines of the original that the new log does not hold, whatever
// the report says, pointers aside.
func (d *desk) gone(o *outcome) map[int]bool {
	stands := map[string]int{}
	masks := o.masks()
	for n := range o.now.lines {
		if !slices.Contains(masks, n) {
			stands[o.now.lines[n].id]++
		}
	}
	missing := map[int]bool{}
	for n := range o.was.lines {
		r := &o.was.lines[n]
		switch {
		case r.id == "":
			moved := func(now row) bool { return now.id == "" && d.relinked(r.raw, now.raw) }
			if !bytes.Contains(o.after, bytes.TrimRight(r.raw, "\r\n")) && !slices.ContainsFunc(o.now.lines, moved) {
				missing[n] = true
			}
		case stands[r.id] == 0:
			missing[n] = true
		default:
			stands[r.id]--
		}
	}
	return missing
}

// truth: what a log's answer sheet says must hold as well.
func (d *desk) truth(o *outcome) {
	d.tb.Helper()
	tr := d.sp.truth
	if tr == nil {
		return
	}
	d.typed(o)
	line := map[string]int{}
	for n := range o.was.lines {
		if id := o.was.lines[n].id; id != "" {
			line[id] = n
		}
	}
	byTasks := map[int]bool{}
	for _, t := range o.rep.Tasks {
		for _, n := range t.Entries {
			byTasks[n-1] = byTasks[n-1] || t.Layer == lifecycle.Task.Layer()
		}
	}
	touched := o.touched
	untouched := func(why string, ids ...string) {
		for _, id := range ids {
			if n, ok := line[id]; ok && touched[n] {
				d.wrong("line %d (%s) was masked: %s", n+1, id, why)
			}
		}
	}
	states := map[string]genlog.Lifecycle{}
	for _, l := range tr.Lifecycles {
		if l.Log != "" {
			continue
		}
		states[l.CallID] = l
		if !finished(l.State) {
			untouched(fmt.Sprintf("%s is %s", l.CallID, l.State), l.SpawnEntry, l.ReceiptEntry)
			untouched(fmt.Sprintf("%s is %s", l.CallID, l.State), l.CompletionEntries...)
			untouched(fmt.Sprintf("%s is %s", l.CallID, l.State), l.RelatedEntries...)
		}
	}
	// The words of a completion elsewhere are work like any other.
	touched = byTasks
	for _, note := range tr.Decoys {
		untouched("a decoy, "+note.Why, note.Entry)
	}
	touched = o.touched
	for _, note := range tr.Strays {
		untouched("a stray, "+note.Why, note.Entry)
	}
	for _, note := range tr.Metadata {
		if n, ok := line[note.Entry]; ok && o.was.lines[n].meta {
			untouched("metadata, "+note.Why, note.Entry)
		}
	}
	for _, t := range o.rep.Tasks {
		if t.Layer != lifecycle.Task.Layer() {
			continue
		}
		l, ok := states[t.Key]
		state := genlog.State(strings.ReplaceAll(t.State, "spawn failed", string(genlog.SpawnFailed)))
		switch {
		case !ok:
			d.wrong("%s was masked and is no lifecycle", t.Key)
		case !oneOf(state, l):
			d.wrong("%s was masked as %s, it is %s", t.Key, t.State, l.State)
		case o.was.leaf == tr.Leaf && !l.InContext:
			d.wrong("%s was masked and is not in the context", t.Key)
		}
	}
}

func finished(s genlog.State) bool {
	switch s {
	case genlog.Done, genlog.Failed, genlog.TimedOut, genlog.Killed, genlog.SpawnFailed:
		return true
	}
	return false
}

func oneOf(s genlog.State, l genlog.Lifecycle) bool {
	if s == l.State {
		return true
	}
	for _, or := range l.Or {
		if s == or {
			return true
		}
	}
	return false
}

// typed: the words of people stand in the new log, in order.
func (d *desk) typed(o *outcome) {
	d.tb.Helper()
	n := 0
	for _, h := range d.sp.truth.Humans {
		from := n
		for n < len(o.now.lines) && (o.now.lines[n].id != h.Entry || !strings.Contains(strings.Join(o.now.lines[n].texts, "\n"), h.Text)) {
			n++
		}
		if n == len(o.now.lines) {
			d.wrong("the person's words of %s are gone or moved: %q", h.Entry, h.Text)
			n = from
		}
	}
}

// hollow reports whether a mask only counts what it leaves out: then the
// lifecycle had better been left alone.
func hollow(text string) bool {
	omits := false
	for line := range strings.Lines(text) {
		label, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case !ok:
		case !slices.Contains([]string{"conclusion", "commands", "errors", "tried_and_failed", "must_remember", "open"}, label):
		case strings.Contains(value, `"`) && value != `"…"`:
			return false
		default:
			omits = omits || strings.Contains(value, "see ref")
		}
	}
	return omits
}
