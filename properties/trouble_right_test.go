package properties_test

import (
	"bytes"
	"context"
	b64 "encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/mask"
	"sessc/restore"
	"sessc/scripts/gen/genlog"
	"sessc/session"
	"sessc/writer"
)

// The right behaviours, in the order of the rows. Each is called after the
// run of its log was held to all promises; it adds what its row is about.

// inOpenClaw moves the log to where OpenClaw keeps its own.
func (d *desk) inOpenClaw() (state string) {
	d.tb.Helper()
	state = filepath.Join(d.root, "state")
	dir := filepath.Join(state, "agents", "main", "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.tb.Fatal(err)
	}
	d.path = filepath.Join(dir, "s.jsonl")
	d.write(d.path, d.sp.data)
	return state
}

// attack puts a log made by the test on a desk of its own and holds it to all
// promises.
func (c *trial) attack(data []byte) {
	sp := *c.sp
	sp.data, sp.truth = data, nil
	c.desk = newDesk(c.tb, c.tg, &sp, c.set)
	c.outcome = c.examine(thorough)
}

// refusedInPlace: a real run is refused and nothing was touched.
func (c *trial) refusedInPlace(why string) {
	c.tb.Helper()
	beside := c.names()
	_, err := c.run("one", nil)
	if !errors.Is(err, writer.ErrRefused) || !strings.Contains(err.Error(), why) {
		c.wrong("error %v, want a refusal: %s", err, why)
	}
	if !bytes.Equal(c.log(), c.sp.data) || c.names() != beside {
		c.wrong("a refused log was touched")
	}
	if _, err := os.Stat(c.store("one")); !errors.Is(err, fs.ErrNotExist) {
		c.wrong("a refused run left an archive (%v)", err)
	}
}

func databaseBeside(c *trial) {
	agent := filepath.Join(c.inOpenClaw(), "agents", "main", "agent")
	if err := os.Mkdir(agent, 0o700); err != nil {
		c.tb.Fatal(err)
	}
	database := filepath.Join(agent, "openclaw-agent.sqlite")
	c.write(database, []byte("not looked into"))
	c.refusedInPlace("openclaw-agent.sqlite")

	out := filepath.Join(c.root, "copy.jsonl")
	rep, err := c.run("one", func(o *compress.Options) { o.Output = out })
	if err != nil || !rep.Changed {
		c.tb.Fatalf("no copy beside a database: %v", err)
	}
	head, _, _ := bytes.Cut(c.sp.data, []byte("\n"))
	if b := fileOf(c.tb, out); !bytes.HasPrefix(b, append(head, '\n')) {
		c.wrong("the copy has another header")
	}
	if !bytes.Equal(c.log(), c.sp.data) || string(fileOf(c.tb, database)) != "not looked into" {
		c.wrong("writing a copy changed the log or the database")
	}
}

func agentLock(c *trial) {
	c.inOpenClaw()
	lock := c.path + ".lock"
	c.write(lock, fmt.Appendf(nil, `{"pid":%d,"createdAt":"2026-04-06T05:00:00.000Z"}`, os.Getppid()))
	c.refusedInPlace("s.jsonl.lock is held by process")
	if err := os.Remove(lock); err != nil {
		c.tb.Fatal(err)
	}
	during := ""
	if _, err := c.run("one", func(o *compress.Options) {
		o.Trace = func(step string) {
			if step == "rename" {
				during = string(fileOf(c.tb, lock))
			}
		}
	}); err != nil {
		c.tb.Fatal(err)
	}
	if !strings.Contains(during, fmt.Sprintf(`"pid":%d`, os.Getpid())) {
		c.wrong("the agent's lock at the rename: %q", during)
	}
	if c.names() != "s.jsonl" {
		c.wrong("files beside the log: %s", c.names())
	}
}

func foreignIndex(c *trial) {
	index := filepath.Join(c.inOpenClaw(), "lcm.db")
	c.write(index, []byte("somebody else's"))
	rep, err := c.run("one", nil)
	if err != nil {
		c.tb.Fatal(err)
	}
	if !has(rep.Notes, "lcm.db") {
		c.wrong("the report is silent about the foreign index: %q", rep.Notes)
	}
	if string(fileOf(c.tb, index)) != "somebody else's" {
		c.wrong("the foreign index was written")
	}
}

