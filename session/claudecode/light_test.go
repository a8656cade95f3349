package claudecode

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"sessc/session"
)

// What a reader is told to leave out is missing, and nothing else differs: what
// Check compares is read in any case.
func TestLightReading(t *testing.T) {
	log := bytes.Join([][]byte{planned()["told"], planned()["asked-again"]}, nil)
	read := func(set session.Settings) *session.Session {
		s, err := session.Index(bytes.NewReader(log), int64(len(log)), "log.jsonl", Format{}, set)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	full := read(session.Settings{})
	if len(full.Events) == 0 || len(full.Private.(*private).notices) == 0 {
		t.Fatal("the log says nothing of sub-tasks")
	}
	for _, tt := range []struct {
		name string
		set  session.Settings
	}{
		{"no events", session.Settings{NoEvents: true}},
		{"no tokens", session.Settings{NoTokens: true}},
		{"no hash", session.Settings{NoHash: true}},
		{"none of them", session.Settings{NoEvents: true, NoTokens: true, NoHash: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := read(tt.set)
			if got := len(s.Events) == 0; got != tt.set.NoEvents {
				t.Errorf("%d events", len(s.Events))
			}
			if got := s.Source.SHA256 == [32]byte{}; got != tt.set.NoHash {
				t.Errorf("hash %x", s.Source.SHA256)
			}
			if got := s.Tokens() != full.Tokens(); got != tt.set.NoTokens {
				t.Errorf("%d tokens of %d", s.Tokens(), full.Tokens())
			}
			a, b := full.Private.(*private), s.Private.(*private)
			for _, c := range []struct {
				what      string
				got, want any
			}{
				{"chain", s.Chain, full.Chain}, {"active path", s.Active, full.Active}, {"calls", s.Calls, full.Calls}, {"usages", s.Usages, full.Usages},
				{"leaf", s.Leaf, full.Leaf}, {"model", s.Model, full.Model}, {"notices", b.notices, a.notices}, {"launches", b.pending, a.pending},
			} {
				if !reflect.DeepEqual(c.got, c.want) {
					t.Errorf("%s differ", c.what)
				}
			}
		})
	}
}

// Only what is sent is sized from its text; what is not gets a figure from the
// length of it. Reasoning of another model costs nothing.
func TestSizes(t *testing.T) {
	l := &script{}
	up := ""
	for n := range 40 {
		id := func(k string) string { return fmt.Sprintf("%08d-0000-4000-8000-%012s", n, k) }
		if n == 20 {
			l.system(id("c"), "", "compact_boundary", more{"logicalParentUuid": up}).user(id("d"), id("c"), "what was done so far", more{"isCompactSummary": true})
			up = id("d")
		}
		m, call := fmt.Sprint("msg_", n), fmt.Sprint("toolu_", n)
		by := more{}
		if n%2 == 0 {
			by["model"] = "another-model"
		}
		l.user(id("a"), up, "please go on: <b>\"next\"</b> 部分").
			says(id("e"), id("a"), m, more{"type": "thinking", "thinking": "hm, 一步一步", "signature": "c2ln"}, by).
			call(id("f"), id("e"), m, call, "Read", more{"file_path": "/home/ana/app/main.go", "limit": n}, by).
			result(id("g"), id("f"), call, "package main\n\n\tfunc main() {}").
			note(id("h"), id("g"), "a reminder\nof two lines").text(id("i"), id("h"), m+"x", "Done.")
		up = id("i")
	}
	log := l.bytes()
	s := indexed(t, log)
	rough, foreign := 0, 0
	for i := range s.Entries {
		e := s.Entries[i]
		if e.Kind.Role() == "" {
			continue
		}
		was := e
		newReader(session.Settings{}, false).Size(log[e.Off:e.Off+int64(e.Len)], &e)
		switch {
		case s.Position(int32(i)) >= 0 && was != e:
			t.Fatalf("entry %d is %+v, want %+v", i, was, e)
		case s.Position(int32(i)) < 0 && was != e:
			rough++
		}
		if e.Is(session.Signed) && e.Thought == 0 {
			foreign++
		}
		if (was.Said > 0) != (e.Said > 0) || (was.Thought > 0) != (e.Thought > 0) || (was.Args > 0) != (e.Args > 0) {
			t.Fatalf("entry %d has the sizes %d %d %d for %d %d %d", i, was.Said, was.Thought, was.Args, e.Said, e.Thought, e.Args)
		}
	}
	if rough == 0 {
		t.Error("what is not sent was counted too")
	}
	if foreign != 20 {
		t.Errorf("the reasoning of %d messages costs nothing, want 20", foreign)
	}
}
