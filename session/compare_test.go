package session_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sessc/session"
	"sessc/session/openclaw"
)

const answer = `{"role":"assistant","provider":"p","model":"m","stopReason":"stop","content":[{"type":"text","text":"%s"}]}`

// original is a log with everything in it that a rewrite could lose.
var original = strings.Join([]string{
	`{"type":"session","version":3,"id":"s1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/x"}`,
	`{"type":"thinking_level_change","id":"m0","parentId":null,"thinkingLevel":"low"}`,
	`{"type":"message","id":"u1","parentId":"m0","timestamp":"2026-03-01T10:01:00.000Z","message":{"role":"user","content":"please do this for me"}}`,
	`{"type":"message","id":"a1","parentId":"u1","message":{"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"f"}}]}}`,
	`{"type":"message","id":"r1","parentId":"a1","message":{"role":"toolResult","toolCallId":"c1","content":"a long text from the file"}}`,
	`{"type":"message","id":"a2","parentId":"r1","message":` + fmt.Sprintf(answer, "half of it is done") + `}`,
	`{"type":"label","id":"m1","parentId":"a2","targetId":"a2","label":"here"}`,
	`{"type":"message","id":"u2","parentId":"m1","timestamp":"2026-03-01T10:02:00.000Z","message":{"role":"user","content":"and the rest?"}}`,
	`{"type":"message","id":"a3","parentId":"u2","message":` + fmt.Sprintf(answer, "done now") + `}`,
	`{"type":"message","id":"side","parentId":"a2","message":{"role":"user","content":"another way"}}`,
	``,
	`not JSON`,
	`{"type":"weather","id":"x1","parentId":"a3"}`,
	`{"type":"message","id":"u3","parentId":"x1","timestamp":"2026-03-01T10:03:00.000Z","message":{"role":"user","content":"thanks"}}`,
	`{"type":"message","id":"a4","parentId":"u3","message":` + fmt.Sprintf(answer, "welcome") + `}`,
	``,
}, "\n")

