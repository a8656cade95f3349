package claudecode

import (
	"fmt"
	"hash/maphash"
	"slices"

	"sessc/session"
)

// facts are what Check needs to know of an original, mostly as hashes.
type facts struct {
	rows             []row
	calls            []uint64
	active           []uint64 // ids
	notices, pending []string
	odd, lost, blank int
}

// row is what may not change of a line that stays.
type row struct {
	id      uint64
	is      uint64 // id, time, kind and flags together
	parent  uint64 // the id that it names
	message uint64 // id of the first line of its message
	leads   bool   // it is on the chain to the leaf
	removed bool   // may be: it is work of the model
}

// Facts implements [session.Format].
func (Format) Facts(s *session.Session) any {
	p := s.Private.(*private)
	return facts{
		rows: rowsOf(s), calls: callsOf(s), active: hashedIDs(s, s.Active),
		notices: p.notices, pending: p.pending, odd: p.odd, lost: lostKept(s), blank: blank(s),
	}
}

// Check implements [session.Format]. A rewrite changes bytes inside lines and
// removes lines of the model's work; every other line keeps its place, its ids,
// its time and what it is, and all that stays on the chain is sent in the order
// in which it was. What the client pairs on resume, launches in the background
// and the notifications of their end, must be there as before: it tells the
// model of one without the other that the task did not finish.
func (f Format) Check(before any, after *session.Session) []string {
	var worse []string
	add := func(format string, args ...any) { worse = append(worse, fmt.Sprintf(format, args...)) }
	was, now := before.(facts), f.Facts(after).(facts)
	gone, at := was.gone(now)
	if at >= 0 {
		add("line %d is not what it was", after.LineOf(int32(at)))
	} else if i := was.moved(now, gone); i >= 0 {
		add("line %d hangs on another one, or belongs to another message", after.LineOf(int32(i)))
	}
	if !slices.Equal(without(was.active, gone), now.active) {
		add("the order of what is sent changed")
	}
	if !within(now.calls, was.calls) {
		add("a call is not what it was")
	}
	for _, of := range []struct {
		what     string
		was, now []string
	}{
		{"notifications of ended tasks", was.notices, now.notices},
		{"launches in the background", was.pending, now.pending},
	} {
		if !slices.Equal(of.was, of.now) {
			add("the %s changed: %d, before %d", of.what, len(of.now), len(of.was))
		}
	}
	for _, c := range []struct {
		what     string
		was, now int
	}{
		{"content blocks with a key of ours", was.odd, now.odd},
		{"kept messages of compactions that are missing", was.lost, now.lost},
		{"entries without any text", was.blank, now.blank},
	} {
		if c.now > c.was {
			add("%s: %d, before %d", c.what, c.now, c.was)
		}
	}
	return worse
}

// gone are the ids of the lines that are no more. at is the first line of the
// new form that is none of the old, or that stands where one is missing that
// had to stay; -1 when there is none.
func (f *facts) gone(now facts) (gone map[uint64]bool, at int) {
	gone = map[uint64]bool{}
	n := 0
	for _, r := range f.rows {
		switch {
		case n < len(now.rows) && now.rows[n].is == r.is:
			n++
		case r.removed:
			gone[r.id] = true
		default:
			return gone, min(n, len(now.rows)-1)
		}
	}
	if n < len(now.rows) {
		return gone, n
	}
	return gone, -1
}

// moved finds the first line that hangs on another one than before, though
// that is still there and the line leads to no leaf, or that became part of
// another message; -1 when there is none. What is sent is compared as a whole.
func (f *facts) moved(now facts, gone map[uint64]bool) int {
	n := 0
	for _, r := range f.rows {
		if n == len(now.rows) || now.rows[n].is != r.is {
			continue
		}
		is := now.rows[n]
		if is.parent != r.parent && !gone[r.parent] && (len(gone) == 0 || !r.leads) || is.message != r.message && !gone[r.message] {
			return n
		}
		n++
	}
	return -1
}

// without leaves ids out.
func without(ids []uint64, gone map[uint64]bool) []uint64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id uint64) bool { return gone[id] })
}

// within reports whether a list is another one without some of its members.
func within(part, all []uint64) bool {
	for _, v := range all {
		if len(part) > 0 && part[0] == v {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// seed makes the hashes of this process comparable.
var seed = maphash.MakeSeed()

func rowsOf(s *session.Session) []row {
	type line struct {
		id    string
		time  int64
		kind  session.Kind
		flags session.Flags
	}
	// A call that stands for others loses the reasoning of its message.
	const ours = session.ByUs | session.Fixed | session.Signed
	rows := make([]row, len(s.Entries))
	for i := range s.Entries {
		e := &s.Entries[i]
		id := s.IDOf(int32(i))
		rows[i] = row{
			id: hash(id), is: maphash.Comparable(seed, line{id, e.Time, e.Kind, e.Flags | ours}),
			parent: hash(s.ParentIDOf(int32(i))), message: hash(s.IDOf(s.MessageOf(int32(i)))),
			removed: id != "" && (e.Is(session.Ballast) || e.Kind == session.Assistant || e.Kind == session.Mirror || e.Kind == session.Result),
		}
	}
	for _, i := range s.Chain {
		rows[i].leads = true
	}
	return rows
}

// callsOf returns what each call is. Its place in its line is no part of it.
func callsOf(s *session.Session) []uint64 {
	type call struct{ entry, result, id, name string }
	calls := make([]uint64, len(s.Calls))
	for n, c := range s.Calls {
		is := call{entry: s.IDOf(c.Entry), id: s.Str(c.ID), name: s.Str(c.Name)}
		if c.Result >= 0 {
			is.result = s.IDOf(c.Result)
		}
		calls[n] = maphash.Comparable(seed, is)
	}
	return calls
}

func hashedIDs(s *session.Session, entries []int32) []uint64 {
	ids := make([]uint64, len(entries))
	for n, i := range entries {
		ids[n] = hash(s.IDOf(i))
	}
	return ids
}

func hash(s string) uint64 { return maphash.String(seed, s) }

// lostKept counts what compactions keep by an id that no line has.
func lostKept(s *session.Session) int {
	n := 0
	for _, p := range s.Private.(*private).kept {
		for _, id := range append([]session.Text{p.head, p.tail}, p.ids...) {
			if s.Str(id) != "" && len(s.Lookup(s.Str(id))) == 0 {
				n++
			}
		}
	}
	return n
}

// blank counts entries that would be sent without any content, which the
// provider refuses.
func blank(s *session.Session) int {
	n := 0
	for _, i := range s.Active {
		if s.Entries[i].Tokens() == 0 && s.Entries[i].Kind != session.Assistant {
			n++
		}
	}
	return n
}
