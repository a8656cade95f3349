package openclaw

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// callTypes are the spellings of a call block that the programs accept
// (formats page, section 5).
var callTypes = map[string]bool{
	"toolCall": true, "toolUse": true, "functionCall": true,
	"tool_call": true, "tool_use": true, "function_call": true,
}

// Content implements [session.Format].
func (Format) Content(raw []byte) (session.Content, error) {
	raw = jsonwalk.TrimBOM(raw)
	if !gjson.ValidBytes(raw) {
		return session.Content{}, session.ErrNotJSON
	}
	e := gjson.ParseBytes(raw)
	var c session.Content
	switch e.Get("type").String() {
	case "message":
		m := e.Get("message")
		switch m.Get("role").String() {
		case "toolResult":
			c.Blocks = append(c.Blocks, session.Block{
				Type: session.ResultBlock, Text: textOf(m.Get("content")),
				Call: m.Get("toolCallId").String(), Tool: m.Get("toolName").String(), Failed: m.Get("isError").Bool(),
			})
		case "bashExecution":
			c.Blocks = append(c.Blocks, session.Block{Type: session.TextBlock, Text: jsonwalk.Decode(m.Get("command").Raw) + "\n" + jsonwalk.Decode(m.Get("output").Raw)})
		default:
			c.Blocks = blocksOf(m.Get("content"))
		}
	case "custom_message":
		c.Blocks = blocksOf(e.Get("content"))
	case "compaction", "branch_summary":
		c.Blocks = append(c.Blocks, session.Block{Type: session.TextBlock, Text: jsonwalk.Decode(e.Get("summary").Raw)})
	}
	return c, nil
}

// Report implements [session.Format].
func (f Format) Report(raw []byte, ev *session.Event) (string, error) {
	c, err := f.Content(raw)
	if err != nil {
		return "", err
	}
	text := c.Text()
	if len(c.Blocks) > 0 && c.Blocks[0].Type == session.ResultBlock {
		text = c.Blocks[0].Text
	}
	return reportText(text, *ev), nil
}

func blocksOf(content gjson.Result) []session.Block {
	if content.Type == gjson.String {
		return []session.Block{{Type: session.TextBlock, Text: jsonwalk.Decode(content.Raw)}}
	}
	var blocks []session.Block
	for _, b := range content.Array() {
		switch t := b.Get("type").String(); {
		case t == "text":
			if text := b.Get("text"); text.Type == gjson.String {
				blocks = append(blocks, session.Block{Type: session.TextBlock, Text: jsonwalk.Decode(text.Raw)})
			}
		case t == "thinking":
			blocks = append(blocks, session.Block{Type: session.ThinkingBlock, Text: jsonwalk.Decode(b.Get("thinking").Raw)})
		case t == "image":
			blocks = append(blocks, session.Block{Type: session.ImageBlock, Text: b.Get("mimeType").String(), Size: len(b.Get("data").String())})
		case callTypes[t]:
			blocks = append(blocks, session.Block{
				Type: session.CallBlock, Call: b.Get("id").String(), Tool: b.Get("name").String(), Args: []byte(argsOf(b).Raw),
			})
		}
	}
	return blocks
}

func argsOf(block gjson.Result) gjson.Result {
	if a := block.Get("arguments"); a.Exists() {
		return a
	}
	return block.Get("input")
}

