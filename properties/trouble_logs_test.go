package properties_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sessc/scripts/gen/genlog"
)

var update = flag.Bool("update", false, "write fixtures/trouble anew")

const troubleDir = "../fixtures/trouble"

// plot is the making of one log of fixtures/trouble. Its name begins with the
// row of the list that it shows.
type plot struct {
	name   string
	oddity string
	tell   func(b *book)
	damage func(log []byte, t *genlog.Truth) []byte
}

// book collects the steps of a plot.
type book struct {
	steps []genlog.Step
	cwd   string
}

func (b *book) add(steps ...genlog.Step) { b.steps = append(b.steps, steps...) }

// listing is text without meaning, a line per item, so that a task is long
// enough to be worth a mask.
func listing(of string, lines int) string {
	var s strings.Builder
	for n := range lines {
		fmt.Fprintf(&s, "The %s number %d stood where the plan has it, with its lid on and its paint whole.\n", of, n+1)
	}
	return s.String()
}

// chore is a child with a task and a report that are long enough.
func chore(label, task, report string) *genlog.Child {
	return &genlog.Child{Label: label, Task: task + "\n\n" + listing("barrel", 6), Report: report + "\n\n" + listing("barrel", 24)}
}

func ending(c *genlog.Child, how genlog.State, why string) genlog.Ending {
	return genlog.Ending{Child: c, Outcome: how, Error: why, Runtime: 4 * time.Minute, In: 12_000, Out: 1_900}
}

func ends(of ...genlog.Ending) genlog.Completion {
	return genlog.Completion{Envelope: genlog.Envelope{Stamp: "UTC"}, Endings: of}
}

// whole is a delegated task from the wish to the answer.
func (b *book) whole(c *genlog.Child, how genlog.State, why string) {
	b.add(genlog.Human{Text: "Please have this done: " + c.Label + "."}, genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Agent{Text: "It runs."},
		ends(ending(c, how, why)), genlog.Agent{Text: "That is the outcome of " + c.Label + "."})
}

// talk is a conversation without tasks, longer than what is kept at the end.
func (b *book) talk() {
	for n := range 3 {
		b.add(genlog.Human{Text: fmt.Sprintf("And what about gate %d?", n+1)}, genlog.Agent{Text: fmt.Sprintf("Gate %d is shut.", n+1)})
	}
}

func barrels() *genlog.Child {
	return chore("count the barrels", "Count the barrels in the yard and write yard/barrels.txt.", "Counted 24 barrels and wrote yard/barrels.txt. barrel_total=24")
}

func lamps() *genlog.Child {
	return chore("oil the lamps", "Oil the lamps along the quay.", "Oiled 11 lamps along the quay; lamp_oil=3l is left in shed/oil.md.")
}

func ropes() *genlog.Child {
	return chore("coil the ropes", "Coil the ropes on the pier.", "Coiled 7 ropes on the pier and noted them in pier/ropes.csv. rope_count=7")
}

