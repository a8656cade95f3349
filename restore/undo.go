package restore

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sessc/archive"
	"sessc/session"
	"sessc/writer"
)

// way is the way back of one log, one rewrite after the other.
type way struct {
	o    *Options
	s    *session.Session
	name string // of the session in the archive
	arch *archive.Archive
	now  state

	tried     map[int64]bool // generations that were undone, or do not fit
	undone    []*archive.Generation
	kind      Case
	repointed []string
	foreign   []string
	places    *places         // of the log itself, once its lines are put together anew
	strays    bool            // masks were met that are copies from another log
	forgotten map[string]bool // refs of masks of which bytes were deleted by forget
}

// state is the log at one point of the way.
type state struct {
	r     io.ReaderAt
	size  int64
	index *session.Session
	draft *writer.Draft // in which it stands, nil for the log itself
}

func (w *way) close() { w.now.close() }

func (s *state) close() {
	if s.draft != nil {
		s.draft.Close()
	}
}

// undo goes back as far as it was asked to.
func (w *way) undo(ctx context.Context) error {
	for {
		w.o.trace("look for a rewrite")
		g, m, err := w.next(ctx)
		if err != nil {
			return err
		}
		if g == nil {
			break
		}
		if n := numberOf(g, w.now.index); w.o.Generation > 0 && n > 0 && n < w.o.Generation {
			break
		}
		w.o.trace("undo a rewrite")
		if m == nil {
			err = w.exact(ctx, g)
		} else {
			err = w.merge(ctx, g, m)
		}
		if errors.Is(err, writer.ErrRefused) {
			return err
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.s.Path, err)
		}
		w.tried[g.ID] = true
		w.undone = append(w.undone, g)
	}
	if len(w.undone) == 0 {
		return w.nothing(ctx)
	}
	return nil
}

// nothing says why nothing could be undone.
func (w *way) nothing(ctx context.Context) error {
	marks := marksIn(w.s)
	for _, ref := range slices.Sorted(maps.Keys(marks)) {
		if w.forgotten[ref] {
			return fmt.Errorf("%s: nothing can be undone: what mask %s stands for was %w; sessc expand shows what is left of others", w.s.Path, ref, archive.ErrForgotten)
		}
	}
	if err := w.buried(ctx, slices.Sorted(maps.Keys(marks))); err != nil {
		return err
	}
	switch {
	case w.strays:
		return fmt.Errorf("%s: %w: its masks were copied from another log; restore that one, or look them up with sessc expand", w.s.Path, ErrNothing)
	case len(marks) > 0:
		return unknown(w.s.Path, len(marks))
	}
	known, err := w.arch.Generations(ctx, archive.Query{Session: w.name})
	if err != nil {
		return err
	}
	if len(known) > 0 {
		return fmt.Errorf("%s: %w: no mask of sessc stands in it; the archive knows %s of this session, undone since or made to another copy", w.s.Path, ErrNothing, rewrites(len(known)))
	}
	return fmt.Errorf("%s: %w: no mask of sessc stands in it, and the archive does not know this session", w.s.Path, ErrNothing)
}

// buried is the error for a log of whose masks some are known to stand for what
// the user had deleted, nil when none are.
func (w *way) buried(ctx context.Context, refs []string) error {
	days, err := w.arch.ForgottenOn(ctx, refs)
	if err != nil || len(days) == 0 {
		return err
	}
	first := slices.Sorted(maps.Keys(days))[0]
	what := fmt.Sprintf("what mask %s stands for", first)
	if len(days) > 1 {
		what = fmt.Sprintf("what %d masks stand for (%s and others)", len(days), first)
	}
	return fmt.Errorf("%s: nothing can be undone: %s was %w on %s", w.s.Path, what, archive.ErrForgotten, days[first])
}

// unknown is the error for a log with masks that no archive at hand knows.
func unknown(path string, masks int) error {
	what := "what its mask stands for"
	if masks > 1 {
		what = fmt.Sprintf("what its %d masks stand for", masks)
	}
	return fmt.Errorf("%s: %s is %w; name the one that was used with --archive", path, what, archive.ErrNotFound)
}

