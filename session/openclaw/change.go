package openclaw

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"sessc/session"
	"sessc/session/jsonwalk"
	"sessc/tokens"
)

// change plans a piece whose members stay: it replaces the text of a call's
// result, and long texts among its arguments, inside their lines. All other
// bytes of these lines stay, ids and pairs with them.
func (p *planner) change(piece *session.Piece) error {
	swaps, err := p.swaps(piece)
	if err != nil {
		first := piece.Members[0]
		return &session.Unfit{Member: first, Why: fmt.Errorf("line %d: %w", p.s.LineOf(first), err)}
	}
	ref := piece.Put[0].Ref
	for _, w := range swaps {
		p.edit(w.entry, w.at, w.data, ref)
		p.put = append(p.put, placed{position: p.s.Position(w.entry), stay: true, removed: w.removed, written: w.written})
		p.markLine(w.entry, w.end, ref)
	}
	return nil
}

// swap is one text inside a line and what takes its place.
type swap struct {
	entry            int32
	at               session.Range // in the file
	data             []byte
	removed, written int   // estimated tokens
	end              int64 // of the line's object, in the file
}

func (p *planner) swaps(piece *session.Piece) ([]swap, error) {
	if len(piece.Put) != 1 || piece.Put[0].Call < 0 || p.s.Calls[piece.Put[0].Call].Result < 0 {
		return nil, errors.New("what stays is not one answered call")
	}
	put := &piece.Put[0]
	call := &p.s.Calls[put.Call]
	var all []swap
	add := func(i int32, text string, path ...string) error {
		w, err := p.swap(i, text, path)
		if err == nil {
			all = append(all, w)
		}
		return err
	}
	if put.Text != "" {
		if err := add(call.Result, put.Text, "message", "content"); err != nil {
			return nil, err
		}
	}
	for _, a := range put.Args {
		key, err := p.argsKey(call)
		if err != nil {
			return nil, err
		}
		if err := add(call.Entry, a.Text, append([]string{"message", "content", strconv.Itoa(int(call.Block)), key}, a.Path...)...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// argsKey is the key under which a call's block has its arguments.
func (p *planner) argsKey(call *session.Call) (string, error) {
	raw, err := p.s.Raw(call.Entry)
	if err != nil {
		return "", err
	}
	for _, key := range []string{"arguments", "input"} {
		if _, ok := valueAt(raw, "message", "content", strconv.Itoa(int(call.Block)), key); ok {
			return key, nil
		}
	}
	return "", errors.New("its call has no arguments")
}

// swap finds the value at a path of a line and writes what takes its place: a
// string for a string, else a list with one block of text.
func (p *planner) swap(i int32, text string, path []string) (swap, error) {
	if err := p.s.Sound(i); err != nil {
		return swap{}, err
	}
	raw, err := p.s.Raw(i)
	if err != nil {
		return swap{}, err
	}
	at, ok := valueAt(raw, path...)
	end := bytes.LastIndexByte(raw, '}')
	if !ok || end < 0 {
		return swap{}, fmt.Errorf("no %q in its line", path)
	}
	e := &p.s.Entries[i]
	w := swap{entry: i, at: session.Range{Off: e.Off + at.Off, Len: at.Len}, end: e.Off + int64(end), written: tokens.EstimateString(text)}
	if old := raw[at.Off:at.End()]; old[0] == '"' {
		w.data = jsonwalk.Quote(text)
		w.removed = tokens.EstimateString(string(jsonwalk.Unescape(nil, old[1:len(old)-1])))
		return w, nil
	}
	w.removed = e.Tokens()
	w.data, err = encode([]any{textBlock{"text", text}})
	return w, err
}

// markLine puts our envelope at the end of a line that is kept and changed.
func (p *planner) markLine(i int32, end int64, ref string) {
	if p.marked[i] {
		return
	}
	p.marked[i] = true
	mark := fmt.Sprintf(`,"sessc":{"v":1,"ref":%s,"gen":%d}`, jsonwalk.Quote(ref), p.terms.Generation)
	p.edit(i, session.Range{Off: end}, []byte(mark), ref)
}

// wholeLines joins all edits of a line that is kept and changed to one of the
// whole line: like a mask it is known as a line, should another program rewrite
// the log before it is restored.
func (p *planner) wholeLines() error {
	lines := map[int32][]session.Edit{}
	p.edits = slices.DeleteFunc(p.edits, func(e session.Edit) bool {
		i := e.Entries[0]
		if !p.marked[i] {
			return false
		}
		lines[i] = append(lines[i], e)
		return true
	})
	for i, edits := range lines {
		raw, err := p.s.Raw(i)
		if err != nil {
			return err
		}
		slices.SortStableFunc(edits, func(a, b session.Edit) int { return cmp.Compare(a.At.Off, b.At.Off) })
		whole := session.Edit{At: session.Range{Off: p.s.Entries[i].Off, Len: int64(len(raw))}, Entries: []int32{i}}
		from := int64(0)
		for _, e := range edits {
			off := e.At.Off - whole.At.Off
			whole.Data = append(append(whole.Data, raw[from:off]...), e.Data...)
			from = off + e.At.Len
			if whole.Ref == "" {
				whole.Ref, whole.Piece = e.Ref, e.Piece
			}
		}
		whole.Data = append(whole.Data, raw[from:]...)
		p.edits = append(p.edits, whole)
	}
	return nil
}

// valueAt finds the value behind a path of keys, and of indexes where the path
// leads through a list. Of a repeated key the last counts.
func valueAt(raw []byte, path ...string) (session.Range, bool) {
	skipped := len(raw) - len(jsonwalk.TrimBOM(raw))
	from, to, ok := jsonwalk.Find(raw[skipped:], path...)
	return session.Range{Off: int64(skipped + from), Len: int64(to - from)}, ok
}
