package openclaw

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sessc/session"
	"sessc/session/jsonwalk"
	"sessc/tokens"
)

// Plan implements [session.Format]. Each piece is written anew in the fewest
// lines that fit (shape.go). The written lines take over ids of removed ones:
// the first line the first member's, the last line the last member's, so that
// the lines around the piece stay as they are. Metadata lines inside the piece
// stay where they are and are hung between the written ones; other lines that
// name a removed id are pointed to the last written line. Of a piece whose
// members stay only texts inside the lines are replaced (change.go).
func (Format) Plan(s *session.Session, pieces []session.Piece, t session.PlanTerms) (*session.Plan, error) {
	p := &planner{
		s: s, terms: t, moved: map[string]move{}, gone: map[int32]bool{}, parents: map[int32]bool{}, marked: map[int32]bool{},
		place: make([]int32, len(s.Entries)), roles: map[int]string{},
	}
	for n := range p.place {
		p.place[n] = -1
	}
	for n, i := range s.Chain {
		p.place[i] = int32(n)
	}
	var bad session.Unfits
	for n := range pieces {
		from, plan := len(p.edits), p.piece
		if pieces[n].Stay {
			plan = p.change
		}
		err := plan(&pieces[n])
		if err != nil && bad.Err() != nil && p.besideMask(&pieces[n]) {
			continue // it may fit when that mask goes, with a piece that does not
		}
		if err := bad.Add(err); err != nil {
			return nil, err
		}
		for e := from; e < len(p.edits); e++ {
			p.edits[e].Piece = n + 1
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if err := p.repoint(); err != nil {
		return nil, err
	}
	if err := p.lowerUsage(); err != nil {
		return nil, err
	}
	if err := p.wholeLines(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(p.edits, func(a, b session.Edit) int { return cmp.Compare(a.At.Off, b.At.Off) })
	slices.Sort(p.relinked)
	return &session.Plan{Files: []string{s.Path}, Edits: p.edits, Relinked: slices.Compact(p.relinked)}, nil
}

type planner struct {
	s        *session.Session
	terms    session.PlanTerms
	place    []int32 // position on the chain per entry, -1 off it
	edits    []session.Edit
	relinked []int32
	moved    map[string]move // by removed id
	gone     map[int32]bool  // entries written anew or removed
	parents  map[int32]bool  // entries whose parentId was edited already
	marked   map[int32]bool  // entries that stay, changed inside
	roles    map[int]string  // position of a piece's last member -> role of its last mask
	put      []placed
}

// move says where references to a removed member lead from now on.
type move struct {
	member int32
	to     string // id of the line that stands for it
}

// placed is what a piece costs in the context before and after, and where it
// stands.
type placed struct {
	position int  // on the active path, of the first member
	removed  int  // estimated tokens of the members
	written  int  // estimated tokens of the masks
	stay     bool // the members stay, and these are tokens of texts inside them
}

// besideMask reports whether a mask stands right before a piece, on which hangs
// what fits there.
func (p *planner) besideMask(piece *session.Piece) bool {
	if len(piece.Members) == 0 || piece.Stay {
		return false
	}
	_, ok := p.roles[p.s.Position(piece.Members[0])-1]
	return ok
}

// piece plans one run of members.
func (p *planner) piece(piece *session.Piece) error {
	s := p.s
	if len(piece.Members) == 0 || len(piece.Put) == 0 {
		return fmt.Errorf("%s: plan mask: a piece without members or masks", s.Path)
	}
	at := int32(0)
	for _, i := range piece.Members {
		if s.Position(i) < 0 || p.place[i] < at {
			return fmt.Errorf("%s:%d: plan mask: the members are not on the active path in order", s.Path, s.LineOf(i))
		}
		at = p.place[i]
	}
	lines, err := p.shape(piece)
	if err != nil {
		return &session.Unfit{Member: piece.Members[0], Why: fmt.Errorf("line %d: %w", s.LineOf(piece.Members[0]), err)}
	}
	end := piece.Members[len(piece.Members)-1]
	slots := slotsFor(piece.Members, len(lines))
	last := s.IDOf(end)
	written := map[int32]*line{}
	for n := range lines {
		lines[n].id = s.IDOf(slots[n])
		written[slots[n]] = &lines[n]
	}
	cost := placed{position: s.Position(piece.Members[0])}
	for _, i := range piece.Members {
		p.gone[i] = true
		cost.removed += s.Entries[i].Tokens()
		if written[i] == nil {
			p.moved[s.IDOf(i)] = move{i, last}
		}
	}
	for _, put := range piece.Put {
		cost.written += tokens.EstimateString(put.Text) + tokens.EstimateString(put.Headline)
	}
	p.put = append(p.put, cost)
	if err := p.weave(piece, written); err != nil {
		return err
	}
	p.roles[s.Position(end)] = lines[len(lines)-1].role()
	return nil
}

// slotsFor picks the members whose places and ids the written lines take: the
// first ones, and the last one for the last line.
func slotsFor(members []int32, lines int) []int32 {
	slots := slices.Clone(members[:lines])
	slots[lines-1] = members[len(members)-1]
	return slots
}

// weave edits the lines of the chain from the first member to the last.
func (p *planner) weave(piece *session.Piece, written map[int32]*line) error {
	s, members := p.s, piece.Members
	from, to := p.place[members[0]], p.place[members[len(members)-1]]
	parent := s.ParentIDOf(members[0])
	for _, i := range s.Chain[from : to+1] {
		raw, err := s.Raw(i)
		if err != nil {
			return err
		}
		whole := session.Range{Off: s.Entries[i].Off, Len: int64(s.Entries[i].Len)}
		switch w := written[i]; {
		case w != nil:
			w.parent, w.stamp = parent, p.stamp(i)
			data, err := w.render(p.terms.Generation)
			if err != nil {
				return fmt.Errorf("%s:%d: write mask: %w", s.Path, s.LineOf(i), err)
			}
			p.edit(i, whole, append(data, lineEnd(raw)...), w.ref)
			parent = w.id
		case p.gone[i]:
			p.edit(i, whole, nil, p.refOf(piece, i))
		default:
			if s.ParentIDOf(i) != parent {
				if err := p.point(i, raw, "parentId", parent); err != nil {
					return &session.Unfit{Member: members[0], Why: err}
				}
			}
			parent = s.IDOf(i)
		}
	}
	return nil
}

// stamp is the time that a written line gets, as the programs write it: that of
// the line it replaces, or of the nearest one before it that has any. The
// strict reader of OpenClaw drops entries whose stamp is none.
func (p *planner) stamp(i int32) time.Time {
	s := p.s
	for at := p.place[i]; at >= 0; at-- {
		if t := s.Entries[s.Chain[at]].When(); !t.IsZero() {
			return t
		}
	}
	return time.UnixMilli(0).UTC()
}

// refOf is the mask that a removed member goes with: that of its own call, or
// the last one of the piece.
func (p *planner) refOf(piece *session.Piece, i int32) string {
	for _, put := range piece.Put {
		if put.Call >= 0 && (p.s.Calls[put.Call].Entry == i || p.s.Calls[put.Call].Result == i) {
			return put.Ref
		}
	}
	return piece.Put[len(piece.Put)-1].Ref
}

func lineEnd(raw []byte) string {
	switch n := len(raw); {
	case n > 1 && raw[n-2] == '\r' && raw[n-1] == '\n':
		return "\r\n"
	case n > 0 && raw[n-1] == '\n':
		return "\n"
	}
	return ""
}

func (p *planner) edit(i int32, at session.Range, data []byte, ref string) {
	p.edits = append(p.edits, session.Edit{At: at, Data: data, Entries: []int32{i}, Ref: ref})
}

// point makes the value of a top-level key name another entry, or none.
func (p *planner) point(i int32, raw []byte, key, id string) error {
	e := &p.s.Entries[i]
	at, ok := valueAt(raw, key)
	if !ok {
		return fmt.Errorf("line %d has no %s to re-hang it by", p.s.LineOf(i), key)
	}
	if err := p.s.Sound(i); err != nil {
		return fmt.Errorf("re-hang: %w", err)
	}
	value := jsonwalk.Quote(id)
	if id == "" {
		value = []byte("null")
	}
	p.edit(i, session.Range{Off: e.Off + at.Off, Len: at.Len}, value, "")
	if key == "parentId" {
		p.parents[i] = true
	}
	p.relinked = append(p.relinked, i)
	return nil
}

// repoint moves every other reference to a removed id.
func (p *planner) repoint() error {
	s := p.s
	if len(p.moved) == 0 {
		return nil
	}
	var bad session.Unfits
	for n := range s.Entries {
		i := int32(n)
		if m, ok := p.moved[string(s.Bytes(s.Entries[i].ParentID))]; ok && !p.parents[i] {
			if err := bad.Add(p.pointAway(i, "parentId", m)); err != nil {
				return err
			}
		}
	}
	for _, l := range s.Private.(*private).pointers {
		if m, ok := p.moved[string(s.Bytes(l.to))]; ok {
			if err := bad.Add(p.pointAway(l.from, l.key, m)); err != nil {
				return err
			}
		}
	}
	return bad.Err()
}

// pointAway is point for a line that stays and led to a removed member.
func (p *planner) pointAway(i int32, key string, m move) error {
	if p.gone[i] {
		return nil
	}
	raw, err := p.s.Raw(i)
	if err != nil {
		return err
	}
	if err := p.point(i, raw, key, m.to); err != nil {
		return &session.Unfit{Member: m.member, Why: err}
	}
	return nil
}

// lowerUsage corrects the figure from which both programs take the context
// size on resume: the total of the last message with a usage. Left as it is it
// still counts what was removed, and pi would compact the session by itself
// (formats page, section 9, measured with pi 1.6.0). A turn that ended in an
// error is passed over by pi, so the last one that did not is corrected too.
func (p *planner) lowerUsage() error {
	s := p.s
	for n := len(s.Active) - 1; n >= 0; n-- {
		i := s.Active[n]
		u := s.UsageOf(i)
		// A line that is not valid JSON is no message to the programs either.
		if p.gone[i] || u == nil || u.Total <= 0 || s.Sound(i) != nil {
			continue
		}
		if total := p.totalAt(n, int(u.Total)); total < int(u.Total) {
			if err := p.setTotal(i, total); err != nil {
				return err
			}
		}
		if s.Entries[i].Is(session.Ended) {
			return nil
		}
	}
	return nil
}

// totalAt is the context size at a position of the active path after masking.
// What is taken off the recorded total is a low estimate, and the figure never
// falls below a high one of what is sent.
func (p *planner) totalAt(position, recorded int) int {
	s := p.s
	removed, sent := 0, 0
	for _, c := range p.put {
		if c.position < position {
			removed += c.removed - c.written
			sent += c.written
			if c.stay {
				sent -= c.removed // which the entry below counts
			}
		}
	}
	for _, i := range s.Active[:position+1] {
		if !p.gone[i] {
			sent += s.Entries[i].Tokens()
		}
	}
	return max(recorded-p.terms.Low(removed), p.terms.High(sent), 1)
}

func (p *planner) setTotal(i int32, total int) error {
	raw, err := p.s.Raw(i)
	if err != nil {
		return err
	}
	off := p.s.Entries[i].Off
	figure := strconv.Itoa(total)
	if at, ok := valueAt(raw, "message", "usage", "totalTokens"); ok {
		if c := raw[at.Off]; c == '[' || c == '{' {
			return nil // no program takes it for a figure, so that nothing is too high
		}
		p.edit(i, session.Range{Off: off + at.Off, Len: at.Len}, []byte(figure), "")
	} else if at, ok := valueAt(raw, "message", "usage"); ok && raw[at.Off] == '{' {
		p.edit(i, session.Range{Off: off + at.Off + 1}, []byte(`"totalTokens":`+figure+","), "")
	} else {
		return nil
	}
	p.relinked = append(p.relinked, i)
	return nil
}
