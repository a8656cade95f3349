package genlog

import (
	"fmt"
	"strings"
	"time"
)

// Fixture is a named script with its seed and, for damaged logs, what is done to the bytes afterwards.
type Fixture struct {
	Script Script
	Format string
	Seed   int64
	// Dir asks for a folder of its own with child transcripts and index.
	Dir    bool
	Damage func(log []byte, t *Truth) []byte
}

// Folder is the folder below fixtures that the log belongs to.
func (f Fixture) Folder() string {
	if f.Format == "claude-code" {
		return "claudecode"
	}
	return "openclaw"
}

// Folders are the folders of fixtures that hold generated logs.
func Folders() []string { return []string{"openclaw", "claudecode"} }

// Fixtures lists the generated part of the folders of fixtures, in the order of their README.
func Fixtures() []Fixture {
	var out []Fixture
	for i, f := range []func(b *builder) Script{
		demo, genA, genB, genC, genCWrapped, genD, genDSteered, multiLine, spawnErrors, missingResults, waveHumans, waveBig,
		compaction, compactionInside, branches, inlineSend, delegateTask, states, reopenedLog, duplicatesLog, decoysLog,
		thinkingLog, metadata, languages, ambiguousB, openOnly, noSpawns, piSubagent,
	} {
		b := newBuilder(int64(100+i), "C")
		s := f(b)
		format := "openclaw"
		if strings.HasPrefix(s.Name, "pi-") {
			format = "pi"
		}
		if s.Steps == nil {
			s.Steps = b.steps
		}
		if s.Generation == "" {
			s.Generation = b.gen
		}
		out = append(out, Fixture{Script: s, Format: format, Seed: int64(100 + i)})
	}
	out = append(out, childFixtures()...)
	out = append(out, damageFixtures()...)
	out = append(out, layerFixtures()...)
	return append(out, claudeFixtures()...)
}

func genA(b *builder) Script {
	b.gen, b.lang = "A", "en"
	b.task(Done)
	b.talk()
	b.task(Failed)
	c := b.child()
	b.say(Chat)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	d := b.ending(c, Done)
	d.NoTokens, d.In, d.Out = true, 0, 0
	b.end(Envelope{}, d)
	b.add(Agent{Text: b.w.pick(answers)})
	b.work(2)
	return Script{Name: "gen-a", Oddity: "completion texts of generation A: Findings, key in the Stats line, no provenance, tokens n/a once"}
}

func genB(b *builder) Script {
	b.gen = "B"
	b.task(Done)
	quoted := b.child()
	quoted.Label = "review \"main\"\nand the notes"
	b.say(Panel)
	b.taskOf(quoted, Done, Envelope{Stamp: "GMT+9"})
	b.add(Stray{Generation: "B", Name: "morning mail", Report: "Three new mails, none urgent."}, Agent{Text: "Three mails came in, none of them urgent."})
	b.task(TimedOut)
	b.work(1)
	return Script{Name: "gen-b", Oddity: "generation B: only the child's session id, so labels decide without an index; a label with quotes and a newline; a cron job"}
}

func genC(b *builder) Script {
	b.task(Done)
	b.talk()
	b.task(Done)
	b.add(Stray{Generation: "C", Name: "disk check", Report: "Disk 61 % full."}, Agent{Text: "The disk check is fine."})
	b.task(Failed)
	b.work(2)
	return Script{Name: "gen-c", Oddity: "generation C of 2026.3: no frame around the event, provenance on every completion, one cron job"}
}

func genCWrapped(b *builder) Script {
	b.wrapped, b.signed = true, true
	b.task(Done)
	b.task(Unknown)
	c := b.child()
	b.say(Panel)
	b.add(Spawn{Children: []*Child{c}}, Yield{Interrupted: true})
	none := ""
	d := b.ending(c, Done)
	d.Report = &none
	d.Out = 0
	c.Facts, c.Created, c.Modified, c.Deleted = nil, nil, nil, nil
	b.end(Envelope{Stamp: "GMT+9"}, d)
	b.add(Agent{Text: "It ended without a report."})
	b.work(1)
	return Script{Name: "gen-c-wrapped", Oddity: "generation C of 2026.4 with BEGIN/END frame; an unknown status; an empty result; yields"}
}

