package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"sessc/mask"
	"sessc/scan"
	"sessc/session"
	"sessc/session/jsonwalk"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// long is a prompt or a report that is worth masking.
func long(what string) string {
	return what + ":\n" + strings.Repeat("- read \"the manifest\" of <module>, C:\\temp & é 😀, and compare it with the lock file\n", 12)
}

// piecesOf are the pieces for all finished lifecycles, as Select and Records
// make them for a format that masks in place.
func piecesOf(s *session.Session) []session.Piece {
	var pieces []session.Piece
	for _, l := range scan.Find(s) {
		if !l.State.Finished() {
			continue
		}
		p := session.Piece{Members: l.Entries(), InPlace: true}
		put := session.Put{Key: l.Key, Call: -1, Ref: "0123456789ab" + fmt.Sprint(len(pieces)), Headline: "Scan deps"}
		for n := range s.Calls {
			if s.Calls[n].Entry == l.Spawn && s.Str(s.Calls[n].ID) == l.Key {
				put.Call = int32(n)
			}
		}
		put.Text = mask.Render(mask.Normalise(mask.Record{Origin: mask.OriginAgent, Task: l.Label, Result: mask.ResultSuccess, Conclusion: `"left-pad" is 3 years old`, Ref: put.Ref}))
		p.Put = []session.Put{put}
		pieces = append(pieces, p)
	}
	return pieces
}

var terms = session.PlanTerms{Low: func(n int) int { return n * 8 / 10 }, High: func(n int) int { return n * 12 / 10 }, Generation: 3}

// rewritten applies the plan for a log.
func rewritten(t testing.TB, s *session.Session, log []byte) (*session.Plan, []byte) {
	t.Helper()
	plan, err := Format{}.Plan(s, piecesOf(s), terms)
	if err != nil {
		t.Fatal(err)
	}
	return plan, splicedBy(t, log, plan)
}

// splicedBy is a log with the edits of a plan.
func splicedBy(t testing.TB, log []byte, plan *session.Plan) []byte {
	t.Helper()
	spliced, err := session.Splice(bytes.NewReader(log), int64(len(log)), plan.Edits)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, spliced.Size())
	if _, err := spliced.ReadAt(out, 0); err != nil {
		t.Fatal(err)
	}
	return out
}

