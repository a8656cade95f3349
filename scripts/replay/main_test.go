package main

import (
	"reflect"
	"strings"
	"testing"
)

// logOf are lines of a log, chained by their order.
func logOf(bodies ...string) [][]byte {
	lines := [][]byte{[]byte(`{"type":"session","version":3,"id":"s"}` + "\n")}
	parent := "null"
	for n, b := range bodies {
		id := string(rune('a' + n))
		lines = append(lines, []byte(`{"id":"`+id+`","parentId":`+parent+`,`+b+"}\n"))
		parent = `"` + id + `"`
	}
	return lines
}

func message(role, rest string) string {
	return `"type":"message","message":{"role":"` + role + `",` + rest + `}`
}

func user(text string) string { return message("user", `"content":"`+text+`"`) }

func agent(text, tool, args string) string {
	return message("assistant", `"content":[{"type":"text","text":"`+text+`"},{"type":"toolCall","id":"c","name":"`+tool+`","arguments":`+args+`}]`)
}

func tool(text string) string {
	return message("toolResult", `"toolCallId":"c","content":[{"type":"text","text":"`+text+`"}]`)
}

func TestRefs(t *testing.T) {
	for _, c := range []struct {
		text string
		want []ref
	}{
		{"see https://x.example/a?b=1.", []ref{{"url", "https://x.example/a?b=1"}}},
		{"src/a.go and /etc/hosts, main.py", []ref{{"path", "src/a.go"}, {"path", "/etc/hosts"}, {"path", "main.py"}}},
		{"4f2a9c1 and 1234567 and deadbeef", []ref{{"hash", "4f2a9c1"}}},
		{"run 11111111-1111-4111-8111-111111111111", []ref{{"id", "11111111-1111-4111-8111-111111111111"}}},
		{"ticket SHOP-12, node worker-pool-3", []ref{{"id", "SHOP-12"}, {"id", "worker-pool-3"}}},
		{"no reference at all", nil},
	} {
		if got := refsIn(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestTaken(t *testing.T) {
	before := contextOf(logOf(user("look at src/a.go"), agent("", "exec", `{"command":"cat src/a.go"}`), tool("imports lib/b.go and lib/c.go")))
	rest := logOf(
		user("and what of lib/c.go?"),                           // a person says it anew
		agent("I edit lib/b.go", "edit", `{"path":"lib/b.go"}`), // taken up once
		agent("", "read", `{"path":"lib/new.go"}`),              // not in the context before
		tool("src/z.go"), agent("lib/c.go again", "exec", `{}`))
	got := taken(before, rest)
	if want := []ref{{"path", "lib/b.go"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := before.callsWith("lib/b.go"); !reflect.DeepEqual(got, []string{"cat src/a.go"}) {
		t.Errorf("it stood in %q", got)
	}
}

func TestContext(t *testing.T) {
	lines := logOf(user("old.go"), agent("kept.go", "x", `{}`),
		`"type":"compaction","summary":"sum.go","firstKeptEntryId":"b"`, user("new.go"))
	c := contextOf(lines)
	for text, want := range map[string]bool{"old.go": false, "kept.go": true, "sum.go": true, "new.go": true, "ew.go": false} {
		if c.shows(text) != want {
			t.Errorf("%s is shown: %v, want %v", text, !want, want)
		}
	}
	folded := view{text: plain(`files~: src/{a,b}.go, "say \"hi\""`)}
	for _, text := range []string{"src/a.go", "src/b.go", `say "hi"`} {
		if !folded.shows(text) {
			t.Errorf("%s cannot be read in %q", text, folded.text)
		}
	}
}

func TestPromptNear(t *testing.T) {
	lines := logOf(user("one"), agent("", "x", `{}`), tool("r"), user("two"), tool("r"))
	for near, want := range map[int]int{5: 4, 4: 4, 3: 0, 1: 0} {
		if got := promptNear(lines, near); got != want {
			t.Errorf("near line %d: %d, want %d", near, got, want)
		}
	}
	if !strings.Contains(beginning("# note\nset -e\ngo   test ./..."), "go test ./...") {
		t.Error("the beginning of a command is what does something")
	}
}

// TestClaude reads a log of Claude Code with two calls at once, of which one leads on, behind a compaction.
func TestClaude(t *testing.T) {
	lines := [][]byte{
		[]byte(`{"type":"user","uuid":"u0","parentUuid":null,"message":{"role":"user","content":"old.go"}}`),
		[]byte(`{"type":"system","subtype":"compact_boundary","uuid":"c1","parentUuid":null}`),
		[]byte(`{"type":"user","uuid":"u1","parentUuid":"c1","message":{"role":"user","content":"the summary"}}`),
		[]byte(`{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"one.go"}}]}}`),
		[]byte(`{"type":"assistant","uuid":"a2","parentUuid":"a1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"two.go"}}]}}`),
		[]byte(`{"type":"user","uuid":"r2","parentUuid":"a2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"in-two.go"}]}}`),
		[]byte(`{"type":"user","uuid":"r1","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"in-one.go"}]}]}}`),
		[]byte(`{"type":"user","uuid":"s1","parentUuid":null,"isSidechain":true,"message":{"role":"user","content":"aside.go"}}`),
		[]byte(`{"type":"progress","uuid":"p1","parentUuid":"r1","data":{}}`),
	}
	c := contextOf(lines)
	for text, want := range map[string]bool{"the summary": true, "one.go": true, "two.go": true, "in-one.go": true, "in-two.go": true, "old.go": false, "aside.go": false} {
		if got := c.shows(text); got != want {
			t.Errorf("%q is shown: %v, want %v", text, got, want)
		}
	}
	if n := promptNear(lines, 6); n != 2 {
		t.Errorf("the prompt before line 7 is line %d, want 3", n+1)
	}
}
