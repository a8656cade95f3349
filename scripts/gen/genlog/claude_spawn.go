package genlog

import (
	"fmt"
	"strings"
	"time"
)

const claudeMessage = "SendMessage"

// agentTool is the name under which a version starts a sub-agent.
func (e *claude) agentTool() string {
	if e.v == claude213 {
		return "Agent"
	}
	return "Task"
}

func (e *claude) agentID() string {
	if e.v == claude213 {
		return "a" + e.t.hex(16)
	}
	return e.t.hex(7)
}

// name gives a child its ids and returns the call that starts it.
func (e *claude) name(c *Child, tool string) *claudeCall {
	label := c.Label
	if label == "" || c.Lean {
		label = "part of it"
	}
	in := obj{{"description", label}, {"prompt", c.Task}, {"subagent_type", "general-purpose"}}
	if e.v != claude213 {
		in = obj{{"subagent_type", "general-purpose"}, {"description", label}, {"prompt", c.Task}}
	}
	if tool == "delegate_task" {
		in = obj{{"task", c.Task}}
	}
	call := e.call(tool, in)
	c.Tool, c.CallID, c.RunID = tool, call.id, call.id
	c.Key = e.agentID()
	c.SessionID = c.Key
	e.agent(c).run = call.id
	return call
}

func (e *claude) Spawn(s Spawn) (entries, receipts []string) {
	e.t.pass(2500, 18_000)
	var calls []*claudeCall
	for _, c := range s.Before {
		calls = append(calls, e.call(e.toolOf(c)))
	}
	for _, c := range s.Children {
		calls = append(calls, e.name(c, e.agentTool()))
	}
	e.turn(s.Thinking, s.Text, "", calls)
	for i, c := range s.Before {
		e.outcome(calls[i], c)
	}
	for i, c := range s.Children {
		call := calls[len(s.Before)+i]
		entries = append(entries, call.line)
		if e.starts(c) {
			c.Inline = true
			receipts = append(receipts, e.ran(call, c, c.Only))
			e.agent(c).ended = true
			continue
		}
		receipts = append(receipts, e.receipt(call, c))
	}
	return entries, receipts
}

// ran is the result of a call whose agent ran at once.
func (e *claude) ran(call *claudeCall, c *Child, d *Ending) string {
	if e.v == claude10 {
		e.inside(c)
	}
	e.t.now = e.t.now.Add(min(d.Runtime, 20*time.Minute))
	if d.Outcome == Failed {
		body := "Agent terminated early due to an API error: " + d.Error
		return e.result(call, body, true, "Error: "+body)
	}
	said := d.report()
	tokens, ms := d.In+d.Out, d.Runtime.Milliseconds()
	done := obj{{"status", "completed"}, {"prompt", c.Task}, {"agentId", c.Key}, {"agentType", "general-purpose"}, {"content", list{text(said)}},
		{"totalDurationMs", ms}, {"totalTokens", tokens}, {"totalToolUseCount", 3}, {"usage", obj{{"input_tokens", d.In}, {"output_tokens", d.Out}}}}
	switch e.v {
	case claude10:
		return e.result(call, list{text(said)}, false, append(obj{{"content", list{text(said)}}}, done[5:]...))
	case claude21:
		tail := fmt.Sprintf("agentId: %s (for resuming this agent's work if needed)\n<usage>total_tokens: %d\ntool_uses: 3\nduration_ms: %d</usage>", c.Key, tokens, ms)
		return e.result(call, list{text(said), text(tail)}, false, done)
	}
	body := "[Subagent hand-back] The text below was written by the sub-agent. The report follows:\n  " + strings.ReplaceAll(said, "\n", "\n  ") +
		fmt.Sprintf("\nagentId: %s (use SendMessage with this id to go on)\n<usage>subagent_tokens: %d\ntool_uses: 3\nduration_ms: %d</usage>", c.Key, tokens, ms)
	return e.result(call, list{text(body)}, false, done)
}

