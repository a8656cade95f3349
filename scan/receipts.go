package scan

import (
	"cmp"
	"slices"

	"sessc/lifecycle"
	"sessc/session"
)

// receipts is the second pass: the result of each spawning call says whether
// the sub-task runs, was refused, or is already over.
func (p *passes) receipts() {
	for n := range p.s.Events {
		ev := &p.s.Events[n]
		switch ev.Kind {
		case session.Accepted, session.SpawnError, session.Inline, session.Unclear:
			if l := p.asked(ev); l != nil && l.Receipt < 0 {
				p.receive(l, n)
			}
		}
	}
	byRun := make(map[string][]*lifecycle.Lifecycle, len(p.found))
	for n := range p.found {
		l := &p.found[n]
		if l.Receipt < 0 {
			l.State, l.Why = lifecycle.Unknown, "its spawn has no result"
		}
		if l.Run != "" {
			p.alone(byRun[l.Run], l, "its run id occurs twice")
			p.under(byRun, l.Run, l)
		}
	}
}

// receive takes in the result of a spawning call.
func (p *passes) receive(l *lifecycle.Lifecycle, n int) {
	ev := &p.s.Events[n]
	p.received[n] = l
	l.Events = append(l.Events, n)
	l.Receipt, l.Run = ev.Entry, ev.Run
	if ev.Child != "" {
		l.Child = ev.Child
	}
	switch ev.Kind {
	case session.SpawnError:
		l.State, l.Why, l.Final = lifecycle.SpawnFailed, ev.Error, n
	case session.Inline:
		l.Completions = append(l.Completions, ev.Entry)
		l.State, l.Why = ending(ev)
		l.Final = n
	case session.Unclear:
		l.State, l.Why = lifecycle.Unknown, ev.Error
	}
}

// asked returns the lifecycle whose spawning call the event answers: the last
// one before it with that call id.
func (p *passes) asked(ev *session.Event) *lifecycle.Lifecycle {
	same := p.byCall[ev.Call]
	n, _ := slices.BinarySearchFunc(same, ev.Entry, func(l *lifecycle.Lifecycle, at int32) int { return cmp.Compare(l.Spawn, at) })
	for _, l := range slices.Backward(same[:n]) {
		if p.tree.before(l.Spawn, ev.Entry) {
			return l
		}
	}
	return nil
}
