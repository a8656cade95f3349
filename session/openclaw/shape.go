package openclaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// shape chooses what stands in a piece's place, by one rule: no entry gets a
// neighbour of its own role that it did not have before.
//
// First choice are the sub-tasks' own calls, shortened, each with its record
// as the result. Without a call to keep it is a custom_message, which is sent
// as user text like the completion that it replaces, else an assistant text.
func (p *planner) shape(piece *session.Piece) ([]line, error) {
	end := p.ends(piece.Members)
	lines, err := p.pairs(piece, end)
	if lines != nil || err != nil {
		return lines, err
	}
	text, ref := joined(piece.Put), piece.Put[0].Ref
	switch {
	case end.fits("user"):
		return []line{{ref: ref, custom: text}}, nil
	case end.fits("assistant"):
		m, err := p.assistant(piece.Members)
		if err != nil {
			return nil, err
		}
		m.Content, m.StopReason = []any{textBlock{"text", text}}, "stop"
		return []line{{ref: ref, message: m}}, nil
	}
	// Between a prompt and an answer a text of either role has a neighbour of
	// its own; any call of the piece will do then.
	if call := p.anyCall(piece.Members); call >= 0 && end.begins("assistant") {
		with := session.Piece{Members: piece.Members, Put: slices.Clone(piece.Put)}
		with.Put[0].Call = call
		lines, err := p.pairs(&with, end)
		if lines != nil || err != nil {
			return lines, err
		}
	}
	return nil, errors.New("no shape fits between its neighbours")
}

// anyCall is the first call among the members that can stand in a mask, or -1.
func (p *planner) anyCall(members []int32) int32 {
	for n := range p.s.Calls {
		if p.keeps(members, int32(n), nil) {
			return int32(n)
		}
	}
	return -1
}

// ends are the roles at both ends of a piece.
type ends struct {
	left        string // of the entry before the piece, or of the mask that takes its place
	was         string // of the entry before the piece
	first, last string // of the members
	right       string // of the entry behind the piece
}

func (p *planner) ends(members []int32) ends {
	s := p.s
	first, last := members[0], members[len(members)-1]
	e := ends{
		was: p.roleAt(s.Position(first) - 1), right: p.roleAt(s.Position(last) + 1),
		first: s.Entries[first].Kind.Role(), last: s.Entries[last].Kind.Role(),
	}
	e.left = e.was
	if role, ok := p.roles[s.Position(first)-1]; ok {
		e.left = role
	}
	return e
}

// begins reports whether masks may begin with a role: no new neighbour of the
// same role, and no context that begins with the assistant.
func (e ends) begins(role string) bool {
	if e.left == "" {
		return role == e.first || role == "user"
	}
	return e.left != role || e.was == role && e.first == role
}

// fits reports whether one mask of a role may stand alone.
func (e ends) fits(role string) bool {
	return e.begins(role) && (e.right != role || e.last == role)
}

func (p *planner) roleAt(position int) string {
	if position < 0 || position >= len(p.s.Active) {
		return ""
	}
	return p.s.Entries[p.s.Active[position]].Kind.Role()
}

func joined(puts []session.Put) string {
	var texts []string
	for _, put := range puts {
		texts = append(texts, put.Text)
	}
	return strings.Join(texts, "\n\n")
}

// pairs keeps the calls of the piece's puts in one assistant message, each
// with a result. What has no call of its own here stands before them where the
// piece began with user text, else in the last result. It returns nil when no
// call can be kept.
func (p *planner) pairs(piece *session.Piece, end ends) ([]line, error) {
	var kept []session.Put
	var rest []session.Put
	results := map[int32]*message{} // by index of the call
	for _, put := range piece.Put {
		if p.keeps(piece.Members, put.Call, results) {
			results[put.Call] = p.result(put.Call)
			kept = append(kept, put)
		} else if results[put.Call] == nil {
			rest = append(rest, put)
			continue
		}
		m := results[put.Call]
		m.Content = append(m.Content, textBlock{"text", put.Text})
	}
	leads := end.first == "user" && len(rest) > 0
	if len(kept) == 0 || !leads && !end.begins("assistant") {
		return nil, nil
	}
	m, err := p.assistant(piece.Members)
	if err != nil {
		return nil, err
	}
	m.StopReason = "toolUse"
	lines := []line{{ref: kept[0].Ref, message: m}}
	for _, put := range kept {
		call := &p.s.Calls[put.Call]
		args, err := p.arguments(call, put.Headline)
		if err != nil {
			return nil, err
		}
		m.Content = append(m.Content, callBlock{"toolCall", p.callID(call), p.s.Str(call.Name), args})
		lines = append(lines, line{ref: put.Ref, message: results[put.Call]})
	}
	switch {
	case leads && len(lines) < len(piece.Members):
		lines = append([]line{{ref: rest[0].Ref, custom: joined(rest)}}, lines...)
	case !end.begins("assistant") || len(lines) > len(piece.Members):
		return nil, nil
	default:
		last := lines[len(lines)-1].message
		for _, put := range rest {
			last.Content = append(last.Content, textBlock{"text", put.Text})
		}
	}
	return lines, nil
}

