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
	if s.faults != nil {
		return *s.faults
	}
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

// Facts are what of a log has to be known to tell whether a rewritten form of
// it is worse: little, where the index itself is as large as that of the
// rewritten log, with which it would be in memory at the same time.
type Facts struct {
	faults         Faults
	said           map[string]string // what a log states once, by what it is
	leads, follows map[string]bool   // active entries that have a neighbour of their own role behind them, and before them
	humans         []human           // of the active path
	kept           [len(keptKinds)]keptKind
	own            any // see [Format.Facts]
}

// human is a human entry of the active path.
type human struct {
	id     string
	tokens int
	time   int64
}

// keptKinds are the kinds of which no entry may go.
var keptKinds = [...]Kind{Header, Human, Boundary, Summary, Meta, Damaged, Opaque, Blank}

type keptKind struct {
	count int
	ids   []string
}

// FactsOf collects the facts of a log, before its index is released.
func FactsOf(s *Session) *Facts {
	f := &Facts{
		faults: FaultsOf(s), said: statements(s), leads: map[string]bool{}, follows: map[string]bool{},
		humans: humansOf(s), own: s.Format.Facts(s),
	}
	eachNeighbours(s, func(x, y int32) { f.leads[s.IDOf(x)], f.follows[s.IDOf(y)] = true, true })
	for n, k := range keptKinds {
		for i := range s.Entries {
			if s.Entries[i].Kind != k || s.Entries[i].Is(Ballast) {
				continue
			}
			f.kept[n].count++
			if id := s.IDOf(int32(i)); id != "" {
				f.kept[n].ids = append(f.kept[n].ids, id)
			}
		}
	}
	return f
}

// Worse compares a log with its rewritten form, see [Facts.Worse].
func Worse(before, after *Session) []string { return FactsOf(before).Worse(after) }

// Worse says what is worse in the rewritten form of a log: new faults, another
// leaf, model or reasoning level, human words or metadata that are gone or out
// of place. nil means that nothing is.
func (f *Facts) Worse(after *Session) []string {
	var worse []string
	add := func(format string, args ...any) { worse = append(worse, fmt.Sprintf(format, args...)) }
	was, now := f.faults, FaultsOf(after)
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
	if i := f.newNeighbour(after); i >= 0 {
		add("line %d follows one of its own role, which it did not before", after.LineOf(i))
	}
	said := statements(after)
	for _, what := range stated {
		if f.said[what] != said[what] {
			add("%s: %q, before %q", what, said[what], f.said[what])
		}
	}
	if !slices.Equal(f.humans, humansOf(after)) {
		add("the human entries on the active path changed")
	}
	for n, k := range keptKinds {
		if a, b := f.kept[n].count, keptOf(after, k); a > b {
			add("%s entries: %d, before %d", k, b, a)
		} else if id, ok := lostID(f.kept[n].ids, after, k); ok {
			add("%s entry %q is gone", k, id)
		}
	}
	return append(worse, after.Format.Check(f.own, after)...)
}

// stated are the names of what a log states once.
var stated = []string{"active leaf", "model", "reasoning level", "session id", "working directory"}

func statements(s *Session) map[string]string {
	return map[string]string{
		"active leaf": leafID(s), "model": s.Model, "reasoning level": s.Effort, "session id": s.ID, "working directory": s.Cwd,
	}
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
func (f *Facts) newNeighbour(after *Session) int32 {
	found := int32(-1)
	eachNeighbours(after, func(x, y int32) {
		if found < 0 && !f.leads[after.IDOf(x)] && !f.follows[after.IDOf(y)] {
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

// humansOf lists the human entries of the active path, which have to stay, in
// the same order and of the same size in the context.
func humansOf(s *Session) []human {
	var found []human
	for _, i := range s.Active {
		if e := &s.Entries[i]; e.Kind == Human {
			found = append(found, human{s.IDOf(i), e.Tokens(), e.Time})
		}
	}
	return found
}

// keptOf counts the entries of a kind of which none may go.
func keptOf(s *Session, k Kind) int {
	n := 0
	for i := range s.Entries {
		if s.Entries[i].Kind == k && !s.Entries[i].Is(Ballast) {
			n++
		}
	}
	return n
}

// lostID finds an id that no entry of a kind has any more.
func lostID(ids []string, after *Session, k Kind) (id string, lost bool) {
	for _, id := range ids {
		if !slices.ContainsFunc(after.Lookup(id), func(j int32) bool { return after.Entries[j].Kind == k }) {
			return id, true
		}
	}
	return "", false
}
