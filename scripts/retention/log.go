package main

import (
	"bytes"
	"os"
	"strings"

	"github.com/tidwall/gjson"
)

// entry is one line of a log as far as this program needs it.
type entry struct {
	id, parent string
	typ        string
	raw        []byte
	v          gjson.Result
	sent       string // the text that the model is sent, parts joined by newlines

	// Of Claude Code: the type of the line, its model message, whether it stands beside the conversation.
	line, message string
	aside         bool
}

// session is a log: its entries in file order and the ids on its active path.
type session struct {
	id, cwd string
	entries []*entry
	byID    map[string]*entry
	path    map[string]bool
}

func readLog(file string) (*session, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseLog(data), nil
}

func parseLog(data []byte) *session {
	s := &session{byID: map[string]*entry{}, path: map[string]bool{}}
	leaf := ""
	tools := map[string]string{}
	claude := false
	for raw := range bytes.SplitSeq(data, []byte("\n")) {
		raw = bytes.TrimSpace(raw)
		if !gjson.ValidBytes(raw) {
			continue
		}
		v := gjson.ParseBytes(raw)
		if id := claudeID(v); id != "" {
			claude = true
			e := &entry{id: id, parent: v.Get("parentUuid").Str, typ: "message", raw: raw, v: asPi(v, tools), line: v.Get("type").Str, aside: v.Get("isSidechain").Bool()}
			if e.line == "assistant" {
				e.message = v.Get("message.id").Str
			}
			if s.cwd == "" {
				s.cwd = v.Get("cwd").Str
			}
			e.sent = sent(e)
			s.entries, s.byID[id] = append(s.entries, e), e
			continue
		}
		e := &entry{id: v.Get("id").Str, parent: v.Get("parentId").Str, typ: v.Get("type").Str, raw: raw, v: v}
		if e.typ == "session" {
			if s.id == "" {
				s.id, s.cwd = e.id, v.Get("cwd").Str
			}
			continue
		}
		e.sent = sent(e)
		s.entries = append(s.entries, e)
		if e.id == "" {
			continue
		}
		s.byID[e.id] = e
		switch {
		case e.typ == "leaf":
			leaf = v.Get("targetId").Str
		case v.Get("appendMode").Str != "side":
			leaf = e.id
		}
	}
	if claude {
		s.claudePath()
		return s
	}
	for id := leaf; id != "" && !s.path[id]; {
		e, ok := s.byID[id]
		if !ok {
			break
		}
		s.path[id] = true
		id = e.parent
	}
	return s
}

// sent collects what of an entry reaches the model: texts, reasoning, calls with their arguments, results.
// Details of results and usage do not.
func sent(e *entry) string {
	var b strings.Builder
	switch e.typ {
	case "message":
		content(&b, e.v.Get("message.content"))
		add(&b, e.v.Get("message.command").Str)
		add(&b, e.v.Get("message.output").Str)
	case "custom_message":
		content(&b, e.v.Get("content"))
	case "compaction", "branch_summary":
		add(&b, e.v.Get("summary").Str)
	}
	return b.String()
}

func add(b *strings.Builder, s string) {
	if s != "" {
		b.WriteString(s)
		b.WriteByte('\n')
	}
}

func content(b *strings.Builder, c gjson.Result) {
	if c.Type == gjson.String {
		add(b, c.Str)
		return
	}
	c.ForEach(func(_, block gjson.Result) bool {
		add(b, block.Get("text").Str)
		add(b, block.Get("thinking").Str)
		if args := callArgs(block); args.Exists() {
			add(b, block.Get("name").Str)
			values(b, args)
		}
		return true
	})
}

// callArgs is the arguments of a tool call block, in either spelling.
func callArgs(block gjson.Result) gjson.Result {
	if a := block.Get("arguments"); a.Exists() {
		return a
	}
	return block.Get("input")
}

func values(b *strings.Builder, v gjson.Result) {
	if v.IsObject() || v.IsArray() {
		v.ForEach(func(_, x gjson.Result) bool { values(b, x); return true })
		return
	}
	add(b, v.String())
}

// calls are the tool calls of a log by their ids.
func (s *session) calls() map[string]gjson.Result {
	calls := map[string]gjson.Result{}
	for _, e := range s.entries {
		e.v.Get("message.content").ForEach(func(_, b gjson.Result) bool {
			if id := b.Get("id").Str; id != "" && callArgs(b).Exists() {
				calls[id] = b
			}
			return true
		})
	}
	return calls
}

// change is what a compression did: entries of the old active path that are gone or say something else, entries of
// the new file that say something else or are new, and the new path's entries that stayed.
type change struct {
	removed, masks, kept []*entry
}

func compare(before, after *session) change {
	var c change
	for _, e := range before.entries {
		if !before.path[e.id] {
			continue
		}
		if now, ok := after.byID[e.id]; !ok || now.sent != e.sent {
			c.removed = append(c.removed, e)
		}
	}
	for _, e := range after.entries {
		if !after.path[e.id] {
			continue
		}
		// An entry whose words did not change stays, also when a number in it was corrected.
		if old, ok := before.byID[e.id]; ok && old.sent == e.sent {
			c.kept = append(c.kept, e)
		} else if e.sent != "" {
			c.masks = append(c.masks, e)
		}
	}
	return c
}
