package openclaw

import (
	"encoding/json"
	"reflect"
	"testing"

	"sessc/session"
)

func TestContent(t *testing.T) {
	text := func(s string) session.Block { return session.Block{Type: session.TextBlock, Text: s} }
	call := func(id, args string) session.Block {
		return session.Block{Type: session.CallBlock, Call: id, Tool: "read", Args: []byte(args)}
	}
	rows := []struct {
		name, line string
		want       []session.Block
		text       string
	}{
		{"user, blocks", `{"type":"message","message":{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":""},{"type":"text","text":"b\u00e9"}]}}`,
			[]session.Block{text("a"), text(""), text("bé")}, "a\n\nbé"},
		{"user, a string", `{"type":"message","message":{"role":"user","content":"a\nb"}}`, []session.Block{text("a\nb")}, "a\nb"},
		{"a byte order mark", "\ufeff" + `{"type":"message","message":{"role":"user","content":"a"}}`, []session.Block{text("a")}, "a"},
		{"an empty text first", `{"type":"message","message":{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"b"}]}}`,
			[]session.Block{text(""), text("b")}, "\nb"},
		{"a text that is no string", `{"type":"message","message":{"role":"user","content":[{"type":"text","text":7},{"type":"text"},{"type":"text","text":"b"}]}}`, []session.Block{text("b")}, "b"},
		{"a lone surrogate", `{"type":"message","message":{"role":"user","content":"a\ud83cb"}}`, []session.Block{text("a\uFFFDb")}, "a\uFFFDb"},
		{"an image", `{"type":"message","message":{"role":"user","content":[{"type":"image","data":"QUJD","mimeType":"image/png"},{"type":"text","text":"see"}]}}`,
			[]session.Block{{Type: session.ImageBlock, Text: "image/png", Size: 4}, text("see")}, "see"},
		{"assistant", `{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"x"},{"type":"text","text":"a"},{"type":"toolCall","id":"c","name":"read","arguments":{"path":"f"}}]}}`,
			[]session.Block{{Type: session.ThinkingBlock, Text: "hm"}, text("a"), call("c", `{"path":"f"}`)}, "a"},
		{"calls in every spelling", `{"type":"message","message":{"role":"assistant","content":[{"type":"toolUse","id":"1","name":"read","input":{"a":1}},{"type":"functionCall","id":"2","name":"read","arguments":{"b":2},"input":{"c":3}},` +
			`{"type":"tool_call","id":"3","name":"read"},{"type":"tool_use","id":"4","name":"read","input":{}},{"type":"function_call","id":"5","name":"read","arguments":"{\"d\":4}"},{"type":"other","id":"6"}]}}`,
			[]session.Block{call("1", `{"a":1}`), call("2", `{"b":2}`), call("3", ""), call("4", `{}`), call("5", `"{\"d\":4}"`)}, ""},
		{"a result", `{"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"a"},{"type":"image","data":"QUJD"},{"type":"text","text":"b"}],"isError":true}}`,
			[]session.Block{{Type: session.ResultBlock, Text: "a\nb", Call: "c", Tool: "read", Failed: true}}, ""},
		{"a result, a string, no flag", `{"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":"a"}}`,
			[]session.Block{{Type: session.ResultBlock, Text: "a", Call: "c", Tool: "read"}}, ""},
		{"a typed command", `{"type":"message","message":{"role":"bashExecution","command":"ls","output":"f\n","exitCode":0}}`, []session.Block{text("ls\nf\n")}, "ls\nf\n"},
		{"a person who sends a command along", `{"type":"message","message":{"role":"user","content":"a","command":"ls"}}`, []session.Block{text("a")}, "a"},
		{"a custom message", `{"type":"custom_message","content":[{"type":"text","text":"a"}]}`, []session.Block{text("a")}, "a"},
		{"a compaction", `{"type":"compaction","summary":"a"}`, []session.Block{text("a")}, "a"},
		{"a branch summary", `{"type":"branch_summary","summary":"a"}`, []session.Block{text("a")}, "a"},
		{"metadata", `{"type":"custom","data":{"content":"a"}}`, nil, ""},
		{"no content", `{"type":"message","message":{"role":"assistant"}}`, nil, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got, err := Format{}.Content([]byte(r.line))
			if err != nil {
				t.Fatal(err)
			}
			for n := range got.Blocks {
				if len(got.Blocks[n].Args) == 0 && len(r.want) > n {
					got.Blocks[n].Args = r.want[n].Args[:0]
				}
			}
			if !reflect.DeepEqual(got.Blocks, r.want) {
				t.Errorf("blocks %+v, want %+v", got.Blocks, r.want)
			}
			if got.Text() != r.text {
				t.Errorf("text %q, want %q", got.Text(), r.text)
			}
		})
	}
	if _, err := (Format{}).Content([]byte(`{"type":"message"`)); err == nil {
		t.Error("a damaged line was decoded")
	}
}

