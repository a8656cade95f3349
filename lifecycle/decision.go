package lifecycle

import (
	"slices"

	"sessc/session"
)

// decision is the state of one Select: what is known of the log, looked up
// once, and what was decided so far.
type decision struct {
	s     *session.Session
	all   []Lifecycle
	spans []span
	left  []Left // per lifecycle; an empty reason says that it is chosen

	names     map[int32][]int   // lifecycles that an entry of the active path names, as spawn, receipt, completion or touch
	owners    map[int32][]int   // those of which it, or another entry of one that may be chosen, is spawn, receipt or completion
	stranger  map[int32]bool    // the entry speaks of a sub-task that is none of the lifecycles
	partial   map[int32]bool    // the events of the entry do not consume all its text
	atoms     map[int32]*atom   // by their first entry
	others    map[int32][]int32 // entries of a message behind its first one, by that
	place     []int32           // position in Chain per entry, -1 off it
	branches  []int             // places on the chain where another conversation branches off, ascending
	breaks    []int             // places of compactions and summaries, ascending
	damaged   map[int32]int32   // entry beside a damaged line -> that line's entry
	valid     map[int32]bool    // what sound found
	cleared   map[int32]bool    // entries of ours in which only texts were cleared: they may go with their turn
	firstKept int               // position from which on entries of the active path stay
	answered  int               // position of the last assistant entry that ended normally, -1 none
	prompted  int               // position of the last prompt that is no part of a lifecycle, -1 none
}

func newDecision(s *session.Session, all []Lifecycle, o Options) *decision {
	d := &decision{
		s: s, all: all, spans: make([]span, len(all)), left: make([]Left, len(all)),
		names: map[int32][]int{}, owners: map[int32][]int{}, stranger: map[int32]bool{}, partial: map[int32]bool{},
		atoms: map[int32]*atom{}, others: map[int32][]int32{}, valid: map[int32]bool{},
		place: slices.Repeat([]int32{-1}, len(s.Entries)),
	}
	for p, i := range s.Chain {
		d.place[i] = int32(p)
		if k := s.Entries[i].Kind; k == session.Boundary || k == session.Summary {
			d.breaks = append(d.breaks, p)
		}
	}
	for i := range s.Entries {
		if head := s.MessageOf(int32(i)); head != int32(i) {
			d.others[head] = append(d.others[head], int32(i))
		}
	}
	d.readEvents()
	for n := range all {
		d.spans[n] = d.spanOf(&all[n])
		for _, i := range d.spans[n].own {
			if d.sent(&all[n]) || s.Position(i) >= 0 {
				d.owners[i] = append(d.owners[i], n)
			}
		}
	}
	d.keep(o.KeepLast)
	d.findBranches()
	d.findDamage()
	return d
}

// sent reports whether the spawn of a lifecycle is on the active path. No other
// can be chosen, and a long log has thousands of them before its last
// compaction, so little is kept of these.
func (d *decision) sent(l *Lifecycle) bool { return d.s.Position(l.Spawn) >= 0 }

// message is the entry of the call that an entry is the result of, -1 when it
// is none.
func (d *decision) message(i int32) int32 {
	if n := d.s.Answers(i); n >= 0 {
		return d.s.Calls[n].Entry
	}
	return -1
}

// readEvents notes which lifecycles each entry names. A call that only asks
// may name sessions that are no sub-tasks, as lists of sessions do; any other
// event that was matched to no lifecycle speaks of one that is not known.
func (d *decision) readEvents() {
	matched := make([]bool, len(d.s.Events))
	named := make([]bool, len(d.s.Entries))
	for n := range d.all {
		for _, e := range d.all[n].Events {
			matched[e] = true
			i := d.s.Events[e].Entry
			named[i] = true
			if d.s.Position(i) < 0 {
				continue
			}
			if of := d.names[i]; len(of) == 0 || of[len(of)-1] != n {
				d.names[i] = append(of, n)
			}
		}
	}
	for e := range d.s.Events {
		ev := &d.s.Events[e]
		if ev.Kind == session.Completion && !ev.Whole {
			d.partial[ev.Entry] = true
		}
		if !matched[e] && (ev.Kind != session.Touch || !named[ev.Entry]) {
			d.stranger[ev.Entry] = true
		}
	}
}

// keep sets what stays at the end of the log. That the leaf and the last
// assistant message stay, which clients treat in ways of their own (OpenClaw
// drops it on load, providers check its reasoning), needs no rule of its own:
// no lifecycle is compacted before a later message answered it.
func (d *decision) keep(last int) {
	active := d.s.Active
	d.firstKept = len(active) - last
	// Providers check the reasoning of the turn at hand: a call whose message
	// lost its own there is refused (Anthropic with thinking on, Gemini 3).
	for d.prompted = len(active) - 1; d.prompted >= 0; d.prompted-- {
		i := active[d.prompted]
		e := &d.s.Entries[i]
		// A mask stands where an event of a task did, and counts as little.
		if e.Kind == session.Human || e.Kind == session.HostEvent && len(d.owners[i]) == 0 && !e.Is(session.Quiet) && !e.Is(session.ByUs) {
			break
		}
	}
	for d.answered = len(active) - 1; d.answered >= 0; d.answered-- {
		if e := &d.s.Entries[active[d.answered]]; e.Kind == session.Assistant && e.Is(session.Ended) {
			return
		}
	}
}

// findBranches finds where another conversation branches off the chain. A mere
// leaf beside it, such as a copy of a delivered text, moves along.
func (d *decision) findBranches() {
	s := d.s
	seen := make([]bool, len(s.Entries))
	for i := range s.Entries {
		if d.place[i] >= 0 || s.Position(int32(i)) >= 0 || !talks(s, int32(i)) {
			continue
		}
		at := int32(i)
		for at >= 0 && d.place[at] < 0 && !seen[at] {
			seen[at] = true
			at = s.Entries[at].Parent
		}
		if at >= 0 && d.place[at] >= 0 {
			d.branches = append(d.branches, int(d.place[at]))
		}
	}
	slices.Sort(d.branches)
}

// talks reports whether an entry off the path makes its branch a conversation.
func talks(s *session.Session, i int32) bool {
	switch s.Entries[i].Kind {
	case session.Human, session.HostEvent, session.Result, session.Boundary, session.Summary:
		return true
	case session.Assistant:
		return len(s.CallsOf(i)) > 0
	}
	return false
}

// findDamage finds the entries that stand beside a damaged line in the file:
// what the line held may have belonged to them.
func (d *decision) findDamage() {
	d.damaged = map[int32]int32{}
	sent, damage := int32(-1), int32(-1) // the last ones so far; damage behind sent only
	for i := range d.s.Entries {
		switch k := d.s.Entries[i].Kind; {
		case k == session.Damaged:
			damage = int32(i)
			if sent >= 0 {
				d.damaged[sent] = damage
			}
		case k.Role() != "":
			if damage >= 0 {
				d.damaged[int32(i)] = damage
			}
			sent, damage = int32(i), -1
		}
	}
}
