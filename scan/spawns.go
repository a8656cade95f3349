package scan

import (
	"cmp"
	"slices"

	"sessc/lifecycle"
	"sessc/session"
)

// usual is how many events most lifecycles have: spawn, receipt, completion.
const usual = 3

// spawns is the first pass: every spawning call opens a lifecycle.
func (p *passes) spawns() {
	for n := range p.s.Events {
		ev := &p.s.Events[n]
		if ev.Kind != session.Spawn {
			continue
		}
		l := lifecycle.Lifecycle{
			Key: ev.Call, Label: ev.Label, Task: ev.Task, Child: ev.Child,
			State: lifecycle.Running, Spawn: ev.Entry, Receipt: -1, Final: -1, Call: -1, Events: append(taken(&p.events)[:0], n),
			Started: p.s.Entries[ev.Entry].Time, Took: -1, Spent: -1,
		}
		if ev.Call == "" {
			l.Ambiguous = "its spawning call has no id"
		}
		p.found = append(p.found, l)
	}
	slices.SortStableFunc(p.found, func(a, b lifecycle.Lifecycle) int { return cmp.Compare(a.Spawn, b.Spawn) })
	for n := range p.found {
		if l := &p.found[n]; l.Key != "" {
			p.alone(p.byCall[l.Key], l, "the id of its spawning call occurs twice")
			p.under(p.byCall, l.Key, l)
		}
	}
}

// under appends a lifecycle to those with its key.
func (p *passes) under(by map[string][]*lifecycle.Lifecycle, key string, l *lifecycle.Lifecycle) {
	same := by[key]
	if same == nil {
		same = taken(&p.keyed)[:0]
	}
	by[key] = append(same, l)
}

// alone marks a lifecycle whose key another one above it has too: on one
// branch the events of the two cannot be told apart. The same key on another
// branch is another one. Of several above it the nearest is enough, since the
// others were marked when that one came.
func (p *passes) alone(same []*lifecycle.Lifecycle, l *lifecycle.Lifecycle, why string) {
	for _, o := range slices.Backward(same) {
		if o.Spawn == l.Spawn || p.tree.before(o.Spawn, l.Spawn) {
			o.Ambiguous, l.Ambiguous = why, why
			return
		}
	}
}
