package genlog

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// claude writes session logs of Claude Code: one object a line, a tree by uuid and parentUuid, in which one model
// message takes a line for each of its blocks. The shapes follow the logs of 1.0.108, 2.1.39 and 2.1.328 in the sample
// folder and the client's behaviour as measured with 2.1.328.
type claude struct {
	t         *Tape
	streaming bool
	s         Session
	v         claudeVersion
	model     string
	effort    string

	cur, talk string // the line that the next one hangs below; the last one of a person or the model
	begun     bool   // a prompt was written
	aside     bool   // the lines are those of a sub-agent inside its orchestrator's log
	nodes     map[string]*claudeNode
	order     []string
	message   map[string][]string // lines of a message
	agents    map[*Child]*claudeAgent

	ctx, pending int // tokens: reported by the last message, added since
	base         int
	at           map[string][2]int
	factor       float64
}

// claudeVersion is the generation of the client.
type claudeVersion int

const (
	claude10  claudeVersion = iota // 1.0.108: sub-agents run at once, their lines stand in the log
	claude21                       // 2.1.39: progress lines, notifications without the call's id
	claude213                      // 2.1.328: attachments, origins, three places for a notification
)

func (v claudeVersion) String() string { return [...]string{"1.0.108", "2.1.39", "2.1.328"}[v] }

// claudeNode is what the tree needs to know of a line.
type claudeNode struct {
	typ, parent, message string
	results              []string // of its call
	logical              string   // of a compaction
	kept                 []string // by a compaction
	answers              string   // the line of the call that it answers
}

// claudeAgent is one sub-agent: the call whose run it is in, and whether that has ended.
type claudeAgent struct {
	run   string
	ended bool
}

func newClaude(t *Tape, streaming bool) *claude {
	return &claude{t: t, streaming: streaming, model: claudeModels[t.r.Intn(len(claudeModels))], effort: "medium", nodes: map[string]*claudeNode{},
		message: map[string][]string{}, agents: map[*Child]*claudeAgent{}, at: map[string][2]int{}, base: 9000 + t.r.Intn(7000), factor: 1.2}
}

