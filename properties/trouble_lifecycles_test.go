package properties_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/scripts/gen/genlog"
	"sessc/session"
)

// The rows on lifecycles.

func neverEnded(c *trial) {
	if !bytes.Equal(c.after, c.before) {
		c.wrong("a log of running children was changed")
	}
	c.compacted(2, 0)
	for n := range 2 {
		if out := c.left(c.life(n), string(lifecycle.NotFinished)); out.State != lifecycle.Running.String() {
			c.wrong("state %s, want running", out.State)
		}
	}
}

func progressIsNoEnd(c *trial) {
	l := c.life(1)
	if out := c.left(l, string(lifecycle.NotFinished)); out.State != lifecycle.Running.String() || len(l.RelatedEntries) != 2 {
		c.wrong("state %s, want running; %d messages of progress", out.State, len(l.RelatedEntries))
	}
	c.stay(l.RelatedEntries...)
}

func copiesGoTogether(c *trial) {
	l := c.life(0)
	if len(l.CompletionEntries) != 3 {
		c.tb.Fatalf("%d copies, want 3", len(l.CompletionEntries))
	}
	for _, id := range l.CompletionEntries {
		if !slices.Contains(c.task(l).Entries, c.line(id)+1) {
			c.wrong("the copy %s stayed", id)
		}
	}
	if r := c.record(l); r.Result != mask.ResultSuccess {
		c.wrong("result %s", r.Result)
	}
	times := 0
	for _, task := range c.rep.Tasks {
		if task.Key == l.CallID {
			times++
		}
	}
	if times != 1 || c.rep.States.Found != 4 {
		c.wrong("three copies are %d tasks of %d lifecycles, want 1 of 4", times, c.rep.States.Found)
	}
}

func lastEndDecides(c *trial) {
	r := c.record(c.life(0))
	if r.Result != mask.ResultSuccess || !has(r.Errors, "timed out") {
		c.wrong("result %s, errors %q; want success, and the time-out as an error", r.Result, r.Errors)
	}
}

func halfDone(c *trial) {
	r := c.record(c.life(0))
	if r.Result != mask.ResultSuccess || !strings.Contains(r.Conclusion, "51 of 100") || !strings.Contains(r.Conclusion, "51 %") {
		c.wrong("result %s, conclusion %q; want what the event said and what the report counts", r.Result, r.Conclusion)
	}
	out := c.left(c.life(1), string(lifecycle.NotFinished))
	if !strings.Contains(out.Reason, "went on after its end") {
		c.wrong("left alone because %s", out.Reason)
	}
}

func reopened(c *trial) {
	for n := range 2 {
		c.left(c.life(n), string(lifecycle.NotFinished))
	}
	c.compacted(3, 1)
	r := c.record(c.life(2))
	if r.Result != mask.ResultSuccess || !strings.Contains(r.Conclusion, "The missing test is added") {
		c.wrong("the second end of the third one does not count: %s, %q", r.Result, r.Conclusion)
	}
	if !has(r.Remember, "archive/products") || !has(r.Tried, "AVIF") {
		c.wrong("what its first report said is gone: %q, %q", r.Remember, r.Tried)
	}
}

func unknownRun(c *trial) {
	stray := c.sp.truth.Strays[0].Entry
	c.stay(stray)
	c.compacted(1, 1)
	c.says(fmt.Sprintf("line %d tells the end of work that no spawn in this log can be matched with", c.line(stray)+1))
}

func refusedThenAgain(c *trial) {
	no, yes := c.record(c.life(0)), c.record(c.life(1))
	if no.Result != mask.ResultSpawnFailed || !has(no.Errors, "not allowed here") {
		c.wrong("the refused spawn: %s, %q", no.Result, no.Errors)
	}
	if yes.Result != mask.ResultSuccess || has(yes.Errors, "not allowed") || no.Ref == yes.Ref {
		c.wrong("the later spawn of the same label: %s, %q, %s and %s", yes.Result, yes.Errors, yes.Ref, no.Ref)
	}
	if c.rep.States.SpawnFailed != 2 || c.rep.States.Done != 1 {
		c.wrong("%+v, want 2 failed spawns and 1 done", c.rep.States)
	}
}

func spawnErrors(c *trial) {
	failed := 0
	for n := range c.sp.truth.Lifecycles {
		if c.life(n).State == genlog.SpawnFailed {
			failed++
		}
	}
	if c.rep.States.SpawnFailed != failed || failed < 4 {
		c.wrong("%d failed spawns, want %d", c.rep.States.SpawnFailed, failed)
	}
}

func sameLabel(c *trial) {
	c.compacted(5, 2)
	c.task(c.life(0))
	c.left(c.life(1), string(lifecycle.NotFinished))
	out := c.left(c.life(2), string(lifecycle.NotFinished))
	if !strings.Contains(out.Reason, "within it is running") || out.State != lifecycle.Done.String() {
		c.wrong("%s, left alone because %s; want done, but for the one within it", out.State, out.Reason)
	}
	c.left(c.life(3), string(lifecycle.NotFinished))
	c.task(c.life(4))
}

func outOfOrder(c *trial) {
	tr := c.sp.truth
	c.compacted(6, 6)
	var ends []int
	for n := range tr.Lifecycles {
		ends = append(ends, c.line(tr.Lifecycles[n].CompletionEntries[0]))
		if n > 0 && c.line(tr.Lifecycles[n].SpawnEntry) < c.line(tr.Lifecycles[n-1].SpawnEntry) {
			c.wrong("the spawns are not in order")
		}
	}
	if slices.IsSorted(ends) {
		c.wrong("the completions are in order: the log shows nothing")
	}
	inside := 0
	for _, h := range tr.Humans {
		if n := c.line(h.Entry); n > c.line(tr.Lifecycles[0].SpawnEntry) && n < slices.Max(ends) {
			inside++
			c.stay(h.Entry)
		}
	}
	if inside < 2 {
		c.wrong("%d human turns inside the wave: the log shows nothing", inside)
	}
	var left []int
	for n := range c.now.lines {
		if m := slices.IndexFunc(c.was.lines, func(r row) bool { return r.id == c.now.lines[n].id }); m >= 0 && c.now.lines[n].id != "" {
			left = append(left, m)
		}
	}
	if !slices.IsSorted(left) {
		c.wrong("lines changed places: %d", left)
	}
}

func acknowledgement(c *trial) {
	for n := range 2 {
		l := c.life(n)
		if l.ReceiptEntry == "" || !bytes.Contains(c.was.lines[c.line(l.ReceiptEntry)].raw, []byte("accepted")) {
			c.wrong("no acknowledgement: the log shows nothing")
		}
		c.left(l, string(lifecycle.NotFinished)+": running")
	}
}

func decoys(c *trial) {
	if len(c.sp.truth.Decoys) < 4 {
		c.wrong("%d decoys: the log shows nothing", len(c.sp.truth.Decoys))
	}
	s := c.open(c.before)
	people := 0
	for _, note := range c.sp.truth.Decoys {
		c.stay(note.Entry)
		for _, i := range s.Lookup(note.Entry) {
			if slices.ContainsFunc(s.Events, func(ev session.Event) bool { return ev.Entry == i }) {
				c.wrong("%s is taken for an event: %s", note.Entry, note.Why)
			}
			if !strings.HasPrefix(note.Why, "a human") {
				continue
			}
			if people++; s.Entries[i].Kind != session.Human {
				c.wrong("%s is not taken for a person's: %s", note.Entry, note.Why)
			}
		}
	}
	if people < 2 {
		c.wrong("%d people quote markers: the log shows nothing", people)
	}
	c.compacted(1, 1)
}
