package claudecode

import (
	"fmt"
	"testing"

	"sessc/session"
)

// TestAction checks what was done by a call with its result.
func TestAction(t *testing.T) {
	rows := []struct {
		name, tool string
		input      more
		result     func(l *script)
		want       string // op, paths, command, input, output, done, exit, created
	}{
		{"read", "Read", more{"file_path": "a.go", "limit": 5}, func(l *script) { l.result("r1", "a1", "t1", "text") }, `1 [a.go] "" "" "text" true -1 false`},
		{"create", "Write", more{"file_path": "a.go", "content": "x"}, func(l *script) {
			l.result("r1", "a1", "t1", "File created", more{"toolUseResult": more{"type": "create"}})
		}, `2 [a.go] "" "" "File created" true -1 true`},
		{"create, by its words", "Write", more{"file_path": "a.go", "content": "x"}, func(l *script) { l.result("r1", "a1", "t1", "File created successfully at: a.go") }, `2 [a.go] "" "" "File created successfully at: a.go" true -1 true`},
		{"replace", "Write", more{"file_path": "a.go", "content": "x"}, func(l *script) {
			l.result("r1", "a1", "t1", "updated", more{"toolUseResult": more{"type": "update"}})
		}, `2 [a.go] "" "" "updated" true -1 false`},
		{"edit", "Edit", more{"file_path": "a.go", "old_string": "x", "new_string": "y"}, func(l *script) { l.result("r1", "a1", "t1", "ok") }, `3 [a.go] "" "" "ok" true -1 false`},
		{"several edits", "MultiEdit", more{"file_path": "a.go", "edits": []more{{"old_string": "x"}}}, func(l *script) { l.result("r1", "a1", "t1", "ok") }, `3 [a.go] "" "" "ok" true -1 false`},
		{"notebook", "NotebookEdit", more{"notebook_path": "a.ipynb", "new_source": "x"}, func(l *script) { l.result("r1", "a1", "t1", "ok") }, `3 [a.ipynb] "" "" "ok" true -1 false`},
		{"failed edit", "Edit", more{"file_path": "a.go"}, func(l *script) { l.fail("r1", "a1", "t1", "File has not been read yet") }, `3 [a.go] "" "" "File has not been read yet" false -1 false`},
		{"command", "Bash", more{"command": "make", "description": "build"}, func(l *script) {
			l.result("r1", "a1", "t1", "ok", more{"toolUseResult": more{"stdout": "ok", "interrupted": false}})
		}, `6 [] "make" "build\n" "ok" true 0 false`},
		{"failed command", "Bash", more{"command": "make"}, func(l *script) { l.fail("r1", "a1", "t1", "Exit code 2\nno rule") }, `6 [] "make" "" "Exit code 2\nno rule" false 2 false`},
		{"refused command", "Bash", more{"command": "make"}, func(l *script) {
			l.fail("r1", "a1", "t1", "The user doesn't want to", more{"toolUseResult": "User rejected tool use"})
		}, `6 [] "make" "" "The user doesn't want to" false -1 false`},
		{"interrupted command", "Bash", more{"command": "make"}, func(l *script) {
			l.result("r1", "a1", "t1", "part", more{"toolUseResult": more{"interrupted": true}})
		}, `6 [] "make" "" "part" true -1 false`},
		{"command left running", "Bash", more{"command": "make", "run_in_background": true}, func(l *script) {
			l.result("r1", "a1", "t1", "running", more{"toolUseResult": more{"backgroundTaskId": "b1"}})
		}, `6 [] "make" "" "running" true -1 false`},
		{"search", "Grep", more{"pattern": "TODO", "path": "src"}, func(l *script) {
			l.result("r1", "a1", "t1", []more{{"type": "text", "text": "a"}, {"type": "text", "text": "b"}})
		}, `7 [src] "" "TODO\n" "a\nb" true -1 false`},
		{"question", "AskUserQuestion", more{"questions": []more{{"question": "which?"}}}, func(l *script) { l.result("r1", "a1", "t1", "this one") }, `9 [] "" "" "this one" true -1 false`},
		{"without a result", "Bash", more{"command": "make"}, func(*script) {}, `6 [] "make" "" "" false -1 false`},
		{"unknown tool", "mcp__x__y", more{"query": "z"}, func(l *script) { l.result("r1", "a1", "t1", "ok") }, `0 [] "" "z\n" "ok" true -1 false`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			l := asks(r.tool, r.input)
			r.result(l)
			s := l.index(t)
			a, err := s.Action(&s.Calls[0])
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%d %v %q %q %q %v %d %v", a.Op, a.Paths, a.Command, a.Input, a.Output, a.Done, a.Exit, a.Created)
			if got != r.want || a.Tool != r.tool || s.Calls[0].Op != a.Op {
				t.Errorf("%s, want %s", got, r.want)
			}
		})
	}
	if _, err := (Format{}).Action([]byte(`{"message":{"content":[{"type":"text","text":"x"}]}}`), 0, nil); err == nil {
		t.Error("a text is no call")
	}
}

