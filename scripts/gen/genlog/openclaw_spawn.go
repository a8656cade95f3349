package genlog

import (
	"strings"
	"time"
)

func (e *openclaw) agentID() string {
	if p := strings.Split(e.s.Key, ":"); len(p) > 1 {
		return p[1]
	}
	return "main"
}

func (e *openclaw) Spawn(s Spawn) (entries, receipts []string) {
	e.t.pass(2500, 18_000)
	var calls list
	var before []string
	for _, c := range s.Before {
		id := e.callID()
		before = append(before, id)
		calls = append(calls, e.call(id, c))
	}
	for _, c := range s.Children {
		c.CallID, c.Tool = e.callID(), "sessions_spawn"
		c.Key = "agent:" + e.agentID() + ":subagent:" + e.t.uuid()
		c.SessionID, c.RunID = e.t.uuid(), e.t.uuid()
		calls = append(calls, toolCall(c.CallID, "sessions_spawn", e.spawnArgs(c)))
	}
	msg := e.assistant(s.Thinking, s.Text, calls, "")
	for i, c := range s.Before {
		e.result(before[i], c)
	}
	for _, c := range s.Children {
		entries, receipts = append(entries, msg), append(receipts, e.receipt(c))
	}
	return entries, receipts
}

func (e *openclaw) spawnArgs(c *Child) obj {
	a := obj{{"task", c.Task}}
	if c.Label != "" && !c.Lean {
		a = append(a, field{"label", c.Label})
	}
	switch e.s.Generation {
	case "A", "A2":
	case "B":
		a = append(a, field{"timeoutSeconds", 600})
	default:
		a = append(a, field{"mode", "run"}, field{"runTimeoutSeconds", 900})
	}
	if c.Receipt == Forbidden {
		a = append(a, field{"agentId", "reviewer"})
	}
	return a
}

func (e *openclaw) receipt(c *Child) string {
	e.t.pass(80, 1400)
	accepted := obj{{"status", "accepted"}, {"childSessionKey", c.Key}, {"runId", c.RunID}}
	var d obj
	switch c.Receipt {
	case Missing:
		return ""
	case SyntheticR:
		return e.synthetic(c.CallID, "sessions_spawn")
	case Invalid:
		return e.toolResult(c.CallID, "sessions_spawn", c.Refusal, obj{}, true, false)
	case Errored:
		d = obj{{"status", "error"}, {"error", c.Refusal}}
	case LateError:
		d = obj{{"status", "error"}, {"error", c.Refusal}, {"childSessionKey", c.Key}, {"runId", c.RunID}}
	case Forbidden:
		d = obj{{"status", "forbidden"}, {"error", c.Refusal}}
	default:
		d = accepted
		switch e.s.Generation {
		case "A", "A2":
		default:
			d = append(d, field{"mode", "run"}, field{"note", "The result is announced here when the task ends. Do not poll for it."}, field{"modelApplied", true})
		}
	}
	return e.toolResult(c.CallID, "sessions_spawn", pretty(d), d, false, false)
}

// synthetic is the error that OpenClaw's repair pass inserts for a call whose result is missing.
func (e *openclaw) synthetic(call, tool string) string {
	body := "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."
	e.add(body)
	id := "repair-" + e.t.uuid()
	e.t.line(obj{{"type", "message"}, {"id", id}, {"parentId", e.parent()}, {"timestamp", e.t.iso()},
		{"message", obj{{"role", "toolResult"}, {"toolCallId", call}, {"toolName", tool}, {"content", list{text(body)}},
			{"details", obj{{"openclawSyntheticMissingToolResult", true}}}, {"isError", true}, {"timestamp", e.t.millis()}}}})
	e.push(id)
	return id
}

func (e *openclaw) Inline(i Inline) (call, result string, state State) {
	e.t.pass(2500, 18_000)
	c := i.Child
	c.CallID, c.Tool = e.callID(), i.Tool
	state = map[string]State{"ok": Done, "timeout": TimedOut, "error": Failed, "forbidden": SpawnFailed, "accepted": Running}[i.Outcome]
	var args, d obj
	isErr := false
	switch i.Tool {
	case "sessions_send":
		c.Key = "agent:" + e.agentID() + ":worker-" + e.t.hex(4)
		c.RunID = e.t.uuid()
		args = obj{{"sessionKey", c.Key}, {"message", c.Task}, {"timeoutSeconds", 120}}
		d = obj{{"runId", c.RunID}, {"status", i.Outcome}, {"sessionKey", c.Key}}
		switch i.Outcome {
		case "ok":
			d = append(d, field{"reply", c.Report})
		case "error", "forbidden", "timeout":
			d = append(d, field{"error", i.Text})
		}
	default:
		args = obj{{"task", c.Task}}
		if c.Label != "" {
			args = append(args, field{"description", c.Label})
		}
		isErr = i.Outcome != "ok"
	}
	msg := e.assistant("", i.Text0(), list{toolCall(c.CallID, i.Tool, args)}, "")
	e.t.now = e.t.now.Add(time.Duration(20+e.t.r.Intn(100)) * time.Second)
	if d != nil {
		return msg, e.toolResult(c.CallID, i.Tool, pretty(d), d, false, false), state
	}
	body := c.Report
	if isErr {
		body = i.Text
	}
	if e.pi {
		d = obj{{"mode", "single"}, {"results", list{obj{{"agent", "worker"}, {"exitCode", btoi(isErr)}}}}}
	}
	return msg, e.toolResult(c.CallID, i.Tool, body, d, isErr, false), state
}

