package lifecycle

import (
	"slices"
	"strings"

	"sessc/session"
)

// pieces says of each run of members which lifecycles begin and end in it. It
// adds to work what is not a lifecycle's own, for the one that was heard of
// last.
func (d *decision) pieces(wave []int, work map[int][]int32) Wave {
	w := Wave{Lifecycles: wave}
	current := wave[0]
	for _, run := range d.runs(wave) {
		piece := Piece{Members: run}
		for _, i := range run {
			own := d.owned(i)
			for _, n := range own {
				current = n
				if i == d.all[n].Spawn {
					piece.Spawned = append(piece.Spawned, n)
				}
				if d.s.Position(i) == d.spans[n].finish {
					piece.Finished = append(piece.Finished, n)
				}
			}
			if len(own) == 0 {
				work[current] = append(work[current], i)
			}
		}
		w.Pieces = append(w.Pieces, piece)
	}
	return w
}

// runs collects the members of a wave and cuts them where something stays
// between them.
func (d *decision) runs(wave []int) [][]int32 {
	first, last := d.spans[wave[0]].first, 0
	inWave := map[int]bool{}
	for _, n := range wave {
		last = max(last, d.spans[n].last)
		inWave[n] = true
	}
	var runs [][]int32
	var run []int32
	cut := func() {
		// Notes alone would not pay for a mask.
		if slices.ContainsFunc(run, func(i int32) bool { return !d.s.Entries[i].Is(session.Quiet) }) {
			runs = append(runs, run)
		}
		run = nil
	}
	closing := d.closing(first, last)
	ours := false // the turn at hand was started by the wave
	for p := first; p <= last; p++ {
		i := d.s.Active[p]
		a := d.atomOf(i)
		member := false
		switch e := &d.s.Entries[i]; e.Kind {
		case session.Human, session.Boundary, session.Summary:
			ours = false
		case session.HostEvent:
			switch {
			case len(d.owned(i)) > 0:
				member, ours = true, true
			case e.Is(session.Quiet):
				member = ours && d.stays(a) == ""
			default:
				ours = false
			}
		case session.Assistant, session.Mirror, session.Result:
			ours = ours || d.spawns(i)
			member = (ours || d.holdsOwn(a) || d.asksAbout(a, inWave)) && !closing[p-first] && d.stays(a) == ""
		}
		if member {
			run = append(run, i)
		} else {
			cut()
		}
	}
	cut()
	return runs
}

// owned returns the chosen lifecycles whose spawn, receipt or completion an
// entry is: after spread either all of its owners are chosen or none.
func (d *decision) owned(i int32) []int {
	own := d.owners[i]
	if len(own) == 0 || !d.chosen(own[0]) {
		return nil
	}
	return own
}

// spawns reports whether an entry is the spawn of a chosen lifecycle.
func (d *decision) spawns(i int32) bool {
	for _, n := range d.owned(i) {
		if d.all[n].Spawn == i {
			return true
		}
	}
	return false
}

// holdsOwn reports whether an atom holds a chosen lifecycle's own entry.
func (d *decision) holdsOwn(a *atom) bool {
	for _, i := range a.entries {
		if len(d.owned(i)) > 0 {
			return true
		}
	}
	return false
}

// asksAbout reports whether a message's calls name children of this wave and
// no other. A person's turn is no part of a sub-task, but what it asked about
// one is.
func (d *decision) asksAbout(a *atom, inWave map[int]bool) bool {
	for _, result := range a.entries[1:] {
		of := d.names[result]
		if len(of) == 0 {
			return false
		}
		for _, n := range of {
			if !inWave[n] {
				return false
			}
		}
	}
	return len(a.entries) > 1
}

// closing marks, from one position to another, the texts that answer a turn:
// those directly before a prompt that stays, and before the news of a sub-task
// those that say more than that one was sent off. Notes that the person never
// saw and copies of the text do not come between.
func (d *decision) closing(first, last int) []bool {
	closing := make([]bool, last-first+1)
	prompt := false // a prompt that stays comes next
	news := false   // a completion that goes comes next
	for p := last; p >= first; p-- {
		i := d.s.Active[p]
		switch e := &d.s.Entries[i]; e.Kind {
		case session.Human:
			prompt, news = true, false
		case session.HostEvent:
			if !e.Is(session.Quiet) {
				prompt = len(d.owned(i)) == 0
				news = !prompt
			}
		case session.Assistant, session.Mirror:
			if len(d.s.CallsOf(i)) == 0 {
				closing[p-first] = prompt || news && d.tellsMore(i)
				continue
			}
			prompt, news = false, false
		default:
			prompt, news = false, false
		}
	}
	return closing
}

// sentOff is how many tokens it takes at most to say that a sub-task was sent
// off, or that its result has come.
const sentOff = 60

// tellsMore reports whether a text may be an answer to a person: it is longer,
// or asks something.
func (d *decision) tellsMore(i int32) bool {
	if d.s.Entries[i].Said > sentOff {
		return true
	}
	c, err := d.s.Content(i)
	return err != nil || strings.ContainsAny(c.Text(), "?？")
}
