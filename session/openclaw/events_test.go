package openclaw

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"sessc/session"
)

var eventNames = map[session.EventKind]string{
	session.Spawn: "spawn", session.Accepted: "accepted", session.SpawnError: "error", session.Inline: "inline", session.Completion: "completion",
	session.Touch: "touch", session.Activity: "activity", session.Killed: "killed", session.Unclear: "unclear",
}

// TestEvents reads what lines say about sub-tasks, and nothing from lines that
// only look as if they said it.
func TestEvents(t *testing.T) {
	send := func(id string) o {
		return callOf(id, toolSend, o{"sessionKey": "agent:x:main", "message": "do it"})
	}
	rows := []struct {
		name string
		log  func(l *logFile)
		want string // kind@entry:call:child
	}{
		{"a task", func(l *logFile) {
			l.agent("a1", "", 0, spawnCall("c1")).accepted("r1", "c1").completion("e1", "c1", report)
		}, "spawn@a1:c1: accepted@r1:c1:agent:main:subagent:c1 completion@e1::agent:main:subagent:c1"},
		{"a call of another tool", func(l *logFile) {
			l.agent("a1", "", 0, callOf("c1", "read", o{"task": "x"})).result("r1", "c1", "read", `{"status":"accepted","childSessionKey":"k"}`)
		}, ""},
		{"a result whose call is of another tool", func(l *logFile) {
			l.agent("a1", "", 0, callOf("c1", "read", nil)).accepted("r1", "c1")
		}, ""},
		{"a message that is answered", func(l *logFile) {
			l.agent("a1", "", 0, send("c1")).result("r1", "c1", toolSend, `{"status":"ok","reply":"done","sessionKey":"agent:x:main"}`)
		}, "spawn@a1:c1: inline@r1:c1:agent:x:main"},
		{"a message that is taken by a child", func(l *logFile) {
			l.agent("a1", "", 0, send("c1")).result("r1", "c1", toolSend, `{"status":"accepted","sessionKey":"agent:main:subagent:7"}`)
		}, "activity@r1:c1:agent:main:subagent:7"},
		{"a message without a result", func(l *logFile) { l.agent("a1", "", 0, send("c1")) }, ""},
		{"a call that names a child", func(l *logFile) {
			l.agent("a1", "", 0, callOf("c1", "sessions_history", o{"sessionKey": "agent:main:subagent:7"})).result("r1", "c1", "sessions_history", "{}")
		}, "touch@r1:c1:agent:main:subagent:7"},
		{"a kill", func(l *logFile) {
			l.agent("a1", "", 0, callOf("c1", "subagents", o{"action": "kill", "target": "x"})).
				result("r1", "c1", "subagents", `{"status":"ok","action":"kill","target":"x","sessionKey":"agent:main:subagent:7"}`)
		}, "killed@r1:c1:agent:main:subagent:7 touch@r1:c1:agent:main:subagent:7"},
		{"a message from a child", func(l *logFile) {
			l.message("e1", o{"role": "user", "content": "half way", "provenance": o{"kind": "inter_session", "sourceSessionKey": "agent:main:subagent:7", "sourceTool": "sessions_send"}})
		}, "activity@e1::agent:main:subagent:7"},
		{"a completion in the assistant's own words", func(l *logFile) {
			l.agent("a1", noticeC+blockC("subagent task", childA, "x", "completed successfully", report), 0)
		}, ""},
		{"a completion in a tool's output", func(l *logFile) {
			l.agent("a1", "", 0, callOf("c1", "read", nil)).result("r1", "c1", "read", noticeC+blockC("subagent task", childA, "x", "completed successfully", report))
		}, ""},
		{"a completion in a custom message", func(l *logFile) {
			l.add("custom_message", "e1", o{"content": noticeC + blockC("subagent task", childA, "x", "completed successfully", report)})
		}, ""},
		{"a mask of ours", func(l *logFile) {
			l.add("message", "a1", o{"sessc": o{"v": 1, "ref": "r", "gen": 1}, "message": o{"role": "assistant", "content": []o{spawnCall("c1")}}}).accepted("r1", "c1")
		}, ""},
		{"the same call id again", func(l *logFile) {
			l.agent("a1", "", 0, spawnCall("c1")).accepted("r1", "c1").agent("a2", "", 0, spawnCall("c1")).accepted("r2", "c1")
		}, "spawn@a1:c1: accepted@r1:c1:agent:main:subagent:c1 spawn@a2:c1: accepted@r2:c1:agent:main:subagent:c1"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			l := newLog(t)
			r.log(l)
			s := l.index()
			var got []string
			for _, ev := range s.Events {
				got = append(got, fmt.Sprintf("%s@%s:%s:%s", eventNames[ev.Kind], s.IDOf(ev.Entry), ev.Call, ev.Child))
			}
			if strings.Join(got, " ") != r.want {
				t.Errorf("events %q, want %q", strings.Join(got, " "), r.want)
			}
		})
	}
}

// TestExtraTools takes a tool that the user named for a spawn with an inline
// result, and leaves it alone otherwise.
func TestExtraTools(t *testing.T) {
	log := newLog(t).agent("a1", "", 0, callOf("c1", "delegate_task", o{"task": "x"})).result("r1", "c1", "delegate_task", "The answer is 42.").bytes()
	if s := indexed(t, log); len(s.Events) != 0 || s.Calls[0].Op != session.OpOther {
		t.Errorf("without the name: %+v", s.Events)
	}
	s, err := session.Index(bytes.NewReader(log), int64(len(log)), "x.jsonl", Format{}, session.Settings{SpawnTools: []string{"delegate_task"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Events) != 2 || s.Events[0].Kind != session.Spawn || s.Events[1].Kind != session.Inline || s.Calls[0].Op != session.OpDelegate {
		t.Errorf("with the name: %+v", s.Events)
	}
}