// receipt is the result of a call whose agent did not run at once.
func (e *claude) receipt(call *claudeCall, c *Child) string {
	e.t.pass(80, 1400)
	fail := func(body string, tail ...field) string {
		return e.result(call, body, true, "Error: "+body, tail...)
	}
	switch c.Receipt {
	case Missing:
		return ""
	case SyntheticR:
		return fail("[Request interrupted by user for tool use]")
	case LateError:
		id := e.result(call, "The user doesn't want to proceed with this tool use. The tool use was rejected.", true, "User rejected tool use", field{"toolDenialKind", "user-rejected"})
		e.user(list{text("[Request interrupted by user for tool use]")})
		return id
	case Errored:
		return fail(c.Refusal)
	case Forbidden:
		return fail("Permission to use "+call.name+" has been denied: "+c.Refusal, field{"toolDenialKind", "rule"})
	case Invalid:
		return fail("<tool_use_error>InputValidationError: " + c.Refusal + "</tool_use_error>")
	}
	return e.launched(call, c)
}

// launched is the acknowledgement of an agent in the background.
func (e *claude) launched(call *claudeCall, c *Child) string {
	if e.v == claude10 {
		e.v = claude21 // the session was taken up by a newer client, which knows the background
	}
	file := e.outputFile(c.Key)
	body := "Async agent launched successfully.\nagentId: " + c.Key + " (internal ID, used to go on with it later)\noutput_file: " + file +
		"\nThe agent works in the background. You are told when it is done."
	return e.result(call, list{text(body)}, false, obj{{"isAsync", true}, {"status", "async_launched"}, {"agentId", c.Key}, {"description", c.Label},
		{"prompt", c.Task}, {"outputFile", file}})
}

func (e *claude) outputFile(id string) string {
	return "/tmp/claude/-home-dev-workspace/" + e.s.ID + "/tasks/" + id + ".output"
}

// Completion writes a notification for each ending. The client has a status for an end, a failure and a stop only: a
// time-out is a failure, and what did not end is still running.
func (e *claude) Completion(c Completion) []Told {
	var told []Told
	for i := range c.Endings {
		d := &c.Endings[i]
		a := e.agent(d.Child)
		if d.Child.Receipt != Accepted {
			told = append(told, Told{}) // it never ran: nothing is told
			continue
		}
		e.t.now = e.t.now.Add(min(d.Runtime/time.Duration(len(c.Endings)), 20*time.Minute))
		e.t.pass(300, 9000)
		n := claudeNotice{task: d.Child.Key, call: a.run, status: "completed", summary: fmt.Sprintf("Agent %q finished", d.Child.Label), result: d.report(),
			tokens: d.In + d.Out, runtime: d.Runtime}
		state := d.Outcome
		switch d.Outcome {
		case Failed:
			n.status, n.result, n.summary = "failed", "", fmt.Sprintf("Agent %q failed: %s", d.Child.Label, d.Error)
		case TimedOut:
			n.status, n.result, n.summary, state = "failed", "", fmt.Sprintf("Agent %q failed: it ran out of time", d.Child.Label), Failed
		case Unknown:
			n.status, n.result, n.summary, state = "running", "", fmt.Sprintf("Agent %q waits for a command", d.Child.Label), ""
		}
		if state != "" {
			a.ended = true
		}
		busy := c.Envelope.Queued || c.Envelope.Wrapped || e.t.r.Intn(3) == 0
		told = append(told, Told{e.notify(n, busy), state})
	}
	return told
}

// claudeNotice is a notification of a background task.
type claudeNotice struct {
	task, call, status, summary, result string
	tokens                              int
	runtime                             time.Duration
	shell                               bool
}

