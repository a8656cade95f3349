package openclaw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sessc/session"
	"sessc/session/linescan"
	"sessc/tokens"
)

// record is what the index took from one line, in the words of JSON.
type record struct {
	Kind                 session.Kind
	ID, Parent           string
	Time                 int64
	Said, Thought, Args  uint32
	Pictures             uint8
	Flags                session.Flags
	Calls                []string
	Answers, Model       string
	Prompt, Output, Full int32
	Marker               session.Marker
	Pointers             []string
	Kept, Target         string
	ModelChange, Effort  string
}

// taken indexes one line behind a header.
func taken(line []byte) record {
	s := &session.Session{}
	b := session.NewBuilder(s)
	r := newReader(session.Settings{})
	log := append([]byte(headerLine+"\n"), line...)
	lines := linescan.New(bytes.NewReader(log), int64(len(log)), linescan.Options{})
	for lines.Next() {
		s.Lines++
		r.Line(lines.Line(), b)
	}
	e := s.Entries[1]
	r.Size(line, &e) // as for an entry that is sent
	got := record{
		Kind: e.Kind, ID: s.Str(e.ID), Parent: s.Str(e.ParentID), Time: e.Time,
		Said: e.Said, Thought: e.Thought, Args: e.Args, Pictures: e.Pictures, Flags: e.Flags &^ session.ByUs,
	}
	got.Marker, _ = s.Mark(1)
	for _, c := range s.Calls {
		got.Calls = append(got.Calls, fmt.Sprintf("%d %q %q", c.Block, s.Str(c.ID), s.Str(c.Name)))
	}
	for _, u := range s.Usages {
		got.Model, got.Prompt, got.Output, got.Full = s.Str(u.Model), u.Prompt, u.Output, u.Total
	}
	for _, a := range r.answers {
		got.Answers = s.Str(a.Call)
	}
	for _, p := range r.private.pointers {
		got.Pointers = append(got.Pointers, p.key+" "+s.Str(p.to))
	}
	for _, list := range []struct {
		to    *string
		notes []note
	}{{&got.Kept, r.windows}, {&got.Target, r.leaves}, {&got.ModelChange, r.models}, {&got.Effort, r.efforts}} {
		for _, n := range list.notes {
			*list.to = s.Str(n.text)
		}
	}
	return got
}

// object is a JSON object as encoding/json decodes it: the last one of a
// repeated key, keys unescaped.
type object map[string]json.RawMessage

func (m object) str(key string) string {
	if raw := m[key]; len(raw) > 0 && raw[0] == '"' {
		return text(raw)
	}
	return ""
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		panic("not a string: " + string(raw))
	}
	return s
}

func (m object) count(key string) int64 {
	n, err := strconv.ParseInt(string(m[key]), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, 1<<31-1)
}

func (m object) object(key string) object {
	var v object
	if json.Unmarshal(m[key], &v) != nil {
		return nil
	}
	return v
}

// sum adds as the index does, without room for more.
func sum(n ...int64) int32 {
	all := int64(0)
	for _, v := range n {
		all += v
	}
	return int32(min(all, 1<<31-1))
}

// told is what encoding/json finds in a line; ok is false where it does not
// accept it.
func told(line []byte) (want record, ok bool) {
	if !json.Valid(line) {
		return want, false
	}
	var top object
	if json.Unmarshal(line, &top) != nil || top == nil {
		return record{Kind: session.Damaged}, true
	}
	want = record{ID: top.str("id"), Parent: top.str("parentId"), Time: moment(top.str("timestamp"))}
	if top.str("appendMode") == "side" {
		want.Flags |= session.Side
	}
	if mark := top.object("sessc"); mark.str("ref") != "" {
		want.Marker = session.Marker{Ref: mark.str("ref"), Gen: int(mark.count("gen"))}
	}
	for _, key := range []string{"targetId", "fromId", "appendParentId", "firstKeptEntryId"} {
		if id := top.str(key); id != "" {
			want.Pointers = append(want.Pointers, key+" "+id)
		}
	}
	switch typ := top.str("type"); typ {
	case "session":
		want.Kind, want.ID = session.Meta, ""
	case "message":
		msg := top.object("message")
		if msg == nil {
			msg = object{}
		}
		want.message(msg)
	case "custom_message":
		want.Kind = session.HostEvent
		want.content(top["content"])
		want.Calls = nil
		want.Flags &^= session.Signed
		if string(top["display"]) == "false" && strings.HasPrefix(top.str("customType"), "openclaw.sessions_yield") {
			want.Flags |= session.Quiet
		}
	case "compaction", "reset":
		want.Kind, want.Kept = session.Boundary, top.str("firstKeptEntryId")
		want.Said = uint32(tokens.EstimateString(top.str("summary")))
	case "branch_summary":
		want.Kind = session.Summary
		want.Said = uint32(tokens.EstimateString(top.str("summary")))
	default:
		want.Kind = session.Opaque
		if slices.Contains([]string{"model_change", "thinking_level_change", "custom", "label", "session_info", "leaf", "context_edit", "usage"}, typ) {
			want.Kind = session.Meta
		}
		switch typ {
		case "model_change":
			want.ModelChange = model(top.str("provider"), top.str("modelId"))
		case "thinking_level_change":
			want.Effort = top.str("thinkingLevel")
		case "leaf":
			want.Target = top.str("targetId")
		}
	}
	return want, true
}

