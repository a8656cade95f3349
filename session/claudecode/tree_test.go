package claudecode

import (
	"fmt"
	"testing"

	"sessc/session"
)

// three is a message with three calls, whose results hang on their own calls.
func three() *script {
	l := (&script{}).user("u1", "", "hello").text("a1", "u1", "m1", "going").
		bash("a2", "a1", "m1", "t2").bash("a3", "a2", "m1", "t3").bash("a4", "a3", "m1", "t4")
	return l.result("r4", "a4", "t4", "four").result("r2", "a2", "t2", "two").result("r3", "a3", "t3", "three")
}

// fork is a conversation with two branches, A and then B.
func fork() *script {
	return (&script{}).user("u1", "", "hello").text("a1", "u1", "m1", "one").user("u2", "a1", "A").text("a2", "u2", "m2", "A!").
		user("u3", "a1", "B").text("a3", "u3", "m3", "B!")
}

// compacted has a compaction that says what it keeps.
func compacted(meta more, extra ...more) *script {
	l := (&script{}).user("u1", "", "hello").text("a1", "u1", "m1", "one").user("u2", "a1", "two").
		bash("a2", "u2", "m2", "t2").result("r2", "a2", "t2", "R").text("a3", "r2", "m3", "three")
	return l.system("c1", "", "compact_boundary", append([]more{{"logicalParentUuid": "a3", "compactMetadata": meta}}, extra...)...).
		user("c2", "c1", "summary", more{"isCompactSummary": true}).user("u5", "c2", "five").text("a5", "u5", "m5", "5")
}

func keeps(ids ...string) more {
	return more{"preservedMessages": more{"anchorUuid": "c2", "uuids": ids}}
}

