package openclaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// clears is a piece that stays.
func clears(t *testing.T, s *session.Session, call, text string, args ...session.Arg) session.Piece {
	t.Helper()
	n := callIndex(t, s, call)
	c := &s.Calls[n]
	p := session.Piece{Stay: true, Put: []session.Put{{Key: "result:" + call, Call: n, Text: text, Ref: "ref" + call, Args: args}}}
	if len(args) > 0 {
		p.Members = append(p.Members, c.Entry)
	}
	if text != "" {
		p.Members = append(p.Members, c.Result)
	}
	return p
}

// writes is a log with parallel calls of long arguments and results.
func writes(l *logFile) *logFile {
	edits := callOf("c2", "edit", o{"path": "b.go", "edits": []o{{"oldText": "x", "newText": long}}})
	input := o{"type": "tool_use", "id": "c3", "name": "exec", "input": o{"command": long, "ключ": "a"}}
	l.user("u1", "Please do it.").agent("a1", "I write.", 1000, callOf("c1", "write", o{"path": "a.go", "content": long}), edits, input)
	l.result("r1", "c1", "write", long).result("r2", "c2", "edit", "ok").
		message("r3", o{"role": "toolResult", "toolCallId": "c3", "toolName": "exec", "isError": true, "content": long, "details": o{"exitCode": 2, "aggregated": long}})
	return l.agent("a2", "It is done.", 9000).user("u2", "Thanks.").agent("a3", "Welcome.", 9100)
}

func TestChange(t *testing.T) {
	l := newLog(t)
	log := writes(l).bytes()
	after, plan := applied(t, log, func(s *session.Session) []session.Piece {
		return []session.Piece{
			clears(t, s, "c1", `cleared "1"`, session.Arg{Path: []string{"content"}, Text: "argument 1"}),
			clears(t, s, "c2", "", session.Arg{Path: []string{"edits", "0", "newText"}, Text: "argument 2"}),
			clears(t, s, "c3", "cleared 3", session.Arg{Path: []string{"command"}, Text: "argument 3"}),
		}
	})
	was, now := bytes.Split(log, []byte("\n")), bytes.Split(after, []byte("\n"))
	if len(was) != len(now) {
		t.Fatalf("%d lines, before %d", len(now), len(was))
	}
	for n, want := range map[int]map[string]string{
		2: {
			"message.content.0.text": "I write.", "message.content.1.arguments.path": "a.go", "message.content.1.arguments.content": "argument 1",
			"message.content.2.arguments.edits.0.newText": "argument 2", "message.content.2.arguments.edits.0.oldText": "x",
			"message.content.3.input.command": "argument 3", "message.content.3.input.ключ": "a", "sessc.ref": "refc1", "sessc.gen": "3",
		},
		3: {"message.content.0.text": `cleared "1"`, "message.content.#": "1", "message.toolCallId": "c1", "sessc.ref": "refc1"},
		4: {"message.content.0.text": "ok", "sessc": ""},
		5: {"message.content": "cleared 3", "message.details.aggregated": long, "message.isError": "true", "sessc.ref": "refc3"},
	} {
		for path, text := range want {
			if got := gjson.GetBytes(now[n], path).String(); got != text {
				t.Errorf("line %d: %s is %q, want %q", n+1, path, got, text)
			}
		}
		for _, path := range []string{"id", "parentId", "timestamp", "message.usage.input"} {
			if a, b := gjson.GetBytes(was[n], path).Raw, gjson.GetBytes(now[n], path).Raw; a != b {
				t.Errorf("line %d: %s was %s and is %s", n+1, path, a, b)
			}
		}
	}
	// Bytes that no text took are those of the original, up to the mark.
	back := strings.NewReplacer(`"cleared 3"`, string(jsonwalk.Quote(long)), `,"sessc":{"v":1,"ref":"refc3","gen":3}`, "").Replace(string(now[5]))
	if back != string(was[5]) {
		t.Errorf("the line of the result became\n%s", now[5])
	}
	if len(plan.Relinked) > 1 {
		t.Errorf("relinked: %v", plan.Relinked)
	}
	s := indexed(t, after)
	if got, before := s.Recorded, indexed(t, log).Recorded; got >= before {
		t.Errorf("the recorded context is %d, before %d: it counts what was cleared", got, before)
	}
}

// A turn that goes and a result that stays in one plan.
func TestChangeBesideMasks(t *testing.T) {
	l := newLog(t)
	l.user("u1", "Please do it.").agent("a1", "", 1000, callOf("c1", "exec", o{"command": "ls"})).result("r1", "c1", "exec", long).
		agent("a2", "Done.", 2000).user("u2", "More.").agent("a3", "", 3000, callOf("c2", "exec", o{"command": "pwd"})).result("r2", "c2", "exec", long).
		agent("a4", "Done.", 9000).user("u3", "Thanks.").agent("a5", "Welcome.", 9100)
	after, _ := planned(t, l.bytes(), func(s *session.Session) []session.Piece {
		turn := piecesOf(t, s, []cut{{"a1 r1", []put{{"c1", "ref1", "Please do it", "the record"}}}})
		return append(turn, clears(t, s, "c2", "cleared"))
	})
	s := indexed(t, after)
	if got := ids(s, s.Active); got != "u1 a1 r1 a2 u2 a3 r2 a4 u3 a5" {
		t.Errorf("active path %s", got)
	}
}

func TestChangeErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		log   func(l *logFile)
		piece func(s *session.Session) session.Piece
	}{
		{"no such argument", func(l *logFile) { writes(l) }, func(s *session.Session) session.Piece {
			return clears(t, s, "c1", "", session.Arg{Path: []string{"text"}, Text: "x"})
		}},
		{"no such place in a list", func(l *logFile) { writes(l) }, func(s *session.Session) session.Piece {
			return clears(t, s, "c2", "", session.Arg{Path: []string{"edits", "1", "newText"}, Text: "x"})
		}},
		{"no call", func(l *logFile) { writes(l) }, func(s *session.Session) session.Piece {
			p := clears(t, s, "c1", "x")
			p.Put[0].Call = -1
			return p
		}},
		{"arguments in a string", func(l *logFile) {
			call := callOf("c1", "write", nil)
			b, _ := json.Marshal(o{"content": long})
			call["arguments"] = string(b)
			l.user("u1", "x").agent("a1", "", 1000, call).result("r1", "c1", "write", "ok").agent("a2", "Done.", 9000)
		}, func(s *session.Session) session.Piece {
			return clears(t, s, "c1", "", session.Arg{Path: []string{"content"}, Text: "x"})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLog(t)
			c.log(l)
			s := indexed(t, l.bytes())
			_, err := Format{}.Plan(s, []session.Piece{c.piece(s)}, terms)
			var unfit *session.Unfit
			if !errors.As(err, &unfit) {
				t.Errorf("no error that names the piece: %v", fmt.Sprint(err))
			}
		})
	}
}
