package session

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Builder collects what a format's [Reader] finds. Ids and names are kept in
// one store, most of them once.
type Builder struct {
	S     *Session
	last  Text
	names map[string]Text
	words strings.Builder // the strings of events
	usual [16]Text        // names seen last, by their length and ends
	full  bool            // the store cannot take any more
}

// NewBuilder returns a builder that fills s.
func NewBuilder(s *Session) *Builder {
	s.marks = map[int32]Marker{}
	s.Leaf = -1
	s.text = []byte{0} // so that the zero Text is empty
	return &Builder{S: s, names: map[string]Text{}}
}

// Store keeps a string that occurs a few times, such as an id. The id of the
// entry added last and the string stored last are not stored again: a parent
// is most often the line before.
func (b *Builder) Store(v []byte) Text {
	if bytes.Equal(b.S.Bytes(b.last), v) {
		return b.last
	}
	if n := len(b.S.Entries); n > 0 && bytes.Equal(b.S.Bytes(b.S.Entries[n-1].ID), v) {
		return b.S.Entries[n-1].ID
	}
	b.last = b.keep(v)
	return b.last
}

// StoreCall is Store for the call id that a result names: most often that of
// one of the calls right before it.
func (b *Builder) StoreCall(v []byte) Text {
	calls := b.S.Calls
	for n := len(calls) - 1; n >= max(0, len(calls)-recentCalls); n-- {
		if bytes.Equal(b.S.Bytes(calls[n].ID), v) {
			return calls[n].ID
		}
	}
	return b.Store(v)
}

// recentCalls is how many of the last calls are compared before a call id is
// stored a second time; few models ask for more at once.
const recentCalls = 16

// keep appends to the store, which [Text] can address up to 4 GB: no log comes
// near, and one that is made to do so is refused by [Index].
func (b *Builder) keep(v []byte) Text {
	if len(v) == 0 {
		return Text{}
	}
	if uint64(len(b.S.text))+uint64(len(v))+binary.MaxVarintLen64 > math.MaxUint32 {
		b.full = true
		return Text{}
	}
	t := Text{uint32(len(b.S.text))}
	text := room(b, b.S.text, binary.MaxVarintLen64+len(v))
	b.S.text = append(binary.AppendUvarint(text, uint64(len(v))), v...)
	return t
}

// Intern keeps a string of which a log has few different ones, such as the
// name of a tool or a model.
func (b *Builder) Intern(v []byte) Text {
	if len(v) == 0 {
		return Text{}
	}
	usual := &b.usual[(len(v)+int(v[0])+int(v[len(v)-1]))%len(b.usual)]
	if bytes.Equal(b.S.Bytes(*usual), v) {
		return *usual
	}
	t, ok := b.names[string(v)]
	if !ok {
		t = b.keep(v)
		b.names[string(v)] = t
	}
	*usual = t
	return t
}

// Add appends an entry, which begins on the line read last, and returns its
// index.
func (b *Builder) Add(e Entry) int32 {
	s := b.S
	i := int32(len(s.Entries))
	if s.lines == nil && s.Lines != int(i)+1 {
		s.lines = count(i, 1)
	}
	if s.lines != nil {
		s.lines = append(room(b, s.lines, 1), int32(s.Lines))
	}
	if s.heads != nil {
		s.heads = append(room(b, s.heads, 1), i)
	}
	s.Entries = append(room(b, s.Entries, 1), e)
	return i
}

// count lists n numbers from one on, not nil.
func count(n, from int32) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = from + int32(i)
	}
	return all
}

// Join makes entry i a part of the model message whose first entry is first:
// some programs write a line for each block of a message.
func (b *Builder) Join(i, first int32) {
	if b.S.heads == nil {
		b.S.heads = count(int32(len(b.S.Entries)), 0)
	}
	b.S.heads[i] = first
}

// AddCall appends a tool call of the entry added last.
func (b *Builder) AddCall(c Call) { b.S.Calls = append(room(b, b.S.Calls, 1), c) }

// AddUsage appends what was recorded about the entry added last.
func (b *Builder) AddUsage(u Usage) { b.S.Usages = append(room(b, b.S.Usages, 1), u) }

// AddEvent appends what an entry says about a sub-task. Its strings are copied,
// since they are most often parts of a text that does not stay in memory; those
// of Call and Suspect, which many events share, are not.
func (b *Builder) AddEvent(e Event) {
	parts := [...]*string{&e.Child, &e.Session, &e.Run, &e.Label, &e.Task, &e.Error}
	size := 0
	for _, v := range parts {
		size += len(*v)
	}
	if size > b.words.Cap()-b.words.Len() {
		b.words.Reset() // what was taken from it stays
		b.words.Grow(max(size, wordsSize))
	}
	for _, v := range parts {
		from := b.words.Len()
		b.words.WriteString(*v)
		*v = b.words.String()[from:]
	}
	b.S.Events = append(room(b, b.S.Events, 1), e)
}

// wordsSize is how much memory is taken at once for the strings of events.
const wordsSize = 4 << 10