var claudeModels = []string{"claude-opus-4-6", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"}

func (e *claude) Open(s Session) {
	e.s, e.pending = s, e.base
	switch s.Generation {
	case "A2":
		e.v = claude10
	case "A", "B":
		e.v = claude21
	default:
		e.v = claude213
	}
}

// line writes a conversation line below parent and makes it the one that the next hangs below.
func (e *claude) line(typ, parent string, own obj, tail ...field) string {
	id := e.t.uuid()
	o := obj{{"parentUuid", orNull(parent)}}
	if n := e.node(id, typ, parent); typ == "system" && len(own) > 0 && own[0].k == "logicalParentUuid" {
		n.logical, n.parent = own[0].v.(string), ""
		o = obj{{"parentUuid", nil}, own[0]}
		own = own[1:]
	}
	o = append(o, field{"isSidechain", e.s.Agent != "" || e.aside})
	if e.s.Agent != "" {
		o = append(o, field{"agentId", e.s.Agent})
	}
	where := obj{{"userType", "external"}, {"cwd", e.s.Cwd}, {"sessionId", e.s.ID}, {"version", e.v.String()}, {"gitBranch", "main"}}
	if e.v == claude213 {
		o = append(o, own...)
		o = append(append(o, field{"uuid", id}, field{"timestamp", e.t.iso()}), tail...)
		o = append(append(o, where[0], field{"entrypoint", "cli"}), where[1:]...)
	} else {
		o = append(append(o, where...), own...)
		o = append(append(o, field{"uuid", id}, field{"timestamp", e.t.iso()}), tail...)
	}
	e.t.line(o)
	e.cur = id
	e.at[id] = [2]int{e.ctx, e.pending}
	if typ == "user" || typ == "assistant" {
		e.talk = id
	}
	return id
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (e *claude) node(id, typ, parent string) *claudeNode {
	n := &claudeNode{typ: typ, parent: parent}
	if !e.streaming {
		e.nodes[id] = n
		e.order = append(e.order, id)
	}
	return n
}

// record writes a line that stands beside the conversation.
func (e *claude) record(typ string, own obj) {
	o := append(obj{{"type", typ}}, own...)
	e.t.line(append(o, field{"sessionId", e.s.ID}))
}

func (e *claude) Last() string { return e.cur }
func (e *claude) Context() int { return e.ctx + e.pending }
func (e *claude) Raw(b []byte) { e.t.write(b); e.t.lines += strings.Count(string(b), "\n") }

func (e *claude) add(s string) { e.pending += int(float64(estimate(s)) * e.factor) }

// user writes a line of the user's role.
func (e *claude) user(content any, tail ...field) string {
	return e.line("user", e.cur, obj{{"type", "user"}, {"message", obj{{"role", "user"}, {"content", content}}}}, tail...)
}

func (e *claude) Human(h Human) string {
	e.t.pass(20_000, 400_000)
	e.add(h.Text)
	if h.Channel == Queued && e.v == claude213 && e.begun {
		return e.queued(h.Text)
	}
	var content any = h.Text
	var tail []field
	if e.v == claude213 {
		tail = append(tail, field{"permissionMode", "default"}, field{"promptSource", "typed"})
	}
	switch {
	case h.Channel == Panel:
		content = list{text("<ide_opened_file>The user opened the file " + e.s.Cwd + "/README.md in the IDE.</ide_opened_file>"), text(h.Text)}
	case h.Channel == Chat && e.v == claude213:
		content = "<channel source=\"telegram\" sender=\"" + e.t.hex(6) + "\">\n" + h.Text + "\n</channel>"
		tail = append(tail, field{"origin", obj{{"kind", "channel"}, {"server", "telegram"}}})
	}
	if h.Image {
		content = list{text(h.Text), e.image()}
	}
	if e.s.Agent == "" && !e.aside && e.v == claude213 && e.t.r.Intn(2) == 0 {
		e.record("queue-operation", obj{{"operation", "enqueue"}, {"timestamp", e.t.iso()}, {"content", h.Text}})
		e.record("queue-operation", obj{{"operation", "dequeue"}, {"timestamp", e.t.iso()}})
	}
	id := e.user(content, tail...)
	if e.s.Agent == "" && !e.aside {
		e.surroundings()
		e.record("last-prompt", obj{{"lastPrompt", h.Text}, {"leafUuid", e.cur}})
	}
	e.begun = true
	return id
}

// surroundings are what the client puts beside a prompt.
func (e *claude) surroundings() {
	switch {
	case e.v == claude10:
	case e.v == claude21:
		e.record("file-history-snapshot", obj{{"messageId", e.cur}, {"snapshot", obj{{"messageId", e.cur}, {"trackedFileBackups", obj{}}, {"timestamp", e.t.iso()}}}, {"isSnapshotUpdate", false}})
		if e.t.r.Intn(2) == 0 {
			e.progress(obj{{"type", "hook_progress"}, {"hookEvent", "UserPromptSubmit"}, {"hookName", "UserPromptSubmit"}, {"command", "echo ok"}})
		}
	case !e.begun:
		e.attachment(obj{{"type", "environment"}, {"os", "linux"}}, "<system-reminder>\nThe working directory is "+e.s.Cwd+".\n</system-reminder>")
		e.attachment(obj{{"type", "session_context"}, {"context", obj{}}})
		e.attachment(obj{{"type", "date"}, {"date", e.t.now.Format("2006-01-02")}}, "<system-reminder>\nToday is "+e.t.now.Format("2006-01-02")+".\n</system-reminder>")
	case e.t.r.Intn(4) == 0:
		e.attachment(obj{{"type", "silent_turn_reminder"}, {"text", "keep the list up to date"}}, "<system-reminder>\nkeep the list up to date\n</system-reminder>")
	}
}

// attachment writes a line that hangs in the chain, with the texts that the client sends for it.
func (e *claude) attachment(a obj, rendered ...string) string {
	own := obj{{"attachment", a}, {"type", "attachment"}}
	var tail []field
	if len(rendered) > 0 {
		tail = append(tail, field{"rendered", renderedOf(rendered)}, field{"renderedRole", "user"})
		for _, s := range rendered {
			e.add(s)
		}
	}
	return e.line("attachment", e.cur, own, tail...)
}

func renderedOf(texts []string) list {
	var l list
	for _, s := range texts {
		l = append(l, obj{{"content", s}})
	}
	return l
}

// queued is what a person typed while the model was at work.
func (e *claude) queued(said string) string {
	e.record("queue-operation", obj{{"operation", "enqueue"}, {"timestamp", e.t.iso()}, {"content", said}})
	e.record("queue-operation", obj{{"operation", "remove"}, {"timestamp", e.t.iso()}, {"content", said}, {"reason", "absorbed_mid_turn"}})
	return e.attachment(obj{{"type", "queued_command"}, {"prompt", said}, {"commandMode", "prompt"}, {"origin", obj{{"kind", "human"}}}},
		"<system-reminder>\nThe user sent a new message while you were working:\n"+said+"\n</system-reminder>")
}

// progress writes a line of 2.1.39 that sits in the chain and is never sent.
func (e *claude) progress(data obj) string {
	return e.line("progress", e.cur, obj{{"type", "progress"}, {"data", data}, {"toolUseID", e.t.uuid()}, {"parentToolUseID", e.t.uuid()}})
}

// image is a tiny picture; only its header is one.
func (e *claude) image() obj {
	b := make([]byte, 200+e.t.r.Intn(600))
	e.t.r.Read(b)
	copy(b, "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	return obj{{"type", "image"}, {"source", obj{{"type", "base64"}, {"media_type", "image/png"}, {"data", base64.StdEncoding.EncodeToString(b)}}}}
}

// claudeCall is a call to be written with its line, once that is known.
type claudeCall struct {
	id, name string
	input    obj
	line     string
}

func (e *claude) call(name string, input obj) *claudeCall {
	return &claudeCall{id: "toolu_01" + e.t.word(22), name: name, input: input}
}

// turn writes a model message, a line for each block, and returns its lines.
func (e *claude) turn(thinking, say, stop string, calls []*claudeCall) []string {
	var blocks list
	out := 12
	if thinking != "" {
		sig := make([]byte, 180+e.t.r.Intn(200))
		e.t.r.Read(sig)
		blocks = append(blocks, obj{{"type", "thinking"}, {"thinking", thinking}, {"signature", base64.StdEncoding.EncodeToString(sig)}})
		out += estimate(thinking)
	}
	if say != "" {
		blocks = append(blocks, text(say))
		out += estimate(say)
	}
	first := len(blocks)
	for _, c := range calls {
		blocks = append(blocks, obj{{"type", "tool_use"}, {"id", c.id}, {"name", c.name}, {"input", c.input}})
		out += estimate(string(appendJSON(nil, c.input)))
	}
	if stop == "" {
		stop = "end_turn"
		if len(calls) > 0 {
			stop = "tool_use"
		}
	}
	out = int(float64(out) * e.factor)
	in, read, write := 3+e.t.r.Intn(5), e.ctx, e.pending
	e.ctx, e.pending = in+out+read+write, 0
	usage := obj{{"input_tokens", in}, {"cache_creation_input_tokens", write}, {"cache_read_input_tokens", read},
		{"cache_creation", obj{{"ephemeral_5m_input_tokens", write}, {"ephemeral_1h_input_tokens", 0}}}, {"output_tokens", out}, {"service_tier", "standard"}}
	id, request := "msg_01"+e.t.word(22), "req_011"+e.t.word(20)
	var lines []string
	for n, b := range blocks {
		var reason any = stop
		if e.v != claude213 && (e.v == claude21 || n < len(blocks)-1) {
			reason = nil
		}
		m := obj{{"id", id}, {"type", "message"}, {"role", "assistant"}, {"model", e.model}, {"content", list{b}}, {"stop_reason", reason}, {"stop_sequence", nil}, {"usage", usage}}
		e.t.pass(20, 900)
		var line string
		if e.v == claude213 {
			line = e.line("assistant", e.cur, obj{{"message", m}, {"apiBlockIndex", n}, {"requestId", request}, {"type", "assistant"}}, field{"effort", e.effort})
		} else {
			line = e.line("assistant", e.cur, obj{{"message", m}, {"requestId", request}, {"type", "assistant"}})
		}
		if node := e.nodes[line]; node != nil {
			node.message = id
			e.message[id] = append(e.message[id], line)
		}
		if n >= first {
			calls[n-first].line = line
		}
		lines = append(lines, line)
	}
	return lines
}

// result answers a call: the line hangs on that of the call, whatever was written since.
func (e *claude) result(c *claudeCall, content any, failed bool, structured any, tail ...field) string {
	block := obj{{"tool_use_id", c.id}, {"type", "tool_result"}, {"content", content}}
	switch {
	case failed:
		block = obj{{"type", "tool_result"}, {"content", content}, {"is_error", true}, {"tool_use_id", c.id}}
	case e.t.r.Intn(3) == 0:
		block = append(block, field{"is_error", false})
	}
	switch v := content.(type) {
	case string:
		e.add(v)
	case list:
		for _, b := range v {
			for _, f := range b.(obj) {
				if s, ok := f.v.(string); ok && f.k == "text" {
					e.add(s)
				}
			}
		}
	}
	if structured != nil {
		tail = append([]field{{"toolUseResult", structured}}, tail...)
	}
	if e.v != claude10 {
		tail = append(tail, field{"sourceToolAssistantUUID", c.line})
	}
	id := e.line("user", c.line, obj{{"type", "user"}, {"message", obj{{"role", "user"}, {"content", list{block}}}}}, tail...)
	if n := e.nodes[id]; n != nil {
		n.answers = c.line
		e.nodes[c.line].results = append(e.nodes[c.line].results, id)
	}
	return id
}

func (e *claude) Agent(a Agent) []string {
	e.t.pass(1500, 20_000)
	var calls []*claudeCall
	for _, c := range a.Calls {
		calls = append(calls, e.call(e.toolOf(c)))
	}
	lines := e.turn(a.Thinking, a.Text, map[string]string{"": "", "length": "max_tokens"}[a.Stop], calls)
	order := make([]int, len(calls))
	for i := range order {
		order[i] = i
	}
	if len(order) > 1 && e.t.r.Intn(3) == 0 {
		order = e.t.r.Perm(len(order)) // results come in the order in which the calls end
	}
	for _, i := range order {
		if id := e.outcome(calls[i], a.Calls[i]); id != "" {
			lines = append(lines, id)
		}
	}
	if len(calls) == 0 && e.v == claude21 && e.s.Agent == "" && e.t.r.Intn(3) == 0 {
		e.line("system", e.cur, obj{{"type", "system"}, {"subtype", "turn_duration"}, {"durationMs", 1000 + e.t.r.Intn(90_000)}}, field{"isMeta", false})
	}
	return lines
}

// toolOf is the name and input of a call of the agent's own work.
func (e *claude) toolOf(c Call) (string, obj) {
	switch c.Tool {
	case "read":
		return "Read", obj{{"file_path", c.Path}}
	case "exec":
		return "Bash", obj{{"command", c.Command}, {"description", "run it"}}
	case "write":
		return "Write", obj{{"file_path", c.Path}, {"content", c.Content}}
	case "edit":
		return "Edit", obj{{"replace_all", false}, {"file_path", c.Path}, {"old_string", c.Old}, {"new_string", c.New}}
	}
	var o obj
	if c.Command != "" {
		o = append(o, field{"query", c.Command})
	}
	if c.Path != "" {
		o = append(o, field{"path", c.Path})
	}
	return c.Tool, o
}

// outcome writes the result of a call of the agent's own work.
func (e *claude) outcome(call *claudeCall, c Call) string {
	if c.NoResult {
		return ""
	}
	if e.v == claude21 && c.Tool == "exec" && e.t.r.Intn(2) == 0 {
		e.cur = call.line
		e.progress(obj{{"type", "bash_progress"}, {"output", ""}, {"fullOutput", ""}, {"elapsedTimeSeconds", 2}, {"totalLines", 0}})
	}
	e.t.now = e.t.now.Add(time.Duration(20+e.t.r.Intn(9000)) * time.Millisecond)
	var id string
	switch {
	case c.Err != "":
		id = e.result(call, "<tool_use_error>"+c.Err+"</tool_use_error>", true, "Error: "+c.Err)
	case c.Tool == "exec" && c.Exit != 0:
		body := fmt.Sprintf("Exit code %d\n%s", c.Exit, c.Output)
		id = e.result(call, body, true, "Error: "+body)
	case c.Tool == "exec":
		id = e.result(call, c.Output, false, obj{{"stdout", c.Output}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}})
	case c.Tool == "write":
		id = e.result(call, "File created successfully at: "+c.Path, false, obj{{"type", "create"}, {"filePath", c.Path}, {"content", c.Content}, {"structuredPatch", list{}}, {"originalFile", nil}})
	case c.Tool == "edit":
		id = e.result(call, "The file "+c.Path+" has been updated successfully.", false, obj{{"filePath", c.Path}, {"oldString", c.Old}, {"newString", c.New},
			{"structuredPatch", list{obj{{"oldStart", 40}, {"oldLines", 1}, {"newStart", 40}, {"newLines", 2}, {"lines", []string{"-" + firstLine(c.Old), "+" + firstLine(c.New)}}}}}, {"userModified", false}, {"replaceAll", false}})
	case c.Image:
		id = e.result(call, list{text(c.Output), e.image()}, false, nil)
	default:
		id = e.result(call, c.Output, false, nil)
	}
	if e.v == claude21 && e.t.r.Intn(3) == 0 {
		e.progress(obj{{"type", "hook_progress"}, {"hookEvent", "PostToolUse"}, {"hookName", "PostToolUse:" + call.name}, {"command", "echo ok"}})
	}
	return id
}

func (e *claude) Compact(c Compact, keep string) string {
	e.t.pass(9000, 40_000)
	before := e.Context()
	meta := obj{{"trigger", "auto"}, {"preTokens", before}}
	var kept []string
	if e.nodes[keep] != nil && e.v == claude213 && e.t.r.Intn(2) == 0 {
		kept = e.since(keep)
	}
	own := obj{{"logicalParentUuid", e.cur}, {"type", "system"}, {"subtype", "compact_boundary"}, {"content", "Conversation compacted"}, {"isMeta", false}, {"level", "info"}}
	at := len(own)
	own = append(own, field{"compactMetadata", meta})
	summary := e.t.uuid() // the line's id has to be known before it is written
	if len(kept) > 0 {
		own[at].v = append(meta, field{"preservedMessages", obj{{"anchorUuid", summary}, {"uuids", kept}}})
	}
	e.ctx, e.pending = 0, e.base
	if at, ok := e.at[keep]; ok && len(kept) > 0 {
		e.pending += max(0, before-at[0]-at[1])
	}
	id := e.line("system", "", own)
	if n := e.nodes[id]; n != nil {
		n.kept = kept
	}
	e.add(c.Summary)
	o := obj{{"parentUuid", id}, {"isSidechain", false}, {"userType", "external"}, {"cwd", e.s.Cwd}, {"sessionId", e.s.ID}, {"version", e.v.String()}, {"gitBranch", "main"},
		{"type", "user"}, {"message", obj{{"role", "user"}, {"content", "This session is continued from an earlier conversation. Its summary:\n" + c.Summary}}},
		{"isVisibleInTranscriptOnly", true}, {"isCompactSummary", true}, {"uuid", summary}, {"timestamp", e.t.iso()}}
	e.t.line(o)
	e.node(summary, "user", id)
	e.cur, e.talk = summary, summary
	if e.streaming {
		clear(e.at)
		clear(e.agents)
	}
	e.at[summary] = [2]int{e.ctx, e.pending}
	return id
}

// since lists the lines of the conversation from one on, each message whole.
func (e *claude) since(mark string) []string {
	if n := e.nodes[mark]; n.answers != "" {
		mark = n.answers
	}
	if n := e.nodes[mark]; n.message != "" {
		mark = e.message[n.message][0]
	}
	on := e.walk(e.cur, mark)
	var kept []string
	for _, id := range e.order {
		if typ := e.nodes[id].typ; on[id] && (typ == "user" || typ == "assistant" || typ == "attachment") {
			kept = append(kept, id)
		}
	}
	return kept
}

// walk is what lies between a line and one above it, both included, with the other lines of every message on the way
// and their results. It ends at a root too.
func (e *claude) walk(from, to string) map[string]bool {
	on := map[string]bool{}
	for id := from; id != "" && !on[id]; {
		n := e.nodes[id]
		if n == nil {
			break
		}
		on[id] = true
		if id == to {
			break
		}
		id = n.parent
	}
	for id := range on {
		for _, line := range e.message[e.nodes[id].message] {
			on[line] = true
			for _, r := range e.nodes[line].results {
				on[r] = true
			}
		}
	}
	return on
}

// Rewind continues below an earlier line. The client says so in a last-prompt line, which decides between branches.
func (e *claude) Rewind(to, _ string) string {
	e.cur = to
	if at, ok := e.at[to]; ok {
		e.ctx, e.pending = at[0], at[1]
	}
	e.record("last-prompt", obj{{"lastPrompt", "back"}, {"leafUuid", to}})
	return ""
}

// Path is the chain of the last line of a person or the model; what a compaction follows lies on it, out of context.
func (e *claude) Path() (string, func(string) bool, func(string) bool) {
	if e.streaming {
		all := func(string) bool { return true }
		return e.talk, all, all
	}
	on, context := map[string]bool{}, map[string]bool{}
	for from, sent := e.talk, true; from != ""; sent = false {
		part := e.walk(from, "")
		from = ""
		for _, id := range e.order {
			if !part[id] || on[id] {
				continue
			}
			on[id] = true
			if sent {
				context[id] = true
			}
			if n := e.nodes[id]; n.logical != "" {
				from = n.logical
				if sent {
					for _, k := range n.kept {
						context[k] = true
					}
				}
			}
		}
	}
	return e.talk, func(id string) bool { return on[id] }, func(id string) bool { return context[id] }
}

// Meta knows: custom, prompt-error, model, thinking, label, info, leaf, side, mirror, mirror-path, opaque, usage, bash,
// error-turn. What is no line with an id of its own has none in the truth.
func (e *claude) Meta(m Meta, target string) string {
	e.t.pass(5, 900)
	synthetic := func(said string, tail ...field) string {
		return e.line("assistant", e.cur, obj{{"type", "assistant"}, {"message", obj{{"id", e.t.uuid()}, {"type", "message"}, {"role", "assistant"}, {"model", "<synthetic>"},
			{"content", list{text(said)}}, {"stop_reason", "stop_sequence"}, {"usage", obj{{"input_tokens", 0}, {"output_tokens", 0}}}}}}, tail...)
	}
	switch m.Kind {
	case "custom":
		return e.line("system", e.cur, obj{{"type", "system"}, {"subtype", "informational"}, {"content", "note"}, {"level", "info"}})
	case "prompt-error":
		return e.line("system", e.cur, obj{{"type", "system"}, {"subtype", "api_error"}, {"level", "error"}, {"error", obj{{"message", m.Text}}}, {"retryAttempt", 1}})
	case "model":
		e.model = claudeModels[e.t.r.Intn(len(claudeModels))]
	case "thinking":
		e.effort = m.Text
	case "label":
		e.record("custom-title", obj{{"customTitle", m.Text}})
	case "info":
		e.record("summary", obj{{"summary", m.Text}, {"leafUuid", e.cur}})
	case "leaf":
		e.Rewind(target, "")
	case "side":
		cur, talk, agent := e.cur, e.talk, e.aside
		e.cur, e.aside = "", true
		id := e.user(m.Text)
		e.cur, e.talk, e.aside = cur, talk, agent
		return id
	case "mirror":
		return e.line("system", e.cur, obj{{"type", "system"}, {"subtype", "local_command"}, {"content", "<local-command-stdout>" + m.Text + "</local-command-stdout>"}, {"level", "info"}})
	case "mirror-path":
		e.add(m.Text)
		return synthetic(m.Text)
	case "opaque":
		e.record("weather-report", obj{{"note", m.Text}, {"weight", 1.5e3}})
	case "usage":
		e.record("cost-state", obj{{"totalCostUSD", 0.25}})
	case "bash":
		command, output, _ := strings.Cut(m.Text, "\n")
		id := e.user("<bash-input>" + command + "</bash-input>")
		e.user("<bash-stdout>" + output + "</bash-stdout><bash-stderr></bash-stderr>")
		e.add(m.Text)
		return id
	case "error-turn":
		return synthetic("API Error: "+m.Text, field{"isApiErrorMessage", true})
	default:
		panic("genlog: no meta line of kind " + m.Kind)
	}
	return ""
}

// Index is the sidecar file of each sub-agent whose log lies in the session's folder.
func (e *claude) Index(_ Session, children []*Child) map[string][]byte {
	files := map[string][]byte{}
	for _, c := range children {
		if name := e.ChildFile(c); strings.HasPrefix(name, BesideLog) && c.Tool != claudeMessage {
			o := obj{{"agentType", "general-purpose"}, {"description", c.Label}, {"toolUseId", c.CallID}, {"spawnDepth", 1}, {"finished", true}}
			files[strings.TrimSuffix(name, ".jsonl")+".meta.json"] = append(appendJSON(nil, o), '\n')
		}
	}
	return files
}

func (e *claude) ChildSession(parent Session, c *Child) Session {
	return Session{ID: parent.ID, Agent: c.SessionID, Cwd: parent.Cwd, Generation: parent.Generation}
}

// ChildFile is the log of a sub-agent; in 1.0.108 its lines stand in the session's own.
func (e *claude) ChildFile(c *Child) string {
	switch {
	case c.SessionID == "" || e.v == claude10:
		return ""
	case e.v == claude21:
		return "agent-" + c.SessionID + ".jsonl"
	}
	return BesideLog + "/subagents/agent-" + c.SessionID + ".jsonl"
}

func (e *claude) ChildTask(c *Child) Human { return Human{Text: c.Task} }

// inside writes what a sub-agent of 1.0.108 did into the log of its orchestrator.
func (e *claude) inside(c *Child) {
	if len(c.Transcript) == 0 {
		return
	}
	sub := newClaude(e.t, true)
	sub.s, sub.v, sub.aside, sub.model = e.s, e.v, true, e.model
	sub.user(c.Task)
	for _, st := range c.Transcript {
		if a, ok := st.(Agent); ok {
			sub.Agent(a)
		}
	}
}

// agent is what is known of a child, made when it is first asked for.
func (e *claude) agent(c *Child) *claudeAgent {
	if e.agents[c] == nil {
		e.agents[c] = &claudeAgent{}
	}
	return e.agents[c]
}

// starts reports whether a child's only ending can be told by the result of its call, and is to be.
func (e *claude) starts(c *Child) bool {
	if c.Only == nil || c.Receipt != Accepted || !slices.Contains([]State{Done, Failed}, c.Only.Outcome) {
		return false
	}
	return e.v == claude10 || e.t.r.Intn(2) == 0
}
