package claudecode

import (
	"slices"

	"sessc/session"
)

// chain is the conversation up to a line, root first: the line's ancestors,
// and, put back beside them, the other lines of every message on the way with
// their results, of which only one leads on (formats page, section 2).
// Behind a compaction, whose own parent is no line, it goes on with what came
// before it, so that what is no longer sent is known as such.
func (t *tree) chain(leaf int32) []int32 {
	path := t.path(leaf)
	n := len(t.s.Entries)
	o := &order{tree: t, part: make([]int32, n), done: make([]bool, n), out: make([]int32, 0, len(path))}
	part := int32(0)
	for k, i := range path {
		if k == 0 || t.s.Entries[i].Kind == session.Boundary {
			part++
		}
		o.part[i] = part
	}
	t.settle(o.part)
	for from := 0; from < len(path); {
		to := from + 1
		for to < len(path) && o.part[path[to]] == o.part[path[from]] {
			to++
		}
		if o.from = -1; t.s.Entries[path[from]].Kind == session.Boundary {
			o.from = path[from]
		}
		o.add(path[from:to], o.part[path[from]])
		from = to
	}
	return slices.Clip(o.out)
}

// path walks up from a line and returns the way down.
func (t *tree) path(leaf int32) []int32 {
	seen := make([]bool, len(t.s.Entries))
	var path []int32
	for i := leaf; i >= 0 && !seen[i]; i = t.up(i) {
		seen[i] = true
		path = append(path, i)
	}
	if n := len(path); n > 0 && t.s.Entries[path[n-1]].Kind == session.Boundary {
		path = t.history(path, seen)
	}
	slices.Reverse(path)
	return path
}

// history adds what came before the first line of a path, a compaction, as the
// file has it. Lines that the compaction kept are on the path already.
func (t *tree) history(path []int32, onPath []bool) []int32 {
	seen := make([]bool, len(t.s.Entries))
	i := t.before(path[len(path)-1])
	for i >= 0 && !seen[i] {
		seen[i] = true
		if !onPath[i] {
			path = append(path, i)
		}
		next := t.above(i)
		if next < 0 && t.s.Entries[i].Kind == session.Boundary {
			next = t.before(i)
		}
		i = next
	}
	return path
}

// before is the line that a compaction followed: the one that it names, else
// the last of the conversation before it in the file.
func (t *tree) before(boundary int32) int32 {
	if to := t.s.Lookup(t.s.Str(t.private.logical[boundary])); len(to) > 0 {
		return to[len(to)-1]
	}
	i := boundary - 1
	for i >= 0 && !t.talks(i) {
		i--
	}
	return i
}

// settle gives each call its result: one on the path where there is one, else
// the first.
func (t *tree) settle(part []int32) {
	for c := range t.s.Calls {
		lines := t.answered.of(int32(c))
		if len(lines) == 0 {
			continue
		}
		best := lines[0]
		for _, i := range lines {
			if part[i] > 0 {
				best = i
				break
			}
		}
		t.s.Calls[c].Result = best
	}
}

// order puts lines into the order in which they are sent.
type order struct {
	*tree
	from int32   // what stands before this line in the file is not put back
	part []int32 // lines of the path: in which part between compactions, from 1
	done []bool
	out  []int32
	hung map[int32][]int32 // attachments by the line that they hang on; nil until needed
}

// add takes in the lines of a part, each message as a whole with its results
// behind it.
func (o *order) add(lines []int32, part int32) {
	// What a compaction kept of a message belongs to the part behind it.
	here := func(i int32) bool { return i >= 0 && (o.part[i] == part || o.part[i] == 0 && i > o.from) }
	for _, i := range lines {
		if o.types[i] != assistant || o.done[i] {
			o.take(i)
			continue
		}
		var results []int32
		for _, line := range o.lines(i) {
			if !here(line) {
				continue
			}
			o.take(line)
			for c := range o.callsOf(line) {
				if r := o.s.Calls[c].Result; here(r) {
					results = append(results, r)
				}
			}
		}
		slices.Sort(results)
		for _, r := range results {
			o.take(r)
			if o.part[r] == 0 {
				o.takeHung(r)
			}
		}
	}
}

func (o *order) take(i int32) {
	if !o.done[i] {
		o.done[i] = true
		o.out = append(o.out, i)
	}
}

// takeHung takes in the attachments that hang on a line beside the path.
func (o *order) takeHung(i int32) {
	if o.hung == nil {
		o.hung = map[int32][]int32{}
		for j := range o.s.Entries {
			if up := o.s.Entries[j].Parent; up >= 0 && (o.types[j] == attached || o.types[j] == passing || o.types[j] == fleeting) {
				o.hung[up] = append(o.hung[up], int32(j))
			}
		}
	}
	hung := o.hung[i]
	delete(o.hung, i) // a ring would never end
	for _, j := range hung {
		if o.part[j] == 0 {
			o.take(j)
			o.takeHung(j)
		}
	}
}

// active is what the client sends: the chain from the last compaction on.
func (t *tree) active() []int32 {
	s := t.s
	last := len(s.Chain) - 1
	for last >= 0 && s.Entries[s.Chain[last]].Kind != session.Boundary {
		last--
	}
	rest := s.Chain[last+1:]
	sent := make([]int32, 0, len(rest))
	for _, i := range rest {
		if s.Entries[i].Kind.Role() != "" {
			sent = append(sent, i)
		}
	}
	return slices.Clip(sent)
}

// state finds the model and effort in force, and the context size that the
// client recorded last. Reasoning is sent only to the model that it came from.
func (t *tree) state() {
	s := t.s
	last := int32(-1)
	for _, i := range s.Active {
		if s.Entries[i].Kind != session.Assistant {
			continue
		}
		last = i
		if u := s.UsageOf(s.MessageOf(i)); u != nil {
			if m := s.Str(u.Model); m != "" {
				s.Model = m
			}
			if u.Total > 0 {
				s.Recorded = int(u.Total)
			}
		}
	}
	for n := len(t.efforts) - 1; n >= 0; n-- {
		if t.efforts[n].entry <= last {
			s.Effort = s.Str(t.efforts[n].text)
			break
		}
	}
	for _, n := range t.models {
		if m := s.Str(n.text); m != s.Model {
			s.Entries[n.entry].Thought = 0
		}
	}
}
