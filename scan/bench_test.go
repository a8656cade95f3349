package scan_test

import (
	"fmt"
	"testing"

	"sessc/scan"
	"sessc/session"
)

// BenchmarkSameKeys matches 20,000 sub-tasks that are hard to tell apart,
// which is where a look at every other one would hide.
func BenchmarkSameKeys(b *testing.B) {
	const n = 20_000
	for _, c := range []struct {
		name   string
		events func(k int, at int32) []session.Event // of the k-th, from entry at on
	}{
		{"one label, one after the other", func(k int, at int32) []session.Event {
			id := fmt.Sprint(k)
			return []session.Event{called("x", spawn(at, id)), accepted(at+1, id), labelled(at+2, "x")}
		}},
		{"one label, all open", func(k int, at int32) []session.Event {
			id := fmt.Sprint(k)
			return []session.Event{called("x", spawn(at, id)), accepted(at+1, id), labelled(at+2, "y")}
		}},
		{"one child, one after the other", func(k int, at int32) []session.Event {
			id := fmt.Sprint(k)
			return []session.Event{spawn(at, id), child("key", accepted(at+1, id)), child("key", done(at+2, id))}
		}},
		{"one call id", func(k int, at int32) []session.Event {
			return []session.Event{spawn(at, "a"), run(fmt.Sprint(k), accepted(at+1, "a")), done(at+2, "a")}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := &session.Session{}
			builder := session.NewBuilder(s)
			for i := range int32(3 * n) {
				builder.Add(session.Entry{Parent: i - 1, Kind: session.HostEvent})
				s.Chain = append(s.Chain, i)
			}
			s.Active = s.Chain
			for k := range n {
				s.Events = append(s.Events, c.events(k, int32(3*k))...)
			}
			builder.Freeze()
			for b.Loop() {
				scan.Find(s)
			}
		})
	}
}
