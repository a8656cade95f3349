package genlog

import (
	"fmt"
	"strings"
	"time"
)

// builder strings building blocks of sessions together; scripts and the random generator share it.
type builder struct {
	w       *world
	gen     string
	signed  bool
	lang    string // of tasks; "" = any
	steps   []Step
	marks   int
	logs    bool // children leave transcripts
	wrapped bool // gen C of 2026.4
}

func newBuilder(seed int64, generation string) *builder {
	return &builder{w: newWorld(seed), gen: generation}
}

func (b *builder) add(s ...Step) { b.steps = append(b.steps, s...) }

func (b *builder) mark() string {
	b.marks++
	name := fmt.Sprintf("m%d", b.marks)
	b.add(Mark{name})
	return name
}

func (b *builder) say(ch Channel) {
	b.add(Human{Text: b.w.pick(questions), Channel: ch})
}

func (b *builder) talk() {
	b.say(Channel(b.w.r.Intn(3)))
	b.add(Agent{Text: b.w.pick(answers)})
}

// work is a human's request, n steps of the agent's own tool work and its closing answer.
func (b *builder) work(n int) {
	b.say(Channel(b.w.r.Intn(3)))
	b.ownWork(n)
	b.add(Agent{Text: b.w.pick(answers)})
}

func (b *builder) ownWork(n int) {
	for range n {
		b.add(b.w.own(b.signed))
	}
}

func (b *builder) child() *Child {
	c := b.w.child(b.lang)
	if b.logs {
		c.Transcript = b.w.transcript(c)
	}
	return c
}

// completionGen is the generation of the texts: the host "A2" words generation A differently.
func (b *builder) completionGen() string { return strings.TrimSuffix(b.gen, "2") }

func (b *builder) ending(c *Child, outcome State) Ending {
	d := Ending{Child: c, Outcome: outcome, Runtime: time.Duration(30+b.w.r.Intn(560)) * time.Second, In: 6000 + b.w.r.Intn(30000), Out: 300 + b.w.r.Intn(4000)}
	if outcome == Failed && len(c.Facts) > 0 {
		for _, f := range c.Facts {
			if f.Kind == "error" {
				d.Error = f.Text
			}
		}
	}
	return d
}

func (b *builder) end(env Envelope, endings ...Ending) {
	if b.wrapped {
		env.Wrapped = true
	}
	b.add(Completion{Generation: b.completionGen(), Endings: endings, Envelope: env})
}

func (b *builder) env() Envelope {
	e := Envelope{Stamp: []string{"", "UTC", "GMT+9"}[b.w.r.Intn(3)]}
	switch {
	case b.gen == "D" && b.w.r.Intn(3) > 0:
		e.Stamp = ""
		e.Header = 1 + b.w.r.Intn(2)
	case b.w.r.Intn(8) == 0:
		e.System = true
	}
	return e
}

// task is one sub-task from the request to the answer, with the agent's own work in between.
func (b *builder) task(outcome State) *Child {
	c := b.child()
	b.say(Panel)
	b.taskOf(c, outcome, b.env())
	return c
}

func (b *builder) taskOf(c *Child, outcome State, env Envelope) {
	b.ownWork(b.w.r.Intn(2))
	b.add(Spawn{Text: "I hand this to a sub-agent.", Children: []*Child{c}})
	if b.gen == "C" || b.gen == "D" {
		b.add(Yield{})
	} else {
		b.add(Agent{Text: "Started. I report when it is done."})
	}
	b.end(env, b.ending(c, outcome))
	b.ownWork(b.w.r.Intn(3))
	b.add(Agent{Text: b.w.pick(answers)})
}

// wave starts n children in one message; their completions come in a seeded order, with people talking in between.
func (b *builder) wave(n int, humans bool) []*Child {
	var cs []*Child
	for range n {
		cs = append(cs, b.child())
	}
	b.say(Panel)
	thinking := ""
	if b.signed {
		thinking = b.w.pick(thoughts)
	}
	b.add(Spawn{Thinking: thinking, Text: fmt.Sprintf("I split this into %d parts.", n), Children: cs}, Agent{Text: "All parts are running."})
	order := b.w.r.Perm(n)
	for i, k := range order {
		if humans && i == n/2 {
			b.add(Human{Text: b.w.pick(constraints), Constraint: true, Channel: Panel}, Agent{Text: "Understood, I keep to that."})
		}
		if humans && i == n-1 {
			b.work(1)
		}
		outcome := Done
		if b.w.r.Intn(7) == 0 {
			outcome = Failed
		}
		b.end(b.env(), b.ending(cs[k], outcome))
		b.ownWork(b.w.r.Intn(2))
		b.add(Agent{Text: b.w.pick(answers)})
	}
	return cs
}

var refusals = map[Receipt][]string{
	Errored: {"gateway closed the connection before the child session was created", "spawn failed: model \"local/none\" is not configured",
		"EAGAIN: resource temporarily unavailable, fork\n    at spawn (node:child_process:420:9)"},
	LateError: {"agent run was accepted but the wait for its start timed out after 10000 ms"},
	Forbidden: {"agentId \"reviewer\" is not allowed for sessions_spawn (allowed: none)", "sessions_spawn is not allowed at this depth (depth 1, limit 1)",
		"too many active children for this session (5 of 5)"},
	Invalid: {"Validation failed for tool \"sessions_spawn\":\n  - task: must have required property 'task'\n\nReceived arguments:\n{\n  \"label\": \"half a call\"\n}"},
}