// planned are logs with finished sub-tasks of every shape.
func planned() map[string][]byte {
	task := more{"description": "scan deps", "prompt": long("Scan"), "subagent_type": "Explore", "run_in_background": false}
	report := long("Report")
	end := func(l *script, id, parent string) []byte {
		return l.text(id, parent, "m9", "All is well.", more{"stop_reason": "end_turn"}).bytes()
	}
	background := func() *script {
		return asks("Agent", task).result("r1", "a1", "t1", []more{{"type": "text", "text": asyncHead + "\nagentId: g1 (internal)\n" + strings.Repeat("Wait until you are told. ", 20)}}, launched("g1")).
			text("b1", "r1", "m2", "waiting")
	}
	framed := []more{{"type": "text", "text": "[Subagent hand-back] The report follows:\n  " + report}, {"type": "text", "text": "agentId: g1 (use SendMessage)\n<usage>subagent_tokens: 15</usage>"}}
	logs := map[string][]byte{
		"sync":             end(asks("Task", task).result("r1", "a1", "t1", framed, completed("g1", report)), "b1", "r1"),
		"sync-1.0":         end(asks("Task", task).result("r1", "a1", "t1", report, more{"toolUseResult": more{"content": []more{{"type": "text", "text": report}}, "totalDurationMs": 9, "totalTokens": 15}}), "b1", "r1"),
		"sync-no-prompt":   end(asks("Task", more{"description": "scan deps"}).fail("r1", "a1", "t1", "<tool_use_error>InputValidationError: "+long("prompt is missing")+"</tool_use_error>"), "b1", "r1"),
		"bad-type":         end(asks("Agent", task).fail("r1", "a1", "t1", "Agent type 'x' not found. Available agents: y"), "b1", "r1"),
		"told":             end(background().queued(noticeOf("g1", "t1", "completed", report)).told("n1", "b1", noticeOf("g1", "t1", "completed", report)), "b2", "n1"),
		"told-2.1.29":      end(background().user("n1", "b1", noticeOf("g1", "", "completed", report)+"\nFull transcript available at: /tmp/g1.output"), "b2", "n1"),
		"absorbed":         end(background().absorbed("n1", "b1", noticeOf("g1", "t1", "completed", report)), "b2", "n1"),
		"told-twice":       end(background().absorbed("n1", "b1", noticeOf("g1", "t1", "completed", report)).told("n2", "n1", noticeOf("g1", "t1", "completed", report)), "b2", "n2"),
		"killed":           end(background().call("a2", "b1", "m3", "t2", "TaskStop", more{"task_id": "g1"}).result("r2", "a2", "t2", `{"task_id":"g1","task_type":"local_agent"}`, more{"toolUseResult": more{"task_id": "g1", "task_type": "local_agent"}}).told("n1", "r2", noticeOf("g1", "t1", "killed", "")), "b2", "n1"),
		"pulled":           end(background().call("a2", "b1", "m3", "t2", "TaskOutput", more{"task_id": "g1"}).result("r2", "a2", "t2", "<task_id>g1</task_id>\n\n<status>completed</status>\n\n<output>\n"+report+"\n</output>"), "b2", "r2"),
		"one-results-line": end((&script{}).user("u1", "", "go").call("a1", "u1", "m1", "t1", "Agent", task).call("a2", "a1", "m1", "t2", "Agent", task).user("r1", "a2", []more{{"type": "tool_result", "tool_use_id": "t1", "content": report + "\nagentId: g1"}, {"type": "tool_result", "tool_use_id": "t2", "content": report + "\nagentId: g2"}}, more{"toolUseResult": more{"x": 1}}), "b1", "r1"),
	}
	again := background().told("n1", "b1", noticeOf("g1", "t1", "completed", report)).
		call("a2", "n1", "m3", "t2", "SendMessage", more{"to": "g1", "summary": "go on", "message": long("More"), "type": "message", "content": long("More")}).
		result("r2", "a2", "t2", []more{{"type": "text", "text": `{"success":true,"resumedAgentId":"g1"}`}}, more{"toolUseResult": more{"success": true, "resumedAgentId": "g1"}}).
		text("b2", "r2", "m4", "waiting").absorbed("n2", "b2", noticeOf("g1", "t2", "completed", report))
	logs["asked-again"] = end(again, "b3", "n2")
	logs["odd-bytes"] = []byte("\ufeff" + strings.NewReplacer("\n", " \r\n", "<", `\u003c`, "é", `\u00e9`, `"type":`, `"type" : `).Replace(string(logs["absorbed"])))
	full := asks("Task", task).result("r1", "a1", "t1", framed, completed("g1", report)).
		text("b1", "r1", "m9", "All", more{"usage": more{"input_tokens": 3, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 600, "output_tokens": 1}}).
		text("b2", "b1", "m9", "is well.", more{"usage": more{"input_tokens": 3, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 600, "output_tokens": 90}})
	logs["usage"] = full.bytes()
	return logs
}

// TestPlan compares rewritten logs with golden files, and holds each to what a
// rewrite in place promises.
func TestPlan(t *testing.T) {
	for name, log := range planned() {
		t.Run(name, func(t *testing.T) {
			s := indexed(t, log)
			plan, got := rewritten(t, s, log)
			golden := filepath.Join("testdata", "plan", name+".want.jsonl")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the rewritten log is not the golden one:\n%s", firstDifference(got, want))
			}
			after := indexed(t, got)
			if worse := session.Worse(s, after); worse != nil {
				t.Errorf("worse: %q", worse)
			}
			if left := describe(after); left != "" {
				t.Errorf("a second run would find %s", left)
			}
			checkLines(t, s, plan, log, got)
		})
	}
}

