package claudecode

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// cleared applies the plan that clears the result of the first call of a log,
// and one of its arguments.
func cleared(t *testing.T, log []byte, args ...session.Arg) ([]byte, error) {
	t.Helper()
	s := indexed(t, log)
	c := s.Calls[0]
	piece := session.Piece{Members: []int32{c.Entry, c.Result}, Stay: true, Put: []session.Put{{Key: "k", Call: 0, Ref: "0123456789ab", Text: "[cleared]", Args: args}}}
	plan, err := Format{}.Plan(s, []session.Piece{piece}, terms)
	if err != nil {
		return nil, err
	}
	out := splicedBy(t, log, plan)
	if worse := session.Worse(s, indexed(t, out)); worse != nil {
		t.Errorf("worse: %s", strings.Join(worse, "; "))
	}
	return out, nil
}

// TestChange clears a result and an argument: all other bytes stay, the
// structured copy included.
func TestChange(t *testing.T) {
	text := long("text")
	for name, content := range map[string]any{"string": text, "blocks": []more{{"type": "text", "text": text}}} {
		log := (&script{}).user("u1", "", "go").
			call("a1", "u1", "m1", "t1", "Write", more{"file_path": "/x", "content": text}).
			result("r1", "a1", "t1", content, more{"toolUseResult": more{"type": "create", "content": text}}).
			text("b1", "r1", "m2", "done", more{"stop_reason": "end_turn"}).bytes()
		out, err := cleared(t, log, session.Arg{Path: []string{"content"}, Text: "[argument]"})
		if err != nil {
			t.Fatal(err)
		}
		was, is := jsonOf(content), `"[cleared]"`
		if name == "blocks" {
			is = `[{"text":"[cleared]","type":"text"}]`
		}
		lines := strings.SplitAfter(string(log), "\n")
		mark := `,"sessc":{"v":1,"ref":"0123456789ab","gen":3}}` + "\n"
		lines[1] = strings.TrimSuffix(strings.Replace(lines[1], jsonOf(text), `"[argument]"`, 1), "}\n") + mark
		lines[2] = strings.TrimSuffix(strings.Replace(lines[2], `"content":`+was+`,"tool_use_id"`, `"content":`+is+`,"tool_use_id"`, 1), "}\n") + mark
		got := strings.SplitAfter(strings.Replace(string(out), `{"type":"text","text":"[cleared]"}`, `{"text":"[cleared]","type":"text"}`, 1), "\n")
		for n := range 3 { // the usage of the last line is lowered
			if got[n] != lines[n] {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got[n], lines[n])
			}
		}
		if c := gjson.Get(strings.Split(string(out), "\n")[2], "toolUseResult.content").String(); c != text {
			t.Errorf("%s: the structured copy changed: %q", name, c)
		}
	}
}

// TestChangeUnfit: a result that shares its line is left alone, and an argument
// that is no text.
func TestChangeUnfit(t *testing.T) {
	two := (&script{}).user("u1", "", "go").call("a1", "u1", "m1", "t1", "Bash", more{"command": "x"}).call("a2", "a1", "m1", "t2", "Bash", more{"command": "y"}).
		user("r1", "a2", []more{{"type": "tool_result", "tool_use_id": "t1", "content": long("a")}, {"type": "tool_result", "tool_use_id": "t2", "content": long("b")}}).
		text("b1", "r1", "m2", "done", more{"stop_reason": "end_turn"}).bytes()
	odd := asks("Bash", more{"command": 7}).result("r1", "a1", "t1", long("a")).text("b1", "r1", "m2", "done").bytes()
	var unfit *session.Unfit
	if _, err := cleared(t, two); !errors.As(err, &unfit) {
		t.Errorf("two results in one line: %v", err)
	}
	if _, err := cleared(t, odd, session.Arg{Path: []string{"command"}, Text: "x"}); !errors.As(err, &unfit) {
		t.Errorf("an argument that is no text: %v", err)
	}
}

// TestFixed finds the lines that the layers behind the tasks may not touch.
func TestFixed(t *testing.T) {
	start := func() *script { return asks("Bash", more{"command": "make"}) }
	for name, c := range map[string]struct {
		log  *script
		want string
	}{
		"plain":                   {start().result("r1", "a1", "t1", "fine"), ""},
		"refused":                 {start().fail("r1", "a1", "t1", "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse ninja"), "r1"},
		"denied":                  {start().result("r1", "a1", "t1", "no", more{"toolDenialKind": "user-rejected"}), "r1"},
		"words":                   {start().user("r1", "a1", []more{{"type": "tool_result", "tool_use_id": "t1", "content": "fine"}, {"type": "text", "text": "and use ninja"}}), "r1"},
		"twice":                   {start().result("r1", "a1", "t1", "fine").result("r2", "r1", "t1", "fine"), "r1 r2"},
		"launch without its call": {start().result("r1", "a1", "t1", launchText("g1"), launched("g1")), "r1"},
		"nearest":                 {start().result("r1", "a1", "t1", "fine").text("b1", "gone", "m2", "done"), "r1"},
	} {
		s := c.log.index(t)
		var fixed []int32
		for i := range s.Entries {
			if s.Entries[i].Is(session.Fixed) {
				fixed = append(fixed, int32(i))
			}
		}
		if got := idsOf(s, fixed); got != c.want {
			t.Errorf("%s: %q are fixed, want %q", name, got, c.want)
		}
	}
}
