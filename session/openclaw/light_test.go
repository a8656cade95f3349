//go:build unix

package openclaw

import (
	"bytes"
	"reflect"
	"testing"

	"sessc/session"
)

// What a reader is told to leave out is missing, and nothing else differs.
func TestLightReading(t *testing.T) {
	log := streamed(t, 2_000_000)
	read := func(set session.Settings) *session.Session {
		s, err := session.Index(bytes.NewReader(log), int64(len(log)), "log.jsonl", Format{}, set)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	full := read(session.Settings{})
	active := func(i int) bool { return full.Position(int32(i)) >= 0 }
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
			exact := 0
			for i := range s.Entries {
				a, b := full.Entries[i], s.Entries[i]
				if tt.set.NoTokens && active(i) {
					if (a.Said > 0) != (b.Said > 0) || (a.Thought > 0) != (b.Thought > 0) || (a.Args > 0) != (b.Args > 0) {
						t.Fatalf("entry %d has tokens %d %d %d, want some where there are %d %d %d", i, b.Said, b.Thought, b.Args, a.Said, a.Thought, a.Args)
					}
					if a.Tokens() > 20 && a.Tokens() == b.Tokens() {
						exact++
					}
					a.Said, a.Thought, a.Args = b.Said, b.Thought, b.Args
				}
				if a != b {
					t.Fatalf("entry %d is %+v, want %+v", i, b, a)
				}
			}
			if tt.set.NoTokens && exact > len(full.Active)/10 {
				t.Errorf("the tokens of %d of %d entries were counted", exact, len(full.Active))
			}
			for _, c := range []struct {
				what      string
				got, want any
			}{
				{"entries", len(s.Entries), len(full.Entries)}, {"chain", s.Chain, full.Chain}, {"active path", s.Active, full.Active},
				{"calls", s.Calls, full.Calls}, {"usages", s.Usages, full.Usages}, {"leaf", s.Leaf, full.Leaf}, {"model", s.Model, full.Model},
			} {
				if !reflect.DeepEqual(c.got, c.want) {
					t.Errorf("%s differ", c.what)
				}
			}
		})
	}
}

// Only what is sent is sized from its text; what is not gets a figure from the
// length of it.
func TestSizes(t *testing.T) {
	log := streamed(t, 2_000_000)
	s := indexed(t, log)
	if len(s.Active) == len(s.Chain) {
		t.Fatal("nothing of the log is before a compaction")
	}
	other := 0
	for i := range s.Entries {
		e := s.Entries[i]
		if e.Kind.Role() == "" {
			continue
		}
		got := e
		newReader(session.Settings{}).Size(log[e.Off:e.Off+int64(e.Len)], &e)
		switch {
		case s.Position(int32(i)) >= 0:
			if got != e {
				t.Fatalf("entry %d is %+v, want %+v", i, got, e)
			}
		case (got.Said > 0) != (e.Said > 0) || (got.Thought > 0) != (e.Thought > 0) || (got.Args > 0) != (e.Args > 0):
			t.Fatalf("entry %d has the sizes %d %d %d for %d %d %d", i, got.Said, got.Thought, got.Args, e.Said, e.Thought, e.Args)
		case got != e:
			other++
		}
	}
	if other == 0 {
		t.Error("what is not sent was counted too")
	}
}
