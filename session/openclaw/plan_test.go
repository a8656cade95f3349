package openclaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sessc/session"
)

var update = flag.Bool("update", false, "write the expected outputs anew")

// put is a mask in the words of a test.
type put struct{ call, ref, headline, text string }

// cut is a piece in the words of a test.
type cut struct {
	members string
	puts    []put
}

var long = strings.Repeat("All that the child had to say about it. ", 40)

// task is the usual log: a prompt, a delegated task that is finished, an
// answer, and what came after.
func task(l *logFile) *logFile {
	return l.user("u1", "Please do it.").agent("a1", "I delegate.", 1000, spawnCall("c1")).accepted("r1", "c1").
		agent("a2", "Started.", 1100).completion("e1", "c1", long).agent("a3", "It is done.", 9000).user("u2", "Thanks.").agent("a4", "Welcome.", 9100)
}

var whole = []cut{{"a1 r1 a2 e1", []put{{"c1", "ref1", "Do what is needed", "the record"}}}}

var planRows = []struct {
	name   string
	log    func(l *logFile)
	cuts   []cut
	active string // after
}{
	{"pair-in-place", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "I delegate.", 1000, spawnCall("c1")).
			message("r1", o{"role": "toolResult", "toolCallId": "c1", "toolName": toolSpawn, "isError": true, "content": []o{{"type": "text", "text": "not allowed: " + long}}}).
			agent("a2", "Refused.", 9000).user("u2", "Well.")
	}, []cut{{"a1 r1", []put{{"c1", "ref1", "Do what is needed", "the record"}}}}, "u1 a1 r1 a2 u2"},
	{"pair-over-span", func(l *logFile) { task(l) }, whole, "u1 a1 e1 a3 u2 a4"},
	// A header hangs on nothing, whatever it says: it stays byte for byte.
	{"header-with-a-parent", func(l *logFile) {
		task(l)
		l.raw(`{"type":"session","version":3,"id":"s2","parentId":"r1"}`)
	}, whole, "u1 a1 e1 a3 u2 a4"},
	{"metadata-between", func(l *logFile) {
		l.user("u1", "Please do it.").add("thinking_level_change", "m0", o{"thinkingLevel": "low"}).agent("a1", "", 1000, spawnCall("c1")).
			add("custom", "m1", o{"customType": "openclaw.cache-ttl", "data": o{"x": 1e21}}).accepted("r1", "c1").
			add("model_change", "m2", o{"provider": "local", "modelId": "m1"}).add("weather", "m3", nil).agent("a2", "Started.", 1100).
			add("label", "m4", o{"targetId": "u1", "label": "start"}).completion("e1", "c1", long).
			add("custom", "m5", o{"customType": "behind"}).agent("a3", "It is done.", 9000).user("u2", "Thanks.")
	}, whole, "u1 a1 e1 a3 u2"},
	{"metadata-before-the-only-line", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "", 1000, spawnCall("c1")).accepted("r1", "c1").user("u2", "And then?").
			agent("a2", "Waiting.", 1100).completion("e1", "c1", long).add("custom", "m1", nil).agent("a3", long, 9000).add("custom", "m2", nil).
			agent("a4", "", 9100, callOf("c2", "read", o{"path": "f"})).result("r2", "c2", "read", "x").agent("a5", "It is done.", 9200).user("u3", "Thanks.")
	}, []cut{{"e1 a3", []put{{"", "ref1", "Do what is needed", "the record"}}}}, "u1 a1 r1 u2 a2 a3 a4 r2 a5 u3"},
	{"several-calls", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "Three at once.", 1000, spawnCall("c1"), callOf("c0", "read", o{"path": "f"}), spawnCall("c2"), spawnCall("c3")).
			accepted("r1", "c1").result("r0", "c0", "read", long).accepted("r2", "c2").accepted("r3", "c3").agent("a2", "Started.", 1100).
			completion("e2", "c2", long).agent("a3", "One is done.", 3000).completion("e1", "c1", long).completion("e3", "c3", long).
			agent("a4", "All are done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1 r0 r2 r3 a2 e2 a3 e1 e3", []put{
		{"c1", "ref1", "First", "record 1"}, {"c2", "ref2", "Second", "record 2"}, {"c3", "ref3", "Third", "record 3"},
	}}}, "u1 a1 r1 r0 e3 a4 u2"},
	{"receipt-then-record", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "", 1000, spawnCall("c1")).accepted("r1", "c1").agent("a2", "Started.", 1100).
			user("u2", "Never touch the tests.").agent("a3", "Understood.", 1200).completion("e1", "c1", long).agent("a4", "It is done.", 9000).user("u3", "Thanks.")
	}, []cut{
		{"a1 r1", []put{{"c1", "ref1", "Do what is needed", "delegated: Do what is needed (ref1)"}}},
		{"e1", []put{{"", "ref1", "Do what is needed", "the record"}}},
	}, "u1 a1 r1 a2 u2 a3 e1 a4 u3"},
	{"assistant-text", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", long, 1000).user("u2", "Thanks.").agent("a2", "Welcome.", 9000).user("u3", "Bye.")
	}, []cut{{"a1", []put{{"", "ref1", "x", "the record"}}}}, "u1 a1 u2 a2 u3"},
	{"own-call-behind-an-event", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "", 1000, spawnCall("c1"), spawnCall("c2")).accepted("r1", "c1").accepted("r2", "c2").
			user("u2", "And then?").agent("a2", "Waiting.", 1100).completion("e1", "c1", long).
			agent("a3", long, 1300, callOf("k2", "subagents", o{"action": "kill", "target": "2"})).result("r3", "k2", "subagents", `{"status":"ok"}`).
			agent("a4", "It is done.", 9000).user("u3", "Thanks.")
	}, []cut{
		{"a1 r1 r2", []put{{"c1", "ref1", "First", "delegated: First (ref1)"}, {"c2", "ref2", "Second", "delegated: Second (ref2)"}}},
		{"e1 a3 r3", []put{{"", "ref1", "First", "record 1"}, {"k2", "ref2", "Second", "record 2"}}},
	}, "u1 a1 r1 r2 u2 a2 e1 a3 r3 a4 u3"},
	{"one-call-for-two", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "", 1000, spawnCall("c1"), spawnCall("c2")).accepted("r1", "c1").accepted("r2", "c2").
			user("u2", "Stop them.").agent("a2", long, 1300, callOf("k1", "subagents", o{"action": "kill", "target": "all"})).
			result("r3", "k1", "subagents", long).agent("a3", "They are gone.", 9000).user("u3", "Thanks.")
	}, []cut{{"a2 r3", []put{{"k1", "ref1", "First", "record 1"}, {"k1", "ref2", "Second", "record 2"}}}}, "u1 a1 r1 r2 u2 a2 r3 a3 u3"},
	{"call-id-used-twice", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "", 1000, spawnCall("c1")).accepted("r1", "c1").agent("a2", "", 1100, spawnCall("c1")).accepted("r2", "c1").
			completion("e1", "c1", long).agent("a3", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1 a2 r2 e1", []put{{"c1", "ref1", "First", "record 1"}, {"c1#2", "ref2", "Second", "record 2"}}}}, "u1 a1 e1 a3 u2"},
	{"call-answered-elsewhere", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "", 1000, spawnCall("c1")).accepted("r1", "c1").agent("a2", "Started.", 1100).
			completion("e1", "c1", long).agent("a3", long, 2000).agent("a4", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"e1 a3", []put{{"c1", "ref1", "First", "record 1"}}}}, "u1 a1 r1 a2 a3 a4 u2"},
	{"between-prompt-and-answer", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "", 1000, callOf("c1", "read", o{"path": "f"}), callOf("c2", "exec", o{"command": long})).result("r1", "c1", "read", long).
			result("r2", "c2", "exec", "x").agent("a2", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1 r2", []put{{"", "ref1", "x", "the record"}}}}, "u1 a1 r2 a2 u2"},
	{"pointers", func(l *logFile) {
		l.user("u0", "Before.").agent("a0", "Yes.", 900).user("u1", "Please do it.").agent("a1", "", 1000, spawnCall("c1")).accepted("r1", "c1").agent("a2", "Started.", 1100).
			completion("e1", "c1", long).add("label", "m1", o{"targetId": "r1", "label": "here"}).
			at("r1").add("custom", "s1", o{"appendMode": "side", "data": o{"targetId": "r1", "note": "not a pointer"}}).
			at("a2").add("leaf", "l1", o{"targetId": "a2", "appendParentId": "r1", "appendMode": "side"}).
			at("m1").add("compaction", "k1", o{"summary": "old", "firstKeptEntryId": "a2", "tokensBefore": 5}).
			add("branch_summary", "b1", o{"fromId": "a2", "summary": "was elsewhere"}).
			add("compaction", "k2", o{"summary": "sum", "firstKeptEntryId": "u0", "tokensBefore": 5}).
			agent("a3", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1 a2 e1", []put{{"c1", "ref1", "Do what is needed", "the record"}}}}, "k2 u0 a0 u1 a1 e1 b1 a3 u2"},
	{"crlf", func(l *logFile) { l.end = "\r\n"; task(l) }, whole, "u1 a1 e1 a3 u2 a4"},
	{"first-line-lf-last-line-crlf", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a1", "", 1000, spawnCall("c1")).accepted("r1", "c1")
		l.end = "\r\n"
		l.completion("e1", "c1", long)
		l.end = "\n"
		l.agent("a2", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1 e1", []put{{"c1", "ref1", "x", "the record"}}}}, "u1 a1 e1 a2 u2"},
	{"signed", func(l *logFile) {
		call := spawnCall("c1")
		call["thoughtSignature"] = "c2lnbmVk"
		l.user("u1", "Please do it.").message("a1", o{"role": "assistant", "api": "anthropic-messages", "provider": "anthropic", "model": "big", "stopReason": "toolUse", "usage": o{"input": 5},
			"responseId": "resp_1", "content": []o{{"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2lnbmVk"}, call}}).accepted("r1", "c1").
			completion("e1", "c1", long).agent("a2", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1 e1", []put{{"c1", "ref1", "x", "the record"}}}}, "u1 a1 e1 a2 u2"},
	{"model-of-a-real-turn", func(l *logFile) {
		l.user("u1", "Please do it.").agent("a0", "Yes.", 500).user("u2", "Go.").
			message("x1", o{"role": "assistant", "provider": "openclaw", "model": "gateway-injected", "content": []o{{"type": "text", "text": "note"}}}).user("u0", "Well?").
			message("a1", o{"role": "assistant", "api": "openclaw", "provider": "openclaw", "model": "delivery-mirror", "stopReason": "stop", "usage": o{"input": 0},
				"content": []o{{"type": "text", "text": long}}}).user("u3", "Thanks.").agent("a2", "Welcome.", 9000).user("u4", "Bye.")
	}, []cut{{"a1", []put{{"", "ref1", "x", "the record"}}}}, "u1 a0 u2 x1 u0 a1 u3 a2 u4"},
	{"usage-before-the-piece", func(l *logFile) {
		l.user("u1", "Hello.").agent("a0", "Yes.", 9000).user("u2", "Please do it.").agent("a1", "", 0, spawnCall("c1")).accepted("r1", "c1").
			completion("e1", "c1", long).agent("a2", "It is done.", 0).user("u3", "Thanks.")
	}, []cut{{"a1 r1 e1", []put{{"c1", "ref1", "x", "the record"}}}}, "u1 a0 u2 a1 e1 a2 u3"},
	{"no-stamps", func(l *logFile) {
		l.user("u1", "Please do it.")
		l.raw(`{"type":"message","id":"a1","parentId":"u1","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"sessions_spawn","arguments":{"task":"` + long + `"}}],"model":"m"}}`)
		l.raw(`{"type":"message","id":"r1","parentId":"a1","timestamp":17,"message":{"role":"toolResult","toolCallId":"c1","toolName":"sessions_spawn","content":[{"type":"text","text":"x"}]}}`)
		l.at("r1").agent("a2", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1", []put{{"c1", "ref1", "x", "the record"}}}}, "u1 a1 r1 a2 u2"},
	{"arguments", func(l *logFile) {
		text := callOf("c3", toolSpawn, nil)
		text["arguments"] = `{"task":"` + long + `"}`
		input := o{"type": "tool_use", "id": "c4", "name": "subagent", "input": o{"agent": "x", "prompt": long}}
		l.user("u1", "Please do it.").agent("a1", "", 1000,
			callOf("c1", toolSend, o{"sessionKey": "agent:x:main", "message": long, "timeoutSeconds": 30}),
			callOf("c2", toolSend, o{"label": "reviewer", "message": long}), text, input,
			callOf("c5", "subagents", o{"action": "kill", "target": "x"}), callOf("c6", "agents_wait", o{"ids": strings.Fields(long)}))
		for _, n := range []string{"1", "2", "3", "4", "5", "6"} {
			l.result("r"+n, "c"+n, "t", "x")
		}
		l.agent("a2", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1 r2 r3 r4 r5 r6", []put{
		{"c1", "ref1", `say "hi"`, "1"}, {"c2", "ref2", "two", "2"}, {"c3", "ref3", "three", "3"}, {"c4", "ref4", "four", "4"}, {"c5", "ref5", "five", "5"}, {"c6", "ref6", "six", "6"},
	}}}, "u1 a1 r1 r2 r3 r4 r5 r6 a2 u2"},
	{"text-of-all-kinds", func(l *logFile) { task(l) },
		[]cut{{"a1 r1 a2 e1", []put{{"c1", "ref1", "a <b> & \u2028 \x00", "── é 日本 \"quoted\" \\ \u2029 <tag> & \t\n\x7f end \xff"}}}}, "u1 a1 e1 a3 u2 a4"},
	{"first-entry-of-the-log", func(l *logFile) {
		l.add("custom_message", "e1", o{"content": long, "display": true}).add("custom", "m1", nil).add("custom_message", "e2", o{"content": long, "display": true}).
			agent("a1", "Yes.", 9000).user("u1", "Thanks.")
	}, []cut{{"e1 e2", []put{{"", "ref1", "x", "the record"}}}}, "e2 a1 u1"},
	{"missing-parent", func(l *logFile) {
		l.user("u0", "lost").at("gone").agent("a1", "", 1000, spawnCall("c1")).accepted("r1", "c1").completion("e1", "c1", long).agent("a2", "It is done.", 9000).user("u2", "Thanks.")
	}, []cut{{"a1 r1 e1", []put{{"c1", "ref1", "x", "the record"}}}}, "a1 e1 a2 u2"},
	{"torn-tail", func(l *logFile) { task(l).b.WriteString(`{"type":"message","id":"t1","par`) }, whole, "u1 a1 e1 a3 u2 a4"},
}

// terms estimate low and high as compress does, with round figures.
var terms = session.PlanTerms{Low: func(n int) int { return n / 2 }, High: func(n int) int { return 2 * n }, Generation: 3}

func piecesOf(t *testing.T, s *session.Session, cuts []cut) []session.Piece {
	t.Helper()
	var pieces []session.Piece
	for _, c := range cuts {
		p := session.Piece{Members: entriesOf(t, s, c.members)}
		for _, m := range c.puts {
			p.Put = append(p.Put, session.Put{Key: m.ref, Call: callIndex(t, s, m.call), Headline: m.headline, Text: m.text, Ref: m.ref})
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// callIndex finds a call by its id; "id#2" is the second one that has it.
func callIndex(t *testing.T, s *session.Session, id string) int32 {
	t.Helper()
	if id == "" {
		return -1
	}
	id, second := strings.CutSuffix(id, "#2")
	for n := range s.Calls {
		if s.Str(s.Calls[n].ID) == id {
			if !second {
				return int32(n)
			}
			second = false
		}
	}
	t.Fatalf("no call %s", id)
	return -1
}

// planned applies a plan and checks what holds for each whose lines are all
// written anew.
func planned(t *testing.T, log []byte, pieces func(s *session.Session) []session.Piece) (after []byte, plan *session.Plan) {
	t.Helper()
	after, plan = applied(t, log, pieces)
	checkStrict(t, after)
	return after, plan
}

// applied applies a plan and checks what holds for each.
func applied(t *testing.T, log []byte, pieces func(s *session.Session) []session.Piece) (after []byte, plan *session.Plan) {
	t.Helper()
	s := indexed(t, log)
	plan, err := Format{}.Plan(s, pieces(s), terms)
	if err != nil {
		t.Fatal(err)
	}
	view, err := session.Splice(bytes.NewReader(log), int64(len(log)), plan.Edits)
	if err != nil {
		t.Fatal(err)
	}
	after = make([]byte, view.Size())
	if _, err := view.ReadAt(after, 0); err != nil {
		t.Fatal(err)
	}
	if worse := session.Worse(s, indexed(t, after)); worse != nil {
		t.Errorf("worse: %q", worse)
	}
	checkUntouched(t, s, plan, log, after)
	// Nothing to mask means nothing to do.
	again, err := Format{}.Plan(indexed(t, after), nil, terms)
	if err != nil || !again.Empty() {
		t.Errorf("a plan for nothing: %+v, %v", again, err)
	}
	return after, plan
}

// checkUntouched compares the lines that no edit names.
func checkUntouched(t *testing.T, s *session.Session, plan *session.Plan, log, after []byte) {
	t.Helper()
	edited := map[string]bool{}
	for _, e := range plan.Edits {
		for _, i := range e.Entries {
			edited[s.IDOf(i)] = true
		}
	}
	kept := func(log []byte) (lines []string) {
		for _, line := range bytes.SplitAfter(log, []byte("\n")) {
			var e struct{ ID string }
			json.Unmarshal(line, &e)
			if !edited[e.ID] {
				lines = append(lines, string(line))
			}
		}
		return lines
	}
	if a, b := kept(log), kept(after); !slices.Equal(a, b) {
		t.Errorf("untouched lines\n%q\nbecame\n%q", a, b)
	}
}

// checkStrict asks of the lines that sessc wrote what the strictest reader
// asks (formats page, section 8).
func checkStrict(t *testing.T, log []byte) {
	t.Helper()
	for n, line := range bytes.Split(log, []byte("\n")) {
		if !bytes.Contains(line, []byte(`"sessc":`)) {
			continue
		}
		var e struct {
			Type, ID  string
			ParentID  *string
			Timestamp json.RawMessage
			Content   string
			Display   *bool
			Message   *struct {
				Role       string
				Content    []map[string]any
				ToolCallID string
				ToolName   string
				IsError    *bool
				Timestamp  *int64
				StopReason string
				Usage      *struct{ Input, Output, CacheRead, CacheWrite, TotalTokens *int }
			}
			Sessc struct {
				V, Gen int
				Ref    string
			}
		}
		d := json.NewDecoder(bytes.NewReader(line))
		if err := d.Decode(&e); err != nil || d.More() {
			t.Errorf("line %d: %v", n+1, err)
			continue
		}
		bad := e.ID == "" || len(e.Timestamp) == 0 || e.Sessc.V != 1 || e.Sessc.Ref == "" || e.Sessc.Gen != terms.Generation
		switch m := e.Message; {
		case e.Type == "custom_message":
			bad = bad || e.Content == "" || e.Display == nil || !*e.Display || m != nil
		case e.Type != "message" || m == nil || m.Timestamp == nil || len(m.Content) == 0:
			bad = true
		case m.Role == "toolResult":
			bad = bad || m.ToolCallID == "" || m.ToolName == "" || m.IsError == nil
		case m.Role == "assistant":
			bad = bad || m.StopReason == "" || m.Usage == nil || m.Usage.TotalTokens == nil || *m.Usage.TotalTokens != 0
			for _, b := range m.Content {
				_, object := b["arguments"].(map[string]any)
				bad = bad || b["type"] == "toolCall" && !object || b["type"] == "text" && b["text"] == "" || b["type"] == "thinking"
			}
		}
		if bad {
			t.Errorf("line %d is not as it has to be: %s", n+1, line)
		}
	}
}

func TestPlan(t *testing.T) {
	for _, r := range planRows {
		t.Run(r.name, func(t *testing.T) {
			l := newLog(t)
			r.log(l)
			log := l.bytes()
			after, plan := planned(t, log, func(s *session.Session) []session.Piece { return piecesOf(t, s, r.cuts) })
			s, before := indexed(t, after), indexed(t, log)
			if got := ids(s, s.Active); got != r.active {
				t.Errorf("active %q, want %q", got, r.active)
			}
			if s.Tokens() >= before.Tokens() {
				t.Errorf("%d tokens, before %d", s.Tokens(), before.Tokens())
			}
			for _, e := range plan.Edits {
				if whole := e.At.Len == int64(before.Entries[e.Entries[0]].Len); whole && e.Ref == "" || !whole && e.Ref != "" {
					t.Errorf("edit of %s has the ref %q", before.IDOf(e.Entries[0]), e.Ref)
				}
			}
			golden(t, filepath.Join("testdata", "plan", r.name+".txt"), show(after))
		})
	}
}

// show makes line ends visible and shortens the words of children.
func show(log []byte) string {
	s := strings.ReplaceAll(string(log), strings.TrimSpace(long), "LONG")
	return strings.ReplaceAll(s, "\r", "<CR>")
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
	}
}

func TestPlanErrors(t *testing.T) {
	straight := func(l *logFile) {
		l.user("u1", "x").agent("a1", "y", 0).user("u2", "z").agent("a2", "w", 0).agent("a3", "v", 0).user("u3", "u").at("u1").user("off", "t").at("u3").agent("a4", "s", 0)
	}
	one := []put{{"", "r", "x", "y"}}
	rows := []struct {
		name string
		log  func(l *logFile)
		cuts []cut
		want string
	}{
		{"no members", straight, []cut{{"", one}}, "a piece without members"},
		{"no masks", straight, []cut{{"a1", nil}}, "a piece without members or masks"},
		{"off the path", straight, []cut{{"off", one}}, "not on the active path"},
		{"out of order", straight, []cut{{"a2 a1", one}}, "not on the active path in order"},
		{"no shape", func(l *logFile) { l.user("u1", "x").agent("a1", "y", 0).result("r1", "c", "t", "x").user("u2", "z") }, []cut{{"r1", one}}, "no shape fits"},
		{"no model", func(l *logFile) {
			l.user("u1", "x").message("a1", o{"role": "assistant", "provider": "openclaw", "model": "delivery-mirror", "content": []o{}}).user("u2", "z")
		}, []cut{{"a1", one}}, "no assistant turn"},
		{"metadata that is not valid and stays as it is", func(l *logFile) {
			l.user("u1", "x").agent("a1", "", 0, spawnCall("c1"))
			l.raw(`{"type":"custom","id":"m1","parentId":"a1","data":"` + "\x01" + `"}`)
			l.at("m1").accepted("r1", "c1").completion("e1", "c1", long).agent("a2", "y", 0)
		}, []cut{{"a1 r1 e1", []put{{"c1", "r", "x", "y"}}}}, ""},
		{"metadata that would have to change and is not valid", func(l *logFile) {
			l.user("u1", "x").agent("a1", "", 0, spawnCall("c1")).accepted("r1", "c1").agent("a2", "z", 0)
			l.raw(`{"type":"custom","id":"m1","parentId":"a2","data":"` + "\x01" + `"}`)
			l.at("m1").completion("e1", "c1", long).agent("a3", "y", 0)
		}, []cut{{"a1 r1 a2 e1", []put{{"c1", "r", "x", "y"}}}}, "line 6 is not valid JSON"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			l := newLog(t)
			r.log(l)
			s := l.index()
			_, err := Format{}.Plan(s, piecesOf(t, s, r.cuts), terms)
			if err == nil && r.want != "" || err != nil && (r.want == "" || !strings.Contains(err.Error(), r.want)) {
				t.Errorf("error %v, want %q", err, r.want)
			}
		})
	}
}

// TestPlanNamesEveryUnfit: one plan names all pieces that cannot be planned, but
// for one that may fit when the mask before it goes with a piece that does not.
func TestPlanNamesEveryUnfit(t *testing.T) {
	l := newLog(t)
	l.user("u1", "x")
	for _, k := range []string{"1", "2", "3"} {
		l.agent("a"+k, "", 0, spawnCall("c"+k)).accepted("r"+k, "c"+k).agent("b"+k, "z", 0)
		if k != "3" {
			l.raw(`{"type":"custom","id":"m` + k + `","parentId":"b` + k + `","data":"` + "\x01" + `"}`)
			l.at("m" + k)
		}
		l.completion("e"+k, "c"+k, long).agent("d"+k, "y", 0).user("v"+k, "x")
	}
	l.agent("a4", "", 0, callOf("c4", "exec", nil)).result("r4", "c4", "exec", "x").agent("b4", "z", 0).user("e4", "z").agent("d4", "y", 0).
		user("v4", "x").agent("b5", "z", 0).user("e5", "z").agent("d5", "y", 0)
	cuts := []cut{
		{"a1 r1 b1 e1", []put{{"c1", "r1", "x", "y"}}}, {"a2 r2 b2 e2", []put{{"c2", "r2", "x", "y"}}}, {"a3 r3 b3 e3", []put{{"c3", "r3", "x", "y"}}},
		{"r4", []put{{"", "r4", "x", "y"}}}, {"b4 e4", []put{{"", "r5", "x", "y"}}}, {"b5 e5", []put{{"", "r6", "x", "y"}}},
	}
	unfit := func(cuts []cut) string {
		s := l.index()
		_, err := Format{}.Plan(s, piecesOf(t, s, cuts), terms)
		var bad *session.Unfit
		if !errors.As(err, &bad) {
			t.Fatalf("error %v", err)
		}
		names := []string{s.IDOf(bad.Member)}
		for _, i := range bad.Also {
			names = append(names, s.IDOf(i))
		}
		return strings.Join(names, " ")
	}
	if got, want := unfit(cuts), "a1 a2 b5"; got != want {
		t.Errorf("unfit: %s, want %s", got, want)
	}
	if got, want := unfit(cuts[2:5]), "b4"; got != want {
		t.Errorf("beside a mask: %s, want %s", got, want)
	}
}

func TestPlanUsage(t *testing.T) {
	total := func(n int) o { return o{"input": 10, "output": 5, "totalTokens": n} }
	rows := []struct {
		name  string
		usage o
		stop  string
		more  func(l *logFile) // behind the carrier
		want  string           // usage of the carrier afterwards
	}{
		{"lowered", total(9000), "stop", nil, `{"input":10,"output":5,"totalTokens":LOWER}`},
		{"never below what is sent", total(150), "stop", nil, `{"input":10,"output":5,"totalTokens":FLOOR}`},
		{"below that already", total(3), "stop", nil, `{"input":10,"output":5,"totalTokens":3}`},
		{"no total", o{"input": 8000, "output": 500, "cacheRead": 500}, "stop", nil, `{"totalTokens":LOWER,"cacheRead":500,"input":8000,"output":500}`},
		{"a total of 0", o{"input": 9000, "totalTokens": 0}, "stop", nil, `{"input":9000,"totalTokens":LOWER}`},
		{"a total that is no number", o{"input": 9000, "totalTokens": "many"}, "stop", nil, `{"input":9000,"totalTokens":LOWER}`},
		{"a total that is a list", o{"input": 9000, "totalTokens": []int{}}, "stop", nil, `{"input":9000,"totalTokens":[]}`},
		{"nothing recorded", o{"input": 0, "totalTokens": 0}, "stop", nil, `{"input":0,"totalTokens":0}`},
		{"a turn without usage behind it", total(9000), "stop", func(l *logFile) { l.agent("z1", "And.", 0).user("z2", "Bye.") }, `{"input":10,"output":5,"totalTokens":LOWER}`},
		{"a later turn carries it", total(9000), "stop", func(l *logFile) { l.agent("z1", "And.", 9500).user("z2", "Bye.") }, `{"input":10,"output":5,"totalTokens":9000}`},
		{"an error turn behind it is lowered too", total(9000), "stop", func(l *logFile) {
			l.message("z1", o{"role": "assistant", "content": []o{{"type": "text", "text": "Oh."}}, "provider": "local", "model": "m1", "stopReason": "error", "usage": o{"totalTokens": 9400}}).user("z2", "Bye.")
		}, `{"input":10,"output":5,"totalTokens":LOWER}`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			l := newLog(t)
			l.user("u1", "Please do it.").agent("a1", "", 0, spawnCall("c1")).accepted("r1", "c1").completion("e1", "c1", long).
				message("a2", o{"role": "assistant", "content": []o{{"type": "text", "text": "It is done."}}, "api": "x", "provider": "local", "model": "m1", "stopReason": r.stop, "usage": r.usage}).
				user("u2", "Thanks.")
			if r.more != nil {
				r.more(l)
			}
			log := l.bytes()
			before := indexed(t, log)
			after, _ := planned(t, log, func(s *session.Session) []session.Piece {
				return piecesOf(t, s, []cut{{"a1 r1 e1", []put{{"c1", "ref1", "x", "the record"}}}})
			})
			s := indexed(t, after)
			// What is taken off is the low estimate of what left the context.
			saved := 0
			for _, id := range []string{"a1", "r1", "e1"} {
				saved += before.Entries[entryOf(t, before, id)].Tokens()
			}
			masks := 0
			for _, text := range []string{"x", "the record"} {
				masks += (len(text) + 3) / 4
			}
			sent := 0
			for _, i := range s.Active[:s.Position(entryOf(t, s, "a2"))+1] {
				sent += s.Entries[i].Tokens()
			}
			raw, err := s.Raw(entryOf(t, s, "a2"))
			if err != nil {
				t.Fatal(err)
			}
			var e struct {
				Message struct{ Usage json.RawMessage }
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			var u struct{ TotalTokens any }
			json.Unmarshal(e.Message.Usage, &u)
			got := string(e.Message.Usage)
			n, _ := u.TotalTokens.(float64)
			switch low, floor := 9000-terms.Low(saved), terms.High(sent); {
			case strings.Contains(r.want, "LOWER"):
				if int(n) < low || int(n) > low+masks || int(n) < floor {
					t.Errorf("total %v, want %d to %d", n, low, low+masks)
				}
			case strings.Contains(r.want, "FLOOR"):
				if int(n) > floor || int(n) < floor/2 || int(n) >= 150 {
					t.Errorf("total %v, want about %d", n, floor)
				}
			}
			want := strings.NewReplacer("LOWER", fmt.Sprint(int(n)), "FLOOR", fmt.Sprint(int(n))).Replace(r.want)
			if got != want {
				t.Errorf("usage %s, want %s", got, want)
			}
			if r.name == "an error turn behind it is lowered too" {
				if u := s.UsageOf(entryOf(t, s, "z1")); u.Total >= 9400 || u.Total < 8000 {
					t.Errorf("the error turn's total is %d", u.Total)
				}
			}
		})
	}
}
