// Package scan finds the lifecycles of a session in four passes over its
// index: spawns, spawn errors, completions, costs. The passes match events by
// their keys; they read no file, know no format, and decide nothing about what
// is masked.
package scan

import (
	"sessc/lifecycle"
	"sessc/session"
)

// Find returns the lifecycles of a session in the order of their spawns,
// on every branch, whatever their state.
func Find(s *session.Session) []lifecycle.Lifecycle {
	p := &passes{s: s, tree: newTree(s), byCall: index{}, byRun: index{}, byChild: index{}, byInner: index{}, byName: index{}}
	p.spawns()
	p.receipts()
	p.completions()
	p.costs()
	return p.found
}

// passes is the state that one pass leaves to the next.
type passes struct {
	s     *session.Session
	tree  *tree
	found []lifecycle.Lifecycle // complete after the first pass

	byCall  index // id of the spawning call
	byRun   index // id of the run
	byChild index // the child's key
	byInner index // the child's own session id
	byName  index // what the program calls it
}

// index leads from a key to the lifecycles that have it, in the order of their
// spawns.
type index map[string][]*lifecycle.Lifecycle

// add enters a lifecycle, unless the key is unknown.
func (x index) add(key string, l *lifecycle.Lifecycle) {
	if key != "" {
		x[key] = append(x[key], l)
	}
}

// alone enters a lifecycle under a key that must be its alone: on one branch
// the events of two with the same key cannot be told apart. The same key on
// another branch is another one.
func (p *passes) alone(x index, key string, l *lifecycle.Lifecycle, why string) {
	for _, o := range x[key] {
		if (o.Ambiguous == "" || l.Ambiguous == "") && p.tree.related(o.Spawn, l.Spawn) {
			o.Ambiguous, l.Ambiguous = why, why
		}
	}
	x.add(key, l)
}
