package openclaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// line is one line to be written in the place of members.
type line struct {
	id, parent string
	stamp      string // the entry's timestamp as raw JSON
	ref        string
	custom     string // content of a custom_message, "" for a message
	message    *message
}

type message struct {
	Role       string          `json:"role"`
	Content    []any           `json:"content,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	API        json.RawMessage `json:"api,omitempty"`
	Provider   json.RawMessage `json:"provider,omitempty"`
	Model      json.RawMessage `json:"model,omitempty"`
	Usage      json.RawMessage `json:"usage,omitempty"`
	StopReason string          `json:"stopReason,omitempty"`
	IsError    *bool           `json:"isError,omitempty"`
	Timestamp  int64           `json:"timestamp"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type callBlock struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// noUsage is what both programs take for "not known"; the figures of the
// removed turn would count what is no longer sent.
var noUsage = json.RawMessage(`{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`)

// shape chooses what stands in a piece's place, by one rule: no entry gets a
// neighbour of its own role that it did not have before.
//
// First choice are the sub-tasks' own calls, shortened, each with its record
// as the result. Without a call to keep it is a custom_message, which is sent
// as user text like the completion that it replaces, else an assistant text.
func (p *planner) shape(piece *session.Piece) ([]line, error) {
	s := p.s
	for n := range piece.Put {
		if piece.Put[n].Call >= 0 {
			return p.pairs(piece)
		}
	}
	first, last := piece.Members[0], piece.Members[len(piece.Members)-1]
	before, after := p.roleAt(s.Position(first)-1), p.roleAt(s.Position(last)+1)
	fits := func(role string) bool {
		return (before != role || s.Entries[first].Kind.Role() == role) && (after != role || s.Entries[last].Kind.Role() == role)
	}
	text, ref := joined(piece.Put), piece.Put[0].Ref
	switch {
	case fits("user"):
		return []line{{ref: ref, custom: text}}, nil
	case fits("assistant"):
		m, err := p.assistant(piece.Members)
		if err != nil {
			return nil, err
		}
		m.Content, m.StopReason = []any{textBlock{"text", text}}, "stop"
		m.Timestamp = s.Entries[last].Time
		return []line{{ref: ref, message: m}}, nil
	}
	return nil, errors.New("no shape fits between its neighbours")
}

func joined(puts []session.Put) string {
	var b bytes.Buffer
	for n, put := range puts {
		if n > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(put.Text)
	}
	return b.String()
}

func (p *planner) roleAt(position int) string {
	if position < 0 || position >= len(p.s.Active) {
		return ""
	}
	return p.s.Entries[p.s.Active[position]].Kind.Role()
}

// pairs keeps the calls of the piece's puts in one assistant message, each
// with a result. What has no call in this piece follows in the last result.
func (p *planner) pairs(piece *session.Piece) ([]line, error) {
	s := p.s
	m, err := p.assistant(piece.Members)
	if err != nil {
		return nil, err
	}
	m.StopReason, m.Timestamp = "toolUse", s.Entries[piece.Members[0]].Time
	lines := []line{{ref: piece.Put[0].Ref, message: m}}
	var rest []any
	for _, put := range piece.Put {
		if put.Call < 0 {
			rest = append(rest, textBlock{"text", put.Text})
			continue
		}
		call := &s.Calls[put.Call]
		args, err := p.arguments(call, put.Headline)
		if err != nil {
			return nil, err
		}
		id, name := s.Str(call.ID), s.Str(call.Name)
		m.Content = append(m.Content, callBlock{"toolCall", id, name, args})
		failed := s.Entries[call.Result].Is(session.Failed)
		lines = append(lines, line{ref: put.Ref, message: &message{
			Role: "toolResult", ToolCallID: id, ToolName: name, IsError: &failed,
			Content: []any{textBlock{"text", put.Text}}, Timestamp: s.Entries[call.Result].Time,
		}})
	}
	end := lines[len(lines)-1].message
	end.Content = append(end.Content, rest...)
	if len(lines) > len(piece.Members) {
		return nil, fmt.Errorf("%d lines do not fit in the place of %d", len(lines), len(piece.Members))
	}
	return lines, nil
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
	m := gjson.GetBytes(trimBOM(raw), "message")
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
	args := argsOf(gjson.GetBytes(trimBOM(raw), fmt.Sprintf("message.content.%d", call.Block)))
	for _, key := range taskKeys {
		if args.Get(key).Type != gjson.String {
			continue
		}
		short := append([]byte{'{'}, quote(key)...)
		short = append(append(short, ':'), quote(headline)...)
		if to := args.Get("sessionKey"); to.Type == gjson.String {
			short = append(append(short, `,"sessionKey":`...), to.Raw...)
		}
		return append(short, '}'), nil
	}
	if len(args.Raw) <= 200 && args.IsObject() {
		return json.RawMessage(args.Raw), nil
	}
	return json.RawMessage(`{}`), nil
}

// render writes the line, without its line end.
func (l *line) render(generation int) ([]byte, error) {
	type mark struct {
		V   int    `json:"v"`
		Ref string `json:"ref"`
		Gen int    `json:"gen"`
	}
	var parent any
	if l.parent != "" {
		parent = l.parent
	}
	stamp := json.RawMessage(l.stamp)
	if len(stamp) == 0 {
		stamp = json.RawMessage(`null`)
	}
	m := mark{1, l.ref, generation}
	if l.message == nil {
		return encode(struct {
			Type       string          `json:"type"`
			CustomType string          `json:"customType"`
			Content    string          `json:"content"`
			Display    bool            `json:"display"`
			ID         string          `json:"id"`
			Parent     any             `json:"parentId"`
			Timestamp  json.RawMessage `json:"timestamp"`
			Mark       mark            `json:"sessc"`
		}{"custom_message", "sessc.compacted", l.custom, true, l.id, parent, stamp, m})
	}
	return encode(struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Parent    any             `json:"parentId"`
		Timestamp json.RawMessage `json:"timestamp"`
		Message   *message        `json:"message"`
		Mark      mark            `json:"sessc"`
	}{"message", l.id, parent, stamp, l.message, m})
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// quote writes a JSON string. The only error of Encode concerns values that
// JSON cannot hold, and a string is not one.
func quote(s string) []byte {
	b, err := encode(s)
	if err != nil {
		panic(err)
	}
	return b
}

// valueRange finds the value behind a path of keys in a line, the last one
// where a key is repeated, as JSON decoders do.
func valueRange(raw []byte, path ...string) (session.Range, bool) {
	var skipped int
	if bytes.HasPrefix(raw, []byte("\ufeff")) {
		skipped = len("\ufeff")
	}
	at := session.Range{Off: int64(skipped), Len: int64(len(raw) - skipped)}
	var c jsonwalk.Cursor
	for _, want := range path {
		c.Reset(raw[at.Off:at.End()])
		found := false
		base := at.Off
		if !c.Enter() {
			return session.Range{}, false
		}
		for {
			key, ok := c.Key()
			if !ok {
				break
			}
			if string(key) != want {
				continue
			}
			if from, to, ok := c.Range(); ok {
				at, found = session.Range{Off: base + int64(from), Len: int64(to - from)}, true
			}
		}
		if !found {
			return session.Range{}, false
		}
	}
	return at, true
}
