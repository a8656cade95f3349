package session

import (
	"bytes"
	"fmt"
)

// Faults counts what is wrong with a log's structure. A rewrite may not raise
// any of the counts: logs have faults of their own, which stay.
type Faults struct {
	Dangling     int // entries whose parent is missing
	Roots        int // entries in the tree without a parent
	Duplicate    int // entries whose place is ambiguous, see [Unsure]
	Unanswered   int // calls on the active path without a result
	Orphans      int // results on the active path without a call
	SameRole     int // user or assistant entries on the active path that follow one of their own role
	HeadNoHuman  int // 1 when the active path begins with an assistant or a result
	Unreadable   int // damaged lines
	MaskAtEnd    int // 1 when an assistant entry of ours is the last of the file that is ever sent: OpenClaw drops such a one on load
	LargeContext int // active context in estimated tokens
}

// FaultsOf counts the structural faults of a log.
func FaultsOf(s *Session) Faults {
	f := Faults{LargeContext: s.Tokens()}
	for i := range s.Entries {
		e := &s.Entries[i]
		switch {
		case e.Kind == Damaged:
			f.Unreadable++
		case e.Parent == MissingParent:
			f.Dangling++
		case e.Parent == NoParent && e.ID != (Text{}) && e.Kind != Header:
			f.Roots++
		}
		if e.Is(Unsure) {
			f.Duplicate++
		}
	}
	answers := make([]bool, len(s.Entries))
	for _, c := range s.Calls {
		if c.Result >= 0 {
			answers[c.Result] = true
		}
		if s.Position(c.Entry) >= 0 && (c.Result < 0 || s.Position(c.Result) < 0) {
			f.Unanswered++
		}
	}
	last := ""
	for _, i := range s.Active {
		role := s.Entries[i].Kind.Role()
		if s.Entries[i].Kind == Result && !answers[i] {
			f.Orphans++
		}
		if role == last && role != "tool" {
			f.SameRole++
		}
		last = role
	}
	if len(s.Active) > 0 && s.Entries[s.Active[0]].Kind.Role() != "user" {
		f.HeadNoHuman = 1
	}
	for i := len(s.Entries) - 1; i >= 0; i-- {
		if e := &s.Entries[i]; e.Kind.Role() != "" {
			if e.Is(ByUs) && e.Kind.Role() == "assistant" {
				f.MaskAtEnd = 1
			}
			break
		}
	}
	return f
}

// Worse compares a log with its rewritten form and says what got worse: new
// faults, another leaf, model or reasoning level, human words or metadata
// that are gone or out of place. nil means that nothing did.
func Worse(before, after *Session) []string {
	var worse []string
	add := func(format string, args ...any) { worse = append(worse, fmt.Sprintf(format, args...)) }
	was, now := FaultsOf(before), FaultsOf(after)
	for _, c := range []struct {
		what     string
		was, now int
	}{
		{"entries with a missing parent", was.Dangling, now.Dangling},
		{"roots", was.Roots, now.Roots},
		{"entries with an ambiguous place", was.Duplicate, now.Duplicate},
		{"calls without a result", was.Unanswered, now.Unanswered},
		{"results without a call", was.Orphans, now.Orphans},
		{"neighbours of the same role", was.SameRole, now.SameRole},
		{"contexts that begin with no user entry", was.HeadNoHuman, now.HeadNoHuman},
		{"damaged lines", was.Unreadable, now.Unreadable},
		{"masks as the last assistant entry of the file", was.MaskAtEnd, now.MaskAtEnd},
		{"tokens in the context", was.LargeContext, now.LargeContext},
	} {
		if c.now > c.was {
			add("%s: %d, before %d", c.what, c.now, c.was)
		}
	}
	if i := newNeighbour(before, after); i >= 0 {
		add("line %d follows one of its own role, which it did not before", after.Entries[i].Line)
	}
	for _, c := range []struct{ what, was, now string }{
		{"active leaf", leafID(before), leafID(after)},
		{"model", before.Model, after.Model},
		{"reasoning level", before.Effort, after.Effort},
		{"session id", before.ID, after.ID},
		{"working directory", before.Cwd, after.Cwd},
	} {
		if c.was != c.now {
			add("%s: %q, before %q", c.what, c.now, c.was)
		}
	}
	if !sameHumans(before, after) {
		add("the human entries on the active path changed")
	}
	for _, k := range []Kind{Header, Human, Boundary, Summary, Meta, Damaged, Opaque, Blank} {
		if a, b := before.Count(k), after.Count(k); a > b {
			add("%s entries: %d, before %d", k, b, a)
		} else if id, ok := lostID(before, after, k); ok {
			add("%s entry %q is gone", k, id)
		}
	}
	return append(worse, before.Format.Check(before, after)...)
}

func leafID(s *Session) string {
	if s.Leaf < 0 {
		return ""
	}
	return s.IDOf(s.Leaf)
}

// newNeighbour finds an active entry that follows one of its own role although
// neither of the two ids stood beside its own role on that side before, or -1.
// The counts alone would let a new one pass in exchange for an old one.
func newNeighbour(before, after *Session) int32 {
	leads, follows := map[string]bool{}, map[string]bool{}
	eachNeighbours(before, func(x, y int32) {
		leads[before.IDOf(x)], follows[before.IDOf(y)] = true, true
	})
	found := int32(-1)
	eachNeighbours(after, func(x, y int32) {
		if found < 0 && !leads[after.IDOf(x)] && !follows[after.IDOf(y)] {
			found = y
		}
	})
	return found
}

// eachNeighbours calls f for neighbours on the active path that have the same
// role, user or assistant.
func eachNeighbours(s *Session, f func(x, y int32)) {
	for n := 1; n < len(s.Active); n++ {
		x, y := s.Active[n-1], s.Active[n]
		if role := s.Entries[x].Kind.Role(); role != "tool" && role == s.Entries[y].Kind.Role() {
			f(x, y)
		}
	}
}

// sameHumans reports whether the same human entries stand in the same order
// and are of the same size in the context.
func sameHumans(before, after *Session) bool {
	a, b := activeOf(before, Human), activeOf(after, Human)
	if len(a) != len(b) {
		return false
	}
	for n := range a {
		x, y := &before.Entries[a[n]], &after.Entries[b[n]]
		if !bytes.Equal(before.Bytes(x.ID), after.Bytes(y.ID)) || x.Tokens() != y.Tokens() || x.Time != y.Time {
			return false
		}
	}
	return true
}

func activeOf(s *Session, k Kind) []int32 {
	var found []int32
	for _, i := range s.Active {
		if s.Entries[i].Kind == k {
			found = append(found, i)
		}
	}
	return found
}

// lostID finds an entry of a kind whose id no entry of that kind has any more.
func lostID(before, after *Session, k Kind) (id string, lost bool) {
	for i := range before.Entries {
		e := &before.Entries[i]
		if e.Kind != k || e.ID == (Text{}) {
			continue
		}
		found := false
		for _, j := range after.lookup(before.Bytes(e.ID)) {
			found = found || after.Entries[j].Kind == k
		}
		if !found {
			return before.IDOf(int32(i)), true
		}
	}
	return "", false
}
