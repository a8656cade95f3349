package lifecycle

import (
	"cmp"
	"slices"
)

// span is where a lifecycle stands on the active path.
type span struct {
	own         []int32 // its entries; copies of its completion that are not sent are left out
	first, last int     // positions of the first and the last entry of the atoms that hold own
	finish      int     // position of its last completion, or of the receipt that refused it, -1 when none is sent
	from, to    int     // first and last of these entries as places on the chain
}

func (d *decision) spanOf(l *Lifecycle) span {
	sp := span{own: l.Entries(), first: len(d.s.Active), last: -1, finish: -1, from: len(d.s.Chain), to: -1}
	sp.own = slices.DeleteFunc(sp.own, func(i int32) bool {
		return i != l.Spawn && i != l.Receipt && d.s.Position(i) < 0
	})
	for _, own := range sp.own {
		for _, i := range d.atomOf(own).entries {
			if i < 0 {
				continue
			}
			if p := d.s.Position(i); p >= 0 {
				sp.first, sp.last = min(sp.first, p), max(sp.last, p)
			}
			if p := int(d.place[i]); p >= 0 {
				sp.from, sp.to = min(sp.from, p), max(sp.to, p)
			}
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

// within returns the first of the given places on the chain that lies in the
// span; places ascend.
func (sp *span) within(places []int) (at int, ok bool) {
	n, _ := slices.BinarySearch(places, sp.from)
	if n == len(places) || places[n] > sp.to {
		return 0, false
	}
	return places[n], true
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