func moment(stamp string) int64 {
	var t time.Time
	if t.UnmarshalText([]byte(stamp)) != nil {
		return 0
	}
	return t.UnixMilli()
}

func model(provider, name string) string {
	if provider == "" && name == "" {
		return ""
	}
	return provider + "/" + name
}

func (want *record) message(m object) {
	want.content(m["content"])
	calls := want.Calls
	signed := want.Flags & session.Signed
	want.Calls, want.Flags = nil, want.Flags&^session.Signed
	switch m.str("role") {
	case "user":
		var texts []string
		texts = append(texts, blocks(m["content"])...)
		p := m.object("provenance")
		want.Kind = session.Human
		if isHostText(parse(strings.Join(texts, "\n")), provenance{p.str("kind"), p.str("sourceSessionKey"), p.str("sourceTool")}) {
			want.Kind = session.HostEvent
		}
	case "assistant":
		want.Kind, want.Calls = session.Assistant, calls
		want.Flags |= signed
		if m.str("provider") == "openclaw" && (m.str("model") == "delivery-mirror" || m.str("model") == "gateway-injected") {
			want.Kind = session.Mirror
		}
		if slices.Contains([]string{"", "stop", "length", "toolUse"}, m.str("stopReason")) {
			want.Flags |= session.Ended
		}
		want.Model = model(m.str("provider"), m.str("model"))
		u := m.object("usage")
		want.Prompt, want.Output = sum(u.count("input"), u.count("cacheRead"), u.count("cacheWrite")), sum(u.count("output"))
		want.Full = sum(u.count("totalTokens"))
		if want.Full == 0 {
			want.Full = sum(u.count("input"), u.count("output"), u.count("cacheRead"), u.count("cacheWrite"))
		}
	case "toolResult":
		want.Kind, want.Answers = session.Result, m.str("toolCallId")
		if string(m["isError"]) == "true" {
			want.Flags |= session.Failed
		}
	case "bashExecution":
		want.Kind = session.Human
		want.Said = uint32(tokens.EstimateString(m.str("command")) + tokens.EstimateString(m.str("output")))
		if string(m["excludeFromContext"]) == "true" {
			want.Kind = session.Meta
		}
	case "custom", "compactionSummary", "branchSummary", "system":
		want.Kind = session.Summary
	default:
		want.Kind = session.Opaque
	}
	if want.Kind.Role() == "" {
		want.Said, want.Thought, want.Args, want.Pictures = 0, 0, 0, 0
	}
}

// blocks are the decoded texts of a content.
func blocks(content json.RawMessage) (texts []string) {
	if len(content) > 0 && content[0] == '"' {
		return []string{text(content)}
	}
	var list []json.RawMessage
	if json.Unmarshal(content, &list) != nil {
		return nil
	}
	for _, raw := range list {
		var b object
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		if t := b["text"]; b.str("type") == "text" && len(t) > 0 && t[0] == '"' {
			texts = append(texts, text(t))
		}
	}
	return texts
}

func (want *record) content(content json.RawMessage) {
	var said, thought, args int
	for _, t := range blocks(content) {
		said += tokens.EstimateString(t)
	}
	var list []json.RawMessage
	if json.Unmarshal(content, &list) != nil {
		list = nil
	}
	for n, raw := range list {
		var b object
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		if b.str("thinkingSignature") != "" || b.str("thoughtSignature") != "" {
			want.Flags |= session.Signed
		}
		switch b.str("type") {
		case "thinking":
			thought += tokens.EstimateString(b.str("thinking"))
		case "image":
			want.Pictures++
			said += tokens.Image(len(b.str("data")))
		case "toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call":
			a, ok := b["arguments"]
			if !ok {
				a = b["input"]
			}
			args += tokens.EstimateString(b.str("name")) + tokens.Estimate(a)
			want.Calls = append(want.Calls, fmt.Sprintf("%d %q %q", n, b.str("id"), b.str("name")))
		}
	}
	want.Said, want.Thought, want.Args = uint32(said), uint32(thought), uint32(args)
}

