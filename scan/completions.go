package scan

import (
	"slices"
	"strings"

	"sessc/lifecycle"
	"sessc/session"
)

// completions is the third pass: it matches what the program says about
// children to the lifecycles that are waiting for it.
func (p *passes) completions() {
	for n := range p.s.Events {
		ev := &p.s.Events[n]
		switch ev.Kind {
		case session.Completion:
			if l := p.ended(ev); l != nil {
				l.Events = append(l.Events, n)
				p.complete(l, n)
			}
		case session.Killed, session.Activity, session.Touch:
			if l := p.named(ev); l != nil {
				l.Events = append(l.Events, n)
				p.touch(l, n)
			}
		default:
			if l := p.received[n]; l != nil {
				p.add(p.byRun, l.Run, l)
				p.add(p.byChild, l.Child, l)
				p.add(p.byName, called(l), l)
			}
		}
	}
	p.nest()
}

// complete closes a lifecycle, or adds a copy to one that is closed. Copies
// say the same again; a later different end is the one that counts, since the
// program reports a time-out first and the late success after it, and a child
// may have done more after its first end.
func (p *passes) complete(l *lifecycle.Lifecycle, n int) {
	ev := &p.s.Events[n]
	l.Completions = append(l.Completions, ev.Entry)
	if l.Inner == "" {
		l.Inner = ev.Session
		p.add(p.byInner, l.Inner, l)
	}
	state, why := ending(ev)
	switch {
	case p.known(l, ev):
	case state == lifecycle.Unknown && l.State.Finished():
		if l.Final < 0 {
			l.Final = n
		}
	case l.State != state:
		p.become(l, state, why)
		p.end(l, n)
	case l.Final < 0 || differ(&p.s.Events[l.Final], ev):
		p.end(l, n)
	}
}

// known reports whether an end is a copy of one that was told before: of the same
// outcome, with the same figures, or, where there are none to compare, as many
// words.
func (p *passes) known(l *lifecycle.Lifecycle, ev *session.Event) bool {
	told := func(n int) bool {
		was := &p.s.Events[n]
		compared := was.Tokens >= 0 && ev.Tokens >= 0 || was.Runtime >= 0 && ev.Runtime >= 0
		alike := compared || ev.Report.Len > 0 && was.Report.Len == ev.Report.Len
		return alike && was.Outcome == ev.Outcome && was.Suspect == ev.Suspect && !differ(was, ev)
	}
	return l.Final >= 0 && told(l.Final) || slices.ContainsFunc(l.Earlier, told)
}

// end makes an event the one that decides.
func (p *passes) end(l *lifecycle.Lifecycle, n int) {
	if l.Final >= 0 && p.s.Events[l.Final].Kind != session.SpawnError {
		l.Earlier = append(l.Earlier, l.Final)
	}
	l.Final = n
}

// differ reports whether two ends cannot be copies of one: the program prints the
// same figures again, and where it prints none, as many words.
func differ(a, b *session.Event) bool {
	known, other := false, false
	for _, f := range [][2]int64{{a.Tokens, b.Tokens}, {a.Runtime, b.Runtime}} {
		known = known || f[0] >= 0 || f[1] >= 0
		other = other || f[0] >= 0 && f[1] >= 0 && f[0] != f[1]
	}
	return other || !known && a.Report.Len != b.Report.Len
}

// touch takes in a call or a message that names a child.
func (p *passes) touch(l *lifecycle.Lifecycle, n int) {
	ev := &p.s.Events[n]
	switch {
	case ev.Kind != session.Killed:
		l.Touches = append(l.Touches, ev.Entry)
		if ev.Kind == session.Activity && l.State != lifecycle.Running {
			p.become(l, lifecycle.Running, "its child went on after its end")
		}
	case !l.State.Finished():
		p.become(l, lifecycle.Killed, "")
		l.Completions = append(l.Completions, ev.Entry)
		p.end(l, n)
	}
}

// become sets a lifecycle's state, and whether it is open.
func (p *passes) become(l *lifecycle.Lifecycle, state lifecycle.State, why string) {
	was := l.State == lifecycle.Running
	l.State, l.Why = state, why
	if now := state == lifecycle.Running; was != now {
		p.byRun.move(l.Run, l)
		p.byChild.move(l.Child, l)
		p.byInner.move(l.Inner, l)
		p.byName.move(called(l), l)
	}
}

// ending is what a completion says.
func ending(ev *session.Event) (state lifecycle.State, why string) {
	if ev.Suspect != "" {
		return lifecycle.Suspect, ev.Suspect
	}
	state, why = lifecycle.StateOf(ev.Outcome), ev.Error
	if state == lifecycle.Unknown {
		why = "its completion names no known status"
	}
	return state, why
}

// called is what the program calls a lifecycle: its label, or the task itself
// where the agent gave none. Formats cut both at the same length.
func called(l *lifecycle.Lifecycle) string {
	if l.Label != "" {
		return l.Label
	}
	return l.Task
}

// nest sets the lifecycle within which another ran, where the child's key
// extends its parent's.
func (p *passes) nest() {
	for n := range p.found {
		l := &p.found[n]
		key := l.Child
		for l.Outer == "" {
			cut := strings.LastIndexByte(key, ':')
			if cut < 0 {
				break
			}
			key = key[:cut]
			if g := p.byChild[key]; g != nil {
				l.Outer = g.all[len(g.all)-1].Key
			}
		}
	}
}
