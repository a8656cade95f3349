package claudecode

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// Content implements [session.Format].
func (Format) Content(raw []byte) (session.Content, error) {
	raw = jsonwalk.TrimBOM(raw)
	if !gjson.ValidBytes(raw) {
		return session.Content{}, session.ErrNotJSON
	}
	e := gjson.ParseBytes(raw)
	var c session.Content
	switch e.Get("type").String() {
	case "user", "assistant":
		c.Blocks = blocksOf(e.Get("message.content"))
	case "attachment":
		c.Blocks = attachmentBlocks(e)
	}
	return c, nil
}

// attachmentBlocks is what the client sends for an attachment.
func attachmentBlocks(e gjson.Result) []session.Block {
	for _, key := range []string{"rendered", "renderedInHumanTurn"} {
		list := e.Get(key)
		if !list.IsArray() {
			continue
		}
		var blocks []session.Block
		for _, part := range list.Array() {
			blocks = append(blocks, blocksOf(part.Get("content"))...)
		}
		return blocks
	}
	if e.Get("attachment.type").String() == queued {
		return blocksOf(e.Get("attachment.prompt"))
	}
	return nil
}

func blocksOf(content gjson.Result) []session.Block {
	if content.Type == gjson.String {
		return []session.Block{{Type: session.TextBlock, Text: jsonwalk.Decode(content.Raw)}}
	}
	var blocks []session.Block
	for _, b := range content.Array() {
		switch b.Get("type").String() {
		case "text":
			if text := b.Get("text"); text.Type == gjson.String {
				blocks = append(blocks, session.Block{Type: session.TextBlock, Text: jsonwalk.Decode(text.Raw)})
			}
		case "thinking", "redacted_thinking":
			blocks = append(blocks, session.Block{Type: session.ThinkingBlock, Text: jsonwalk.Decode(b.Get("thinking").Raw)})
		case "image", "document":
			blocks = append(blocks, session.Block{Type: session.ImageBlock, Text: b.Get("source.media_type").String(), Size: len(b.Get("source.data").String())})
		case "tool_use":
			blocks = append(blocks, session.Block{
				Type: session.CallBlock, Call: b.Get("id").String(), Tool: b.Get("name").String(), Args: []byte(b.Get("input").Raw),
			})
		case "tool_result":
			blocks = append(blocks, resultBlocks(b)...)
		default:
			if b.Type == gjson.String {
				blocks = append(blocks, session.Block{Type: session.TextBlock, Text: jsonwalk.Decode(b.Raw)})
			} else {
				blocks = append(blocks, session.Block{Type: session.TextBlock, Text: b.Raw})
			}
		}
	}
	return blocks
}

// resultBlocks is a tool result, and the pictures in it.
func resultBlocks(b gjson.Result) []session.Block {
	var texts []string
	var pictures []session.Block
	for _, in := range blocksOf(b.Get("content")) {
		if in.Type == session.ImageBlock {
			pictures = append(pictures, in)
		} else {
			texts = append(texts, in.Text)
		}
	}
	return append([]session.Block{{
		Type: session.ResultBlock, Text: strings.Join(texts, "\n"),
		Call: b.Get("tool_use_id").String(), Failed: b.Get("is_error").Bool(),
	}}, pictures...)
}

// Report implements [session.Format].
func (f Format) Report(raw []byte, ev *session.Event) (string, error) {
	raw = jsonwalk.TrimBOM(raw)
	if !gjson.ValidBytes(raw) {
		return "", session.ErrNotJSON
	}
	e := gjson.ParseBytes(raw)
	switch {
	case ev.Kind == session.Inline && ev.Outcome == session.OutcomeOK:
		return reportOf(e.Get("toolUseResult"), resultText(e, ev.Call)), nil
	case ev.Kind != session.Completion:
		return "", nil
	}
	text := noticeText(e)
	if ev.Call != "" {
		text = resultText(e, ev.Call)
	}
	if ev.Report.Off < 0 || ev.Report.End() > int64(len(text)) {
		return "", fmt.Errorf("report %d-%d lies outside of the %d bytes of text", ev.Report.Off, ev.Report.End(), len(text))
	}
	return unescaped(strings.TrimSpace(text[ev.Report.Off:ev.Report.End()])), nil
}