func tornTail(c *trial) {
	torn := c.was.lines[len(c.was.lines)-1].raw
	if bytes.HasSuffix(torn, []byte("\n")) || !bytes.HasSuffix(c.after, append([]byte("\n"), torn...)) {
		c.wrong("the torn tail is not the end of the new log")
	}
	c.says(fmt.Sprintf("line %d cannot be read", len(c.was.lines)))
	if len(c.rep.Tasks) == 0 {
		c.wrong("nothing before the torn tail was compacted")
	}
}

// tornCompletion cuts a log in the middle of a completion.
func tornCompletion(c *trial) {
	truth := c.sp.truth
	last := truth.Lifecycles[len(truth.Lifecycles)-1]
	at, lines := 0, split(c.sp.data)
	for _, l := range lines[:lineWith(c.sp.data, last.CompletionEntries[0])] {
		at += len(l)
	}
	c.attack(c.sp.data[:at+400])
	if len(c.rep.Tasks) != len(truth.Lifecycles)-1 {
		c.wrong("%d lifecycles compacted, want all but the torn one", len(c.rep.Tasks))
	}
	last.CompletionEntries = nil
	c.left(&last, string(lifecycle.NotFinished))
}

func fusedLines(c *trial) {
	second := c.life(1)
	for n := range c.was.lines {
		if r := &c.was.lines[n]; !r.valid && !r.meta || r.id == "" && n > 0 {
			if !c.stands(r.raw) {
				c.wrong("damaged line %d changed", n+1)
			}
		}
	}
	for _, task := range c.rep.Tasks {
		if task.Key == second.CallID {
			c.wrong("the lifecycle on the damaged line was compacted")
		}
	}
	c.says("lines 32, 33 cannot be read")
}

// fragmentInside puts a torn record between the lines of a task.
func fragmentInside(c *trial) {
	first := c.sp.truth.Lifecycles[0]
	at := lineWith(c.sp.data, first.CompletionEntries[0])
	half := ""
	c.attack(rewrite(c.sp.data, func(n int, line string) string {
		if n == at {
			half = line[:len(line)/2] + "\n"
			return half + line
		}
		return line
	}))
	out := c.left(&first, string(lifecycle.TouchesDamage))
	if !strings.Contains(out.Reason, fmt.Sprintf("line %d", at+1)) || !c.stands([]byte(half)) {
		c.wrong("left alone because %s; the fragment stands in line %d", out.Reason, at+1)
	}
	if len(c.rep.Tasks) != 2 {
		c.wrong("%d other lifecycles compacted, want 2", len(c.rep.Tasks))
	}
}

func nulLine(c *trial) {
	if c.rep.Lines.Damaged != 2 || bytes.Count(c.after, []byte{0}) != bytes.Count(c.before, []byte{0}) {
		c.wrong("%d damaged lines; %d NUL bytes, before %d", c.rep.Lines.Damaged, bytes.Count(c.after, []byte{0}), bytes.Count(c.before, []byte{0}))
	}
	c.task(c.life(1)) // behind the damage
}

func splicedRecords(c *trial) {
	c.says("lines 15, 16 cannot be read")
	for _, n := range []int{14, 15} {
		if !c.stands(c.was.lines[n].raw) {
			c.wrong("the damaged line %d changed", n+1)
		}
	}
	c.compacted(3, 1)
	c.task(c.life(2))
	c.left(c.life(0), string(lifecycle.OffPath))
	c.left(c.life(1), string(lifecycle.OffPath))
}

func loneSurrogate(c *trial) {
	c.compacted(2, 2)
	for _, raw := range c.maskLines() {
		if bytes.Contains(bytes.ToLower(raw), []byte(`\ud83c`)) || !utf8.Valid(raw) {
			c.wrong("a mask holds half a character: %s", short(raw))
		}
	}
	one, two := c.record(c.life(0)), c.record(c.life(1))
	for _, s := range []string{one.Task, one.Conclusion, strings.Join(one.Errors, " "), strings.Join(one.Remember, " "), strings.Join(two.Errors, " ")} {
		if !strings.Contains(s, "\ufffd") {
			c.wrong("no mark where the half stood: %q", s)
		}
	}
	c.stay(c.sp.truth.Humans[0].Entry)
	if !bytes.Contains(c.after, []byte(`counted \ud83c please`)) {
		c.wrong("the person's line was repaired")
	}
}

