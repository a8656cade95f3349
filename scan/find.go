// Package scan finds the lifecycles of a session. [Find] finds the tasks, in
// four passes over the index: spawns, spawn errors, completions, costs. They
// match events by their keys and read no file. [Work] finds turns and results:
// it reads each call of the active path once, and the prompts. Both know no
// format, and decide nothing about what is masked.
package scan

import (
	"sessc/lifecycle"
	"sessc/session"
)

// Find returns the lifecycles of a session in the order of their spawns,
// on every branch, whatever their state.
func Find(s *session.Session) []lifecycle.Lifecycle {
	spawns := 0
	for n := range s.Events {
		if s.Events[n].Kind == session.Spawn {
			spawns++
		}
	}
	p := &passes{s: s, tree: newTree(s), found: make([]lifecycle.Lifecycle, 0, spawns), byCall: make(map[string][]*lifecycle.Lifecycle, spawns)}
	p.spawns()
	p.received = make([]*lifecycle.Lifecycle, len(s.Events))
	p.receipts()
	p.byCall = nil // no later pass needs it
	p.byRun, p.byChild, p.byInner, p.byName = make(groups, spawns), make(groups, spawns), groups{}, groups{}
	p.completions()
	p.costs()
	return p.found
}

// passes is the state that one pass leaves to the next.
type passes struct {
	s        *session.Session
	tree     *tree
	found    []lifecycle.Lifecycle             // complete after the first pass
	byCall   map[string][]*lifecycle.Lifecycle // by the id of the spawning call, in the order of the spawns
	received []*lifecycle.Lifecycle            // by the event that is the receipt

	// Filled as the third pass goes over the events, so that an event is only
	// compared with what was spawned before it.
	byRun   groups // id of the run
	byChild groups // the child's key
	byInner groups // the child's own session id
	byName  groups // what the program calls it

	// Memory, see taken.
	groups []group
	events [][usual]int
	keyed  [][1]*lifecycle.Lifecycle
}