var plots = []plot{
	{"04-spliced-records", "halves of two records spliced on one line, and a fragment line behind it; a whole task before, across and after", func(b *book) {
		b.whole(barrels(), genlog.Done, "")
		b.whole(lamps(), genlog.Done, "")
		b.whole(ropes(), genlog.Done, "")
		b.talk()
	}, splice},
	{"05-lone-surrogate", "half a surrogate pair as an escape in a label, a task, a report, an error and a person's words", func(b *book) {
		c := chore("count @@lone@@ cups", "Count the cups @@lone@@ of the galley.", "Counted all 31 cups @@lone@@ and wrote galley/cups.txt. cups=31@@lone@@")
		c.Report += "\nNever stack more than 4 cups @@lone@@ on the upper shelf."
		b.add(genlog.Human{Text: "Have the cups counted @@lone@@ please."}, genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Agent{Calls: []genlog.Call{
			{Tool: "exec", Command: "wc -l galley/cups@@lone@@.txt", Output: "error: no such file @@lone@@ galley/cups.txt", Exit: 1}}},
			genlog.Agent{Text: "It runs."}, ends(ending(c, genlog.Done, "")), genlog.Agent{Text: "31 cups."})
		b.whole(lamps(), genlog.Failed, "the ladder broke @@lone@@ twice")
		b.talk()
	}, loneSurrogates},
	{"12-assistant-last", "the log ends in the assistant's answer to a completion, then a line that is not sent", func(b *book) {
		b.whole(barrels(), genlog.Done, "")
		b.talk()
		b.whole(lamps(), genlog.Done, "")
		b.add(genlog.Meta{Kind: "custom"})
	}, nil},
	{"17-compaction-siblings", "the agent's compaction was tried three times: three entries below one, two of them dead ends; what they keep begins at a prompt, at a text within a finished task and at its spawn", func(b *book) {
		b.talk()
		b.whole(lamps(), genlog.Done, "")
		b.add(genlog.Human{Text: "Please count the barrels as well."}, genlog.Mark{Name: "prompt"})
		c := barrels()
		// The receipt's own entry is marked; damage moves the mark to the spawn.
		b.add(genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Mark{Name: "receipt"}, genlog.Agent{Text: "It runs."}, genlog.Mark{Name: "said"}, ends(ending(c, genlog.Done, "")), genlog.Agent{Text: "24 barrels."})
		b.talk()
		b.add(genlog.Mark{Name: "fork"},
			genlog.Compact{KeepFrom: "prompt", Summary: "Lamps oiled, barrels being counted. This summary was cut off and"},
			genlog.Rewind{To: "fork"},
			genlog.Compact{KeepFrom: "said", Summary: "Lamps oiled. This one was cut off too and"},
			genlog.Rewind{To: "fork"},
			genlog.Compact{KeepFrom: "receipt", Summary: "## Done\n- the lamps are oiled\n"})
		b.whole(ropes(), genlog.Done, "")
		b.talk()
	}, keepFromSpawn},
	{"18-result-on-sibling", "the person went back to a spawning call: its result and completion stand on the abandoned branch only", func(b *book) {
		b.talk()
		b.add(genlog.Human{Text: "Count the barrels, please."}, genlog.Mark{Name: "before"})
		c := barrels()
		c.Expect, c.Or = genlog.Unknown, []genlog.State{genlog.Done}
		b.add(genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Agent{Text: "It runs."}, ends(ending(c, genlog.Done, "")), genlog.Agent{Text: "24 barrels."},
			genlog.Rewind{To: "before"}, genlog.Human{Text: "No, leave the barrels and oil the lamps."})
		d := lamps()
		b.add(genlog.Spawn{Children: []*genlog.Child{d}}, genlog.Agent{Text: "It runs."}, ends(ending(d, genlog.Done, "")), genlog.Agent{Text: "The lamps are oiled."})
		b.talk()
	}, hangBelowSpawn},
	{"19-call-ids", "two calls of one message with one id, a call and its result with the id \"\", two spawns with one id, a spawn with the id \"\"", func(b *book) {
		one := barrels()
		b.add(genlog.Human{Text: "Count the barrels, then look at the yard."}, genlog.Spawn{Children: []*genlog.Child{one}},
			genlog.Agent{Calls: []genlog.Call{{Tool: "exec", Command: "ls yard", Output: "barrels.txt"}, {Tool: "exec", Command: "ls pier", Output: "ropes.csv"}}},
			genlog.Agent{Calls: []genlog.Call{{Tool: "exec", Command: "cat yard/barrels.txt", Output: "24"}}},
			genlog.Agent{Text: "It runs."}, ends(ending(one, genlog.Done, "")), genlog.Agent{Text: "24 barrels."})
		b.whole(lamps(), genlog.Done, "")
		b.whole(ropes(), genlog.Done, "")
		b.whole(chore("paint the gate", "Paint the gate green.", "Painted the gate with 2 coats; gate/paint.log has the times."), genlog.Done, "")
		b.talk()
	}, sameCallIDs},
	{"20-aborted-call", "a spawn in a message that was aborted and a call in one that ended in an error, both without result", func(b *book) {
		c := barrels()
		c.Receipt = genlog.Missing
		b.add(genlog.Human{Text: "Count the barrels."}, genlog.Spawn{Text: "I hand it over.", Children: []*genlog.Child{c}},
			genlog.Human{Text: "Stop, the lamps first."}, genlog.Agent{Text: "Stopped."})
		b.whole(lamps(), genlog.Done, "")
		b.add(genlog.Human{Text: "Look at the pier."}, genlog.Agent{Text: "I look.", Stop: "error", Calls: []genlog.Call{{Tool: "exec", Command: "ls pier", NoResult: true}}},
			genlog.Human{Text: "Never mind."}, genlog.Agent{Text: "Fine."})
		b.talk()
	}, abortSpawn},
	{"21-orphan-result", "a result whose call is gone, once between two tasks and once inside a finished one", func(b *book) {
		b.whole(lamps(), genlog.Done, "")
		b.add(genlog.Human{Text: "Look at the pier."}, genlog.Agent{Text: "orphan one", Calls: []genlog.Call{{Tool: "exec", Command: "ls pier", Output: "ropes.csv first"}}}, genlog.Agent{Text: "One file."})
		c := barrels()
		b.add(genlog.Human{Text: "Count the barrels."}, genlog.Spawn{Children: []*genlog.Child{c}},
			genlog.Agent{Text: "orphan two", Calls: []genlog.Call{{Tool: "exec", Command: "ls yard", Output: "barrels.txt second"}}},
			genlog.Agent{Text: "It runs."}, ends(ending(c, genlog.Done, "")), genlog.Agent{Text: "24 barrels."})
		b.whole(ropes(), genlog.Done, "")
		b.talk()
	}, dropCalls},
	{"26-progress-no-end", "a child tells twice how far it is and never ends", func(b *book) {
		b.whole(lamps(), genlog.Done, "")
		c := barrels()
		b.add(genlog.Human{Text: "Count the barrels."}, genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Agent{Text: "It runs."},
			genlog.Progress{Child: c, Text: "12 of 24 barrels are counted."}, genlog.Agent{Text: "Half of them."},
			genlog.Progress{Child: c, Text: "The task is completed successfully but for the last row."}, genlog.Agent{Text: "Nearly."})
		b.talk()
	}, nil},
	{"28-timeout-then-done", "a run that is first reported as timed out and later as done", func(b *book) {
		c := lamps()
		b.add(genlog.Human{Text: "Oil the lamps."}, genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Agent{Text: "It runs."},
			ends(ending(c, genlog.TimedOut, "")), genlog.Agent{Text: "It timed out, I wait."}, ends(ending(c, genlog.Done, "")), genlog.Agent{Text: "The lamps are oiled."})
		b.talk()
	}, nil},
	{"29-half-done-success", "completions that claim success: one whose report says 51 %, one whose child writes again afterwards", func(b *book) {
		half := chore("move the crates", "Move 100 crates to the upper store.", "Moved 51 of 100 crates to store/upper, which is 51 %. The lift stopped with error code E17 at crate 52.")
		b.whole(half, genlog.Done, "")
		c := barrels()
		b.add(genlog.Human{Text: "Count the barrels."}, genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Agent{Text: "It runs."}, ends(ending(c, genlog.Done, "")),
			genlog.Agent{Text: "24 barrels."}, genlog.Progress{Child: c, Text: "Two more barrels stood behind the shed, I count on."}, genlog.Agent{Text: "It goes on."})
		b.talk()
	}, nil},
	{"31-refused-then-again", "a spawn that is refused, later one with the same label that runs, then one more that fails to start", func(b *book) {
		no := lamps()
		no.Task += listing("lamp", 12)
		no.Receipt, no.Refusal = genlog.Forbidden, "agentId reviewer is not allowed here"
		b.add(genlog.Human{Text: "Oil the lamps."}, genlog.Spawn{Children: []*genlog.Child{no}}, genlog.Agent{Text: "It was refused."}, genlog.Human{Text: "Then without the reviewer."})
		yes := lamps()
		b.add(genlog.Spawn{Children: []*genlog.Child{yes}}, genlog.Agent{Text: "It runs."}, ends(ending(yes, genlog.Done, "")), genlog.Agent{Text: "The lamps are oiled."})
		late := lamps()
		late.Receipt, late.Refusal = genlog.Errored, "gateway closed while the session was being made"
		b.add(genlog.Human{Text: "Once more for the north side."}, genlog.Spawn{Children: []*genlog.Child{late}}, genlog.Agent{Text: "It did not start."})
		b.talk()
	}, nil},
	{"32-same-label", "two children with one label at the same time, of which one ends; a third of that label inside a child that has ended, still running", func(b *book) {
		one, two := lamps(), lamps()
		b.add(genlog.Human{Text: "Oil the lamps on both sides."}, genlog.Spawn{Children: []*genlog.Child{one}}, genlog.Spawn{Children: []*genlog.Child{two}}, genlog.Agent{Text: "Both run."},
			ends(ending(one, genlog.Done, "")), genlog.Agent{Text: "The south side is done."})
		b.talk()
		outer, inner := barrels(), barrels()
		b.add(genlog.Human{Text: "Count the barrels."}, genlog.Spawn{Children: []*genlog.Child{outer}}, genlog.Spawn{Children: []*genlog.Child{inner}}, genlog.Agent{Text: "They run."},
			ends(ending(outer, genlog.Done, "")), genlog.Agent{Text: "24 barrels."})
		b.talk()
		b.whole(ropes(), genlog.Done, "")
		b.talk()
	}, nestLast},
	{"37-second-header", "a forked log: a parent session in its header, and the parent's own header as second line", func(b *book) {
		b.whole(barrels(), genlog.Done, "")
		b.talk()
	}, secondHeader},
	{"39-scripts", "tasks and reports in Japanese, Korean and Arabic; a sentence without spaces, full of joined emoji, that is too long for a mask", func(b *book) {
		ja := chore("港の樽を数える", "港の樽を全部数えて、結果を yard/taru.txt に書いてください。", strings.Repeat("港の樽は全部で二十四個ありました👩‍🔧。蓋はすべて閉まっています。", 9)+"結果は yard/taru.txt に書きました。taru_total=24")
		ko := chore("부두의 등불 점검", "부두의 등불 열한 개를 점검하고 기름을 채워 주세요.", "등불 열한 개에 기름을 채웠고 "+strings.Repeat("등불마다👨‍👩‍👧‍👦", 70)+" 끝냈습니다. lamp_oil=3l")
		ar := chore("عد الحبال على الرصيف", "عد الحبال على الرصيف واكتب النتيجة في pier/ropes.csv.", "تم عد سبعة حبال على الرصيف وكتبت النتيجة في pier/ropes.csv. "+strings.Repeat("الحبال كلها في مكانها. ", 20)+"rope_count=7")
		for _, c := range []*genlog.Child{ja, ko, ar} {
			b.whole(c, genlog.Done, "")
		}
		b.talk()
	}, nil},
	{"41-many-compactions", "24 compactions of the agent itself, each with a longer summary; one finished task long before and one behind the last", func(b *book) {
		b.whole(barrels(), genlog.Done, "")
		for n := range 24 {
			b.talk()
			b.add(genlog.Mark{Name: fmt.Sprint(n)}, genlog.Compact{KeepFrom: fmt.Sprint(n), Summary: "## So far\n" + listing("gate", 2*(n+1))})
		}
		b.whole(ropes(), genlog.Done, "")
		b.talk()
	}, nil},
	{"51-rule-inside", "a person's standing rule inside the span of a task, and a rule in its report", func(b *book) {
		c := chore("sort the charts", "Sort the charts by harbour.", "Sorted 18 charts by harbour; charts/index.md lists them. Never rename a file in charts/old, the tide table names them.")
		b.add(genlog.Human{Text: "Have the charts sorted."}, genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Agent{Text: "It runs."},
			genlog.Human{Text: "From now on never throw a chart away, even a torn one.", Constraint: true}, genlog.Agent{Text: "Understood."},
			ends(ending(c, genlog.Done, "")), genlog.Agent{Text: "18 charts are sorted."})
		b.talk()
	}, nil},
	{"52-established-fact", "a report that begins with what was looked at and states the fact further down", func(b *book) {
		b.whole(&genlog.Child{Label: "find the tide limit", Task: "Find out which tide the gate allows.\n\n" + listing("post", 6),
			Report: "I looked at config/tide.toml and gate/main.c.\n\nI read both files twice.\n\n" + listing("post", 20) + "\nThe gate opens only below tide_limit=412 cm, set in config/tide.toml.\n"}, genlog.Done, "")
		b.talk()
	}, nil},
	{"53-plan-carried-out", "a plan that is announced and carried out within the report, and next steps that nobody ordered", func(b *book) {
		b.whole(&genlog.Child{Label: "mend the sail", Task: "Mend the sail and pack it.\n\n" + listing("seam", 6),
			Report: "## Plan\n1. I will sew the long seam.\n2. I will pack the sail.\n\n## Result\nSewed the long seam and packed the sail into loft/bag-3.\n\n" + listing("seam", 20) +
				"\n## Next steps\n- Somebody must buy new thread.\n- The mast has not been repainted yet.\n"}, genlog.Done, "")
		b.talk()
	}, nil},
	{"54-upbeat-report", "a failed run and a timed-out one whose reports say that all went well; a failing test as the last tool result", func(b *book) {
		b.whole(chore("seal the hull", "Seal the hull.", "Everything is done and works perfectly, the hull is sealed and all 9 checks pass."), genlog.Failed, "checks ended with exit code 2")
		c := chore("test the pump", "Test the pump.", "All pump tests pass now, the task was completed successfully.")
		b.add(genlog.Human{Text: "Test the pump."}, genlog.Spawn{Children: []*genlog.Child{c}},
			genlog.Agent{Calls: []genlog.Call{{Tool: "exec", Command: "make pump-test", Output: listing("valve", 10) + "FAIL: TestPumpPressure: want 4 bar, got 1 bar", Exit: 1}}},
			genlog.Agent{Text: "It runs."}, ends(ending(c, genlog.TimedOut, "")), genlog.Agent{Text: "The pump test fails."})
		b.talk()
	}, nil},
}

