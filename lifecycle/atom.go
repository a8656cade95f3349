package lifecycle

import (
	"fmt"
	"slices"

	"sessc/session"
)

// atom is what goes or stays as one: a message, of one entry or several, with
// its calls and their results, or any other entry alone.
type atom struct {
	entries []int32 // those of the message, then the results of its calls, -1 for a missing one
	reach   reach   // of those that are there
	judged  bool    // stays is known
	stays   string  // why it must stay, "" when it may go
}

// atomOf returns the atom of an entry.
func (d *decision) atomOf(i int32) *atom {
	if m := d.message(i); m >= 0 {
		i = m
	}
	i = d.s.MessageOf(i)
	a, ok := d.atoms[i]
	if !ok {
		a = &atom{entries: append([]int32{i}, d.others[i]...)}
		for _, i := range a.entries {
			for _, c := range d.s.CallsOf(i) {
				if r := c.Result; r < 0 || !slices.Contains(a.entries, r) { // one entry may hold several results
					a.entries = append(a.entries, r)
				}
			}
		}
		a.reach = d.reachOf(a.entries)
		d.atoms[i] = a
	}
	return a
}

// stays says why an atom must stay, "" when it may go.
func (d *decision) stays(a *atom) string {
	if a.judged {
		return a.stays
	}
	a.judged = true
	for _, i := range a.entries {
		if i >= 0 && d.askedPerson(i) {
			a.stays = d.line(i) + " asked a person, whose answer stays"
			return a.stays
		}
	}
	for _, i := range a.entries {
		if i < 0 {
			a.stays = d.line(a.entries[0]) + " has a call without a result"
		} else if h, held := d.held(i); held {
			a.stays = d.line(h.at) + " " + h.is
		}
		if a.stays != "" {
			break
		}
	}
	return a.stays
}

// askedPerson reports whether an entry asks a person, or is the answer.
func (d *decision) askedPerson(i int32) bool {
	if m := d.message(i); m >= 0 {
		i = m
	}
	return slices.ContainsFunc(d.s.CallsOf(i), func(c session.Call) bool { return c.Op == session.OpAsk })
}

// hold is why an entry must stay, whatever it belongs to.
type hold struct {
	reason Reason // for a lifecycle whose own entry it is
	at     int32  // the entry that is the cause
	is     string // what it is
}

// held returns what makes an entry stay by itself.
func (d *decision) held(i int32) (hold, bool) {
	e := &d.s.Entries[i]
	switch p := d.s.Position(i); {
	case p < 0:
		return hold{OffPath, i, "is off the active path"}, true
	case p >= d.firstKept:
		return hold{AmongLast, i, "is among the last entries"}, true
	case e.Is(session.Unsure):
		return hold{AmbiguousIDs, i, "has an ambiguous id"}, true
	case e.Is(session.ByUs) && !d.cleared[i]:
		return hold{SharedMessage, i, "is a mask"}, true
	case e.Kind == session.Result && d.message(i) < 0:
		return hold{SharedMessage, i, "is a result without a call"}, true
	case d.partial[i]:
		return hold{SharedEntry, i, "holds other text"}, true
	case d.stranger[i]:
		return hold{shared(e.Kind), i, "speaks of an unknown sub-task"}, true
	default:
		return d.besideDamage(i, p)
	}
}

// shared is the reason that concerns an entry of a kind which must stay for
// the sake of something else in it.
func shared(k session.Kind) Reason {
	if k == session.HostEvent {
		return SharedEvent
	}
	return SharedMessage
}

// besideDamage looks at an entry and its neighbours, in the file and on the
// path.
func (d *decision) besideDamage(i int32, p int) (hold, bool) {
	if at, ok := d.damaged[i]; ok {
		return hold{TouchesDamage, at, "is damaged"}, true
	}
	for q := max(p-1, 0); q <= min(p+1, len(d.s.Active)-1); q++ {
		if at := d.s.Active[q]; !d.sound(at) {
			return hold{TouchesDamage, at, "is not valid JSON"}, true
		}
	}
	return hold{}, false
}

// sound reports whether an entry's lines are valid JSON in full. The answer
// is kept, since several rules ask.
func (d *decision) sound(i int32) bool {
	ok, known := d.valid[i]
	if !known {
		ok = d.s.Sound(i) == nil
		d.valid[i] = ok
	}
	return ok
}

func (d *decision) line(i int32) string { return fmt.Sprintf("line %d", d.s.LineOf(i)) }