func separators(c *trial) {
	if c.rep.Lines.All != bytes.Count(c.before, []byte("\n")) {
		c.wrong("%d lines, the file has %d", c.rep.Lines.All, bytes.Count(c.before, []byte("\n")))
	}
	c.compacted(2, 2)
	if strings.ContainsAny(string(bytes.Join(c.maskLines(), nil)), "\u2028\u2029\u0085") {
		c.wrong("a mask holds a separator that readers split lines at")
	}
}

func byteOrderMark(c *trial) {
	if !bytes.HasPrefix(c.after, []byte("\xef\xbb\xbf{\"type\":\"session\"")) {
		c.wrong("the new log begins with %q", c.after[:20])
	}
	if c.rep.Session != c.sp.truth.SessionID {
		c.wrong("session %q, want %q", c.rep.Session, c.sp.truth.SessionID)
	}
	c.compacted(2, 2)
}

// lineEnds also gives one line that a mask replaces, and one that stays, an
// end of another kind.
func lineEnds(c *trial) {
	tr := c.sp.truth
	last, human := tr.Lifecycles[0].CompletionEntries[0], tr.Humans[1].Entry
	crlf := func(raw []byte) bool { return bytes.HasSuffix(raw, []byte("\r\n")) }
	for again := range 2 {
		if len(c.rep.Tasks) != 2 {
			c.wrong("%d lifecycles compacted, want 2", len(c.rep.Tasks))
		}
		bare := 0
		for _, n := range c.masks() {
			r := &c.now.lines[n]
			if old := c.was.lines[c.line(r.id)]; crlf(old.raw) != crlf(r.raw) {
				c.wrong("the mask in line %d ends in CRLF: %v, the line that it replaces: %v", n+1, crlf(r.raw), crlf(old.raw))
			}
			if !crlf(r.raw) {
				bare++
			}
		}
		if again == 1 {
			if bare == 0 || crlf(c.was.lines[c.line(human)].raw) {
				c.wrong("no mask and no kept line ends in LF alone: the log shows nothing")
			}
			c.stay(human)
			break
		}
		c.attack(rewrite(c.before, func(_ int, line string) string {
			if id := idOf(line); id == last || id == human {
				return strings.TrimSuffix(line, "\r\n") + "\n"
			}
			return line
		}))
	}
}

// longLine puts a picture of 12 MB into a result within a task and another
// into one that stays.
func longLine(c *trial) {
	picture := b64.StdEncoding.EncodeToString(bytes.Repeat([]byte("\x89PNG no picture, but as long as one "), 260_000))
	block := `"content":[{"type":"image","data":"` + picture + `","mimeType":"image/png"},`
	first := c.sp.truth.Lifecycles[0]
	spawn := lineWith(c.sp.data, first.SpawnEntry)
	before := c.sp.data
	plain, err := c.run("plain", func(o *compress.Options) { o.DryRun = true })
	if err != nil {
		c.tb.Fatal(err)
	}
	long := 0
	c.attack(rewrite(before, func(n int, line string) string {
		inside := n > spawn && n < spawn+8
		if long < 2 && (long == 0) == !inside && strings.Contains(line, `"role":"toolResult"`) && !strings.Contains(line, "sessions_") {
			long++
			return strings.Replace(line, `"content":[`, block, 1)
		}
		return line
	}))
	if long != 2 {
		c.tb.Fatalf("%d long lines were made, want 2", long)
	}
	if len(c.rep.Tasks) != len(plain.Tasks) {
		c.wrong("%d lifecycles compacted, without the pictures %d", len(c.rep.Tasks), len(plain.Tasks))
	}
	if more := c.rep.Context.Before - plain.Context.Before; more < 100 || more > 10_000 {
		c.wrong("two pictures count as %d tokens", more)
	}
	for _, raw := range c.maskLines() {
		if len(raw) > 10_000 {
			c.wrong("a mask of %d bytes", len(raw))
		}
	}
	kept := 0
	for n := range c.now.lines {
		if len(c.now.lines[n].raw) > len(picture) {
			kept++
			if !slices.ContainsFunc(c.was.lines, func(r row) bool { return bytes.Equal(r.raw, c.now.lines[n].raw) }) {
				c.wrong("the long line %d changed", n+1)
			}
		}
	}
	if kept == 0 {
		c.wrong("no long line was kept")
	}
}

