package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/session"
	"sessc/session/claudecode"
)

// claudeTurns is a log in which one message takes several lines: a turn with
// two messages of two calls at once, its answer, and a later turn. second is
// what came back for the second call of the first message; with summary the
// context begins with that of a compaction, and no prompt follows it.
func claudeTurns(second string, summary bool) string {
	var b strings.Builder
	n := 0
	line := func(typ, id, parent, rest string) {
		n++
		up := "null"
		if parent != "" {
			up = fmt.Sprintf("%q", parent)
		}
		fmt.Fprintf(&b, `{"type":%q,"uuid":%q,"parentUuid":%s,"isSidechain":false,"timestamp":"2026-05-01T10:00:%02d.000Z",%s}`+"\n", typ, id, up, n, rest)
	}
	says := func(id, parent, message, block, stop string) {
		line("assistant", id, parent, fmt.Sprintf(`"message":{"id":%q,"role":"assistant","model":"m","stop_reason":%q,"content":[%s]}`, message, stop, block))
	}
	call := func(id, parent, message, tool string) {
		says(id, parent, message, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"make %s"}}`, tool, tool), "tool_use")
	}
	result := func(id, parent, tool, text string) {
		line("user", id, parent, fmt.Sprintf(`"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`, tool, text))
	}
	long := strings.Repeat("one line of output that says little\n", 40)
	if summary {
		line("system", "c1", "", `"subtype":"compact_boundary"`)
		line("user", "u1", "c1", `"isCompactSummary":true,"message":{"role":"user","content":"The work so far."}`)
	} else {
		line("user", "u1", "", `"message":{"role":"user","content":"Go on."}`)
	}
	says("a1", "u1", "m1", `{"type":"text","text":"Two at once."}`, "tool_use")
	call("a2", "a1", "m1", "t1")
	call("a3", "a2", "m1", "t2")
	result("r2", "a3", "t2", second+long)
	result("r1", "a2", "t1", long)
	call("b1", "r1", "m2", "t3")
	call("b2", "b1", "m2", "t4")
	result("r3", "b1", "t3", long)
	result("r4", "b2", "t4", long)
	says("d1", "r4", "m3", `{"type":"text","text":"Done."}`, "end_turn")
	line("user", "u2", "d1", `"message":{"role":"user","content":"Thanks."}`)
	says("d2", "u2", "m4", `{"type":"text","text":"Welcome."}`, "end_turn")
	return b.String()
}

// TestLinesOfAMessage: the lines of one message, its calls and their results go
// together or stay together; the summary with which a context begins is a
// prompt.
func TestLinesOfAMessage(t *testing.T) {
	for _, c := range []struct {
		name    string
		second  string
		summary bool
		want    string
	}{
		{"all of a turn", "", false, "a1 a2 a3 r2 r1 b1 b2 r3 r4"},
		{"a refused call keeps its message", "The user doesn't want to proceed with this tool use. The user said: use ninja\n", false, "b1 b2 r3 r4"},
		{"behind a compaction", "", true, "a1 a2 a3 r2 r1 b1 b2 r3 r4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := claudeTurns(c.second, c.summary)
			s, err := session.Index(strings.NewReader(log), int64(len(log)), "/x.jsonl", claudecode.Format{}, session.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			o := lifecycle.Options{KeepTurns: 1}
			sel := lifecycle.Select(s, nil, o)
			w := scan.ReadWork(s)
			var got []string
			for _, l := range w.Find(lifecycle.Turn, lifecycle.NewFree(s, nil, &sel, w.Cleared(), o), o) {
				for _, i := range l.Members {
					got = append(got, s.IDOf(i))
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("members %s, want %s", got, c.want)
			}
		})
	}
}
