package openclaw

import (
	"slices"
	"strings"
	"testing"

	"sessc/session"
)

func TestReceipt(t *testing.T) {
	const accepted = `{"status":"accepted","childSessionKey":"` + childA + `","runId":"r1","mode":"run"}`
	rows := []struct {
		name, tool, details, text string
		isError, extra            bool
		want                      session.Event
		report                    string
	}{
		{name: "accepted", tool: toolSpawn, details: accepted, text: "ignored", want: session.Event{Kind: session.Accepted, Child: childA, Run: "r1"}},
		{name: "accepted, text only", tool: toolSpawn, text: accepted, want: session.Event{Kind: session.Accepted, Child: childA, Run: "r1"}},
		{name: "accepted, empty details", tool: toolSpawn, details: "{}", text: accepted, want: session.Event{Kind: session.Accepted, Child: childA, Run: "r1"}},
		{name: "forbidden without the flag", tool: toolSpawn, details: `{"status":"forbidden","error":"agentId is not\nallowed"}`,
			want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "agentId is not\nallowed"}},
		{name: "error without a reason", tool: toolSpawn, text: `{"status":"error"}`, want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "error"}},
		{name: "late failure keeps the child", tool: toolSpawn, details: `{"status":"error","error":"timeout","childSessionKey":"` + childA + `","runId":"r1"}`,
			want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "timeout", Child: childA, Run: "r1"}},
		{name: "validation error", tool: toolSpawn, text: "Validation failed for tool \"sessions_spawn\":\n  - task: required", isError: true,
			want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "Validation failed for tool \"sessions_spawn\":\n  - task: required"}},
		{name: "wrapped exception", tool: toolSpawn, details: `{"status":"error","tool":"sessions_spawn","error":"task required"}`, text: "x", isError: true,
			want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "task required"}},
		{name: "missing result by text", tool: toolSpawn, text: "[openclaw] missing tool result in session history; inserted synthetic error result", isError: true, want: session.Event{Kind: session.Unclear}},
		{name: "missing result by details", tool: toolSpawn, details: `{"openclawSyntheticMissingToolResult":true}`, text: "x", isError: true, want: session.Event{Kind: session.Unclear}},
		{name: "aborted", tool: toolSpawn, text: "aborted", isError: true, want: session.Event{Kind: session.Unclear}},
		{name: "operation aborted", tool: toolSend, text: "Operation aborted.", isError: true, want: session.Event{Kind: session.Unclear}},
		{name: "nothing at all", tool: toolSpawn, isError: true, want: session.Event{Kind: session.Unclear}},
		{name: "unknown status", tool: toolSpawn, details: `{"status":"queued"}`, want: session.Event{Kind: session.Unclear}},
		{name: "prose", tool: toolSpawn, text: "spawned, I think", want: session.Event{Kind: session.Unclear}},
		{name: "broken JSON", tool: toolSpawn, text: `{"status":"accepted","childSessionKey":"`, want: session.Event{Kind: session.Unclear}},
		{name: "a spawn has no inline result", tool: toolSpawn, details: `{"status":"ok","reply":"x"}`, want: session.Event{Kind: session.Unclear}},

		{name: "send, replied", tool: toolSend, text: `{"runId":"r2","status":"ok","reply":"say \"hi\"\nnow","sessionKey":"agent:x:main"}`,
			want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "agent:x:main", Run: "r2"}, report: "say \"hi\"\nnow"},
		{name: "send, accepted", tool: toolSend, text: `{"runId":"r2","status":"accepted","sessionKey":"agent:x:main"}`, want: session.Event{Kind: session.Accepted, Child: "agent:x:main", Run: "r2"}},
		{name: "send, timed out", tool: toolSend, details: `{"runId":"r2","status":"timeout","error":"no answer","sessionKey":"agent:x:main"}`,
			want: session.Event{Kind: session.Inline, Outcome: session.OutcomeTimedOut, Error: "no answer", Child: "agent:x:main", Run: "r2"}},
		{name: "send, forbidden", tool: toolSend, details: `{"runId":"r2","status":"forbidden","error":"no"}`, want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "no", Run: "r2"}},

		{name: "extra", tool: "delegate_task", text: " The answer is 42.\n", extra: true, want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK}, report: "The answer is 42."},
		{name: "extra, failed", tool: "delegate_task", text: "no\nworker", isError: true, extra: true,
			want: session.Event{Kind: session.Inline, Outcome: session.OutcomeFailed, Error: "no\nworker"}, report: "no\nworker"},
		{name: "extra, aborted", tool: "delegate_task", text: "aborted", isError: true, extra: true, want: session.Event{Kind: session.Unclear}},
		{name: "extra, JSON answer", tool: "delegate_task", text: `"{}"`, extra: true, want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK}, report: `"{}"`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := receipt(r.tool, []byte(r.details), []byte(r.text), r.isError, r.extra)
			if s := reportText(r.text, got); s != r.report {
				t.Errorf("report %q, want %q", s, r.report)
			}
			r.want.Runtime, r.want.Tokens, r.want.Report = -1, -1, got.Report
			if got != r.want {
				t.Errorf("\n got %+v\nwant %+v", got, r.want)
			}
		})
	}
}

