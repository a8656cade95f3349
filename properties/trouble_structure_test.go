package properties_test

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sessc/archive"
	"sessc/lifecycle"
	"sessc/scripts/gen/genlog"
)

// The rows on identity and structure.

func assistantLast(c *trial) {
	c.compacted(2, 2)
	last := -1
	for n := range c.now.lines {
		if !c.now.lines[n].meta {
			last = n
		}
	}
	if c.now.lines[last].marked || !bytes.Contains(c.now.lines[last].raw, []byte("That is the outcome of oil the lamps.")) {
		c.wrong("the last line that is sent is %s", short(c.now.lines[last].raw))
	}
	for _, n := range c.masks() {
		for _, text := range c.now.lines[n].texts {
			if strings.TrimSpace(text) == "" {
				c.wrong("the mask in line %d holds a blank text", n+1)
			}
		}
	}
}

// dangling lists the parents that no line has.
func dangling(s seen) []string {
	ids := map[string]bool{}
	for n := range s.lines {
		ids[s.lines[n].id] = true
	}
	var all []string
	for n := range s.lines {
		if p := s.lines[n].parent; p != "" && !ids[p] {
			all = append(all, p)
		}
	}
	return all
}

func danglingParent(c *trial) {
	if was, now := dangling(c.was), dangling(c.now); len(was) != 1 || !slices.Equal(was, now) {
		c.wrong("dangling parents %q, before %q", now, was)
	}
	c.left(c.life(0), string(lifecycle.OffPath))
}

func duplicateID(c *trial) {
	if !bytes.Equal(c.after, c.before) {
		c.wrong("a log with a ring was changed")
	}
	c.left(c.life(0), string(lifecycle.AmbiguousIDs))
}

func notesBetween(c *trial) {
	c.compacted(2, 2)
	if now := dangling(c.now); len(now) > 0 {
		c.wrong("parents that are gone: %q", now)
	}
	// Each line hangs below the nearest one above it that is still there.
	ids := map[string]bool{}
	for n := range c.now.lines {
		ids[c.now.lines[n].id] = true
	}
	hung := 0
	for _, note := range c.sp.truth.Metadata {
		was := c.was.lines[c.line(note.Entry)]
		want := was.parent
		for want != "" && !ids[want] {
			want = c.was.lines[c.line(want)].parent
			hung++
		}
		for n := range c.now.lines {
			if r := &c.now.lines[n]; r.id == note.Entry && r.parent != want {
				if at := slices.IndexFunc(c.now.lines, func(m row) bool { return m.id == r.parent }); at < 0 || !c.now.lines[at].marked {
					c.wrong("%s (%s) hangs below %q, want %q or a mask", note.Entry, note.Why, r.parent, want)
				}
			}
		}
	}
	if hung == 0 {
		c.wrong("no line had to be hung anew: the log shows nothing")
	}
}

func compactionSiblings(c *trial) {
	tr := c.sp.truth
	dead, moved, alive := tr.Compactions[0], tr.Compactions[1], tr.Compactions[2]
	c.stay(dead.Entry, dead.FirstKept)
	if !c.touched[c.line(moved.FirstKept)] {
		c.wrong("no compaction keeps from a line that is masked: the log shows nothing")
	}
	for _, point := range tr.Compactions {
		for n := range c.now.lines {
			if r := &c.now.lines[n]; r.id == point.Entry {
				kept := field(c.tb, r.raw, "firstKeptEntryId")
				if !slices.ContainsFunc(c.now.lines, func(r row) bool { return r.id == kept }) {
					c.wrong("the compaction %s keeps from %q, which no line has", r.id, kept)
				}
			}
		}
	}
	if n := slices.IndexFunc(c.now.lines, func(r row) bool { return r.id == alive.Entry }); n < 0 || c.now.lines[n].texts[0] != "## Done\n- the lamps are oiled\n" {
		c.wrong("the compaction in force is gone or changed")
	}
	c.compacted(3, 2)
	c.left(c.life(0), string(lifecycle.BeforeCompact))
	c.record(c.life(1)) // of which the compaction in force keeps the spawn
	if o := c.now; !o.clean || o.leaf != tr.Leaf {
		c.wrong("the active branch ends in %s, want %s", o.leaf, tr.Leaf)
	}
}