func (e *claude) noticeText(n claudeNotice) string {
	var b strings.Builder
	file := e.outputFile(n.task)
	fmt.Fprintf(&b, "<task-notification>\n<task-id>%s</task-id>\n", n.task)
	if e.v == claude213 {
		fmt.Fprintf(&b, "<tool-use-id>%s</tool-use-id>\n", n.call)
	}
	if e.v == claude213 || n.shell {
		fmt.Fprintf(&b, "<output-file>%s</output-file>\n", file)
	}
	fmt.Fprintf(&b, "<status>%s</status>\n<summary>%s</summary>\n", n.status, n.summary)
	if e.v == claude213 && !n.shell {
		b.WriteString("<note>Later messages reach it by SendMessage.</note>\n")
	}
	if n.result != "" {
		said := n.result
		if e.v == claude213 {
			said = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(said)
		}
		fmt.Fprintf(&b, "<result>%s</result>\n", said)
		if e.v == claude213 {
			fmt.Fprintf(&b, "<usage><subagent_tokens>%d</subagent_tokens><tool_uses>3</tool_uses><duration_ms>%d</duration_ms></usage>\n", n.tokens, n.runtime.Milliseconds())
		}
	}
	b.WriteString("</task-notification>")
	switch {
	case e.v == claude213:
	case n.shell:
		b.WriteString("\nRead the output file to retrieve the result: " + file)
	default:
		b.WriteString("\nFull transcript available at: " + file)
	}
	return b.String()
}

const claudeFrame = "<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\nWritten by the program, not by a person.\n\n"

// notify writes a notification in its places: the queue, and a line of the user's or, while the model is at work, an
// attachment.
func (e *claude) notify(n claudeNotice, busy bool) string {
	body := e.noticeText(n)
	e.add(body)
	e.record("queue-operation", obj{{"operation", "enqueue"}, {"timestamp", e.t.iso()}, {"content", body}})
	origin := obj{{"kind", "task-notification"}, {"producer", "session-task"}}
	switch {
	case e.v != claude213:
		return e.user(body)
	case !busy:
		e.record("queue-operation", obj{{"operation", "dequeue"}, {"timestamp", e.t.iso()}})
		return e.user(body, field{"origin", origin}, field{"promptSource", "system"})
	}
	e.record("queue-operation", obj{{"operation", "remove"}, {"timestamp", e.t.iso()}, {"content", body}, {"reason", "absorbed_mid_turn"}})
	framed := renderedOf([]string{"<system-reminder>\nGo on with the task at hand.\n</system-reminder>", claudeFrame + body + "\n</system-reminder>"})
	return e.line("attachment", e.cur, obj{{"attachment", obj{{"type", "queued_command"}, {"prompt", body}, {"commandMode", "task-notification"}, {"origin", origin}}}, {"type", "attachment"}},
		field{"rendered", framed}, field{"renderedInHumanTurn", framed}, field{"renderedRole", "system"})
}

// Inline is a delegation that ran at once. What timed out was stopped by the person: how it ended is not known.
func (e *claude) Inline(i Inline) (call, result string, state State) {
	e.t.pass(2500, 18_000)
	tool := e.agentTool()
	if i.Tool == "delegate_task" {
		tool = i.Tool
	}
	c := e.name(i.Child, tool)
	e.turn("", i.Text0(), "", []*claudeCall{c})
	d := Ending{Child: i.Child, Outcome: Done, Runtime: time.Duration(20+e.t.r.Intn(100)) * time.Second, In: 6000, Out: 700}
	fail := func(body string, tail ...field) string { return e.result(c, body, true, "Error: "+body, tail...) }
	switch i.Outcome {
	case "ok":
		state = Done
		if result = ""; tool == "delegate_task" {
			e.t.now = e.t.now.Add(d.Runtime)
			result = e.result(c, i.Child.Report, false, nil)
		} else {
			result = e.ran(c, i.Child, &d)
		}
	case "error":
		state = Failed
		if tool == "delegate_task" {
			result = fail(i.Text)
		} else {
			d.Outcome, d.Error = Failed, i.Text
			result = e.ran(c, i.Child, &d)
		}
	case "forbidden":
		state, result = SpawnFailed, fail("Permission to use "+tool+" has been denied: "+i.Text, field{"toolDenialKind", "rule"})
	case "timeout":
		state, result = Unknown, fail("[Request interrupted by user for tool use]")
	default:
		state, result = Running, e.launched(c, i.Child)
	}
	return c.line, result, state
}