func TestSpawnArgs(t *testing.T) {
	rows := []struct{ name, args, label, task string }{
		{"spawn", `{"task":"Add a \"timer\"","label":"timer","agentId":"dev"}`, "timer", `Add a "timer"`},
		{"task name", `{"task":"x","taskName":"t1"}`, "t1", "x"},
		{"send", `{"sessionKey":"agent:x:main","message":"hello"}`, "", "hello"},
		{"extension", `{"prompt":"go","subagent_type":"coder"}`, "", "go"},
		{"wrapped in a string", `"{\"task\":\"x\"}"`, "", "x"},
		{"not strings", `{"task":7,"label":null}`, "", ""},
		{"broken", `{"task":"x`, "", ""},
		{"none", ``, "", ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			label, task := spawnArgs([]byte(r.args))
			if label != r.label || task != r.task {
				t.Errorf("got %q, %q", label, task)
			}
		})
	}
	if _, task := spawnArgs([]byte(`{"task":"` + strings.Repeat("é", 300) + `"}`)); task != strings.Repeat("é", 200) {
		t.Errorf("task is cut to %d bytes", len(task))
	}
}

func TestTouchedAndKilled(t *testing.T) {
	rows := []struct {
		name, tool, args, details string
		touched, killed           []string
	}{
		{"list", "subagents", `{"action":"list"}`, `{"status":"ok","action":"list","requesterSessionKey":"agent:main:main","active":[{"index":1,"runId":"r1","sessionKey":"a:1"}],"recent":[{"runId":"r2","label":"two"},{"sessionKey":"a:1"}]}`,
			[]string{"a:1", "r2"}, nil},
		{"empty list", "subagents", `{}`, `{"status":"ok","active":[],"recent":[]}`, nil, nil},
		{"kill", "subagents", `{"action":"kill","target":"1"}`, `{"status":"ok","action":"kill","target":"1","runId":"r1","sessionKey":"a:1","label":"one","text":"killed one."}`, []string{"a:1"}, []string{"a:1"}},
		{"kill with children", "subagents", `{"action":"kill","target":"one"}`, `{"status":"ok","action":"kill","runId":"r1","sessionKey":"a:1","text":"killed one (+ 2 descendants)."}`, []string{"a:1"}, []string{"a:1"}},
		{"kill of its children only", "subagents", `{"action":"kill","target":"one"}`, `{"status":"ok","action":"kill","runId":"r1","sessionKey":"a:1","text":"killed 2 descendants of one."}`, []string{"a:1"}, nil},
		{"kill of a finished one", "subagents", `{"action":"kill","target":"one"}`, `{"status":"done","action":"kill","runId":"r1","sessionKey":"a:1","text":"one is already finished."}`, []string{"a:1"}, nil},
		{"kill of nobody", "subagents", `{"action":"kill","target":"one"}`, `{"status":"error","action":"kill","target":"one","error":"Unknown subagent target."}`, []string{"one"}, nil},
		{"kill all", "subagents", `{"action":"kill","target":"all"}`, `{"status":"ok","action":"kill","target":"all","killed":2,"labels":["one","two"]}`, []string{"one", "two"}, []string{"one", "two"}},
		{"kill all of none", "subagents", `{"action":"kill","target":"all"}`, `{"status":"ok","action":"kill","target":"all","killed":0,"labels":[]}`, nil, nil},
		{"kill without a result", "subagents", `{"action":"kill","target":"one"}`, ``, []string{"one"}, nil},
		{"cancel", "subagents", `{"action":"cancel","runId":"r1"}`, `{"found":true,"killed":true,"runId":"r1","sessionKey":"a:1","action":"cancel"}`, []string{"a:1"}, []string{"a:1"}},
		{"cancel refused", "subagents", `{"action":"cancel","runId":"r1"}`, `{"found":true,"killed":false,"runId":"r1","action":"cancel"}`, []string{"r1"}, nil},
		{"steer", "subagents", `{"action":"steer","target":"last","message":"x"}`, `{"status":"accepted","action":"steer","runId":"r9","sessionKey":"a:1"}`, []string{"a:1"}, nil},
		{"steer of a finished one", "subagents", `{"action":"steer","target":"a:1","message":"x"}`, `{"status":"done","action":"steer","runId":"r9","sessionKey":"a:1"}`, []string{"a:1"}, nil},
		{"wait by run", "subagents", `{"action":"wait","runIds":["r1","r2"]}`, `{"status":"ok","action":"wait","runs":[{"runId":"r1","sessionKey":"a:1"}]}`, []string{"a:1", "r2"}, nil},
		{"history", "sessions_history", `{"sessionKey":"a:1","limit":5}`, `{"sessionKey":"a:1","messages":[]}`, []string{"a:1"}, nil},
		{"history refused", "sessions_history", `{"sessionKey":"a:1"}`, `{"status":"forbidden","error":"x"}`, []string{"a:1"}, nil},
		{"sessions", "sessions_list", `{}`, `{"count":2,"sessions":[{"key":"a:1","sessionId":"s"},{"key":"a:2"}]}`, []string{"a:1", "a:2"}, nil},
		{"status", "session_status", `{"sessionKey":"a:1"}`, `{"ok":true,"sessionKey":"a:1"}`, []string{"a:1"}, nil},
		{"collector", "agents_wait", `{"ids":["r1","r2"]}`, `{"completed":[{"runId":"r1","sessionKey":"a:1","status":"done"}],"pending":["r2"]}`, []string{"a:1", "r2"}, nil},
		{"yield", "sessions_yield", `{}`, `{"status":"yielded","message":"Turn yielded."}`, nil, nil},
		{"another tool that kills", "process", `{"action":"kill","sessionId":"x"}`, `{"status":"ok","action":"kill"}`, nil, nil},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			for from, result := range map[string][2]string{"details": {r.details, ""}, "text": {"", r.details}} {
				touched, killed, goesOn := steered(r.tool, []byte(r.args), []byte(result[0]), []byte(result[1]))
				if !slices.Equal(touched, r.touched) || !slices.Equal(killed, r.killed) || goesOn != (r.name == "steer") {
					t.Errorf("by %s: touched %q and killed %q, goes on: %v, want %q and %q", from, touched, killed, goesOn, r.touched, r.killed)
				}
			}
		})
	}
}
