package scan

import (
	"slices"

	"sessc/session"
)

// tree answers whether one entry follows another on one branch.
type tree struct {
	s     *session.Session
	trunk []bool // on the active chain, or sent with it
	// enter and leave number the entries off the trunk so that those below an
	// entry have numbers between its two. They are nil until they are needed:
	// most logs have no event off the trunk.
	enter, leave []int32
}

func newTree(s *session.Session) *tree {
	t := &tree{s: s, trunk: make([]bool, len(s.Entries))}
	for _, i := range s.Chain {
		t.trunk[i] = true
	}
	for _, i := range s.Active {
		t.trunk[i] = true
	}
	return t
}

// before reports whether entry b follows entry a on one branch, so that what b
// says can concern a. On the trunk this is file order; elsewhere it is
// descent, and a spawn on the trunk is never ended by an abandoned branch.
func (t *tree) before(a, b int32) bool {
	if t.trunk[a] || t.trunk[b] {
		return t.trunk[a] && t.trunk[b] && a < b
	}
	if t.enter == nil {
		t.number()
	}
	return a < b && t.enter[a] < t.enter[b] && t.leave[b] <= t.leave[a]
}

// number walks the branches off the trunk, depth first. An entry whose parent
// is ambiguous begins a branch of its own.
func (t *tree) number() {
	n := len(t.s.Entries)
	t.enter, t.leave = make([]int32, n), make([]int32, n)
	child, sibling := slices.Repeat([]int32{-1}, n), slices.Repeat([]int32{-1}, n)
	var roots []int32
	for i := int32(n) - 1; i >= 0; i-- {
		e := &t.s.Entries[i]
		switch {
		case t.trunk[i]:
		case e.Parent < 0 || t.trunk[e.Parent] || e.Is(session.Unsure):
			roots = append(roots, i)
		default:
			sibling[i], child[e.Parent] = child[e.Parent], i
		}
	}
	clock := int32(0)
	for _, root := range roots {
		for at, down := root, true; ; {
			if down {
				t.enter[at] = clock
				clock++
				if child[at] >= 0 {
					at = child[at]
					continue
				}
			}
			t.leave[at] = clock
			if at == root {
				break
			}
			if down = sibling[at] >= 0; down {
				at = sibling[at]
			} else {
				at = t.s.Entries[at].Parent
			}
		}
	}
}
