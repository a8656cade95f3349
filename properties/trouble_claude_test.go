package properties_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sessc/compress"
	"sessc/lifecycle"
	"sessc/scripts/gen/genlog"
	"sessc/session"
)

// The logs of fixtures/trouble/claudecode, and the right behaviours of the
// rows in Claude Code's format, in the order of the rows.

const claudeFolder = "claudecode/"

// claudePlots are logs of Claude Code, each with the generation of the client
// that wrote it.
var claudePlots = []struct {
	generation string
	plot
}{
	{"C", plot{"13-dangling-parents", "parents that were never written, of a prompt between two tasks and of two lines inside a third", func(b *book) {
		b.whole(barrels(), genlog.Done, "")
		b.talk()
		b.delegated(lamps())
		b.delegated(ropes())
		b.talk()
	}, loseParents}},
	{"C", plot{"14-uuid-twice", "a launch stands twice, with one uuid and different parents", func(b *book) {
		b.delegated(barrels())
		b.delegated(lamps())
		b.delegated(ropes())
		b.talk()
	}, launchTwice}},
	{"C", plot{"14-uuid-ring", "an answer stands again behind the prompt that follows it, with the same uuid: each of the two hangs on the other", func(b *book) {
		b.delegated(barrels())
		b.delegated(lamps())
		b.delegated(ropes())
		b.talk()
	}, answerAgain}},
	{"B", plot{"16-progress-forks", "progress lines hang forks on calls, in a chain of their own; the last lines of the log hang on an old call", func(b *book) {
		b.delegated(barrels())
		b.add(genlog.Human{Text: "Look at the yard."}, genlog.Agent{Calls: []genlog.Call{{Tool: "exec", Command: "ls yard", Output: "barrels.txt"}, {Tool: "exec", Command: "ls pier", Output: "ropes.csv"}}}, genlog.Agent{Text: "Two files."})
		b.delegated(lamps())
		b.delegated(ropes())
		b.talk()
	}, forkProgress}},
	{"C", plot{"36-streamed-copies", "messages of several lines whose usage grows from line to line, some without requestId", func(b *book) {
		ls := func(where, out string) genlog.Call {
			return genlog.Call{Tool: "exec", Command: "ls " + where, Output: out}
		}
		for _, c := range []*genlog.Child{barrels(), lamps(), ropes()} {
			b.add(genlog.Human{Text: "Please have this done: " + c.Label + "."},
				genlog.Agent{Text: "I look first, at the yard and at the pier, and then hand it over.", Calls: []genlog.Call{ls("yard", listing("barrel", 9)), ls("pier", listing("rope", 9))}},
				genlog.Spawn{Thinking: "It is one job.", Text: "I hand it over.", Children: []*genlog.Child{c}}, genlog.Agent{Text: "It runs."},
				ends(ending(c, genlog.Done, "")), genlog.Agent{Text: "That is the outcome of " + c.Label + "."})
		}
		b.talk()
		b.add(genlog.Human{Text: "And the quay?"}, genlog.Agent{Text: "I look there as well.", Calls: []genlog.Call{ls("quay", "lamps.txt"), ls("loft", "bag-3")}})
	}, streamUsage}},
}

// allPlots are those of all formats.
func allPlots() []plot {
	all := slices.Clone(plots)
	for _, p := range claudePlots {
		all = append(all, p.plot)
	}
	return all
}

// delegated is a task that was launched in the background and has ended.
func (b *book) delegated(c *genlog.Child) {
	b.add(genlog.Human{Text: "Please have this done: " + c.Label + "."}, genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Control{Action: "list", Child: c},
		genlog.Agent{Text: "It runs."}, ends(ending(c, genlog.Done, "")), genlog.Agent{Text: "That is the outcome of " + c.Label + "."})
}

// uuidOf is the uuid of a line of the generator.
func uuidOf(line string) string {
	var o struct{ UUID string }
	if json.Unmarshal([]byte(line), &o) != nil {
		return ""
	}
	return o.UUID
}

