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

// events adds what an entry says about sub-tasks. host is the text of a message
// of the program.
func (r *reader) events(i int32, host *parser, b *session.Builder) {
	s, m := b.S, &r.f.msg
	switch s.Entries[i].Kind {
	case session.Assistant:
		for _, c := range m.calls {
			r.called(i, c, b)
		}
	case session.Result:
		r.resultEvents(i, b)
	case session.HostEvent:
		var all []session.Event
		if host != nil { // a custom message announces nothing
			all = completions(host, m.prov)
		}
		for _, ev := range all {
			ev.Entry = i
			b.AddEvent(ev)
		}
		if len(all) == 0 && m.prov.Kind == "inter_session" && m.prov.SourceSessionKey != "" && !announceTool(m.prov.SourceTool) {
			b.AddEvent(session.Event{Kind: session.Activity, Entry: i, Child: m.prov.SourceSessionKey, Runtime: -1, Tokens: -1})
		}
	}
}

// called notes a call of a delegation tool until its result comes.
func (r *reader) called(i int32, c call, b *session.Builder) {
	tool := r.tool(c.name)
	switch {
	case tool.starts:
		spawn := spawnEvent(i, string(c.id), c.args)
		// A message to a session that exists is known by its result: a
		// sub-task of its own, or more work for a child.
		if tool.name == toolSend {
			spawn.Label, spawn.Task = strings.Clone(spawn.Label), strings.Clone(spawn.Task)
			r.ask(asked{call: spawn.Call, tool: tool.name, spawn: &spawn})
			return
		}
		r.ask(asked{call: spawn.Call, tool: tool.name})
		b.AddEvent(spawn)
	case tool.steers:
		r.ask(asked{call: string(c.id), tool: tool.name, args: bytes.Clone(c.args)})
	}
}

// tool is what the reader has to know of a tool.
type tool struct {
	name           string
	op             session.Op
	starts, steers bool // a sub-task
}

// tool looks a name up, in a few that were seen last if it is there: a log has
// many calls and few tools.
func (r *reader) tool(name []byte) *tool {
	if len(name) == 0 {
		return &tool{}
	}
	t := &r.tools[(len(name)+int(name[0])+int(name[len(name)-1]))%len(r.tools)]
	if t.name != string(name) {
		*t = tool{name: string(name), op: opOf(string(name)), steers: steering[string(name)]}
		if t.starts, _ = r.delegates(t.name); t.starts {
			t.op = session.OpDelegate
		}
	}
	return t
}

// ask keeps a call whose result is of interest.
func (r *reader) ask(a asked) {
	r.askedByID[a.call] = int32(len(r.asked))
	r.asked = append(r.asked, a)
	word, bit := askedBit([]byte(a.call))
	r.maybeAsked[word] |= bit
}

// answered finds the call of a result. Most results are of other calls, which
// the bits rule out: the map of a long log is not in the processor's cache.
func (r *reader) answered(id []byte) (asked, bool) {
	if word, bit := askedBit(id); r.maybeAsked[word]&bit == 0 {
		return asked{}, false
	}
	n, ok := r.askedByID[string(id)]
	if !ok {
		return asked{}, false
	}
	return r.asked[n], true
}

// askedWords is the size of the set of bits, 32 KB: few of them are set by
// chance even in a log of a gigabyte.
const askedWords = 1 << 12

// askedBit is the bit that stands for the id of a call. Ids differ at their end.
func askedBit(id []byte) (word int, bit uint64) {
	var hash uint64
	for _, b := range id[max(0, len(id)-8):] {
		hash = hash<<8 | uint64(b)
	}
	hash *= 0x9E3779B97F4A7C15 // 2^64 over the golden ratio spreads them over the highest bits
	return int(hash >> 52), 1 << (hash >> 46 & 63)
}

// spawnEvent is what a call asks for. Its label and its task are parts of args.
func spawnEvent(i int32, call string, args []byte) session.Event {
	label, task := spawnArgs(args)
	return session.Event{Kind: session.Spawn, Entry: i, Call: call, Label: label, Task: task, Runtime: -1, Tokens: -1}
}

// resultEvents reads the result of a delegation tool's call.
func (r *reader) resultEvents(i int32, b *session.Builder) {
	m := &r.f.msg
	a, ok := r.answered(m.toolCallID)
	if !ok {
		return
	}
	id, text := a.call, r.decode(m.texts)
	if starts, extra := r.delegates(a.tool); starts {
		ev := receipt(a.tool, m.details, text, m.failed, extra)
		ev.Entry, ev.Call = i, id
		if a.tool == toolSend {
			if ev.Kind == session.Accepted && strings.Contains(ev.Child, ":subagent:") {
				ev.Kind = session.Activity
			} else {
				b.AddEvent(*a.spawn)
			}
		}
		b.AddEvent(ev)
		return
	}
	touched, killed, goesOn := steered(a.tool, a.args, m.details, text)
	for _, child := range killed {
		b.AddEvent(session.Event{Kind: session.Killed, Entry: i, Call: id, Child: child,
			Outcome: session.OutcomeKilled, Runtime: -1, Tokens: -1})
	}
	kind := session.Touch
	if goesOn {
		kind = session.Activity
	}
	for _, name := range touched {
		b.AddEvent(session.Event{Kind: kind, Entry: i, Call: id, Child: name, Runtime: -1, Tokens: -1})
	}
}
