package genlog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Script is a whole session: what stands in the header and what happens.
type Script struct {
	Name       string
	Oddity     string
	Generation string // of the host program; also the completions' where a step names none
	Key        string // session key; "" = agent:main:main
	Cwd        string
	CRLF       bool
	WithIndex  bool // write the side file that names children even when no transcript is written
	Steps      []Step
}

// BesideLog begins the names of files that lie in a folder of the log's own, which has the log's name without its ending.
const BesideLog = "*"

// BesideName is the name of a file beside a log, once the log's own is known.
func BesideName(name, log string) string {
	if rest, ok := strings.CutPrefix(name, BesideLog+"/"); ok {
		return strings.TrimSuffix(log, ".jsonl") + "/" + rest
	}
	return name
}

// Output is a generated session: the log, its truth, and the files that lie beside it (child transcripts and the
// index) by name, see [BesideName].
type Output struct {
	Log   []byte
	Truth Truth
	Files map[string][]byte
}

// Play writes a script in a format. The same script, format and seed give the same bytes.
func Play(s Script, format string, seed int64) (Output, error) {
	var buf bytes.Buffer
	p, err := newPlayer(newTape(&buf, seed), s, format, seed, false)
	if err != nil {
		return Output{}, err
	}
	out := Output{Files: map[string][]byte{}}
	p.files = out.Files
	if err := p.play(p.main()); err != nil {
		return Output{}, err
	}
	out.Truth = p.truth()
	if err := p.t.w.Flush(); err != nil {
		return Output{}, err
	}
	out.Log = buf.Bytes()
	if len(out.Files) > 0 || s.WithIndex {
		for name, data := range p.e.Index(p.s, p.children) {
			out.Files[name] = data
		}
	}
	return out, nil
}

type player struct {
	t        *Tape
	e        Emitter
	format   string
	seed     int64
	script   Script
	s        Session
	marks    map[string]string
	children []*Child
	lives    map[*Child]*life
	runs     map[*Child]*Child // the run that a child is in, where it is not its first
	nested   []Lifecycle
	files    map[string][]byte
	tr       Truth
}

// life is what the player knows of one child: its truth row and its events in file order.
type life struct {
	row    Lifecycle
	start  time.Time
	events []event
}

type event struct {
	entry  string
	state  State // after this event; Running for work after a completion
	report string
	err    string
	at     time.Time
	end    *Ending
}

func newPlayer(t *Tape, s Script, format string, seed int64, streaming bool) (*player, error) {
	if s.CRLF {
		t.eol = "\r\n"
	}
	e, err := newEmitter(format, t, streaming)
	if err != nil {
		return nil, err
	}
	p := &player{t: t, e: e, format: format, seed: seed, script: s, marks: map[string]string{}, lives: map[*Child]*life{}, runs: map[*Child]*Child{}}
	return p, nil
}

// main is the session of a script's own log.
func (p *player) main() Session {
	s := Session{ID: p.t.uuid(), Key: p.script.Key, Cwd: p.script.Cwd, Generation: p.script.Generation}
	if s.Key == "" {
		s.Key = "agent:main:main"
	}
	if s.Cwd == "" {
		s.Cwd = "/home/dev/workspace"
	}
	return s
}

func (p *player) play(s Session) error {
	p.s = s
	p.tr = Truth{Name: p.script.Name, Format: p.format, Seed: p.seed, SessionID: s.ID, SessionKey: s.Key, Oddity: p.script.Oddity}
	p.e.Open(s)
	foresee(p.script.Steps)
	for _, st := range p.script.Steps {
		if err := p.step(st); err != nil {
			return fmt.Errorf("script %s: %w", p.script.Name, err)
		}
	}
	return nil
}