// next finds the rewrite to undo: the one whose output the log begins with,
// the longest where several do, since a later rewrite may have left all that
// an earlier one wrote as it is. Otherwise it is the newest whose masks stand
// in the log, and how its lines are to be found. nil when there is none.
func (w *way) next(ctx context.Context) (*archive.Generation, *merger, error) {
	marks := marksIn(w.now.index)
	q := archive.Query{Session: w.name, New: w.now.index.Source.SHA256}
	for ref := range marks {
		q.Refs = append(q.Refs, ref)
	}
	slices.Sort(q.Refs)
	all, err := w.arch.Generations(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(g archive.Generation) bool {
		return w.tried[g.ID] || g.Format != w.s.Format.Name() || len(g.Files) != 1
	})
	// A rewrite of which a part was forgotten waits for complete ones, since
	// what another copy of the session lost is no loss of this one; an earlier
	// rewrite of this log waits for a later one all the same.
	var earlier *archive.Generation
	var parts []archive.Generation
	for later := 0; ; {
		best, err := w.begins(all)
		if err != nil {
			return nil, nil, err
		}
		if best == nil {
			break
		}
		g, err := w.arch.Load(ctx, best.ID)
		if err != nil {
			return nil, nil, err
		}
		missing, err := w.arch.Missing(ctx, g.ID, 0)
		if err != nil {
			return nil, nil, err
		}
		n := numberOf(g, w.now.index)
		switch {
		case len(missing) > 0:
			parts, later = append(parts, *best), max(later, n)
		case n >= later:
			return g, nil, nil
		case earlier == nil:
			earlier = g
		}
		all = slices.DeleteFunc(all, func(a archive.Generation) bool { return a.ID == g.ID })
	}
	for i := range parts {
		// The rest of it can be undone around what was forgotten.
		if g, m, err := w.nearest(ctx, parts[i:i+1], marks); g != nil || err != nil {
			return g, m, err
		}
	}
	if earlier != nil {
		return earlier, nil, nil
	}
	return w.nearest(ctx, all, marks)
}

// begins returns the generation whose output the log begins with. Logs of one
// session that differ only in what masks replace can come to the same bytes: then
// it is the rewrite of the log at this place, and nobody knows of a log that lies
// at another.
func (w *way) begins(all []archive.Generation) (*archive.Generation, error) {
	var sizes []int64
	for _, g := range all {
		if n := g.Files[0].New.Size; n < w.now.size {
			sizes = append(sizes, n)
		}
	}
	sums, err := prefixSums(w.now.r, sizes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.s.Path, err)
	}
	sums[w.now.size] = w.now.index.Source.SHA256
	var best, twin *archive.Generation
	for i := range all {
		g := &all[i]
		f := &g.Files[0]
		if sum, ok := sums[f.New.Size]; !ok || sum != f.New.SHA256 {
			continue
		}
		switch {
		case best == nil || f.New.Size > best.Files[0].New.Size:
			best, twin = g, nil
		case f.New.Size < best.Files[0].New.Size || best.Path == g.Path || best.Path == w.s.Path:
		case g.Path == w.s.Path:
			best = g
		case f.Old.SHA256 != best.Files[0].Old.SHA256:
			twin = g
		}
	}
	if twin != nil && best.Path != w.s.Path {
		return nil, &writer.Refusal{
			Path: w.s.Path, Why: fmt.Sprintf("two logs that differed have become this one, %s and %s, and it lies at the place of neither", best.Path, twin.Path),
			Hint: "give it the name of the one that it is",
		}
	}
	return best, nil
}

// prefixSums hashes the beginning of a file up to each of the given sizes, in
// one pass.
func prefixSums(r io.ReaderAt, sizes []int64) (map[int64][sha256.Size]byte, error) {
	slices.Sort(sizes)
	sums := map[int64][sha256.Size]byte{}
	h := sha256.New()
	done := int64(0)
	buf := make([]byte, 256<<10)
	for _, n := range slices.Compact(sizes) {
		if m, err := io.CopyBuffer(h, io.NewSectionReader(r, done, n-done), buf); err != nil {
			return nil, fmt.Errorf("hash: %w", err)
		} else if m != n-done {
			return nil, fmt.Errorf("hash: %w", io.ErrUnexpectedEOF)
		}
		done = n
		sums[n] = [sha256.Size]byte(h.Sum(nil))
	}
	return sums, nil
}

