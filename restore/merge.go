package restore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"sessc/archive"
	"sessc/session"
	"sessc/writer"
)

// merger knows where the edits of a rewrite stand in a log in which another
// program has changed lines since.
type merger struct {
	g       *archive.Generation
	written writer.Written
	piece   []int        // the piece of each edit, see [writer.WrittenEdit]
	inline  bool         // its masks are ranges inside lines, not lines of their own
	begins  []int64      // where each line of the log begins, and its end
	match   []int        // line of our output -> line of the log, -1 if it is gone or changed
	missing []int        // edits whose old bytes were deleted by forget
	broken  map[int]bool // pieces that stay: masks do not all stand unaltered, or bytes are missing
	altered []string     // what is wrong with their masks
	fit     int          // pieces that stand and can be undone
}

// nearest finds the newest rewrite whose masks stand in the log. One of which
// all masks stand is preferred to a newer one that was made to another copy of
// the session, and one that is complete to one of which a part was forgotten,
// unless that is a later rewrite of the log.
func (w *way) nearest(ctx context.Context, all []archive.Generation, marks map[string]int) (*archive.Generation, *merger, error) {
	if len(marks) == 0 {
		return nil, nil, nil
	}
	sums, begins, err := writer.SumLines(io.NewSectionReader(w.now.r, 0, w.now.size))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", w.s.Path, err)
	}
	begins = append(begins, w.now.size)
	var best, part *merger // with altered masks, with forgotten ones
	for i := range all {
		g, err := w.arch.Load(ctx, all[i].ID)
		if err != nil {
			return nil, nil, err
		}
		m := &merger{g: g, begins: begins, broken: map[int]bool{}}
		if m.missing, err = w.arch.Missing(ctx, g.ID, 0); err != nil {
			return nil, nil, err
		}
		for _, n := range m.missing {
			w.forgotten[g.Files[0].Edits[n].Ref] = true
		}
		if numberOf(g, w.now.index) == 0 || !m.load() {
			continue
		}
		m.match = align(m.written.Sums(), sums)
		m.written.Lines, g.Options = nil, "" // large, and read
		if m.stray(w.now.index) {
			w.strays = true
			continue
		}
		m.judge(w.now.index)
		switch {
		case len(m.altered) == 0 && m.fit == 0:
			continue // what it could bring back was forgotten
		case len(m.altered) == 0 && len(m.missing) == 0 && (part == nil || numberOf(g, w.now.index) >= numberOf(part.g, w.now.index)):
			return g, m, nil
		case len(m.altered) == 0:
			if part == nil {
				part = m
			}
			continue
		}
		if best == nil || best.fit == 0 && m.fit > 0 {
			best = m
		}
	}
	if part != nil {
		return part.g, part, nil
	}
	if best == nil {
		return nil, nil, nil
	}
	// Masks inside lines depend on no other line: the rest can be undone in place.
	if w.o.Output == "" && (!best.inline || best.fit == 0 && len(w.undone) == 0) {
		return nil, nil, &writer.Refusal{
			Path: w.s.Path, Why: strings.Join(best.altered, ", "),
			Hint: "write what can be restored with --output, and look the rest up with sessc expand",
		}
	}
	if best.fit == 0 {
		w.tried[best.g.ID] = true
		w.kind = Partial
		w.foreign = append(w.foreign, best.altered...)
		return w.next(ctx)
	}
	return best.g, best, nil
}

// load reads what the generation says of its lines, and reports whether it
// says enough.
func (m *merger) load() bool {
	var options struct {
		Written writer.Written `json:"written"`
	}
	if json.Unmarshal([]byte(m.g.Options), &options) != nil {
		return false
	}
	m.written = options.Written
	lines := len(m.written.Sums())
	if len(m.written.Edits) != len(m.g.Files[0].Edits) {
		return false
	}
	for n, e := range m.g.Files[0].Edits {
		at := m.written.Edits[n]
		if at.Line < 0 || at.Line > lines || at.At < 0 || e.New.Len > 0 && at.Line == lines {
			return false
		}
		m.piece = append(m.piece, at.Piece)
		m.inline = m.inline || e.Ref != "" && at.At > 0
	}
	if m.inline {
		m.pieceLines()
	}
	return true
}

