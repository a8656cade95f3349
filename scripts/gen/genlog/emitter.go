package genlog

import (
	"fmt"
	"sort"
)

// Session is what a log's header tells.
type Session struct {
	ID, Key, Cwd string
	Generation   string // of the host program: decides the shape of receipts
	Agent        string // id of the sub-agent whose log this is, where a format has such ids
	Parent       string // path of the session this one was forked from
	Version      int    // header version; 0 = the format's own
}

// Emitter writes the steps of one session in one agent's format. Methods return the ids of the entries they
// wrote ("" = none), so that the truth can name them. An emitter keeps the tree of what it wrote unless it
// streams, and knows nothing of lifecycles.
type Emitter interface {
	Open(s Session)
	Human(h Human) string
	// Agent returns the message and then one id per call's result.
	Agent(a Agent) []string
	// Spawn fills the ids of the children and returns the entry of each one's call and of its receipt.
	Spawn(s Spawn) (calls, receipts []string)
	// Completion returns what it wrote for each ending, in order.
	Completion(c Completion) []Told
	// Inline returns the entries of call and result and the state that the result expresses.
	Inline(i Inline) (call, result string, state State)
	Yield(y Yield) []string
	Control(c Control) Controlled
	// Progress returns the entry and whether it tells the agent that the child works.
	Progress(p Progress) (id string, works bool)
	Stray(s Stray) string
	Compact(c Compact, keep string) string
	// Rewind makes the next entry hang below to; with a summary it writes one there.
	Rewind(to, summary string) string
	Meta(m Meta, target string) string
	// Raw tells the emitter that foreign bytes stand here.
	Raw(b []byte)
	// Last is the entry the next one hangs below.
	Last() string
	// Context is the size in tokens that the next call would report.
	Context() int
	// Path tells which entries are active at the end; both are nil functions of everything when streaming.
	Path() (leaf string, onPath, inContext func(id string) bool)
	// Index makes the side files that name child sessions, if the format has any.
	Index(parent Session, children []*Child) map[string][]byte
	// ChildSession is the header of a child's own log, ChildFile its file name.
	ChildSession(parent Session, c *Child) Session
	ChildFile(c *Child) string
	// ChildTask is what the host puts into the child's log as first user turn.
	ChildTask(c *Child) Human
}

// Told is what an emitter wrote for one ending: the entry, and the state that the format's words express, which is
// not always the one that was asked for.
type Told struct {
	Entry string
	State State
}

// Controlled is what an emitter wrote for a call about a child: the id of the call, and the entries of call, result
// and whatever followed at once. Again is set when the call started a run of its own, a lifecycle by itself.
type Controlled struct {
	Call, Tool string
	Entries    []string
	Again      bool
}

// emitters is the list of formats: a new one is a file and a line here.
var emitters = map[string]func(t *Tape, streaming bool) Emitter{
	"openclaw": func(t *Tape, streaming bool) Emitter { return newOpenClaw(t, streaming, false) },
	"pi":       func(t *Tape, streaming bool) Emitter { return newOpenClaw(t, streaming, true) },

	"claude-code": func(t *Tape, streaming bool) Emitter { return newClaude(t, streaming) },
}

// Formats lists the names that Play and Stream accept.
func Formats() []string {
	var names []string
	for n := range emitters {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func newEmitter(format string, t *Tape, streaming bool) (Emitter, error) {
	f, ok := emitters[format]
	if !ok {
		return nil, fmt.Errorf("genlog: unknown format %q; one of %v", format, Formats())
	}
	return f(t, streaming), nil
}
