package scan

import (
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
	for n := range p.found {
		l := &p.found[n]
		if l.Receipt < 0 {
			l.State, l.Why = lifecycle.Unknown, "its spawn has no result"
		}
		p.alone(p.byRun, l.Run, l, "its run id occurs twice")
		p.byChild.add(l.Child, l)
		p.byName.add(called(l), l)
	}
}

// receive takes in the result of a spawning call.
func (p *passes) receive(l *lifecycle.Lifecycle, n int) {
	ev := &p.s.Events[n]
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
	for k := len(same) - 1; k >= 0; k-- {
		if l := same[k]; p.tree.before(l.Spawn, ev.Entry) {
			return l
		}
	}
	return nil
}

// called is what the program calls a lifecycle: its label, or the task itself
// where the agent gave none. Formats cut both at the same length.
func called(l *lifecycle.Lifecycle) string {
	if l.Label != "" {
		return l.Label
	}
	return l.Task
}
