package openclaw

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/tokens"
)

// Plan implements [session.Format]. Each piece is written anew in the fewest
// lines that fit (shape.go). The written lines take over ids of removed ones:
// the first line the first member's, the last line the last member's, so that
// the lines around the piece stay as they are. Metadata lines inside the piece
// stay where they are and are hung between the written ones; other lines that
// name a removed id are pointed to the last written line.
func (Format) Plan(s *session.Session, pieces []session.Piece, t session.PlanTerms) (*session.Plan, error) {
	p := &planner{s: s, terms: t, moved: map[string]string{}, gone: map[int32]bool{}}
	for n := range pieces {
		if err := p.piece(&pieces[n]); err != nil {
			return nil, err
		}
	}
	if err := p.repoint(); err != nil {
		return nil, err
	}
	if err := p.lowerUsage(); err != nil {
		return nil, err
	}
	slices.SortFunc(p.edits, func(a, b session.Edit) int { return cmp.Compare(a.At.Off, b.At.Off) })
	return &session.Plan{Files: []string{s.Path}, Edits: p.edits, Relinked: p.relinked}, nil
}

type planner struct {
	s        *session.Session
	terms    session.PlanTerms
	edits    []session.Edit
	relinked []int32
	moved    map[string]string // removed id -> id of the line that stands for it
	gone     map[int32]bool    // entries written anew or removed
	parents  map[int32]bool    // entries whose parentId was edited already
	put      []placed
}

// placed is what a written line costs in the context, and where it stands.
type placed struct {
	position int // on the active path, of the first member it replaces
	removed  int // estimated tokens of the members
	written  int // estimated tokens of the masks
}

// piece plans one run of members.
func (p *planner) piece(piece *session.Piece) error {
	s := p.s
	lines, err := p.shape(piece)
	if err != nil {
		return fmt.Errorf("%s:%d: plan mask: %w", s.Path, s.Entries[piece.Members[0]].Line, err)
	}
	slots := slotsFor(piece.Members, len(lines))
	last := s.IDOf(slots[len(slots)-1])
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
			p.moved[s.IDOf(i)] = last
		}
	}
	for _, put := range piece.Put {
		cost.written += tokens.EstimateString(put.Text) + tokens.EstimateString(put.Headline)
	}
	p.put = append(p.put, cost)
	return p.weave(piece.Members, written)
}

// slotsFor picks the members whose places and ids the written lines take: the
// first ones, and the last one for the last line.
func slotsFor(members []int32, lines int) []int32 {
	slots := slices.Clone(members[:lines])
	slots[lines-1] = members[len(members)-1]
	return slots
}

// weave edits the lines of the chain from the first member to the last.
func (p *planner) weave(members []int32, written map[int32]*line) error {
	s := p.s
	from := slices.Index(s.Chain, members[0])
	to := slices.Index(s.Chain, members[len(members)-1])
	parent := s.ParentIDOf(members[0])
	for _, i := range s.Chain[from : to+1] {
		raw, err := s.Raw(i)
		if err != nil {
			return err
		}
		switch w := written[i]; {
		case w != nil:
			w.parent, w.stamp = parent, gjson.GetBytes(trimBOM(raw), "timestamp").Raw
			data, err := w.render(p.terms.Generation)
			if err != nil {
				return fmt.Errorf("%s:%d: write mask: %w", s.Path, s.Entries[i].Line, err)
			}
			p.edit(i, session.Range{Off: s.Entries[i].Off, Len: int64(s.Entries[i].Len)}, append(data, lineEnd(raw)...), w.ref)
			parent = w.id
		case p.gone[i]:
			p.edit(i, session.Range{Off: s.Entries[i].Off, Len: int64(s.Entries[i].Len)}, nil, "")
		default:
			if s.ParentIDOf(i) != parent {
				if err := p.point(i, raw, "parentId", parent); err != nil {
					return err
				}
			}
			parent = s.IDOf(i)
		}
	}
	return nil
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

// point makes the value of a top-level key name another entry.
func (p *planner) point(i int32, raw []byte, key, id string) error {
	e := &p.s.Entries[i]
	at, ok := valueRange(raw, key)
	if !ok {
		return fmt.Errorf("%s:%d: re-hang: no %s in the line", p.s.Path, e.Line, key)
	}
	if err := p.s.Sound(i); err != nil {
		return fmt.Errorf("%s: re-hang: %w", p.s.Path, err)
	}
	p.edit(i, session.Range{Off: e.Off + at.Off, Len: at.Len}, quote(id), "")
	if key == "parentId" {
		if p.parents == nil {
			p.parents = map[int32]bool{}
		}
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
	type ref struct {
		at  int32
		key string
		to  string
	}
	var refs []ref
	for i := range s.Entries {
		if to, ok := p.moved[s.ParentIDOf(int32(i))]; ok && !p.gone[int32(i)] && !p.parents[int32(i)] {
			refs = append(refs, ref{int32(i), "parentId", to})
		}
	}
	for _, l := range s.Private.(*links).pointers {
		if to, ok := p.moved[s.Str(l.to)]; ok && !p.gone[l.from] {
			refs = append(refs, ref{l.from, l.key, to})
		}
	}
	for _, r := range refs {
		raw, err := s.Raw(r.at)
		if err != nil {
			return err
		}
		if err := p.point(r.at, raw, r.key, r.to); err != nil {
			return err
		}
	}
	return nil
}

// lowerUsage corrects the figure from which both programs take the context
// size on resume: the total of the last message with a usage. Left as it is it
// still counts what was removed, and pi would compact the session by itself
// (formats page, section 9, measured with pi 1.6.0). What is taken off is a
// low estimate, and the figure never falls below a high one of what is sent.
func (p *planner) lowerUsage() error {
	s := p.s
	for n := len(s.Active) - 1; n >= 0; n-- {
		i := s.Active[n]
		u := s.UsageOf(i)
		if p.gone[i] || u == nil || u.Total <= 0 {
			continue
		}
		removed, sent := 0, 0
		for _, c := range p.put {
			if c.position < n {
				removed += c.removed - c.written
				sent += c.written
			}
		}
		for _, j := range s.Active[:n+1] {
			if !p.gone[j] {
				sent += s.Entries[j].Tokens()
			}
		}
		total := max(int(u.Total)-p.terms.Low(removed), p.terms.High(sent), 1)
		if total >= int(u.Total) {
			return nil
		}
		raw, err := s.Raw(i)
		if err != nil {
			return err
		}
		return p.setTotal(i, raw, total)
	}
	return nil
}

func (p *planner) setTotal(i int32, raw []byte, total int) error {
	if err := p.s.Sound(i); err != nil {
		return fmt.Errorf("%s: lower usage: %w", p.s.Path, err)
	}
	off := p.s.Entries[i].Off
	figure := strconv.Itoa(total)
	if at, ok := valueRange(raw, "message", "usage", "totalTokens"); ok {
		p.edit(i, session.Range{Off: off + at.Off, Len: at.Len}, []byte(figure), "")
	} else if at, ok := valueRange(raw, "message", "usage"); ok && raw[at.Off] == '{' {
		p.edit(i, session.Range{Off: off + at.Off + 1}, []byte(`"totalTokens":`+figure+","), "")
	} else {
		return nil
	}
	p.relinked = append(p.relinked, i)
	return nil
}
