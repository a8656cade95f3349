package claudecode

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// aTurn is a turn with two messages of reasoning, words and calls, the second
// with two at once, and an answer. extra adds lines behind the turn.
func aTurn(extra func(l *script)) *script {
	l := (&script{}).user("u1", "", "go").
		says("a1", "u1", "m1", more{"type": "thinking", "thinking": "hm", "signature": "s"}).
		text("a2", "a1", "m1", "I look.").
		bash("a3", "a2", "m1", "t1").progress("p1", "a3").
		result("r1", "p1", "t1", long("out"), more{"toolUseResult": more{"stdout": "x"}, "sourceToolAssistantUUID": "a3"}).
		says("b1", "r1", "m2", more{"type": "thinking", "thinking": "hm", "signature": "s"}).
		bash("b2", "b1", "m2", "t2").bash("b3", "b2", "m2", "t3").
		result("r3", "b3", "t3", long("three"), more{"sourceToolAssistantUUID": "b3"}).progress("p2", "r3").
		result("r2", "b2", "t2", long("two"), more{"sourceToolAssistantUUID": "b2"})
	l.says("c1", "r2", "m3", more{"type": "thinking", "thinking": "hm", "signature": "s"}).
		text("c2", "c1", "m3", "Done.", more{"stop_reason": "end_turn"}).
		system("s1", "c2", "turn_duration").user("u2", "s1", "next").text("d1", "u2", "m4", "Yes.", more{"stop_reason": "end_turn"})
	if extra != nil {
		extra(l)
	}
	return l
}

// replaced applies the plan that replaces the work of the first turn by one of
// its calls.
func replaced(t *testing.T, log []byte, call string) (*session.Session, []byte, error) {
	t.Helper()
	s := indexed(t, log)
	piece := session.Piece{Put: []session.Put{{Key: "k", Call: -1, Ref: "0123456789ab", Headline: "go", Text: "the record"}}}
	for _, i := range s.Active {
		if id := s.IDOf(i); strings.Contains("a1 a2 a3 r1 b1 b2 b3 r2 r3", id) {
			piece.Members = append(piece.Members, i)
		}
	}
	for n := range s.Calls {
		if s.Str(s.Calls[n].ID) == call {
			piece.Put[0].Call = int32(n)
		}
	}
	plan, err := Format{}.Plan(s, []session.Piece{piece}, terms)
	if err != nil {
		return s, nil, err
	}
	out := splicedBy(t, log, plan)
	return s, out, nil
}

// hangs lists the lines of a log with what each hangs on.
func hangs(s *session.Session) string {
	var all []string
	for i := range s.Entries {
		if id := s.IDOf(int32(i)); id != "" {
			all = append(all, id+"<"+s.ParentIDOf(int32(i)))
		}
	}
	return strings.Join(all, " ")
}

// TestReplace lets each call of a turn carry its record: what is left hangs
// together in the order in which it is sent.
func TestReplace(t *testing.T) {
	for call, want := range map[string]string{
		"t1": "u1< a3<u1 p1<a3 r1<a3 p2<r1 c1<r1 c2<c1 s1<c2 u2<s1 d1<u2",
		"t2": "u1< p1<r2 b2<u1 p2<r2 r2<b2 c1<r2 c2<c1 s1<c2 u2<s1 d1<u2",
		"t3": "u1< p1<r3 b3<u1 r3<b3 p2<r3 c1<r3 c2<c1 s1<c2 u2<s1 d1<u2",
	} {
		t.Run(call, func(t *testing.T) {
			before, out, err := replaced(t, aTurn(nil).bytes(), call)
			if err != nil {
				t.Fatal(err)
			}
			after := indexed(t, out)
			if got := hangs(after); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if worse := session.Worse(before, after); worse != nil {
				t.Errorf("worse: %s", strings.Join(worse, "; "))
			}
			for line := range bytes.Lines(out) {
				v := gjson.ParseBytes(line)
				if v.Get("sessc").Exists() && (len(v.Get("message.content").Array()) != 1 || v.Get("toolUseResult").Exists()) {
					t.Errorf("a line of the mask holds more than the mask: %s", line)
				}
			}
		})
	}
}

// TestReplacePointers moves what lines beside the conversation name.
func TestReplacePointers(t *testing.T) {
	saved := func(id, prompt string) string {
		return fmt.Sprintf(`{"type":"file-history-snapshot","messageId":%q,"snapshot":{"messageId":%q},"isSnapshotUpdate":true}`, id, prompt)
	}
	log := aTurn(func(l *script) {
		l.named("b1").raw(saved("a3", "u1")).raw(saved("b2", "u1")).raw(saved("u1", "u1")).raw(`{"type":"summary","summary":"x","leafUuid":"r1"}`)
	})
	before, out, err := replaced(t, log.bytes(), "t3")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var got []string
	for _, l := range lines[len(lines)-5:] {
		got = append(got, gjson.Get(l, "leafUuid").Str+gjson.Get(l, "messageId").Str)
	}
	if want := "r3 b3 b3 u1 r3"; strings.Join(got, " ") != want {
		t.Errorf("they name %s, want %s", got, want)
	}
	if worse := session.Worse(before, indexed(t, out)); worse != nil {
		t.Errorf("worse: %s", strings.Join(worse, "; "))
	}
}

// TestReplaceUnfit: a turn is left alone where a line names one of its lines in
// a way that nobody understands, or where nothing can carry its record.
func TestReplaceUnfit(t *testing.T) {
	for name, c := range map[string]struct {
		extra func(l *script)
		call  string
		want  string
	}{
		"an unknown reference": {func(l *script) { l.raw(`{"type":"pin","at":{"line":"b1"}}`) }, "t1", "in a way that is not understood"},
		"an unknown key":       {func(l *script) { l.raw(`{"type":"pins","b1":7}`) }, "t1", "in a way that is not understood"},
		"files of two prompts": {func(l *script) {
			l.raw(`{"type":"file-history-snapshot","messageId":"a3","snapshot":{"messageId":"u1"}}`).raw(`{"type":"file-history-snapshot","messageId":"b2","snapshot":{"messageId":"u2"}}`)
		}, "t1", "for several prompts"},
		"no call": {nil, "t9", "no answered call"},
	} {
		_, out, err := replaced(t, aTurn(c.extra).bytes(), c.call)
		var unfit *session.Unfit
		if !errors.As(err, &unfit) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q\n%s", name, err, c.want, out)
		}
	}
}

// TestReplaceAroundAStranger: a line of another message within one, on the way
// up, is sent behind it. It stays, and what follows must not leave it aside.
func TestReplaceAroundAStranger(t *testing.T) {
	l := (&script{}).user("u1", "", "go").
		text("a1", "u1", "m1", "I look.").text("x1", "a1", "m9", "Wait.").
		bash("a3", "x1", "m1", "t1").result("r1", "a3", "t1", long("out")).
		text("c2", "r1", "m3", "Done.", more{"stop_reason": "end_turn"}).
		user("u2", "c2", "next").text("d1", "u2", "m4", "Yes.", more{"stop_reason": "end_turn"})
	s, out, err := replaced(t, l.bytes(), "t1")
	var sent []string
	for _, i := range s.Active {
		sent = append(sent, s.IDOf(i))
	}
	if got := strings.Join(sent, " "); got != "u1 a1 a3 r1 x1 c2 u2 d1" {
		t.Fatalf("sent: %s", got)
	}
	var unfit *session.Unfit
	if want := "line 6 leads past a line that stays"; !errors.As(err, &unfit) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q\n%s", err, want, out)
	}
}
