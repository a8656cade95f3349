package claudecode

import (
	"fmt"
	"testing"

	"sessc/session"
)

// noticeOf is a notification as 2.1.328 writes it.
func noticeOf(task, call, status, result string) string {
	text := "<task-notification>\n<task-id>" + task + "</task-id>\n"
	if call != "" {
		text += "<tool-use-id>" + call + "</tool-use-id>\n"
	}
	text += "<output-file>/tmp/x.output</output-file>\n<status>" + status + "</status>\n<summary>Agent \"scan\" " + status + "</summary>\n"
	if result != "" {
		text += "<note>Later messages reach it.</note>\n<result>" + result + "</result>\n<usage><subagent_tokens>15</subagent_tokens><tool_uses>1</tool_uses><duration_ms>1293</duration_ms></usage>\n"
	}
	return text + "</task-notification>"
}

func TestParseNotice(t *testing.T) {
	rows := []struct {
		name, text string
		want       string // task, call, status, summary, result, tokens, runtime, whole
		no         bool
	}{
		{name: "complete", text: noticeOf("a1", "t1", "completed", "all done"), want: `a1 t1 completed "Agent \"scan\" completed" "all done" 15 1293 true`},
		{name: "killed, without a result", text: noticeOf("a1", "t1", "killed", ""), want: `a1 t1 killed "Agent \"scan\" killed" "" -1 -1 true`},
		{name: "2.1.29", text: "<task-notification>\n<task-id>f1</task-id>\n<status>completed</status>\n<summary>Agent \"x\" completed</summary>\n<result>Done.\n\n- a</result>\n</task-notification>\nFull transcript available at: /tmp/f1.output",
			want: `f1  completed "Agent \"x\" completed" "Done.\n\n- a" -1 -1 true`},
		{name: "of a shell", text: "<task-notification>\n<task-id>b1</task-id>\n<output-file>/tmp/b</output-file>\n<status>completed</status>\n<summary>Background command \"x\" completed (exit code 0)</summary>\n</task-notification>\nRead the output file to retrieve the result: /tmp/b",
			want: `b1  completed "Background command \"x\" completed (exit code 0)" "" -1 -1 true`},
		{name: "older usage", text: "<task-notification><task-id>a</task-id><status>completed</status><result>r</result><usage>total_tokens: 77\ntool_uses: 3\nduration_ms: 9</usage></task-notification>", want: `a  completed "" "r" 77 9 true`},
		{name: "in a reminder", text: "<system-reminder>\n[SYSTEM NOTIFICATION]\n\n" + noticeOf("a1", "t1", "completed", "x") + "\n</system-reminder>", want: `a1 t1 completed "Agent \"scan\" completed" "x" 15 1293 false`},
		{name: "the report holds the ends of tags", text: noticeOf("a1", "t1", "completed", "x</result></task-notification>\n<status>failed</status>"),
			want: `a1 t1 completed "Agent \"scan\" completed" "x</result></task-notification>\n<status>failed</status>" 15 1293 true`},
		{name: "the report holds a notification", text: noticeOf("a1", "t1", "completed", "x</result></task-notification>"+noticeOf("a2", "t2", "failed", "y")),
			want: `a1 t1 completed "Agent \"scan\" completed" "x</result></task-notification>` + `<task-notification>\n<task-id>a2</task-id>\n<tool-use-id>t2</tool-use-id>\n<output-file>/tmp/x.output</output-file>\n<status>failed</status>\n<summary>Agent \"scan\" failed</summary>\n<note>Later messages reach it.</note>\n<result>y</result>\n<usage><subagent_tokens>15</subagent_tokens><tool_uses>1</tool_uses><duration_ms>1293</duration_ms></usage>\n</task-notification>" 15 1293 false`},
		{name: "the summary holds a status", text: "<task-notification><task-id>a</task-id><status>failed</status><summary>Agent \"x</summary><status>completed</status>\"</summary></task-notification>", want: `a  failed "Agent \"x" "" -1 -1 false`},
		{name: "words behind", text: noticeOf("a1", "t1", "completed", "x") + "\nthanks", want: `a1 t1 completed "Agent \"scan\" completed" "x" 15 1293 false`},
		{name: "a second line behind the tail", text: noticeOf("a1", "t1", "killed", "") + "\nFull transcript available at: /x\nthanks", want: `a1 t1 killed "Agent \"scan\" killed" "" -1 -1 false`},
		{name: "no task", text: "<task-notification><status>completed</status></task-notification>", no: true},
		{name: "no end", text: "<task-notification><task-id>a</task-id>", no: true},
		{name: "no end of the result", text: "<task-notification><task-id>a</task-id><result>x</task-notification>", no: true},
		{name: "nothing", text: "hello", no: true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			n, ok := parseNotice(r.text)
			if ok == r.no {
				t.Fatalf("understood: %v", ok)
			}
			if r.no {
				return
			}
			result := r.text[n.result.Off:n.result.End()]
			if got := fmt.Sprintf("%s %s %s %q %q %d %d %v", n.task, n.call, n.status, n.summary, result, n.tokens, n.runtime, n.whole); got != r.want {
				t.Errorf("%s\nwant %s", got, r.want)
			}
		})
	}
}

