package openclaw

import (
	"bytes"
	"strings"

	"sessc/session"
)

// Tools of OpenClaw that start or steer a sub-task (formats page, section 6).
const (
	toolSpawn = "sessions_spawn"
	toolSend  = "sessions_send"
	toolYield = "sessions_yield"
)

// steering are the tools whose calls may name a child without starting one.
var steering = map[string]bool{
	"subagents": true, "agents_wait": true, toolYield: true,
	"sessions_history": true, "sessions_list": true, "session_status": true,
}

// delegates reports whether calls of a tool start a sub-task, and whether the
// tool is one that the user named.
func (r *reader) delegates(tool string) (starts, extra bool) {
	for _, t := range r.set.SpawnTools {
		if t == tool {
			return true, true
		}
	}
	return tool == toolSpawn || tool == toolSend, false
}

// events adds what an entry says about sub-tasks.
func (r *reader) events(i int32, text string, b *session.Builder) {
	s, f := b.S, &r.f
	switch s.Entries[i].Kind {
	case session.Assistant:
		for _, c := range f.calls {
			tool := string(c.name)
			starts, _ := r.delegates(tool)
			if !starts && !steering[tool] {
				continue
			}
			r.asked[string(c.id)] = asked{i, tool, bytes.Clone(c.args)}
			// A message to a session that exists is known by its result: a
			// sub-task of its own, or more work for a child.
			if starts && tool != toolSend {
				s.Events = append(s.Events, spawnEvent(i, string(c.id), c.args))
			}
		}
	case session.Result:
		r.resultEvents(i, b)
	case session.HostEvent:
		found := completions(text, f.prov)
		for _, ev := range found {
			ev.Entry = i
			s.Events = append(s.Events, ev)
		}
		if len(found) == 0 && f.prov.Kind == "inter_session" && f.prov.SourceSessionKey != "" && !announceTool(f.prov.SourceTool) {
			s.Events = append(s.Events, session.Event{Kind: session.Activity, Entry: i, Child: f.prov.SourceSessionKey,
				Vouched: true, Runtime: -1, Tokens: -1})
		}
	}
}

func spawnEvent(i int32, call string, args []byte) session.Event {
	label, task, _ := spawnArgs(args)
	return session.Event{Kind: session.Spawn, Entry: i, Call: call, Label: label, Task: task, Runtime: -1, Tokens: -1}
}

// resultEvents reads the result of a delegation tool's call.
func (r *reader) resultEvents(i int32, b *session.Builder) {
	s, f := b.S, &r.f
	id := string(f.toolCallID)
	a, ok := r.asked[id]
	if !ok {
		return
	}
	text := []byte(r.decode(f.texts))
	if starts, extra := r.delegates(a.tool); starts {
		ev := receipt(a.tool, f.details, text, f.failed, extra)
		ev.Entry, ev.Call = i, id
		if a.tool == toolSend {
			if ev.Kind == session.Accepted && strings.Contains(ev.Child, ":subagent:") {
				ev.Kind = session.Activity
			} else {
				s.Events = append(s.Events, spawnEvent(a.entry, id, a.args))
			}
		}
		s.Events = append(s.Events, ev)
		return
	}
	for _, child := range killed(a.tool, a.args, f.details, text) {
		s.Events = append(s.Events, session.Event{Kind: session.Killed, Entry: i, Call: id, Child: child,
			Outcome: session.OutcomeKilled, Runtime: -1, Tokens: -1})
	}
	for _, name := range touched(a.tool, a.args, f.details, text) {
		s.Events = append(s.Events, session.Event{Kind: session.Touch, Entry: i, Call: id, Child: name, Runtime: -1, Tokens: -1})
	}
}