// TestContent checks what a line holds for a reader.
func TestContent(t *testing.T) {
	picture := more{"type": "image", "source": more{"media_type": "image/png", "data": "AAAA"}}
	l := (&script{}).user("u1", "", []more{{"type": "text", "text": "see"}, picture}).
		says("a1", "u1", "m1", more{"type": "thinking", "thinking": "hm", "signature": "c2ln"}).
		call("a2", "a1", "m1", "t1", "Read", more{"file_path": "x"}).
		result("r1", "a2", "t1", []more{{"type": "text", "text": "one"}, picture, {"type": "tool_reference", "tool_name": "X"}}).
		system("s1", "r1", "turn_duration")
	s := l.index(t)
	want := []string{
		"[{0 see    false 0} {4 image/png    false 4}]", "[{1 hm    false 0}]", "[{2  t1 Read {\"file_path\":\"x\"} false 0}]",
		"[{3 one\n{\"tool_name\":\"X\",\"type\":\"tool_reference\"} t1   false 0} {4 image/png    false 4}]", "[]",
	}
	for i := range s.Entries {
		c, err := s.Content(int32(i))
		if err != nil {
			t.Fatal(err)
		}
		got := "["
		for n, b := range c.Blocks {
			if n > 0 {
				got += " "
			}
			got += fmt.Sprintf("{%d %s %s %s %s %v %d}", b.Type, b.Text, b.Call, b.Tool, b.Args, b.Failed, b.Size)
		}
		if got += "]"; got != want[i] {
			t.Errorf("line %d: %s, want %s", i+1, got, want[i])
		}
	}
	if _, err := (Format{}).Content([]byte("{")); err == nil {
		t.Error("a damaged line has a content")
	}
	if e := &s.Entries[3]; e.Pictures != 1 {
		t.Errorf("the result has %d pictures", e.Pictures)
	}
}

// TestReport checks that a child's words come out as it wrote them.
func TestReport(t *testing.T) {
	background := func() *script {
		return asks("Agent", scanTask).result("r1", "a1", "t1", launchText("g1"), launched("g1"))
	}
	rows := []struct {
		name string
		log  *script
		want string
	}{
		{"at once", asks("Task", scanTask).result("r1", "a1", "t1", "frame", completed("g1", " a <b>\n")), "a <b>"},
		{"told", background().told("n1", "r1", noticeOf("g1", "t1", "completed", " a\n- b ")), "a\n- b"},
		{"told, brackets escaped", background().told("n1", "r1", noticeOf("g1", "t1", "completed", "a &lt;b&gt; &amp;&amp; c")), "a <b> && c"},
		{"told, brackets as they are", background().told("n1", "r1", noticeOf("g1", "t1", "completed", "a <b> &amp; c")), "a <b> &amp; c"},
		{"absorbed", background().absorbed("n1", "r1", noticeOf("g1", "t1", "completed", "é 😀")), "é 😀"},
		{"pulled", background().call("a2", "r1", "m3", "t2", "TaskOutput", more{"task_id": "g1"}).result("r2", "a2", "t2", "<task_id>g1</task_id>\n<status>completed</status>\n<output>\nit is\n</output>"), "it is"},
		{"died", asks("Agent", scanTask).fail("r1", "a1", "t1", "Agent terminated early due to an API error: 500"), ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := r.log.index(t)
			ev := s.Events[len(s.Events)-1]
			raw, err := s.Raw(ev.Entry)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Format{}.Report(raw, &ev)
			if err != nil || got != r.want {
				t.Errorf("%q, %v; want %q", got, err, r.want)
			}
		})
	}
	ev := session.Event{Kind: session.Completion, Report: session.Range{Off: 5, Len: 500}}
	if _, err := (Format{}).Report([]byte(`{"type":"user","message":{"content":"short"}}`), &ev); err == nil {
		t.Error("a report outside of the text was read")
	}
}
