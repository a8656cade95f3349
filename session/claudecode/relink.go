package claudecode

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// relink hangs what is left of the segments, and what hung on their lines: a
// line whose parent is missing is hung on another one by its time, and one
// without a parent cuts off all before it (formats page, section 4). The way
// leads from the line above a segment to its call, its result and on to what
// came behind it. Lines that are never sent stay beside it, on the result:
// versions with progress lines take these out of the way while they read, in
// the order of the file, so that none may hang on a later one (measured with
// 2.1.328: such a one cut off all before it).
func (p *planner) relink() error {
	if len(p.segments) == 0 {
		return nil
	}
	place := slices.Repeat([]int32{-1}, len(p.s.Entries))
	for n, i := range p.s.Chain {
		place[i] = int32(n)
	}
	slices.SortFunc(p.segments, func(a, b segment) int { return int(place[a.members[0]] - place[b.members[0]]) })
	bad := &unfits{p: p}
	for n := range p.segments {
		switch err := p.weave(n, place); {
		case errors.Is(err, errLater) && bad.any():
			// It may fit when what cannot be planned is left alone.
		case err != nil:
			bad.add(n, err)
		}
	}
	if bad.any() {
		return bad.Err()
	}
	for n := range p.s.Entries {
		i, at := int32(n), p.s.Entries[n].Parent
		of, hung := p.within[at]
		own, inside := p.within[i]
		switch {
		case !hung || p.isGone(i) || inside && (i == p.segments[own].call || i == p.segments[own].result):
		case !inside && place[i] >= 0 && p.top(at, of) != p.top(p.segments[of].members[0], of):
			bad.add(of, fmt.Errorf("line %d leads past a line that stays", p.s.LineOf(i)))
		case p.isGone(at) || !inside && place[i] >= 0:
			p.hung[i] = hook{p.segments[of].result, of}
		}
	}
	if bad.any() {
		return bad.Err()
	}
	return p.repoint()
}

// hook is what a line is hung on, and the segment for whose sake.
type hook struct {
	line    int32
	segment int // -1 for none
}

// parentOf is the line that a line hangs on after the rewrite.
func (p *planner) parentOf(i int32) int32 {
	if h, ok := p.hung[i]; ok {
		return h.line
	}
	return p.s.Entries[i].Parent
}

// rehang writes the new parents, in the order of the file: which segment is
// found unfit first must not hang on chance.
func (p *planner) rehang() error {
	bad := &unfits{p: p}
	for _, i := range slices.Sorted(maps.Keys(p.hung)) {
		h := p.hung[i]
		if p.ballast[i] {
			continue
		}
		switch err := p.hang(i, h.line); {
		case err != nil && h.segment >= 0:
			bad.add(h.segment, err)
		case err != nil && !bad.any():
			return fmt.Errorf("%s:%d: %w", p.s.Path, p.s.LineOf(i), err)
		}
	}
	return bad.Err()
}

// unfits collects the segments that cannot be planned. What makes one unfit is a
// line that stays, so that one is unfit also when others are left alone.
type unfits struct {
	session.Unfits
	p    *planner
	seen map[int]bool // segments
}

// any reports whether there is one.
func (u *unfits) any() bool { return len(u.seen) > 0 }

// add takes in a segment, once.
func (u *unfits) add(segment int, err error) {
	if u.seen[segment] {
		return
	}
	if u.seen == nil {
		u.seen = map[int]bool{}
	}
	u.seen[segment] = true
	first := u.p.segments[segment].members[0]
	u.Add(&session.Unfit{Member: first, Why: fmt.Errorf("%s:%d: hang lines anew: %w", u.p.s.Path, u.p.s.LineOf(first), err)})
}

// weave hangs the call and the result of one segment.
func (p *planner) weave(n int, place []int32) error {
	s, seg := p.s, &p.segments[n]
	from, to := place[seg.members[0]], place[seg.members[len(seg.members)-1]]
	if from < 0 || to < from {
		return errors.New("its members are not on the active path in order")
	}
	for _, i := range s.Chain[from : to+1] {
		if s.Entries[i].Kind.Role() != "" && !p.isGone(i) && i != seg.call && i != seg.result {
			return fmt.Errorf("line %d stands between its members", s.LineOf(i))
		}
		p.within[i] = n
	}
	up, err := p.above(n, place)
	if err != nil {
		return err
	}
	p.hung[seg.call], p.hung[seg.result] = hook{up, n}, hook{seg.call, n}
	return nil
}

var errLater = errors.New("it hangs on what goes with a later part")

