package scan

import (
	"path"
	"slices"

	"sessc/lifecycle"
	"sessc/session"
)

// leastResult is the size in tokens above which a result may be cleared.
const leastResult = 100

// results finds the calls whose result, or long arguments, may be cleared: all
// but the newest that are still there, when they are long. What a read showed
// stays unless the file was read as a whole, or written, again, or the same
// result came again: agents read anew what is taken from them.
func (w *Work) results(free *lifecycle.Free, o lifecycle.Options) []lifecycle.Lifecycle {
	calls := w.standing(free)
	stale := w.stale(calls)
	var found []lifecycle.Lifecycle
	for _, n := range calls[:max(0, len(calls)-o.KeepResults)] {
		if l := w.cleared(n, free, stale[n]); l.Own > 0 {
			found = append(found, l)
		}
	}
	return found
}

// standing are the calls of the active path whose results have not been
// replaced, in the order of the results.
func (w *Work) standing(free *lifecycle.Free) []int32 {
	s := w.s
	var calls []int32
	for _, i := range s.Active {
		if n := s.Answers(i); n >= 0 && !free.Taken(i) && !s.Entries[i].Is(session.ByUs) && w.deeds[n].known {
			calls = append(calls, n)
		}
	}
	return calls
}

// cleared makes a lifecycle of what may be cleared of a call; its Own is 0 when
// that is nothing.
func (w *Work) cleared(n int32, free *lifecycle.Free, stale bool) lifecycle.Lifecycle {
	s := w.s
	c, d := &s.Calls[n], &w.deeds[n]
	l := lifecycle.Lifecycle{
		Kind: lifecycle.Result, Key: "result:" + s.IDOf(c.Result), State: lifecycle.Done, Task: d.target, Final: -1, Call: n,
		Spawn: c.Entry, Receipt: c.Result, Started: s.Entries[c.Entry].Time, Ended: s.Entries[c.Result].Time, Took: -1, Spent: -1,
	}
	if d.exit > 0 || !d.done {
		l.State = lifecycle.Failed
	}
	if c.Op == session.OpDelegate || c.Op == session.OpAsk {
		return l
	}
	if len(d.long) > 0 && !w.signed(c.Entry, free) && free.MayChange(c.Entry) && !w.delegates(c.Entry) {
		l.Args = d.long
		l.Members = append(l.Members, c.Entry)
		for _, a := range d.long {
			l.Own += a.Weight
		}
	}
	size := s.Entries[c.Result].Tokens()
	if size > leastResult && (c.Op != session.OpRead || stale) && !d.stored && free.MayChange(c.Result) {
		l.Clear = true
		l.Members = append(l.Members, c.Result)
		l.Own += size
	}
	if l.Started > 0 && l.Ended >= l.Started {
		l.Took = l.Ended - l.Started
	}
	return l
}

// signed reports whether the message of a call holds signed reasoning.
func (w *Work) signed(call int32, free *lifecycle.Free) bool {
	return slices.ContainsFunc(free.Whole(call), func(i int32) bool { return i >= 0 && w.s.Entries[i].Is(session.Signed) })
}

// delegates reports whether a message also starts or steers a sub-task: its
// line stays as it is, since the events of a marked line are not read.
func (w *Work) delegates(message int32) bool {
	return slices.ContainsFunc(w.s.CallsOf(message), func(c session.Call) bool { return c.Op == session.OpDelegate })
}

// stale finds the calls whose result a later one makes worthless: the same
// result again, or for a read the same read, a read of the whole file, or a
// change of it. What a command has changed counts only where that is certain, and
// by the name that the read used: a command may have run in another folder.
func (w *Work) stale(standing []int32) map[int32]bool {
	stale := map[int32]bool{}
	outputs, reads, files := map[uint64]bool{}, map[uint64]bool{}, map[string]bool{}
	for _, n := range slices.Backward(standing) {
		d := &w.deeds[n]
		stale[n] = outputs[d.output]
		outputs[d.output] = true
	}
	for n := len(w.deeds) - 1; n >= 0; n-- {
		c, d := &w.s.Calls[n], &w.deeds[n]
		if !d.known {
			continue
		}
		again := func(p string) bool { return p != "" && files[path.Clean(p)] }
		if c.Op == session.OpRead && (reads[d.args] || slices.ContainsFunc(d.paths, again)) {
			stale[int32(n)] = true
		}
		if !d.done {
			continue
		}
		if c.Op == session.OpRead {
			reads[d.args] = true
		}
		if c.Op == session.OpRead && d.whole || writes(c.Op) {
			for _, p := range d.paths {
				files[path.Clean(p)] = true
			}
		}
		for _, p := range d.changed {
			files[path.Clean(p)] = true
		}
	}
	return stale
}
