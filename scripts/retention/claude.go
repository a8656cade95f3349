package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// A line of Claude Code is read as if pi had written it: what the model is sent of it, under the role that pi gives
// it. What is a result of an agent, and what a notification holds around one, is told apart here.

// claudeID is the id of a conversation line of Claude Code, "" for any other line.
func claudeID(v gjson.Result) string { return v.Get("uuid").Str }

// asPi translates a line. tools are the names of the calls so far, by their ids.
func asPi(v gjson.Result, tools map[string]string) gjson.Result {
	content := v.Get("message.content")
	message := map[string]any{}
	switch v.Get("type").Str {
	case "assistant":
		if v.Get("isApiErrorMessage").Bool() {
			return gjson.Result{}
		}
		content.ForEach(func(_, b gjson.Result) bool {
			if b.Get("type").Str == "tool_use" {
				tools[b.Get("id").Str] = b.Get("name").Str
			}
			return true
		})
		message["role"], message["content"] = "assistant", json.RawMessage(content.Raw)
	case "user":
		message = fromUser(content, tools)
	case "attachment":
		var said []string
		for _, r := range v.Get("rendered").Array() {
			said = append(said, texts(r.Get("content")))
		}
		if len(said) == 0 && v.Get("attachment.type").Str == "queued_command" {
			said = []string{texts(v.Get("attachment.prompt"))}
		}
		message["role"], message["content"] = "user", inNotice(strings.Join(said, "\n"))
	default:
		return gjson.Result{}
	}
	b, err := json.Marshal(map[string]any{"type": "message", "message": message})
	if err != nil {
		panic(err) // strings and JSON that was valid
	}
	return gjson.ParseBytes(b)
}

func fromUser(content gjson.Result, tools map[string]string) map[string]any {
	var said []string
	m := map[string]any{"role": "user"}
	for _, b := range content.Array() {
		if b.Get("type").Str != "tool_result" {
			continue
		}
		id := b.Get("tool_use_id").Str
		text := texts(b.Get("content"))
		m["role"], m["toolCallId"], m["isError"] = "toolResult", id, b.Get("is_error").Bool()
		switch tool := tools[id]; tool {
		case "Task", "Agent", "SendMessage", "TaskOutput", "AgentOutputTool":
			m["toolName"] = "task"
			if strings.HasPrefix(text, "Async agent launched") || tool == "SendMessage" {
				m["toolName"] = "sessions_spawn" // an acknowledgement
			}
			text = unframe(text)
		default:
			m["toolName"] = strings.ToLower(tool)
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		said = []string{inNotice(texts(content))}
	}
	m["content"] = strings.Join(said, "\n")
	return m
}

// texts joins the texts of a content.
func texts(c gjson.Result) string {
	if c.Type == gjson.String {
		return c.Str
	}
	var all []string
	for _, b := range c.Array() {
		if t := b.Get("text"); t.Exists() {
			all = append(all, t.Str)
		} else if b.Type == gjson.String {
			all = append(all, b.Str)
		}
	}
	return strings.Join(all, "\n")
}

// inNotice is what an agent says inside a notification; a text without one is returned as it is.
func inNotice(s string) string {
	_, rest, ok := strings.Cut(s, "<task-notification>")
	if !ok {
		return s
	}
	_, rest, _ = strings.Cut(rest, "<result>")
	if end := strings.LastIndex(rest, "</result>"); end >= 0 {
		return rest[:end]
	}
	return ""
}

// unframe leaves out the lines around an agent's words in the result of its call.
func unframe(s string) string {
	lines := strings.Split(s, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "agentId: ") || strings.HasPrefix(l, "[Subagent hand-back]") || strings.Contains(l, "tools-used-before-summary") ||
			strings.HasPrefix(l, "<usage>") || strings.HasPrefix(l, "tool_uses: ") || strings.HasPrefix(l, "duration_ms: ")
	})
	return strings.Join(lines, "\n")
}

// claudePath is the active path of a log of Claude Code: the ancestors of the last line of a person or the model, and
// the other lines of each message on it with their results.
func (s *session) claudePath() {
	leaf := ""
	results := map[string][]string{}
	messages := map[string][]string{}
	for _, e := range s.entries {
		if e.aside {
			continue
		}
		if e.line == "user" || e.line == "assistant" {
			leaf = e.id
		}
		if id := e.message; id != "" {
			messages[id] = append(messages[id], e.id)
		}
		if e.v.Get("message.role").Str == "toolResult" {
			results[e.parent] = append(results[e.parent], e.id)
		}
	}
	for id := leaf; id != "" && !s.path[id]; id = s.byID[id].parent {
		if s.byID[id] == nil {
			break
		}
		s.path[id] = true
	}
	for _, lines := range messages {
		if !slices.ContainsFunc(lines, func(id string) bool { return s.path[id] }) {
			continue
		}
		for _, line := range lines {
			s.path[line] = true
			for _, r := range results[line] {
				s.path[r] = true
			}
		}
	}
}