// script makes the log and the truth of a plot.
func (p *plot) script(tb testing.TB, seed int64) genlog.Output {
	tb.Helper()
	b := &book{cwd: "/home/dev/harbour"}
	p.tell(b)
	out, err := genlog.Play(genlog.Script{Name: p.name, Oddity: p.oddity, Generation: "C", Cwd: b.cwd, Steps: b.steps}, "openclaw", seed)
	if err != nil {
		tb.Fatal(err)
	}
	if p.damage != nil {
		out.Log = p.damage(out.Log, &out.Truth)
		out.Truth.Bytes, out.Truth.Lines = int64(len(out.Log)), bytes.Count(out.Log, []byte("\n"))
	}
	return out
}

// TestTroubleLogs keeps fixtures/trouble and the list in its README what the
// plots make of them.
func TestTroubleLogs(t *testing.T) {
	files := map[string][]byte{}
	rows := ""
	for n, p := range plots {
		out := p.script(t, int64(500+n))
		files[p.name+".jsonl"], files[p.name+".truth.json"] = out.Log, out.Truth.JSON()
		rows += fmt.Sprintf("| `%s.jsonl` | %d | %d | %s |\n", p.name, (len(out.Log)+1023)/1024, len(out.Truth.Lifecycles), p.oddity)
	}
	files["README.md"] = []byte(troubleHead + "\n| log | KB | lifecycles | what is odd |\n| --- | --- | --- | --- |\n" + rows)
	for name, want := range files {
		path := filepath.Join(troubleDir, name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what its plot makes (%v); look at the difference, then: go test ./properties -run TestTroubleLogs -update", path, err)
		}
	}
	all, err := os.ReadDir(troubleDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if files[e.Name()] == nil {
			t.Errorf("%s/%s belongs to no plot", troubleDir, e.Name())
		}
	}
}

