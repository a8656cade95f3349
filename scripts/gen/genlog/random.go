package genlog

import (
	"fmt"
	"io"
	"time"
)

// Random is a script composed by seed from all building blocks; children asks for their transcripts. Every block
// is reached by some seeds; the labels of a session are unique, so that each lifecycle can be told apart.
func Random(seed int64, children bool) Script {
	b := newBuilder(seed, "")
	b.gen = []string{"A", "A2", "B", "C", "C", "C", "D", "D"}[b.w.r.Intn(8)]
	b.wrapped = b.gen == "C" && b.w.r.Intn(2) == 0 || b.gen == "D" && b.w.r.Intn(4) == 0
	b.signed = b.w.r.Intn(3) == 0
	b.logs = children
	b.lang = []string{"", "", "en", "pt", "zh"}[b.w.r.Intn(5)]
	b.talk()
	for i, n := 0, 3+b.w.r.Intn(6); i < n; i++ {
		b.block(b.w.r.Intn(24))
	}
	if b.w.r.Intn(3) > 0 {
		b.work(1 + b.w.r.Intn(2))
	}
	return Script{Name: fmt.Sprintf("random-%d", seed), Generation: b.gen, Steps: b.steps, WithIndex: b.gen == "B",
		CRLF: b.w.r.Intn(20) == 0, Oddity: "composed by seed"}
}

func (b *builder) block(k int) {
	r := b.w.r
	switch k {
	case 0, 1, 2, 3:
		b.task([]State{Done, Done, Done, Failed, TimedOut, Unknown}[r.Intn(6)])
	case 4, 5:
		b.wave(2+r.Intn(5), r.Intn(2) == 0)
	case 6:
		b.refused([]Receipt{Errored, Forbidden, Invalid}[r.Intn(3)])
	case 7:
		b.inline("sessions_send", []string{"ok", "timeout", "error", "forbidden"}[r.Intn(4)])
	case 8:
		b.duplicates()
	case 9:
		b.lateSuccess()
	case 10:
		b.reopened(r.Intn(2) == 0)
	case 11:
		b.suspect()
	case 12:
		b.killed()
	case 13:
		b.abandoned(r.Intn(2) == 0)
	case 14:
		b.running()
	case 15:
		b.decoys()
	case 16:
		g := b.completionGen()
		if g == "A" {
			g = "B"
		}
		b.add(Stray{Generation: g, Name: "weather", Report: "Rain until noon, then dry."}, Agent{Text: "It rains until noon."})
	case 17:
		b.compaction()
	case 18:
		b.notes()
	case 19:
		b.add(Human{Text: b.w.pick(constraints), Constraint: true, Channel: Channel(r.Intn(4))}, Agent{Text: "Understood."})
	case 20:
		b.queued()
	case 21:
		b.add(Human{Text: "See the picture.", Image: true}, Agent{Text: "I see it."})
	default:
		b.work(1 + r.Intn(3))
	}
}

func (b *builder) compaction() {
	m := b.mark()
	b.work(1)
	b.add(Compact{KeepFrom: m, Summary: "## Goal\nWork through the list of the person.\n\n## Done so far\nEverything above.\n"})
}

func (b *builder) notes() {
	m := b.mark()
	for _, k := range []string{"custom", "label", "mirror", "side", "thinking", "model", "opaque", "error-turn", "prompt-error", "info"} {
		if b.w.r.Intn(3) == 0 {
			text := "note"
			switch k {
			case "model":
				text = models[b.w.r.Intn(len(models))].id
			case "thinking":
				text = "low"
			}
			b.add(Meta{Kind: k, Text: text, Mark: m})
		}
	}
}

// queued is a message that reports two children at once.
func (b *builder) queued() {
	one, two := b.child(), b.child()
	b.say(Queued)
	b.add(Spawn{Children: []*Child{one, two}}, Agent{Text: "Both running."})
	env := Envelope{Queued: true}
	if b.gen == "C" || b.gen == "D" {
		env.Queued = b.w.r.Intn(2) == 0
	}
	b.end(env, b.ending(one, Done), b.ending(two, []State{Done, TimedOut}[b.w.r.Intn(2)]))
	b.add(Agent{Text: b.w.pick(answers)})
}

// Stream writes a session of at least size bytes to w and returns its truth without the words of people and
// children (they would not fit in memory). There are no branches, so everything is on the active path; the agent
// compacts its history whenever the context is full, as real long sessions do. Memory does not grow with size
// except for the truth's rows, about 1 KB per lifecycle, and the ids.
func Stream(w io.Writer, format string, seed, size int64) (Truth, error) {
	b := newBuilder(seed, "C")
	b.signed = true
	s := Script{Name: fmt.Sprintf("size-%d-%d", size, seed), Generation: "C", Oddity: "size mode"}
	p, err := newPlayer(newTape(w, seed), s, format, seed, true)
	if err != nil {
		return Truth{}, err
	}
	if err := p.play(p.main()); err != nil {
		return Truth{}, err
	}
	var rows []Lifecycle
	gone := 0 // rows before the last compaction's kept range
	all := func(string) bool { return true }
	for i := 0; p.t.n < size; i++ {
		b.steps = b.steps[:0]
		switch r := b.w.r; {
		case i%97 == 96:
			b.bulk(200_000 + r.Intn(900_000))
		case r.Intn(3) == 0:
			b.block([]int{0, 1, 2, 4, 6, 7, 8, 9, 12, 16, 19, 20}[r.Intn(12)])
		default:
			b.work(1 + r.Intn(5))
		}
		// A compaction stands last in its round and keeps one turn without spawns.
		compacts := p.e.Context() > 160_000
		if compacts {
			b.compaction()
		}
		foresee(b.steps)
		for _, st := range b.steps {
			if err := p.step(st); err != nil {
				return Truth{}, err
			}
		}
		for _, c := range p.children {
			row := p.settle(c, all, all)
			row.Task, row.Result, row.Facts = "", "", nil
			rows = append(rows, row)
		}
		if compacts {
			gone = len(rows)
		}
		p.children = p.children[:0]
		clear(p.lives)
		clear(p.runs)
		clear(p.marks)
		clear(b.w.seen)
		p.tr.Humans, p.tr.Decoys, p.tr.Metadata, p.tr.Waits, p.tr.Strays, p.tr.OptionalCalls = nil, nil, nil, nil, nil, nil
	}
	t := p.truth()
	for i := range rows[:gone] {
		rows[i].InContext = false
	}
	t.Lifecycles = rows
	return t, p.t.w.Flush()
}

// bulk is one very large tool result, as real logs hold them.
func (b *builder) bulk(n int) {
	out := make([]byte, 0, n+4096)
	for len(out) < n {
		out = append(out, b.w.testLog(40)...)
		out = append(out, b.w.source("x.go", 20)...)
	}
	b.say(Plain)
	b.add(Agent{Calls: []Call{{Tool: "exec", Command: "cat build.log", Output: string(out)}}}, Wait{time.Minute}, Agent{Text: b.w.pick(answers)})
}
