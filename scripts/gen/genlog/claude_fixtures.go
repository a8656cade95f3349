package genlog

import (
	"bytes"
	"strings"
	"time"
)

// claudeFixtures is the generated part of fixtures/claudecode: the same stories as Claude Code logs, and what only
// these know.
func claudeFixtures() []Fixture {
	var out []Fixture
	for i, f := range []struct {
		story  func(b *builder) Script
		name   string // "" keeps the story's
		gen    string
		oddity string // "" keeps the story's
	}{
		{demo, "", "C", ""},
		{claudeOld, "", "A2", ""},
		{genB, "client-2.1.39", "B", "client 2.1.39: progress lines in the chain, notifications without the call's id, a shell in the background"},
		{genC, "client-2.1.328", "C", "client 2.1.328: attachments in the chain, notifications as user lines, as attachments and in the queue"},
		{claudeBusy, "", "C", ""},
		{claudeAgain, "", "C", ""},
		{claudeShells, "", "C", ""},
		{claudeParallel, "", "D", ""},
		{claudeQueue, "", "C", ""},
		{claudeKept, "", "C", ""},
		{spawnErrors, "", "C", "agents that did not start: an unknown type, rules (twice) and bad input; one that the person stopped at the door"},
		{missingResults, "", "C", "an agent that was interrupted, an agent and a command without any result: unknown, left alone"},
		{waveHumans, "", "C", ""},
		{waveBig, "", "D", "six agents in one message, some at once and some in the background, human turns inside"},
		{compaction, "", "C", "compactions of the client: one finished lifecycle before it (not in the context), two behind it"},
		{branches, "", "C", "an abandoned branch with a finished agent; an agent on the path whose notification stands on an abandoned branch only"},
		{inlineSend, "sync", "B", "agents that ran at once: done twice, interrupted, died, forbidden"},
		{delegateTask, "", "C", ""},
		{states, "", "C", "done, failed, out of time, not ended, suspect, stopped, running"},
		{states, "states-2.1.39", "B", "the same states as 2.1.39 writes them"},
		{reopenedLog, "", "C", "what an agent does after its end is no event; a message to it starts a run of its own, twice"},
		{duplicatesLog, "", "C", "one notification three times; a failure then a success; one agent after the other in the queue"},
		{decoysLog, "", "C", ""},
		{thinkingLog, "", "D", ""},
		{metadata, "", "C", "system lines, titles, a sub-agent's line, a branch named by last-prompt, synthetic answers, an API error and an unknown type, most inside a span"},
		{languages, "", "D", ""},
		{multiLine, "", "C", "task texts with status lines and quotes of their own"},
		{openOnly, "", "C", ""},
		{noSpawns, "", "C", ""},
		{turns, "", "C", ""},
		{turns, "turns-2.1.39", "B", "the same turns as 2.1.39 writes them, with progress lines in the chain"},
		{onePrompt, "", "C", ""},
		{oldResults, "", "D", ""},
	} {
		seed := int64(500 + i)
		b := newBuilder(seed, f.gen)
		s := f.story(b)
		if f.name != "" {
			s.Name = f.name
		}
		if f.oddity != "" {
			s.Oddity = f.oddity
		}
		if s.Steps == nil {
			s.Steps = b.steps
		}
		s.Generation = f.gen
		out = append(out, Fixture{Script: s, Format: "claude-code", Seed: seed})
	}
	return append(append(out, claudeChildren()...), claudeDamage()...)
}

func claudeOld(b *builder) Script {
	b.logs, b.lang = true, "en"
	b.task(Done)
	b.work(1)
	b.task(Failed)
	b.wave(3, false)
	b.talk()
	return Script{Name: "client-1.0.108", Oddity: "client 1.0.108: agents run at once, without a status; their lines stand in the log itself, aside"}
}

// claudeBusy ends two agents while the model is at work and one while it waits.
func claudeBusy(b *builder) Script {
	for _, env := range []Envelope{{Queued: true}, {Queued: true}, {}} {
		c := b.child()
		b.say(Plain)
		b.add(Spawn{Children: []*Child{c}}, Control{Action: "list", Child: c})
		b.ownWork(1)
		b.end(env, b.ending(c, Done))
		b.ownWork(1)
		b.add(Agent{Text: b.w.pick(answers)})
	}
	b.work(1)
	return Script{Name: "background", Oddity: "agents in the background, asked how far they are; two end while the model is at work, one while it waits"}
}

