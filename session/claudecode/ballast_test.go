package claudecode

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// lightened applies a plan that takes out disk weight, beside a piece that
// clears the result of the first call.
func lightened(t *testing.T, log []byte) (*session.Session, []byte, *session.Plan) {
	t.Helper()
	s := indexed(t, log)
	c := s.Calls[0]
	disk := terms
	disk.Disk = true
	piece := session.Piece{Members: []int32{c.Result}, Stay: true, Put: []session.Put{{Key: "k", Call: 0, Ref: "0123456789ab", Text: "[cleared]"}}}
	plan, err := Format{}.Plan(s, []session.Piece{piece}, disk)
	if err != nil {
		t.Fatal(err)
	}
	return s, splicedBy(t, log, plan), plan
}

// TestLighten takes progress lines out of the chain and from beside it, and the
// copy of a result that was cleared. One that another line names stays.
func TestLighten(t *testing.T) {
	copied := more{"toolUseResult": more{"stdout": long("out")}}
	l := (&script{}).user("u1", "", "go").progress("p1", "u1").progress("p2", "p1").
		bash("a1", "p2", "m1", "t1").progress("p3", "a1").result("r1", "p3", "t1", long("out"), copied).
		bash("a2", "r1", "m2", "t2").progress("p4", "a2").result("r2", "a2", "t2", long("two"), copied).progress("p5", "r2").
		text("b1", "p5", "m3", "Done.", more{"stop_reason": "end_turn"}).raw(`{"type":"pin","line":"p4"}`)
	before, out, plan := lightened(t, l.bytes())
	after := indexed(t, out)
	if got, want := hangs(after), "u1< a1<u1 r1<a1 a2<r1 p4<a2 r2<a2 b1<r2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for line, want := range map[string]bool{"r1": false, "r2": true} {
		for raw := range strings.Lines(string(out)) {
			if v := gjson.Parse(raw); v.Get("uuid").Str == line && v.Get("toolUseResult").Exists() != want {
				t.Errorf("%s has a structured copy: %v, want %v", line, !want, want)
			}
		}
	}
	if worse := session.Worse(before, after); worse != nil {
		t.Errorf("worse: %s", strings.Join(worse, "; "))
	}
	lines := 0
	for _, e := range plan.Edits {
		if e.Disk && before.Entries[e.Entries[0]].Off == e.At.Off {
			lines++
		}
	}
	if lines != 4 {
		t.Errorf("%d lines count as disk weight, want 4", lines)
	}
}

// TestIdle: what the client or a later run may look for in a structured copy.
func TestIdle(t *testing.T) {
	pad := `,"pad":"` + strings.Repeat("x", leastMirror) + `"}`
	for copied, want := range map[string]bool{
		`{"stdout":"x"` + pad: true, `{"filePath":"/x","type":"update"` + pad: true, `{"type":"create"` + pad: false,
		`{"status":"async_launched"` + pad: false, `{"agentId":"a"` + pad: false, `{"backgroundTaskId":"b"` + pad: false, `{"stdout":"x"}`: false, `"Error: x"`: false,
	} {
		if got := idle(gjson.Parse(copied)); got != want {
			t.Errorf("idle(%.40s) = %v", copied, got)
		}
	}
}