// room makes place for n more in a list that is filled once over the log: it
// grows fourfold at first, since memory that is not reached is not touched and
// costs nothing while a copy costs twice; then it doubles; and from a quarter of
// the log on it gets hardly more than the log seems to need, judged by how far
// the reading has come. The garbage of growing by less and less is larger than
// the index, and to grow once more near the end takes the memory of it twice.
func room[T any](b *Builder, list []T, n int) []T {
	need := len(list) + n
	if need <= cap(list) {
		return list
	}
	size := 4 * need
	if read := b.read(); read > b.S.Size/16 {
		size = 2 * need
		if whole := int(1.03 * float64(need) * float64(b.S.Size) / float64(read)); whole <= 4*need {
			size = max(need+need/16, whole)
		}
	}
	return moved(make([]T, 0, size), list)
}

// moved appends a long list to another in steps, between which the garbage
// collector can stop the goroutine: it cannot within a copy, and waits busily and
// sends signals every few microseconds until one of many megabytes is done.
func moved[T any](to, list []T) []T {
	for len(list) > moveStep {
		to, list = move(to, list[:moveStep]), list[moveStep:]
	}
	return move(to, list)
}

// moveStep is how many elements are moved at once.
const moveStep = 1 << 10

// move is a function of its own, not inlined, because the collector stops
// goroutines where one is called.
//
//go:noinline
func move[T any](to, list []T) []T { return append(to, list...) }

// read is how many bytes of the log lie before the entry added last.
func (b *Builder) read() int64 {
	if len(b.S.Entries) == 0 {
		return 0
	}
	return b.S.Entries[len(b.S.Entries)-1].Off
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
	s.ids = newIDs(s)
	for _, same := range s.ids.same {
		for _, i := range same {
			s.Entries[i].Flags |= Unsure
		}
	}
	before := int32(-1) // the entry before with an id: most often the parent
	for i := range s.Entries {
		e := &s.Entries[i]
		switch {
		case e.ParentID == (Text{}):
			e.Parent = NoParent
		case before >= 0 && e.ParentID == s.Entries[before].ID && !s.Entries[before].Is(Unsure):
			e.Parent = before
		default:
			b.findParent(e)
		}
		if e.ID != (Text{}) {
			before = int32(i)
		}
	}
	b.markCycles()
}

// findParent looks for the parent of an entry among all ids.
func (b *Builder) findParent(e *Entry) {
	same := b.S.lookup(b.S.Bytes(e.ParentID))
	if len(same) == 0 {
		e.Parent = MissingParent
		return
	}
	e.Parent = same[len(same)-1]
	if len(same) > 1 {
		e.Flags |= Unsure
	}
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
	n := 0
	for i := leaf; i >= 0 && !seen[i]; i = s.Entries[i].Parent {
		seen[i] = true
		n++
	}
	path := make([]int32, n)
	for i := leaf; n > 0; i = s.Entries[i].Parent {
		n--
		path[n] = i
	}
	return path
}

// Answer is an entry that holds the result of a call.
type Answer struct {
	Entry int32
	Call  Text // the call id that it names
}

// Pair sets the result of each call. The call of an answer is the one with its
// id in the nearest assistant entry above it on its own branch; the first
// answer to a call is kept. It returns the entries that answer no call.
func (b *Builder) Pair(answers []Answer) (orphans []int32) {
	s := b.S
	// above caches the walk up, so that a log of nothing but results is read
	// in one pass: 0 is not walked yet, n+1 leads to entry n, -1 to none.
	above := make([]int32, len(s.Entries))
	var walk []int32
	calls := 0 // the first call of the entry looked at last: most often the one asked for next, or close before it
	for _, a := range answers {
		walk = walk[:0]
		at := a.Entry
		for at >= 0 && above[at] == 0 && s.passesPairing(at) {
			above[at] = -1 // where parents form a ring, the walk ends here
			walk = append(walk, at)
			at = s.Entries[at].Parent
		}
		top := int32(-1)
		switch {
		case at < 0:
		case above[at] != 0:
			top = above[at]
		default:
			top = at + 1
		}
		for _, i := range walk {
			above[i] = top
		}
		if top > 0 {
			calls = s.firstCall(top-1, calls)
		}
		if top <= 0 || !s.answer(calls, top-1, s.Bytes(a.Call), a.Entry) {
			orphans = append(orphans, a.Entry)
		}
	}
	return orphans
}

// passesPairing reports whether an entry may stand between a call and its
// result: other results of the same message, and lines that are not sent.
func (s *Session) passesPairing(i int32) bool {
	switch s.Entries[i].Kind {
	case Result, Meta, Opaque:
		return true
	}
	return false
}

// answer gives the call of entry i that has the id its result r. The calls of
// the entry begin at the one numbered from.
func (s *Session) answer(from int, i int32, id []byte, r int32) bool {
	for n := from; n < len(s.Calls) && s.Calls[n].Entry == i; n++ {
		call := &s.Calls[n]
		if bytes.Equal(s.Bytes(call.ID), id) && call.Result < 0 {
			call.Result = r
			return true
		}
	}
	return false
}

// Freeze sets what is looked up by entry, when all else is done.
func (b *Builder) Freeze() {
	s := b.S
	s.place = slices.Repeat([]int32{-1}, len(s.Entries))
	s.answers = slices.Repeat([]int32{-1}, len(s.Entries))
	for n := range s.Calls {
		if r := s.Calls[n].Result; r >= 0 {
			s.answers[r] = int32(n)
		}
	}
	for p, i := range s.Active {
		s.place[i] = int32(p)
	}
}
