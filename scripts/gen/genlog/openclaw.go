package genlog

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// openclaw writes OpenClaw and pi session logs, JSONL version 3: one object a line, linked by parentId. The
// shapes follow OpenClaw 2026.1 to 2026.9 and pi 0.73 and 1.6.
type openclaw struct {
	t         *Tape
	pi        bool
	streaming bool
	s         Session
	model     model

	cur     string
	taken   map[string]bool // ids of this log: in a big one two of 32 bits meet by chance, and the programs look
	parents map[string]string
	keeps   map[string]string // compaction entry -> first kept entry
	order   map[string]int
	side    map[string]bool

	ctx, pending int // tokens: reported by the last assistant message, added since
	base         int // system prompt and tools
	at           map[string][2]int
	calls        int
}

type model struct {
	api, provider, id, call string
	factor                  float64 // tokens of this model per estimated token
}

var models = []model{
	{"anthropic-messages", "anthropic", "claude-sonnet-4-5", "toolu_01", 1.2},
	{"openai-completions", "github-copilot", "gpt-4o", "call_", 1},
	{"bedrock-converse-stream", "amazon-bedrock", "us.anthropic.claude-opus-4-6-v1", "tooluse_", 1.2},
	{"openai-responses", "openai", "gpt-5.1-codex", "call_", 1},
	{"anthropic-messages", "minimax", "MiniMax-M2.5", "call_function_", 1},
}

func newOpenClaw(t *Tape, streaming, pi bool) *openclaw {
	return &openclaw{t: t, pi: pi, streaming: streaming, model: models[t.r.Intn(len(models))],
		taken: map[string]bool{}, parents: map[string]string{}, keeps: map[string]string{}, order: map[string]int{}, side: map[string]bool{},
		at: map[string][2]int{}, base: 9000 + t.r.Intn(7000)}
}

func (e *openclaw) Open(s Session) {
	e.s = s
	e.pending = e.base
	v := s.Version
	if v == 0 {
		v = 3
	}
	h := obj{{"type", "session"}, {"version", v}, {"id", s.ID}, {"timestamp", e.t.iso()}, {"cwd", s.Cwd}}
	if s.Parent != "" {
		h = append(h, field{"parentSession", s.Parent})
	}
	e.t.line(h)
	e.t.pass(3, 40)
	e.Meta(Meta{Kind: "model"}, "")
	e.Meta(Meta{Kind: "thinking", Text: "off"}, "")
	if !e.pi {
		e.t.pass(20, 90)
		e.tail("custom", obj{{"customType", "model-snapshot"}, {"data", obj{{"timestamp", e.t.millis()},
			{"provider", e.model.provider}, {"modelApi", e.model.api}, {"modelId", e.model.id}}}})
	}
}

// entry writes a line with the base fields in front and makes it the one the next line hangs below.
func (e *openclaw) entry(typ string, fields ...field) string {
	id := e.id()
	e.t.line(append(obj{{"type", typ}, {"id", id}, {"parentId", e.parent()}, {"timestamp", e.t.iso()}}, fields...))
	e.push(id)
	return id
}

// tail is entry with the base fields behind, as both programs do for custom lines.
func (e *openclaw) tail(typ string, fields obj) string {
	id := e.id()
	o := append(obj{{"type", typ}}, fields...)
	e.t.line(append(o, field{"id", id}, field{"parentId", e.parent()}, field{"timestamp", e.t.iso()}))
	e.push(id)
	return id
}

func (e *openclaw) id() string {
	for {
		id := e.t.hex(8)
		if !e.taken[id] {
			e.taken[id] = true
			return id
		}
	}
}

func (e *openclaw) parent() any {
	if e.cur == "" {
		return nil
	}
	return e.cur
}

func (e *openclaw) push(id string) {
	if !e.streaming {
		e.parents[id] = e.cur
		e.order[id] = len(e.order)
	}
	e.cur = id
	e.at[id] = [2]int{e.ctx, e.pending}
}

func (e *openclaw) Last() string { return e.cur }
func (e *openclaw) Context() int { return e.ctx + e.pending }
func (e *openclaw) Raw(b []byte) { e.t.write(b); e.t.lines += strings.Count(string(b), "\n") }

func (e *openclaw) message(m obj) string { return e.entry("message", field{"message", m}) }

func text(s string) obj { return obj{{"type", "text"}, {"text", s}} }

// add counts what the model will be sent.
func (e *openclaw) add(s string) { e.pending += int(float64(estimate(s)) * e.model.factor) }

