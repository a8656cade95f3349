package lifecycle

import (
	"slices"

	"sessc/session"
)

// leave records why a lifecycle is left alone; the first reason stands.
func (d *decision) leave(n int, r Reason, detail string) {
	if d.chosen(n) {
		d.left[n] = Left{Lifecycle: n, Reason: r, Detail: detail}
	}
}

func (d *decision) chosen(n int) bool { return d.left[n].Reason == "" }

// judge applies the rules that concern one lifecycle alone.
func (d *decision) judge(n int) {
	l, sp := &d.all[n], &d.spans[n]
	sent := d.sent(l)
	switch {
	case l.Ambiguous != "":
		d.leave(n, AmbiguousIDs, l.Ambiguous)
	case !sent && d.place[l.Spawn] < 0:
		d.leave(n, OffPath, "")
	case !l.State.Finished():
		d.leave(n, NotFinished, describe(l))
	case !sent:
		d.leave(n, BeforeCompact, "")
	case sp.finish < 0:
		d.leave(n, NotFinished, "its completion is not on the active path")
	case d.answered <= sp.finish:
		d.leave(n, NotConsumed, "")
	case !d.s.Format.Caps().InPlace && d.s.Entries[l.Spawn].Is(session.Signed) && d.prompted <= sp.finish:
		d.leave(n, SignedTurn, "")
	default:
		d.judgeSpan(n)
	}
}

func describe(l *Lifecycle) string {
	if l.Why == "" {
		return l.State.String()
	}
	return l.State.String() + ", " + l.Why
}

// judgeSpan applies the rules for the entries that make up a lifecycle and for
// what stands between them.
func (d *decision) judgeSpan(n int) {
	sp := &d.spans[n]
	for _, i := range sp.own {
		switch h, held := d.held(i); {
		case !held:
			continue
		case h.reason == AmongLast:
			d.leave(n, AmongLast, "")
		default:
			d.leave(n, h.reason, d.line(h.at))
		}
		return
	}
	if at, ok := sp.within(d.branches); ok {
		d.leave(n, Branched, "at "+d.line(d.s.Chain[at]))
	}
	if at, ok := sp.within(d.breaks); ok {
		d.leave(n, AcrossCompact, d.line(d.s.Chain[at]))
	}
}

// judgeNested leaves alone every lifecycle within which one ran that is not
// finished.
func (d *decision) judgeNested() {
	byKey := map[string]int{}
	for n := range d.all {
		byKey[d.all[n].Key] = n
	}
	done := make([]bool, len(d.all))
	for n := range d.all {
		if d.all[n].State.Finished() {
			continue
		}
		for in := n; d.all[in].Outer != ""; {
			out, ok := byKey[d.all[in].Outer]
			if !ok || done[out] {
				break
			}
			done[out] = true
			d.leave(out, NotFinished, "sub-task "+d.all[n].Key+" within it is "+d.all[n].State.String())
			in = out
		}
	}
}

// judgeMetadata leaves alone what spans a line that is not sent and not valid
// JSON: such a line is hung anew between masks, so it would be edited.
func (d *decision) judgeMetadata() {
	depth := make([]int32, len(d.s.Chain)+1) // change in the number of spans from place to place
	for n := range d.all {
		if sp := &d.spans[n]; d.chosen(n) && sp.from <= sp.to {
			depth[sp.from]++
			depth[sp.to+1]--
		}
	}
	var bad []int
	spans := int32(0)
	for p, i := range d.s.Chain {
		spans += depth[p]
		if spans > 0 && d.s.Entries[i].Kind.Role() == "" && !d.sound(i) {
			bad = append(bad, p)
		}
	}
	for n := range d.all {
		if at, ok := d.spans[n].within(bad); ok {
			d.leave(n, TouchesDamage, d.line(d.s.Chain[at]))
		}
	}
}

// spread leaves alone every lifecycle that shares a message or an event with
// something that must stay, and then those that share one with it.
func (d *decision) spread() {
	for n := range d.all {
		for _, i := range d.spans[n].own {
			if !d.chosen(n) {
				break
			}
			if why := d.stays(d.atomOf(i)); why != "" {
				d.leave(n, shared(d.s.Entries[i].Kind), why)
			}
		}
	}
	var left []int
	for n := range d.all {
		if !d.chosen(n) {
			left = append(left, n)
		}
	}
	for ; len(left) > 0; left = left[1:] {
		for _, e := range d.all[left[0]].Events {
			at := d.s.Events[e].Entry
			if !d.matters(at) {
				continue
			}
			a := d.atomOf(at)
			if a.stays != "" {
				continue
			}
			a.judged, a.stays = true, d.line(at)+" names the sub-task of call "+d.all[left[0]].Key
			for _, i := range a.entries {
				for _, n := range d.owners[i] {
					if d.chosen(n) {
						d.leave(n, shared(d.s.Entries[i].Kind), a.stays)
						left = append(left, n)
					}
				}
			}
		}
	}
}

// matters reports whether anything of an entry's atom is sent, or belongs to a
// lifecycle that may be chosen.
func (d *decision) matters(i int32) bool {
	if m := d.message(i); m >= 0 {
		i = m
	}
	does := func(i int32) bool { return i >= 0 && (d.s.Position(i) >= 0 || len(d.owners[i]) > 0) }
	return does(i) || slices.ContainsFunc(d.s.CallsOf(i), func(c session.Call) bool { return does(c.Result) })
}
