package properties_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"sessc/tokens"
)

// seen is a log as the independent reader of its format sees it.
type seen struct {
	lines []row
	// clean says that every line is valid and every id unique and every
	// parent there, so that only one reading is possible.
	clean bool
	// sent are the lines that a client would send, in order; set when clean.
	sent []int
	leaf string // id of the line where the active path ends; set when clean
}

// row is one physical line.
type row struct {
	raw    []byte // line end included
	valid  bool   // one JSON object in valid UTF-8
	id     string
	parent string
	meta   bool // never sent to a model
	marked bool // carries sessc's envelope, well-formed

	texts    []string // what is said, block by block, decoded
	thoughts []string
	args     []string // names and raw arguments of calls
	pictures int
	replies  bool     // answers a call
	answers  []string // ids of the calls that it holds results of
	calls    []string // ids of calls
	// model is that of a turn whose reasoning is only sent to the same one, ""
	// where that does not matter.
	model string
}

// split cuts a file into its lines.
func split(b []byte) [][]byte {
	var lines [][]byte
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		lines = append(lines, b[:n:n])
		b = b[n:]
	}
	return lines
}

// weight is what a line costs in a context, in estimated tokens: its decoded
// text, block by block.
func (r *row) weight() (said, thought, args int) {
	for _, s := range r.texts {
		said += tokens.EstimateString(s)
	}
	for _, s := range r.thoughts {
		thought += tokens.EstimateString(s)
	}
	for _, s := range r.args {
		args += tokens.EstimateString(s)
	}
	return said + r.pictures*tokens.Image(1), thought, args
}

// size is the length of all that a line says, in bytes.
func (r *row) size() int {
	return len(strings.Join(r.texts, "")) + len(strings.Join(r.thoughts, "")) + len(strings.Join(r.args, ""))
}

// object is a JSON object whose values are still raw. A repeated key has its
// last value.
type object map[string]json.RawMessage

func objectOf(raw []byte) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func (o object) str(key string) string {
	var s string
	if json.Unmarshal(o[key], &s) != nil {
		return ""
	}
	return s
}

func (o object) obj(key string) object { return objectOf(o[key]) }

// readOpenClaw reads a log of pi or OpenClaw line by line with encoding/json.
// It follows the description of the format and shares no code with sessc's
// own reader.
func readOpenClaw(b []byte) seen {
	s := seen{clean: true}
	byID := map[string]int{}
	types := []string{}
	objects := []object{}
	for n, raw := range split(b) {
		r := row{raw: raw}
		body := bytes.TrimSpace(raw)
		if n == 0 {
			body = bytes.TrimPrefix(body, []byte("\ufeff"))
		}
		o := objectOf(body)
		typ := ""
		switch {
		case len(body) == 0:
			r.meta = true
		case o == nil || !bytes.HasPrefix(body, []byte("{")):
			s.clean, r.meta = false, true
		default:
			r.valid = utf8.Valid(body)
			if typ = o.str("type"); typ == "session" {
				// A second header is no entry either.
				r.meta = true
				break
			}
			r.id, r.parent = o.str("id"), o.str("parentId")
			if _, twice := byID[r.id]; twice || !r.valid {
				s.clean = false
			}
			if r.id != "" {
				byID[r.id] = n
			}
			r.marked = o.obj("sessc").str("ref") != ""
			r.speak(typ, o)
		}
		s.lines, types, objects = append(s.lines, r), append(types, typ), append(objects, o)
	}
	for n, r := range s.lines {
		at, ok := byID[r.parent]
		// In a file that was only ever appended to, parents come first; any
		// other order may hold a ring.
		if r.parent != "" && (!ok || at >= n) {
			s.clean = false
		}
	}
	if s.clean {
		s.sent, s.leaf = pathOpenClaw(s.lines, byID, types, objects)
	}
	return s
}

// speak takes in what a line says.
func (r *row) speak(typ string, o object) {
	switch typ {
	case "message":
		m := o.obj("message")
		switch role := m.str("role"); role {
		case "user", "assistant", "toolResult", "custom", "compactionSummary", "branchSummary", "system":
			if r.replies = role == "toolResult"; r.replies {
				r.answers = []string{m.str("toolCallId")}
			}
			r.blocks(m["content"])
			for _, key := range []string{"command", "output"} {
				if s := m.str(key); s != "" {
					r.texts = append(r.texts, s)
				}
			}
		case "bashExecution":
			if string(m["excludeFromContext"]) == "true" {
				r.meta = true
				break
			}
			r.blocks(m["content"])
			r.texts = append(r.texts, m.str("command"), m.str("output"))
		default:
			r.meta = true
		}
	case "custom_message":
		r.blocks(o["content"])
	case "compaction", "reset", "branch_summary":
		r.texts = append(r.texts, o.str("summary"))
	default:
		r.meta = true
	}
}

func (r *row) blocks(content json.RawMessage) {
	var text string
	if json.Unmarshal(content, &text) == nil {
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
		case "thinking":
			r.thoughts = append(r.thoughts, b.str("thinking"))
		case "image":
			r.pictures++
		case "toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call":
			args := b["arguments"]
			if args == nil {
				args = b["input"]
			}
			r.args = append(r.args, b.str("name"), string(args))
			r.calls = append(r.calls, b.str("id"))
		}
	}
}

// pathOpenClaw walks from the leaf to the root and applies the last boundary.
func pathOpenClaw(lines []row, byID map[string]int, types []string, objects []object) (sent []int, leafID string) {
	modern := false // written by a program that knows lines beside the path
	for n := range lines {
		modern = modern || types[n] == "leaf" || objects[n].str("appendMode") == "side"
	}
	known := func(n int) bool {
		switch types[n] {
		case "message", "custom_message", "compaction", "reset", "branch_summary", "model_change", "thinking_level_change",
			"custom", "label", "session_info", "context_edit", "usage", "session":
			return true
		}
		return false
	}
	leaf := -1
	for n := range lines {
		switch {
		case lines[n].id == "":
		case types[n] == "leaf":
			target := objects[n].str("targetId")
			if at, ok := byID[target]; ok {
				leaf = at
			} else if target == "" {
				leaf = -1
			}
		case modern && (objects[n].str("appendMode") == "side" || !known(n)):
		default:
			leaf = n
		}
	}
	var chain []int
	for at, ok := leaf, leaf >= 0; ok && len(chain) <= len(lines); at, ok = byID[lines[at].parent] {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	boundary := -1
	for n, at := range chain {
		if types[at] == "compaction" || types[at] == "reset" {
			boundary = n
		}
	}
	add := func(part []int) {
		for _, at := range part {
			if !lines[at].meta && types[at] != "compaction" && types[at] != "reset" {
				sent = append(sent, at)
			}
		}
	}
	if boundary >= 0 {
		at := chain[boundary]
		if objects[at].str("summary") != "" {
			sent = append(sent, at)
		}
		kept := objects[at].str("firstKeptEntryId")
		if from := slices.IndexFunc(chain[:boundary], func(i int) bool { return lines[i].id == kept }); kept != "" && from >= 0 {
			add(chain[from:boundary])
		}
	}
	add(chain[boundary+1:])
	if leaf >= 0 {
		leafID = lines[leaf].id
	}
	return sent, leafID
}
