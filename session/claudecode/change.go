package claudecode

import (
	"errors"
	"fmt"
	"strconv"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// change plans a piece whose members stay: it replaces the text of a call's
// result, and long texts among its arguments, inside their lines. The
// structured copy of the result stays as it is: it is never sent, and on resume
// the client looks there for tasks in the background (formats page, section 6).
func (p *planner) change(piece *session.Piece) error {
	if len(piece.Put) != 1 || piece.Put[0].Call < 0 || p.s.Calls[piece.Put[0].Call].Result < 0 {
		return errors.New("what stays is not one answered call")
	}
	put := &piece.Put[0]
	call := &p.s.Calls[put.Call]
	if put.Text != "" {
		w, err := p.line(call.Result)
		if err != nil {
			return err
		}
		at, single := w.resultOf(p.s.Str(call.ID))
		if at == "" || !single {
			return errors.New("its result is not the only one of its line")
		}
		w.setContent(at, put.Ref, put.Text)
	}
	for _, a := range put.Args {
		w, err := p.line(call.Entry)
		if err != nil {
			return err
		}
		if err := w.setArg(call.Block, a, put.Ref); err != nil {
			return err
		}
	}
	return nil
}

// setArg replaces a text among the arguments of the call in a block.
func (w *rewrite) setArg(block int32, a session.Arg, ref string) error {
	path := append([]string{"message", "content", strconv.Itoa(int(block)), "input"}, a.Path...)
	from, to, ok := w.member(path...)
	if !ok || w.raw[from] != '"' {
		return fmt.Errorf("no text at %q in its line", path)
	}
	w.replace(from, to, jsonwalk.Quote(a.Text), ref)
	return nil
}