var parentKey = regexp.MustCompile(`^\{"parentUuid":(?:null|"[^"]*")`)

// below hangs a line below another one.
func below(line, parent string) string {
	return parentKey.ReplaceAllLiteralString(line, `{"parentUuid":"`+parent+`"`)
}

// parentOf is the parent of an entry.
func parentOf(log []byte, id string) string {
	var o struct{ ParentUUID string }
	for _, l := range split(log) {
		if uuidOf(string(l)) == id && json.Unmarshal(l, &o) == nil {
			return o.ParentUUID
		}
	}
	panic("no line has the uuid " + id)
}

func loseParents(log []byte, t *genlog.Truth) []byte {
	task := &t.Lifecycles[2]
	lost := map[string]string{task.CompletionEntries[0]: "10570000-0000-4000-a000-000000000001"}
	for n := range t.Humans {
		if strings.HasSuffix(t.Humans[n].Text, t.Lifecycles[1].Label+".") {
			lost[t.Humans[n].Entry] = "10570000-0000-4000-a000-000000000002"
		}
	}
	lost[parentOf(log, task.CompletionEntries[0])] = "10570000-0000-4000-a000-000000000003"
	return rewrite(log, func(_ int, line string) string {
		if to := lost[uuidOf(line)]; to != "" {
			return below(line, to)
		}
		return line
	})
}

// launchTwice puts the launch of the second task there once more before its
// own place, below the first prompt.
func launchTwice(log []byte, t *genlog.Truth) []byte {
	launch := t.Lifecycles[1].ReceiptEntry
	return rewrite(log, func(_ int, line string) string {
		if uuidOf(line) == launch {
			return below(line, t.Humans[0].Entry) + line
		}
		return line
	})
}

// answerAgain puts the answer to the second task behind the prompt below it,
// and hangs it there.
func answerAgain(log []byte, t *genlog.Truth) []byte {
	prompt := t.Humans[2].Entry
	answer := parentOf(log, prompt)
	for n := range 2 { // the walk up ends in the ring
		t.Lifecycles[n].OnActivePath, t.Lifecycles[n].InContext, t.Humans[n].OnActivePath = false, false, false
	}
	again := ""
	return rewrite(log, func(_ int, line string) string {
		switch uuidOf(line) {
		case answer:
			again = line
		case prompt:
			return line + below(again, prompt)
		}
		return line
	})
}

// forkProgress hangs three progress lines below the call of each task, each
// below the one before, and two more at the end of the log. No last-prompt
// line helps to choose between the branches.
func forkProgress(log []byte, t *genlog.Truth) []byte {
	lines := bytes.Count(log, []byte("\n"))
	made := 0
	progress := func(parent, like string, times int) string {
		var o struct{ Timestamp, SessionID string }
		if err := json.Unmarshal([]byte(like), &o); err != nil {
			panic(err)
		}
		out := ""
		for range times {
			made++
			id := fmt.Sprintf("f0120000-0000-4000-a000-%012d", made)
			out += fmt.Sprintf(`{"parentUuid":%q,"isSidechain":false,"userType":"external","cwd":"/home/dev/harbour","sessionId":%q,"version":"2.1.39","gitBranch":"main","type":"progress",`+
				`"data":{"message":{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Row %d is looked at."}]}},"type":"agent_progress","prompt":"","agentId":"5ae52dc"},`+
				`"toolUseID":"agent_msg_%d","parentToolUseID":"toolu_old","uuid":%q,"timestamp":%q}`+"\n", parent, o.SessionID, made, made, id, o.Timestamp)
			parent = id
		}
		return out
	}
	return rewrite(log, func(n int, line string) string {
		id := uuidOf(line)
		if objectOf([]byte(line)).str("type") == "last-prompt" {
			line = ""
		}
		for i := range t.Lifecycles {
			if id == t.Lifecycles[i].SpawnEntry {
				line += progress(id, line, 3)
			}
		}
		if n == lines-1 {
			line += progress(t.Lifecycles[0].SpawnEntry, string(split(log)[lineWithUUID(log, t.Leaf)]), 2)
		}
		return line
	})
}