const troubleHead = `# Regression cases

What real logs did to tools like this one, each shown by a made-up log. The number in a name is the row of the list of troubles that the log stands
for; properties/trouble_test.go has for every row the log or the test that shows it, and what has to come out. Rows that are not here are shown
by logs of ` + "`../openclaw`" + `, by logs that a test makes while it runs, or by tests elsewhere. Beside each log stands its truth, as in ` + "`../openclaw`" + `.

The logs come from properties/trouble_logs_test.go; after a change there: ` + "`go test ./properties -run TestTroubleLogs -update`" + `.
`

// rewrite gives every line to a function and joins what that makes of it.
func rewrite(log []byte, change func(n int, line string) string) []byte {
	var out strings.Builder
	for n, l := range split(log) {
		out.WriteString(change(n, string(l)))
	}
	return []byte(out.String())
}

// idOf is the id of a line of the generator.
func idOf(line string) string {
	var o struct{ Type, ID string }
	if json.Unmarshal([]byte(line), &o) != nil || o.Type == "session" {
		return ""
	}
	return o.ID
}

// lineWith finds the line of an entry.
func lineWith(log []byte, id string) int {
	for n, l := range split(log) {
		if idOf(string(l)) == id {
			return n
		}
	}
	panic("no line has the id " + id)
}