// Yield has no call here: the model says that it waits.
func (e *claude) Yield(Yield) []string {
	e.Agent(Agent{Text: "I wait for the notification."})
	return nil
}

func (e *claude) Control(c Control) Controlled {
	e.t.pass(1500, 9000)
	ch := c.Child
	a := e.agent(ch)
	one := func(name string, in obj) *claudeCall {
		call := e.call(name, in)
		e.turn("", "", "", []*claudeCall{call})
		e.t.pass(40, 700)
		return call
	}
	switch c.Action {
	case "kill":
		call := one("TaskStop", obj{{"task_id", ch.Key}})
		d := obj{{"message", "Successfully stopped task: " + ch.Key + " (" + ch.Label + ")"}, {"task_id", ch.Key}, {"task_type", "local_agent"}, {"command", ch.Label}}
		ids := []string{call.line, e.result(call, string(appendJSON(nil, d)), false, d)}
		e.t.pass(20, 90)
		a.ended = true
		ids = append(ids, e.notify(claudeNotice{task: ch.Key, call: a.run, status: "killed", summary: fmt.Sprintf("Agent %q was stopped by the agent", ch.Label)}, true))
		return Controlled{Call: call.id, Tool: call.name, Entries: ids}
	case "steer", "send":
		call := one(claudeMessage, obj{{"to", ch.Key}, {"summary", "a further wish"}, {"message", c.Note}})
		d := obj{{"success", true}, {"message", "Message queued for agent " + ch.Key}}
		again := a.ended
		if again {
			d = obj{{"success", true}, {"message", "Resuming agent " + ch.Key}, {"resumedAgentId", ch.Key}}
			a.ended, a.run = false, call.id
		}
		id := e.result(call, list{text(string(appendJSON(nil, d)))}, false, d)
		return Controlled{Call: call.id, Tool: claudeMessage, Entries: []string{call.line, id}, Again: again}
	}
	call := one("TaskOutput", obj{{"task_id", ch.Key}, {"block", false}, {"timeout", 1000}})
	status, said := "running", ""
	if a.ended {
		status, said = "completed", ch.Report
	}
	body := fmt.Sprintf("<retrieval_status>success</retrieval_status>\n\n<task_id>%s</task_id>\n\n<task_type>local_agent</task_type>\n\n<status>%s</status>\n\n<output>\n%s\n</output>", ch.Key, status, said)
	id := e.result(call, body, false, obj{{"retrieval_status", "success"}, {"task", obj{{"task_id", ch.Key}, {"task_type", "local_agent"}, {"status", status}, {"output", said}}}})
	return Controlled{Call: call.id, Tool: call.name, Entries: []string{call.line, id}}
}

// Progress is no message here: versions until 2.1.39 write what a sub-agent does into the chain, and never send it.
func (e *claude) Progress(p Progress) (string, bool) {
	e.t.pass(8000, 90_000)
	return e.progress(obj{{"message", obj{{"type", "assistant"}, {"message", obj{{"role", "assistant"}, {"content", list{text(p.Text)}}}}}},
		{"type", "agent_progress"}, {"prompt", p.Child.Task}, {"agentId", p.Child.Key}}), false
}

// Stray is the notification of a command that ran in the background.
func (e *claude) Stray(s Stray) string {
	if len(s.Settle) > 0 {
		return e.line("system", e.cur, obj{{"type", "system"}, {"subtype", "away_summary"}, {"content", "all agents have ended"}})
	}
	call := e.call("Bash", obj{{"command", "sleep 60; echo " + s.Name}, {"description", s.Name}, {"run_in_background", true}})
	e.turn("", "", "", []*claudeCall{call})
	id := "b" + e.t.hex(6)
	e.result(call, "Command running in background with ID: "+id+". Output is being written to: "+e.outputFile(id), false,
		obj{{"stdout", ""}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}, {"backgroundTaskId", id}})
	e.t.pass(30_000, 90_000)
	return e.notify(claudeNotice{task: id, call: call.id, status: "completed", summary: fmt.Sprintf("Background command %q completed (exit code 0)", s.Name), shell: true}, e.t.r.Intn(2) == 0)
}
