package scan

import (
	"cmp"
	"slices"

	"sessc/lifecycle"
	"sessc/session"
)

// spawns is the first pass: every spawning call opens a lifecycle.
func (p *passes) spawns() {
	for n := range p.s.Events {
		ev := &p.s.Events[n]
		if ev.Kind != session.Spawn {
			continue
		}
		l := lifecycle.Lifecycle{
			Key: ev.Call, Label: ev.Label, Task: ev.Task, Child: ev.Child,
			State: lifecycle.Running, Spawn: ev.Entry, Receipt: -1, Final: -1,
			Started: p.s.Entries[ev.Entry].Time, Took: -1, Spent: -1, Events: []int{n},
		}
		if ev.Call == "" {
			l.Ambiguous = "its spawning call has no id"
		}
		p.found = append(p.found, l)
	}
	slices.SortStableFunc(p.found, func(a, b lifecycle.Lifecycle) int { return cmp.Compare(a.Spawn, b.Spawn) })
	for n := range p.found {
		l := &p.found[n]
		p.alone(p.byCall, l.Key, l, "the id of its spawning call occurs twice")
	}
}