// offPath says of everything up to a line that it is off the active path.
func offPath(log []byte, t *genlog.Truth, line int) {
	before := map[string]bool{}
	for _, l := range split(log)[:line+1] {
		before[idOf(string(l))] = true
	}
	for n := range t.Lifecycles {
		if before[t.Lifecycles[n].SpawnEntry] {
			t.Lifecycles[n].OnActivePath, t.Lifecycles[n].InContext = false, false
		}
	}
	for n := range t.Humans {
		if before[t.Humans[n].Entry] {
			t.Humans[n].OnActivePath = false
		}
	}
}

func splice(log []byte, t *genlog.Truth) []byte {
	l := &t.Lifecycles[1]
	at := lineWith(log, l.CompletionEntries[0])
	offPath(log, t, at+1)
	l.State, l.Or, l.CompletionEntries, l.SpanMS = genlog.Running, []genlog.State{genlog.Unknown}, nil, -1
	half := ""
	return rewrite(log, func(n int, line string) string {
		switch n {
		case at:
			half = line[:len(line)/2]
			return ""
		case at + 1:
			return half + line[20:] + "\"}]}}\n"
		}
		return line
	})
}

func loneSurrogates(log []byte, t *genlog.Truth) []byte {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	*t = genlog.Truth{}
	if err := json.Unmarshal(bytes.ReplaceAll(b, []byte("@@lone@@"), []byte("\ufffd")), t); err != nil {
		panic(err)
	}
	return bytes.ReplaceAll(log, []byte("@@lone@@"), []byte(`\ud83c`))
}

