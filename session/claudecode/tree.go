package claudecode

import (
	"cmp"
	"iter"
	"slices"

	"sessc/session"
)

// tree is the conversation as the client puts it together again on resume
// (formats page, section 4; measured with 2.1.328).
type tree struct {
	*reader
	s        *session.Session
	near     []int32           // conversation lines by time, for lines whose parent is missing; nil until needed
	message  map[int32][]int32 // lines of a message by its first one, where it has several
	callOf   links             // calls that a line answers
	answered links             // lines that answer a call
	pruned   []bool            // lines that the last compaction took out, nil when none
	relinked map[int32]int32   // lines that it hung anew, and on what
	tail     int32             // the last line that it kept, -1 none
	anchor   int32             // its summary, below which they hang, -1 none
}

// links lists for each of many things the others that belong to it: nearly
// always none or one.
type links struct {
	first []int32           // -1 none
	many  map[int32][]int32 // all of those that have several
}

func newLinks(n int) links {
	return links{slices.Repeat([]int32{-1}, n), map[int32][]int32{}}
}

func (l *links) add(i, to int32) {
	switch have := l.of(i); len(have) {
	case 0:
		l.first[i] = to
	case 1:
		l.many[i] = []int32{have[0], to}
	default:
		l.many[i] = append(have, to)
	}
}

// of returns what belongs to a thing, in the order in which it was added.
func (l *links) of(i int32) []int32 {
	if l.first[i] < 0 {
		return nil
	}
	if many, ok := l.many[i]; ok {
		return many
	}
	return l.first[i : i+1 : i+1]
}

// Finish implements [session.Reader].
func (r *reader) Finish(b *session.Builder) {
	b.Link()
	s := b.S
	s.ID = r.sessionID(s.Path)
	s.Private = r.private
	t := &tree{
		reader: r, s: s, message: map[int32][]int32{}, callOf: newLinks(len(s.Entries)), answered: newLinks(len(s.Calls)),
		relinked: map[int32]int32{}, tail: -1, anchor: -1,
	}
	t.supersede()
	t.gather()
	t.pair()
	t.prune()
	s.Leaf = t.leaf()
	s.Chain = t.chain(s.Leaf)
	s.Active = t.active()
	t.state()
	t.fix()
}

// supersede takes lines out of the tree whose uuid a later line has: the last
// one counts.
func (t *tree) supersede() {
	for i := range t.s.Entries {
		if t.types[i] == beside || !t.s.Entries[i].Is(session.Unsure) {
			continue
		}
		if same := t.s.Lookup(t.s.IDOf(int32(i))); same[len(same)-1] != int32(i) {
			t.types[i] = superseded
		}
	}
}

// gather lists the lines of each message that has several.
func (t *tree) gather() {
	for i := range t.s.Entries {
		head := t.s.MessageOf(int32(i))
		if head == int32(i) || t.types[i] != assistant {
			continue
		}
		if t.message[head] == nil && t.types[head] == assistant {
			t.message[head] = []int32{head}
		}
		t.message[head] = append(t.message[head], int32(i))
	}
}

// lines are all lines of a message, in file order.
func (t *tree) lines(i int32) []int32 {
	head := t.s.MessageOf(i)
	if all := t.message[head]; all != nil {
		return all
	}
	return []int32{i}
}

// pair finds the call of each answer. A call id is nearly always there once;
// where it is not, the call in the message that the answer hangs on counts,
// else the last one before it.
func (t *tree) pair() {
	s := t.s
	byID := make(map[string]int32, len(s.Calls)) // the first call with an id
	all := newLinks(len(s.Calls))                // all calls with its id, by the first
	for n := range s.Calls {
		if t.types[s.Calls[n].Entry] == superseded {
			continue
		}
		id := session.View(s.Bytes(s.Calls[n].ID))
		first, ok := byID[id]
		if !ok {
			first = int32(n)
			byID[id] = first
		}
		all.add(first, int32(n))
	}
	for _, a := range t.answers {
		if t.types[a.entry] == superseded {
			continue
		}
		call, ok := byID[session.View(s.Bytes(a.call))]
		if !ok {
			continue
		}
		if same := all.of(call); len(same) > 1 {
			call = t.callAbove(a.entry, same)
		}
		if call >= 0 {
			t.callOf.add(a.entry, call)
			t.answered.add(call, a.entry)
		}
	}
}

// callAbove chooses, among calls with one id, that of the message above a
// line, else the last one before it in the file.
func (t *tree) callAbove(entry int32, same []int32) int32 {
	up := t.above(entry)
	for steps := 0; up >= 0 && t.types[up] != assistant && steps < maxNotes; steps++ {
		up = t.above(up)
	}
	before := int32(-1)
	for _, c := range same {
		at := t.s.Calls[c].Entry
		if up >= 0 && t.s.MessageOf(at) == t.s.MessageOf(up) {
			return c
		}
		if at < entry {
			before = c
		}
	}
	return before
}

// maxNotes bounds how many lines are looked through between a result and its
// call; parents may form a ring.
const maxNotes = 4096

