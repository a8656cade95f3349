package lifecycle

import (
	"cmp"
	"math"
	"slices"
)

// reach is from where to where some entries stand.
type reach struct {
	first, last int // positions on the active path
	from, to    int // places on the chain
}

// nowhere is the reach of no entry.
var nowhere = reach{first: math.MaxInt, last: -1, from: math.MaxInt, to: -1}

func (d *decision) reachOf(entries []int32) reach {
	r := nowhere
	for _, i := range entries {
		if i < 0 {
			continue
		}
		if p := d.s.Position(i); p >= 0 {
			r.first, r.last = min(r.first, p), max(r.last, p)
		}
		if p := int(d.place[i]); p >= 0 {
			r.from, r.to = min(r.from, p), max(r.to, p)
		}
	}
	return r
}

func (r *reach) add(o reach) {
	r.first, r.last = min(r.first, o.first), max(r.last, o.last)
	r.from, r.to = min(r.from, o.from), max(r.to, o.to)
}

// within returns the first of the given places on the chain that lies in
// reach; places ascend.
func (r *reach) within(places []int) (at int, ok bool) {
	n, _ := slices.BinarySearch(places, r.from)
	if n == len(places) || places[n] > r.to {
		return 0, false
	}
	return places[n], true
}

// span is where a lifecycle stands in the log.
type span struct {
	own    []int32 // its entries; copies of its completion that are not sent are left out
	reach          // of the atoms that hold own; nowhere when the spawn is not sent
	finish int     // position of its last completion, or of the receipt that refused it, -1 when none is sent
}

func (d *decision) spanOf(l *Lifecycle) span {
	sp := span{own: l.Entries(), reach: nowhere, finish: -1}
	sp.own = slices.DeleteFunc(sp.own, func(i int32) bool {
		return i != l.Spawn && i != l.Receipt && d.s.Position(i) < 0
	})
	if d.sent(l) {
		for _, i := range sp.own {
			sp.add(d.atomOf(i).reach)
		}
	}
	for _, i := range l.Completions {
		sp.finish = max(sp.finish, d.s.Position(i))
	}
	if len(l.Completions) == 0 && l.State == SpawnFailed {
		sp.finish = d.s.Position(l.Receipt)
	}
	return sp
}

// waves groups the chosen lifecycles whose spans overlap.
func (d *decision) waves() [][]int {
	var chosen []int
	for n := range d.all {
		if d.chosen(n) {
			chosen = append(chosen, n)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(d.spans[a].first, d.spans[b].first) })
	var waves [][]int
	end := -1
	for _, n := range chosen {
		if d.spans[n].first > end {
			waves = append(waves, nil)
		}
		waves[len(waves)-1] = append(waves[len(waves)-1], n)
		end = max(end, d.spans[n].last)
	}
	return waves
}
