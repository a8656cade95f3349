package genlog

import "fmt"

// layerFixtures are logs without a sub-task, for the layers turns and results.
func layerFixtures() []Fixture {
	var out []Fixture
	for i, f := range []func(b *builder) Script{turns, onePrompt, oldResults, piTurns} {
		seed := int64(500 + i)
		b := newBuilder(seed, "C")
		s := f(b)
		s.Steps, s.Generation = b.steps, b.gen
		format := "openclaw"
		if s.Key == "pi" {
			format = "pi"
		}
		out = append(out, Fixture{Script: s, Format: format, Seed: seed})
	}
	return out
}

// run is one command of the agent's own with what came back.
func (b *builder) run(command string, exit int) Agent {
	return Agent{Text: b.w.pick(narration), Calls: []Call{{Tool: "exec", Command: command, Output: b.w.testLog(12), Exit: exit}}}
}

// turns are finished turns of several kinds, and such as are not finished.
func turns(b *builder) Script {
	b.signed = true
	for _, command := range []string{"go test ./internal/store -run TestRows -count=1", "npm test -- --silent rows"} {
		b.say(Chat)
		b.add(Agent{Text: b.w.pick(narration), Calls: []Call{b.w.read("internal/store/rows.go"), b.w.read("docs/operations.md")}})
		b.add(b.run(command, 1))
		b.add(Agent{Calls: []Call{b.w.edit("internal/store/rows.go"), {Tool: "write", Path: "internal/store/rows_batch.go", Content: b.w.source("x.go", 14)}}})
		b.add(b.run(command, 0), b.run("git commit -am 'read rows in batches of batch_size=500'", 0))
		b.add(Agent{Text: b.w.pick(answers)})
	}
	b.say(Panel)
	b.add(b.run("curl -sS http://127.0.0.1:8421/healthz", 7), Agent{Stop: "error"})
	b.say(Chat)
	b.add(Agent{Text: "One look at the picture.", Calls: []Call{{Tool: "read", Path: "docs/screens/queue.png", Image: true}}})
	b.ownWork(3)
	b.add(Agent{Text: b.w.pick(answers)})
	b.add(Stray{Generation: "C", Name: "disk check", Report: "Disk 61 % full."})
	b.add(b.run("df -h /srv/backup", 0), Agent{Text: "The disk check is fine."})
	b.task(Done)
	b.work(2)
	b.work(2)
	return Script{Name: "turns", Oddity: "finished turns with commits, failing and passing tests, a picture and signed reasoning; a failed turn; a turn of a cron job; a sub-task among them"}
}

// onePrompt is an autonomous session: one prompt, many finished steps, no answer yet.
func onePrompt(b *builder) Script {
	b.say(Chat)
	for n := range 9 {
		file := ownFiles[n%len(ownFiles)]
		b.add(Agent{Text: b.w.pick(narration), Calls: []Call{b.w.read(file)}})
		b.add(b.run("grep -rn TODO "+file, 1))
		b.add(Agent{Calls: []Call{b.w.edit(file)}})
		b.add(b.run("go test ./... 2>&1 | tail -n 40", n%2))
		b.add(b.run("make lint", 0))
		if n%3 == 2 {
			b.add(b.run(fmt.Sprintf("git commit -am 'step %d of the migration'", n), 0))
		}
	}
	return Script{Name: "one-prompt", Oddity: "one prompt, 48 calls in finished steps, no closing answer: an agent that works by itself"}
}

// oldResults holds reads that are superseded, results that come again, and long arguments, in few turns.
func oldResults(b *builder) Script {
	again := b.w.testLog(20)
	b.say(Chat)
	b.add(Agent{Calls: []Call{b.w.read("config/default.toml")}})
	b.add(Agent{Calls: []Call{{Tool: "write", Path: "config/default.toml", Content: b.w.source("x.toml", 60)}}})
	b.add(Agent{Text: b.w.pick(narration), Calls: []Call{{Tool: "exec", Command: "make lint", Output: again}, {Tool: "exec", Command: "pytest -q", Output: b.w.testLog(30), Exit: 1}}})
	b.add(Agent{Calls: []Call{b.w.read("app/models.py"), {Tool: "edit", Path: "app/views.py", Old: b.w.source("x.py", 12), New: b.w.source("x.py", 14)}}})
	b.add(Agent{Calls: []Call{{Tool: "exec", Command: "make lint", Output: again}}})
	b.add(Agent{Text: b.w.pick(answers)})
	b.say(Chat)
	b.add(b.run("git log --oneline -n 12", 0), b.run("docker compose ps", 0), b.run("ls -la internal", 0))
	b.add(Agent{Text: b.w.pick(answers)})
	return Script{Name: "old-results", Oddity: "a read that a write makes stale, the same output twice, arguments of some thousand characters, parallel calls"}
}

func piTurns(b *builder) Script {
	b.gen = "pi"
	for range 4 {
		b.work(3)
	}
	return Script{Name: "pi-turns", Cwd: "/home/dev/shop", Key: "pi", Oddity: "a pi log without a sub-task, several turns of work"}
}