// nothingToDo: neither bytes nor time nor a neighbour.
func nothingToDo(c *trial) {
	for _, data := range [][]byte{c.sp.data, {}} {
		c.write(c.path, data)
		old := c.longAgo()
		beside := c.names()
		rep, err := c.run("fresh", nil)
		switch {
		case len(data) > 0 && (err != nil || rep.Changed):
			c.wrong("a log without entries: changed %v, %v", rep != nil && rep.Changed, err)
		case len(data) == 0 && !errors.Is(err, session.ErrEmpty):
			c.wrong("an empty file: %v", err)
		}
		if !bytes.Equal(c.log(), data) || !c.info().ModTime().Equal(old) || c.names() != beside {
			c.wrong("a file of %d bytes with nothing to do was touched", len(data))
		}
	}
	if _, err := os.Stat(c.store("fresh")); !errors.Is(err, fs.ErrNotExist) {
		c.wrong("an archive was made for nothing (%v)", err)
	}
}

func (d *desk) info() os.FileInfo {
	d.tb.Helper()
	fi, err := os.Stat(d.path)
	if err != nil {
		d.tb.Fatal(err)
	}
	return fi
}

// longAgo gives the log a modification time in the past.
func (d *desk) longAgo() time.Time {
	d.tb.Helper()
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(d.path, at, at); err != nil {
		d.tb.Fatal(err)
	}
	return at
}

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
		if !bytes.Equal(fileOf(c.tb, filepath.Join(filepath.Dir(c.path), name)), b) {
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
		if l.Log != "" || l.ChildKey == "" {
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
	if c.compacted(3, 1); c.record(c.life(2)).Result != mask.ResultSuccess {
		c.wrong("the second end of the third one does not count")
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

// appendedMeanwhile appends a line after the log was read.
func appendedMeanwhile(c *trial) {
	more := []byte(`{"type":"message","id":"1a7e0001","parentId":"` + c.sp.truth.Leaf + `","timestamp":"2026-05-01T00:00:00.000Z","message":{"role":"user","content":"Too early."}}` + "\n")
	for _, step := range []string{"create temp", "archive", "prove restore", "lock"} {
		c.write(c.path, c.sp.data)
		_, err := c.run("one", func(o *compress.Options) {
			o.Trace = func(at string) {
				if at == step {
					c.write(c.path, slices.Concat(c.sp.data, more))
				}
			}
		})
		if !errors.Is(err, writer.ErrRefused) {
			c.wrong("a line appended at step %s: error %v, want a refusal", step, err)
		}
		if !bytes.Equal(c.log(), slices.Concat(c.sp.data, more)) {
			c.wrong("a line appended at step %s is lost", step)
		}
	}
	if rep, err := c.run("one", nil); err != nil || !rep.Changed || !bytes.HasSuffix(c.log(), more) {
		c.wrong("the next run does not compress the longer log: %v", err)
	}
}

func links(c *trial) {
	real := c.path
	dir := filepath.Join(c.root, "home")
	far := filepath.Join(dir, "far")
	link, loop, nowhere := filepath.Join(dir, "link.jsonl"), filepath.Join(dir, "loop.jsonl"), filepath.Join(dir, "nowhere.jsonl")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(filepath.Dir(real), far), os.Symlink(filepath.Join("far", filepath.Base(real)), link),
		os.Symlink("loop.jsonl", loop), os.Symlink("gone.jsonl", nowhere)); err != nil {
		c.tb.Fatal(err)
	}
	c.path = link
	rep, err := c.run("one", nil)
	if err != nil || !rep.Changed {
		c.tb.Fatalf("through a link: %v", err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		c.wrong("the link is no link any more (%v)", err)
	}
	if fi, err := os.Lstat(real); err != nil || !fi.Mode().IsRegular() || bytes.Equal(fileOf(c.tb, real), c.sp.data) {
		c.wrong("the real file was not replaced (%v)", err)
	}
	if c.restored("one", c.sp.data); rep.Path != real {
		c.wrong("the report names %s, the file is %s", rep.Path, real)
	}
	for _, c.path = range []string{loop, nowhere} {
		if _, err := c.run("one", nil); err == nil || strings.HasPrefix(err.Error(), "panic") || strings.HasPrefix(err.Error(), "hang") {
			c.wrong("%s: error %v", filepath.Base(c.path), err)
		}
	}
	if c.names() != "far link.jsonl loop.jsonl nowhere.jsonl" {
		c.wrong("beside the links lie %s", c.names())
	}
}

func modes(c *trial) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o444 | 0o200} {
		c.write(c.path, c.sp.data)
		if err := os.Chmod(c.path, mode); err != nil {
			c.tb.Fatal(err)
		}
		during := fs.FileMode(0)
		if _, err := c.run("one", func(o *compress.Options) {
			o.Trace = func(step string) {
				if temps, err := filepath.Glob(filepath.Join(filepath.Dir(c.path), ".*.tmp")); step == "rename" && err == nil && len(temps) == 1 {
					if fi, err := os.Stat(temps[0]); err == nil {
						during = fi.Mode().Perm()
					}
				}
			}
		}); err != nil {
			c.tb.Fatal(err)
		}
		if got := c.info().Mode().Perm(); got != mode || during&^mode != 0 || during == 0 {
			c.wrong("mode %o, on the way %o, want %o", got, during, mode)
		}
		if err := os.Chmod(c.path, 0o600); err != nil {
			c.tb.Fatal(err)
		}
	}
	err := filepath.WalkDir(c.store("one"), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if want := fs.FileMode(0o600); err == nil && (fi.Mode().Perm()&^want != 0 && !e.IsDir() || fi.Mode().Perm()&0o077 != 0) {
			c.wrong("%s of the archive has the mode %o", path, fi.Mode().Perm())
		}
		return err
	})
	if err != nil {
		c.tb.Fatal(err)
	}
}

