package genlog

import (
	"bytes"
	"fmt"
)

// truth closes the books: which events count depends on which branch is active at the end.
func (p *player) truth() Truth {
	leaf, onPath, inContext := p.e.Path()
	t := p.tr
	t.Leaf, t.Lines, t.Bytes = leaf, p.t.lines, p.t.n
	for i := range t.Humans {
		t.Humans[i].OnActivePath = onPath(t.Humans[i].Entry)
	}
	for _, c := range p.children {
		t.Lifecycles = append(t.Lifecycles, p.settle(c, onPath, inContext))
	}
	t.Lifecycles = append(t.Lifecycles, p.nested...)
	return t
}

func (p *player) settle(c *Child, onPath, inContext func(string) bool) Lifecycle {
	l := p.lives[c]
	row := l.row
	row.OnActivePath = onPath(row.SpawnEntry)
	row.InContext = inContext(row.SpawnEntry)
	ended := false
	for _, ev := range l.events {
		if row.OnActivePath && !onPath(ev.entry) {
			continue // reported on an abandoned branch: the active one has not heard of it
		}
		switch {
		case ev.state == Running && !ended:
			continue // steering or progress before the end changes nothing
		case ev.state == Running:
			row.Reopened = true
			row.State = Running
			ended = false
			continue
		case ev.state == Killed && ended:
			continue
		case ended && ev.state == row.State:
			continue // a duplicate: the first one decides
		}
		ended = true
		row.State, row.Error, row.Result = ev.state, ev.err, ev.report
		row.SpanMS = ev.at.Sub(l.start).Milliseconds()
		if ev.end != nil {
			row.RuntimeMS, row.TokensIn, row.TokensOut = ev.end.Runtime.Milliseconds(), ev.end.In, ev.end.Out
		}
	}
	if c.Expect != "" {
		row.State = c.Expect
	}
	if row.State == Done && row.Result == "" {
		row.Or = append(row.Or, Suspect)
	}
	if !row.OnActivePath && row.State != Running && row.State != SpawnFailed {
		row.Or = append(row.Or, Running, Unknown) // a reader need not follow abandoned branches
	}
	return row
}

// childLog writes the transcript of a child once, when its end is about to be announced.
func (p *player) childLog(c *Child) error {
	if len(c.Transcript) == 0 || p.files == nil {
		return nil
	}
	name := p.e.ChildFile(c)
	if name == "" {
		return nil
	}
	if _, done := p.files[name]; done {
		return nil
	}
	var buf bytes.Buffer
	s := p.script
	s.Name, s.Steps = name, append([]Step{p.e.ChildTask(c)}, c.Transcript...)
	seed := p.seed*1_000_003 + int64(len(p.files)) + 1
	t := newTape(&buf, seed)
	t.now = p.lives[c].start
	sub, err := newPlayer(t, s, p.format, seed, false)
	if err != nil {
		return err
	}
	sub.files = p.files
	if err := sub.play(p.e.ChildSession(p.s, c)); err != nil {
		return fmt.Errorf("child %q: %w", c.Label, err)
	}
	// Where a child's log holds all its runs, they are told apart by time: its end is announced after its last line.
	if sub.s.Agent != "" && t.now.After(p.t.now) {
		p.t.now = t.now
	}
	truth := sub.truth()
	if err := t.w.Flush(); err != nil {
		return err
	}
	p.files[name] = bytes.Clone(buf.Bytes())
	p.tr.Children = append(p.tr.Children, name)
	for _, n := range truth.Lifecycles {
		if !n.Nested {
			n.Nested, n.ParentCall, n.Log = true, c.CallID, name
		}
		n.OnActivePath, n.InContext = false, false
		p.nested = append(p.nested, n)
	}
	p.tr.Children = append(p.tr.Children, sub.tr.Children...)
	return nil
}
