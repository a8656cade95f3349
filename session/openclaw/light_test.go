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
			tokens := 0
			for i := range s.Entries {
				a, b := full.Entries[i], s.Entries[i]
				if tt.set.NoTokens {
					if (a.Said > 0) != (b.Said > 0) || (a.Thought > 0) != (b.Thought > 0) || (a.Args > 0) != (b.Args > 0) {
						t.Fatalf("entry %d has tokens %d %d %d, want some where there are %d %d %d", i, b.Said, b.Thought, b.Args, a.Said, a.Thought, a.Args)
					}
					tokens += b.Tokens()
					a.Said, a.Thought, a.Args = b.Said, b.Thought, b.Args
				}
				if a != b {
					t.Fatalf("entry %d is %+v, want %+v", i, b, a)
				}
			}
			if tt.set.NoTokens && tokens >= full.Tokens() {
				t.Errorf("%d tokens were counted", tokens)
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
