package openclaw

import (
	"bytes"
	"encoding/json"
	"time"
)

// line is one line to be written in the place of members.
type line struct {
	id, parent string
	stamp      time.Time
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

// role is the role under which the line is sent.
func (l *line) role() string {
	switch {
	case l.message == nil:
		return "user"
	case l.message.Role == "assistant":
		return "assistant"
	}
	return "tool"
}

// stampFormat is how both programs write the time of an entry.
const stampFormat = "2006-01-02T15:04:05.000Z"

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
	stamp := l.stamp.Format(stampFormat)
	if l.message != nil {
		l.message.Timestamp = l.stamp.UnixMilli()
	}
	m := mark{1, l.ref, generation}
	if l.message == nil {
		return encode(struct {
			Type       string `json:"type"`
			CustomType string `json:"customType"`
			Content    string `json:"content"`
			Display    bool   `json:"display"`
			ID         string `json:"id"`
			Parent     any    `json:"parentId"`
			Timestamp  string `json:"timestamp"`
			Mark       mark   `json:"sessc"`
		}{"custom_message", "sessc.compacted", l.custom, true, l.id, parent, stamp, m})
	}
	return encode(struct {
		Type      string   `json:"type"`
		ID        string   `json:"id"`
		Parent    any      `json:"parentId"`
		Timestamp string   `json:"timestamp"`
		Message   *message `json:"message"`
		Mark      mark     `json:"sessc"`
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
