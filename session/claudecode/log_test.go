package claudecode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"sessc/session"
	"sessc/session/jsonwalk"
)

const sessionID = "11111111-1111-4111-8111-111111111111"

// script writes a log line by line. Every line is a second later than the one
// before, unless at says otherwise.
type script struct {
	lines []string
	clock int
}

// more are members that a line gets, or loses when their value is nil.
type more map[string]any

func (l *script) raw(line string) *script {
	l.lines = append(l.lines, line)
	return l
}

func (l *script) rec(o more, extra []more) *script {
	l.clock++
	at := l.clock
	for _, m := range extra {
		for k, v := range m {
			switch {
			case k == "at":
				at = v.(int)
			case v == nil:
				delete(o, k)
			default:
				o[k] = v
			}
		}
	}
	if _, beside := o["uuid"]; beside {
		o["timestamp"] = fmt.Sprintf("2026-01-05T10:%02d:%02d.000Z", at/60, at%60)
	}
	return l.raw(jsonOf(o))
}

func envelopeOf(typ, id, parent string) more {
	o := more{"type": typ, "uuid": id, "parentUuid": nil, "isSidechain": false, "sessionId": sessionID, "cwd": "/home/ana/app", "version": "2.1.328"}
	if parent != "" {
		o["parentUuid"] = parent
	}
	return o
}

func (l *script) user(id, parent string, content any, extra ...more) *script {
	o := envelopeOf("user", id, parent)
	o["message"] = more{"role": "user", "content": content}
	return l.rec(o, extra)
}

func (l *script) result(id, parent, call string, content any, extra ...more) *script {
	return l.user(id, parent, []more{{"type": "tool_result", "tool_use_id": call, "content": content}}, extra...)
}

func (l *script) fail(id, parent, call, text string, extra ...more) *script {
	return l.user(id, parent, []more{{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": true}},
		append([]more{{"toolUseResult": "Error: " + text}}, extra...)...)
}

const model = "claude-opus-5-5"

func (l *script) says(id, parent, message string, block more, extra ...more) *script {
	o := envelopeOf("assistant", id, parent)
	m := more{"id": message, "type": "message", "role": "assistant", "model": model, "content": []more{block}, "stop_reason": "tool_use",
		"usage": more{"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 5}}
	for _, x := range extra {
		for _, k := range []string{"model", "usage", "stop_reason"} {
			if v, ok := x[k]; ok {
				m[k] = v
				delete(x, k)
			}
		}
	}
	o["message"] = m
	return l.rec(o, extra)
}

func (l *script) text(id, parent, message, text string, extra ...more) *script {
	return l.says(id, parent, message, more{"type": "text", "text": text}, extra...)
}

func (l *script) call(id, parent, message, call, tool string, input more, extra ...more) *script {
	return l.says(id, parent, message, more{"type": "tool_use", "id": call, "name": tool, "input": input}, extra...)
}

func (l *script) bash(id, parent, message, call string) *script {
	return l.call(id, parent, message, call, "Bash", more{"command": "make"})
}

// note is an attachment with text that is sent.
func (l *script) note(id, parent, text string, extra ...more) *script {
	o := envelopeOf("attachment", id, parent)
	o["attachment"] = more{"type": "silent_turn_reminder", "text": text}
	o["rendered"] = []more{{"content": text}}
	return l.rec(o, extra)
}

func (l *script) system(id, parent, subtype string, extra ...more) *script {
	o := envelopeOf("system", id, parent)
	o["subtype"], o["content"] = subtype, "x"
	return l.rec(o, extra)
}

func (l *script) progress(id, parent string, extra ...more) *script {
	o := envelopeOf("progress", id, parent)
	o["data"], o["toolUseID"] = more{"type": "hook_progress"}, "x"
	return l.rec(o, extra)
}

// named is a last-prompt line.
func (l *script) named(leaf string) *script {
	return l.raw(fmt.Sprintf(`{"type":"last-prompt","lastPrompt":"x","leafUuid":%q,"sessionId":%q}`, leaf, sessionID))
}

func (l *script) bytes() []byte { return []byte(strings.Join(l.lines, "\n") + "\n") }

func (l *script) index(t testing.TB) *session.Session {
	t.Helper()
	return indexed(t, l.bytes())
}

func indexed(t testing.TB, log []byte) *session.Session {
	t.Helper()
	return indexedAs(t, log, "/x/projects/-x/"+sessionID+".jsonl")
}

func indexedAs(t testing.TB, log []byte, path string) *session.Session {
	t.Helper()
	s, err := session.Index(bytes.NewReader(log), int64(len(log)), path, Format{}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// idsOf names entries by their uuid.
func idsOf(s *session.Session, entries []int32) string {
	var ids []string
	for _, i := range entries {
		ids = append(ids, s.IDOf(i))
	}
	return strings.Join(ids, " ")
}

// byID sorts entries by their uuid.
func byID(s *session.Session, entries []int32) []int32 {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b int32) int { return strings.Compare(s.IDOf(a), s.IDOf(b)) })
	return sorted
}

// jsonOf writes a value as the client does, with brackets as they are.
func jsonOf(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// asciiOf is a JSON string with every other character escaped.
func asciiOf(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04x`, u)
	}
	b.WriteByte('"')
	return b.String()
}

func unescape(raw string) []byte { return jsonwalk.Unescape(nil, []byte(raw)) }