func resultOnSibling(c *trial) {
	out := c.left(c.life(0), string(lifecycle.NotFinished))
	if out.State != lifecycle.Unknown.String() || !strings.Contains(out.Reason, "its spawn has no result") {
		c.wrong("a call whose result stands on another branch is %s: %s", out.State, out.Reason)
	}
	c.task(c.life(1))
	c.compacted(2, 1)
}

func completionOnSibling(c *trial) {
	for n, reason := range map[int]lifecycle.Reason{0: lifecycle.OffPath, 2: lifecycle.NotFinished} {
		if out := c.left(c.life(n), string(reason)); n == 2 && out.State != lifecycle.Running.String() {
			c.wrong("the completion of another branch ends it: %s", out.State)
		}
	}
	c.compacted(4, 2)
}

func callIDsTwice(c *trial) {
	c.compacted(4, 1)
	c.task(c.life(0))
	for n := 1; n < 4; n++ {
		c.left(c.life(n), string(lifecycle.AmbiguousIDs))
	}
	was, now := map[string]int{}, map[string]int{}
	for _, l := range c.was.lines {
		for _, id := range callIDs(string(l.raw)) {
			was[id]++
		}
	}
	for _, l := range c.now.lines {
		for _, id := range callIDs(string(l.raw)) {
			now[id]++
		}
	}
	for id, n := range now {
		if n > was[id] {
			c.wrong("%d calls have the id %q, before %d", n, id, was[id])
		}
	}
}

func abortedCalls(c *trial) {
	out := c.left(c.life(0), string(lifecycle.NotFinished))
	if !strings.Contains(out.Reason, "no result") {
		c.wrong("left alone because %s", out.Reason)
	}
	c.task(c.life(1))
	c.says("lines 6, 16 hold calls without a result")
	if !c.stands(c.was.lines[5].raw) || !c.stands(c.was.lines[15].raw) {
		c.wrong("a call without a result changed")
	}
	if bytes.Count(c.after, []byte(`"role":"toolResult"`)) > bytes.Count(c.before, []byte(`"role":"toolResult"`)) {
		c.wrong("a result was made up")
	}
}

func missingResults(c *trial) {
	c.left(c.life(1), string(lifecycle.NotFinished))
	c.left(c.life(2), string(lifecycle.NotFinished))
	c.says("lines 23, 26 hold calls without a result")
}

func orphanResults(c *trial) {
	c.compacted(3, 3)
	c.says("lines 12, 17 hold results without a call")
	for _, text := range []string{"ropes.csv first", "barrels.txt second"} {
		n := slices.IndexFunc(c.was.lines, func(r row) bool { return has(r.texts, text) })
		if m := slices.IndexFunc(c.now.lines, func(r row) bool { return has(r.texts, text) && !r.marked }); n < 0 || m < 0 || c.was.lines[n].id != c.now.lines[m].id {
			c.wrong("the result without a call is gone: %s", text)
		}
	}
}

func orphanBehindCompaction(c *trial) {
	c.says("holds a result without a call")
	c.stay(c.life(0).ReceiptEntry)
}

func pairsStay(c *trial) {
	if len(c.rep.Tasks) == 0 {
		c.wrong("nothing was compacted: the log shows nothing")
	}
	for n := range c.now.lines {
		r := &c.now.lines[n]
		for _, text := range r.texts {
			if strings.Contains(text, "missing tool result") {
				c.wrong("line %d has a synthetic result", n+1)
			}
		}
	}
	if was, now := c.was.unpaired(), c.now.unpaired(); len(was) > 0 || len(now) > 0 {
		c.wrong("calls and results that are alone: %q, before %q", now, was)
	}
}

