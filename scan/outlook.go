package scan

import (
	"sessc/lifecycle"
	"sessc/session"
)

// Outlook estimates what the layers turns and results would save, in context
// tokens, from the index alone: their sources read text, which takes longer
// than all else that a run on tasks does.
type Outlook struct{ Turns, Results int }

const (
	// turnKept is the part of a turn's work that its mask takes, and
	// leastTurn the least work of which a mask pays, in tokens.
	turnKept  = 4
	leastTurn = 400
	// resultLine is what the line costs that stands for a result, in tokens.
	resultLine = 70
)

// LookOut looks at what a selection leaves. Of the turns only whole ones
// without a sub-task are counted, of the results no reads: it promises rather
// too little. turns says whether what turns would take is nothing to results.
func LookOut(s *session.Session, sel *lifecycle.Selection, o lifecycle.Options, turns bool) Outlook {
	taken := map[int32]bool{}
	for _, w := range sel.Waves {
		for _, p := range w.Pieces {
			for _, i := range p.Members {
				taken[i] = true
			}
		}
	}
	var out Outlook
	all := turnsOf(s, func(i int32) bool { return taken[i] })
	for n := range all {
		t := &all[n]
		if !t.closed || len(all)-n <= o.KeepTurns {
			continue
		}
		var work []int32
		size, delegates := 0, false
		for _, i := range s.Active[t.from:t.work] {
			switch {
			case taken[i]:
			case works(s, i):
				work = append(work, i)
				size += s.Entries[i].Tokens()
			default:
				delegates = delegates || len(s.CallsOf(i)) > 0
			}
		}
		if size < leastTurn || delegates {
			continue
		}
		out.Turns += size - size/turnKept
		for _, i := range work {
			taken[i] = taken[i] || turns
		}
	}
	kept := o.KeepResults
	for p := len(s.Active) - 1; p >= 0; p-- {
		i := s.Active[p]
		n := s.Answers(i)
		if n < 0 || taken[i] || s.Entries[i].Is(session.ByUs) {
			continue
		}
		if kept > 0 {
			kept--
			continue
		}
		if size := s.Entries[i].Tokens(); works(s, i) && s.Calls[n].Op != session.OpRead && size > 2*resultLine {
			out.Results += size - resultLine
		}
	}
	return out
}

// works reports whether an entry is the agent's own work with its tools.
func works(s *session.Session, i int32) bool {
	message := i
	if n := s.Answers(i); n >= 0 {
		message = s.Calls[n].Entry
	}
	if k := s.Entries[message].Kind; k != session.Assistant && k != session.Mirror || s.Entries[message].Is(session.ByUs) {
		return false
	}
	for _, c := range s.CallsOf(message) {
		if c.Op == session.OpDelegate || c.Op == session.OpAsk {
			return false
		}
	}
	return true
}
