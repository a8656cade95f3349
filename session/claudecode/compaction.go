package claudecode

import (
	"slices"

	"sessc/session"
)

// prune takes out of the tree what the client forgets when it loads a log with
// compactions of which one says what it keeps: all lines before the last
// compaction in the file but those that this one keeps. These are hung between
// its summary and what follows the summary. Where one of them is missing,
// nothing is taken out and none is kept (measured with 2.1.328).
func (t *tree) prune() {
	last := int32(len(t.s.Entries)) - 1
	for last >= 0 && (t.s.Entries[last].Kind != session.Boundary || t.types[last] == superseded) {
		last--
	}
	if last < 0 || len(t.private.kept) == 0 {
		return
	}
	p, live := t.private.kept[last]
	var old []int32
	if live {
		if old = t.keptBy(p); len(old) == 0 {
			return
		}
		t.relink(last, p, old)
	}
	t.pruned = make([]bool, len(t.s.Entries))
	for i := range last {
		t.pruned[i] = t.types[i] != beside
	}
	for _, i := range old {
		t.pruned[i] = false
		// Their figures count what is no longer sent.
		if u := t.s.UsageOf(t.s.MessageOf(i)); u != nil && t.s.MessageOf(i) < last {
			u.Prompt, u.Output, u.Total = 0, 0, 0
		}
	}
}

// relink hangs the lines that a compaction keeps one below the other, the
// first on the summary, and what hung on the summary on the last of them.
func (t *tree) relink(boundary int32, p preserved, old []int32) {
	anchor := boundary
	if same := t.s.Lookup(t.s.Str(p.anchor)); len(same) > 0 {
		anchor = same[len(same)-1]
	} else {
		for i := boundary + 1; i < int32(len(t.s.Entries)); i++ {
			if t.types[i] == user && t.s.Entries[i].Parent == boundary {
				anchor = i
				break
			}
		}
	}
	t.tail, t.anchor = old[len(old)-1], anchor
	for i := range t.s.Entries {
		if t.s.Entries[i].Parent == anchor && t.types[i] != beside {
			t.relinked[int32(i)] = t.tail
		}
	}
	above := anchor
	for _, i := range old {
		t.relinked[i] = above
		above = i
	}
}

// keptBy lists what a compaction keeps of the conversation before it: the
// lines that it names, or all from one to another, nil when one is missing.
func (t *tree) keptBy(p preserved) []int32 {
	if len(p.ids) == 0 {
		return t.segment(p)
	}
	var old []int32
	seen := map[int32]bool{}
	for _, id := range p.ids {
		same := t.s.Lookup(t.s.Str(id))
		if len(same) == 0 {
			return nil
		}
		if i := same[len(same)-1]; !seen[i] {
			seen[i] = true
			old = append(old, i)
		}
	}
	return old
}

func (t *tree) segment(p preserved) []int32 {
	head, tail := t.s.Lookup(t.s.Str(p.head)), t.s.Lookup(t.s.Str(p.tail))
	if len(head) == 0 || len(tail) == 0 {
		return nil
	}
	var old []int32
	seen := map[int32]bool{}
	for i := tail[len(tail)-1]; i >= 0 && !seen[i]; i = t.above(i) {
		seen[i] = true
		old = append(old, i)
		if i == head[len(head)-1] {
			slices.Reverse(old)
			return old
		}
	}
	return nil
}
