package claudecode

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// Tools of the client that start or steer a sub-task (formats page, section
// 5). To-do lists (TaskCreate, TaskUpdate, TaskList, TodoWrite) are none.
const (
	toolTask     = "Task"  // 1.0.71 to 2.1.39
	toolAgent    = "Agent" // 2.1.328
	toolWorkflow = "Workflow"
	toolMessage  = "SendMessage"
	toolStop     = "TaskStop"
)

// pulls are the tools whose result says how far a background task is.
var pulls = map[string]bool{"TaskOutput": true, "AgentOutputTool": true, "AgentOutput": true}

// asked is a call of a tool that starts or steers a sub-task.
type asked struct {
	entry int32
	tool  string
	input []byte // of a tool that steers
	spawn session.Event
}

// delegates reports whether calls of a tool start a sub-task.
func (r *reader) delegates(tool string) bool {
	return tool == toolTask || tool == toolAgent || tool == toolWorkflow || r.extra(tool)
}

// extra reports whether a tool is one that the user named.
func (r *reader) extra(tool string) bool {
	for _, t := range r.set.SpawnTools {
		if t == tool {
			return true
		}
	}
	return false
}

// events adds what an entry says about sub-tasks. A masked line says nothing
// any more: its lifecycle is done with.
func (r *reader) events(i int32, text string, b *session.Builder) {
	f := &r.f
	switch b.S.Entries[i].Kind {
	case session.Assistant:
		for _, c := range f.msg.calls {
			if f.mark.Ref == "" {
				r.called(i, c, b)
			}
		}
	case session.Result:
		for n := range f.msg.results {
			r.resultEvents(i, &f.msg.results[n], b)
		}
	case session.HostEvent:
		if string(f.typ) == "attachment" {
			if string(f.att.typ) != queued || !f.att.notice() {
				return
			}
			text = r.decode(f.att.prompt.texts)
		}
		r.noticeEvent(i, text, b)
	case session.Human:
		r.doubtful(i, text, b)
	}
}

// add takes in what a line says, where the caller wants to know it. What the
// client pairs on resume is read in any case: Check needs it.
func (r *reader) add(b *session.Builder, ev session.Event) {
	if !r.set.NoEvents {
		b.AddEvent(ev)
	}
}

// called notes a call of a delegation tool until its result comes.
func (r *reader) called(i int32, c call, b *session.Builder) {
	tool, id := string(c.name), string(c.id)
	switch {
	case r.delegates(tool):
		ev := spawnEvent(i, id, parsed(c.input))
		r.asked[id] = asked{entry: i, tool: tool, spawn: ev}
		r.add(b, ev)
	case tool == toolMessage:
		// A message starts a run of its own, or reaches one: its result tells.
		r.asked[id] = asked{entry: i, tool: tool, spawn: spawnEvent(i, id, parsed(c.input)), input: bytes.Clone(c.input)}
	case tool == toolStop || pulls[tool]:
		r.asked[id] = asked{entry: i, tool: tool, input: bytes.Clone(c.input)}
	}
}

// taskKeys are the arguments under which tools take what is to be done.
var taskKeys = []string{"prompt", "message", "content", "task", "instructions", "query", "script"}

// spawnEvent is what a call asks for. It outlives the line.
func spawnEvent(i int32, call string, input gjson.Result) session.Event {
	return session.Event{
		Kind: session.Spawn, Entry: i, Call: call, Runtime: -1, Tokens: -1,
		Label: strings.Clone(session.TaskText(firstString(input, "description", "summary", "name"))),
		Task:  strings.Clone(session.TaskText(firstString(input, taskKeys...))),
	}
}