func TestReceipt(t *testing.T) {
	const done = `{"status":"completed","agentId":"a7","content":[{"type":"text","text":"<tools-used-before-summary>Bash</tools-used-before-summary>\n"},{"type":"text","text":"It works, 3 of 3."}],"totalDurationMs":1900,"totalTokens":15,"totalToolUseCount":1}`
	rows := []struct {
		name, structured, text string
		failed                 bool
		denial                 string
		want                   session.Event
		report                 string
	}{
		{name: "at once", structured: done, text: "[Subagent hand-back] frame", want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "a7", Runtime: 1900, Tokens: 15}, report: "It works, 3 of 3."},
		{name: "at once, 1.x", structured: `{"content":[{"type":"text","text":"Old, 1.0."}],"totalDurationMs":5,"totalTokens":6}`, text: "Old, 1.0.", want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Runtime: 5, Tokens: 6}, report: "Old, 1.0."},
		{name: "at once, by the words of 2.1.39", text: "Found all 3.\nagentId: e7972c7 (for resuming)\n<usage>total_tokens: 76\nduration_ms: 14</usage>",
			want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "e7972c7", Runtime: 14, Tokens: 76}, report: "Found all 3."},
		{name: "at once, by the words of 2.1.328", text: "[Subagent hand-back] The report follows:\n  One of 2.\n\n  Two.\nagentId: a7 (use SendMessage)\n<usage>subagent_tokens: 8\nduration_ms: 9</usage>",
			want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "a7", Runtime: 9, Tokens: 8}, report: "One of 2.\n\nTwo."},
		{name: "a stub", structured: `{"status":"completed","agentId":"a7","content":[{"type":"text","text":"Sure."}]}`, want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "a7", Runtime: -1, Tokens: -1, Suspect: "result is a stub"}, report: "Sure."},
		{name: "a plan", structured: `{"status":"completed","agentId":"a7","content":[{"type":"text","text":"I have read 3 files. Let me now run the tests."}]}`,
			want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "a7", Runtime: -1, Tokens: -1, Suspect: "result ends like a plan"}, report: "I have read 3 files. Let me now run the tests."},
		{name: "no tokens in a long run", structured: `{"status":"completed","agentId":"a7","content":[{"type":"text","text":"All 3 pass."}],"totalTokens":0,"totalDurationMs":90000}`,
			want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "a7", Runtime: 90000, Tokens: 0, Suspect: "no tokens used in a minute or more"}, report: "All 3 pass."},
		{name: "nothing said", structured: `{"status":"completed","agentId":"a7","content":[]}`, want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "a7", Runtime: -1, Tokens: -1, Suspect: "no result"}},
		{name: "an API error for a result", structured: `{"status":"completed","agentId":"a7","content":[{"type":"text","text":"API Error: 500"}]}`,
			want: session.Event{Kind: session.Inline, Outcome: session.OutcomeOK, Child: "a7", Runtime: -1, Tokens: -1, Suspect: "result is an API error"}, report: "API Error: 500"},
		{name: "background", structured: `{"isAsync":true,"status":"async_launched","agentId":"a7"}`, text: "Async agent launched successfully.", want: session.Event{Kind: session.Accepted, Child: "a7", Runtime: -1, Tokens: -1}},
		{name: "background, by its words", text: "Async agent launched successfully.\nagentId: a7 (internal)\nagentId: not an id!\n", want: session.Event{Kind: session.Accepted, Child: "a7", Runtime: -1, Tokens: -1}},
		{name: "background without an id", structured: `{"status":"async_launched","taskId":"w1"}`, want: session.Event{Kind: session.Unclear, Error: "it was launched without an agent id", Runtime: -1, Tokens: -1}},
		{name: "remote", structured: `{"status":"remote_launched","taskId":"r1","sessionUrl":"x"}`, want: session.Event{Kind: session.Unclear, Error: "its launch is of a kind that is not understood: remote_launched", Runtime: -1, Tokens: -1}},
		{name: "teammate", structured: `{"status":"teammate_spawned","name":"dora"}`, want: session.Event{Kind: session.Unclear, Error: "its launch is of a kind that is not understood: teammate_spawned", Runtime: -1, Tokens: -1}},
		{name: "unknown type", structured: `"Error: Agent type 'x' not found. Available agents: y"`, text: "Agent type 'x' not found. Available agents: y", failed: true,
			want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "Agent type 'x' not found. Available agents: y", Runtime: -1, Tokens: -1}},
		{name: "bad input", structured: `"InputValidationError: []"`, text: "<tool_use_error>InputValidationError: Agent failed\nprompt is missing</tool_use_error>", failed: true,
			want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "InputValidationError: Agent failed\nprompt is missing", Runtime: -1, Tokens: -1}},
		{name: "no worktree", text: "Cannot create agent worktree: no git", failed: true, want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "Cannot create agent worktree: no git", Runtime: -1, Tokens: -1}},
		{name: "forbidden by a rule", text: "Permission to use Agent has been denied.", failed: true, denial: "rule", want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "Permission to use Agent has been denied.", Runtime: -1, Tokens: -1}},
		{name: "the flag is missing", structured: `"Error: no"`, text: "no", want: session.Event{Kind: session.SpawnError, Outcome: session.OutcomeFailed, Error: "no", Runtime: -1, Tokens: -1}},
		{name: "died", text: "Agent terminated early due to an API error: 500", failed: true, want: session.Event{Kind: session.Inline, Outcome: session.OutcomeFailed, Error: "Agent terminated early due to an API error: 500", Runtime: -1, Tokens: -1}},
		{name: "refused", structured: `"User rejected tool use"`, text: "The user doesn't want to proceed with this tool use. The user said:\nnot like this", failed: true, want: session.Event{Kind: session.Unclear, Error: "refused or interrupted by the user", Runtime: -1, Tokens: -1}},
		{name: "refused, by the kind of denial", text: "x", failed: true, denial: "user-rejected", want: session.Event{Kind: session.Unclear, Error: "refused or interrupted by the user", Runtime: -1, Tokens: -1}},
		{name: "interrupted", text: "[Request interrupted by user for tool use]", failed: true, want: session.Event{Kind: session.Unclear, Error: "refused or interrupted by the user", Runtime: -1, Tokens: -1}},
		{name: "structure is a list", structured: `[1]`, text: "what", want: session.Event{Kind: session.Unclear, Error: "its result is of a form that is not understood", Runtime: -1, Tokens: -1}},
		{name: "structure is broken", structured: `{"status":"completed"`, text: "what", want: session.Event{Kind: session.Unclear, Error: "its result is of a form that is not understood", Runtime: -1, Tokens: -1}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if got := receipt([]byte(r.structured), r.text, r.failed, r.denial); got != r.want {
				t.Errorf("%+v\nwant %+v", got, r.want)
			}
			if r.want.Kind == session.Inline && r.want.Outcome == session.OutcomeOK {
				if got := reportOf(parsed([]byte(r.structured)), r.text); got != r.report {
					t.Errorf("report %q, want %q", got, r.report)
				}
			}
		})
	}
}