func genD(b *builder) Script {
	b.gen = "D"
	one, two := b.child(), b.child()
	one.Report += "\n\nThe page shows <b>total</b> & the tag </prompt-data> as text."
	b.say(Panel)
	b.taskOf(one, Done, Envelope{Header: 1})
	b.say(Plain)
	b.taskOf(two, Done, Envelope{Header: 2})
	three := b.child()
	b.say(Plain)
	b.taskOf(three, Failed, Envelope{Header: 2, Plain: true})
	b.add(Stray{Generation: "D", Kind: "image generation task", Name: "a small blue boat", Report: "Generated 1 image."}, Agent{Text: "The picture is ready."})
	b.add(Stray{Settle: []*Child{one, two, three}}, Agent{Text: "NO_REPLY"})
	b.work(1)
	return Script{Name: "gen-d", Oddity: "generation D plain: escaped prompt-data, inter-session header before and after the text, string content, an image job, a settle turn"}
}

func genDSteered(b *builder) Script {
	b.gen, b.wrapped = "D", true
	b.task(Done)
	one, two := b.child(), b.child()
	b.say(Panel)
	b.add(Spawn{Children: []*Child{one, two}}, Yield{})
	b.end(Envelope{Header: 1}, b.ending(one, Done), b.ending(two, TimedOut))
	b.add(Agent{Text: b.w.pick(answers)})
	b.task(Failed)
	b.work(1)
	return Script{Name: "gen-d-steered", Oddity: "generation D steered into a running turn: the frame of C around prompt-data, two events in one message joined by ---"}
}

func multiLine(b *builder) Script {
	for _, g := range []string{"C", "C", "D"} {
		b.gen = g
		c := b.child()
		c.Lean = true
		c.Task = "Write the \"status\" page.\n\nContext:\n- the old page printed\nstatus: failed: nothing to show\ntype: \"quoted\"\n\nResult wanted: one page.\nstatus: completed successfully\n" + c.Task
		outcome := Done
		if len(b.steps) > 4 {
			outcome = Failed
		}
		b.say(Panel)
		b.taskOf(c, outcome, Envelope{Stamp: "UTC"})
	}
	b.gen = "C"
	b.work(1)
	return Script{Name: "task-many-lines", Oddity: "no label: the task text stands raw in the event, with its own status lines and quotes; the last completion is of generation D"}
}

func spawnErrors(b *builder) Script {
	for _, r := range []Receipt{Errored, Forbidden, Invalid, Forbidden} {
		b.refused(r)
	}
	b.task(Done)
	late := b.child()
	late.Receipt, late.Refusal = LateError, refusals[LateError][0]
	b.say(Plain)
	b.add(Spawn{Children: []*Child{late}}, Agent{Text: "The host says it failed, but it may still come."})
	b.end(Envelope{}, b.ending(late, Done))
	b.add(Agent{Text: "It did come."})
	b.work(1)
	return Script{Name: "spawn-errors", Oddity: "error, forbidden (twice) and a validation error, most with isError false; an error with a key whose child finished all the same"}
}

func missingResults(b *builder) Script {
	b.task(Done)
	for _, r := range []Receipt{SyntheticR, Missing} {
		c := b.child()
		c.Receipt = r
		b.say(Plain)
		b.add(Spawn{Children: []*Child{c}})
		b.add(Human{Text: "Are you still there? The machine had restarted."}, Agent{Text: "Yes. The last call was lost."})
	}
	b.add(Agent{Calls: []Call{{Tool: "exec", Command: "make test", NoResult: true}}}, Human{Text: "It hangs again, please skip the test run."}, Agent{Text: "Skipped."})
	b.work(1)
	return Script{Name: "missing-results", Oddity: "a spawn with a synthetic result, a spawn and an exec call without any: unknown, left alone"}
}

func waveHumans(b *builder) Script {
	b.wave(3, true)
	b.work(2)
	return Script{Name: "wave-humans", Oddity: "three parallel children, completions out of order, a constraint and a question of the person in between"}
}

func waveBig(b *builder) Script {
	b.wrapped = true
	b.wave(6, true)
	b.work(1)
	return Script{Name: "wave-six", Oddity: "six parallel children in one message, framed completions, human turns inside"}
}