// above is the line on which a segment hangs: the first above its members that
// is none of its lines, or the result of the segment that this belongs to.
func (p *planner) above(n int, place []int32) (int32, error) {
	up := p.segments[n].members[0]
	for steps := 0; ; steps++ {
		of, inside := p.within[up]
		switch {
		case up == session.MissingParent:
			return 0, errors.New("the parent of its first line is missing")
		case inside && of != n:
			return p.segments[of].result, nil
		case !inside && up >= 0 && p.isGone(up):
			return 0, errLater
		case !inside && up >= 0 && place[up] < 0:
			return 0, errors.New("its first line hangs on another branch")
		case !inside:
			return up, nil
		case steps > len(p.s.Entries):
			return 0, errors.New("its parents form a ring")
		}
		up = p.s.Entries[up].Parent
	}
}

// top is the first line above one that is no line of a segment. Where a line of
// the conversation hangs on a segment, it is the one above all of it: a line
// that stays, though its message is sent behind the segment, may stand between
// two members on the way up, and would be cut off.
func (p *planner) top(i int32, segment int) int32 {
	for steps := 0; steps <= len(p.s.Entries); steps++ {
		if of, inside := p.within[i]; !inside || of != segment {
			break
		}
		i = p.s.Entries[i].Parent
	}
	return i
}

// repoint looks for the uuids of removed lines in all that stays. Known pointers
// are moved to what is left of the segment; a uuid anywhere else is a
// reference that nobody here understands, so that the segment stays.
func (p *planner) repoint() error {
	ids := map[string]int32{}
	sizes := map[int]bool{}
	for i := range p.within {
		if id := p.s.IDOf(i); id != "" {
			ids[id] = i
			sizes[len(id)] = true
		}
	}
	bad := &unfits{p: p}
	for n := range p.s.Entries {
		i := int32(n)
		if k := p.s.Entries[i].Kind; p.isGone(i) || k == session.Blank || k == session.Damaged {
			continue
		}
		raw, err := p.s.Raw(i)
		if err != nil {
			return err
		}
		for _, at := range quoted(raw, sizes) {
			gone, ok := ids[string(raw[at[0]:at[1]])]
			if !ok || bad.seen[p.within[gone]] {
				continue
			}
			if err := p.pointer(i, at, gone); err != nil {
				bad.add(p.within[gone], err)
			}
		}
	}
	return bad.Err()
}

// quoted lists the ranges of raw strings of given sizes in a line. A quote
// within a string has a backslash before it.
func quoted(raw []byte, sizes map[int]bool) [][2]int {
	var found [][2]int
	for at := 0; ; {
		n := bytes.IndexByte(raw[at:], '"')
		if n < 0 {
			return found
		}
		at += n + 1
		if at > 1 && raw[at-2] == '\\' {
			continue
		}
		for size := range sizes {
			if end := at + size; end < len(raw) && raw[end] == '"' {
				found = append(found, [2]int{at, end})
			}
		}
	}
}

// pointer moves one reference to a line of a segment that was removed.
func (p *planner) pointer(i int32, at [2]int, gone int32) error {
	w, err := p.line(i)
	if err != nil && !p.isGone(gone) {
		return nil
	}
	if err != nil {
		return err
	}
	inside := func(key string) bool {
		from, to, ok := w.member(key)
		return ok && from == at[0]-1 && to == at[1]+1
	}
	seg := &p.segments[p.within[gone]]
	switch {
	case !p.isGone(gone):
		if gone != seg.call || !inside("messageId") {
			return nil
		}
		return p.saved(w, seg)
	case inside("parentUuid"): // hung anew, or of a line that is in no conversation
		if p.s.Entries[i].Parent == gone {
			return nil
		}
	case inside("leafUuid"):
		return w.point("leafUuid", jsonwalk.Quote(p.s.IDOf(seg.result)))
	case inside("sourceToolAssistantUUID") && i == seg.result:
		return w.point("sourceToolAssistantUUID", jsonwalk.Quote(p.s.IDOf(seg.call)))
	case inside("messageId"):
		return p.saved(w, seg)
	}
	return fmt.Errorf("line %d names line %d in a way that is not understood", p.s.LineOf(i), p.s.LineOf(gone))
}

// saved moves a snapshot of files that was taken at a removed line to the call
// that stands for it. The client keeps one for each line that it names, the
// last one in the file, and each holds all that was saved since the prompt to
// which it belongs: so all of a segment must belong to one.
func (p *planner) saved(w *rewrite, seg *segment) error {
	prompt := w.get("snapshot.messageId").String()
	if seg.prompt != "" && seg.prompt != prompt {
		return errors.New("files were saved in it for several prompts")
	}
	seg.prompt = prompt
	if w.get("messageId").String() == p.s.IDOf(seg.call) {
		return nil
	}
	return w.point("messageId", jsonwalk.Quote(p.s.IDOf(seg.call)))
}
