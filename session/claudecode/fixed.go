package claudecode

import "sessc/session"

// fix marks what has to stay for reasons that no other package can know.
func (t *tree) fix() {
	for i := range t.words {
		t.s.Entries[i].Flags |= session.Fixed
	}
	// A line that answers a call twice, or calls of several messages, is tied
	// to more than its own call.
	for _, lines := range t.answered.many {
		t.fixAll(lines)
	}
	for i, calls := range t.callOf.many {
		for _, c := range calls[1:] {
			if t.messageOf(c) != t.messageOf(calls[0]) {
				t.fixAll([]int32{i})
			}
		}
	}
	for _, p := range t.private.kept {
		for _, id := range append([]session.Text{p.head, p.tail, p.anchor}, p.ids...) {
			t.fixAll(t.s.Lookup(t.s.Str(id)))
		}
	}
	// The client looks for them, and no sub-task holds them.
	t.fixAll(t.strays)
	t.fixNearest()
}

// messageOf is the first line of the message of a call.
func (t *tree) messageOf(call int32) int32 { return t.s.MessageOf(t.s.Calls[call].Entry) }

func (t *tree) fixAll(lines []int32) {
	for _, i := range lines {
		t.s.Entries[i].Flags |= session.Fixed
	}
}

// fixNearest marks the lines on which the client hangs those whose parent is
// missing: it takes the nearest before them in time, which would be another
// one if that were gone (formats page, section 4).
func (t *tree) fixNearest() {
	for i := range t.s.Entries {
		if t.s.Entries[i].Parent != session.MissingParent || t.types[i] == beside || t.types[i] == superseded {
			continue
		}
		if n := t.nearest(int32(i)); n >= 0 {
			t.fixAll([]int32{n})
		}
	}
}
