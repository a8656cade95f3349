package properties_test

import (
	"bytes"
	b64 "encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sessc/compress"
	"sessc/lifecycle"
	"sessc/session"
	"sessc/writer"
)

// The right behaviours, in the order of the rows: here those on damaged bytes.
// Each is called after the run of its log was held to all promises; it adds
// what its row is about.

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

// wholeTail takes the last newline off a log: the line before it counts like any
// other.
func wholeTail(c *trial) {
	c.attack(bytes.TrimSuffix(c.sp.data, []byte("\n")))
	if bytes.HasSuffix(c.after, []byte("\n")) {
		c.wrong("the new log got a newline at its end")
	}
	if len(c.rep.Tasks) == 0 || c.rep.Lines.Damaged != 0 || c.rep.Lines.All != len(split(c.sp.data)) {
		c.wrong("%d lifecycles compacted, %+v", len(c.rep.Tasks), c.rep.Lines)
	}
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

// leftAlone: neither bytes nor time nor a neighbour.
func leftAlone(c *trial) {
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