func states(b *builder) Script {
	b.task(Done)
	failed := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{failed}}, Agent{Text: "Running."})
	b.end(Envelope{}, b.ending(failed, Failed))
	b.add(Agent{Text: b.w.pick(answers)})
	b.task(TimedOut)
	b.task(Unknown)
	b.suspect()
	b.killed()
	b.running()
	b.talk()
	return Script{Name: "states", Oddity: "done, failed, timed out, unknown, suspect (long run, zero tokens, stub), killed, running"}
}

func reopenedLog(b *builder) Script {
	b.reopened(false)
	b.reopened(true)
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	b.end(Envelope{}, b.ending(c, Done))
	b.add(Agent{Text: b.w.pick(answers)}, Control{Action: "steer", Child: c, Note: "Add the missing test."}, Agent{Text: "It goes on."})
	more := "The missing test is added: tests/test_more.py, 4 passed."
	d := b.ending(c, Done)
	d.Report = &more
	b.end(Envelope{Stamp: "UTC"}, d)
	b.add(Agent{Text: "Now it is complete."})
	b.work(1)
	return Script{Name: "reopened", Oddity: "work of a child after its completion: by its own message, by a message to it (both still running), and with a second end"}
}

func duplicatesLog(b *builder) Script {
	b.duplicates()
	b.lateSuccess()
	one, two := b.child(), b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{one, two}}, Agent{Text: "Both running."})
	b.end(Envelope{Queued: true}, b.ending(one, Done), b.ending(two, Failed))
	b.add(Agent{Text: b.w.pick(answers)})
	b.work(1)
	return Script{Name: "duplicates", Oddity: "one completion three times in three envelopes; time-out then success; one queued message with two events"}
}

func decoysLog(b *builder) Script {
	b.decoys()
	c := b.child()
	c.Report += "\n\nThe log I was asked about contained:\n[Internal task completion event]\nsource: subagent\nsession_key: agent:main:subagent:11111111-0000-4000-a000-000000000000\ntask: old\nstatus: failed: quoted only\n\nStats: runtime 1s • tokens 12 (in 10 / out 2)"
	b.say(Panel)
	b.taskOf(c, Done, Envelope{Stamp: "UTC"})
	b.add(Human{Text: "A background task \"tea\" just completed successfully.\n\nSorry, that was a joke. Where were we?", Decoy: true}, Agent{Text: "At the export."})
	b.add(Stray{Generation: "C", Name: "mail", Report: "No new mail."}, Agent{Text: "NO_REPLY"})
	b.work(1)
	return Script{Name: "decoys", Oddity: "marker words in a person's message, in prose, in tool output and inside a child's report; a person typing a head line at the start"}
}

func thinkingLog(b *builder) Script {
	b.signed = true
	b.task(Done)
	cs := []*Child{b.child(), b.child()}
	b.say(Panel)
	b.add(Spawn{Thinking: thoughts[0], Text: "Two parts and one look at the tree.", Children: cs, Before: []Call{{Tool: "exec", Command: "git status --short", Output: " M README.md"}}})
	b.add(Yield{})
	b.end(Envelope{}, b.ending(cs[0], Done))
	b.add(Agent{Thinking: thoughts[2], Text: b.w.pick(answers)})
	b.end(Envelope{}, b.ending(cs[1], Done))
	b.add(Agent{Thinking: thoughts[2], Calls: []Call{{Tool: "exec", Command: "go test ./...", Output: b.w.testLog(12)}, {Tool: "read", Path: "README.md", Output: b.w.source("README.md", 8)}}})
	b.add(Agent{Text: b.w.pick(answers)})
	b.add(Human{Text: "Here is a screenshot of the result.", Image: true}, Agent{Calls: []Call{{Tool: "read", Path: "shot.png", Output: "Read image file [image/png]", Image: true}}}, Agent{Text: "It looks right."})
	b.work(1)
	return Script{Name: "thinking-parallel", Oddity: "signed reasoning in the spawning message, parallel calls of mixed kinds in it, images"}
}

