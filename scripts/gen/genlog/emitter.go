package genlog

import (
	"fmt"
	"sort"
)

// Session is what a log's header tells.
type Session struct {
	ID, Key, Cwd string
	Generation   string // of the host program: decides the shape of receipts
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
	// Spawn fills the ids of the children and returns the message and one receipt per child.
	Spawn(s Spawn) (message string, receipts []string)
	Completion(c Completion) string
	Inline(i Inline) (call, result string)
	Yield(y Yield) []string
	// Control returns the id of the call and the entries of call and result.
	Control(c Control) (call string, entries []string)
	Progress(p Progress) string
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
	// Index is the side file that names child sessions, if the format has one.
	Index(parent Session, children []*Child) (name string, data []byte)
	// ChildSession is the header of a child's own log, ChildFile its file name.
	ChildSession(parent Session, c *Child) Session
	ChildFile(c *Child) string
	// ChildTask is what the host puts into the child's log as first user turn.
	ChildTask(c *Child) Human
}

// emitters is the list of formats: a new one is a file and a line here.
var emitters = map[string]func(t *Tape, streaming bool) Emitter{
	"openclaw": func(t *Tape, streaming bool) Emitter { return newOpenClaw(t, streaming, false) },
	"pi":       func(t *Tape, streaming bool) Emitter { return newOpenClaw(t, streaming, true) },
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
