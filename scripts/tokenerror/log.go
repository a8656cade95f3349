package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"

	"sessc/tokens"
)

type kind int

const (
	user kind = iota
	assistant
	thinking
	arguments
	results
	kinds
)

var kindNames = [kinds]string{"user and events", "assistant text", "thinking", "tool arguments", "tool results"}

// count is the size of some text: bytes after JSON decoding, o200k_base tokens,
// and the class-table estimate.
type count struct{ bytes, exact, estimate int }

func (c *count) add(d count) {
	c.bytes += d.bytes
	c.exact += d.exact
	c.estimate += d.estimate
}

// entry is one line that the model is sent, or that links two such lines.
type entry struct {
	parent    string
	message   string // id shared by the lines of one assistant message, "" if not an assistant's
	model     string
	input     int // prompt tokens as the provider counted them
	output    int
	text      count // all text of the line
	images    int
	results   bool // holds a tool result
	boundary  bool // compaction or branch summary: the context before it is gone
	sidechain bool
}

type log struct {
	name    string
	byKind  [kinds]count
	images  int
	bad     int // lines that are no JSON object
	entries []entry
	index   map[string]int // by id
}

func readLog(path string, exact tokens.Counter) (*log, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := &log{name: filepath.Base(path), index: map[string]int{}}
	last := ""
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		v := gjson.ParseBytes(line)
		if !gjson.ValidBytes(line) || !v.IsObject() {
			l.bad++
			continue
		}
		if v.Get("type").String() == "session" {
			continue
		}
		id, e := l.read(v, exact)
		if id == "" { // version 1 of pi has no ids: each line follows the one before
			id, e.parent = fmt.Sprint("line ", len(l.entries)), last
		}
		if e.message == "assistant" { // pi and OpenClaw write a message as one line
			e.message = id
		}
		l.index[id] = len(l.entries)
		l.entries = append(l.entries, e)
		last = id
	}
	if len(l.entries) == 0 {
		return nil, fmt.Errorf("%s: no line of a session log in it", path)
	}
	return l, nil
}

// read takes what a line says. The two families differ in the names of the links
// and of the usage fields; the blocks of a message are told by their type.
func (l *log) read(v gjson.Result, exact tokens.Counter) (id string, e entry) {
	m := v.Get("message")
	if uuid := v.Get("uuid"); uuid.Exists() { // Claude Code
		id, e.parent = uuid.String(), v.Get("parentUuid").String()
		e.sidechain = v.Get("isSidechain").Bool()
		e.boundary = v.Get("subtype").String() == "compact_boundary"
	} else {
		id, e.parent = v.Get("id").String(), v.Get("parentId").String()
	}
	part := func(k kind, text string) {
		if text == "" {
			return
		}
		c := count{len(text), exact.Count(text), tokens.EstimateString(text)}
		l.byKind[k].add(c)
		e.text.add(c)
	}
	switch v.Get("type").String() {
	case "compaction", "branch_summary":
		e.boundary = true
		part(user, v.Get("summary").String())
		return id, e
	case "custom_message":
		l.blocks(v.Get("content"), user, &e, part)
		return id, e
	}
	switch m.Get("role").String() {
	case "user":
		l.blocks(m.Get("content"), user, &e, part)
	case "toolResult":
		e.results = true
		l.blocks(m.Get("content"), results, &e, part)
	case "assistant":
		l.blocks(m.Get("content"), assistant, &e, part)
		e.message, e.model = "assistant", m.Get("model").String()
		if mid := m.Get("id"); v.Get("uuid").Exists() && mid.Exists() {
			e.message = mid.String()
		}
		u := m.Get("usage")
		sum := func(keys ...string) (n int) {
			for _, k := range keys {
				n += int(u.Get(k).Int())
			}
			return n
		}
		e.input = sum("input", "cacheRead", "cacheWrite", "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
		e.output = sum("output", "output_tokens")
	}
	return id, e
}

// blocks hands the text of a message's content to part; plain says what text is.
func (l *log) blocks(content gjson.Result, plain kind, e *entry, part func(kind, string)) {
	if content.Type == gjson.String {
		part(plain, content.String())
		return
	}
	content.ForEach(func(_, b gjson.Result) bool {
		switch b.Get("type").String() {
		case "text":
			part(plain, b.Get("text").String())
		case "thinking":
			part(thinking, b.Get("thinking").String())
		case "toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call":
			if a := b.Get("arguments"); a.Exists() {
				part(arguments, a.Raw)
			} else {
				part(arguments, b.Get("input").Raw)
			}
		case "tool_result":
			e.results = true
			l.blocks(b.Get("content"), results, e, part)
		case "image":
			e.images++
			l.images++
		}
		return true
	})
}