func claudeAgain(b *builder) Script {
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	b.end(Envelope{}, b.ending(c, Done))
	b.add(Agent{Text: b.w.pick(answers)})
	for _, wish := range []string{"Also cover the case of an empty list and report again.", "Write the numbers into docs/numbers.md as a table."} {
		b.say(Plain)
		b.add(Control{Action: "send", Child: c, Note: wish}, Agent{Text: "It works on it."})
		more := "Done as asked, 12 checks pass.\n\n" + b.w.source("x.go", 4) + "\nThe file tests/test_again.py is new."
		d := b.ending(c, Done)
		d.Report = &more
		b.end(Envelope{Queued: len(wish)%2 == 0}, d)
		b.ownWork(1)
		b.add(Agent{Text: b.w.pick(answers)})
	}
	b.work(1)
	return Script{Name: "again", Oddity: "one agent, three runs: the later two were started by a message to it and have notifications of their own"}
}

func claudeShells(b *builder) Script {
	b.task(Done)
	b.add(Stray{Name: "build the site", Kind: "shell"}, Agent{Text: "The site is built."})
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Control{Action: "list", Child: c}, Stray{Name: "watch the log", Kind: "shell"})
	b.end(Envelope{Queued: true}, b.ending(c, Done))
	b.add(Agent{Text: b.w.pick(answers)}, Stray{Name: "run the load test", Kind: "shell"}, Agent{Text: "The load test has ended."})
	b.work(1)
	return Script{Name: "shells", Oddity: "commands in the background, whose notifications look like those of agents and are none"}
}

func claudeParallel(b *builder) Script {
	b.signed = true
	b.wave(5, false)
	b.ownWork(2)
	b.add(Agent{Text: b.w.pick(answers)})
	b.wave(4, false)
	b.work(2)
	return Script{Name: "parallel", Oddity: "many calls in one message: their results hang beside the chain, each on its own call; signed reasoning before them"}
}

// claudeQueue has people type while the model is at work.
func claudeQueue(b *builder) Script {
	for range 3 {
		c := b.child()
		b.say(Plain)
		b.add(Spawn{Children: []*Child{c}}, Control{Action: "list", Child: c})
		b.add(Human{Text: b.w.pick(constraints), Constraint: true, Channel: Queued})
		b.ownWork(1)
		b.end(Envelope{Queued: true}, b.ending(c, Done))
		b.add(Human{Text: b.w.pick(questions), Channel: Queued})
		b.ownWork(1)
		b.add(Agent{Text: b.w.pick(answers)})
	}
	b.add(Human{Text: b.w.pick(questions), Channel: Chat}, Agent{Text: b.w.pick(answers)})
	b.work(1)
	return Script{Name: "typed-while-busy", Oddity: "prompts that people typed while the model was at work: attachments between notifications that look like them"}
}

// claudeKept compacts until some compaction keeps lines from before it.
func claudeKept(b *builder) Script {
	b.task(Done)
	for range 3 {
		m := b.mark()
		b.work(1)
		b.task(Done)
		b.add(Compact{KeepFrom: m, Summary: "## Goal\nKeep the shop running.\n\n## Done\n- what was delegated\n"})
		b.task(Done)
	}
	b.work(2)
	return Script{Name: "kept-by-compaction", Oddity: "compactions that keep some of the lines before them by name, a finished agent among them"}
}

func claudeChildren() []Fixture {
	b := newBuilder(560, "C")
	b.logs = true
	b.task(Done)
	kid := b.w.child("en")
	parent := b.child()
	parent.Transcript = append([]Step{
		Agent{Text: "I split off one part.", Calls: []Call{b.w.read("internal/store/rows.go")}},
		Spawn{Children: []*Child{kid}}, Agent{Text: "Waiting for the part."},
		Completion{Generation: "C", Endings: []Ending{b.ending(kid, Done)}},
	}, parent.Transcript...)
	b.say(Panel)
	b.taskOf(parent, Done, Envelope{})
	again := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{again}}, Control{Action: "list", Child: again})
	b.end(Envelope{Queued: true}, b.ending(again, Done))
	b.work(1)
	newer := Fixture{Script: Script{Name: "with-subagents", Generation: "C", Steps: b.steps, Oddity: "the logs of the agents lie in the session's folder, each with its sidecar; one agent had an agent of its own"},
		Format: "claude-code", Seed: 560, Dir: true}

	b = newBuilder(561, "B")
	b.logs = true
	b.task(Done)
	b.wave(3, false)
	b.task(Failed)
	b.work(1)
	older := Fixture{Script: Script{Name: "with-agents-beside", Generation: "B", Steps: b.steps, Oddity: "the logs of the agents lie beside the session, as agent-ID.jsonl"},
		Format: "claude-code", Seed: 561, Dir: true}
	return []Fixture{newer, older}
}