func TestAction(t *testing.T) {
	rows := []struct {
		name, tool string
		args       any
		result     o // nil for none
		want       session.Action
	}{
		{"read", "read", o{"path": "a.go", "limit": 20}, o{"content": []o{{"type": "text", "text": "package a"}}},
			session.Action{Op: session.OpRead, Paths: []string{"a.go"}, Output: "package a", Done: true, Exit: -1}},
		{"the name in another case", "Read", o{"file_path": "a.go"}, o{"content": "x"}, session.Action{Op: session.OpRead, Paths: []string{"a.go"}, Output: "x", Done: true, Exit: -1}},
		{"write", "write", o{"filePath": "a.go", "content": "package a"}, o{"content": "ok"}, session.Action{Op: session.OpWrite, Paths: []string{"a.go"}, Output: "ok", Done: true, Exit: -1}},
		{"edit", "edit", o{"file": "a.go", "oldText": "x", "newText": "y"}, o{"content": "ok"}, session.Action{Op: session.OpEdit, Paths: []string{"a.go"}, Output: "ok", Done: true, Exit: -1}},
		{"edit that failed", "edit", o{"filename": "a.go"}, o{"content": "no match", "isError": true}, session.Action{Op: session.OpEdit, Paths: []string{"a.go"}, Output: "no match", Exit: -1}},
		{"delete", "delete_file", o{"path": "a.go"}, o{"content": "gone"}, session.Action{Op: session.OpDelete, Paths: []string{"a.go"}, Output: "gone", Done: true, Exit: -1}},
		{"a path that is no string", "read", o{"path": []string{"a"}}, o{"content": "x"}, session.Action{Op: session.OpRead, Output: "x", Done: true, Exit: -1}},
		{"patch", "apply_patch", o{"input": "*** Begin Patch\n*** Add File: a.go\n"}, o{"content": "Done"},
			session.Action{Op: session.OpPatch, Patch: "*** Begin Patch\n*** Add File: a.go\n", Output: "Done", Done: true, Exit: -1}},
		{"patch under its own name", "patch", o{"patch": "--- a\n"}, o{"content": "Done"}, session.Action{Op: session.OpPatch, Patch: "--- a\n", Output: "Done", Done: true, Exit: -1}},
		{"exec", "exec", o{"command": "go test", "workdir": "/x"}, o{"content": "ok", "details": o{"status": "completed", "exitCode": 0}},
			session.Action{Op: session.OpExec, Command: "go test", Input: "/x\n", Output: "ok", Done: true, Exit: 0}},
		{"exec, status in the details", "exec", o{"cmd": "false"}, o{"content": "x", "details": o{"exitCode": 3}}, session.Action{Op: session.OpExec, Command: "false", Output: "x", Done: true, Exit: 3}},
		{"exec, left running", "exec", o{"command": "serve"}, o{"content": "Command still running", "details": o{"status": "running", "sessionId": "p1"}},
			session.Action{Op: session.OpExec, Command: "serve", Output: "Command still running", Done: true, Exit: -1, Handle: "p1", Running: true}},
		{"bash, status in the text", "bash", o{"command": "x"}, o{"content": "boom\n\nCommand exited with code 127", "isError": true},
			session.Action{Op: session.OpExec, Command: "x", Output: "boom\n\nCommand exited with code 127", Exit: 127}},
		{"bash, status in brackets", "bash", o{"command": "x"}, o{"content": "boom\n\n(Command exited with code 2)\n"}, session.Action{Op: session.OpExec, Command: "x", Output: "boom\n\n(Command exited with code 2)\n", Done: true, Exit: 2}},
		{"a status that is only quoted", "bash", o{"command": "x"}, o{"content": "Command exited with code 9\nlater"}, session.Action{Op: session.OpExec, Command: "x", Output: "Command exited with code 9\nlater", Done: true, Exit: 0}},
		{"bash that was stopped", "bash", o{"command": "x"}, o{"content": "Command aborted", "isError": true}, session.Action{Op: session.OpExec, Command: "x", Output: "Command aborted", Exit: -1}},
		{"a status beside a read", "read", o{"path": "a"}, o{"content": "Command exited with code 1"}, session.Action{Op: session.OpRead, Paths: []string{"a"}, Output: "Command exited with code 1", Done: true, Exit: -1}},
		{"an error as JSON text", "web_search", o{"query": "q"}, o{"content": "\n{\"status\":\"error\",\"error\":\"no key\"}"}, session.Action{Op: session.OpSearch, Input: "q\n", Output: "\n{\"status\":\"error\",\"error\":\"no key\"}", Exit: -1}},
		{"a JSON text about an error", "web_search", o{"query": "q"}, o{"content": `{"status":"error"}`}, session.Action{Op: session.OpSearch, Input: "q\n", Output: `{"status":"error"}`, Done: true, Exit: -1}},
		{"an error in the details", "x", o{}, o{"content": "?", "details": o{"status": "error"}}, session.Action{Output: "?", Exit: -1}},
		{"no result", "exec", o{"command": "x"}, nil, session.Action{Op: session.OpExec, Command: "x", Exit: -1}},
		{"no arguments", "exec", nil, o{"content": "x"}, session.Action{Op: session.OpExec, Output: "x", Done: true, Exit: 0}},
		{"delegation", toolSpawn, o{"task": "t"}, o{"content": "x"}, session.Action{Op: session.OpDelegate, Input: "t\n", Output: "x", Done: true, Exit: -1}},
		{"an unknown tool", "browser", o{"url": "u", "n": 3}, o{"content": "x"}, session.Action{Input: "u\n", Output: "x", Done: true, Exit: -1}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			block := o{"type": "toolCall", "id": "c", "name": r.tool}
			if r.args != nil {
				block["arguments"] = r.args
			}
			call := encoded(t, o{"type": "message", "message": o{"role": "assistant", "content": []any{o{"type": "text", "text": "x"}, block}}})
			var result []byte
			if r.result != nil {
				r.result["role"] = "toolResult"
				result = encoded(t, o{"type": "message", "message": r.result})
			}
			got, err := Format{}.Action(call, 1, result)
			if err != nil {
				t.Fatal(err)
			}
			r.want.Tool = r.tool
			if !reflect.DeepEqual(got, r.want) {
				t.Errorf("got %+v\nwant %+v", got, r.want)
			}
			if _, err := (Format{}).Action(call, 0, result); err == nil {
				t.Error("a text block passed for a call")
			}
		})
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Whatever may hold a person's words is an ask; work of the agent is none.
func TestAsks(t *testing.T) {
	for _, name := range []string{
		"ask_user", "AskUserQuestion", "askuserquestion", "human_input", "get_user_reply", "wait_for_user", "consult_human", "request_approval",
		"approval", "elicit", "clarify", "interview", "select", "user_input", "userinput", "requestUserInput", "user_choice", "feedback", "get_feedback",
		"message", "chat_read", "slack", "telegram_read", "mcp__mail__read_inbox", "Confirm",
	} {
		if op := opOf(name); op != session.OpAsk {
			t.Errorf("%s is %d, no ask", name, op)
		}
	}
	for _, name := range []string{"read", "Exec", "task_list", "multitask", "process", "browser", "web_fetch", "get_weather", "run_tests", "sessions_spawn", "sessions_history", "db.query"} {
		if op := opOf(name); op == session.OpAsk {
			t.Errorf("%s is an ask", name)
		}
	}
}

// Only the program's own note that a turn was given away is quiet: a hidden
// message of an extension may pass on what a person typed.
func TestQuiet(t *testing.T) {
	log := `{"type":"session","version":3,"id":"s","cwd":"/"}
{"type":"custom_message","customType":"openclaw.sessions_yield","content":"Turn yielded.","display":false,"id":"a","parentId":null}
{"type":"custom_message","customType":"openclaw.sessions_yield","content":"Turn yielded.","display":true,"id":"b","parentId":"a"}
{"type":"custom_message","customType":"steer.note","content":"never push","display":false,"id":"c","parentId":"b"}
`
	s := indexed(t, []byte(log))
	for n, want := range []bool{false, true, false, false} {
		if got := s.Entries[n].Is(session.Quiet); got != want {
			t.Errorf("line %d is quiet: %v", n+1, got)
		}
	}
}