func read(t *testing.T, log string) *session.Session {
	t.Helper()
	s, err := session.Index(bytes.NewReader([]byte(log)), int64(len(log)), "x.jsonl", openclaw.Format{}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// edits changes lines by their id: an empty text removes one. A key that is no
// id stands for a part of the text.
func edits(t *testing.T, log string, changes map[string]string) string {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		to := changes[key]
		at := strings.Index(log, `{"type":"`+key)
		if at < 0 {
			at = strings.Index(log, `"id":"`+key+`"`)
			if at >= 0 {
				at = strings.LastIndexByte(log[:at], '\n') + 1
			}
		}
		if at < 0 {
			at = strings.Index(log, key)
		}
		if at < 0 {
			t.Fatalf("no %s in the log", key)
		}
		end := at + strings.IndexByte(log[at:], '\n') + 1
		if to != "" {
			to += "\n"
		}
		log = log[:at] + to + log[end:]
	}
	return log
}

func TestWorse(t *testing.T) {
	const mask = `"sessc":{"v":1,"ref":"r","gen":1}`
	rows := []struct {
		name    string
		changes map[string]string
		want    []string // part of each finding, in order; none when nothing is worse
	}{
		{"nothing changed", nil, nil},
		{"a pair shortened", map[string]string{
			"a1": `{"type":"message","id":"a1","parentId":"u1",` + mask + `,"message":{"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{}}]}}`,
			"r1": `{"type":"message","id":"r1","parentId":"a1",` + mask + `,"message":{"role":"toolResult","toolCallId":"c1","content":"short"}}`,
		}, nil},
		{"a call dropped, its result kept", map[string]string{
			"a1": `{"type":"message","id":"a1","parentId":"u1",` + mask + `,"message":` + fmt.Sprintf(answer, "x") + `}`,
		}, []string{"results without a call: 1, before 0"}},
		{"a result dropped, its call kept", map[string]string{
			"r1": "",
			"a2": `{"type":"message","id":"a2","parentId":"a1","message":` + fmt.Sprintf(answer, "half of it is done") + `}`,
		}, []string{"calls without a result: 1, before 0", "neighbours of the same role: 1, before 0", "line 5 follows one of its own role"}},
		{"a human dropped", map[string]string{
			"u2": "",
			"a3": `{"type":"message","id":"a3","parentId":"m1","message":` + fmt.Sprintf(answer, "done now") + `}`,
		}, []string{"neighbours of the same role: 1", "line 8 follows one of its own role", "human entries on the active path changed", "human entries: 3, before 4"}},
		{"a human shortened", map[string]string{
			"u1": `{"type":"message","id":"u1","parentId":"m0","timestamp":"2026-03-01T10:01:00.000Z","message":{"role":"user","content":"do"}}`,
		}, []string{"human entries on the active path changed"}},
		{"a human made an event", map[string]string{
			"u1": `{"type":"custom_message","id":"u1","parentId":"m0","timestamp":"2026-03-01T10:01:00.000Z","content":"please do this for me"}`,
		}, []string{"human entries on the active path changed", "human entries: 3, before 4"}},
		{"a human off the path dropped", map[string]string{"side": ""}, []string{"human entries: 3, before 4"}},
		{"another leaf", map[string]string{"a4": ""}, []string{`active leaf: "u3", before "a4"`}},
		{"another model", map[string]string{
			"a4": `{"type":"message","id":"a4","parentId":"u3","message":{"role":"assistant","provider":"p","model":"n","content":[{"type":"text","text":"welcome"}]}}`,
		}, []string{`model: "p/n", before "p/m"`}},
		{"another reasoning level", map[string]string{"thinking_level_change": `{"type":"thinking_level_change","id":"m0","parentId":null,"thinkingLevel":"off"}`},
			[]string{`reasoning level: "off", before "low"`}},
		{"metadata lost", map[string]string{
			"label": "",
			"u2":    `{"type":"message","id":"u2","parentId":"a2","timestamp":"2026-03-01T10:02:00.000Z","message":{"role":"user","content":"and the rest?"}}`,
		}, []string{"meta entries: 1, before 2"}},
		{"metadata under another id", map[string]string{
			"label": `{"type":"label","id":"m2","parentId":"a2","targetId":"a2","label":"here"}`,
			"u2":    `{"type":"message","id":"u2","parentId":"m2","timestamp":"2026-03-01T10:02:00.000Z","message":{"role":"user","content":"and the rest?"}}`,
		}, []string{`meta entry "m1" is gone`}},
		{"an unknown line lost", map[string]string{
			"weather": "",
			"u3":      `{"type":"message","id":"u3","parentId":"a3","timestamp":"2026-03-01T10:03:00.000Z","message":{"role":"user","content":"thanks"}}`,
		}, []string{"opaque entries: 0, before 1"}},
		{"a damaged line lost", map[string]string{"not JSON": ""}, []string{"damaged entries: 0, before 1"}},
		{"a blank line filled", map[string]string{"\nnot JSON": "not JSON\n{"}, []string{"damaged lines: 3, before 1", "blank entries: 0, before 1"}},
		{"an id twice", map[string]string{"side": `{"type":"message","id":"m1","parentId":"a2","message":{"role":"user","content":"another way"}}`},
			[]string{"an ambiguous place", "neighbours of the same role", "tokens in the context", "line 8 follows", "human entries on the active path changed", `human entry "side" is gone`}},
		{"a dangling parent", map[string]string{"side": `{"type":"message","id":"side","parentId":"nobody","message":{"role":"user","content":"another way"}}`},
			[]string{"entries with a missing parent: 1, before 0"}},
		{"a new root", map[string]string{"side": `{"type":"message","id":"side","parentId":null,"message":{"role":"user","content":"another way"}}`}, []string{"roots: 2, before 1"}},
		{"a dangling pointer", map[string]string{"label": `{"type":"label","id":"m1","parentId":"a2","targetId":"nobody","label":"here"}`},
			[]string{"lines whose targetId names no entry: 1, before 0"}},
		{"new neighbours for old ones", map[string]string{
			"a2": `{"type":"custom_message","id":"a2","parentId":"r1",` + mask + `,"content":"x"}`,
		}, []string{"neighbours of the same role: 1", "line 8 follows one of its own role"}},
		{"a context that grew", map[string]string{
			"r1": `{"type":"message","id":"r1","parentId":"a1",` + mask + `,"message":{"role":"toolResult","toolCallId":"c1","content":"` + strings.Repeat("a much longer text ", 9) + `"}}`,
		}, []string{"tokens in the context"}},
		{"a context that begins with the assistant", map[string]string{
			"a1": `{"type":"message","id":"a1","parentId":"m0","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"f"}}]}}`,
		}, []string{"contexts that begin with no user entry: 1", "human entries on the active path changed"}},
		{"a mask at the end of the file", map[string]string{
			"a4": `{"type":"message","id":"a4","parentId":"u3",` + mask + `,"message":` + fmt.Sprintf(answer, "x") + `}`,
		}, []string{"masks as the last assistant entry of the file: 1"}},
		{"another session", map[string]string{"session": `{"type":"session","version":3,"id":"s2","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/y"}`},
			[]string{`session id: "s2", before "s1"`, `working directory: "/y", before "/x"`}},
		{"another version", map[string]string{"session": `{"type":"session","id":"s1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/x"}`}, []string{"version: , before 3"}},
		{"humans in another order", map[string]string{
			"u1": `{"type":"message","id":"u2","parentId":"m0","timestamp":"2026-03-01T10:02:00.000Z","message":{"role":"user","content":"and the rest?"}}`,
			"m1": `{"type":"label","id":"m1","parentId":"a2","targetId":"a2","label":"here"}` + "\n" + `{"type":"message","id":"u1","parentId":"m1","timestamp":"2026-03-01T10:01:00.000Z","message":{"role":"user","content":"please do this for me"}}`,
		}, []string{"*"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			before := read(t, original)
			got := session.Worse(before, read(t, edits(t, original, r.changes)))
			if len(r.want) == 1 && r.want[0] == "*" {
				if len(got) == 0 {
					t.Error("nothing was found")
				}
				return
			}
			for n := range max(len(got), len(r.want)) {
				if n >= len(got) || n >= len(r.want) || !strings.Contains(got[n], r.want[n]) {
					t.Fatalf("found %q, want %q", got, r.want)
				}
			}
		})
	}
}

// TestWorseIsRelative lets faults stay that were there before, and fewer of
// them too.
func TestWorseIsRelative(t *testing.T) {
	faulty := edits(t, original, map[string]string{
		"side": `{"type":"message","id":"side","parentId":"nobody","message":{"role":"user","content":"another way"}}`,
		"r1":   `{"type":"message","id":"r1","parentId":"a1","message":{"role":"toolResult","toolCallId":"other","content":"a long text from the file"}}`,
	})
	if got := session.Worse(read(t, faulty), read(t, faulty)); got != nil {
		t.Errorf("old faults: %q", got)
	}
	if got := session.Worse(read(t, faulty), read(t, original)); got != nil {
		t.Errorf("fewer faults: %q", got)
	}
}

// TestWorseNeighbours exchanges one pair of neighbours for another, which a
// count does not show.
func TestWorseNeighbours(t *testing.T) {
	line := func(id, parent, role string) string {
		return fmt.Sprintf(`{"type":"message","id":"%s","parentId":"%s","message":{"role":"%s","provider":"p","model":"m","content":"x"}}`, id, parent, role) + "\n"
	}
	event := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"custom_message","id":"%s","parentId":"%s","content":"x"}`, id, parent) + "\n"
	}
	head := `{"type":"session","version":3,"id":"s1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/x"}` + "\n"
	tail := line("a9", "u9", "assistant")
	before := head + event("e1", "") + event("e2", "e1") + line("a1", "e2", "assistant") + event("e3", "a1") + line("a2", "e3", "assistant") + line("u9", "a2", "user") + tail
	same := head + event("e2", "") + line("a1", "e2", "assistant") + event("e3", "a1") + line("a2", "e3", "assistant") + line("u9", "a2", "user") + tail
	after := head + event("e2", "") + line("a1", "e2", "assistant") + line("a2", "a1", "assistant") + line("u9", "a2", "user") + tail
	if got := session.Worse(read(t, before), read(t, same)); got != nil {
		t.Errorf("neighbours that went: %q", got)
	}
	got := session.Worse(read(t, before), read(t, after))
	if len(got) != 1 || !strings.Contains(got[0], "line 4 follows one of its own role") {
		t.Errorf("neighbours that came for others: %q", got)
	}
}