// claudeDamage are whole logs with one thing broken afterwards.
func claudeDamage() []Fixture {
	base := func(name, oddity string, seed int64, damage func(log []byte, t *Truth) []byte) Fixture {
		b := newBuilder(seed, "C")
		b.task(Done)
		b.talk()
		b.task(Done)
		b.work(1)
		b.add(Wait{time.Minute})
		b.talk()
		return Fixture{Script: Script{Name: name, Generation: "C", Steps: b.steps, Oddity: oddity, CRLF: name == "crlf-blank"}, Format: "claude-code", Seed: seed, Damage: damage}
	}
	parent := func(with string, cut bool) func(log []byte, t *Truth) []byte {
		return func(log []byte, t *Truth) []byte {
			ls := lines(log)
			at := lineOf(ls, t.Humans[len(t.Humans)-2].Entry)
			_, rest, _ := bytes.Cut(ls[at], []byte(`,"isSidechain"`))
			ls[at] = []byte(`{"parentUuid":` + with + `,"isSidechain"` + string(rest))
			if cut {
				cutBefore(t, ls, at-1)
			}
			log = bytes.Join(ls, nil)
			t.Bytes = int64(len(log))
			return log
		}
	}
	lost := func(t *Truth, ls [][]byte) int { return lineOf(ls, t.Humans[2].Entry) - 1 } // an answer before it
	return []Fixture{
		base("torn-tail", "the last line is cut in the middle and has no newline", 570, tornTail),
		base("bom", "a UTF-8 BOM before the first line", 571, func(log []byte, t *Truth) []byte { t.Bytes += 3; return append([]byte("\xef\xbb\xbf"), log...) }),
		base("crlf-blank", "CRLF line ends, blank lines in between, one line with LF only", 572, blankLines),
		base("separators", "raw U+2028, U+2029 and U+0085 and a lone surrogate escape inside strings", 573, separators),
		base("dangling-parent", "a prompt whose parent is no line: the client goes on with the line whose time is the nearest before", 574, parent(`"00000000-0000-4000-a000-000000000000"`, false)),
		base("null-parent", "a prompt without a parent in mid-file: all before it is not loaded", 575, parent(`null`, true)),
		base("nul-line", "a line of 300 NUL bytes in mid-file, NULs glued in front of another line", 576, func(log []byte, t *Truth) []byte {
			ls := lines(log)
			at := lost(t, ls)
			ls[at] = append(append(make([]byte, 300), '\n'), append(make([]byte, 5), ls[at]...)...)
			log = bytes.Join(ls, nil)
			t.Lines++
			t.Bytes = int64(len(log))
			return log
		}),
		base("fused-lines", "a half-written line with a whole one behind it on the same line; a stray fragment line", 577, func(log []byte, t *Truth) []byte {
			ls := lines(log)
			at := lost(t, ls)
			half := bytes.TrimRight(ls[at], "\n")[:len(ls[at])/4]
			ls[at] = append(append(bytes.Clone(half), ls[at]...), "\"}]}}\n"...)
			log = bytes.Join(ls, nil)
			t.Lines++
			t.Bytes = int64(len(log))
			return log
		}),
		base("duplicate-uuid", "an answer stands twice, with the same uuid: the last one counts", 578, func(log []byte, t *Truth) []byte {
			ls := lines(log)
			at := lost(t, ls)
			ls[at] = append(bytes.Clone(ls[at]), ls[at]...)
			log = bytes.Join(ls, nil)
			t.Lines++
			t.Bytes = int64(len(log))
			return log
		}),
		base("parent-cycle", "the first line names a later one as its parent: the ring is cut where it closes", 579, func(log []byte, t *Truth) []byte {
			first, later := t.Humans[0].Entry, t.Humans[1].Entry
			ls := lines(log)
			at := lineOf(ls, first)
			ls[at] = []byte(strings.Replace(string(ls[at]), `{"parentUuid":null`, `{"parentUuid":"`+later+`"`, 1))
			log = bytes.Join(ls, nil)
			t.Bytes = int64(len(log))
			return log
		}),
	}
}