// TestActive compares what is taken for the active path and the leaf with what
// the client 2.1.328 sent, and appended to, when it resumed these logs; rows
// that were not resumed say so.
func TestActive(t *testing.T) {
	rows := []struct {
		name   string
		log    *script
		active string
		leaf   string
	}{
		{"parallel results hang beside the chain", three().text("b1", "r3", "m2", "next"), "u1 a1 a2 a3 a4 r4 r2 r3 b1", "b1"},
		{"results in a line one behind the other", (&script{}).user("u1", "", "x").bash("a2", "u1", "m1", "t2").bash("a3", "a2", "m1", "t3").
			result("r3", "a3", "t3", "x").result("r2", "r3", "t2", "y").text("b1", "r2", "m2", "end"), "u1 a2 a3 r3 r2 b1", "b1"},
		{"results between the lines of a message", (&script{}).user("u1", "", "x").bash("a2", "u1", "m1", "t2").result("r2", "a2", "t2", "x").
			bash("a3", "r2", "m1", "t3").result("r3", "a3", "t3", "y").text("b1", "r3", "m2", "end"), "u1 a2 a3 r2 r3 b1", "b1"},
		{"calls that hang on one parent", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").bash("a2", "a1", "m1", "t2").bash("a3", "u1", "m1", "t3").
			result("r3", "a3", "t3", "x").result("r2", "a2", "t2", "y").text("b1", "r2", "m2", "end"), "u1 a1 a2 a3 r3 r2 b1", "b1"},
		{"attachments on and beside the chain", three().note("x4", "r4", "off").note("x3", "r3", "on").text("b1", "x3", "m2", "next").note("x5", "b1", "leaf"),
			"u1 a1 a2 a3 a4 r4 x4 r2 r3 x3 b1 x5", "x5"},
		{"what hangs on the leaf comes along", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").system("s1", "a1", "turn_duration").note("x1", "s1", "note"), "u1 a1 x1", "x1"},
		{"ends with results", three(), "u1 a1 a2 a3 a4 r4 r2 r3", "r3"},
		{"one message id in two turns", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("u2", "a1", "y").text("a2", "u2", "m1", "two"), "u1 a1 u2 a2", "a2"},

		{"the last line decides without a last-prompt", fork(), "u1 a1 u3 a3", "a3"},
		{"a last-prompt names the older branch", fork().named("a2"), "u1 a1 u2 a2", "a2"},
		{"a last-prompt names where they fork", fork().named("a1"), "u1 a1 u3 a3", "a3"},
		{"a last-prompt before the newer branch", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("u2", "a1", "A").text("a2", "u2", "m2", "A!").named("a2").
			user("u3", "a1", "B").text("a3", "u3", "m3", "B!"), "u1 a1 u2 a2", "a2"},
		{"a dangling last-prompt decides nothing", fork().named("a2").named("gone"), "u1 a1 u3 a3", "a3"},
		{"a last-prompt without a leaf is none", fork().named("a2").raw(`{"type":"last-prompt","lastPrompt":"x"}`), "u1 a1 u2 a2", "a2"},
		{"a last-prompt names a call, another result leads on", three().text("b1", "r3", "m2", "next").named("a4"), "u1 a1 a2 a3 a4 r4 r2 r3 b1", "b1"},
		{"a last-prompt names a result beside the chain", three().named("r4").text("b1", "r3", "m2", "next"), "u1 a1 a2 a3 a4 r4 r2 r3 b1", "b1"},
		{"two ways on from one message, the newer", three().named("r4").text("c1", "r4", "m9", "other").text("b1", "r3", "m2", "next"), "u1 a1 a2 a3 a4 r4 r2 r3 b1", "b1"},
		{"two ways on from one message, the named one", three().text("c1", "r4", "m9", "other").named("c1").text("b1", "r3", "m2", "next"), "u1 a1 a2 a3 a4 r4 r2 r3 c1", "c1"},
		{"a fork within a turn", (&script{}).user("u1", "", "x").bash("a1", "u1", "m1", "t1").result("r1", "a1", "t1", "one").text("a2", "r1", "m2", "A").named("a2").
			text("a3", "r1", "m3", "B"), "u1 a1 r1 a2", "a2"},
		{"a last-prompt inside an older branch", fork().user("u4", "a2", "A?").text("a4", "u4", "m4", "A!!").user("u5", "a3", "B?").named("a2"), "u1 a1 u2 a2", "a2"},
		{"a last-prompt names a note beside the newer branch", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").note("x1", "a1", "note").user("u2", "a1", "two").named("x1"), "u1 a1 x1", "x1"},
		{"a last-prompt names a system line beside it", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").system("s1", "a1", "turn_duration").user("u2", "a1", "two").named("s1"), "u1 a1", "s1"},
		{"a last-prompt names progress", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").progress("g1", "a1").user("u2", "a1", "two").named("g1"), "u1 a1 u2", "u2"},
		{"a last-prompt from before a compaction", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").named("a1").system("c1", "", "compact_boundary", more{"logicalParentUuid": "a1"}).
			user("c2", "c1", "summary", more{"isCompactSummary": true}).text("a2", "c2", "m2", "2"), "c2 a2", "a2"},
		{"a last-prompt names a line before the compaction", compacted(more{"trigger": "auto"}).named("a1"), "u1 a1", "a1"},
		{"a last-prompt names a line that a compaction took out", compacted(keeps("a3")).named("a1"), "c2 a3 u5 a5", "a5"},

		{"a missing parent is the nearest line before in time", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("u2", "gone", "two").text("a2", "u2", "m2", "2"), "u1 a1 u2 a2", "a2"},
		{"progress is no neighbour in time", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").progress("g1", "u1").user("u2", "gone", "two"), "u1 a1 u2", "u2"},
		{"a sub-agent's line is no neighbour in time", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("s1", "", "side", more{"isSidechain": true}).user("u2", "gone", "two"), "u1 a1 u2", "u2"},
		{"the order of the file does not matter to time", (&script{}).user("u2", "gone", "two", more{"at": 5}).text("a2", "u2", "m2", "2", more{"at": 6}).
			user("u1", "", "x", more{"at": 1}).text("a1", "u1", "m1", "one", more{"at": 2}).text("a3", "a2", "m3", "3", more{"at": 7}), "u1 a1 u2 a2 a3", "a3"},
		{"an equal time is before", (&script{}).user("u1", "", "x", more{"at": 1}).text("a1", "u1", "m1", "one", more{"at": 5}).user("u2", "gone", "two", more{"at": 5}), "u1 a1 u2", "u2"},
		{"nothing before in time", (&script{}).user("u2", "gone", "two").text("a2", "u2", "m2", "2"), "u2 a2", "a2"},
		{"a null parent cuts off what was before", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("u2", "", "two").text("a2", "u2", "m2", "2"), "u2 a2", "a2"},
		{"no parent key cuts too", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("u2", "", "two", more{"parentUuid": nil}).text("a2", "u2", "m2", "2"), "u2 a2", "a2"},
		{"of two lines with one uuid the last counts", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "old").user("u2", "a1", "two").text("a1", "u1", "m1", "new").text("a2", "u2", "m2", "2"), "u1 a1 u2 a2", "a2"},
		{"a ring is cut where it closes", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("u2", "a1", "two").text("a2", "u2", "m2", "2").user("u1", "a2", "again"), "a1 u2 a2 u1", "u1"},
		{"a reversed file", (&script{}).text("a2", "u2", "m2", "2", more{"at": 4}).user("u2", "a1", "two", more{"at": 3}).text("a1", "u1", "m1", "one", more{"at": 2}).user("u1", "", "x", more{"at": 1}).named("a2"), "u1 a1 u2 a2", "a2"},
		{"a result on another branch", (&script{}).user("u1", "", "x").bash("a1", "u1", "m1", "t1").user("u2", "a1", "cut in").text("a2", "u2", "m2", "2").result("r1", "a1", "t1", "late"), "u1 a1 r1", "r1"},

		{"nothing before a compaction is sent", compacted(more{"trigger": "auto"}), "c2 u5 a5", "a5"},
		{"a compaction with a parent", compacted(more{"trigger": "auto"}, more{"parentUuid": "a3"}), "c2 u5 a5", "a5"},
		{"kept messages follow the summary", compacted(keeps("a3")), "c2 a3 u5 a5", "a5"},
		{"kept messages in the order of the list", compacted(keeps("u2", "a3")), "c2 u2 a3 u5 a5", "a5"},
		{"nothing came since, what was kept is the end", (&script{}).user("u1", "", "hello").text("a1", "u1", "m1", "one").user("u2", "a1", "two").text("a2", "u2", "m2", "three").
			system("s1", "a2", "turn_duration").system("c1", "", "compact_boundary", more{"logicalParentUuid": "a2", "compactMetadata": keeps("u2", "a2")}).
			user("c2", "c1", "summary", more{"isCompactSummary": true}), "c2 u2 a2", "a2"},
		{"one missing, none is kept", compacted(keeps("a3", "gone")), "c2 u5 a5", "a5"},
		{"a kept segment", compacted(more{"preservedSegment": more{"headUuid": "u2", "anchorUuid": "c2", "tailUuid": "a3"}}), "c2 u2 a2 r2 a3 u5 a5", "a5"},
		{"part of a message is kept", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").text("a2", "a1", "m1", "two").bash("a3", "a2", "m1", "t1").result("r1", "a3", "t1", "R").
			system("c1", "", "compact_boundary", more{"logicalParentUuid": "r1", "compactMetadata": keeps("a2")}).user("c2", "c1", "summary", more{"isCompactSummary": true}).user("u5", "c2", "five"), "c2 a2 u5", "u5"},
		{"a fork from before a compaction", compacted(more{"trigger": "auto"}).user("u6", "a1", "fork"), "u1 a1 u6", "u6"},
		{"a fork from what a compaction took out", compacted(keeps("a3")).user("u6", "a1", "fork").text("a6", "u6", "m6", "6"), "c2 a3 u6 a6", "a6"},
		{"a later compaction that keeps nothing", compacted(keeps("a3")).system("c3", "", "compact_boundary", more{"logicalParentUuid": "a5"}).user("c4", "c3", "summary", more{"isCompactSummary": true}).
			text("a7", "c4", "m7", "7").user("u8", "a3", "fork"), "c4 a7 u8", "u8"},
		{"a segment without its head (not resumed)", compacted(more{"preservedSegment": more{"headUuid": "gone", "tailUuid": "a3"}}), "c2 u5 a5", "a5"},
		{"a micro-compaction drops nothing", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").system("c1", "a1", "microcompact_boundary").user("u2", "c1", "two"), "u1 a1 u2", "u2"},

		{"API errors of the synthetic model are not sent", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").text("e1", "a1", "m2", "API Error", more{"isApiErrorMessage": true, "model": synthetic}), "u1 a1", "e1"},
		{"API errors of a model are sent", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").text("e1", "a1", "m2", "API Error", more{"isApiErrorMessage": true}), "u1 a1 e1", "e1"},
		{"progress in the chain", (&script{}).user("u1", "", "x").bash("a1", "u1", "m1", "t1").progress("g1", "a1").progress("g2", "g1").result("r1", "g2", "t1", "x").text("a2", "r1", "m2", "2"), "u1 a1 r1 a2", "a2"},
		{"lines without a uuid are not loaded", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("u2", "a1", "two", more{"uuid": nil}), "u1 a1", "a1"},
		{"sub-agents' lines never move the leaf", (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("s1", "", "do", more{"isSidechain": true}).text("s2", "s1", "m9", "did", more{"isSidechain": true}), "u1 a1", "a1"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := r.log.index(t)
			if got := idsOf(s, s.Active); got != r.active {
				t.Errorf("active path %s, want %s", got, r.active)
			}
			if got := s.IDOf(s.Leaf); got != r.leaf {
				t.Errorf("leaf %s, want %s", got, r.leaf)
			}
		})
	}
}

// TestDamage checks that a damaged line costs only itself, as it does the
// client: a fragment before a whole line, two whole lines in one, NUL bytes.
func TestDamage(t *testing.T) {
	whole := func() *script {
		return (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one").user("u2", "a1", "two").text("a2", "u2", "m2", "2")
	}
	rows := []struct {
		name   string
		spoil  func(l *script)
		active string
		kind   session.Kind
	}{
		{"fragment and a whole line", func(l *script) { l.lines[2] = `{"type":"us` + l.lines[2] }, "u1 a1 a2", session.Damaged},
		{"two lines in one", func(l *script) { l.lines[2] = l.lines[2] + `{"type":"mode"}` }, "u1 a1 a2", session.Damaged},
		{"cut off", func(l *script) { l.lines[2] = l.lines[2][:50] }, "u1 a1 a2", session.Damaged},
		{"NUL bytes", func(l *script) { l.lines[2] = "\x00\x00\x00" }, "u1 a1 a2", session.Damaged},
		{"not an object", func(l *script) { l.lines[2] = `[1]` }, "u1 a1 a2", session.Damaged},
		{"blank", func(l *script) { l.lines[2] = "  " }, "u1 a1 a2", session.Blank},
		{"unknown type", func(l *script) { l.lines[2] = `{"type":"whatever","uuid":"u2","parentUuid":"a1"}` }, "u1 a1 a2", session.Opaque},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			l := whole()
			r.spoil(l)
			s := l.index(t)
			if got := idsOf(s, s.Active); got != r.active {
				t.Errorf("active path %s, want %s", got, r.active)
			}
			if s.Entries[2].Kind != r.kind {
				t.Errorf("line 3 is %s, want %s", s.Entries[2].Kind, r.kind)
			}
		})
	}
}

// TestMessages checks that the lines of a message are one, and that its usage
// counts once, the largest copy.
func TestMessages(t *testing.T) {
	small := more{"usage": more{"input_tokens": 2, "cache_read_input_tokens": 100, "output_tokens": 1}}
	l := (&script{}).user("u1", "", "x").text("a1", "u1", "m1", "one", small).bash("a2", "a1", "m1", "t1").result("r1", "a2", "t1", "x").
		bash("a3", "r1", "m1", "t2").result("r2", "a3", "t2", "y").user("u2", "r2", "next").text("a4", "u2", "m1", "same id, another message")
	s := l.index(t)
	var heads []string
	for _, i := range s.Active {
		heads = append(heads, s.IDOf(s.MessageOf(i)))
	}
	if got, want := fmt.Sprint(heads), "[u1 a1 a1 a1 r1 r2 u2 a4]"; got != want {
		t.Errorf("messages %s, want %s", got, want)
	}
	if len(s.Usages) != 2 || s.Usages[0].Total != 335 || s.Usages[0].Prompt != 330 || s.Usages[0].Output != 5 {
		t.Errorf("usages %+v", s.Usages)
	}
	if s.Recorded != 335 || s.Model != model {
		t.Errorf("recorded %d of %s", s.Recorded, s.Model)
	}
	for n, want := range []string{"r1", "r2"} {
		if got := s.IDOf(s.Calls[n].Result); got != want {
			t.Errorf("call %d has the result %s, want %s", n, got, want)
		}
	}
}

// TestState checks what the session as a whole is said to be.
func TestState(t *testing.T) {
	l := (&script{}).user("u1", "", "x").
		says("a1", "u1", "m1", more{"type": "thinking", "thinking": "of another model, long enough to count", "signature": "c2ln"}, more{"model": "claude-old", "effort": "low"}).
		text("a2", "a1", "m1", "one", more{"model": "claude-old", "effort": "low"}).user("u2", "a2", "y").
		says("a3", "u2", "m2", more{"type": "thinking", "thinking": "of this model", "signature": "c2ln"}, more{"effort": "high"}).
		text("a4", "a3", "m2", "two", more{"effort": "high"}).
		text("a5", "a4", "m3", "No response requested.", more{"model": synthetic, "usage": more{"input_tokens": 0}, "version": "2.1.400"})
	s := l.index(t)
	if s.Model != model || s.Effort != "high" || s.ID != sessionID || s.Cwd != "/home/ana/app" || s.Version != "2.1.400" {
		t.Errorf("model %s, effort %s, id %s, cwd %s, version %s", s.Model, s.Effort, s.ID, s.Cwd, s.Version)
	}
	for id, want := range map[string]bool{"a1": false, "a3": true} {
		if e := &s.Entries[s.Lookup(id)[0]]; (e.Thought > 0) != want || !e.Is(session.Signed) {
			t.Errorf("reasoning of %s costs %d", id, e.Thought)
		}
	}
	if k := s.Entries[s.Lookup("a5")[0]].Kind; k != session.Mirror {
		t.Errorf("the synthetic answer is %s", k)
	}
	if other := indexedAs(t, l.bytes(), "/x/copy.jsonl"); other.ID != sessionID {
		t.Errorf("a file of another name is session %s", other.ID)
	}
}
