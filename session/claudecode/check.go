package claudecode

import (
	"fmt"
	"hash/maphash"
	"slices"

	"sessc/session"
)

// facts are what Check needs to know of an original.
type facts struct {
	rows, calls      []uint64 // hashes of what may not change of a line, and of a call
	active           []int32
	notices, pending []string
	odd, lost, blank int
}

// Facts implements [session.Format].
func (Format) Facts(s *session.Session) any {
	p := s.Private.(*private)
	f := facts{active: s.Active, notices: p.notices, pending: p.pending, odd: p.odd, lost: lostKept(s), blank: blank(s)}
	f.rows, f.calls = hashes(s)
	return f
}

// Check implements [session.Format]. A rewrite changes bytes inside lines and
// nothing else: every line keeps its place, its ids, its time and what it is.
// What the client pairs on resume, launches in the background and the
// notifications of their end, must be there as before: it tells the model of
// one without the other that the task did not finish.
func (f Format) Check(before any, after *session.Session) []string {
	var worse []string
	add := func(format string, args ...any) { worse = append(worse, fmt.Sprintf(format, args...)) }
	was, now := before.(facts), f.Facts(after).(facts)
	if len(was.rows) != len(now.rows) {
		add("lines: %d, before %d", len(now.rows), len(was.rows))
	} else if i := moved(was, now, after); i >= 0 {
		add("line %d is not what it was", after.Entries[i].Line)
	}
	if !slices.Equal(was.active, now.active) {
		add("the order of what is sent changed")
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

// moved finds the first entry that is another than before, or -1.
func moved(was, now facts, after *session.Session) int32 {
	for i := range was.rows {
		if was.rows[i] != now.rows[i] {
			return int32(i)
		}
	}
	if len(was.calls) != len(now.calls) {
		return 0
	}
	for n := range was.calls {
		if was.calls[n] != now.calls[n] {
			return after.Calls[n].Entry
		}
	}
	return -1
}

// seed makes the hashes of this process comparable.
var seed = maphash.MakeSeed()

// hashes returns what a line is, and what a call is, as numbers that differ
// where these do.
func hashes(s *session.Session) (rows, calls []uint64) {
	type row struct {
		id, parent string
		time       int64
		kind       session.Kind
		message    int32
		flags      session.Flags
	}
	type call struct {
		entry, result, block int32
		id, name             string
	}
	const ours = session.ByUs | session.Image | session.Fixed // a masked result loses its pictures
	for i := range s.Entries {
		e := &s.Entries[i]
		rows = append(rows, maphash.Comparable(seed, row{s.IDOf(int32(i)), s.ParentIDOf(int32(i)), e.Time, e.Kind, e.Message, e.Flags | ours}))
	}
	for _, c := range s.Calls {
		calls = append(calls, maphash.Comparable(seed, call{c.Entry, c.Result, c.Block, s.Str(c.ID), s.Str(c.Name)}))
	}
	return rows, calls
}

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