// compareLine checks the walker against encoding/json on one line. Sizes are
// compared on well-formed text alone: what stands for ill-formed bytes may be
// estimated otherwise.
func compareLine(t *testing.T, line []byte) {
	t.Helper()
	want, ok := told(line)
	if !ok {
		taken(line)
		return
	}
	got := taken(line)
	if !utf8.Valid(line) {
		got.Said, got.Thought, got.Args = want.Said, want.Thought, want.Args
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("line %q\n got %+v\nwant %+v", line, got, want)
	}
}

// traps are lines on which a reader that only looks for patterns goes wrong.
var traps = map[string]string{
	"type behind the text":        `{"message":{"content":[{"text":"hi","type":"text"}],"role":"user"},"id":"a","type":"message"}`,
	"type inside arguments":       `{"type":"message","id":"a","message":{"role":"assistant","content":[{"arguments":{"type":"text","text":"x","id":"no"},"id":"c","name":"read","type":"toolCall"}]}}`,
	"type within type":            `{"type":{"type":"message"},"id":"a","message":{"role":"user"}}`,
	"keys of the entry below":     `{"id":"a","message":{"role":"user","content":[],"id":"b","parentId":"c","type":"custom","timestamp":"2026-01-01T00:00:00Z"},"type":"message"}`,
	"content beside a message":    `{"type":"message","id":"a","message":{"role":"user","content":"mine"},"content":"not mine at all","summary":"nor this","provider":"p"}`,
	"message beside content":      `{"type":"custom_message","id":"a","content":"mine","message":{"role":"assistant","content":"not mine at all"}}`,
	"provider beside a message":   `{"type":"model_change","provider":"p","modelId":"m","message":{"provider":"q","model":"n"}}`,
	"id twice":                    `{"type":"message","id":"a","id":"b","message":{"role":"user","content":"x"}}`,
	"id twice, then no string":    `{"type":"message","id":"a","id":7,"message":{"role":"user","content":"x"}}`,
	"message twice":               `{"type":"message","message":{"role":"assistant","model":"m","usage":{"input":3},"content":[{"type":"toolCall","id":"c"}]},"message":{"role":"user","content":"x"}}`,
	"message twice, then null":    `{"type":"message","message":{"role":"user","content":"x"},"message":null}`,
	"content twice":               `{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"long","thinkingSignature":"s"},{"type":"image","data":"QUJD"}],"content":[{"type":"text","text":"x"}]}}`,
	"content twice, then a word":  `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c"}],"content":"x"}}`,
	"text twice":                  `{"type":"message","message":{"role":"user","content":[{"type":"text","text":"x","text":"yy"},{"type":"text","text":"x","text":null}]}}`,
	"signature twice":             `{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinkingSignature":"x","thinkingSignature":""}]}}`,
	"usage twice":                 `{"type":"message","message":{"role":"assistant","usage":{"input":5,"totalTokens":9},"usage":{"output":1}}}`,
	"usage twice, then null":      `{"type":"message","message":{"role":"assistant","usage":{"input":5},"usage":null}}`,
	"usage of odd figures":        `{"type":"message","message":{"role":"assistant","usage":{"input":1e3,"output":-4,"cacheRead":"7","cacheWrite":99999999999,"totalTokens":0.5}}}`,
	"usage beyond int64":          `{"type":"message","message":{"role":"assistant","usage":{"input":9223372036854775807,"output":9223372036854775807,"totalTokens":18446744073709551617}}}`,
	"provenance twice":            `{"type":"message","message":{"role":"user","content":"x","provenance":{"kind":"inter_session"},"provenance":7}}`,
	"error flag twice":            `{"type":"message","message":{"role":"toolResult","isError":true,"isError":"yes","toolCallId":"c"}}`,
	"marker twice":                `{"type":"message","sessc":{"ref":"r","gen":2},"sessc":{"gen":3}}`,
	"marker of a future":          `{"type":"message","sessc":{"ref":"r","gen":99999999999,"v":7}}`,
	"escaped keys":                `{"\u0074ype":"message","i\u0064":"a","\u006dessage":{"\u0072ole":"user","content":[{"t\u0079pe":"text","te\u0078t":"h\u0069"}]}}`,
	"escaped values":              `{"type":"m\u0065ssage","id":"\u00e9\n","parentId":"a\"b","message":{"role":"\u0075ser","content":"a\\n\ud83d\ude00\ud83d"}}`,
	"arguments and input":         `{"type":"message","message":{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","arguments":{"a":1},"input":{"long":"longer than the other"}},{"type":"toolUse","input":{"b":2}}]}}`,
	"every spelling":              `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"1"},{"type":"toolUse","id":"2"},{"type":"functionCall","id":"3"},{"type":"tool_call","id":"4"},{"type":"tool_use","id":"5"},{"type":"function_call","id":"6"},{"type":"toolcall","id":"7"}]}}`,
	"blocks that are none":        `{"type":"message","message":{"role":"assistant","content":[null,7,"x",[{"type":"toolCall","id":"no"}],{"type":"toolCall","id":"c"}]}}`,
	"bash":                        `{"type":"message","message":{"role":"bashExecution","command":"ls -l","output":"total 0\n","content":"not sent"}}`,
	"bash, kept to oneself":       `{"type":"message","message":{"role":"bashExecution","command":"ls","output":"x","excludeFromContext":true}}`,
	"command of a person":         `{"type":"message","message":{"role":"user","content":"x","command":"not sent","output":"nor this"}}`,
	"mirror":                      `{"type":"message","message":{"role":"assistant","provider":"openclaw","model":"delivery-mirror","content":[{"type":"text","text":"x"}]}}`,
	"error turn":                  `{"type":"message","message":{"role":"assistant","stopReason":"error","content":[]}}`,
	"pointers":                    `{"type":"context_edit","targetId":"a","fromId":"b","appendParentId":"c","firstKeptEntryId":"d"}`,
	"compaction":                  `{"type":"compaction","id":"a","summary":"what was","summary":"what was before","firstKeptEntryId":"k","tokensBefore":5}`,
	"hidden custom message":       `{"type":"custom_message","display":false,"content":[{"type":"text","text":"x"},{"type":"image","data":"QUJDRA==","mimeType":"image/png"}]}`,
	"second header":               `{"type":"session","version":3,"id":"s2"}`,
	"unknown type":                `{"type":"weather","id":"a","parentId":"b","timestamp":"2026-03-01T10:00:00Z"}`,
	"no type":                     `{"id":"a"}`,
	"no object":                   `["type","message"]`,
	"a word":                      `"message"`,
	"white space":                 " \t{ \"type\" :\r \"message\" , \"message\" : { \"role\" : \"user\" , \"content\" : [ { \"type\" : \"text\" , \"text\" : \"x\" } ] } } \r",
	"nested deep":                 `{"type":"message","id":"a","message":{"role":"toolResult","details":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `,"toolCallId":"c"}}`,
	"stamp in milliseconds":       `{"type":"message","timestamp":1776000000000}`,
	"stamp in another zone":       `{"type":"message","timestamp":"2026-03-01T10:00:00.5+02:00"}`,
	"stamp that is no date":       `{"type":"message","timestamp":"2026-02-30T10:00:00Z"}`,
	"ill-formed text":             "{\"type\":\"message\",\"id\":\"\xff\",\"message\":{\"role\":\"user\",\"content\":\"a\xffb\"}}",
	"role that is no string":      `{"type":"message","message":{"role":["user"],"content":"x"}}`,
	"separators in a string":      "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"a\u2028b\u0085c\"}}",
	"non-breaking space in front": "\u00a0{\"type\":\"message\"}",
	"text behind":                 `{"type":"message"} {"type":"message"}`,
}

func TestIndexOfTraps(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(traps)) {
		t.Run(name, func(t *testing.T) { compareLine(t, []byte(traps[name])) })
	}
	// The oracle itself is held against what a reader sees.
	got := taken([]byte(traps["message twice"]))
	if got.Kind != session.Human || got.Said == 0 || got.Calls != nil || got.Model != "" || got.Prompt != 0 {
		t.Errorf("message twice: %+v", got)
	}
	got = taken([]byte(traps["escaped keys"]))
	if got.Kind != session.Human || got.ID != "a" || got.Said == 0 {
		t.Errorf("escaped keys: %+v", got)
	}
	for _, name := range []string{"no object", "non-breaking space in front", "text behind"} {
		if got := taken([]byte(traps[name])); got.Kind != session.Damaged {
			t.Errorf("%s: %v", name, got.Kind)
		}
	}
}

func TestIndexOfFixtures(t *testing.T) {
	lines := 0
	for name, log := range fixtureLogs(t) {
		t.Run(name, func(t *testing.T) {
			for _, line := range bytes.SplitAfter(log, []byte("\n")) {
				if !bytes.HasPrefix(line, []byte("\ufeff")) && len(bytes.TrimSpace(line)) > 0 {
					compareLine(t, bytes.TrimSuffix(line, []byte("\n")))
					lines++
				}
			}
		})
	}
	if lines < 1000 {
		t.Errorf("only %d lines were compared", lines)
	}
}

func FuzzIndexLine(f *testing.F) {
	for _, line := range traps {
		if len(line) < 1000 { // long seeds keep the fuzzer busy with making them short
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !bytes.ContainsRune(line, '\n') && len(bytes.TrimSpace(line)) > 0 {
			compareLine(t, line)
		}
	})
}
