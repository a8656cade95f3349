package properties_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"sessc/archive"
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

// pieces reads all masks of a log: whatever a marked line says to the model is
// a record or a receipt.
func (d *desk) pieces(o *outcome) []piece {
	d.tb.Helper()
	var all []piece
	for _, n := range o.masks() {
		r := &o.now.lines[n]
		if len(r.thoughts) > 0 || r.pictures > 0 {
			d.wrong("mask in line %d holds reasoning or a picture", n+1)
		}
		for _, text := range d.tg.masks(r) {
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
	return piece{text: text, ref: r.Ref, record: &r}, nil
}

// expands: every mask is listed, parses, and leads to the lines it replaced.
func (d *desk) expands(o *outcome, a *archive.Archive) {
	d.tb.Helper()
	records := map[string]int{}
	for _, p := range d.pieces(o) {
		if p.record != nil {
			records[p.ref]++
			if p.record.Origin != mask.OriginAgent {
				d.wrong("origin %s of mask %s", p.record.Origin, p.ref)
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
		if !found[n] {
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
			if !bytes.Contains(o.after, bytes.TrimRight(r.raw, "\r\n")) {
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
	untouched := func(why string, ids ...string) {
		for _, id := range ids {
			if n, ok := line[id]; ok && o.touched[n] {
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
	for _, note := range tr.Decoys {
		untouched("a decoy, "+note.Why, note.Entry)
	}
	for _, note := range tr.Strays {
		untouched("a stray, "+note.Why, note.Entry)
	}
	for _, note := range tr.Metadata {
		if n, ok := line[note.Entry]; ok && o.was.lines[n].meta {
			untouched("metadata, "+note.Why, note.Entry)
		}
	}
	for _, t := range o.rep.Tasks {
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
