package properties_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sessc/scripts/gen/genlog"
)

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
