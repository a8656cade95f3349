package properties_test

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sessc/archive"
	"sessc/lifecycle"
	"sessc/restore"
	"sessc/session"
)

// The rows on copies, tokens and clocks.

func secondHeaderStays(c *trial) {
	if c.rep.Session != c.sp.truth.SessionID {
		c.wrong("session %s, want the id of the first header, %s", c.rep.Session, c.sp.truth.SessionID)
	}
	for n := range 2 {
		if !bytes.Equal(c.was.lines[n].raw, c.now.lines[n].raw) || !strings.HasPrefix(string(c.was.lines[n].raw), `{"type":"session"`) {
			c.wrong("header %d changed", n+1)
		}
	}
	c.compacted(1, 1)
	if c.rep.Lines.Unknown+c.rep.Lines.Damaged > 0 {
		c.wrong("the second header counts as %+v", c.rep.Lines)
	}
}

// forkInTwoFiles: the same entries in two files are two logs.
func forkInTwoFiles(c *trial) {
	one := c.path
	two := filepath.Join(filepath.Dir(one), "fork.jsonl")
	extra := []byte(`{"type":"message","id":"f00d0001","parentId":"` + c.sp.truth.Leaf + `","timestamp":"2026-05-01T00:00:00.000Z","message":{"role":"user","content":"Only in the fork."}}` + "\n")
	forked := slices.Concat(c.sp.data, extra)
	c.write(two, forked)
	after := map[string][]byte{}
	for _, c.path = range []string{one, two} {
		rep, err := c.run("one", nil)
		if err != nil || len(rep.Tasks) != len(c.sp.truth.Lifecycles) {
			c.tb.Fatalf("%s: %v", c.path, err)
		}
		after[c.path] = c.log()
	}
	if !bytes.Equal(slices.Concat(after[one], extra), after[two]) {
		c.wrong("the fork was compressed otherwise than its origin")
	}
	if !bytes.Equal(fileOf(c.tb, one), after[one]) {
		c.wrong("compressing the fork changed its origin")
	}
	c.path = two
	c.restored("one", forked)
	c.path = one
	c.restored("one", c.sp.data)
}

// restored undoes the log with an archive and compares.
func (d *desk) restored(store string, want []byte) {
	d.tb.Helper()
	if d.restore(store); !bytes.Equal(d.log(), want) {
		d.wrong("restore gives %d other bytes, want %d", len(d.log()), len(want))
	}
}

func (d *desk) restore(store string) {
	d.tb.Helper()
	a, err := archive.Open(d.store(store), false)
	if err != nil {
		d.tb.Fatal(err)
	}
	defer a.Close()
	if _, err := restore.Run(context.Background(), d.path, restore.Options{
		Formats: []session.Format{d.tg.format}, Settings: d.sp.set, Now: time.Now,
		Archive: func(bool) (*archive.Archive, error) { return a, nil },
	}); err != nil {
		d.tb.Fatalf("%s: restore: %v", d.path, err)
	}
}

func scripts(c *trial) {
	c.compacted(3, 3)
	for n, want := range []string{"港の樽", "등불", "حبال"} {
		task := c.task(c.life(n))
		if !strings.Contains(task.Mask, want) || !strings.Contains(task.Mask, "\nconclusion: ") || !strings.Contains(task.Mask, "\nresult: success") {
			c.wrong("the mask does not keep its language under its labels:\n%s", task.Mask)
		}
		if !utf8.ValidString(task.Mask) || strings.Contains(task.Mask, "\ufffd") {
			c.wrong("a mask was cut within a character:\n%s", task.Mask)
		}
		// A joined emoji is whole or gone.
		if rest := strings.NewReplacer("👩‍🔧", "", "👨‍👩‍👧‍👦", "").Replace(task.Mask); strings.ContainsAny(rest, "\u200d👩👨🔧👧👦") {
			c.wrong("an emoji was cut apart:\n%s", task.Mask)
		}
	}
	c.countsScripts()
}

func languages(c *trial) {
	if len(c.rep.Tasks) == 0 {
		c.wrong("nothing was compacted")
	}
	c.countsScripts()
}

// countsScripts: signs that are words of their own cost more than a quarter
// of a token.
func (c *trial) countsScripts() {
	c.tb.Helper()
	signs := 0
	for _, n := range c.was.sent {
		for _, text := range c.was.lines[n].texts {
			for _, r := range text {
				if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
					signs++
				}
			}
		}
	}
	if signs < 200 || c.rep.Context.Before < int64(6*signs/10) {
		c.wrong("%d tokens for %d signs of East Asian scripts alone", c.rep.Context.Before, signs)
	}
}

func oddClocks(c *trial) {
	unknown := 0
	for _, task := range c.rep.Tasks {
		if task.TookMS < -1 {
			c.wrong("%s took %d ms", task.Name, task.TookMS)
		}
		if strings.Contains(task.Mask, "-") && regexp.MustCompile(`budget:.*-\d`).MatchString(task.Mask) {
			c.wrong("a negative figure:\n%s", task.Mask)
		}
	}
	s := c.open(c.before)
	for _, i := range s.Active {
		if s.Entries[i].Time <= 0 {
			unknown++
		}
	}
	if unknown == 0 || !slices.IsSorted(lineNumbers(s)) {
		c.wrong("%d entries without a time, lines in order: %v", unknown, slices.IsSorted(lineNumbers(s)))
	}
}

func manyCompactions(c *trial) {
	c.compacted(2, 1)
	c.left(c.life(0), string(lifecycle.BeforeCompact))
	last := c.sp.truth.Compactions[23]
	n := c.line(last.Entry)
	if rest := int64(0); len(c.was.sent) > 0 {
		for _, m := range c.was.sent {
			if m < n && m < c.line(last.FirstKept) {
				rest++
			}
		}
		if rest > 0 {
			c.wrong("%d entries from before the last compaction are counted as sent", rest)
		}
	}
	// Older summaries cost disk, and nothing else.
	if c.rep.Context.Before > c.rep.File.Before/40 {
		c.wrong("%d context tokens of a file of %d bytes", c.rep.Context.Before, c.rep.File.Before)
	}
	for _, point := range c.sp.truth.Compactions {
		c.stay(point.Entry)
	}
}