// unescaped undoes what newer clients do to a report inside a notification:
// they write its brackets and ampersands as entities. One with brackets of its
// own was left as it is.
func unescaped(report string) string {
	if strings.ContainsAny(report, "<>") || !strings.Contains(report, "&") {
		return report
	}
	return entities.Replace(report)
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// resultText is the text of a call's result in a line.
func resultText(e gjson.Result, call string) string {
	for _, b := range e.Get("message.content").Array() {
		if b.Get("tool_use_id").String() == call {
			return plainText(b.Get("content"))
		}
	}
	return ""
}

// noticeText is the text in which the index found a line's notification.
func noticeText(e gjson.Result) string {
	if e.Get("type").String() == "attachment" {
		return plainText(e.Get("attachment.prompt"))
	}
	return plainText(e.Get("message.content"))
}

// plainText joins the text blocks of a content as the index does.
func plainText(content gjson.Result) string {
	if content.Type == gjson.String {
		return jsonwalk.Decode(content.Raw)
	}
	var parts []string
	for _, b := range content.Array() {
		if text := b.Get("text"); b.Get("type").String() == "text" && text.Type == gjson.String {
			parts = append(parts, jsonwalk.Decode(text.Raw))
		} else if b.Type == gjson.String {
			parts = append(parts, jsonwalk.Decode(b.Raw))
		}
	}
	return strings.Join(parts, "\n")
}

func hashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// ops maps the client's tools (1.0 to 2.1.328).
var ops = map[string]session.Op{
	"Read": session.OpRead, "NotebookRead": session.OpRead,
	"Write": session.OpWrite,
	"Edit":  session.OpEdit, "MultiEdit": session.OpEdit, "NotebookEdit": session.OpEdit,
	"Bash": session.OpExec, "PowerShell": session.OpExec,
	"Grep": session.OpSearch, "Glob": session.OpSearch, "LS": session.OpSearch, "ToolSearch": session.OpSearch,
	"WebSearch": session.OpSearch, "WebFetch": session.OpSearch,
	"AskUserQuestion": session.OpAsk, "ExitPlanMode": session.OpAsk,
	toolTask: session.OpDelegate, toolAgent: session.OpDelegate, toolWorkflow: session.OpDelegate,
	toolMessage: session.OpDelegate, toolStop: session.OpDelegate,
	"TaskOutput": session.OpDelegate, "AgentOutputTool": session.OpDelegate, "AgentOutput": session.OpDelegate,
}

func opOf(tool string) session.Op { return ops[tool] }

// pathKeys are the argument names under which tools take a path.
var pathKeys = []string{"file_path", "notebook_path", "path"}

// Action implements [session.Format].
func (Format) Action(call []byte, block int, result []byte) (session.Action, error) {
	b := gjson.GetBytes(jsonwalk.TrimBOM(call), "message.content."+strconv.Itoa(block))
	if b.Get("type").String() != "tool_use" {
		return session.Action{}, fmt.Errorf("content block %d is no tool call", block)
	}
	a := session.Action{Tool: b.Get("name").String(), Exit: -1}
	a.Op = opOf(a.Tool)
	b.Get("input").ForEach(func(key, v gjson.Result) bool {
		k := key.String()
		switch {
		case slices.Contains(pathKeys, k) && v.Type == gjson.String:
			a.Paths = append(a.Paths, v.String())
		case k == "command":
			a.Command = v.String()
		case v.Type == gjson.String && a.Op != session.OpWrite && a.Op != session.OpEdit:
			a.Input += v.String() + "\n"
		}
		return true
	})
	if result != nil {
		e := gjson.ParseBytes(jsonwalk.TrimBOM(result))
		outcomeOf(&a, e, b.Get("id").String())
		shellOf(&a, b.Get("input"), e.Get("toolUseResult"))
	}
	return a, nil
}

// shellOf finds the command in the background that a call left running, or
// asked for. One whose end was only notified counts as running: the lines that
// name it stay.
func shellOf(a *session.Action, input, d gjson.Result) {
	if id := d.Get("backgroundTaskId"); id.String() != "" {
		a.Handle, a.Running = id.String(), true
		return
	}
	if a.Handle = firstString(input, "bash_id", "shell_id", "task_id"); a.Handle == "" {
		return
	}
	status := firstString(d, "status", "task.status")
	if status == "" {
		status = tagged(a.Output, "status")
	}
	ended := a.Tool == "KillShell" || a.Tool == "KillBash" || a.Tool == toolStop
	a.Running = !a.Done || !ended && outcome(status) == session.OutcomeUnknown
}

// outcomeOf reads what came of a call from the line with its result. The
// structured copy knows what the text does not: that a file is new, that a
// command was left running.
func outcomeOf(a *session.Action, e gjson.Result, id string) {
	a.Output = resultText(e, id)
	a.Stored = strings.HasPrefix(strings.TrimSpace(a.Output), "<persisted-output>")
	failed := false
	for _, b := range e.Get("message.content").Array() {
		if b.Get("tool_use_id").String() == id {
			failed = b.Get("is_error").Bool()
		}
	}
	d := e.Get("toolUseResult")
	if d.Type == gjson.String && (strings.HasPrefix(d.Str, "Error: ") || d.Str == "User rejected tool use") {
		failed = true
	}
	a.Done = !failed
	a.Created = a.Done && a.Op == session.OpWrite && d.Get("type").String() == "create" ||
		a.Done && a.Op == session.OpWrite && !d.Exists() && strings.HasPrefix(a.Output, "File created successfully at")
	if a.Op == session.OpExec {
		a.Exit = exitOf(failed, a.Output, d)
	}
}

// exitOf finds the exit status of a command. A failed one begins its output
// with the status; one that was interrupted or left running has none.
func exitOf(failed bool, output string, d gjson.Result) int {
	switch {
	case d.Get("interrupted").Bool() || d.Get("backgroundTaskId").Exists():
		return -1
	case !failed:
		return 0
	}
	rest, ok := strings.CutPrefix(output, "Exit code ")
	if !ok {
		return -1
	}
	word, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil {
		return -1
	}
	return n
}