func signedReasoning(c *trial) {
	signed := 0
	for n := range c.was.lines {
		r := &c.was.lines[n]
		at := bytes.Index(r.raw, []byte(`"thinkingSignature":"`))
		if at < 0 {
			continue
		}
		sign := r.raw[at : at+100]
		signed++
		// Whole, with every block of its message, or not at all.
		if bytes.Contains(c.after, sign) && !c.stands(r.raw) {
			m := slices.IndexFunc(c.now.lines, func(m row) bool { return bytes.Contains(m.raw, sign) })
			if !c.relinked(r.raw, c.now.lines[m].raw) {
				c.wrong("line %d was cut beside its signed reasoning", n+1)
			}
		}
	}
	for _, raw := range c.maskLines() {
		if bytes.Contains(raw, []byte("thinking")) {
			c.wrong("a mask holds reasoning: %s", short(raw))
		}
	}
	if signed < 3 || len(c.rep.Tasks) == 0 {
		c.wrong("%d signed messages and %d masks: the log shows nothing", signed, len(c.rep.Tasks))
	}
	for n := len(c.was.lines) - 1; n >= 0; n-- {
		if bytes.Contains(c.was.lines[n].raw, []byte(`"role":"assistant"`)) {
			if r := &c.now.lines[len(c.now.lines)-len(c.was.lines)+n]; r.id != c.was.lines[n].id || !c.relinked(c.was.lines[n].raw, r.raw) {
				c.wrong("the last message of the assistant changed: %s", short(r.raw))
			}
			break
		}
	}
}

func childLogsBeside(c *trial) {
	for name, b := range c.sp.files {
		if !bytes.Equal(fileOf(c.tb, filepath.Join(filepath.Dir(c.path), genlog.BesideName(name, c.sp.name))), b) {
			c.wrong("%s was changed", name)
		}
	}
	if len(c.sp.files) < 2 || len(c.rep.Tasks) == 0 {
		c.wrong("the log shows nothing")
	}
	// What is saved is what the log itself held.
	if c.rep.Context.Saved <= 0 || c.rep.File.Before != int64(len(c.before)) {
		c.wrong("%d tokens saved of a log of %d bytes", c.rep.Context.Saved, c.rep.File.Before)
	}
	// A child that is left alone, or whose mask stands here, can be found.
	a, err := archive.Open(c.store("one"), false)
	if err != nil {
		c.tb.Fatal(err)
	}
	defer a.Close()
	for n := range c.sp.truth.Lifecycles {
		l := c.life(n)
		if l.Log != "" || l.ChildKey == "" || c.isLeft(l) {
			continue
		}
		x, err := a.Expand(context.Background(), c.task(l).Ref)
		if err != nil || !slices.ContainsFunc(x.Entries, func(e archive.RemovedEntry) bool { return bytes.Contains(e.Raw, []byte(l.ChildKey)) }) {
			c.wrong("the mask of %s does not lead to its key (%v)", l.Label, err)
		}
	}
}

var eightHex = regexp.MustCompile(`^[0-9a-f]{8}$`)

func nativeIDs(c *trial) {
	if len(c.masks()) == 0 {
		c.wrong("no masks: the log shows nothing")
	}
	for _, n := range c.masks() {
		id := c.now.lines[n].id
		if c.line(id); !eightHex.MatchString(id) || !c.touched[c.line(id)] {
			c.wrong("the mask in line %d has the id %q, which is none of a line that it replaces", n+1, id)
		}
	}
	for n := range c.was.lines {
		r := &c.was.lines[n]
		if r.id == "" || c.touched[n] {
			continue
		}
		if m := slices.IndexFunc(c.now.lines, func(m row) bool { return m.id == r.id }); m < 0 {
			c.wrong("line %d has lost its id %s", n+1, r.id)
		}
	}
}