func metadata(b *builder) Script {
	b.add(Meta{Kind: "info", Text: "shop"})
	c := b.child()
	b.say(Panel)
	b.add(Spawn{Children: []*Child{c}}, Meta{Kind: "custom"})
	m := b.mark()
	b.add(Meta{Kind: "label", Text: "here it starts", Mark: m}, Meta{Kind: "mirror", Text: "Running."}, Agent{Text: "Running."}, Meta{Kind: "side", Text: "kept aside"},
		Meta{Kind: "model", Text: "gpt-4o"}, Meta{Kind: "thinking", Text: "medium"}, Meta{Kind: "opaque", Text: "a line of a newer version"})
	b.end(Envelope{Stamp: "UTC"}, b.ending(c, Done))
	b.add(Meta{Kind: "prompt-error", Text: "aborted"}, Meta{Kind: "error-turn", Text: "503 upstream busy"}, Agent{Text: b.w.pick(answers)}, Meta{Kind: "mirror-path", Text: "Delivered."})
	b.talk()
	m2 := b.mark()
	b.add(Human{Text: "Another idea, never mind."}, Agent{Text: "Fine."}, Meta{Kind: "leaf", Mark: m2})
	b.add(Meta{Kind: "bash", Text: "uptime\n 10:02 up 3 days"})
	b.task(Done)
	b.work(1)
	return Script{Name: "metadata", Oddity: "custom lines, label, model and thinking changes, side append, leaf control, mirrors on and off the path, an error turn and an unknown type, most inside a span"}
}

func languages(b *builder) Script {
	for _, l := range []string{"pt", "zh", "mixed"} {
		b.lang = l
		b.task(Done)
	}
	b.talk()
	return Script{Name: "languages", Oddity: "Portuguese, Chinese and mixed tasks and reports; the host's own words stay English"}
}

func ambiguousB(b *builder) Script {
	b.gen = "B"
	one, two := b.child(), b.child()
	two.Label = one.Label
	one.Expect, two.Expect = Running, Running
	one.Or, two.Or = []State{Unknown}, []State{Unknown}
	b.say(Plain)
	b.add(Spawn{Children: []*Child{one, two}}, Agent{Text: "Both running."})
	b.end(Envelope{}, b.ending(two, Done))
	b.add(Agent{Text: b.w.pick(answers)})
	b.end(Envelope{}, b.ending(one, Failed))
	b.add(Agent{Text: b.w.pick(answers)})
	b.work(1)
	return Script{Name: "gen-b-ambiguous", Oddity: "two open spawns with the same label and no index: the completions cannot be told apart"}
}

func openOnly(b *builder) Script {
	b.work(1)
	b.running()
	b.add(Wait{time.Hour})
	b.talk()
	b.running()
	return Script{Name: "open-only", Oddity: "two spawns accepted, nothing came back: nothing to do"}
}

func noSpawns(b *builder) Script {
	for range 4 {
		b.work(2)
	}
	return Script{Name: "no-spawns", Oddity: "no delegation at all: must stay byte for byte"}
}

func piSubagent(b *builder) Script {
	b.gen = "pi"
	b.work(1)
	b.inline("subagent", "ok")
	b.inline("subagent", "error")
	b.work(1)
	b.inline("subagent", "ok")
	b.talk()
	return Script{Name: "pi-subagent", Cwd: "/home/dev/shop", Key: "pi", Oddity: "a pi log: bash instead of exec, an extension tool named subagent with inline results"}
}

// Generate writes the fixture's files: path below the folder of fixtures to bytes, the log and its truth beside it.
func (f Fixture) Generate() (map[string][]byte, error) {
	out, err := Play(f.Script, f.Format, f.Seed)
	if err != nil {
		return nil, fmt.Errorf("fixture %s: %w", f.Script.Name, err)
	}
	if f.Damage != nil {
		out.Log = f.Damage(out.Log, &out.Truth)
	}
	dir := f.Folder() + "/"
	if f.Dir {
		dir += f.Script.Name + "/"
	}
	files := map[string][]byte{dir + f.Script.Name + ".jsonl": out.Log, dir + f.Script.Name + ".truth.json": out.Truth.JSON()}
	if f.Dir {
		for name, data := range out.Files {
			files[dir+BesideName(name, f.Script.Name)] = data
		}
	}
	return files, nil
}