func (p *player) step(st Step) error {
	switch st := st.(type) {
	case Human:
		id := p.e.Human(st)
		p.tr.Humans = append(p.tr.Humans, HumanText{Entry: id, Text: st.Text, Constraint: st.Constraint})
		if st.Decoy {
			p.tr.Decoys = append(p.tr.Decoys, Note{id, "a human quotes host markers"})
		}
	case Agent:
		ids := p.e.Agent(st)
		if st.Decoy {
			for _, id := range ids {
				if id != "" {
					p.tr.Decoys = append(p.tr.Decoys, Note{id, "the agent's text or a tool result quotes host markers"})
				}
			}
		}
	case Spawn:
		start := p.t.now
		calls, receipts := p.e.Spawn(st)
		for i, c := range st.Children {
			l := p.open(c, calls[i], receipts[i], start, c.Inline)
			if !c.Inline {
				continue
			}
			if err := p.childLog(c); err != nil {
				return err
			}
			d := c.Only
			l.row.Generation = p.completionGen()
			l.events = append(l.events, event{entry: receipts[i], state: d.Outcome, report: d.report(), err: d.Error, at: p.t.now, end: d})
		}
	case Completion:
		return p.completion(st)
	case Inline:
		start := p.t.now
		call, result, state := p.e.Inline(st)
		l := p.open(st.Child, call, result, start, true)
		l.row.State = state
		l.row.Error = ""
		if st.Outcome != "ok" {
			l.row.Error = st.Text
		} else {
			l.row.Result = st.Child.Report
		}
		if state == Failed {
			l.row.Or = append(l.row.Or, SpawnFailed)
		}
		l.row.SpanMS = p.t.now.Sub(start).Milliseconds()
	case Yield:
		p.tr.Waits = append(p.tr.Waits, p.e.Yield(st)...)
	case Control:
		return p.control(st)
	case Progress:
		id, works := p.e.Progress(st)
		l, err := p.life(st.Child)
		if err != nil {
			return err
		}
		l.row.RelatedEntries = append(l.row.RelatedEntries, id)
		if works {
			l.events = append(l.events, event{entry: id, state: Running, at: p.t.now})
		}
	case Stray:
		id := p.e.Stray(st)
		why := "no spawn in this log: " + st.Kind
		switch {
		case len(st.Settle) > 0:
			why = "summary of children that had ended already, without keys"
		case st.Kind == "":
			why = "cron job"
		}
		p.tr.Strays = append(p.tr.Strays, Note{id, why})
	case Compact:
		keep := p.marks[st.KeepFrom]
		id := p.e.Compact(st, keep)
		p.tr.Compactions = append(p.tr.Compactions, CompactionPoint{id, keep})
	case Mark:
		p.marks[st.Name] = p.e.Last()
	case Rewind:
		to, ok := p.marks[st.To]
		if !ok {
			return fmt.Errorf("rewind to unknown mark %q", st.To)
		}
		if id := p.e.Rewind(to, st.Summary); id != "" {
			p.tr.Metadata = append(p.tr.Metadata, Note{id, "branch summary"})
		}
	case Meta:
		if id := p.e.Meta(st, p.marks[st.Mark]); id != "" {
			p.tr.Metadata = append(p.tr.Metadata, Note{id, st.Kind})
		}
	case Wait:
		p.t.now = p.t.now.Add(st.D)
	case Raw:
		p.e.Raw(st.Bytes)
	default:
		return fmt.Errorf("no player for step %T", st)
	}
	return p.t.err
}

func (p *player) life(c *Child) (*life, error) {
	if again := p.runs[c]; again != nil {
		c = again
	}
	l, ok := p.lives[c]
	if !ok {
		return nil, fmt.Errorf("child %q was never spawned", c.Label)
	}
	return l, nil
}

