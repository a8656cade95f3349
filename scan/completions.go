package scan

import (
	"strings"

	"sessc/lifecycle"
	"sessc/session"
)

// completions is the third pass: it matches what the program says about
// children to the lifecycles that are waiting for it.
func (p *passes) completions() {
	for n := range p.s.Events {
		ev := &p.s.Events[n]
		var l *lifecycle.Lifecycle
		switch ev.Kind {
		case session.Completion:
			l = p.ended(ev)
		case session.Killed, session.Activity, session.Touch:
			l = p.named(ev)
		}
		if l == nil {
			continue
		}
		l.Events = append(l.Events, n)
		switch ev.Kind {
		case session.Completion:
			p.complete(l, n)
		case session.Killed:
			if !l.State.Finished() {
				l.State, l.Why, l.Final = lifecycle.Killed, "", n
				l.Completions = append(l.Completions, ev.Entry)
			}
		case session.Activity:
			l.Touches = append(l.Touches, ev.Entry)
			if len(l.Completions) > 0 {
				l.State, l.Why = lifecycle.Running, "its child went on after its completion"
			}
		case session.Touch:
			l.Touches = append(l.Touches, ev.Entry)
		}
	}
	p.nest()
}

// complete closes a lifecycle, or adds a copy to one that is closed. Copies
// say the same again; a later different end is the one that counts, since the
// program reports a time-out first and the late success after it.
func (p *passes) complete(l *lifecycle.Lifecycle, n int) {
	ev := &p.s.Events[n]
	l.Completions = append(l.Completions, ev.Entry)
	if l.Inner == "" {
		l.Inner = ev.Session
		p.byInner.add(l.Inner, l)
	}
	state, why := ending(ev)
	if l.State == state || state == lifecycle.Unknown && l.State.Finished() {
		if l.Final < 0 {
			l.Final = n
		}
		return
	}
	l.State, l.Why, l.Final = state, why, n
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

// nest sets the lifecycle within which another ran, where the child's key
// extends its parent's.
func (p *passes) nest() {
	for n := range p.found {
		l := &p.found[n]
		for key := l.Child; l.Outer == ""; {
			cut := strings.LastIndexByte(key, ':')
			if cut < 0 {
				break
			}
			key = key[:cut]
			if out := p.byChild[key]; len(out) > 0 {
				l.Outer = out[len(out)-1].Key
			}
		}
	}
}