func firstString(o gjson.Result, keys ...string) string {
	for _, k := range keys {
		if v := o.Get(k); v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

// resultEvents reads one result of a delegation tool's call.
func (r *reader) resultEvents(i int32, res *result, b *session.Builder) {
	f := &r.f
	a, ok := r.asked[string(res.call)]
	// toolUseResult speaks for the line, so for its only result.
	var structured []byte
	if len(f.msg.results) == 1 {
		structured = f.result
	}
	if from, to, there := jsonwalk.Find(structured, "status"); there && string(structured[from:to]) == `"`+statusLaunched+`"` {
		if d := parsed(structured); d.Exists() {
			r.private.pending = append(r.private.pending, strings.Clone(d.Get("agentId").String()))
			if !ok {
				r.strays = append(r.strays, i)
			}
		}
	}
	if !ok || f.mark.Ref != "" {
		return
	}
	text := r.decode(res.texts)
	id := string(res.call)
	switch {
	case a.tool == toolWorkflow:
		r.add(b, session.Event{Kind: session.Unclear, Entry: i, Call: id, Runtime: -1, Tokens: -1,
			Error: "runs of a workflow are not understood"})
	case r.delegates(a.tool):
		ev := receipt(structured, text, res.failed, string(f.denial))
		if r.extra(a.tool) && ev.Kind == session.Unclear && ev.Error == "its result is of a form that is not understood" {
			ev.Kind, ev.Outcome, ev.Error = session.Inline, session.OutcomeOK, ""
		}
		ev.Entry, ev.Call = i, id
		r.started(&ev)
		r.add(b, ev)
	case a.tool == toolMessage:
		r.messageEvents(i, id, a, structured, text, res.failed, b)
	case a.tool == toolStop:
		r.stopEvents(i, id, a, structured, text, res.failed, b)
	default:
		r.pullEvents(i, id, a, structured, text, b)
	}
}

// started makes a run known: what notifications name, it may be.
func (r *reader) started(ev *session.Event) {
	if ev.Kind != session.Accepted {
		return
	}
	ev.Run = ev.Call
	r.agents[ev.Call], r.agents[strings.Clone(ev.Child)] = true, true
}

// messageEvents reads the result of a message to an agent: one that had ended
// runs again, which is a lifecycle of its own; one that runs goes on.
func (r *reader) messageEvents(i int32, id string, a asked, structured []byte, text string, failed bool, b *session.Builder) {
	d := parsed(structured)
	if !d.IsObject() {
		d = parsed([]byte(text))
	}
	to := parsed(a.input).Get("to").String()
	ev := session.Event{Entry: i, Call: id, Child: d.Get("resumedAgentId").String(), Runtime: -1, Tokens: -1}
	switch {
	case failed || d.Get("success").Type == gjson.False:
		return
	case ev.Child != "":
		ev.Kind = session.Accepted
		r.started(&ev)
		r.add(b, a.spawn)
		r.add(b, ev)
	case r.agents[to]:
		ev.Kind, ev.Child = session.Activity, to
		r.add(b, ev)
	}
}

// stopEvents reads the result of a call that stops a task. Shells are stopped
// by the same tool.
func (r *reader) stopEvents(i int32, id string, a asked, structured []byte, text string, failed bool, b *session.Builder) {
	d := parsed(structured)
	if !d.IsObject() {
		d = parsed([]byte(text))
	}
	child := d.Get("task_id").String()
	if child == "" {
		child = parsed(a.input).Get("task_id").String()
	}
	if !r.agents[child] {
		return
	}
	ev := session.Event{Kind: session.Killed, Entry: i, Call: id, Child: child, Outcome: session.OutcomeKilled, Runtime: -1, Tokens: -1}
	if failed || !d.IsObject() {
		ev.Kind, ev.Outcome = session.Touch, session.OutcomeUnknown
	}
	r.add(b, ev)
}

// pullEvents reads the result of a call that asks how far a task is.
func (r *reader) pullEvents(i int32, id string, a asked, structured []byte, text string, b *session.Builder) {
	p := parsePull(text)
	in, d := parsed(a.input), parsed(structured).Get("task")
	child := firstString(d, "task_id", "agentId")
	for _, c := range []string{p.task, firstString(in, "task_id", "agentId", "agent_id")} {
		if child == "" {
			child = c
		}
	}
	if !r.agents[child] {
		return
	}
	status := firstString(d, "status")
	if status == "" {
		status = p.status
	}
	ev := session.Event{Kind: session.Touch, Entry: i, Call: id, Child: child, Runtime: -1, Tokens: -1}
	if end := outcome(status); end != session.OutcomeUnknown {
		ev.Kind, ev.Outcome, ev.Session, ev.Report, ev.Whole = session.Completion, end, child, p.output, true
		if end != session.OutcomeOK {
			ev.Error = session.ErrorText("its status is " + status)
		}
	}
	r.add(b, ev)
}

// noticeEvent reads a notification. Those of other background work, such as
// shells, workflows and remote sessions, name no agent that was started here
// and say nothing.
func (r *reader) noticeEvent(i int32, text string, b *session.Builder) {
	n, ok := parseNotice(text)
	if !ok {
		return
	}
	end := outcome(n.status)
	if end != session.OutcomeUnknown {
		r.private.notices = append(r.private.notices, n.task+" "+n.status)
	}
	if r.f.mark.Ref != "" || !r.agents[n.task] && !r.agents[n.call] || end == session.OutcomeUnknown {
		return
	}
	ev := session.Event{
		Kind: session.Completion, Entry: i, Session: n.task, Run: n.call, Outcome: end,
		Runtime: n.runtime, Tokens: n.tokens, Report: n.result, Whole: n.whole,
	}
	if n.call == "" {
		ev.Child = n.task
	}
	if end != session.OutcomeOK {
		ev.Error = session.ErrorText(n.summary)
	} else {
		ev.Suspect = suspicion(unescaped(text[n.result.Off:n.result.End()]), n.tokens, n.runtime)
	}
	r.add(b, ev)
}

// doubtful reads words that may be a person's or, in versions that say of no
// line where it comes from, a notification whose report quotes another one.
// They stay where they are, and nothing is concluded from them: not even that
// the agent ended in another way before.
func (r *reader) doubtful(i int32, text string, b *session.Builder) {
	if len(r.f.origin) > 0 || len(r.f.source) > 0 || r.f.mark.Ref != "" {
		return
	}
	n, ok := parseNotice(text)
	if end := outcome(n.status); ok && n.double && r.agents[n.task] && end != session.OutcomeUnknown {
		r.add(b, session.Event{Kind: session.Completion, Entry: i, Child: n.task, Outcome: end, Suspect: "its text quotes another notification", Runtime: -1, Tokens: -1})
	}
}

// pull is what the result of a pull says in tags.
type pull struct {
	task, status string
	output       session.Range // inside <output>, within the text
}

// parsePull reads the tags of a pull's result. The output comes last and may
// hold anything.
func parsePull(text string) (p pull) {
	head := text
	if from := strings.Index(text, "<output>"); from >= 0 {
		head = text[:from]
		begin := from + len("<output>")
		if to := strings.LastIndex(text, "</output>"); to >= begin {
			p.output = session.Range{Off: int64(begin), Len: int64(to - begin)}
		}
	}
	p.task, p.status = tagged(head, "task_id"), tagged(head, "status")
	return p
}