// keeps reports whether a call can stand in the mask: it is answered, both it
// and its result are members, and no other call that stands there has its id.
func (p *planner) keeps(members []int32, call int32, kept map[int32]*message) bool {
	if call < 0 || kept[call] != nil {
		return false
	}
	c := &p.s.Calls[call]
	if c.Result < 0 || !slices.Contains(members, c.Entry) || !slices.Contains(members, c.Result) {
		return false
	}
	for other := range kept {
		if bytes.Equal(p.s.Bytes(p.s.Calls[other].ID), p.s.Bytes(c.ID)) {
			return false
		}
	}
	return len(p.s.Bytes(c.ID)) > 0
}

// result begins the result of a call.
func (p *planner) result(call int32) *message {
	c := &p.s.Calls[call]
	failed := p.s.Entries[c.Result].Is(session.Failed)
	return &message{Role: "toolResult", ToolCallID: p.callID(c), ToolName: p.s.Str(c.Name), IsError: &failed}
}

// callID is the id under which a call is kept. Ids of OpenAI's responses API
// have two halves, call and item. The item is tied to the reasoning that the
// mask leaves out, and the API refuses one without the other; without an item
// id it takes the call (pi 1.6.0 sends none then).
func (p *planner) callID(c *session.Call) string {
	id := p.s.Str(c.ID)
	if p.s.Entries[c.Entry].Is(session.Signed) {
		id, _, _ = strings.Cut(id, "|")
	}
	return id
}

// assistant begins an assistant message with the model fields of the first
// real turn among the members, else of the last one before them: an assistant
// message sets the session's model, and a mirror names none that exists.
func (p *planner) assistant(members []int32) (*message, error) {
	s := p.s
	from := int32(-1)
	for _, i := range members {
		if s.Entries[i].Kind == session.Assistant {
			from = i
			break
		}
	}
	for n := s.Position(members[0]) - 1; from < 0 && n >= 0; n-- {
		if i := s.Active[n]; s.Entries[i].Kind == session.Assistant {
			from = i
		}
	}
	if from < 0 {
		return nil, errors.New("no assistant turn to take the model from")
	}
	raw, err := s.Raw(from)
	if err != nil {
		return nil, err
	}
	m := gjson.GetBytes(jsonwalk.TrimBOM(raw), "message")
	return &message{
		Role: "assistant", Usage: noUsage,
		API: rawField(m, "api"), Provider: rawField(m, "provider"), Model: rawField(m, "model"),
	}, nil
}

func rawField(m gjson.Result, key string) json.RawMessage {
	if v := m.Get(key); v.Exists() {
		return json.RawMessage(v.Raw)
	}
	return nil
}

// shortArguments is the size in bytes up to which arguments without a task
// stay as they are.
const shortArguments = 200

// taskKeys are the arguments under which delegation tools take the task.
var taskKeys = []string{"task", "message", "prompt", "instructions", "description", "query"}

// arguments shortens a call's arguments to the task on one line. A message to
// an existing session keeps its address; the arguments of a call that only
// asks about a child are short as they are.
func (p *planner) arguments(call *session.Call, headline string) (json.RawMessage, error) {
	raw, err := p.s.Raw(call.Entry)
	if err != nil {
		return nil, err
	}
	args := argsOf(gjson.GetBytes(jsonwalk.TrimBOM(raw), fmt.Sprintf("message.content.%d", call.Block)))
	if args.Type == gjson.String && gjson.Valid(args.Str) {
		args = gjson.Parse(args.Str) // some providers hand the arguments over as one string
	}
	for _, key := range taskKeys {
		if args.Get(key).Type != gjson.String {
			continue
		}
		short := append([]byte{'{'}, jsonwalk.Quote(key)...)
		short = append(append(short, ':'), jsonwalk.Quote(headline)...)
		address := "sessionKey"
		if !args.Get(address).Exists() && p.s.Str(call.Name) == toolSend {
			address = "label"
		}
		if to := args.Get(address); to.Type == gjson.String {
			short = append(append(append(append(short, ','), jsonwalk.Quote(address)...), ':'), jsonwalk.Quote(p.clean(to.Str))...)
		}
		return append(short, '}'), nil
	}
	harmless := p.terms.Harmless == nil || p.terms.Harmless(args.Raw)
	if args.IsObject() && len(args.Raw) <= shortArguments && harmless && p.clean(args.Raw) == args.Raw {
		return json.RawMessage(args.Raw), nil
	}
	return json.RawMessage(`{}`), nil
}

// clean takes secrets out of what a mask keeps of a call: its line is ours.
func (p *planner) clean(s string) string {
	if p.terms.Clean == nil {
		return s
	}
	return p.terms.Clean(s)
}