func keepFromSpawn(log []byte, t *genlog.Truth) []byte {
	l := &t.Lifecycles[1]
	t.Compactions[2].FirstKept = l.SpawnEntry
	l.InContext = true
	return bytes.ReplaceAll(log, []byte(`"firstKeptEntryId":"`+l.ReceiptEntry+`"`), []byte(`"firstKeptEntryId":"`+l.SpawnEntry+`"`))
}

func hangBelowSpawn(log []byte, t *genlog.Truth) []byte {
	l := &t.Lifecycles[0]
	l.State, l.OnActivePath, l.InContext = genlog.Unknown, true, true
	at := lineWith(log, t.Lifecycles[1].SpawnEntry) - 1
	parent := idOf(string(split(log)[lineWith(log, l.SpawnEntry)-1]))
	return rewrite(log, func(n int, line string) string {
		if n == at {
			return strings.Replace(line, `"parentId":"`+parent+`"`, `"parentId":"`+l.SpawnEntry+`"`, 1)
		}
		return line
	})
}

// callIDs are the ids of the calls in a line.
func callIDs(line string) []string {
	var o struct {
		Message struct{ Content []struct{ Type, ID string } }
	}
	if json.Unmarshal([]byte(line), &o) != nil {
		return nil
	}
	var ids []string
	for _, b := range o.Message.Content {
		if b.Type == "toolCall" {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

func sameCallIDs(log []byte, t *genlog.Truth) []byte {
	lines := split(log)
	receipt := lineWith(log, t.Lifecycles[0].ReceiptEntry)
	pair, single := callIDs(string(lines[receipt+1])), callIDs(string(lines[receipt+4]))
	second, third, fourth := &t.Lifecycles[1], &t.Lifecycles[2], &t.Lifecycles[3]
	swap := strings.NewReplacer(`"`+pair[1]+`"`, `"`+pair[0]+`"`, `"`+single[0]+`"`, `""`, `"`+third.CallID+`"`, `"`+second.CallID+`"`, `"`+fourth.CallID+`"`, `""`)
	third.CallID, fourth.CallID = second.CallID, ""
	fourth.Or = []genlog.State{genlog.Unknown, genlog.Running}
	return []byte(swap.Replace(string(log)))
}

func abortSpawn(log []byte, t *genlog.Truth) []byte {
	at := lineWith(log, t.Lifecycles[0].SpawnEntry)
	return rewrite(log, func(n int, line string) string {
		if n == at {
			return strings.Replace(line, `"stopReason":"toolUse"`, `"stopReason":"aborted"`, 1)
		}
		return line
	})
}

func dropCalls(log []byte, _ *genlog.Truth) []byte {
	gone := ""
	parent := ""
	return rewrite(log, func(_ int, line string) string {
		id := idOf(line)
		switch {
		case strings.Contains(line, `"text":"orphan `):
			gone = id
			return ""
		case gone != "":
			line = strings.Replace(line, `"parentId":"`+gone+`"`, `"parentId":"`+parent+`"`, 1)
			gone = ""
		}
		parent = id
		return line
	})
}

func nestLast(log []byte, t *genlog.Truth) []byte {
	outer, inner := &t.Lifecycles[2], &t.Lifecycles[3]
	_, id, _ := strings.Cut(inner.ChildKey, ":subagent:")
	deeper := outer.ChildKey + ":subagent:" + id
	log = bytes.ReplaceAll(log, []byte(inner.ChildKey), []byte(deeper))
	inner.ChildKey = deeper
	return log
}

func secondHeader(log []byte, _ *genlog.Truth) []byte {
	head, rest, _ := bytes.Cut(log, []byte("\n"))
	const parent = "5a3f7c1e-2f64-4a0c-9b8d-0d1e2f3a4b5c"
	var h struct{ ID string }
	if err := json.Unmarshal(head, &h); err != nil {
		panic(err)
	}
	old := bytes.ReplaceAll(head, []byte(h.ID), []byte(parent))
	fork := string(bytes.TrimSuffix(head, []byte("}"))) + `,"parentSession":"/home/dev/.openclaw/agents/main/sessions/` + parent + `.jsonl"}`
	return bytes.Join([][]byte{[]byte(fork), old, rest}, []byte("\n"))
}
