package main

import "testing"

// A log of Claude Code with one agent at once and one in the background. Counted by hand:
//
//	a1  url https://x.example/t/1, file a/export.go (arguments)
//	r1  file a/export.go again, id 4f2a9c1, error "Error: boom at line 3" (report); the agent's id is in no count
//	n1  keyvalue retries=3 (report); nothing of the frame
var claudeOriginal = []string{
	`{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/w","message":{"role":"user","content":"Please fix it."}}`,
	`{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Agent","input":{"description":"fix","prompt":"Fix a/export.go, see https://x.example/t/1."}}]}}`,
	`{"type":"assistant","uuid":"a2","parentUuid":"a1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"c2","name":"Agent","input":{"description":"count","prompt":"Count."}}]}}`,
	`{"type":"user","uuid":"r1","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"[Subagent hand-back] Here:\n  Fixed a/export.go; commit 4f2a9c1.\n  Error: boom at line 3\nagentId: abcdef0123456789f (later)\n<usage>subagent_tokens: 5\ntool_uses: 1\nduration_ms: 9</usage>"}]}]}}`,
	`{"type":"user","uuid":"r2","parentUuid":"a2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":"Async agent launched successfully.\nagentId: fedcba0123456789a"}]}}`,
	`{"type":"user","uuid":"n1","parentUuid":"r2","message":{"role":"user","content":"<task-notification>\n<task-id>fedcba0123456789a</task-id>\n<summary>x=1</summary>\n<result>It needs retries=3 at least.</result>\n</task-notification>"}}`,
	`{"type":"assistant","uuid":"a3","parentUuid":"n1","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Done."}]}}`,
	`{"type":"user","uuid":"s1","parentUuid":null,"isSidechain":true,"message":{"role":"user","content":"beside: b/other.go"}}`,
}

// The compressed log: visible are the file, the error and retries=3; the url and the commit are in the archive alone.
var claudeCompressed = []string{
	claudeOriginal[0],
	`{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Agent","input":{"description":"fix","prompt":"fix"}}]},"sessc":{"v":1}}`,
	claudeOriginal[2],
	`{"type":"user","uuid":"r1","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"task: fix\nfiles~: a/export.go\nerrors: \"Error: boom at line 3\""},{"type":"text","text":"agentId: abcdef0123456789f"}]}]},"sessc":{"v":1}}`,
	claudeOriginal[4],
	`{"type":"user","uuid":"n1","parentUuid":"r2","message":{"role":"user","content":"<task-notification>\n<task-id>fedcba0123456789a</task-id>\n<summary>x=1</summary>\n<result>task: count\nmust_remember: retries=3</result>\n</task-notification>"},"sessc":{"v":1}}`,
	claudeOriginal[6], claudeOriginal[7],
}

func TestClaudeHandCounted(t *testing.T) {
	before := logOf(claudeOriginal)
	for _, id := range []string{"u1", "a1", "a2", "r1", "r2", "n1", "a3"} {
		if !before.path[id] {
			t.Errorf("%s is not on the path", id)
		}
	}
	if before.path["s1"] {
		t.Error("a sub-agent's line is on the path")
	}
	res, err := measure(before, logOf(claudeCompressed), before, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := (tally{Facts: 5, Visible: 3, Recoverable: 2, Named: 2, Share: 0.6}); res.Total != want {
		t.Errorf("%+v, want %+v: %+v", res.Total, want, res.Facts)
	}
	if res.Removed != 3 || res.Masks != 3 {
		t.Errorf("%d entries changed, %d masks, want 3 and 3", res.Removed, res.Masks)
	}
}
