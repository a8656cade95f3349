package claudecode

import (
	"fmt"
	"strings"
	"testing"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/session"
)

// asks is a log with one call of an agent tool, "t1" in the line "a1".
func asks(tool string, input more) *script {
	return (&script{}).user("u1", "", "go").call("a1", "u1", "m1", "t1", tool, input)
}

var scanTask = more{"description": "scan deps", "prompt": "Read every manifest and list what is old.", "subagent_type": "Explore"}

func launched(agent string) more {
	return more{"toolUseResult": more{"isAsync": true, "status": "async_launched", "agentId": agent, "prompt": "…", "outputFile": "/tmp/" + agent + ".output"}}
}

func launchText(agent string) []more {
	return []more{{"type": "text", "text": asyncHead + "\nagentId: " + agent + " (internal)\noutput_file: /tmp/" + agent + ".output"}}
}

func completed(agent, report string) more {
	return more{"toolUseResult": more{"status": "completed", "agentId": agent, "prompt": "…", "content": []more{{"type": "text", "text": report}}, "totalDurationMs": 1900, "totalTokens": 15}}
}

// told is a notification that the idle client wrote as a user's line.
func (l *script) told(id, parent, notice string) *script {
	return l.user(id, parent, notice, more{"origin": more{"kind": "task-notification"}, "promptSource": "system"})
}

// absorbed is one that the busy client wrote as an attachment.
func (l *script) absorbed(id, parent, notice string) *script {
	o := envelopeOf("attachment", id, parent)
	o["attachment"] = more{"type": "queued_command", "prompt": notice, "commandMode": "task-notification", "origin": more{"kind": "task-notification"}}
	framed := []more{{"content": "<system-reminder>\nbe brief\n</system-reminder>"}, {"content": "<system-reminder>\n[SYSTEM NOTIFICATION]\n\n" + notice + "\n</system-reminder>"}}
	o["rendered"], o["renderedInHumanTurn"] = framed, framed
	return l.rec(o, nil)
}

func (l *script) queued(notice string) *script {
	return l.rec(more{"type": "queue-operation", "operation": "enqueue", "sessionId": sessionID, "content": notice}, nil)
}

