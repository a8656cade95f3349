package main

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// entryOf reads one line; a line of Claude Code is read as if pi had written it.
func entryOf(line []byte) gjson.Result {
	v := gjson.ParseBytes(bytes.TrimSpace(line))
	if v.Get("uuid").Str == "" {
		return v
	}
	e := map[string]any{"type": "message", "id": v.Get("uuid").Str, "parentId": v.Get("parentUuid").Str}
	switch t := v.Get("type").Str; {
	case v.Get("isSidechain").Bool():
		return gjson.Result{}
	case t == "system" && v.Get("subtype").Str == "compact_boundary":
		e["type"] = "compaction"
	case t == "user", t == "assistant":
		e["message"] = messageOf(t, v.Get("message"))
	case t == "attachment":
		e["appendMode"] = "side" // moves no leaf
		e["content"] = rendered(v)
	default:
		e["appendMode"] = "side"
	}
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // strings, and JSON that was valid
	}
	return gjson.ParseBytes(b)
}

// messageOf is a message with one result in pi's form, and with its id.
func messageOf(role string, m gjson.Result) map[string]any {
	said := map[string]any{"role": role, "id": m.Get("id").Str}
	if content := m.Get("content"); content.Exists() {
		said["content"] = json.RawMessage(content.Raw)
	}
	var texts []string
	m.Get("content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str == "tool_result" {
			said["role"], said["toolCallId"] = "toolResult", b.Get("tool_use_id").Str
			texts = append(texts, textsOf(b.Get("content")))
		}
		return true
	})
	if texts != nil {
		said["content"] = strings.Join(texts, "\n")
	}
	return said
}

// textsOf joins the texts of a content.
func textsOf(c gjson.Result) string {
	if c.Type == gjson.String {
		return c.Str
	}
	var all []string
	for _, b := range c.Array() {
		all = append(all, b.Get("text").Str)
	}
	return strings.Join(all, "\n")
}

// rendered is what the client sends for an attachment.
func rendered(v gjson.Result) string {
	var all []string
	for _, r := range v.Get("rendered").Array() {
		all = append(all, textsOf(r.Get("content")))
	}
	if all == nil && v.Get("attachment.type").Str == "queued_command" {
		all = []string{textsOf(v.Get("attachment.prompt"))}
	}
	return strings.Join(all, "\n")
}

// beside are the other lines of the messages on a path, and their results: in a log of Claude Code calls that were made
// at once stand side by side, and only one of them leads on.
func beside(path []gjson.Result, all map[string]gjson.Result) []gjson.Result {
	on, messages := map[string]bool{}, map[string]bool{}
	for _, v := range path {
		on[v.Get("id").Str] = true
		if id := v.Get("message.id").Str; id != "" {
			messages[id] = true
		}
	}
	lines := map[string]bool{}
	for id, v := range all {
		lines[id] = messages[v.Get("message.id").Str]
	}
	var found []gjson.Result
	for id, v := range all {
		if !on[id] && (lines[id] || role(v) == "toolResult" && lines[v.Get("parentId").Str]) {
			found = append(found, v)
		}
	}
	return found
}
