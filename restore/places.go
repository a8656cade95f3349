package restore

import (
	"fmt"

	"sessc/session"
)

// places are what may not get lost when a log is put together anew: it is all
// that is kept of its index then, since two indexes would be most of the memory
// of a run.
type places struct {
	session, leaf string
	damaged       int
	list          []place
	ids           []byte // of all places, one after the other
}

// place is one entry whose place in the tree is certain.
type place struct {
	line   int32
	idEnd  uint32 // its id ends there in ids, and begins where the one before ends
	parent bool   // it has one
	human  bool
}

func placesOf(s *session.Session) *places {
	p := &places{session: s.ID, leaf: idAt(s, s.Leaf), damaged: s.Count(session.Damaged)}
	n, size := 0, 0
	certain(s, func(_ int32, id []byte) { n, size = n+1, size+len(id) })
	p.list, p.ids = make([]place, 0, n), make([]byte, 0, size)
	certain(s, func(i int32, id []byte) {
		e := &s.Entries[i]
		p.ids = append(p.ids, id...)
		p.list = append(p.list, place{int32(s.LineOf(i)), uint32(len(p.ids)), e.Parent >= 0, e.Kind == session.Human})
	})
	return p
}

// certain calls f for each entry that has an id and a place in the tree.
func certain(s *session.Session, f func(i int32, id []byte)) {
	for i := range s.Entries {
		e := &s.Entries[i]
		if id := s.Bytes(e.ID); len(id) > 0 && !e.Is(session.Unsure) {
			f(int32(i), id)
		}
	}
}

// lost compares a masked log with its restored form: what is back may bring
// faults of its own, but what stands in both must not fare worse. Counts of
// calls, roles and tokens say nothing here, since they are those of the
// original, which is not known as a whole.
func (p *places) lost(after *session.Session) []string {
	var worse []string
	if p.session != after.ID {
		worse = append(worse, fmt.Sprintf("session id: %q, before %q", after.ID, p.session))
	}
	if leaf := idAt(after, after.Leaf); p.leaf != leaf {
		worse = append(worse, fmt.Sprintf("active leaf: %q, before %q", leaf, p.leaf))
	}
	if now := after.Count(session.Damaged); now > p.damaged {
		worse = append(worse, fmt.Sprintf("damaged lines: %d, before %d", now, p.damaged))
	}
	from := uint32(0)
	for _, e := range p.list {
		id := string(p.ids[from:e.idEnd])
		from = e.idEnd
		same := after.Lookup(id)
		switch {
		case len(same) == 0:
			worse = append(worse, fmt.Sprintf("line %d: entry %s is gone", e.line, id))
		case len(same) > 1 || after.Entries[same[0]].Is(session.Unsure):
			worse = append(worse, fmt.Sprintf("line %d: the place of entry %s became ambiguous", e.line, id))
		case e.parent && after.Entries[same[0]].Parent == session.MissingParent:
			worse = append(worse, fmt.Sprintf("line %d: the parent of entry %s is gone", e.line, id))
		case e.human && after.Entries[same[0]].Kind != session.Human:
			worse = append(worse, fmt.Sprintf("line %d: the human entry %s is gone", e.line, id))
		}
	}
	return worse
}