func textOf(content gjson.Result) string {
	var parts []string
	for _, b := range blocksOf(content) {
		if b.Type == session.TextBlock {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// ops maps the tools of pi and OpenClaw, and names that their extensions use.
var ops = map[string]session.Op{
	"read": session.OpRead, "read_file": session.OpRead, "view": session.OpRead,
	"write": session.OpWrite, "write_file": session.OpWrite, "create_file": session.OpWrite,
	"edit": session.OpEdit, "edit_file": session.OpEdit, "str_replace": session.OpEdit,
	"apply_patch": session.OpPatch, "patch": session.OpPatch,
	"delete": session.OpDelete, "delete_file": session.OpDelete, "remove_file": session.OpDelete,
	"exec": session.OpExec, "bash": session.OpExec, "shell": session.OpExec,
	"grep": session.OpSearch, "find": session.OpSearch, "ls": session.OpSearch,
	"memory_search": session.OpSearch, "web_search": session.OpSearch,
	toolSpawn: session.OpDelegate, toolSend: session.OpDelegate, toolYield: session.OpDelegate,
	"subagents": session.OpDelegate, "agents_wait": session.OpDelegate,
	"process": session.OpOther, "web_fetch": session.OpOther, "browser": session.OpOther, "canvas": session.OpOther, "cron": session.OpOther,
	"gateway": session.OpOther, "image": session.OpOther, "memory_get": session.OpOther, "session_status": session.OpOther,
	"sessions_list": session.OpOther, "sessions_history": session.OpOther, "agents_list": session.OpOther, "tts": session.OpOther,
}

// people are the words in the names of tools whose results may be a person's
// words: tools of extensions that ask the user something, or read what was
// written in a chat.
var people = []string{
	"ask", "asks", "question", "questions", "questionnaire", "confirm", "confirmation", "input", "userinput", "prompt", "human", "user", "person",
	"approve", "approval", "permission", "elicit", "elicitation", "clarify", "clarification", "interview", "feedback", "choice", "choose",
	"select", "reply", "replies", "respond", "response", "answer", "answers", "consult", "survey", "review", "decide", "decision",
	"message", "messages", "chat", "conversation", "inbox", "mail", "email", "gmail", "sms", "comment", "comments",
	"slack", "telegram", "whatsapp", "discord", "signal", "imessage", "matrix", "teams", "wechat", "feishu", "lark", "line", "messenger", "voice", "transcribe",
}

// opOf knows a tool by its name, to whose case models do not keep. A call by
// which a person may have said something is an ask, whatever else it may be:
// that its result stays costs little.
func opOf(tool string) session.Op {
	if op, ok := ops[tool]; ok {
		return op
	}
	name := strings.ToLower(tool)
	if op, ok := ops[name]; ok {
		return op
	}
	if slices.ContainsFunc(wordsOf(tool), func(w string) bool { return slices.Contains(people, w) }) {
		return session.OpAsk
	}
	for _, part := range []string{"ask", "question", "confirm", "user", "human"} { // of names in one word
		if strings.Contains(strings.ReplaceAll(name, "task", ""), part) {
			return session.OpAsk
		}
	}
	return session.OpOther
}

// wordsOf takes a name apart, at signs and where a capital follows a small
// letter, and returns its words in lower case.
func wordsOf(name string) []string {
	var words []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		from, small := 0, false
		for i, r := range part {
			if unicode.IsUpper(r) && small {
				words, from = append(words, strings.ToLower(part[from:i])), i
			}
			small = unicode.IsLower(r)
		}
		words = append(words, strings.ToLower(part[from:]))
	}
	return words
}

// toolProcess asks about commands that were left running, and stops them.
const toolProcess = "process"

// pathKeys are the argument names under which tools take a path.
var pathKeys = []string{"path", "file_path", "filePath", "file", "filename"}

// Action implements [session.Format].
func (Format) Action(call []byte, block int, result []byte) (session.Action, error) {
	b := gjson.GetBytes(jsonwalk.TrimBOM(call), "message.content."+strconv.Itoa(block))
	if !callTypes[b.Get("type").String()] {
		return session.Action{}, fmt.Errorf("content block %d is no tool call", block)
	}
	a := session.Action{Tool: b.Get("name").String(), Exit: -1}
	a.Op = opOf(a.Tool)
	argsOf(b).ForEach(func(key, v gjson.Result) bool {
		k := key.String()
		switch {
		case slices.Contains(pathKeys, k) && v.Type == gjson.String:
			a.Paths = append(a.Paths, v.String())
		case k == "command" || k == "cmd":
			a.Command = v.String()
		case a.Op == session.OpPatch && (k == "input" || k == "patch"):
			a.Patch = v.String()
		case v.Type == gjson.String && a.Op != session.OpWrite && a.Op != session.OpEdit:
			a.Input += v.String() + "\n"
		}
		return true
	})
	if result != nil {
		m := gjson.GetBytes(jsonwalk.TrimBOM(result), "message")
		a.Output = textOf(m.Get("content"))
		a.Exit = exitOf(m, a)
		if a.Op == session.OpExec || a.Tool == toolProcess {
			a.Handle = m.Get("details.sessionId").String()
		}
		a.Running = a.Handle != "" && m.Get("details.status").String() == "running"
		a.Done = !m.Get("isError").Bool() && m.Get("details.status").String() != "error" && !reportsError(a.Output)
	}
	return a, nil
}

// reportsError recognises the JSON error text that OpenClaw's tools return
// with isError false.
func reportsError(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && gjson.Get(text, "status").String() == "error" && gjson.Get(text, "error").Exists()
}

var exitLine = session.Lazy(`\(?Command exited with code (\d+)\)?\s*$`)

// exitOf finds the exit status of a command: OpenClaw records it beside the
// text, pi only appends a line to it. A command that was left running has none.
func exitOf(m gjson.Result, a session.Action) int {
	if a.Op != session.OpExec || m.Get("details.status").String() == "running" {
		return -1
	}
	if code := m.Get("details.exitCode"); code.Type == gjson.Number {
		return int(code.Int())
	}
	if hit := exitLine().FindStringSubmatch(a.Output); hit != nil {
		n, err := strconv.Atoi(hit[1])
		if err == nil {
			return n
		}
	}
	if m.Get("isError").Bool() {
		return -1
	}
	return 0
}