// up is the line above one, as the client sees it after the last compaction.
func (t *tree) up(i int32) int32 {
	if to, ok := t.relinked[i]; ok {
		return to
	}
	p := t.s.Entries[i].Parent
	if t.pruned != nil && p >= 0 && t.pruned[p] && !t.pruned[i] {
		if t.tail >= 0 {
			return t.tail
		}
		return t.nearest(i)
	}
	return t.above(i)
}

// above is the line above one as the file has it: its parent, or, where that
// is missing, the line that the client takes for it.
func (t *tree) above(i int32) int32 {
	if p := t.s.Entries[i].Parent; p != session.MissingParent {
		return max(p, -1)
	}
	return t.nearest(i)
}

// nearest is the line of the conversation whose time is the nearest before
// that of a line.
func (t *tree) nearest(i int32) int32 {
	if t.s.Entries[i].Time == 0 {
		return -1
	}
	if t.near == nil {
		t.near = []int32{}
		for j := range t.s.Entries {
			if typ := t.types[j]; (typ == user || typ == assistant || typ == attached) && t.s.Entries[j].Time != 0 {
				t.near = append(t.near, int32(j))
			}
		}
		slices.SortFunc(t.near, t.byTime)
	}
	at, _ := slices.BinarySearchFunc(t.near, i, t.byTime)
	for at--; at >= 0; at-- {
		if j := t.near[at]; t.pruned == nil || t.pruned[i] || !t.pruned[j] {
			return j
		}
	}
	return -1
}

func (t *tree) byTime(a, b int32) int {
	return cmp.Or(cmp.Compare(t.s.Entries[a].Time, t.s.Entries[b].Time), cmp.Compare(a, b))
}

// talks reports whether a line moves the leaf.
func (t *tree) talks(i int32) bool { return t.types[i] == user || t.types[i] == assistant }

// leaf finds the active leaf: the last line of a user or the model in file
// order, whatever its time, unless a last-prompt line behind the last
// compaction names a line that is not on its branch: then that line. One that
// names no line decides nothing. What hangs on the leaf without being a turn
// comes with it.
func (t *tree) leaf() int32 {
	leaf := int32(len(t.s.Entries)) - 1
	for leaf >= 0 && (!t.talks(leaf) || t.isPruned(leaf)) {
		leaf--
	}
	t.private.last, t.private.answer = leaf, leaf
	for a := &t.private.answer; *a >= 0 && t.types[*a] != assistant; {
		*a--
	}
	if named := t.named(); named >= 0 && !t.passes(leaf, t.group(named)) {
		leaf = named
	}
	if leaf < 0 {
		return -1
	}
	if leaf == t.anchor {
		leaf = t.tail // nothing came since: what was kept goes on from the summary (measured with 2.1.328)
	}
	tip, hangs := leaf, map[int32]bool{leaf: true}
	for i := int(leaf) + 1; i < len(t.s.Entries); i++ {
		switch typ := t.types[i]; {
		case !hangs[t.s.Entries[i].Parent] || t.isPruned(int32(i)):
		case typ == attached || typ == passing:
			tip = int32(i)
			fallthrough
		case typ == fleeting:
			hangs[int32(i)] = true
		}
	}
	return tip
}

func (t *tree) isPruned(i int32) bool { return t.pruned != nil && t.pruned[i] }

// named is the line that the newest last-prompt line names, -1 when that can be
// no leaf.
func (t *tree) named() int32 {
	if len(t.leaves) == 0 {
		return -1
	}
	same := t.s.Lookup(t.s.Str(t.leaves[len(t.leaves)-1]))
	if len(same) == 0 {
		return -1
	}
	i := same[len(same)-1]
	if typ := t.types[i]; typ == beside || typ == fleeting || t.isPruned(i) {
		return -1
	}
	return i
}

// passes reports whether the way up from a line meets a set of lines.
func (t *tree) passes(i int32, set map[int32]bool) bool {
	seen := make([]bool, len(t.s.Entries))
	for ; i >= 0 && !seen[i]; i = t.up(i) {
		if set[i] {
			return true
		}
		seen[i] = true
	}
	return false
}

// group is a line with the other lines of its message and their results: these
// hang on different lines of it, and the conversation goes on from one of them.
func (t *tree) group(i int32) map[int32]bool {
	set := map[int32]bool{i: true}
	heads := []int32{}
	if t.types[i] == assistant {
		heads = append(heads, i)
	}
	for _, c := range t.callOf.of(i) {
		heads = append(heads, t.s.Calls[c].Entry)
	}
	for _, h := range heads {
		for _, line := range t.lines(h) {
			set[line] = true
			for c := range t.callsOf(line) {
				for _, a := range t.answered.of(c) {
					set[a] = true
				}
			}
		}
	}
	return set
}

// callsOf yields the indexes of the calls in a line.
func (t *tree) callsOf(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for c := t.s.FirstCall(i); c < len(t.s.Calls) && t.s.Calls[c].Entry == i; c++ {
			if !yield(int32(c)) {
				return
			}
		}
	}
}
