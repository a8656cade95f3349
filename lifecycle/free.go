package lifecycle

import (
	"slices"

	"sessc/session"
)

// Free says what the layers before have left and may go. The sources of
// further layers choose the members of their lifecycles among it.
type Free struct {
	d     *decision
	taken map[int32]bool
}

// NewFree looks at a log in which tasks were found and selected: what names a
// task goes with that task or stays. cleared are entries of ours in which only
// texts were cleared: unlike a mask they may go with their turn.
func NewFree(s *session.Session, tasks []Lifecycle, sel *Selection, cleared map[int32]bool, o Options) *Free {
	f := &Free{d: newDecision(s, tasks, o), taken: map[int32]bool{}}
	f.d.cleared = cleared
	f.Take(sel)
	return f
}

// Take removes what a selection replaces from what is free.
func (f *Free) Take(sel *Selection) {
	for _, w := range sel.Waves {
		for _, p := range w.Pieces {
			for _, i := range p.Members {
				f.taken[i] = true
			}
		}
	}
}

// Keep makes entries count as taken, though they stay.
func (f *Free) Keep(entries []int32) {
	for _, i := range entries {
		f.taken[i] = true
	}
}

// Taken reports whether an entry goes with a lifecycle of a layer before.
func (f *Free) Taken(i int32) bool { return f.taken[i] }

// May reports whether an entry of the active path may leave the log, with all
// that must go with it: a call with its results.
func (f *Free) May(i int32) bool {
	a := f.d.atomOf(i)
	if f.d.stays(a) != "" {
		return false
	}
	return !slices.ContainsFunc(a.entries, func(i int32) bool {
		return f.taken[i] || f.d.s.Entries[i].Is(session.Fixed) || len(f.d.names[i]) > 0 || f.forks(i)
	})
}

// forks reports whether another conversation branches off at an entry.
func (f *Free) forks(i int32) bool {
	_, found := slices.BinarySearch(f.d.branches, int(f.d.place[i]))
	return found
}

// MayChange reports whether texts inside an entry may change while it stays.
func (f *Free) MayChange(i int32) bool {
	_, held := f.d.held(i)
	e := &f.d.s.Entries[i]
	return !held && !f.taken[i] && !e.Is(session.ByUs) && !e.Is(session.Fixed) && len(f.d.names[i]) == 0 && !f.d.askedPerson(i)
}

// Whole returns the entries that must go with an entry: a message with its
// calls and their results.
func (f *Free) Whole(i int32) []int32 { return f.d.atomOf(i).entries }

// Parted reports whether something stands between two neighbours of the active
// path over which no mask may reach: a compaction, or metadata that cannot be
// hung anew.
func (f *Free) Parted(a, b int32) bool {
	from, to := f.d.place[a], f.d.place[b]
	if from < 0 || to <= from {
		return true
	}
	for _, i := range f.d.s.Chain[from+1 : to] {
		switch k := f.d.s.Entries[i].Kind; {
		case k == session.Boundary || k == session.Summary, k.Role() == "" && !f.d.sound(i):
			return true
		}
	}
	return false
}

// Open returns the first entry among some that starts, or names, a sub-task
// which has not ended, and whether there is one.
func (f *Free) Open(entries []int32) (task string, open bool) {
	for _, i := range entries {
		for _, n := range f.d.names[i] {
			if l := &f.d.all[n]; !l.State.Finished() && !f.taken[i] {
				return l.Key, true
			}
		}
	}
	return "", false
}

// Select decides which lifecycles of a further layer may be compacted. Their
// source has chosen their members among what is free; each is compacted by
// itself.
func (f *Free) Select(all []Lifecycle) Selection {
	sel := Selection{Work: map[int][]int32{}}
	for n := range all {
		l := &all[n]
		if left, stays := f.judge(l); stays {
			left.Lifecycle = n
			sel.Left = append(sel.Left, left)
			continue
		}
		sel.Work[n] = l.Members
		piece := Piece{Members: l.Members, Spawned: []int{n}, Finished: []int{n}, Stay: l.Kind == Result}
		sel.Waves = append(sel.Waves, Wave{Lifecycles: []int{n}, Pieces: []Piece{piece}})
	}
	return sel
}

// judge says why a lifecycle is left alone.
func (f *Free) judge(l *Lifecycle) (left Left, stays bool) {
	d := f.d
	switch {
	case !l.State.Finished():
		return Left{Reason: NotFinished, Detail: describe(l)}, true
	case l.Stays != "":
		return Left{Reason: l.Stays}, true
	case d.answered <= d.s.Position(l.Members[len(l.Members)-1]):
		return Left{Reason: NotConsumed}, true
	case l.Kind == Turn && d.prompted < d.s.Position(l.Members[0]) && d.signed(d.s.Active[d.prompted+1:]):
		return Left{Reason: SignedTurn}, true
	}
	return Left{}, false
}

// signed reports whether one of the entries holds signed reasoning.
func (d *decision) signed(entries []int32) bool {
	return slices.ContainsFunc(entries, func(i int32) bool { return d.s.Entries[i].Is(session.Signed) })
}