func timeStays(c *trial) {
	old := c.longAgo()
	if rep, err := c.run("one", nil); err != nil || !rep.Changed {
		c.tb.Fatal(err)
	}
	if got := c.info().ModTime(); !got.Equal(old) {
		c.wrong("the new log is of %s, the old one was of %s", got, old)
	}
	if c.restored("one", c.sp.data); !c.info().ModTime().Equal(old) {
		c.wrong("the restored log is of %s", c.info().ModTime())
	}
}

// archiveFirst looks into the archive right before the rename.
func archiveFirst(c *trial) {
	var steps []string
	held := false
	if _, err := c.run("one", func(o *compress.Options) {
		o.Trace = func(step string) {
			if steps = append(steps, step); step != "rename" {
				return
			}
			a, err := archive.Open(c.store("one"), false)
			if err != nil {
				c.wrong("right before the rename: %v", err)
				return
			}
			defer a.Close()
			past, err := a.Generations(context.Background(), archive.Query{Session: c.sp.truth.SessionID})
			if err != nil || len(past) != 1 || past[0].State != archive.StatePending {
				c.wrong("right before the rename the archive holds %+v (%v)", past, err)
				return
			}
			temps, err := filepath.Glob(filepath.Join(filepath.Dir(c.path), ".*.tmp"))
			if err != nil || len(temps) != 1 {
				c.wrong("staged files: %q (%v)", temps, err)
				return
			}
			staged := fileOf(c.tb, temps[0])
			var original bytes.Buffer
			err = a.Original(context.Background(), past[0].ID, 0, bytes.NewReader(staged), int64(len(staged)), &original)
			held = err == nil && bytes.Equal(original.Bytes(), c.sp.data)
		}
	}); err != nil {
		c.tb.Fatal(err)
	}
	if proved := slices.Index(steps, "prove restore"); !held || proved < 0 || proved > slices.Index(steps, "rename") {
		c.wrong("the original could not be had right before the rename; steps %q", steps)
	}
	c.restored("one", c.sp.data)
}

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