// lineWithUUID finds the line of an entry.
func lineWithUUID(log []byte, id string) int {
	return slices.IndexFunc(split(log), func(l []byte) bool { return uuidOf(string(l)) == id })
}

var (
	messageKey = regexp.MustCompile(`"message":\{"id":"(msg_[^"]*)"`)
	outputKey  = regexp.MustCompile(`"output_tokens":(\d+),"service_tier"`)
	requestKey = regexp.MustCompile(`"requestId":"[^"]*",`)
)

// messageOf is the id of the model message that a line is of.
func messageOf(line string) string {
	if m := messageKey.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// streamUsage lets the first line of each message tell one token of output,
// and the ones between half of them. Every second message has no requestId.
func streamUsage(log []byte, _ *genlog.Truth) []byte {
	left := map[string]int{}
	order := []string{}
	for _, l := range split(log) {
		id := messageOf(string(l))
		if left[id]++; left[id] == 1 {
			order = append(order, id)
		}
	}
	first := map[string]bool{}
	return rewrite(log, func(_ int, line string) string {
		id := messageOf(line)
		if id == "" {
			return line
		}
		if slices.Index(order, id)%2 == 0 {
			line = requestKey.ReplaceAllString(line, "")
		}
		if left[id]--; left[id] == 0 {
			return line
		}
		told := "1"
		if first[id] {
			n := 0
			fmt.Sscan(outputKey.FindStringSubmatch(line)[1], &n)
			told = fmt.Sprint(n / 2)
		}
		first[id] = true
		return outputKey.ReplaceAllString(line, `"output_tokens":`+told+`,"service_tier"`)
	})
}

// inPlace: no line came or went or hangs elsewhere, and what is sent is sent
// in the same order.
func (c *trial) inPlace() {
	c.tb.Helper()
	if len(c.now.lines) != len(c.was.lines) {
		c.wrong("%d lines, before %d", len(c.now.lines), len(c.was.lines))
		return
	}
	for n := range c.was.lines {
		if was, now := &c.was.lines[n], &c.now.lines[n]; was.id != now.id || was.parent != now.parent {
			c.wrong("line %d is %s below %q, was %s below %q", n+1, now.id, now.parent, was.id, was.parent)
		}
	}
	if was, now := c.sent(c.before), c.sent(c.after); !slices.Equal(was, now) {
		c.wrong("sent are the lines %d, before %d", now, was)
	}
}

// sent are the numbers of the lines that are sent.
func (c *trial) sent(log []byte) (lines []int) {
	s := c.open(log)
	for _, i := range s.Active {
		lines = append(lines, s.LineOf(i))
	}
	return lines
}

// sends: lines are sent, or are not.
func (c *trial) sends(yes bool, ids ...string) {
	c.tb.Helper()
	lines := c.sent(c.before)
	for _, id := range ids {
		if n := c.line(id) + 1; slices.Contains(lines, n) != yes {
			c.wrong("line %d is sent: %v, want %v", n, !yes, yes)
		}
	}
}

func breakBetween(c *trial) {
	c.stillDangling(1)
	// The client goes on with the line before in time, so both tasks are sent.
	c.sends(true, c.life(0).SpawnEntry, c.sp.truth.Humans[0].Entry)
	c.compacted(2, 2)
}

// stillDangling: the parents that no line has are the same as before.
func (c *trial) stillDangling(want int) {
	c.tb.Helper()
	if was, now := dangling(c.was), dangling(c.now); len(was) != want || !slices.Equal(was, now) {
		c.wrong("dangling parents %q, before %q, want %d", now, was, want)
	}
	c.inPlace()
}

// breaksInside: a mask stands inside its own line, and hangs nothing anew, so a
// break inside a task keeps neither the client nor us from going on.
func breaksInside(c *trial) {
	c.stillDangling(3)
	inside := c.life(2)
	c.sends(true, c.life(0).SpawnEntry, inside.SpawnEntry, inside.ReceiptEntry, inside.CompletionEntries[0])
	if !slices.Contains(dangling(c.was), c.was.lines[c.line(inside.CompletionEntries[0])].parent) {
		c.wrong("no break inside a task: the log shows nothing")
	}
	c.compacted(3, 3)
}

func uuidTwice(c *trial) {
	c.left(c.life(1), string(lifecycle.AmbiguousIDs))
	c.task(c.life(0))
	c.task(c.life(2))
	c.compacted(3, 2)
	c.inPlace()
	for n := range c.was.lines {
		if r := &c.was.lines[n]; r.id == c.life(1).ReceiptEntry && !bytes.Equal(c.now.lines[n].raw, r.raw) {
			c.wrong("a line of two with one uuid changed: %s", short(c.now.lines[n].raw))
		}
	}
}

func uuidRing(c *trial) {
	if !bytes.Equal(c.after, c.before) {
		c.wrong("a log with a ring was changed")
	}
	c.compacted(3, 0)
	c.left(c.life(0), string(lifecycle.OffPath))
	c.left(c.life(1), string(lifecycle.OffPath))
	c.left(c.life(2), string(lifecycle.AmbiguousIDs))
	// What comes after the ring is still sent.
	c.sends(false, c.life(1).SpawnEntry)
	c.sends(true, c.sp.truth.Humans[2].Entry, c.life(2).SpawnEntry, c.sp.truth.Leaf)
}

func parentRing(c *trial) {
	if !bytes.Equal(c.after, c.before) {
		c.wrong("a log with a ring was changed")
	}
	c.compacted(2, 0)
	for n := range 2 {
		c.left(c.life(n), string(lifecycle.AmbiguousIDs))
	}
}

// snapshotsName lets the snapshots of a log, which name prompts, name the
// lines of finished tasks instead: that changes nothing else.
func snapshotsName(c *trial) {
	named := func(log []byte) (ids []string) {
		for _, l := range split(log) {
			if o := objectOf(l); o.str("type") == "file-history-snapshot" {
				ids = append(ids, o.str("messageId"))
			}
		}
		return ids
	}
	masked := func() string {
		var all []string
		for _, task := range c.rep.Tasks {
			all = append(all, fmt.Sprint(task.Line, task.Entries, task.Mask))
		}
		return strings.Join(all, "\n")
	}
	check := func() {
		c.tb.Helper()
		s := c.open(c.before)
		ids := named(c.before)
		for _, id := range ids {
			same := s.Lookup(id)
			if len(same) != 1 || s.Entries[same[0]].Is(session.Unsure) || s.LineOf(same[0]) != c.line(id)+1 {
				c.wrong("%s, which a snapshot names, is that of the entries %d, want that of line %d alone", id, same, c.line(id)+1)
			}
		}
		if len(ids) < 4 || !slices.Equal(ids, named(c.after)) {
			c.wrong("snapshots name %q, before %q", named(c.after), ids)
		}
		for n := range c.was.lines {
			if r := &c.was.lines[n]; bytes.Contains(r.raw, []byte(`"type":"file-history-snapshot"`)) && !bytes.Equal(r.raw, c.now.lines[n].raw) {
				c.wrong("the snapshot of line %d changed", n+1)
			}
		}
		c.inPlace()
	}
	check()
	c.compacted(3, 2)
	want := masked()
	targets := []string{c.life(0).SpawnEntry, c.life(0).ReceiptEntry, c.life(1).SpawnEntry, c.life(1).ReceiptEntry}
	made := 0
	c.attack(rewrite(c.sp.data, func(_ int, line string) string {
		if o := objectOf([]byte(line)); o.str("type") == "file-history-snapshot" {
			line = strings.ReplaceAll(line, o.str("messageId"), targets[made%len(targets)])
			made++
		}
		return line
	}))
	check()
	if got := masked(); got != want {
		c.wrong("snapshots that name lines of tasks change what is compacted:\n%s\nwant\n%s", got, want)
	}
}

func progressForks(c *trial) {
	forks, last := 0, ""
	children := map[string]map[bool]int{} // by whether they are progress
	for n := range c.was.lines {
		r := &c.was.lines[n]
		isProgress := objectOf(r.raw).str("type") == "progress"
		if children[r.parent] == nil {
			children[r.parent] = map[bool]int{}
		}
		children[r.parent][isProgress]++
		if isProgress {
			last = r.id
			c.stay(r.id)
			if c.touched[n] {
				c.wrong("the progress of line %d counts as part of a task", n+1)
			}
			c.sends(false, r.id)
		}
	}
	for _, of := range children {
		if of[true] > 0 && of[false] > 0 {
			forks++
		}
	}
	if forks < 3 || c.line(last) != len(c.was.lines)-1 {
		c.wrong("%d calls with a fork of progress, the last one in line %d: the log shows nothing", forks, c.line(last)+1)
	}
	c.inPlace()
	c.compacted(3, 3)
	for n := range 3 {
		c.sends(true, c.life(n).SpawnEntry, c.life(n).ReceiptEntry)
	}
	if c.now.leaf != c.sp.truth.Leaf || !c.now.clean {
		c.wrong("the active branch ends in %s, want %s", c.now.leaf, c.sp.truth.Leaf)
	}
	c.sends(true, c.sp.truth.Leaf)
}

// splitMessages: the lines of one message stay together, and its reasoning is
// what it was.
func splitMessages(c *trial) {
	c.inPlace()
	signed, beside := c.reasoningStays()
	if signed < 4 || beside == 0 {
		c.wrong("%d lines of reasoning, %d of them in the message of a task: the log shows nothing", signed, beside)
	}
	c.compacted(3, 3)
	// Nothing is cut inside the last message of the assistant.
	whole, tasks := split(c.sp.data), c.sp.truth.Lifecycles
	end := lineWithUUID(c.sp.data, tasks[2].ReceiptEntry) + 1
	c.attack(bytes.Join(whole[:end], nil))
	for n := range c.was.lines {
		if was, now := c.was.lines[n].raw, c.now.lines[n].raw; messageOf(string(was)) == messageOf(string(whole[lineWithUUID(c.before, tasks[2].SpawnEntry)])) && !bytes.Equal(was, now) && !c.relinked(was, now) {
			c.wrong("line %d of the last message of the assistant changed: %s", n+1, short(now))
		}
	}
	for n := range c.rep.Left {
		if out := &c.rep.Left[n]; out.Reason != string(lifecycle.NotConsumed) {
			c.wrong("line %d is left alone: %s", out.Line, out.Reason)
		}
	}
	c.compacted(3, 1)
	c.task(&tasks[0])
	// Once it is answered, its reasoning stays in the turn at hand.
	c.attack(bytes.Join(whole[:end+1], nil))
	c.reasoningStays()
	c.task(&tasks[1])
	c.task(&tasks[2])
}

// reasoningStays counts the lines with reasoning, and those of them whose
// message lost something to a mask.
func (c *trial) reasoningStays() (signed, beside int) {
	c.tb.Helper()
	masked := map[string]bool{}
	for n := range c.was.lines {
		if c.touched[n] {
			masked[messageOf(string(c.was.lines[n].raw))] = true
		}
	}
	for n := range c.was.lines {
		was, now := &c.was.lines[n], &c.now.lines[n]
		id := messageOf(string(was.raw))
		if id == "" {
			continue
		}
		if messageOf(string(now.raw)) != id || len(now.calls) != len(was.calls) || len(now.texts) != len(was.texts) || len(now.thoughts) != len(was.thoughts) {
			c.wrong("line %d of message %s is another: %s", n+1, id, short(now.raw))
		}
		if len(was.thoughts) == 0 {
			continue
		}
		if signed++; masked[id] {
			beside++
		}
		if !bytes.Contains(was.raw, []byte(`"signature":"`)) || !bytes.Equal(was.raw, now.raw) && !c.relinked(was.raw, now.raw) || c.touched[n] {
			c.wrong("the signed reasoning of line %d changed: %s", n+1, short(now.raw))
		}
	}
	for _, n := range c.masks() {
		for _, text := range c.tg.masks(&c.now.lines[n]) {
			if strings.Contains(text, "signature") {
				c.wrong("a mask holds a signature: %s", text)
			}
		}
	}
	return signed, beside
}

func subagentFolder(c *trial) {
	childLogsBeside(c)
	own := 0
	for n := range c.sp.truth.Lifecycles {
		l := c.life(n)
		if l.Log != "" {
			continue
		}
		if own++; c.isLeft(l) {
			c.untouched(l)
			continue
		}
		// Every line that told which agent it is still does: its log is found by that.
		told := 0
		for _, id := range append([]string{l.ReceiptEntry}, l.CompletionEntries...) {
			n := c.line(id)
			if was, now := strings.Join(c.was.lines[n].texts, "\n"), strings.Join(c.now.lines[n].texts, "\n"); strings.Contains(was, l.ChildKey) {
				if told++; !strings.Contains(now, "agentId: "+l.ChildKey) && !strings.Contains(now, "<task-id>"+l.ChildKey+"</task-id>") {
					c.wrong("line %d does not tell any more that %s is the agent %s:\n%s", n+1, l.Label, l.ChildKey, now)
				}
			}
		}
		if told == 0 || !hasLog(c.sp.files, l.ChildKey) {
			c.wrong("%s is told %d times to be %s, which has a log: %v; the log shows nothing", l.Label, told, l.ChildKey, hasLog(c.sp.files, l.ChildKey))
		}
	}
	if c.compacted(own, len(c.rep.Tasks)); len(c.rep.Tasks) < 3 {
		c.wrong("%d lifecycles compacted: the log shows nothing", len(c.rep.Tasks))
	}
	// Such a log is no session, also when it is named.
	dir := filepath.Dir(c.path)
	for name, b := range c.sp.files {
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		c.path = filepath.Join(dir, genlog.BesideName(name, c.sp.name))
		beside := c.names()
		if _, err := c.run("one", nil); !errors.Is(err, session.ErrNotSession) {
			c.wrong("%s: error %v, want %v", name, err, session.ErrNotSession)
		}
		if !bytes.Equal(c.log(), b) || c.names() != beside {
			c.wrong("%s was touched", name)
		}
	}
}

// hasLog: beside the log lies that of an agent.
func hasLog(files map[string][]byte, agent string) bool {
	for name := range files {
		if strings.HasSuffix(name, "agent-"+agent+".jsonl") {
			return true
		}
	}
	return false
}

var (
	resultPart = regexp.MustCompile(`<result>(?:[^<]|<[^/]|</[^r])*</result>`)
	ourMark    = regexp.MustCompile(`,"sessc":\{[^{}]*\}`)
)

// noticeFrames: of a notification only what the agent said is masked, and the
// launch that it ends is on record as before.
func noticeFrames(c *trial) {
	c.inPlace()
	frame := func(raw []byte) string {
		return ourMark.ReplaceAllString(resultPart.ReplaceAllString(string(raw), "<result></result>"), "")
	}
	launches, notices, copies := 0, 0, 0
	for n := range c.was.lines {
		was, now := c.was.lines[n].raw, c.now.lines[n].raw
		switch o, p := objectOf(was), objectOf(now); {
		case o.str("type") == "queue-operation":
			if !bytes.Equal(was, now) {
				c.wrong("the queue's copy in line %d changed", n+1)
			}
		case bytes.Contains(was, []byte("<task-notification>")) && c.touched[n]:
			notices++
			copies += len(resultPart.FindAll(was, -1))
			if frame(was) != frame(now) {
				c.wrong("the frame of line %d was\n%s\nand is\n%s", n+1, frame(was), frame(now))
			}
			for _, words := range resultPart.FindAll(was, -1) {
				if bytes.Contains(now, words) {
					c.wrong("a copy of the report stayed in line %d", n+1)
				}
			}
		case o.obj("toolUseResult").str("status") == "async_launched":
			launches++
			if !bytes.Equal(o["toolUseResult"], p["toolUseResult"]) || !bytes.Contains(now, []byte("Async agent launched successfully.")) {
				c.wrong("the launch of line %d is on record as %s", n+1, p["toolUseResult"])
			}
		}
	}
	if launches < 2 || notices < 2 || copies < notices || len(c.rep.Tasks) == 0 {
		c.wrong("%d launches, %d notifications with %d reports: the log shows nothing", launches, notices, copies)
	}
	for n := range c.sp.truth.Lifecycles {
		l := c.life(n)
		for _, id := range l.CompletionEntries {
			if text := strings.Join(c.now.lines[c.line(id)].texts, "\n"); !strings.Contains(text, "<task-id>"+l.ChildKey+"</task-id>") || !regexp.MustCompile(`<status>(completed|failed)</status>`).MatchString(text) {
				c.wrong("the end of %s reads\n%s", l.Label, text)
			}
		}
	}
}

// streamedCopies compares with the same log whose lines all have the figures
// of the last one of their message.
func streamedCopies(c *trial) {
	var usage struct {
		Message struct {
			Usage map[string]any
		}
	}
	figures := func(raw []byte) (in, out int) {
		usage.Message.Usage = nil
		unmarshal(c.tb, raw, &usage)
		for key, v := range usage.Message.Usage {
			n, ok := v.(float64)
			switch {
			case ok && key == "output_tokens":
				out = int(n)
			case ok && strings.HasSuffix(key, "input_tokens"):
				in += int(n)
			}
		}
		return in, out
	}
	last := map[string]string{} // what the last line of a message tells
	lines, grown, final := map[string]int{}, 0, ""
	for n := range c.was.lines {
		raw := c.was.lines[n].raw
		if id := messageOf(string(raw)); id != "" {
			told := outputKey.FindString(string(raw))
			if lines[id]++; lines[id] > 1 && told != last[id] {
				grown++
			}
			last[id], final = told, id
		}
	}
	if grown < 8 || lines[final] < 3 {
		c.wrong("usage grows %d times, the last message has %d lines: the log shows nothing", grown, lines[final])
	}
	settled := *c.sp
	settled.data = rewrite(c.before, func(_ int, line string) string {
		if id := messageOf(line); id != "" {
			return outputKey.ReplaceAllLiteralString(line, last[id])
		}
		return line
	})
	d := newDesk(c.tb, c.tg, &settled, c.set)
	rep, err := d.run("one", nil)
	if err != nil {
		c.tb.Fatal(err)
	}
	same := func(rep *compress.Report) string {
		r := *rep
		// Other layers would have other masks, whose refs cost more or less.
		other := func(l compress.Layer) bool { return !l.Asked }
		r.Path, r.File, r.Tasks, r.Layers = "", compress.Change{}, nil, slices.DeleteFunc(slices.Clone(rep.Layers), other)
		for _, task := range rep.Tasks {
			task.Ref, task.Mask = "", ""
			r.Tasks = append(r.Tasks, task)
		}
		return jsonOf(c.tb, &r)
	}
	if a, b := same(c.rep), same(rep); a != b {
		c.wrong("with growing copies the report is\n%s\nwith settled ones\n%s", a, b)
	}
	c.compacted(3, 3)
	if c.rep.Counting.Pairs == 0 {
		c.wrong("the figures are used for nothing: the log shows nothing")
	}
	// The context that the log records is that of the last line; it is lowered
	// on all lines of the message by the same amount, its output on none.
	less := map[int]bool{}
	for n := range c.was.lines {
		if messageOf(string(c.was.lines[n].raw)) != final {
			continue
		}
		in, out := figures(c.was.lines[n].raw)
		after, said := figures(c.now.lines[n].raw)
		if less[in-after] = true; said != out || after >= in {
			c.wrong("line %d records %d in and %d out, before %d and %d", n+1, after, said, in, out)
		}
		if n == c.lastOf(final) && c.rep.Recorded != in+out {
			c.wrong("recorded are %d tokens, want those of the last copy, %d", c.rep.Recorded, in+out)
		}
	}
	if len(less) != 1 {
		c.wrong("the copies of one message were lowered by %v", less)
	}
}

// lastOf is the last line of a model message.
func (c *trial) lastOf(message string) int {
	at := -1
	for n := range c.was.lines {
		if messageOf(string(c.was.lines[n].raw)) == message {
			at = n
		}
	}
	return at
}

// backgroundFork: a fork in the background keeps the uuids of its origin and
// has a session of its own. Each of the two is compressed by itself, and
// neither loses what only the other one has then.
func backgroundFork(c *trial) {
	const own = "7e570000-0000-4000-8000-00000000f0f0"
	forked := bytes.ReplaceAll(c.sp.data, []byte(`"sessionId":"`+c.sp.truth.SessionID+`"`), []byte(`"sessionId":"`+own+`","sessionKind":"bg"`))
	forked = append(forked, c.tg.later+"\n"...)
	one, two := c.path, filepath.Join(filepath.Dir(c.path), own+".jsonl")
	was := map[string][]byte{one: c.sp.data, two: forked}
	c.write(two, forked)
	after := map[string]seen{}
	for _, c.path = range []string{one, two} {
		rep, err := c.run("one", nil)
		if err != nil || len(rep.Tasks) != len(c.sp.truth.Lifecycles) {
			c.tb.Fatalf("%s: %v", c.path, err)
		}
		if (rep.Session == own) != (c.path == two) {
			c.wrong("%s is session %s", filepath.Base(c.path), rep.Session)
		}
		after[c.path] = c.tg.read(c.log())
	}
	if !bytes.Equal(fileOf(c.tb, one), joined(after[one])) {
		c.wrong("compressing the fork changed its origin")
	}
	marked := 0
	for n := range after[one].lines {
		a, b := &after[one].lines[n], &after[two].lines[n]
		if a.id != b.id || a.parent != b.parent || a.marked != b.marked {
			c.wrong("line %d is %s in the origin and %s in the fork", n+1, a.id, b.id)
		}
		if a.marked {
			marked++
		}
	}
	if marked == 0 {
		c.wrong("nothing was masked: the log shows nothing")
	}
	for path, s := range after {
		before := c.tg.read(was[path])
		if len(s.lines) != len(before.lines) {
			c.wrong("%s has %d lines, before %d", filepath.Base(path), len(s.lines), len(before.lines))
		}
		for n := range s.lines {
			if s.lines[n].id != before.lines[n].id {
				c.wrong("line %d of %s lost its uuid", n+1, filepath.Base(path))
			}
		}
	}
	for _, c.path = range []string{two, one} {
		c.restored("one", was[c.path])
	}
}

// TestUnfit: a task whose call cannot be shortened is left alone, and only that.
func TestUnfit(t *testing.T) {
	tg := (&trouble{in: claudeCode}).target(t)
	all := fixturesOf(t, tg)
	sp := all[slices.IndexFunc(all, func(sp specimen) bool { return sp.name == "demo" })]
	sp.ownSession()
	first := &sp.truth.Lifecycles[0]
	input := regexp.MustCompile(`"input":\{[^{}]*\}`)
	sp.data = rewrite(sp.data, func(_ int, line string) string {
		if uuidOf(line) == first.SpawnEntry {
			return input.ReplaceAllString(line, `"input":["no object"]`)
		}
		return line
	})
	truth := sp.truth
	sp.truth = nil
	c := &trial{desk: newDesk(t, tg, &sp, keepNone)}
	c.outcome = c.examine(quick)
	c.left(first, string(lifecycle.NoShape))
	c.task(&truth.Lifecycles[1])
	c.task(&truth.Lifecycles[2])
	c.compacted(3, 2)
}

// joined are the bytes of a log that was read.
func joined(s seen) (all []byte) {
	for n := range s.lines {
		all = append(all, s.lines[n].raw...)
	}
	return all
}