// pieceLines numbers the pieces of a rewrite that masked inside lines: what
// goes with one mask is undone as one, and so is what shares a line with it,
// since a line has but one marker.
func (m *merger) pieceLines() {
	first := map[string]int{} // ref, or "" and a line -> a piece
	to := []int{0}            // piece -> the piece that it became part of
	root := func(p int) int {
		for to[p] != p {
			p = to[p]
		}
		return p
	}
	of := func(key string) int {
		if _, ok := first[key]; !ok {
			first[key] = len(to)
			to = append(to, len(to))
		}
		return root(first[key])
	}
	edits := m.g.Files[0].Edits
	for n, e := range edits {
		if e.Ref != "" {
			ref, line := of(e.Ref), of(fmt.Sprint("\x00", m.written.Edits[n].Line)) // before to is indexed: of appends to it
			to[ref] = line
		}
	}
	for n, e := range edits {
		m.piece[n] = 0
		if e.Ref != "" {
			m.piece[n] = of(e.Ref)
		}
	}
}

// pieceOf is the piece of a removed entry: that of the first edit in it that
// belongs to one, 0 when none does.
func (m *merger) pieceOf(e *archive.Entry) int {
	edits := m.g.Files[0].Edits
	n, _ := slices.BinarySearchFunc(edits, e.Old.Off, func(e archive.Edit, off int64) int { return cmp.Compare(e.Old.Off, off) })
	for ; n < len(edits) && edits[n].Old.Off < e.Old.End(); n++ {
		if m.piece[n] > 0 {
			return m.piece[n]
		}
	}
	return 0
}

// stray reports whether the generation's masks came into the log as copies of
// single lines: then there is nothing to undo, and they stay. A log of another
// session was forked from this one only if it holds other lines of it too. In
// a log of the same session the entries that a mask stands for are gone; where
// they stand beside it, it comes from another copy.
func (m *merger) stray(s *session.Session) bool {
	if s.Name() != m.g.Session && !slices.ContainsFunc(m.match, func(j int) bool {
		if j < 0 || j >= len(s.Entries) {
			return false
		}
		_, mask := s.Mark(int32(j))
		return !mask && s.IDOf(int32(j)) != ""
	}) {
		return true
	}
	stands, beside := marksIn(s), map[string]bool{}
	for _, e := range m.g.Entries {
		beside[e.Ref] = beside[e.Ref] || inLog(s, e.ID)
	}
	for _, mask := range m.g.Masks {
		if _, ok := stands[mask.Ref]; ok && !beside[mask.Ref] {
			return false
		}
	}
	return true
}

// inLog reports whether an entry that a rewrite removed stands in the log; a
// mask may have its id.
func inLog(s *session.Session, id string) bool {
	return id != "" && slices.ContainsFunc(s.Lookup(id), func(i int32) bool {
		_, mask := s.Mark(i)
		return !mask
	})
}

// undone returns the pieces that were undone before: all that was removed for
// them stands in the log.
func (m *merger) undone(s *session.Session) map[int]bool {
	pieces := map[int]bool{}
	for _, e := range m.g.Entries {
		p := m.pieceOf(&e)
		before, known := pieces[p]
		pieces[p] = (before || !known) && inLog(s, e.ID)
	}
	return pieces
}

