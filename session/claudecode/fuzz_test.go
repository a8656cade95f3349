package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"sessc/scan"
	"sessc/session"
	"sessc/session/jsonwalk"
)

// FuzzWalk compares the fields that the index takes from a line with what
// encoding/json, which takes the last of repeated keys as well, finds in it.
func FuzzWalk(f *testing.F) {
	for _, log := range planned() {
		for _, line := range bytes.Split(log, []byte("\n")) {
			f.Add(jsonwalk.TrimBOM(line))
		}
	}
	for _, line := range []string{
		`{"type":"user","type":"assistant","uuid":"a","uuid":1,"parentUuid":null}`, `{"message":{"id":"x","content":"a"},"message":{"content":[{"type":"text","text":"b"}]}}`,
		`{"message":{"usage":{"input_tokens":1.5,"output_tokens":-3,"cache_read_input_tokens":99999999999}},"isSidechain":"true"}`,
		`{"message":{"content":[null,1,"s",[],{"type":"tool_use","id":"\u0061","name":"N","input":[1,{"a":"b"}]},{"type":"tool_result","tool_use_id":"q","is_error":true,"content":[{"type":"text","text":"x"},{"type":"image","source":{"data":"AAA"}}]}]}}`,
		`{"attachment":{"type":"queued_command","prompt":[{"type":"text","text":"x"}],"origin":{"kind":"k"}},"rendered":[{"content":"a"},{"content":[{"type":"text","text":"b"}]},3],"renderedInHumanTurn":{}}`,
		`{"sessc":{"v":1,"ref":"r","gen":7},"compactMetadata":{"preservedMessages":{"uuids":["a",1,"b"]},"preservedSegment":{"headUuid":"h","tailUuid":"t"}}}`,
		`{"timestamp":"2026-01-05T10:00:01.000Z","toolUseResult":{"status":"x"},"origin":"str","leafUuid":"l"}`, `{}`, `[]`, `{"type":"us{"type":"user"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r := newReader(session.Settings{}, false)
		ok := r.walk(line)
		var want map[string]any
		if json.Unmarshal(line, &want) != nil || want == nil {
			return // what the walker makes of it is never edited
		}
		if !ok {
			t.Fatalf("a whole line was refused: %q", line)
		}
		f := &r.f
		str := func(v any) string { s, _ := v.(string); return s }
		obj := func(v any) map[string]any { m, _ := v.(map[string]any); return m }
		m, att, mark := obj(want["message"]), obj(want["attachment"]), obj(want[envelope])
		for name, pair := range map[string][2]string{
			"type": {string(f.typ), str(want["type"])}, "subtype": {string(f.subtype), str(want["subtype"])},
			"uuid": {string(f.id), str(want["uuid"])}, "parentUuid": {string(f.parent), str(want["parentUuid"])},
			"leafUuid": {string(f.leaf), str(want["leafUuid"])}, "origin": {string(f.origin), str(obj(want["origin"])["kind"])},
			"message id": {string(f.msg.id), str(m["id"])}, "model": {string(f.msg.model), str(m["model"])}, "stop": {string(f.msg.stop), str(m["stop_reason"])},
			"attachment type": {string(f.att.typ), str(att["type"])}, "mode": {string(f.att.mode), str(att["commandMode"])},
			"ref": {f.mark.Ref, str(mark["ref"])},
		} {
			if pair[0] != pair[1] {
				t.Fatalf("%s is %q, want %q, in %q", name, pair[0], pair[1], line)
			}
		}
		for name, pair := range map[string][2]any{
			"isSidechain": {f.aside, want["isSidechain"]}, "isMeta": {f.meta, want["isMeta"]}, "isCompactSummary": {f.summary, want["isCompactSummary"]},
		} {
			if b, _ := pair[1].(bool); pair[0] != b {
				t.Fatalf("%s is %v in %q", name, pair[0], line)
			}
		}
		if at, err := time.Parse(time.RFC3339, str(want["timestamp"])); err == nil && f.time != at.UnixMilli() {
			t.Fatalf("time %d in %q", f.time, line)
		}
		checkBlocks(t, r, m["content"], line)
		if shown, _ := want["rendered"].([]any); f.att.shown != (shown != nil) {
			t.Fatalf("rendered is %v in %q", f.att.shown, line)
		}
	})
}

// checkBlocks compares the calls, results and texts of a content.
func checkBlocks(t *testing.T, r *reader, content any, line []byte) {
	t.Helper()
	var texts, calls, results []string
	if s, ok := content.(string); ok {
		texts = append(texts, s)
	}
	blocks, _ := content.([]any)
	for _, b := range blocks {
		if s, ok := b.(string); ok {
			texts = append(texts, s)
		}
		o, _ := b.(map[string]any)
		str := func(k string) string { s, _ := o[k].(string); return s }
		switch str("type") {
		case "text":
			if s, ok := o["text"].(string); ok {
				texts = append(texts, s)
			}
		case "tool_use":
			calls = append(calls, str("id")+" "+str("name"))
		case "tool_result":
			results = append(results, str("tool_use_id"))
		}
	}
	var got []string
	for _, c := range r.f.msg.calls {
		got = append(got, string(c.id)+" "+string(c.name))
		if !json.Valid(c.input) && c.input != nil {
			t.Fatalf("input %q in %q", c.input, line)
		}
	}
	if strings.Join(got, "\n") != strings.Join(calls, "\n") {
		t.Fatalf("calls %q, want %q, in %q", got, calls, line)
	}
	got = nil
	for _, res := range r.f.msg.results {
		got = append(got, string(res.call))
	}
	if strings.Join(got, "\n") != strings.Join(results, "\n") {
		t.Fatalf("results %q, want %q, in %q", got, results, line)
	}
	if text := r.decode(r.f.msg.texts); text != strings.Join(texts, "\n") {
		t.Fatalf("text %q, want %q, in %q", text, texts, line)
	}
}

// FuzzNotice holds the reading of notifications to what a mask relies on:
// ranges within the text, and none but the program's words taken for its own.
func FuzzNotice(f *testing.F) {
	for _, s := range []string{
		noticeOf("a", "t", "completed", "x"), noticeOf("a", "", "killed", ""), "<system-reminder>" + noticeOf("a", "t", "failed", "y") + "</system-reminder>",
		noticeOf("a", "t", "completed", "</result></task-notification>") + "\nFull transcript available at: /x", "<task-notification><task-id>a</task-id><result><result></result></task-notification>",
		"<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>", "hello",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parseNotice(text)
		if r := n.result; r.Off < 0 || r.Len < 0 || r.End() > int64(len(text)) || n.hasResult && ok &&
			(!strings.HasSuffix(text[:r.Off], resultOpen) || !strings.HasPrefix(text[r.End():], resultClose)) {
			t.Fatalf("result %+v of %d bytes", r, len(text))
		}
		if n.tokens < -1 || n.runtime < -1 {
			t.Fatalf("figures %d, %d", n.tokens, n.runtime)
		}
		// Words behind a text are never taken for the program's.
		if typed := text + "\n\nand now, dear agent?"; written(typed) {
			t.Fatalf("typed words are the program's: %q", typed)
		}
		if p := parsePull(text); p.output.Off < 0 || p.output.End() > int64(len(text)) {
			t.Fatalf("output %+v of %d bytes", p.output, len(text))
		}
	})
}

// FuzzTree builds conversations of any shape and checks that they end, that
// nothing is sent twice, and that sending is no longer than the file.
func FuzzTree(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5}, uint8(3))
	f.Add([]byte{1, 17, 33, 49, 2, 18, 34, 8, 24}, uint8(1))
	f.Add([]byte{5, 5, 5, 0, 16, 32, 48, 64, 80, 96}, uint8(9))
	f.Fuzz(func(t *testing.T, shape []byte, named uint8) {
		if len(shape) > 60 {
			return
		}
		l := &script{}
		name := func(n int) string { return "e" + string(rune('a'+n%26)) + string(rune('a'+n/26%26)) }
		for n, b := range shape {
			id, parent := name(n), name(int(b>>3))
			if b>>3 == 31 {
				parent = ""
			}
			switch b & 7 {
			case 0:
				l.user(id, parent, "hello")
			case 1:
				l.text(id, parent, "m"+string(rune('a'+n%3)), "hi")
			case 2:
				l.bash(id, parent, "m"+string(rune('a'+n%3)), "t"+string(rune('a'+n%4)))
			case 3:
				l.result(id, parent, "t"+string(rune('a'+n%4)), "ok")
			case 4:
				l.note(id, parent, "note")
			case 5:
				l.progress(id, parent)
			case 6:
				l.system(id, parent, "compact_boundary", more{"logicalParentUuid": name(n / 2), "compactMetadata": keeps(name(n/2), name(n/3))})
			default:
				l.user(id, parent, "aside", more{"isSidechain": true})
			}
		}
		l.named(name(int(named)))
		s := l.index(t)
		seen := map[int32]bool{}
		for _, i := range s.Active {
			if seen[i] || s.Entries[i].Kind.Role() == "" {
				t.Fatalf("entry %d is sent twice, or is never sent", i)
			}
			seen[i] = true
		}
		if worse := session.Worse(s, l.index(t)); worse != nil {
			t.Fatalf("a log is worse than itself: %q", worse)
		}
	})
}

// FuzzPlan spoils logs in any way and holds what is planned for the rest to
// the promises of a rewrite in place.
func FuzzPlan(f *testing.F) {
	for _, log := range planned() {
		f.Add(log)
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		if len(log) == 0 || len(log) > 64<<10 {
			return
		}
		s := indexed(t, log)
		var pieces []session.Piece
		for n, l := range scan.Find(s) {
			fit := l.State.Finished() && l.Ambiguous == "" && len(l.Key) > 0
			for _, i := range l.Entries() {
				e := &s.Entries[i]
				fit = fit && s.Position(i) >= 0 && !e.Is(session.Unsure) && !e.Is(session.ByUs) && s.Sound(i) == nil
			}
			if all := piecesOf(s); fit {
				for _, p := range all {
					if p.Put[0].Key == l.Key && slices.Equal(p.Members, l.Entries()) {
						p.Put[0].Ref = "aa" + string(rune('a'+n%26))
						pieces = append(pieces, p)
						break
					}
				}
			}
		}
		plan, err := Format{}.Plan(s, pieces, terms)
		var unfit *session.Unfit
		if errors.As(err, &unfit) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		spliced, err := session.Splice(bytes.NewReader(log), int64(len(log)), plan.Edits)
		if err != nil {
			t.Fatal(err)
		}
		after, err := session.Index(spliced, spliced.Size(), s.Path, Format{}, session.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if worse := after.Format.Check(s.Format.Facts(s), after); worse != nil {
			t.Fatalf("worse: %q", worse)
		}
		for _, e := range plan.Edits {
			if i := e.Entries[0]; after.Sound(i) != nil {
				t.Fatalf("line %d: %v", after.LineOf(i), after.Sound(i))
			} else if s.Entries[i].Kind == session.Human {
				t.Fatalf("line %d, a person's, is edited", s.LineOf(i))
			}
		}
	})
}
