package claudecode

import (
	"bytes"
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
			if got := s.Tokens() < full.Tokens(); got != tt.set.NoTokens {
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
