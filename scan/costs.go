package scan

// costs is the fourth pass: tokens and duration of each lifecycle.
func (p *passes) costs() {
	for n := range p.found {
		l := &p.found[n]
		if l.Final >= 0 {
			ev := &p.s.Events[l.Final]
			l.Spent = ev.Tokens
			l.Took = ev.Runtime
			l.Ended = p.s.Entries[ev.Entry].Time
		}
		// The clock of the log covers queueing and waiting as well; the
		// program's own figure is kept where the clock gives no answer.
		if l.Started > 0 && l.Ended >= l.Started {
			l.Took = l.Ended - l.Started
		}
		for _, i := range l.Entries() {
			if p.s.Position(i) >= 0 {
				l.Own += p.s.Entries[i].Tokens()
			}
		}
	}
}