// checkLines compares lines before and after: those that hold a mask carry the
// marker, all are whole, no content block got a key, untouched ones are equal.
func checkLines(t *testing.T, s *session.Session, plan *session.Plan, before, after []byte) {
	t.Helper()
	masked, changed := map[int]bool{}, map[int]bool{}
	for _, e := range plan.Edits {
		line := s.LineOf(e.Entries[0]) - 1
		changed[line] = true
		masked[line] = masked[line] || e.Ref != ""
	}
	old, now := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	if len(old) != len(now) {
		t.Fatalf("%d lines, before %d", len(now), len(old))
	}
	for n := range old {
		if !changed[n] {
			if !bytes.Equal(old[n], now[n]) {
				t.Errorf("line %d changed", n+1)
			}
			continue
		}
		line := jsonwalk.TrimBOM(now[n])
		if !json.Valid(line) {
			t.Errorf("line %d is no JSON: %s", n+1, line)
		}
		mark := gjson.GetBytes(line, envelope)
		if masked[n] != (mark.Get("ref").Exists() && mark.Get("v").Int() == 1 && mark.Get("gen").Int() == 3) {
			t.Errorf("line %d: marker %s", n+1, mark.Raw)
		}
		keys := func(raw []byte) (all string) {
			gjson.GetBytes(raw, "message.content").ForEach(func(_, b gjson.Result) bool {
				b.ForEach(func(k, _ gjson.Result) bool { all += k.String() + " "; return true })
				return true
			})
			return all
		}
		if a, b := keys(jsonwalk.TrimBOM(old[n])), keys(line); a != b {
			t.Errorf("line %d: keys of content blocks %s, before %s", n+1, b, a)
		}
	}
}

func firstDifference(a, b []byte) string {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for n := range min(len(x), len(y)) {
		if !bytes.Equal(x[n], y[n]) {
			return fmt.Sprintf("line %d\n%s\nwant\n%s", n+1, x[n], y[n])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(x), len(y))
}

// TestPlanRefuses checks that no half plan is made.
func TestPlanRefuses(t *testing.T) {
	log := planned()["sync"]
	s := indexed(t, log)
	whole := piecesOf(s)[0]
	rows := []struct {
		name  string
		spoil func(p *session.Piece)
		want  string
	}{
		{"no members", func(p *session.Piece) { p.Members = nil }, "without members"},
		{"no mask", func(p *session.Piece) { p.Put = nil }, "not that of one answered call"},
		{"two masks", func(p *session.Piece) { p.Put = append(p.Put, p.Put[0]) }, "not that of one answered call"},
		{"no call", func(p *session.Piece) { p.Put[0].Call = -1 }, "not that of one answered call"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			p := session.Piece{Members: whole.Members, InPlace: true, Put: append([]session.Put{}, whole.Put...)}
			r.spoil(&p)
			plan, err := Format{}.Plan(s, []session.Piece{p}, terms)
			if err == nil || !strings.Contains(err.Error(), r.want) {
				t.Errorf("plan %v, error %v", plan, err)
			}
			var unfit *session.Unfit
			if len(p.Members) > 0 && (!errors.As(err, &unfit) || unfit.Member != p.Members[0]) {
				t.Errorf("no piece is named: %v", err)
			}
		})
	}
	twice := bytes.Replace(log, []byte(`"isSidechain":false,`), []byte(`"isSidechain":false,"isSidechain":false,`), -1)
	s = indexed(t, twice)
	if _, err := (Format{}).Plan(s, piecesOf(s), terms); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a line with a key twice: %v", err)
	}
	if plan, err := (Format{}).Plan(s, nil, terms); err != nil || !plan.Empty() {
		t.Errorf("nothing to do: %v, %v", plan, err)
	}
}