// Text0 is what the agent says before an inline delegation.
func (i Inline) Text0() string {
	if i.Outcome == "ok" {
		return ""
	}
	return "I hand this part over."
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (e *openclaw) Yield(y Yield) []string {
	e.t.pass(1500, 6000)
	id := e.callID()
	out := []string{e.assistant("", "", list{toolCall(id, "sessions_yield", obj{})}, "")}
	e.t.pass(20, 90)
	d := obj{{"status", "yielded"}, {"message", "Turn yielded."}}
	out = append(out, e.toolResult(id, "sessions_yield", pretty(d), d, false, false))
	kind := "openclaw.sessions_yield"
	if y.Interrupted {
		kind += "_interrupt"
	}
	body := "Turn yielded.\n\n[Context: the previous turn was ended on purpose by sessions_yield while a follow-up event was awaited.]"
	e.add(body)
	return append(out, e.tail("custom_message", obj{{"customType", kind}, {"content", body}, {"display", false},
		{"details", obj{{"source", "sessions_yield"}, {"message", "Turn yielded."}}}}))
}

func (e *openclaw) Control(c Control) Controlled {
	e.t.pass(1500, 9000)
	id := e.callID()
	args := obj{{"action", c.Action}}
	tool := "subagents"
	ch := c.Child
	var d obj
	switch c.Action {
	case "list":
		state := c.Note
		if state == "" {
			state = "running"
		}
		row := obj{{"index", 1}, {"runId", ch.RunID}, {"sessionKey", ch.Key}, {"label", ch.Label}, {"task", ch.Task},
			{"status", state}, {"runtime", "1m"}, {"runtimeMs", 61_000 + e.t.r.Intn(9000)}, {"startedAt", e.t.millis() - 61_000}}
		active, recent := list{row}, list{}
		if state != "running" {
			active, recent = recent, active
		}
		d = obj{{"status", "ok"}, {"action", "list"}, {"requesterSessionKey", e.s.Key}, {"callerSessionKey", e.s.Key}, {"callerIsSubagent", false},
			{"total", 1}, {"active", active}, {"recent", recent}, {"text", "active subagents:\n1. " + ch.Label + " (1m) " + state}}
	case "kill":
		// The target may be given by session key or by label.
		target := ch.Key
		if e.t.r.Intn(2) == 0 {
			target = ch.Label
		}
		args = append(args, field{"target", target})
		d = obj{{"status", "ok"}, {"action", "kill"}, {"target", target}, {"runId", ch.RunID}, {"sessionKey", ch.Key}, {"label", ch.Label}, {"text", "killed " + ch.Label + "."}}
	case "steer":
		args = append(args, field{"target", ch.Key}, field{"message", c.Note})
		d = obj{{"status", "accepted"}, {"action", "steer"}, {"target", ch.Key}, {"runId", e.t.uuid()}, {"sessionKey", ch.Key}, {"mode", "restart"},
			{"label", ch.Label}, {"text", "steered " + ch.Label + "."}}
	case "history":
		tool = "sessions_history"
		args = obj{{"sessionKey", ch.Key}, {"limit", 5}}
		d = obj{{"sessionKey", ch.Key}, {"messages", list{obj{{"role", "assistant"}, {"content", list{text(firstLine(ch.Report))}}}}}, {"truncated", false}}
	case "send": // a message to the child without waiting for an answer
		tool = "sessions_send"
		args = obj{{"sessionKey", ch.Key}, {"message", c.Note}, {"timeoutSeconds", 0}}
		d = obj{{"runId", e.t.uuid()}, {"status", "accepted"}, {"sessionKey", ch.Key}, {"delivery", obj{{"status", "pending"}, {"mode", "announce"}}}}
	}
	out := []string{e.assistant("", "", list{toolCall(id, tool, args)}, "")}
	e.t.pass(40, 700)
	return Controlled{Call: id, Tool: tool, Entries: append(out, e.toolResult(id, tool, pretty(d), d, false, false))}
}

func (e *openclaw) Index(parent Session, children []*Child) map[string][]byte {
	at := e.t.millis()
	o := obj{{parent.Key, obj{{"sessionId", parent.ID}, {"updatedAt", at}, {"totalTokens", e.ctx}, {"contextTokens", 200_000}, {"compactionCount", len(e.keeps)}}}}
	for _, c := range children {
		if c.Archived != "" {
			continue // a deleted session leaves the index
		}
		o = append(o, field{c.Key, obj{{"sessionId", c.SessionID}, {"updatedAt", at - 60_000}, {"spawnedBy", parent.Key}, {"label", c.Label}}})
	}
	return map[string][]byte{"sessions.json": append([]byte(pretty(o)), '\n')}
}

func (e *openclaw) ChildSession(parent Session, c *Child) Session {
	return Session{ID: c.SessionID, Key: c.Key, Cwd: parent.Cwd, Generation: parent.Generation}
}

func (e *openclaw) ChildFile(c *Child) string {
	if c.Archived != "" {
		return c.SessionID + ".jsonl.deleted." + c.Archived
	}
	return c.SessionID + ".jsonl"
}

func (e *openclaw) ChildTask(c *Child) Human {
	return Human{Text: e.stamp("UTC") + "[Subagent Context] You are a subagent at depth 1. Your last message is sent to the session that asked.\n\n[Subagent Task]: " + c.Task}
}