// refused is a spawn that the host did not carry out, with the agent's reaction.
func (b *builder) refused(r Receipt) *Child {
	c := b.child()
	c.Receipt = r
	if texts := refusals[r]; texts != nil {
		c.Refusal = b.w.pick(texts)
	}
	c.Transcript = nil
	b.say(Plain)
	b.add(Spawn{Text: "I delegate this.", Children: []*Child{c}}, Agent{Text: "That could not be started; I do it myself."})
	b.ownWork(1)
	b.add(Agent{Text: b.w.pick(answers)})
	return c
}

func (b *builder) inline(tool, outcome string) {
	c := b.child()
	c.Transcript = nil
	text := map[string]string{"timeout": "no reply within 120 s", "error": "child exited with code 2: " + b.w.pick(refusals[Errored]), "forbidden": "session send visibility is restricted"}[outcome]
	if outcome != "ok" {
		c.Facts, c.Created, c.Modified, c.Deleted = nil, nil, nil, nil
	}
	b.say(Plain)
	b.add(Inline{Tool: tool, Child: c, Outcome: outcome, Text: text})
	b.add(Agent{Text: b.w.pick(answers)})
}

// decoys are entries with the words of completions that are none.
func (b *builder) decoys() {
	fake := "A subagent task \"check the gate\" just completed successfully.\n\nFindings:\nall fine\n\nStats: runtime 4s • tokens 1.2k (in 1k / out 200) • sessionKey agent:main:subagent:" + b.w.hex(8)
	quoted := "[Internal task completion event]\nsource: subagent\nsession_key: agent:main:subagent:00000000-0000-4000-a000-000000000000\nstatus: completed successfully"
	b.add(Human{Text: "I found this in yesterday's log, is it normal?\n\n> " + fake, Decoy: true, Channel: Panel},
		Agent{Text: "Yes. When a line says `A background task \"x\" just completed successfully.` the host has written it, not a person.", Decoy: true},
		Agent{Calls: []Call{{Tool: "exec", Command: "grep -n sessions_spawn notes/old.jsonl | head -n 3",
			Output: `{"type":"toolCall","name":"sessions_spawn","arguments":{"task":"old"}}` + "\n" + quoted}}, Decoy: true},
		Agent{Text: "That is an old log, nothing is running."})
}

// duplicates repeats a completion in other envelopes.
func (b *builder) duplicates() {
	c := b.child()
	b.say(Panel)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	d := b.ending(c, Done)
	b.end(Envelope{}, d)
	b.add(Agent{Text: b.w.pick(answers)})
	b.end(Envelope{Queued: true}, d)
	b.add(Agent{Text: "NO_REPLY"})
	b.end(Envelope{Stamp: "UTC"}, d)
	b.add(Agent{Text: "NO_REPLY"})
}

// lateSuccess is a time-out that a success follows.
func (b *builder) lateSuccess() {
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	none := ""
	d := b.ending(c, TimedOut)
	d.Report = &none
	b.end(b.env(), d)
	b.add(Agent{Text: "It ran out of time; I wait a little longer."}, Wait{3 * time.Minute})
	b.end(b.env(), b.ending(c, Done))
	b.add(Agent{Text: b.w.pick(answers)})
}

// reopened ends and then works on: by a message from the child or by one to it.
func (b *builder) reopened(byParent bool) {
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	b.end(b.env(), b.ending(c, Done))
	b.add(Agent{Text: b.w.pick(answers)})
	if byParent {
		b.add(Control{Action: "send", Child: c, Note: "Please also cover the empty case and report again."})
	} else {
		b.add(Progress{Child: c, Text: "I found two more call sites after my report and keep working on them, about half is done."})
	}
	b.add(Agent{Text: "It is still at work on the rest."})
}

// suspect is a completion that contradicts itself.
func (b *builder) suspect() {
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	stub := b.w.pick([]string{"Now I will look at the next file.", "Let me continue with the second part:", "Next: run the tests."})
	c.Expect, c.Facts, c.Created, c.Modified, c.Deleted = Suspect, nil, nil, nil, nil
	b.add(Completion{Generation: b.completionGen(), Envelope: Envelope{Wrapped: b.wrapped}, Endings: []Ending{{Child: c, Outcome: Done, Report: &stub,
		Runtime: time.Duration(11+b.w.r.Intn(30)) * time.Minute}}})
	b.add(Agent{Text: "The report looks cut off; I look into it."})
}

// killed stops a child; no completion follows.
func (b *builder) killed() {
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."}, Wait{2 * time.Minute}, Control{Action: "list", Child: c},
		Human{Text: "Stop that one, I have found the answer myself."}, Control{Action: "kill", Child: c}, Agent{Text: "Stopped."})
}

// abandoned spawns on a branch that the person then takes back.
func (b *builder) abandoned(ended bool) *Child {
	m := b.mark()
	c := b.child()
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running."})
	if ended {
		b.end(b.env(), b.ending(c, Done))
		b.add(Agent{Text: b.w.pick(answers)})
	}
	b.add(Rewind{To: m})
	return c
}

// running leaves a child open.
func (b *builder) running() *Child {
	c := b.child()
	c.Transcript = nil
	b.say(Plain)
	b.add(Spawn{Children: []*Child{c}}, Agent{Text: "Running, I report later."})
	return c
}