// judge finds the pieces that are not as they were written. A fork of the
// session (it has an id of its own) need not hold all of them: pieces of which
// nothing is there are no fault of it.
func (m *merger) judge(s *session.Session) {
	edits := m.g.Files[0].Edits
	stands, gone := map[int]bool{}, map[int][]string{}
	for _, n := range m.missing {
		m.broken[m.piece[n]] = true
	}
	told := map[int]bool{}         // lines of our output that were looked for
	marked := map[string][]int32{} // masks that are not as they were, by ref
	kept := map[int]bool{}         // lines of the log that are as they were
	for _, j := range m.match {
		kept[j] = true
	}
	for i := range s.Entries {
		if mark, ok := s.Mark(int32(i)); ok && !kept[i] {
			marked[mark.Ref] = append(marked[mark.Ref], int32(i))
		}
	}
	for n, e := range edits {
		at, p := m.written.Edits[n], m.piece[n]
		switch {
		case e.Ref == "" || p == 0 || e.New.Len == 0 && at.At == 0:
		case m.match[at.Line] >= 0:
			stands[p] = true
		case told[at.Line]:
		default:
			told[at.Line] = true
			ref := e.Ref
			for k := n; k < len(edits) && m.written.Edits[k].Line == at.Line && len(marked[ref]) == 0; k++ {
				ref = edits[k].Ref // masks that share a line share its marker
			}
			if len(marked[ref]) == 0 {
				gone[p] = append(gone[p], fmt.Sprintf("mask %s is missing", e.Ref))
				continue
			}
			line := s.LineOf(marked[ref][0])
			marked[ref] = marked[ref][1:]
			stands[p] = true
			gone[p] = append(gone[p], fmt.Sprintf("%smask %s was altered since sessc wrote it", lineSays(int(line)), ref))
		}
	}
	fork, undone := s.Name() != m.g.Session, m.undone(s)
	seen := map[int]bool{}
	for n := range edits {
		p := m.piece[n]
		if p == 0 || seen[p] {
			continue
		}
		seen[p] = true
		switch {
		case m.broken[p]:
		case len(gone[p]) == 0:
			m.fit++
		case (fork || undone[p]) && !stands[p]:
			m.broken[p] = true
		default:
			m.broken[p] = true
			m.altered = append(m.altered, gone[p]...)
		}
	}
}

