package scan

import (
	"sessc/lifecycle"
	"sessc/session"
)

// ended finds the lifecycle that a completion is about, by the strongest key
// that the event has: the run, the child's key, which the program may even
// vouch for, the child's own session id when an earlier completion gave it,
// and what it is called only when exactly one open spawn is called so.
func (p *passes) ended(ev *session.Event) *lifecycle.Lifecycle {
	if ev.Run != "" || ev.Child != "" {
		if l := p.decided(p.byRun[ev.Run], ev.Entry); l != nil {
			return l
		}
		return p.decided(p.byChild[ev.Child], ev.Entry)
	}
	if l := p.decided(p.byInner[ev.Session], ev.Entry); l != nil {
		return l
	}
	return p.onlyOpen(ev.Label, ev.Entry)
}

// named finds the lifecycle that a call or a message names: by run or child,
// else by what it is called.
func (p *passes) named(ev *session.Event) *lifecycle.Lifecycle {
	for _, same := range [][]*lifecycle.Lifecycle{p.byRun[ev.Child], p.byChild[ev.Child]} {
		if c := p.candidates(same, ev.Entry); c.last != nil {
			if ev.Kind == session.Killed {
				return p.decided(same, ev.Entry)
			}
			return c.likely()
		}
	}
	if ev.Kind == session.Killed {
		return p.onlyOpen(ev.Child, ev.Entry)
	}
	switch c := p.candidates(p.byName[ev.Child], ev.Entry); {
	case c.open == 1, c.all == 1:
		return c.likely()
	}
	return nil
}

// candidates are the lifecycles with one key that an event can be about.
type candidates struct {
	all, open         int                  // how many, and how many of them run
	last, lastRunning *lifecycle.Lifecycle // those spawned last
}

// candidates looks among lifecycles with one key for those spawned before an
// entry on its branch.
func (p *passes) candidates(same []*lifecycle.Lifecycle, at int32) candidates {
	var c candidates
	for _, l := range same {
		if !p.tree.before(l.Spawn, at) {
			continue
		}
		c.all++
		c.last = l
		if l.State == lifecycle.Running {
			c.open++
			c.lastRunning = l
		}
	}
	return c
}

// likely is the one that runs; of those that have ended, the last, which the
// event then says again.
func (c *candidates) likely() *lifecycle.Lifecycle {
	if c.lastRunning != nil {
		return c.lastRunning
	}
	return c.last
}

// decided returns the lifecycle that an event ends. Where several with its key
// run, all of them are marked: one has ended, and the log does not say which.
func (p *passes) decided(same []*lifecycle.Lifecycle, at int32) *lifecycle.Lifecycle {
	c := p.candidates(same, at)
	if c.open > 1 {
		p.confuse(same, at, "several of its runs were open at one completion")
	}
	return c.likely()
}

// onlyOpen returns the one lifecycle of a name that is open at an entry. Where
// there are several, all of them are marked: a later run that sees fewer must
// not guess either.
func (p *passes) onlyOpen(name string, at int32) *lifecycle.Lifecycle {
	same := p.byName[name]
	switch c := p.candidates(same, at); {
	case c.open == 1:
		return c.lastRunning
	case c.open > 1:
		p.confuse(same, at, "a completion names only its label, which others had too")
	}
	return nil
}

// confuse marks all of the lifecycles that run at an entry as ambiguous.
func (p *passes) confuse(same []*lifecycle.Lifecycle, at int32, why string) {
	for _, l := range same {
		if l.State == lifecycle.Running && l.Ambiguous == "" && p.tree.before(l.Spawn, at) {
			l.Ambiguous = why
		}
	}
}