// exact undoes a rewrite whose output is a prefix of the log.
func (w *way) exact(ctx context.Context, g *archive.Generation) error {
	f := &g.Files[0]
	c := content{size: f.Old.Size + w.now.size - f.New.Size}
	if w.now.size == f.New.Size { // nothing was appended
		c.sum = &f.Old.SHA256
		n := numberOf(g, w.now.index)
		c.last = n == 1 || n > 0 && n == w.o.Generation
	}
	was, is := make([]int64, len(f.Edits)), make([]int64, len(f.Edits))
	for n, e := range f.Edits {
		was[n], is[n] = e.New.Off, e.Old.Off
	}
	masks := masksAt(w.now.index, was)
	original := w.arch.Original
	if c.last {
		original = w.arch.OriginalUnproven // proven is the durable file
	}
	next, err := w.build(ctx, c, func(to io.Writer) error {
		if err := original(ctx, g.ID, 0, w.now.r, w.now.size, to); err != nil {
			return err
		}
		_, err := io.Copy(to, io.NewSectionReader(w.now.r, f.New.Size, w.now.size-f.New.Size))
		return err
	})
	if errors.Is(err, errDiffers) {
		// The log, or what the archive has, may be what is to blame.
		if why := w.arch.Original(ctx, g.ID, 0, w.now.r, w.now.size, io.Discard); why != nil {
			err = why
		}
	}
	if err != nil {
		return err
	}
	return w.arrive(next, firstOf(f.Edits, masks, next.index, is), f.Old.Size)
}

// errDiffers is the error for an original that was put together without a look
// at its hash, and does not have it.
var errDiffers = fmt.Errorf("%w: it does not read back as the original", writer.ErrWorse)

// content is what is known of a state of the log before it is put together.
type content struct {
	size int64              // 0 when it is not known
	sum  *[sha256.Size]byte // nil when it is not known
	last bool               // it looks as if no state came after it, and sum is known
}

// build puts the next state of the log together, in the file that is to stand
// in its place if no other state follows, and indexes it. The index of the state
// before is given up in between, since two of them would be most of the memory
// of a run. What looks like the last state is made durable first, so that the
// reading of it is the reading back.
func (w *way) build(ctx context.Context, c content, fill func(to io.Writer) error) (*state, error) {
	d, err := writer.Begin(w.s, w.target(), c.size, c.sum == nil)
	if err != nil {
		return nil, err
	}
	next := &state{r: d, draft: d}
	if err := w.fill(ctx, d, fill); err != nil {
		next.close()
		return nil, err
	}
	next.size = d.Size()
	w.now.index.Release()
	set := w.o.Settings
	set.NoHash = true
	if c.last {
		next.index, err = d.ReadBack(set)
		if err == nil && next.index.Source.SHA256 != *c.sum {
			err = errDiffers
		}
	} else {
		next.index, err = session.Index(d, next.size, w.s.Path, w.s.Format, set)
	}
	if err != nil {
		next.close()
		return nil, err
	}
	if c.sum != nil {
		next.index.Source.SHA256 = *c.sum
	} else {
		next.index.Source.SHA256 = d.Sum()
	}
	return next, nil
}

// fill writes a draft, and stops when the run is to stop.
func (w *way) fill(ctx context.Context, d *writer.Draft, fill func(to io.Writer) error) error {
	buf := bufio.NewWriterSize(stopping{ctx, d}, 64<<10) // what comes in larger pieces passes it by
	err := fill(buf)
	if err == nil {
		err = buf.Flush()
	}
	if own := d.Err(); own != nil {
		return own
	}
	return err
}

// stopping writes until a run is to stop.
type stopping struct {
	ctx context.Context
	to  io.Writer
}

func (s stopping) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.to.Write(b)
}

func (w *way) target() writer.Target { return writer.Target{Output: w.o.Output, Trace: w.o.Trace} }

// stage makes the state at which the way ends the staged log. What stands in a
// draft as it is to be is not written again.
func (w *way) stage(ctx context.Context) (*writer.Staged, error) {
	if d := w.now.draft; d != nil && w.now.r == io.ReaderAt(d) {
		return d.Stage(w.now.index, w.check)
	}
	return writer.StageContent(ctx, w.s, w.now.index, w.target(), w.check)
}

// arrive corrects what was appended from an offset on and named a mask, and
// makes next the state of the log.
func (w *way) arrive(next *state, moved map[string]string, from int64) error {
	var edits []session.Edit
	var notes []string
	for i := range next.index.Entries {
		e := &next.index.Entries[i]
		if e.Kind != session.Boundary || e.Off < from || len(moved) == 0 {
			continue
		}
		raw, err := next.index.Raw(int32(i))
		if err != nil {
			next.close()
			return err
		}
		if line, what := w.s.Format.Repoint(raw, moved); what != "" {
			edits = append(edits, session.Edit{At: session.Range{Off: e.Off, Len: int64(e.Len)}, Data: line})
			notes = append(notes, fmt.Sprintf("line %d: %s", next.index.LineOf(int32(i)), what))
		}
	}
	if len(edits) > 0 {
		spliced, err := session.Splice(next.r, next.size, edits)
		if err == nil {
			next.r, next.size = spliced, spliced.Size()
			next.index, err = session.Index(spliced, spliced.Size(), w.s.Path, w.s.Format, w.o.Settings)
		}
		if err != nil {
			next.close()
			return err
		}
		w.repointed = append(w.repointed, notes...)
	}
	w.close()
	w.now = *next
	return nil
}