// merge undoes a rewrite around the changes of another program.
func (w *way) merge(ctx context.Context, g *archive.Generation, m *merger) error {
	edits := g.Files[0].Edits
	was, is := make([]int64, len(edits)), make([]int64, len(edits))
	back := m.back()
	if err := w.remember(); err != nil {
		return err
	}
	changes := m.changes(w.now.index, w.forgotten)
	var masks []mask
	var end int64 // of the last mask, in the restored log
	ranges := make([]session.Range, len(edits))
	for n, e := range edits {
		ranges[n] = e.Old
	}
	put := func(to io.Writer, oldBytes func(n int) ([]byte, error)) error {
		var from, out int64
		copyTo := func(off int64) error {
			if off < from {
				return fmt.Errorf("undo generation %d: its edits overlap at %d", g.ID, off)
			}
			n, err := io.Copy(to, io.NewSectionReader(w.now.r, from, off-from))
			from, out = off, out+n
			return err
		}
		for n, e := range edits {
			was[n], is[n] = -1, -1
			at, ok := m.place(n)
			if !ok {
				continue
			}
			old := []byte{}
			if e.Old.Len > 0 {
				var err error
				if old, err = oldBytes(n); err != nil {
					return err
				}
			}
			if m.piece[n] == 0 && len(m.broken) > 0 && w.dangles(old, back) {
				continue
			}
			if err := copyTo(at.Off); err != nil {
				return err
			}
			was[n], is[n] = at.Off, out
			if _, err := to.Write(old); err != nil {
				return err
			}
			from, out = at.End(), out+int64(len(old))
			if m.piece[n] > 0 {
				end = out
			}
		}
		return copyTo(w.now.size)
	}
	next, err := w.build(ctx, content{}, func(to io.Writer) error {
		err := w.arch.OldBytes(ctx, g.ID, 0, ranges, func(old func(n int) ([]byte, error)) error { return put(to, old) })
		if err != nil {
			return err
		}
		masks = masksAt(w.now.index, was)
		m.begins, m.match = nil, nil // the next index takes their place
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case len(m.altered)+len(m.missing) > 0:
		w.kind = Partial
	case w.kind == Exact:
		w.kind = Realigned
	}
	w.foreign = append(append(w.foreign, m.altered...), changes...)
	return w.arrive(next, firstOf(edits, masks, next.index, is), end)
}

// remember notes what of the log may not get lost. When a rewrite was undone
// before this one, its index was given up and is made once more.
func (w *way) remember() error {
	switch {
	case w.places != nil:
		return nil
	case w.now.index == w.s:
		w.places = placesOf(w.s)
		return nil
	}
	set := w.o.Settings
	set.NoHash = true
	again, err := session.Index(w.s, w.s.Size, w.s.Path, w.s.Format, set)
	if err != nil {
		return err
	}
	w.places = placesOf(again)
	return nil
}

// place is where an edit stands in the log. A mask is its whole line, whatever
// its line end is now, or a range inside one; removed lines go to the beginning of the line before
// which they were, or behind the one that stood before them.
func (m *merger) place(n int) (session.Range, bool) {
	e, at := m.g.Files[0].Edits[n], m.written.Edits[n]
	if m.broken[m.piece[n]] {
		return session.Range{}, false
	}
	line := -1
	if at.Line < len(m.match) {
		line = m.match[at.Line]
	}
	switch {
	case e.New.Len == 0 && at.At == 0:
		return session.Range{Off: m.gap(at.Line)}, true
	case line < 0:
		return session.Range{}, false
	case m.piece[n] > 0 && at.At == 0:
		return session.Range{Off: m.begins[line], Len: m.begins[line+1] - m.begins[line]}, true
	}
	return session.Range{Off: m.begins[line] + at.At, Len: e.New.Len}, true
}

// gap is the offset of the place before a line of our output.
func (m *merger) gap(line int) int64 {
	if line < len(m.match) && m.match[line] >= 0 {
		return m.begins[m.match[line]]
	}
	for i := min(line, len(m.match)) - 1; i >= 0; i-- {
		if m.match[i] >= 0 {
			return m.begins[m.match[i]+1]
		}
	}
	for i := line; i < len(m.match); i++ {
		if m.match[i] >= 0 {
			return m.begins[m.match[i]]
		}
	}
	return m.begins[len(m.begins)-1]
}

// back returns the ids of the entries that come back: all but those of broken
// pieces.
func (m *merger) back() map[string]bool {
	ids := map[string]bool{}
	for _, e := range m.g.Entries {
		if p := m.pieceOf(&e); p > 0 && !m.broken[p] {
			ids[e.ID] = true
		}
	}
	return ids
}

// dangles reports whether the old bytes of a pointer name an entry that does
// not come back and is not in the log: then the pointer stays at the mask.
func (w *way) dangles(old []byte, back map[string]bool) bool {
	var id string
	return json.Unmarshal(old, &id) == nil && id != "" && !back[id] && len(w.now.index.Lookup(id)) == 0
}

// marksFrom returns the refs of the masks on some lines of a log.
func marksFrom(s *session.Session, from, to int) []string {
	var refs []string
	for i := from; i < min(to, len(s.Entries)); i++ {
		if m, ok := s.Mark(int32(i)); ok {
			refs = append(refs, m.Ref)
		}
	}
	return refs
}

// told reports whether it is said already what is wrong with a line: its mask
// was altered.
func (m *merger) told(line int) bool {
	begin := lineSays(line)
	return slices.ContainsFunc(m.altered, func(a string) bool { return strings.HasPrefix(a, begin) })
}

// lineSays begins what is said of a line with an altered mask.
func lineSays(line int) string { return fmt.Sprintf("line %d: ", line) }

// mostForeign bounds the list of foreign changes in a report.
const mostForeign = 200

// changes lists the lines that are not as sessc wrote them, and do not simply
// follow them. Where a mask of a later rewrite stays since it was forgotten,
// it was sessc that changed them.
func (m *merger) changes(s *session.Session, forgotten map[string]bool) []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	name := func(j int) string {
		if j < len(s.Entries) {
			return fmt.Sprintf("line %d (%s)", j+1, s.Entries[j].Kind)
		}
		return fmt.Sprintf("line %d", j+1)
	}
	i, j := 0, 0
	for i < len(m.match) {
		next := i
		for next < len(m.match) && m.match[next] < 0 {
			next++
		}
		until := len(m.begins) - 1
		if next < len(m.match) {
			until = m.match[next]
		} else {
			until = min(until, j+next-i) // what follows was appended
		}
		if slices.ContainsFunc(marksFrom(s, j, until), func(ref string) bool { return forgotten[ref] }) {
			i, j = next, until
		}
		for ; i < next && j < until; i, j = i+1, j+1 {
			if !m.told(j + 1) {
				add("%s was changed", name(j))
			}
		}
		for ; i < next; i++ {
			add("line %d of what sessc wrote is gone", i+1)
		}
		for ; j < until; j++ {
			add("%s was added", name(j))
		}
		i, j = next+1, until+1
	}
	if n := len(all); n > mostForeign {
		all = append(all[:mostForeign], fmt.Sprintf("and %d lines more", n-mostForeign))
	}
	return all
}
