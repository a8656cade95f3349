package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever ids a log has, each is found where it stands, in file order, and
// nothing else is.
func TestIDs(t *testing.T) {
	for _, tt := range []struct {
		name    string
		entries int
		id      func(i int, r *rand.Rand) string
	}{
		{"no entries", 0, nil},
		{"no ids", 20, func(int, *rand.Rand) string { return "" }},
		{"one id for all", 50, func(int, *rand.Rand) string { return "same" }},
		{"all different", 3000, func(i int, _ *rand.Rand) string { return fmt.Sprintf("%08x", i*2654435761) }},
		{"some twice, some without", 3000, func(_ int, r *rand.Rand) string {
			if n := r.IntN(2000); n > 100 {
				return fmt.Sprint(n)
			}
			return ""
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			s := &Session{}
			b := NewBuilder(s)
			want := map[string][]int32{}
			for i := range tt.entries {
				id := tt.id(i, r)
				b.Add(Entry{ID: b.Store([]byte(id))})
				if id != "" {
					want[id] = append(want[id], int32(i))
				}
			}
			b.Link()
			for id, at := range want {
				if got := s.Lookup(id); !slices.Equal(got, at) {
					t.Fatalf("%q: got entries %v, want %v", id, got, at)
				}
				for _, i := range at {
					if s.Entries[i].Is(Unsure) != (len(at) > 1) {
						t.Fatalf("entry %d of %d with id %q: unsure is %v", i, len(at), id, s.Entries[i].Is(Unsure))
					}
				}
			}
			for _, id := range []string{"", "no entry has this", "sam", "same "} {
				if got := s.Lookup(id); len(got) > 0 {
					t.Errorf("%q: got entries %v", id, got)
				}
			}
		})
	}
}

// The lists of an index hold little more than they need, also where the log
// begins with short lines and goes on with long ones, or the other way round.
func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		name string
		line func(n int) int64 // length of line n
		most float64           // capacity for each element at the end
	}{
		{"even", func(int) int64 { return 1000 }, 1.05},
		{"short first", func(n int) int64 { return 100 + 19_900*int64(n/50_000) }, 1.35},
		{"long first", func(n int) int64 { return 20_000 - 19_900*int64(n/50_000) }, 1.2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const lines = 100_000
			s := &Session{}
			for n := range lines {
				s.Size += tt.line(n)
			}
			b := NewBuilder(s)
			off, grown := int64(0), 0
			for n := range lines {
				before := cap(s.Entries)
				b.Add(Entry{Off: off})
				off += tt.line(n)
				if cap(s.Entries) != before {
					grown++
				}
			}
			if got := float64(cap(s.Entries)) / lines; got > tt.most {
				t.Errorf("room for %.2f entries for each one", got)
			}
			if grown > 40 {
				t.Errorf("the list was copied %d times", grown)
			}
		})
	}
}
