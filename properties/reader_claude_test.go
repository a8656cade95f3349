package properties_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// claudeLine is what the tree of a Claude Code log needs to know of a line.
type claudeLine struct {
	object
	typ     string
	message string // id of the model message
}

// readClaude reads a log of Claude Code line by line with encoding/json. It
// follows the description of the format and shares no code with sessc's own
// reader.
func readClaude(b []byte) seen {
	s := seen{clean: true}
	byID := map[string]int{}
	var all []claudeLine
	for n, raw := range split(b) {
		r, l := row{raw: raw, meta: true}, claudeLine{}
		body := bytes.TrimSpace(raw)
		if n == 0 {
			body = bytes.TrimPrefix(body, []byte("\ufeff"))
		}
		o := objectOf(body)
		switch {
		case len(body) == 0:
		case o == nil || !bytes.HasPrefix(body, []byte("{")):
			s.clean = false
		default:
			r.valid = utf8.Valid(body)
			l.object, l.typ = o, o.str("type")
			r.id, r.parent = o.str("uuid"), o.str("parentUuid")
			r.marked = o.obj("sessc").str("ref") != ""
			_, twice := byID[r.id]
			if r.id != "" {
				s.clean = s.clean && !twice
				byID[r.id] = n
			}
			s.clean = s.clean && r.valid
			if r.id != "" && string(o["isSidechain"]) != "true" {
				l.speak(&r)
			} else {
				l.typ = ""
			}
		}
		s.lines, all = append(s.lines, r), append(all, l)
	}
	for n, r := range s.lines {
		if at, ok := byID[r.parent]; r.parent != "" && (!ok || at >= n) {
			s.clean = false
		}
		s.clean = s.clean && (r.parent != "" || all[n].typ == "" || n == firstOf(all) || all[n].str("subtype") == "compact_boundary")
	}
	if s.clean {
		pathClaude(&s, all, byID)
	}
	return s
}

// firstOf is the first line of the conversation.
func firstOf(all []claudeLine) int {
	return slices.IndexFunc(all, func(l claudeLine) bool { return l.typ != "" && l.str("uuid") != "" })
}

// speak takes in what a line says.
func (l *claudeLine) speak(r *row) {
	m := l.obj("message")
	switch l.typ {
	case "user":
		r.meta = false
		l.blocks(r, m["content"])
	case "assistant":
		if l.message = m.str("id"); string(l.object["isApiErrorMessage"]) == "true" && m.str("model") == "<synthetic>" {
			return
		}
		r.meta = false
		l.blocks(r, m["content"])
		if r.model = m.str("model"); r.model == "<synthetic>" || string(l.object["isApiErrorMessage"]) == "true" {
			r.model = ""
		}
	case "attachment":
		a := l.obj("attachment")
		rendered := l.object["rendered"]
		if !isList(rendered) {
			rendered = l.object["renderedInHumanTurn"]
		}
		var list []object
		switch {
		case isList(rendered) && json.Unmarshal(rendered, &list) == nil:
			for _, part := range list {
				l.blocks(r, part["content"])
			}
		case isList(rendered):
		case a.str("type") == "queued_command":
			l.blocks(r, a["prompt"])
		}
		typed := a.str("type") == "queued_command" && a.str("commandMode") != "task-notification" && a.obj("origin").str("kind") != "task-notification"
		r.meta = len(r.texts) == 0 && r.pictures == 0 && !typed
	}
}

func isList(v json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(v), []byte("[")) }

func (l *claudeLine) blocks(r *row, content json.RawMessage) {
	var text string
	if json.Unmarshal(content, &text) == nil && !isNull(content) {
		r.texts = append(r.texts, text)
		return
	}
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) != nil {
		return
	}
	for _, raw := range blocks {
		b := objectOf(raw)
		switch b.str("type") {
		case "text":
			r.texts = append(r.texts, b.str("text"))
		case "thinking", "redacted_thinking":
			r.thoughts = append(r.thoughts, b.str("thinking"))
		case "image", "document":
			r.pictures++
		case "tool_use":
			r.args = append(r.args, b.str("name"), string(b["input"]))
			r.calls = append(r.calls, b.str("id"))
		case "tool_result":
			r.replies = true
			r.answers = append(r.answers, b.str("tool_use_id"))
			l.blocks(r, b["content"])
		default:
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			r.texts = append(r.texts, text)
		}
	}
}

func isNull(v json.RawMessage) bool { return string(v) == "null" }