// mask is what stands in the place of an edit before that is undone.
type mask struct {
	entry int32  // -1: nothing
	call  int32  // the entry with the call of which it is the result, -1 none
	id    string // of the entry
}

// masksAt returns the masks that begin at the given offsets of a log.
func masksAt(s *session.Session, offs []int64) []mask {
	answers := map[int32]int32{} // result -> the message that called
	for _, c := range s.Calls {
		if c.Result >= 0 {
			answers[c.Result] = c.Entry
		}
	}
	masks := make([]mask, len(offs))
	for n, off := range offs {
		masks[n] = mask{entry: -1, call: -1}
		i, ok := entryAt(s, off)
		if !ok {
			continue
		}
		masks[n].entry, masks[n].id = i, s.IDOf(i)
		if call, ok := answers[i]; ok {
			masks[n].call = call
		}
	}
	return masks
}

// firstOf maps the id of each mask that stands for several entries to the id
// of the first of them. masks are what stood in the place of each edit, and is
// is where its old bytes stand in the log now, -1 where they do not.
func firstOf(edits []archive.Edit, masks []mask, after *session.Session, is []int64) map[string]string {
	firsts := map[int32]int64{} // mask -> offset of the first entry that it stands for
	moved := map[string]string{}
	removed := int64(-1)
	for n, e := range edits {
		m := masks[n]
		switch {
		case is[n] < 0:
		case e.New.Len == 0 && e.Ref == "":
			if removed < 0 {
				removed = is[n]
			}
		case e.Ref != "" && m.entry >= 0:
			first := is[n]
			if removed >= 0 {
				first = removed
			}
			// A result stands for what its call begins.
			if at, ok := firsts[m.call]; ok {
				first = at
			}
			firsts[m.entry], removed = first, -1
			if i, ok := entryAt(after, first); ok && after.IDOf(i) != "" && m.id != "" && after.IDOf(i) != m.id {
				moved[m.id] = after.IDOf(i)
			}
		}
	}
	return moved
}

// entryAt finds the entry that begins at an offset.
func entryAt(s *session.Session, off int64) (int32, bool) {
	i, ok := slices.BinarySearchFunc(s.Entries, off, func(e session.Entry, off int64) int {
		switch {
		case e.Off < off:
			return -1
		case e.Off > off:
			return 1
		}
		return 0
	})
	return int32(i), ok
}

// marksIn returns the refs of the masks in a log, each with the number of the
// rewrite that wrote it.
func marksIn(s *session.Session) map[string]int {
	marks := map[string]int{}
	for i := range s.Entries {
		if m, ok := s.Mark(int32(i)); ok {
			marks[m.Ref] = max(marks[m.Ref], m.Gen)
		}
	}
	return marks
}

// numberOf is the number of a rewrite in the order of this log, as the masks
// that it made carry it; 0 when none of them stands there.
func numberOf(g *archive.Generation, s *session.Session) int {
	marks := marksIn(s)
	n := 0
	for _, m := range g.Masks {
		n = max(n, marks[m.Ref])
	}
	return n
}

// check proves the staged log. An exact one has to begin with the original
// bytes of the last rewrite that was undone. For the others there is no such
// proof: compared with the log as it is now, no place in the tree may get
// lost, and no human word.
func (w *way) check(after *session.Session) error {
	if w.kind == Exact {
		old := w.undone[len(w.undone)-1].Files[0].Old
		sum := after.Source.SHA256
		if after.Size != old.Size {
			var err error
			if sum, err = session.Hash(after, old.Size); err != nil {
				return err
			}
		}
		if sum != old.SHA256 {
			return fmt.Errorf("%s: %w: it does not begin with the original bytes", w.s.Path, writer.ErrWorse)
		}
		return nil
	}
	if err := w.remember(); err != nil {
		return err
	}
	if worse := w.places.lost(after); len(worse) > 0 {
		return fmt.Errorf("%s: %w: %s; the log was left as it is", w.s.Path, writer.ErrWorse, strings.Join(worse, "; "))
	}
	return nil
}

func idAt(s *session.Session, i int32) string {
	if i < 0 {
		return ""
	}
	return s.IDOf(i)
}

func rewrites(n int) string {
	if n == 1 {
		return "1 rewrite"
	}
	return fmt.Sprintf("%d rewrites", n)
}
