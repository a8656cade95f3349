package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// readLines reads the lines of a log, line ends included.
func readLines(file string) ([][]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	return slices.DeleteFunc(lines, func(l []byte) bool { return len(l) == 0 }), nil
}

func role(v gjson.Result) string { return v.Get("message.role").Str }

// promptNear is the number of lines before the last user message at or before a line, 0 if there is none.
func promptNear(lines [][]byte, near int) int {
	for n := min(near, len(lines)-1); n > 1; n-- {
		if role(entryOf(lines[n])) == "user" {
			return n
		}
	}
	return 0
}

// view is what the model is sent at some point.
type view struct {
	text  string
	calls []call
}

// call is a tool call with all that was said in it.
type call struct {
	about []string // its paths, its command, or else its tool
	text  string
}

// contextOf reads the active path from its last compaction on.
func contextOf(lines [][]byte) *view {
	byID := map[string]gjson.Result{}
	leaf := ""
	for _, l := range lines {
		v := entryOf(l)
		id := v.Get("id").Str
		switch t := v.Get("type").Str; {
		case t == "session" || id == "":
		case t == "leaf":
			leaf = v.Get("targetId").Str
		default:
			byID[id] = v
			if v.Get("appendMode").Str != "side" {
				leaf = id
			}
		}
	}
	var path []gjson.Result
	kept := ""
	for id := leaf; id != "" && len(path) <= len(byID); {
		v, ok := byID[id]
		if !ok {
			break
		}
		path = append(path, v)
		if kept == id {
			break
		}
		if t := v.Get("type").Str; t == "compaction" || t == "reset" {
			if kept != "" {
				break // that one starts from a later entry
			}
			if kept = v.Get("firstKeptEntryId").Str; kept == "" {
				break
			}
		}
		id = v.Get("parentId").Str
	}
	slices.Reverse(path)
	path = append(path, beside(path, byID)...)
	var c view
	var all strings.Builder
	results := map[string]string{}
	for _, v := range path {
		if role(v) == "toolResult" {
			results[v.Get("message.toolCallId").Str] += words(v)
		}
	}
	for _, v := range path {
		all.WriteString(words(v))
		v.Get("message.content").ForEach(func(_, b gjson.Result) bool {
			if args := arguments(b); args.Exists() {
				c.calls = append(c.calls, call{about(b), values(args) + results[b.Get("id").Str]})
			}
			return true
		})
	}
	c.text = plain(all.String())
	return &c
}

// words are all that an entry says to the model.
func words(v gjson.Result) string {
	var b strings.Builder
	for _, at := range []string{"content", "summary", "message.command", "message.output"} {
		if s := v.Get(at); s.Type == gjson.String {
			b.WriteString(s.Str + "\n")
		}
	}
	content := v.Get("message.content")
	if content.Type == gjson.String {
		b.WriteString(content.Str + "\n")
	}
	content.ForEach(func(_, block gjson.Result) bool {
		b.WriteString(block.Get("text").Str + "\n" + block.Get("thinking").Str + "\n")
		if args := arguments(block); args.Exists() {
			b.WriteString(block.Get("name").Str + "\n" + values(args))
		}
		return true
	})
	return b.String()
}

func arguments(block gjson.Result) gjson.Result {
	if a := block.Get("arguments"); a.Exists() {
		return a
	}
	return block.Get("input")
}

func values(v gjson.Result) string {
	if !v.IsObject() && !v.IsArray() {
		return v.String() + "\n"
	}
	var b strings.Builder
	v.ForEach(func(_, x gjson.Result) bool { b.WriteString(values(x)); return true })
	return b.String()
}

// about is what a call is about.
func about(block gjson.Result) []string {
	var found []string
	args := arguments(block)
	for _, k := range []string{"path", "file", "file_path", "filePath", "command", "cmd", "query", "url"} {
		if s := args.Get(k); s.Type == gjson.String && strings.TrimSpace(s.Str) != "" {
			found = append(found, beginning(s.Str))
		}
	}
	if len(found) == 0 {
		found = append(found, block.Get("name").Str)
	}
	return found
}

// beginning is the first line of a command that does something, at most 60 characters of it.
func beginning(s string) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "set -") {
			s = l
			break
		}
	}
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60])
	}
	return s
}

var unquote = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// plain makes white space comparable and takes the marks of quoted texts away.
func plain(s string) string {
	s = strings.Join(strings.Fields(unfold(s)), " ")
	return s + " " + unquote.Replace(s)
}

var folded = regexp.MustCompile(`([^\s,{}"]*)\{([^{}\n]*,[^{}\n]*)\}([^\s,{}"]*)`)

// unfold adds the paths that stand folded in a text: src/{a,b}.go.
func unfold(s string) string {
	var b strings.Builder
	b.WriteString(s)
	for _, m := range folded.FindAllStringSubmatch(s, -1) {
		for part := range strings.SplitSeq(m[2], ",") {
			b.WriteString("\n" + m[1] + strings.TrimSpace(part) + m[3])
		}
	}
	return b.String()
}

// shows reports whether a text can be read in a view, as words of its own.
func (c *view) shows(text string) bool {
	for at := 0; ; {
		i := strings.Index(c.text[at:], text)
		if i < 0 {
			return false
		}
		i += at
		if edge(c.text, i-1) && edge(c.text, i+len(text)) {
			return true
		}
		at = i + 1
	}
}

func edge(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return true
	}
	c := s[i]
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80)
}

// callsWith is what the calls are about in which a text stands.
func (c *view) callsWith(text string) []string {
	var found []string
	for _, k := range c.calls {
		if strings.Contains(k.text, text) {
			found = append(found, k.about...)
		}
	}
	return found
}