// TestLifecycles checks what the scanner makes of the events: a line for each
// lifecycle with its key, state, child, the lines that make it up, the tokens
// and, where the state needs one, the reason.
func TestLifecycles(t *testing.T) {
	done := noticeOf("g1", "t1", "completed", "All 3 found.")
	background := func() *script {
		return asks("Agent", scanTask).result("r1", "a1", "t1", launchText("g1"), launched("g1")).text("b1", "r1", "m2", "waiting")
	}
	rows := []struct {
		name string
		log  *script
		want string
	}{
		{"at once", asks("Task", scanTask).result("r1", "a1", "t1", []more{{"type": "text", "text": "ok"}}, completed("g1", "All 3 found.")), "t1 done g1 [a1 r1] 15"},
		{"at once, in the background by its arguments", asks("Agent", more{"description": "x", "prompt": "y", "run_in_background": true}).result("r1", "a1", "t1", "ok", completed("g1", "All 3.")), "t1 done g1 [a1 r1] 15"},
		{"launched and open", background(), "t1 running g1 [a1 r1] -1"},
		{"told as a user's line", background().told("n1", "b1", done), "t1 done g1 [a1 n1 r1] 15"},
		{"told in an attachment", background().absorbed("n1", "b1", done), "t1 done g1 [a1 n1 r1] 15"},
		{"told in the queue only", background().queued(done), "t1 running g1 [a1 r1] -1"},
		{"told in all three places", background().queued(done).absorbed("n1", "b1", done).queued(done).told("n2", "n1", done), "t1 done g1 [a1 n1 n2 r1] 15"},
		{"told without the call's id", background().told("n1", "b1", noticeOf("g1", "", "completed", "All 3.")), "t1 done g1 [a1 n1 r1] 15"},
		{"told by old versions", background().user("n1", "b1", noticeOf("g1", "", "completed", "All 3.")+"\nFull transcript available at: /tmp/x.output"), "t1 done g1 [a1 n1 r1] 15"},
		{"told to have failed", background().told("n1", "b1", noticeOf("g1", "t1", "failed", "")), `t1 failed g1 [a1 n1 r1] -1 (Agent "scan" failed)`},
		{"told that it runs", background().told("n1", "b1", noticeOf("g1", "t1", "running", "")), "t1 running g1 [a1 r1] -1"},
		{"told with nothing said", background().told("n1", "b1", noticeOf("g1", "t1", "completed", "")), "t1 suspect g1 [a1 n1 r1] -1 (no result)"},
		{"told with words that quote another notice", background().told("n1", "b1", noticeOf("g1", "t1", "completed", "The log says: "+noticeOf("zz", "t9", "failed", "3 of 4"))), "t1 done g1 [a1 n1 r1] 15"},
		{"told by old versions with words that quote another notice", background().user("n1", "b1", noticeOf("g1", "", "completed", "It says: "+noticeOf("zz", "", "failed", "3 of 4"))),
			"t1 suspect g1 [a1 n1 r1] -1 (its text quotes another notification)"},
		{"typed with the source of a prompt", background().user("n1", "b1", done, more{"promptSource": "typed"}), "t1 running g1 [a1 r1] -1"},
		{"typed by a person", background().user("n1", "b1", done, more{"origin": more{"kind": "human"}}), "t1 running g1 [a1 r1] -1"},
		{"quoted in a result", background().bash("a2", "b1", "m3", "t2").result("r2", "a2", "t2", done), "t1 running g1 [a1 r1] -1"},
		{"told of another task", background().told("n1", "b1", noticeOf("zz", "t9", "completed", "x = 1")), "t1 running g1 [a1 r1] -1"},
		{"told by a sub-agent's line", background().user("n1", "b1", done, more{"isSidechain": true, "origin": more{"kind": "task-notification"}}), "t1 running g1 [a1 r1] -1"},
		{"stopped", background().call("a2", "b1", "m3", "t2", "TaskStop", more{"task_id": "g1"}).
			result("r2", "a2", "t2", `{"message":"Successfully stopped","task_id":"g1","task_type":"local_agent"}`, more{"toolUseResult": more{"message": "Successfully stopped", "task_id": "g1", "task_type": "local_agent"}}).
			told("n1", "r2", noticeOf("g1", "t1", "killed", "")), "t1 killed g1 [a1 n1 r1 r2] -1"},
		{"stopping failed", background().call("a2", "b1", "m3", "t2", "TaskStop", more{"task_id": "g1"}).fail("r2", "a2", "t2", "No such task"), "t1 running g1 [a1 r1] -1"},
		{"stopping a shell", background().call("a2", "b1", "m3", "t2", "TaskStop", more{"task_id": "sh1"}).result("r2", "a2", "t2", `{"task_id":"sh1","task_type":"local_bash"}`), "t1 running g1 [a1 r1] -1"},
		{"pulled", background().call("a2", "b1", "m3", "t2", "TaskOutput", more{"task_id": "g1", "block": true}).
			result("r2", "a2", "t2", "<retrieval_status>success</retrieval_status>\n\n<task_id>g1</task_id>\n\n<task_type>local_agent</task_type>\n\n<status>completed</status>\n\n<output>\nAll 3 found.\n</output>"), "t1 done g1 [a1 r1 r2] -1"},
		{"pulled by old versions", background().call("a2", "b1", "m3", "t2", "AgentOutputTool", more{"agentId": "g1"}).
			result("r2", "a2", "t2", "All 3 found.", more{"toolUseResult": more{"retrieval_status": "success", "task": more{"task_id": "g1", "status": "completed"}}}), "t1 done g1 [a1 r1 r2] -1"},
		{"pulled while it runs", background().call("a2", "b1", "m3", "t2", "TaskOutput", more{"task_id": "g1"}).
			result("r2", "a2", "t2", "<retrieval_status>timeout</retrieval_status>\n<task_id>g1</task_id>\n<status>running</status>\n<output>\n<status>completed</status>\n</output>"), "t1 running g1 [a1 r1] -1"},
		{"asked again after its end", background().told("n1", "b1", done).
			call("a2", "n1", "m3", "t2", "SendMessage", more{"to": "g1", "summary": "go on", "message": "Check the lock files too."}).
			result("r2", "a2", "t2", `{"success":true,"resumedAgentId":"g1"}`, more{"toolUseResult": more{"success": true, "resumedAgentId": "g1"}}).
			text("b2", "r2", "m4", "waiting").absorbed("n2", "b2", noticeOf("g1", "t2", "completed", "None of 3 is old.")),
			"t1 done g1 [a1 n1 r1] 15; t2 done g1 [a2 n2 r2] 15"},
		{"asked again and open", background().told("n1", "b1", done).call("a2", "n1", "m3", "t2", "SendMessage", more{"to": "g1", "message": "more"}).
			result("r2", "a2", "t2", `{"success":true,"resumedAgentId":"g1"}`), "t1 done g1 [a1 n1 r1] 15; t2 running g1 [a2 r2] -1"},
		{"a message to one that runs", background().call("a2", "b1", "m3", "t2", "SendMessage", more{"to": "g1", "message": "hurry"}).
			result("r2", "a2", "t2", `{"success":true,"message":"queued"}`).told("n1", "r2", done), "t1 done g1 [a1 n1 r1] 15"},
		{"a message that reached it after its end", background().told("n1", "b1", done).call("a2", "n1", "m3", "t2", "SendMessage", more{"to": "g1", "message": "more"}).
			result("r2", "a2", "t2", `{"success":true,"message":"queued"}`), "t1 running g1 [a1 n1 r1] 15"},
		{"a message that failed", background().told("n1", "b1", done).call("a2", "n1", "m3", "t2", "SendMessage", more{"to": "g1", "message": "more"}).
			fail("r2", "a2", "t2", "no such agent"), "t1 done g1 [a1 n1 r1] 15"},
		{"refused", asks("Agent", scanTask).fail("r1", "a1", "t1", "The user doesn't want to proceed with this tool use.", more{"toolUseResult": "User rejected tool use", "toolDenialKind": "user-rejected"}).
			user("u2", "r1", "[Request interrupted by user for tool use]"), "t1 unknown  [a1 r1] -1 (refused or interrupted by the user)"},
		{"the client was killed", asks("Agent", scanTask), "t1 unknown  [a1] -1 (its spawn has no result)"},
		{"bad type", asks("Agent", scanTask).fail("r1", "a1", "t1", "Agent type 'x' not found. Available agents: y"), "t1 spawn failed  [a1 r1] -1 (Agent type 'x' not found. Available agents: y)"},
		{"died", asks("Agent", scanTask).fail("r1", "a1", "t1", "Agent terminated early due to an API error: 500"), "t1 failed  [a1 r1] -1 (Agent terminated early due to an API error: 500)"},
		{"a workflow", asks("Workflow", more{"script": "x"}).result("r1", "a1", "t1", "started", more{"toolUseResult": more{"status": "async_launched", "taskId": "w1", "runId": "x"}}).
			told("n1", "r1", noticeOf("w1", "t1", "completed", "x = 1")), "t1 unknown  [a1 r1] -1 (runs of a workflow are not understood)"},
		{"remote", asks("Agent", scanTask).result("r1", "a1", "t1", "started", more{"toolUseResult": more{"status": "remote_launched", "taskId": "w1"}}).
			told("n1", "r1", noticeOf("w1", "t1", "completed", "x = 1")), "t1 unknown  [a1 r1] -1 (its launch is of a kind that is not understood: remote_launched)"},
		{"a shell in the background", (&script{}).user("u1", "", "go").bash("a1", "u1", "m1", "t1").
			result("r1", "a1", "t1", "Command running in background with ID: sh1", more{"toolUseResult": more{"backgroundTaskId": "sh1"}}).told("n1", "r1", noticeOf("sh1", "t1", "completed", "")), ""},
		{"to-do lists", asks("TaskCreate", more{"subject": "x"}).result("r1", "a1", "t1", "ok"), ""},
		{"parallel", (&script{}).user("u1", "", "go").call("a1", "u1", "m1", "t1", "Agent", scanTask).call("a2", "a1", "m1", "t2", "Agent", scanTask).
			result("r2", "a2", "t2", "x", completed("g2", "only 2")).result("r1", "a1", "t1", "x", completed("g1", "only 1")), "t1 done g1 [a1 r1] 15; t2 done g2 [a2 r2] 15"},
		{"all results in one line", (&script{}).user("u1", "", "go").call("a1", "u1", "m1", "t1", "Agent", scanTask).call("a2", "a1", "m1", "t2", "Agent", scanTask).
			user("r1", "a2", []more{{"type": "tool_result", "tool_use_id": "t1", "content": "only 1\nagentId: g1"}, {"type": "tool_result", "tool_use_id": "t2", "content": "only 2\nagentId: g2"}}),
			"t1 done g1 [a1 r1] -1; t2 done g2 [a2 r1] -1"},
		{"one call id twice", asks("Agent", scanTask).result("r1", "a1", "t1", "x", completed("g1", "only 1")).call("a2", "r1", "m2", "t1", "Agent", scanTask).
			result("r2", "a2", "t1", "x", completed("g2", "only 2")), "t1 done g1 [a1 r1] 15; t1 done g2 [a2 r2] 15"},
		{"answered on an abandoned branch too", asks("Agent", scanTask).fail("r0", "a1", "t1", "Agent type 'x' not found").text("b0", "r0", "m8", "hm").
			result("r1", "a1", "t1", "ok", completed("g1", "All 3 found.")).text("b1", "r1", "m9", "end"), "t1 done g1 [a1 r1] 15"},
		{"before a compaction", background().told("n1", "b1", done).system("c1", "", "compact_boundary", more{"logicalParentUuid": "n1"}).user("c2", "c1", "summary", more{"isCompactSummary": true}),
			"t1 done g1 [a1 n1 r1] 15"},
		{"before a compaction that names nothing", background().told("n1", "b1", done).system("c1", "", "compact_boundary").user("c2", "c1", "summary", more{"isCompactSummary": true}),
			"t1 done g1 [a1 n1 r1] 15"},
		{"masked before", asks("Agent", scanTask).rewriteLast(more{"sessc": more{"v": 1, "ref": "aa", "gen": 1}}).result("r1", "a1", "t1", "x", completed("g1", "only 1"), more{"sessc": more{"v": 1, "ref": "aa", "gen": 1}}), ""},
		{"a tool that the user named", asks("delegate", more{"task": "x"}).result("r1", "a1", "t1", "The answer."), "t1 done  [a1 r1] -1"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			set := session.Settings{SpawnTools: []string{"delegate"}}
			log := r.log.bytes()
			s, err := session.Index(strings.NewReader(string(log)), int64(len(log)), sessionID+".jsonl", Format{}, set)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(s); got != r.want {
				t.Errorf("%s\nwant %s", got, r.want)
			}
		})
	}
}

// rewriteLast adds members to the last line.
func (l *script) rewriteLast(m more) *script {
	last := l.lines[len(l.lines)-1]
	for k, v := range m {
		last = strings.TrimSuffix(last, "}") + fmt.Sprintf(",%q:%s}", k, jsonOf(v))
	}
	l.lines[len(l.lines)-1] = last
	return l
}

func describe(s *session.Session) string {
	var all []string
	for _, l := range scan.Find(s) {
		d := fmt.Sprintf("%s %s %s [%s] %d", l.Key, l.State, l.Child, idsOf(s, byID(s, l.Entries())), l.Spent)
		if l.Why != "" && l.State != lifecycle.Running {
			d += " (" + l.Why + ")"
		}
		all = append(all, d)
	}
	return strings.Join(all, "; ")
}
