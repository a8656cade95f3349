package genlog

func compaction(b *builder) Script {
	b.task(Done)
	b.work(2)
	m := b.mark()
	b.talk()
	b.add(Compact{KeepFrom: m, Summary: "## Goal\nKeep the shop running.\n\n## Done\n- one delegated task, see the notes\n"})
	b.task(Done)
	b.task(Failed)
	b.work(1)
	return Script{Name: "compaction", Oddity: "the agent's own compaction: one finished lifecycle before it (not in the context), two behind it"}
}

func compactionInside(b *builder) Script {
	c := b.child()
	b.say(Panel)
	b.add(Spawn{Children: []*Child{c}})
	m := b.mark()
	b.add(Agent{Text: "Running."})
	b.end(Envelope{Stamp: "UTC"}, b.ending(c, Done))
	b.ownWork(1)
	b.add(Agent{Text: b.w.pick(answers)})
	b.talk()
	b.add(Compact{KeepFrom: m, Summary: "## Goal\nFinish the delegated work and tell the person.\n"})
	b.task(Done)
	b.work(1)
	return Script{Name: "compaction-inside", Oddity: "firstKeptEntryId names the receipt inside a span: the spawn call is cut off, the completion is kept"}
}

func branches(b *builder) Script {
	b.talk()
	b.abandoned(true)
	b.task(Done)
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	m := b.mark()
	b.end(Envelope{}, b.ending(c, Done))
	b.add(Agent{Text: b.w.pick(answers)}, Rewind{To: m, Summary: "The person came back from a side path in which the task had ended."})
	b.talk()
	b.task(Done)
	b.work(1)
	return Script{Name: "branches", Oddity: "an abandoned branch with a finished spawn; a spawn on the path whose completion stands on an abandoned branch only; a branch summary"}
}

func inlineSend(b *builder) Script {
	for _, o := range []string{"ok", "timeout", "error", "forbidden", "ok"} {
		b.inline("sessions_send", o)
	}
	b.work(1)
	return Script{Name: "inline-send", Oddity: "sessions_send with the reply inline: ok twice, timeout, error, forbidden"}
}

func delegateTask(b *builder) Script {
	b.inline("delegate_task", "ok")
	b.inline("delegate_task", "error")
	b.task(Done)
	b.inline("delegate_task", "ok")
	b.work(1)
	return Script{Name: "delegate-task", Oddity: "a configured extra delegation tool: lifecycles only when its name is given to the scanner"}
}

func childFixtures() []Fixture {
	b := newBuilder(200, "C")
	b.logs = true
	b.task(Done)
	kid := b.w.child("en")
	parent := b.child()
	parent.Transcript = append([]Step{
		Agent{Text: "I split off one part.", Calls: []Call{b.w.read("internal/store/rows.go")}},
		Spawn{Children: []*Child{kid}}, Agent{Text: "Waiting for the part."},
		Completion{Generation: "C", Endings: []Ending{b.ending(kid, Done)}},
	}, parent.Transcript...)
	parent.Report = "Child completion results:\n1. " + firstLine(kid.Report) + " " + kid.Facts[0].Text + "\n\n" + parent.Report
	b.say(Panel)
	b.taskOf(parent, Done, Envelope{Stamp: "UTC"})
	b.work(1)
	nested := Fixture{Script: Script{Name: "nested", Generation: "C", Steps: b.steps, Oddity: "transcripts of the children lie beside; one child had a child of its own, announced in its log only"}, Format: "openclaw", Seed: 200, Dir: true}

	b = newBuilder(201, "B")
	b.logs = true
	b.task(Done)
	gone := b.child()
	gone.Archived = "2026-04-01T04-14-35.711Z"
	b.say(Panel)
	b.taskOf(gone, Done, Envelope{})
	b.task(Failed)
	b.work(1)
	archived := Fixture{Script: Script{Name: "archived-children", Generation: "B", Steps: b.steps, Oddity: "generation B with index; one child's transcript was deleted and lies under its archived name"}, Format: "openclaw", Seed: 201, Dir: true}
	return []Fixture{nested, archived}
}

// damageFixtures are whole logs with one thing broken afterwards.
func damageFixtures() []Fixture {
	base := func(name, oddity string, seed int64, damage func(log []byte, t *Truth) []byte) Fixture {
		b := newBuilder(seed, "C")
		b.task(Done)
		b.talk()
		b.task(Done)
		b.work(1)
		return Fixture{Script: Script{Name: name, Generation: "C", Steps: b.steps, Oddity: oddity, CRLF: name == "crlf-blank"}, Format: "openclaw", Seed: seed, Damage: damage}
	}
	return []Fixture{
		base("torn-tail", "the last line is cut in the middle and has no newline", 300, tornTail),
		base("nul-line", "a line of 300 NUL bytes in mid-file, NULs glued in front of another line", 301, nulLine),
		base("fused-lines", "a half-written line with a whole one behind it on the same line; a stray fragment line", 302, fusedLines),
		base("bom", "a UTF-8 BOM before the header", 303, func(log []byte, t *Truth) []byte { t.Bytes += 3; return append([]byte("\xef\xbb\xbf"), log...) }),
		base("crlf-blank", "CRLF line ends, blank lines in between, one line with LF only", 304, blankLines),
		base("separators", "raw U+2028, U+2029 and U+0085 and a lone surrogate escape inside strings", 305, separators),
	}
}
