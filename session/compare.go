package session

import (
	"fmt"
	"slices"
)

// Faults counts what is wrong with a log's structure. A rewrite may not raise
// any of the counts: logs have faults of their own, which stay.
type Faults struct {
	Dangling     int // entries whose parent is missing
	Roots        int // entries in the tree without a parent
	Duplicate    int // entries whose id another entry has too, or on a cycle
	Unanswered   int // calls on the active path without a result
	Orphans      int // results on the active path without a call
	SameRole     int // user or assistant entries on the active path that follow one of their own role
	HeadNoHuman  int // 1 when the active path begins with an assistant or a result
	Unreadable   int // damaged lines
	EndNotHuman  int // 1 when the file's last entry that can be a leaf is an assistant entry of ours
	LargeContext int // active context in estimated tokens
}

// FaultsOf counts the structural faults of a log.
func FaultsOf(s *Session) Faults {
	var f Faults
	for i := range s.Entries {
		e := &s.Entries[i]
		switch {
		case e.Kind == Damaged:
			f.Unreadable++
		case e.Parent == MissingParent:
			f.Dangling++
		case e.Parent == NoParent && e.ID.n > 0 && e.Kind != Header:
			f.Roots++
		}
		if e.Is(Unsure) {
			f.Duplicate++
		}
	}
	answered := map[int32]bool{}
	for _, c := range s.Calls {
		if c.Result >= 0 {
			answered[c.Result] = true
		}
		if s.Position(c.Entry) >= 0 && (c.Result < 0 || s.Position(c.Result) < 0) {
			f.Unanswered++
		}
	}
	last := ""
	for n, i := range s.Active {
		e := &s.Entries[i]
		role := e.Kind.Role()
		if e.Kind == Result && !answered[i] {
			f.Orphans++
		}
		if role == last && role != "tool" {
			f.SameRole++
		}
		if n == 0 && role != "user" {
			f.HeadNoHuman = 1
		}
		last = role
	}
	if n := len(s.Entries); n > 0 && s.Entries[n-1].Is(ByUs) && s.Entries[n-1].Kind == Assistant {
		f.EndNotHuman = 1
	}
	f.LargeContext = s.Tokens()
	return f
}

// Worse compares a log with its rewritten form and says what got worse: new
// faults, another leaf, model or reasoning level, human words or metadata
// that are gone or out of place. nil means that nothing did.
func Worse(before, after *Session) []string {
	var worse []string
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
		{"masks as the last assistant entry of the file", was.EndNotHuman, now.EndNotHuman},
		{"tokens in the context", was.LargeContext, now.LargeContext},
	} {
		if c.now > c.was {
			worse = append(worse, fmt.Sprintf("%s: %d, before %d", c.what, c.now, c.was))
		}
	}
	if a, b := leafID(before), leafID(after); a != b {
		worse = append(worse, fmt.Sprintf("active leaf: %q, before %q", b, a))
	}
	if before.Model != after.Model {
		worse = append(worse, fmt.Sprintf("model: %q, before %q", after.Model, before.Model))
	}
	if before.Effort != after.Effort {
		worse = append(worse, fmt.Sprintf("reasoning level: %q, before %q", after.Effort, before.Effort))
	}
	if before.ID != after.ID {
		worse = append(worse, fmt.Sprintf("session id: %q, before %q", after.ID, before.ID))
	}
	if !slices.Equal(humanIDs(before, before.Active), humanIDs(after, after.Active)) {
		worse = append(worse, "the human entries on the active path changed")
	}
	for _, k := range []Kind{Header, Human, Boundary, Meta, Damaged, Opaque, Blank} {
		if a, b := before.Count(k), after.Count(k); a > b {
			worse = append(worse, fmt.Sprintf("%s entries: %d, before %d", k, b, a))
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

func humanIDs(s *Session, path []int32) []string {
	var ids []string
	for _, i := range path {
		if s.Entries[i].Kind == Human {
			ids = append(ids, s.IDOf(i))
		}
	}
	return ids
}
