package properties_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sessc/compress"
	"sessc/lifecycle"
	"sessc/mask"
	"sessc/scripts/gen/genlog"
)

// The rows on what a conversation means after it was compacted.

func ruleInside(c *trial) {
	rule := c.sp.truth.Humans[1]
	if !rule.Constraint || c.line(rule.Entry) < c.line(c.life(0).SpawnEntry) {
		c.wrong("no rule inside the task: the log shows nothing")
	}
	c.stay(rule.Entry)
	if r := c.record(c.life(0)); !slices.Contains(r.Remember, "Never rename a file in charts/old, the tide table names them.") {
		c.wrong("the rule of the report is not in must_remember: %q", r.Remember)
	}
}

func constraintsStay(c *trial) {
	rules := 0
	for _, h := range c.sp.truth.Humans {
		if h.Constraint {
			rules++
			c.stay(h.Entry)
		}
	}
	if rules == 0 {
		c.wrong("no rules: the log shows nothing")
	}
}

func establishedFact(c *trial) {
	r := c.record(c.life(0))
	if !has(r.Remember, "tide_limit=412") && !strings.Contains(r.Conclusion, "tide_limit=412") {
		c.wrong("the established fact is in neither: %q, %q", r.Conclusion, r.Remember)
	}
	if strings.HasPrefix(r.Conclusion, "I looked") || strings.HasPrefix(r.Conclusion, "I read") {
		c.wrong("the conclusion says what was looked at: %q", r.Conclusion)
	}
}

func planCarriedOut(c *trial) {
	r := c.record(c.life(0))
	if !strings.Contains(r.Conclusion, "packed the sail") || len(r.Open) > 0 {
		c.wrong("conclusion %q, open %q; want the final state and nothing open", r.Conclusion, r.Open)
	}
	for _, undone := range []string{"I will", "new thread", "repainted", "Next steps"} {
		if strings.Contains(c.task(c.life(0)).Mask, undone) {
			c.wrong("the mask speaks of %q:\n%s", undone, c.task(c.life(0)).Mask)
		}
	}
}

func upbeatReport(c *trial) {
	failed, late := c.record(c.life(0)), c.record(c.life(1))
	if failed.Result != mask.ResultFailed || !has(failed.Errors, "exit code 2") {
		c.wrong("result %s, errors %q", failed.Result, failed.Errors)
	}
	if late.Result != mask.ResultTimedOut || !has(late.Errors, "FAIL: TestPumpPressure: want 4 bar, got 1 bar") {
		c.wrong("result %s, errors %q; want the failing test", late.Result, late.Errors)
	}
}

// prefixStays lets a compressed log grow by one more finished task: what was
// compressed before does not move, so that the provider's cache of it holds.
func prefixStays(c *trial) {
	if _, err := c.run("one", nil); err != nil {
		c.tb.Fatal(err)
	}
	once := c.log()
	p := plot{name: "growth", tell: func(b *book) { b.whole(ropes(), genlog.Done, ""); b.talk() }}
	out := p.script(c.tb, 4)
	var more []byte
	parent := ""
	for _, l := range split(out.Log)[1:] {
		if parent == "" { // the first entry of the growth hangs below the leaf
			l = bytes.Replace(l, []byte(`"parentId":null`), []byte(`"parentId":"`+c.sp.truth.Leaf+`"`), 1)
			parent = c.sp.truth.Leaf
		}
		more = append(more, l...)
	}
	c.write(c.path, slices.Concat(once, more))
	rep, err := c.run("one", nil)
	if err != nil || len(rep.Tasks) != 1 {
		c.tb.Fatalf("the growth was not compressed: %v, %d tasks", err, len(rep.Tasks))
	}
	if !bytes.HasPrefix(c.log(), once) {
		c.wrong("the second run moved what the first one had written")
	}
	// And there is a least gain for which the cache is given up at all.
	c.write(c.path, c.sp.data)
	rep, err = c.run("two", func(o *compress.Options) { o.MinSaving = 1_000_000 })
	if err != nil || rep.Changed || len(rep.Left) == 0 || rep.Left[0].Reason != string(lifecycle.SavesTooLittle) {
		c.wrong("a run below the least saving: %v, %s", err, jsonOf(c.tb, rep))
	}
}

func foreignCompaction(c *trial) {
	point := c.sp.truth.Compactions[0]
	c.stay(point.Entry)
	n := c.line(point.Entry)
	c.left(c.life(0), string(lifecycle.BeforeCompact))
	for line := range c.touched {
		if line < n {
			c.wrong("line %d stands before the agent's own compaction and was masked", line+1)
		}
	}
	if len(c.rep.Tasks) == 0 {
		c.wrong("nothing behind the compaction was compacted")
	}
}

// compactionOverMasks lets the agent compact a log that holds our masks, and
// go on.
func compactionOverMasks(c *trial) {
	if _, err := c.run("one", nil); err != nil {
		c.tb.Fatal(err)
	}
	once := c.log()
	marked := ""
	for _, r := range c.tg.read(once).lines {
		if r.marked {
			marked = r.id
		}
	}
	more := fmt.Appendf(nil, `{"type":"compaction","id":"c0ffee01","parentId":%q,"timestamp":"2026-05-01T00:00:00.000Z","summary":"Three tasks were done.","firstKeptEntryId":%q,"tokensBefore":9000}`+"\n", c.sp.truth.Leaf, marked)
	c.write(c.path, slices.Concat(once, more))
	rep, err := c.run("one", nil)
	if err != nil || rep.Changed || len(rep.Tasks) > 0 {
		c.wrong("behind a foreign compaction a run changes the log again: %v", err)
	}
	if !bytes.Equal(c.log(), slices.Concat(once, more)) {
		c.wrong("the masks before a foreign compaction moved")
	}
	if rep != nil && rep.Context.Before >= int64(c.open(once).Tokens()) {
		c.wrong("%d tokens are counted, before the compaction %d", rep.Context.Before, c.open(once).Tokens())
	}
	// The compaction keeps from a mask. In the original it keeps from the first
	// entry for which that stood; nothing else of what was appended changes.
	c.restore("one")
	back := c.log()
	s := c.tg.read(back)
	kept := field(c.tb, s.lines[len(s.lines)-1].raw, "firstKeptEntryId")
	if !bytes.Equal(back, slices.Concat(c.sp.data, bytes.Replace(more, []byte(marked), []byte(kept), 1))) {
		c.wrong("restore gives %d bytes that are not the original with the compaction behind it", len(back))
	}
	at := func(id string) int { return slices.IndexFunc(s.lines, func(r row) bool { return r.id == id }) }
	if at(kept) < 0 || at(kept) >= at(marked) {
		c.wrong("after a restore the compaction keeps from %q in line %d, the mask's id stands in line %d", kept, at(kept)+1, at(marked)+1)
	}
}
