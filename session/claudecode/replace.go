package claudecode

import (
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// segment is a run of members that one call and its result take the place of.
type segment struct {
	members      []int32
	call, result int32  // their lines, which stay
	prompt       string // to which the files saved at its lines belong, "" none
}

// replace plans a piece whose members go: all but the line of one call, which
// then is a message by itself, without the reasoning, the words and the other
// calls that it came with, and the line of its result, which takes the record.
// Both keep their uuid, time and place in the file. Reasoning is never edited:
// that of a message goes with all its lines.
func (p *planner) replace(piece *session.Piece) error {
	if len(piece.Put) != 1 || piece.Put[0].Call < 0 || p.s.Calls[piece.Put[0].Call].Result < 0 {
		return errors.New("it has no answered call to carry its record")
	}
	put := &piece.Put[0]
	call := &p.s.Calls[put.Call]
	found := 0
	for _, i := range piece.Members {
		if own := p.s.Private.(*private); i == own.last || i == own.answer {
			return errors.New("the last line of the file is one of its lines, and decides where the conversation ends")
		}
		if i == call.Entry || i == call.Result {
			found++
		} else {
			p.gone[i] = put.Ref
		}
	}
	if found != 2 {
		return errors.New("the call that carries its record is none of its members")
	}
	if err := p.keepCall(call, put); err != nil {
		return err
	}
	if err := p.keepResult(call, put); err != nil {
		return err
	}
	p.segments = append(p.segments, segment{members: piece.Members, call: call.Entry, result: call.Result})
	return nil
}

// keepCall reduces the line of a call to that call.
func (p *planner) keepCall(call *session.Call, put *session.Put) error {
	w, err := p.line(call.Entry)
	if err != nil {
		return err
	}
	at := fmt.Sprintf("message.content.%d", call.Block)
	block, input, content := w.get(at), w.get(at+".input"), w.get("message.content")
	if !input.IsObject() || !content.IsArray() {
		return errors.New("the call that carries its record is of an odd form")
	}
	short := p.shortInput(input, put.Headline)
	from := input.Index - block.Index
	kept := "[" + block.Raw[:from] + short + block.Raw[from+len(input.Raw):] + "]"
	w.replace(content.Index, content.Index+len(content.Raw), []byte(kept), put.Ref)
	return nil
}

// shortArguments is the size in bytes up to which the arguments of a call that
// carries a record stay as they are.
const shortArguments = 200

// shortInput is what a call is kept with: what it was called with where that is
// short and harmless, else what the turn was about, else nothing. The provider
// does not hold old calls to the schema of their tool, and the client sends
// them as they stand (measured with 2.1.328).
func (p *planner) shortInput(input gjson.Result, headline string) string {
	clean := func(s string) string {
		if p.terms.Clean == nil {
			return s
		}
		return p.terms.Clean(s)
	}
	harmless := p.terms.Harmless == nil || p.terms.Harmless(input.Raw)
	if len(input.Raw) <= shortArguments && harmless && clean(input.Raw) == input.Raw {
		return input.Raw
	}
	if v := input.Get("description"); v.Type == gjson.String {
		return `{"description":` + string(jsonwalk.Quote(clean(headline))) + "}"
	}
	return "{}"
}

// keepResult makes the result of a call the record. The structured copy of what
// it was goes: it would be shown in its place.
func (p *planner) keepResult(call *session.Call, put *session.Put) error {
	w, err := p.line(call.Result)
	if err != nil {
		return err
	}
	at, single := w.resultOf(p.s.Str(call.ID))
	if at == "" || !single {
		return errors.New("the result that carries its record is not the only one of its line")
	}
	w.setContent(at, put.Ref, put.Text)
	w.remove("toolUseResult", put.Ref)
	return nil
}

func (p *planner) isGone(i int32) bool {
	_, gone := p.gone[i]
	return gone
}

// hang makes the parent of a line another one, or none.
func (p *planner) hang(i, parent int32) error {
	for parent >= 0 && p.ballast[parent] {
		parent = p.parentOf(parent)
	}
	id := ""
	if parent >= 0 {
		id = p.s.IDOf(parent)
	}
	if p.s.ParentIDOf(i) == id {
		return nil
	}
	w, err := p.line(i)
	if err != nil {
		return err
	}
	value := []byte("null")
	if id != "" {
		value = jsonwalk.Quote(id)
	}
	return w.point("parentUuid", value)
}

// point makes a member of the line's object name another line.
func (w *rewrite) point(key string, value []byte) error {
	from, to, ok := w.member(key)
	if !ok {
		return fmt.Errorf("no %q in a line to hang it anew by", key)
	}
	w.cuts = append(w.cuts, cut{from: from, to: to, data: value, ref: w.ref})
	return nil
}

// member is the range of a value of the line's object.
func (w *rewrite) member(path ...string) (from, to int, ok bool) {
	skipped := len(w.raw) - len(jsonwalk.TrimBOM(w.raw))
	from, to, ok = jsonwalk.Find(w.raw[skipped:], path...)
	return skipped + from, skipped + to, ok
}
