package scan

import (
	"slices"

	"sessc/lifecycle"
	"sessc/session"
)

// groups holds the lifecycles that share a key.
type groups map[string]*group

// group is the lifecycles with one key, in the order of their receipts, and
// those among them that run. Most have one.
type group struct {
	all, open []*lifecycle.Lifecycle
	first     [2]*lifecycle.Lifecycle // the memory of the first one of each
}

// add enters a lifecycle under a key, unless the key is unknown.
func (p *passes) add(gs groups, key string, l *lifecycle.Lifecycle) {
	if key == "" {
		return
	}
	g := gs[key]
	if g == nil {
		g = taken(&p.groups)
		g.all, g.open = g.first[:0:1], g.first[1:1]
		gs[key] = g
	}
	g.all = append(g.all, l)
	if l.State == lifecycle.Running {
		g.open = append(g.open, l)
	}
}

// taken returns an element of memory that is taken for many at once. A log has
// thousands of sub-tasks, and to ask for each thing of each takes longer than to
// match them.
func taken[T any](from *[]T) *T {
	if len(*from) == 0 {
		*from = make([]T, takenAtOnce)
	}
	one := &(*from)[0]
	*from = (*from)[1:]
	return one
}

const takenAtOnce = 64

// move opens or closes a lifecycle in its group after its state changed.
func (gs groups) move(key string, l *lifecycle.Lifecycle) {
	g := gs[key]
	if g == nil {
		return
	}
	at := slices.Index(g.open, l)
	switch {
	case l.State == lifecycle.Running && at < 0:
		g.open = append(g.open, l)
	case l.State != lifecycle.Running && at >= 0:
		g.open = slices.Delete(g.open, at, at+1)
	}
}

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
	return p.onlyOpen(p.byName[ev.Label], ev.Entry)
}

// named finds the lifecycle that a call or a message names: by run or child,
// else by what it is called.
func (p *passes) named(ev *session.Event) *lifecycle.Lifecycle {
	for _, g := range []*group{p.byRun[ev.Child], p.byChild[ev.Child]} {
		if ev.Kind == session.Killed {
			if l := p.decided(g, ev.Entry); l != nil {
				return l
			}
		} else if l := p.candidates(g, ev.Entry).likely(); l != nil {
			return l
		}
	}
	g := p.byName[ev.Child]
	if ev.Kind == session.Killed {
		return p.onlyOpen(g, ev.Entry)
	}
	if c := p.candidates(g, ev.Entry); c.open == 1 || c.only {
		return c.likely()
	}
	return nil
}

// candidates are the lifecycles of a group that an event can be about.
type candidates struct {
	last     *lifecycle.Lifecycle // the one that was spawned last, nil when there is none
	only     bool                 // there is no other
	lastOpen *lifecycle.Lifecycle // the one among those that run
	open     int                  // how many run
}

// candidates looks in a group for what was spawned before an entry on its
// branch.
func (p *passes) candidates(g *group, at int32) candidates {
	var c candidates
	if g == nil {
		return c
	}
	for _, l := range slices.Backward(g.all) {
		if !p.tree.before(l.Spawn, at) {
			continue
		}
		if c.only = c.last == nil; !c.only {
			break
		}
		c.last = l
	}
	for _, l := range g.open {
		if p.tree.before(l.Spawn, at) {
			c.open++
			if c.lastOpen == nil || l.Spawn >= c.lastOpen.Spawn {
				c.lastOpen = l
			}
		}
	}
	return c
}

// likely is the one that runs; of those that have ended, the last, of which
// the event is a copy.
func (c candidates) likely() *lifecycle.Lifecycle {
	if c.lastOpen != nil {
		return c.lastOpen
	}
	return c.last
}

// decided returns the lifecycle of a group that an event ends. Where several
// run, all of them are marked: one has ended, and the log does not say which.
func (p *passes) decided(g *group, at int32) *lifecycle.Lifecycle {
	c := p.candidates(g, at)
	if c.open > 1 {
		p.confuse(g, at, "several of its runs were open at one completion")
	}
	return c.likely()
}

// onlyOpen returns the one lifecycle of a group that runs at an entry. Where
// there are several, all of them are marked, so that a later run, from which
// some are gone, does not guess either.
func (p *passes) onlyOpen(g *group, at int32) *lifecycle.Lifecycle {
	c := p.candidates(g, at)
	if c.open > 1 {
		p.confuse(g, at, "a completion names only its label, which others had too")
		return nil
	}
	return c.lastOpen
}

// confuse marks the lifecycles of a group that run at an entry as ambiguous.
func (p *passes) confuse(g *group, at int32, why string) {
	for _, l := range g.open {
		if l.Ambiguous == "" && p.tree.before(l.Spawn, at) {
			l.Ambiguous = why
		}
	}
}