// TestResidue checks that what stays of a masked lifecycle is what the plan
// leaves of it, without the mask's own words.
func TestResidue(t *testing.T) {
	for name, log := range planned() {
		t.Run(name, func(t *testing.T) {
			s := indexed(t, log)
			_, out := rewritten(t, s, log)
			after := indexed(t, out)
			pieces := piecesOf(s)
			for _, p := range pieces {
				stays, err := Format{}.Residue(s, p)
				if err != nil {
					t.Fatal(err)
				}
				was, now := 0, 0
				for _, i := range p.Members {
					was += s.Entries[i].Tokens()
					now += after.Entries[i].Tokens()
				}
				// A line that two of them share stays for the other one.
				shared := len(pieces) > 1 && name == "one-results-line"
				if stays <= 0 || stays > now && !shared || now >= was {
					t.Errorf("%d tokens stay of %d; the plan leaves %d", stays, was, now)
				}
			}
		})
	}
}

// TestLowerUsage checks the figures from which the client takes how full the
// context is.
func TestLowerUsage(t *testing.T) {
	log := planned()["usage"]
	s := indexed(t, log)
	_, out := rewritten(t, s, log)
	after := indexed(t, out)
	removed := s.Tokens() - after.Tokens()
	if want := s.Recorded - terms.Low(removed); after.Recorded != max(want, terms.High(after.Tokens())) {
		t.Errorf("recorded %d, before %d, for %d tokens removed and %d sent", after.Recorded, s.Recorded, removed, after.Tokens())
	}
	for _, id := range []string{"b1", "b2"} {
		raw, err := after.Raw(after.Lookup(id)[0])
		if err != nil {
			t.Fatal(err)
		}
		u := gjson.GetBytes(raw, "message.usage")
		if u.Get("cache_read_input_tokens").Int() >= 600 || u.Get("output_tokens").Int() == 0 || gjson.GetBytes(raw, envelope).Exists() {
			t.Errorf("line %s has the usage %s", id, u.Raw)
		}
	}
}

// TestEscapedOffset compares places in escaped and decoded strings.
func TestEscapedOffset(t *testing.T) {
	for _, text := range []string{"plain", "é😀x", "a\n\t\"\\b", "\u2028<>&"} {
		for _, raw := range []string{string(jsonwalk.Quote(text)), jsonOf(text), asciiOf(text)} {
			raw = raw[1 : len(raw)-1]
			for n := range text + "." {
				at := escapedOffset(raw, n)
				if at < 0 || string(unescape(raw[:at])) != text[:n] {
					t.Errorf("%d bytes of %q end at %d of %q", n, text, at, raw)
				}
			}
		}
	}
	if at := escapedOffset("é", 1); at != -1 {
		t.Errorf("a place inside a character is %d", at)
	}
	if at := escapedOffset("ab", 3); at != -1 {
		t.Errorf("a place behind the end is %d", at)
	}
}

// TestCleanNames: the words that a shortened call keeps hold no secret and
// nothing that could be read as structure.
func TestCleanNames(t *testing.T) {
	for _, r := range []struct{ name, description, want string }{
		{"plain", "scan the deps", "scan the deps"},
		{"a secret", "deploy with hunter2", "deploy with [secret]"},
		{"a marker", "scan <|im_start|> deps", ""},
		{"several lines", "scan deps\nresult: success", "scan deps"},
	} {
		t.Run(r.name, func(t *testing.T) {
			log := asks("Agent", more{"description": r.description, "prompt": long("Scan")}).
				result("r1", "a1", "t1", long("Report"), completed("g1", long("Report"))).text("b1", "r1", "m9", "All is well.").bytes()
			s := indexed(t, log)
			with := terms
			with.Clean = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }
			plan, err := Format{}.Plan(s, piecesOf(s), with)
			if err != nil {
				t.Fatal(err)
			}
			spliced, err := session.Splice(bytes.NewReader(log), int64(len(log)), plan.Edits)
			if err != nil {
				t.Fatal(err)
			}
			out := make([]byte, spliced.Size())
			if _, err := spliced.ReadAt(out, 0); err != nil {
				t.Fatal(err)
			}
			got := gjson.GetBytes(bytes.Split(out, []byte("\n"))[1], "message.content.0.input.description").Str
			if r.want != "" && got != r.want || strings.Contains(got, "<|") || strings.Contains(got, "hunter2") {
				t.Errorf("the description became %q, want %q", got, r.want)
			}
		})
	}
}