// pathClaude puts together what the client sends: from the last line of a
// person or the model up to the last compaction, each message with all its
// lines and their results.
func pathClaude(s *seen, all []claudeLine, byID map[string]int) {
	leaf, named, last := -1, "", -1
	callOf, results := map[string]int{}, map[string]int{}
	for n := range all {
		switch all[n].typ {
		case "user", "assistant":
			leaf = n
		case "system":
			if all[n].str("subtype") == "compact_boundary" {
				named, last = "", n
			}
		}
		for _, id := range s.lines[n].calls {
			if _, twice := callOf[id]; twice {
				s.clean = false
			}
			callOf[id] = n
		}
		for _, id := range s.lines[n].answers {
			if _, twice := results[id]; twice {
				s.clean = false
			}
			results[id] = n
		}
		if o := all[n].object; o.str("type") == "last-prompt" && o.str("leafUuid") != "" {
			named = o.str("leafUuid")
		}
	}
	if leaf < 0 {
		s.clean = false
		return
	}
	var chain []int
	boundary := -1
	onChain := map[int]bool{}
	for at := leaf; ; {
		chain, onChain[at] = append(chain, at), true
		if all[at].str("subtype") == "compact_boundary" && all[at].typ == "system" {
			boundary = at
			break
		}
		up, ok := byID[s.lines[at].parent]
		if !ok {
			break
		}
		at = up
	}
	slices.Reverse(chain)
	// What hangs on the leaf without being a turn comes with it.
	hangs := map[int]bool{leaf: true}
	for n := leaf + 1; n < len(all); n++ {
		if up, ok := byID[s.lines[n].parent]; ok && hangs[up] && (all[n].typ == "attachment" || all[n].typ == "system" || all[n].typ == "progress") {
			hangs[n] = true
			chain = append(chain, n)
		}
	}
	if at, ok := byID[named]; ok && !onChain[at] {
		s.clean = false // it names another branch, or a line beside the chain: not judged here
	}
	if last != boundary {
		s.clean = false // the way leads around a compaction, which may keep what is on it: not judged here
	}
	if boundary >= 0 {
		chain = kept(s, all, byID, chain, boundary)
	}
	done := map[int]bool{}
	take := func(n int) {
		if !done[n] {
			done[n] = true
			if !s.lines[n].meta {
				s.sent = append(s.sent, n)
			}
		}
	}
	for _, n := range chain {
		if all[n].typ != "assistant" || done[n] {
			take(n)
			continue
		}
		var back []int
		for k := range all {
			if k != n && (all[k].typ != "assistant" || all[n].message == "" || all[k].message != all[n].message || k < boundary && !slices.Contains(chain, k)) {
				continue
			}
			take(k)
			for _, id := range s.lines[k].calls {
				if at, ok := results[id]; ok && (at > boundary || slices.Contains(chain, at)) {
					back = append(back, at)
				}
			}
		}
		slices.Sort(back)
		for _, at := range back {
			take(at)
			if onChain[at] {
				continue
			}
			for k := at + 1; k < len(all); k++ {
				if up, ok := byID[s.lines[k].parent]; ok && up == at && !onChain[k] && all[k].typ == "attachment" {
					s.clean = false // hangs beside the chain: not judged here
				}
			}
		}
	}
	s.leaf = s.lines[leaf].id
}

// kept puts the lines that a compaction keeps behind its summary.
func kept(s *seen, all []claudeLine, byID map[string]int, chain []int, boundary int) []int {
	var list struct{ UUIDs []string }
	old := all[boundary].obj("compactMetadata")["preservedMessages"]
	if old == nil || json.Unmarshal(old, &list) != nil || len(list.UUIDs) == 0 || len(chain) < 2 {
		return chain
	}
	var lines []int
	for _, id := range list.UUIDs {
		at, ok := byID[id]
		if !ok {
			return chain
		}
		lines = append(lines, at)
	}
	return slices.Concat(chain[:2], lines, chain[2:])
}

// masksClaude are the texts that stand in the place of an agent's words: the
// result of a call, or what stands inside a notification or a pull.
func masksClaude(r *row) []string {
	var found []string
	for _, text := range r.texts {
		for _, tag := range []string{"result", "output"} {
			if _, rest, ok := strings.Cut(text, "<"+tag+">"); ok {
				if end := strings.LastIndex(rest, "</"+tag+">"); end >= 0 {
					text = rest[:end]
				}
			}
		}
		if at := strings.LastIndex(text, "\nagentId: "); at >= 0 && !strings.Contains(text[at+1:], "\n") {
			text = text[:at]
		}
		if strings.HasPrefix(text, "── COMPACTED TASK ──") || strings.HasPrefix(text, "delegated: ") {
			found = append(found, text)
		}
	}
	return found
}
