package claudecode

import (
	"fmt"
	"slices"

	"sessc/session"
)

// Check implements [session.Format]. A rewrite changes bytes inside lines and
// nothing else: every line keeps its place, its ids, its time and what it is.
// What the client pairs on resume, launches in the background and the
// notifications of their end, must be there as before: it tells the model of
// one without the other that the task did not finish.
func (Format) Check(before, after *session.Session) []string {
	var worse []string
	add := func(format string, args ...any) { worse = append(worse, fmt.Sprintf(format, args...)) }
	if len(before.Entries) != len(after.Entries) {
		add("lines: %d, before %d", len(after.Entries), len(before.Entries))
	} else if i := moved(before, after); i >= 0 {
		add("line %d is not what it was", before.Entries[i].Line)
	}
	if !slices.Equal(before.Active, after.Active) {
		add("the order of what is sent changed")
	}
	was, now := before.Private.(*private), after.Private.(*private)
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
	if now.odd > was.odd {
		add("content blocks with a key of ours: %d, before %d", now.odd, was.odd)
	}
	if a, b := lostKept(before), lostKept(after); b > a {
		add("kept messages of compactions that are missing: %d, before %d", b, a)
	}
	if a, b := blank(before), blank(after); b > a {
		add("entries without any text: %d, before %d", b, a)
	}
	return worse
}

// moved finds the first entry that is another than before, or -1.
func moved(before, after *session.Session) int32 {
	for i := range before.Entries {
		a, b := &before.Entries[i], &after.Entries[i]
		const ours = session.ByUs | session.Image // a masked result loses its pictures
		if before.IDOf(int32(i)) != after.IDOf(int32(i)) || before.ParentIDOf(int32(i)) != after.ParentIDOf(int32(i)) ||
			a.Time != b.Time || a.Kind != b.Kind || a.Message != b.Message || a.Flags|ours != b.Flags|ours {
			return int32(i)
		}
	}
	if len(before.Calls) != len(after.Calls) {
		return 0
	}
	for n := range before.Calls {
		a, b := &before.Calls[n], &after.Calls[n]
		if a.Entry != b.Entry || a.Result != b.Result || a.Block != b.Block || before.Str(a.ID) != after.Str(b.ID) || before.Str(a.Name) != after.Str(b.Name) {
			return a.Entry
		}
	}
	return -1
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
