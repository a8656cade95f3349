package session

import (
	"bytes"
	"cmp"
	"slices"
)

// Builder collects what a format's [Reader] finds. Ids and names are kept once
// in one store; a repeated last value is not stored again, since a parent is
// most often the line before.
type Builder struct {
	S     *Session
	last  Text
	names map[string]Text
}

// NewBuilder returns a builder that fills s.
func NewBuilder(s *Session) *Builder {
	s.marks = map[int32]Marker{}
	s.Leaf = -1
	return &Builder{S: s, names: map[string]Text{}}
}

// Store keeps a string that occurs a few times, such as an id.
func (b *Builder) Store(v []byte) Text {
	if len(v) == 0 {
		return Text{}
	}
	if bytes.Equal(b.S.Bytes(b.last), v) {
		return b.last
	}
	t := Text{uint32(len(b.S.text)), uint32(len(v))}
	b.S.text = append(b.S.text, v...)
	b.last = t
	return t
}

// Intern keeps a string of which a log has few different ones, such as the
// name of a tool or a model.
func (b *Builder) Intern(v []byte) Text {
	if len(v) == 0 {
		return Text{}
	}
	if t, ok := b.names[string(v)]; ok {
		return t
	}
	t := Text{uint32(len(b.S.text)), uint32(len(v))}
	b.S.text = append(b.S.text, v...)
	b.names[string(v)] = t
	return t
}

// Add appends an entry and returns its index.
func (b *Builder) Add(e Entry) int32 {
	b.S.Entries = append(b.S.Entries, e)
	return int32(len(b.S.Entries) - 1)
}

// Mark records our envelope marker of an entry.
func (b *Builder) Mark(i int32, m Marker) {
	b.S.marks[i] = m
	b.S.Entries[i].Flags |= ByUs
}

// Link builds the index of ids and sets every entry's parent: the entry that
// has the named id, the last one in the file when several have it, as the
// clients do; such entries are marked Unsure. Entries whose parents form a
// cycle are marked Unsure too.
func (b *Builder) Link() {
	s := b.S
	s.byID = s.byID[:0]
	for i := range s.Entries {
		if s.Entries[i].ID.n > 0 {
			s.byID = append(s.byID, int32(i))
		}
	}
	slices.SortFunc(s.byID, func(x, y int32) int {
		if c := bytes.Compare(s.Bytes(s.Entries[x].ID), s.Bytes(s.Entries[y].ID)); c != 0 {
			return c
		}
		return cmp.Compare(x, y)
	})
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.ParentID.n == 0 {
			e.Parent = NoParent
			continue
		}
		same := s.lookup(s.Bytes(e.ParentID))
		if len(same) == 0 {
			e.Parent = MissingParent
			continue
		}
		e.Parent = same[len(same)-1]
		if len(same) > 1 {
			e.Flags |= Unsure
		}
	}
	for at := 0; at < len(s.byID); {
		end := at + 1
		for end < len(s.byID) && bytes.Equal(s.Bytes(s.Entries[s.byID[at]].ID), s.Bytes(s.Entries[s.byID[end]].ID)) {
			end++
		}
		if end-at > 1 {
			for _, i := range s.byID[at:end] {
				s.Entries[i].Flags |= Unsure
			}
		}
		at = end
	}
	b.markCycles()
}

// markCycles marks every entry whose walk to the root never ends. Each entry
// is walked once: state 1 is on the walk at hand, 2 reaches a root, 3 does not.
func (b *Builder) markCycles() {
	s := b.S
	state := make([]uint8, len(s.Entries))
	var walk []int32
	for i := range s.Entries {
		walk = walk[:0]
		j := int32(i)
		for j >= 0 && state[j] == 0 {
			state[j] = 1
			walk = append(walk, j)
			j = s.Entries[j].Parent
		}
		end := uint8(2)
		if j >= 0 && (state[j] == 1 || state[j] == 3) {
			end = 3
		}
		for _, k := range walk {
			state[k] = end
			if end == 3 {
				s.Entries[k].Flags |= Unsure
			}
		}
	}
}

// Walk returns the ancestors of an entry, root first, the entry itself last.
// It ends at a root, at a missing parent, and where a cycle closes.
func (b *Builder) Walk(leaf int32) []int32 {
	s := b.S
	seen := make([]bool, len(s.Entries))
	var path []int32
	for i := leaf; i >= 0 && !seen[i]; i = s.Entries[i].Parent {
		seen[i] = true
		path = append(path, i)
	}
	slices.Reverse(path)
	return path
}

// Pair sets the result of each call. results are the entries that name a call
// id, and resultID gives the id that one names. The call is the one with that
// id in the nearest assistant entry above the result on its own branch; the
// first result of a call is kept. It returns the results that found no call.
func (b *Builder) Pair(results []int32, resultID func(i int32) Text) (orphans []int32) {
	s := b.S
	for _, r := range results {
		up := s.Entries[r].Parent
		for steps := 0; up >= 0 && s.passesPairing(up) && steps < maxResults; steps++ {
			up = s.Entries[up].Parent
		}
		if up < 0 || !s.answer(up, s.Bytes(resultID(r)), r) {
			orphans = append(orphans, r)
		}
	}
	return orphans
}

// maxResults bounds the walk from a result up to its call, since parents may
// form a cycle; no client runs so many calls at once.
const maxResults = 4096

// passesPairing reports whether an entry may stand between a call and its
// result: other results of the same message, and lines that are not sent.
func (s *Session) passesPairing(i int32) bool {
	switch s.Entries[i].Kind {
	case Result, Meta, Opaque:
		return true
	}
	return false
}

// answer gives the call of entry i that has the id its result r.
func (s *Session) answer(i int32, id []byte, r int32) bool {
	for c := range s.CallsOf(i) {
		call := &s.CallsOf(i)[c]
		if bytes.Equal(s.Bytes(call.ID), id) && call.Result < 0 {
			call.Result = r
			return true
		}
	}
	return false
}

// Freeze sets the positions on the active path, when all else is done.
func (b *Builder) Freeze() {
	s := b.S
	s.place = make([]int32, len(s.Entries))
	for i := range s.place {
		s.place[i] = -1
	}
	for p, i := range s.Active {
		s.place[i] = int32(p)
	}
	b.names = nil
}