func (p *player) open(c *Child, call, result string, start time.Time, inline bool) *life {
	l := &life{start: start, row: Lifecycle{Tool: c.Tool, CallID: c.CallID, Label: c.Label, Task: c.Task, SpawnEntry: call, ReceiptEntry: result,
		Inline: inline, Or: c.Or, Facts: c.Facts, Created: c.Created, Modified: c.Modified, Deleted: c.Deleted, SpanMS: -1, State: Running}}
	if c.Lean {
		l.row.Label = ""
	}
	if c.Receipt == Accepted || c.Receipt == LateError || inline {
		l.row.ChildKey, l.row.RunID = c.Key, c.RunID
		if !inline {
			l.row.ChildSessionID = c.SessionID
		}
	}
	switch c.Receipt {
	case Errored, Forbidden, Invalid:
		l.row.State, l.row.Error = SpawnFailed, c.Refusal
	case LateError:
		l.row.State, l.row.Error = Unknown, c.Refusal
		l.row.Or = append(l.row.Or, SpawnFailed, Running)
	case Missing, SyntheticR:
		l.row.State = Unknown
		l.row.Or = append(l.row.Or, Running)
	}
	p.lives[c] = l
	p.children = append(p.children, c)
	return l
}

func (p *player) completionGen() string { return strings.TrimSuffix(p.script.Generation, "2") }

// report is what the child says in the end.
func (d *Ending) report() string {
	if d.Report != nil {
		return *d.Report
	}
	return d.Child.Report
}

// foresee tells each child of its only ending.
func foresee(steps []Step) {
	ends := map[*Child]int{}
	for _, st := range steps {
		switch st := st.(type) {
		case Completion:
			for i := range st.Endings {
				c := st.Endings[i].Child
				ends[c]++
				c.Only = &st.Endings[i]
			}
		case Control:
			ends[st.Child] += 2
		case Progress:
			ends[st.Child] += 2
		}
	}
	for c, n := range ends {
		if n != 1 {
			c.Only = nil
		}
	}
}

func (p *player) completion(c Completion) error {
	if c.Generation == "" {
		c.Generation = p.completionGen()
	}
	// What ran at once has ended already.
	c.Endings = slices.DeleteFunc(slices.Clone(c.Endings), func(d Ending) bool { return d.Child.Inline })
	if len(c.Endings) == 0 {
		return nil
	}
	for i := range c.Endings {
		if err := p.childLog(c.Endings[i].Child); err != nil {
			return err
		}
	}
	told := p.e.Completion(c)
	for i := range c.Endings {
		id := told[i].Entry
		if id == "" {
			continue
		}
		d := &c.Endings[i]
		l, err := p.life(d.Child)
		if err != nil {
			return err
		}
		l.row.CompletionEntries = append(l.row.CompletionEntries, id)
		l.row.Generation = c.Generation
		if i > 0 && id == told[0].Entry && c.Generation == "C" && !slices.Contains(l.row.Or, Suspect) {
			// The event before it holds a child's words unescaped, which could have forged this one.
			l.row.Or = append(l.row.Or, Suspect)
		}
		if told[i].State == "" {
			continue
		}
		l.events = append(l.events, event{entry: id, state: told[i].State, report: d.report(), err: d.Error, at: p.t.now, end: d})
	}
	return nil
}

func (p *player) control(c Control) error {
	start := p.t.now
	done := p.e.Control(c)
	ids := done.Entries
	if done.Again {
		again := *c.Child
		again.CallID, again.Tool, again.RunID, again.Task = done.Call, done.Tool, done.Call, c.Note
		again.Expect, again.Or, again.Facts, again.Created, again.Modified, again.Deleted = "", nil, nil, nil, nil, nil
		p.runs[c.Child] = &again
		p.open(&again, ids[0], ids[1], start, false)
		return nil
	}
	l, err := p.life(c.Child)
	if err != nil {
		return err
	}
	if c.Action == "send" || c.Action == "steer" {
		p.tr.OptionalCalls = append(p.tr.OptionalCalls, done.Call)
	}
	l.row.RelatedEntries = append(l.row.RelatedEntries, ids...)
	switch c.Action {
	case "kill":
		l.events = append(l.events, event{entry: ids[len(ids)-1], state: Killed, at: p.t.now})
	case "steer", "send":
		l.events = append(l.events, event{entry: ids[len(ids)-1], state: Running, at: p.t.now})
	}
	return nil
}
