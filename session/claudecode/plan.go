package claudecode

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/mask"
	"sessc/session"
	"sessc/session/jsonwalk"
)

// Plan implements [session.Format]. A task is masked in place: nothing is
// moved, added or taken away, and all edits are inside its own lines (formats
// page, section 6). The prompt of the call becomes one line. The record takes the
// place of the result: of the tool result where the agent ran at once, of the
// words inside the last notification where it ran in the background. The frame
// of a notification and the structured copy of a launch stay, since the client
// pairs them on resume and tells the model that a task did not finish when it
// misses one. What the agent did itself is replaced by one of its own calls
// (replace.go), and single texts are cleared where they stand (change.go).
func (Format) Plan(s *session.Session, pieces []session.Piece, t session.PlanTerms) (*session.Plan, error) {
	p := &planner{s: s, terms: t, rewrites: map[int32]*rewrite{}, gone: map[int32]string{}, within: map[int32]int{}, hung: map[int32]hook{}, ballast: map[int32]bool{}}
	var bad session.Unfits
	for n := range pieces {
		if err := bad.Add(p.piece(&pieces[n])); err != nil {
			return nil, err
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if err := p.relink(); err != nil {
		return nil, err
	}
	if t.Disk {
		if err := p.lighten(); err != nil {
			return nil, err
		}
	}
	if err := p.rehang(); err != nil {
		return nil, err
	}
	if err := p.lowerUsage(); err != nil {
		return nil, err
	}
	plan := &session.Plan{Files: []string{s.Path}}
	for i, w := range p.rewrites {
		off := s.Entries[i].Off
		for _, c := range w.done(t.Generation) {
			plan.Edits = append(plan.Edits, session.Edit{
				At: session.Range{Off: off + int64(c.from), Len: int64(c.to - c.from)}, Data: c.data, Entries: []int32{i}, Ref: c.ref, Disk: c.disk,
			})
		}
		if w.ref == "" && len(w.cuts) > 0 {
			plan.Relinked = append(plan.Relinked, i)
		}
	}
	for i, ref := range p.gone {
		e := &s.Entries[i]
		plan.Edits = append(plan.Edits, session.Edit{At: session.Range{Off: e.Off, Len: int64(e.Len)}, Entries: []int32{i}, Ref: ref})
	}
	for i := range p.ballast {
		e := &s.Entries[i]
		plan.Edits = append(plan.Edits, session.Edit{At: session.Range{Off: e.Off, Len: int64(e.Len)}, Entries: []int32{i}, Disk: true})
	}
	slices.SortFunc(plan.Edits, func(a, b session.Edit) int {
		return cmp.Or(cmp.Compare(a.At.Off, b.At.Off), cmp.Compare(a.At.End(), b.At.End()))
	})
	slices.Sort(plan.Relinked)
	return plan, nil
}

// Residue returns, in estimated tokens, what of a piece's members would stay in
// the context if its mask said nothing: the frame of a notification, the
// arguments of a call that are kept.
func (Format) Residue(s *session.Session, piece session.Piece) (int, error) {
	p := &planner{s: s, rewrites: map[int32]*rewrite{}}
	piece.InPlace = true
	if err := p.piece(&piece); err != nil {
		return 0, err
	}
	n := 0
	for _, i := range piece.Members {
		if w := p.rewrites[i]; w != nil {
			n += cost(w.result(0))
		}
	}
	return n, nil
}

type planner struct {
	s        *session.Session
	terms    session.PlanTerms
	rewrites map[int32]*rewrite
	gone     map[int32]string // removed lines -> the mask that they go with
	segments []segment        // what is replaced, in the order of the chain
	hung     map[int32]hook   // lines that hang on another one than before
	ballast  map[int32]bool   // lines that go since no client reads them again
	within   map[int32]int    // lines of the chain from the first member of a segment to the last -> the segment
}

// line returns the rewrite of a line, which has to be sound: no other is
// edited.
func (p *planner) line(i int32) (*rewrite, error) {
	if w := p.rewrites[i]; w != nil {
		return w, nil
	}
	if err := p.s.Sound(i); err != nil {
		return nil, err
	}
	raw, err := p.s.Raw(i)
	if err != nil {
		return nil, err
	}
	w := &rewrite{raw: raw}
	p.rewrites[i] = w
	return w, nil
}

// piece masks one lifecycle.
func (p *planner) piece(piece *session.Piece) error {
	if len(piece.Members) == 0 {
		return fmt.Errorf("%s: plan mask: a piece without members", p.s.Path)
	}
	var plan func(*session.Piece) error
	switch {
	case piece.InPlace:
		plan = p.mask
	case piece.Stay:
		plan = p.change
	default:
		plan = p.replace
	}
	if err := plan(piece); err != nil {
		first := piece.Members[0]
		return &session.Unfit{Member: first, Why: fmt.Errorf("%s:%d: plan mask: %w", p.s.Path, p.s.LineOf(first), err)}
	}
	return nil
}

func (p *planner) mask(piece *session.Piece) error {
	if len(piece.Put) != 1 || piece.Put[0].Call < 0 || p.s.Calls[piece.Put[0].Call].Result < 0 {
		return errors.New("it is not that of one answered call")
	}
	put := &piece.Put[0]
	call := &p.s.Calls[put.Call]
	carrier, err := p.carrier(piece.Members, call)
	if err != nil {
		return err
	}
	if err := p.shorten(call, put); err != nil {
		return err
	}
	for _, i := range piece.Members {
		w, err := p.line(i)
		if err != nil {
			return err
		}
		if w.ref == "" {
			w.ref = put.Ref // also where nothing is to be shortened: the line is done with
		}
		switch i {
		case call.Entry, call.Result:
		case carrier:
			err = p.fill(i, put.Text, put.Ref, true)
		default:
			err = p.fill(i, mask.Receipt(put.Headline, put.Ref), put.Ref, false)
		}
		if err != nil {
			return err
		}
	}
	return p.answer(call, put, carrier < 0)
}

// carrier is the last completion that holds words of the agent, so a place for
// its record, or -1.
func (p *planner) carrier(members []int32, call *session.Call) (int32, error) {
	found := int32(-1)
	for _, i := range members {
		if i == call.Entry || i == call.Result {
			continue
		}
		w, err := p.line(i)
		if err != nil {
			return -1, err
		}
		if len(w.inside()) > 0 && (found < 0 || p.s.Position(i) > p.s.Position(found)) {
			found = i
		}
	}
	return found, nil
}

// shorten replaces what a call hands over by the task on one line. Its other
// arguments, such as the type of agent or whom a message goes to, stay.
func (p *planner) shorten(call *session.Call, put *session.Put) error {
	w, err := p.line(call.Entry)
	if err != nil {
		return err
	}
	at := fmt.Sprintf("message.content.%d.input", call.Block)
	if !w.get(at).IsObject() {
		return errors.New("the arguments of its call are no object")
	}
	p.cleanNames(w, at, put.Ref)
	for _, key := range taskKeys {
		v := w.get(at + "." + key)
		if v.Type == gjson.String && len(v.Raw) > len(jsonwalk.Quote(put.Headline)) {
			w.replace(v.Index, v.Index+len(v.Raw), jsonwalk.Quote(put.Headline), put.Ref)
		}
	}
	return nil
}

// nameKeys are the arguments that say in a few words what a call is about.
var nameKeys = []string{"description", "summary", "name"}

// cleanNames takes secrets and what could be read as structure out of the
// words that a shortened call keeps.
func (p *planner) cleanNames(w *rewrite, at, ref string) {
	for _, key := range nameKeys {
		v := w.get(at + "." + key)
		if v.Type != gjson.String || p.terms.Clean == nil {
			continue
		}
		if clean := mask.Headline(p.terms.Clean(v.Str), maxName); clean != v.Str {
			w.replace(v.Index, v.Index+len(v.Raw), jsonwalk.Quote(clean), ref)
		}
	}
}

// maxName bounds the words of a name that is kept, in characters; the client
// asks models for three to five words.
const maxName = 200

// fill replaces the words of the agent in a completion, in all copies that the
// line holds. Without force only longer words are replaced.
func (p *planner) fill(i int32, text, ref string, force bool) error {
	w, err := p.line(i)
	if err != nil {
		return err
	}
	data := jsonwalk.Quote(text)
	data = data[1 : len(data)-1]
	for _, at := range w.inside() {
		if force || at[1]-at[0] > len(data) {
			w.replace(at[0], at[1], data, ref)
		}
	}
	return nil
}

// answer replaces the result of the call: by the record where no completion
// carries it, else, for a launch, by the line that says what was launched. The
// agent's id stays in the text: later messages to the agent need it.
func (p *planner) answer(call *session.Call, put *session.Put, record bool) error {
	s := p.s
	w, err := p.line(call.Result)
	if err != nil {
		return err
	}
	at, single := w.resultOf(s.Str(call.ID))
	if at == "" {
		return errors.New("its result is not in its line")
	}
	block := w.get(at)
	structured := []byte{}
	if single {
		structured = []byte(w.get("toolUseResult").Raw)
	}
	text := plainText(block.Get("content"))
	ev := receipt(structured, text, block.Get("is_error").Bool(), w.get("toolDenialKind").String())
	launched := ev.Kind == session.Accepted || s.Str(call.Name) == toolMessage
	if launched && !record {
		if short := asyncHead + "\nagentId: " + ev.Child; ev.Kind == session.Accepted && len(short) < len(text) {
			w.setContent(at, put.Ref, short)
		}
		return nil
	}
	parts := []string{put.Text}
	if ev.Child != "" {
		parts = append(parts, "agentId: "+ev.Child)
	}
	w.setContent(at, put.Ref, parts...)
	if single && !launched {
		w.remove("toolUseResult", put.Ref)
	}
	return nil
}

// setContent replaces the content of a tool result by texts, in the form that
// it had: a string, or a list of blocks.
func (w *rewrite) setContent(at, ref string, texts ...string) {
	v := w.get(at + ".content")
	var data []byte
	if v.IsArray() {
		data = append(data, '[')
		for n, t := range texts {
			if n > 0 {
				data = append(data, ',')
			}
			data = append(append(append(data, `{"type":"text","text":`...), jsonwalk.Quote(t)...), '}')
		}
		data = append(data, ']')
	} else {
		data = jsonwalk.Quote(strings.Join(texts, "\n"))
	}
	if v.Exists() {
		w.replace(v.Index, v.Index+len(v.Raw), data, ref)
		return
	}
	block := w.get(at)
	w.replace(block.Index+1, block.Index+1, slices.Concat([]byte(`"content":`), data, []byte(",")), ref)
}