// estimate is a rough token count: four ASCII characters or one and a quarter CJK signs a token.
func estimate(s string) int {
	ascii, cjk, other := 0, 0, 0
	for _, r := range s {
		switch {
		case r < 0x80:
			ascii++
		case r >= 0x2e80:
			cjk++
		default:
			other++
		}
	}
	return ascii/4 + cjk*4/5 + other/2 + 4
}

func (e *openclaw) user(body string, image bool, extra ...field) string {
	content := list{text(body)}
	e.add(body)
	if image {
		content = append(content, e.image())
	}
	return e.message(append(obj{{"role", "user"}, {"content", content}, {"timestamp", e.t.millis() - 40}}, extra...))
}

func (e *openclaw) image() obj {
	e.pending += 1200
	b := make([]byte, 400+e.t.r.Intn(900))
	e.t.r.Read(b)
	copy(b, "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	return obj{{"type", "image"}, {"data", base64.StdEncoding.EncodeToString(b)}, {"mimeType", "image/png"}}
}

func (e *openclaw) Human(h Human) string {
	e.t.pass(20_000, 400_000)
	body := h.Text
	switch h.Channel {
	case Panel:
		body = "Sender (untrusted metadata):\n```json\n" + pretty(obj{{"label", "openclaw-control-ui"}, {"id", "openclaw-control-ui"}}) +
			"\n```\n\n" + e.stamp("GMT+1") + h.Text
	case Chat:
		line := strings.Join(strings.Fields(h.Text), " ")
		body = "System: " + strings.TrimSpace(e.longStamp()) + " Telegram[work] DM from user_" + e.t.hex(6) + ": " + line + "\n\n" + h.Text
	case Queued:
		body = "[Queued messages while agent was busy]\n\n---\nQueued #1\n" + h.Text
	}
	return e.user(body, h.Image)
}

func (e *openclaw) stamp(zone string) string {
	z := time.UTC
	switch zone {
	case "":
		return ""
	case "GMT+1":
		z = time.FixedZone(zone, 3600)
	case "GMT+9":
		z = time.FixedZone(zone, 9*3600)
	}
	return e.t.now.In(z).Format("[Mon 2006-01-02 15:04 ") + zone + "] "
}

func (e *openclaw) longStamp() string { return e.t.now.UTC().Format("[2006-01-02 15:04:05 ") + "UTC] " }

// assistant writes one model turn; usage counts the context as the provider would.
func (e *openclaw) assistant(thinking, say string, calls list, stop string) string {
	out := 12
	var content list
	if thinking != "" {
		out += estimate(thinking)
		sig := make([]byte, 180+e.t.r.Intn(200))
		e.t.r.Read(sig)
		content = append(content, obj{{"type", "thinking"}, {"thinking", thinking}, {"thinkingSignature", base64.StdEncoding.EncodeToString(sig)}})
	}
	if say != "" {
		out += estimate(say)
		content = append(content, text(say))
	}
	for _, c := range calls {
		out += estimate(string(appendJSON(nil, c))) - 12
	}
	content = append(content, calls...)
	out = int(float64(out) * e.model.factor)
	if stop == "" {
		stop = "stop"
		if len(calls) > 0 {
			stop = "toolUse"
		}
	}
	in, read, write := 3+e.t.r.Intn(5), e.ctx, e.pending
	u := obj{{"input", in}, {"output", out}, {"cacheRead", read}, {"cacheWrite", write}, {"totalTokens", in + out + read + write},
		{"cost", cost(in, out, read, write)}}
	e.ctx, e.pending = in+out+read+write, 0
	return e.turn(content, u, stop)
}

func (e *openclaw) turn(content list, usage obj, stop string, extra ...field) string {
	m := obj{{"role", "assistant"}, {"content", content}, {"api", e.model.api}, {"provider", e.model.provider}, {"model", e.model.id},
		{"usage", usage}, {"stopReason", stop}, {"timestamp", e.t.millis() - int64(800+e.t.r.Intn(4000))}}
	if strings.HasPrefix(e.model.api, "openai") {
		m = append(m, field{"responseId", "resp_" + e.t.word(20)})
	}
	return e.message(append(m, extra...))
}

func cost(in, out, read, write int) obj {
	micro := func(tokens, perMillion int) float64 { return float64(tokens*perMillion) / 1e8 }
	i, o, r, w := micro(in, 300), micro(out, 1500), micro(read, 30), micro(write, 375)
	return obj{{"input", i}, {"output", o}, {"cacheRead", r}, {"cacheWrite", w}, {"total", i + o + r + w}}
}

var noUsage = obj{{"input", 0}, {"output", 0}, {"cacheRead", 0}, {"cacheWrite", 0}, {"totalTokens", 0},
	{"cost", obj{{"input", 0}, {"output", 0}, {"cacheRead", 0}, {"cacheWrite", 0}, {"total", 0}}}}

func (e *openclaw) callID() string {
	e.calls++
	switch e.model.api {
	case "openai-responses":
		return "call_" + e.t.word(24) + "|fc_" + e.t.hex(32)
	case "anthropic-messages":
		if e.model.call == "call_function_" {
			return e.model.call + strings.ToLower(e.t.word(12)) + "_1"
		}
	}
	return e.model.call + e.t.word(22)
}

func toolCall(id, name string, args obj) obj {
	return obj{{"type", "toolCall"}, {"id", id}, {"name", name}, {"arguments", args}}
}

func (e *openclaw) Agent(a Agent) []string {
	e.t.pass(1500, 20_000)
	var calls list
	var ids []string
	for _, c := range a.Calls {
		id := e.callID()
		ids = append(ids, id)
		calls = append(calls, e.call(id, c))
	}
	out := []string{e.assistant(a.Thinking, a.Text, calls, a.Stop)}
	for i, c := range a.Calls {
		out = append(out, e.result(ids[i], c))
	}
	return out
}

func (e *openclaw) call(id string, c Call) obj {
	name, args := c.Tool, obj{}
	switch c.Tool {
	case "read":
		args = obj{{"path", c.Path}}
	case "exec":
		args = obj{{"command", c.Command}}
		if e.pi {
			name = "bash"
		}
	case "write":
		args = obj{{"path", c.Path}, {"content", c.Content}}
	case "edit":
		args = obj{{"path", c.Path}, {"oldText", c.Old}, {"newText", c.New}}
	default:
		if c.Command != "" {
			args = append(args, field{"query", c.Command})
		}
		if c.Path != "" {
			args = append(args, field{"path", c.Path})
		}
	}
	return toolCall(id, name, args)
}

func (e *openclaw) result(id string, c Call) string {
	if c.NoResult {
		return ""
	}
	name, body, details, isErr := c.Tool, c.Output, obj(nil), false
	took := 20 + e.t.r.Intn(9000)
	e.t.now = e.t.now.Add(time.Duration(took) * time.Millisecond)
	switch {
	case c.Err != "" && e.pi:
		body, isErr = c.Err, true
	case c.Err != "":
		details = obj{{"status", "error"}, {"tool", c.Tool}, {"error", c.Err}}
		body = pretty(details)
	case c.Tool == "exec":
		if c.Exit != 0 {
			body += fmt.Sprintf("\n\n(Command exited with code %d)", c.Exit)
		}
		if !e.pi {
			details = obj{{"status", "completed"}, {"exitCode", c.Exit}, {"durationMs", took}, {"aggregated", body}, {"cwd", e.s.Cwd}}
		}
	case c.Tool == "write":
		body = fmt.Sprintf("Successfully wrote %d bytes to %s", len(c.Content), c.Path)
	case c.Tool == "edit":
		body = fmt.Sprintf("Successfully replaced text in %s.", c.Path)
		details = obj{{"diff", diff(c.Old, c.New)}, {"firstChangedLine", 1 + e.t.r.Intn(200)}}
	}
	if c.Tool == "exec" && e.pi {
		name = "bash"
	}
	return e.toolResult(id, name, body, details, isErr, c.Image)
}

func (e *openclaw) toolResult(id, name, body string, details obj, isErr, image bool) string {
	e.add(body)
	content := list{text(body)}
	if image {
		content = append(content, e.image())
	}
	m := obj{{"role", "toolResult"}, {"toolCallId", id}, {"toolName", name}, {"content", content}}
	if details != nil {
		m = append(m, field{"details", details})
	}
	return e.message(append(m, field{"isError", isErr}, field{"timestamp", e.t.millis() - 2}))
}

func diff(old, new string) string {
	var b strings.Builder
	b.WriteString("    ...\n")
	for i, l := range strings.Split(old, "\n") {
		fmt.Fprintf(&b, "-%3d %s\n", 40+i, l)
	}
	for i, l := range strings.Split(new, "\n") {
		fmt.Fprintf(&b, "+%3d %s\n", 40+i, l)
	}
	b.WriteString("    ...")
	return b.String()
}
