package lifecycle

import (
	"slices"

	"sessc/session"
)

// Options are the user's choices that change what is compacted.
type Options struct {
	// KeepLast is how many of the last entries of the active path stay; the
	// last assistant message and what follows it stay also with 0.
	KeepLast int
	// KeepTurns is how many of the newest turns stay; of one that is longer
	// than KeepCalls calls the finished steps before its last KeepCalls calls
	// may go all the same.
	KeepTurns, KeepCalls int
	// KeepResults is how many of the newest tool results stay.
	KeepResults int
}

// Wave is a set of lifecycles whose spans overlap. They are compacted
// together, piece by piece.
type Wave struct {
	Lifecycles []int // indexes, in the order of their spawns
	Pieces     []Piece
	// Stays is what of the members stays in the context whatever the masks
	// say, in tokens, as [Selection.Weigh] was told: 0 where whole entries are
	// replaced.
	Stays int
}

// Piece is a run of members on the active path without a gap.
type Piece struct {
	Members []int32 // entries in the order of the active path
	// Spawned and Finished are the lifecycles of which the spawn, and the
	// last completion, stand in this piece. Where both do, one mask carries
	// the record; a piece with the spawn alone gets a receipt.
	Spawned, Finished []int
	Stay              bool // the members stay, only texts inside them change
	InPlace           bool // the members of a task stay too, see [session.Piece]
}

// Tokens is the estimate of what the members of a wave cost in the context.
func (w *Wave) Tokens(s *session.Session) int {
	n := 0
	for _, p := range w.Pieces {
		for _, i := range p.Members {
			n += s.Entries[i].Tokens()
		}
	}
	return n
}

// Selection is what may be compacted, and why the rest may not.
type Selection struct {
	Waves []Wave
	Left  []Left // in the order of the lifecycles
	// Work holds per lifecycle the members that are not its own spawn,
	// receipt or completion: what the agent did itself while it waited. Of a
	// turn or a result it holds all members.
	Work map[int][]int32
}

// Select decides which tasks may be compacted and which entries go with them.
// It depends on the log and the options alone, and on no calibrated figure, so
// that a second run decides the same.
func Select(s *session.Session, all []Lifecycle, o Options) Selection {
	d := newDecision(s, all, o)
	for n := range all {
		d.judge(n)
	}
	d.judgeNested()
	if s.Format.Caps().InPlace {
		return d.inPlace()
	}
	d.judgeMetadata()
	d.spread()
	sel := Selection{Work: map[int][]int32{}}
	for _, wave := range d.waves() {
		sel.Waves = append(sel.Waves, d.pieces(wave, sel.Work))
	}
	for n := range all {
		if !d.chosen(n) {
			sel.Left = append(sel.Left, d.left[n])
		}
	}
	return sel
}

// inPlace is the selection for a log in which entries stay and only change
// inside: each lifecycle by itself, with its own entries.
func (d *decision) inPlace() Selection {
	sel := Selection{Work: map[int][]int32{}}
	for n := range d.all {
		if !d.chosen(n) {
			sel.Left = append(sel.Left, d.left[n])
			continue
		}
		piece := Piece{Members: d.spans[n].own, Spawned: []int{n}, Finished: []int{n}, InPlace: true}
		sel.Waves = append(sel.Waves, Wave{Lifecycles: []int{n}, Pieces: []Piece{piece}})
	}
	return sel
}

// Join adds the selection of a further layer. by is the number of lifecycles
// that stand before those of the layer.
func (sel *Selection) Join(layer Selection, by int) {
	shift := func(ns []int) {
		for i := range ns {
			ns[i] += by
		}
	}
	for _, w := range layer.Waves {
		shift(w.Lifecycles)
		for i := range w.Pieces {
			shift(w.Pieces[i].Spawned)
			shift(w.Pieces[i].Finished)
		}
		sel.Waves = append(sel.Waves, w)
	}
	for _, l := range layer.Left {
		l.Lifecycle += by
		sel.Left = append(sel.Left, l)
	}
	for n, work := range layer.Work {
		sel.Work[n+by] = work
	}
}

// Weigh drops every wave whose masks would cost more than half of what they
// replace. cost estimates, in tokens, the masks of a wave and what of its
// members stays whatever they say.
func (sel *Selection) Weigh(s *session.Session, cost func(w *Wave) (masks, stays int)) {
	masks := map[int]int{} // by the first lifecycle of the wave
	for n := range sel.Waves {
		w := &sel.Waves[n]
		masks[w.Lifecycles[0]], w.Stays = cost(w)
	}
	sel.drop(func(w *Wave) bool { return 2*masks[w.Lifecycles[0]] > w.Tokens(s)-w.Stays }, MaskTooLarge)
}

// DropAll leaves every chosen lifecycle alone.
func (sel *Selection) DropAll(why Reason) { sel.drop(func(*Wave) bool { return true }, why) }

// DropMembers leaves the lifecycles of the waves alone that one of some members
// belongs to, and reports whether there was such a wave.
func (sel *Selection) DropMembers(members map[int32]bool, why Reason) bool {
	before := len(sel.Waves)
	sel.drop(func(w *Wave) bool {
		return slices.ContainsFunc(w.Pieces, func(p Piece) bool {
			return slices.ContainsFunc(p.Members, func(i int32) bool { return members[i] })
		})
	}, why)
	return len(sel.Waves) < before
}

func (sel *Selection) drop(bad func(w *Wave) bool, why Reason) {
	sel.Waves = slices.DeleteFunc(sel.Waves, func(w Wave) bool {
		if !bad(&w) {
			return false
		}
		for _, n := range w.Lifecycles {
			sel.Left = append(sel.Left, Left{Lifecycle: n, Reason: why})
		}
		return true
	})
	slices.SortFunc(sel.Left, func(a, b Left) int { return a.Lifecycle - b.Lifecycle })
}
