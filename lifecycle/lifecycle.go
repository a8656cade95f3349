// Package lifecycle holds what is known of one piece of finished or unfinished
// work in a session, and decides which pieces may be compacted: their states,
// their members, the waves in which they overlap, and the reason for every one
// that is left alone. It reads the index of a session; of its lines only whether
// they are sound, and whether an answer asks something.
package lifecycle

import (
	"slices"

	"sessc/session"
)

// State is how far a lifecycle has come.
type State uint8

const (
	// Running has a spawn that was accepted, and no completion.
	Running State = iota
	Done
	Failed
	TimedOut
	Killed
	// SpawnFailed never started: its spawn was refused or failed.
	SpawnFailed
	// Suspect has a completion that contradicts itself.
	Suspect
	// Unknown has a result or a completion that says nothing certain.
	Unknown
)

var stateNames = [...]string{"running", "done", "failed", "timed out", "killed", "spawn failed", "suspect", "unknown"}

// String returns the state's word in reports and masks.
func (s State) String() string { return stateNames[s] }

// Finished reports whether nothing more is to be expected of the work.
func (s State) Finished() bool {
	switch s {
	case Done, Failed, TimedOut, Killed, SpawnFailed:
		return true
	}
	return false
}

// Kind is what sort of work a lifecycle is. Each kind is a layer of its own,
// which a user may choose.
type Kind uint8

const (
	// Task is a sub-task that was delegated to another agent.
	Task Kind = iota
	// Turn is the agent's own work between a prompt and its closing answer, or
	// a finished part of it.
	Turn
	// Result is one tool call whose result, and long arguments, are cleared:
	// the call stays, with its id and its place.
	Result
)

// Kinds lists the layers in the order in which they take entries: what one has
// taken is nothing to those behind it.
var Kinds = []Kind{Task, Turn, Result}

var kindNames = [...]string{"task", "turn", "result"}

// String returns the kind's word in reports.
func (k Kind) String() string { return kindNames[k] }

// Layer is the name of the layer that lifecycles of the kind make up.
func (k Kind) Layer() string { return kindNames[k] + "s" }

// Lifecycle is spawn, execution and completion of one piece of work.
type Lifecycle struct {
	Kind  Kind
	Key   string // of a task the id of its spawning call, else the kind and the id of an entry: "turn:…", "result:…"
	Child string // child session key, agent or task id, "" unknown
	Run   string // id of the run, "" unknown
	Inner string // the child's own session id, "" unknown
	Label string // what the agent called it, "" none
	Task  string // beginning of the task text
	Outer string // key of the lifecycle within which it ran, "" at top level

	State State
	Why   string // why the state is suspect or unknown, or the program's words for a failure

	Spawn       int32   // entry of the spawning call
	Receipt     int32   // entry of the spawn's result, -1 none
	Completions []int32 // entries of all copies of the completion, ascending
	Final       int     // index in Session.Events of the completion that decides, -1 none
	Earlier     []int   // likewise of ends before that one which said something else
	Touches     []int32 // entries that name the child otherwise: results of calls about it, messages from it
	Events      []int   // indexes in Session.Events of all that was matched to it, in the order of the passes

	Started int64 // unix ms, 0 unknown
	Ended   int64 // unix ms, 0 unknown
	Took    int64 // ms, -1 when the clock gives no answer
	Spent   int64 // tokens that the child used, as the program printed them, -1 unknown
	Own     int   // estimated context tokens of its spawn, receipt and completions

	// Ambiguous says why its events cannot be told from another's, "" if they
	// can.
	Ambiguous string

	// Members are the entries that make up a turn or a result, in the order of
	// the active path. A task has none: what belongs to it follows from its
	// events. Spawn and Receipt of a turn are its prompt and -1, those of a
	// result its call's message and the result.
	Members []int32
	// Call is the index in Session.Calls of a result's call, -1 for any other
	// kind; Clear says that its result is cleared, and Args which of its
	// arguments are. Own are the tokens that go.
	Call  int32
	Clear bool
	Args  []LongArg
	// Stays is why a finished one is left alone by choice of the user, "" if
	// it is not.
	Stays Reason
}

// LongArg is a long text among the arguments of a call.
type LongArg struct {
	Path   []string // from the arguments down: keys of objects, indexes of arrays
	Tokens int      // of the text
	Weight int      // what it takes in the context, in tokens: its escapes count there
	SHA256 string   // the first eight hex digits
}

// Name is what a person would call the lifecycle: its label, else the first
// words of its task, else its key.
func (l *Lifecycle) Name() string {
	switch {
	case l.Label != "":
		return l.Label
	case l.Task != "":
		return l.Task
	}
	return l.Key
}

// Entries returns the entries of a task that make it up, its spawn, its
// receipt and its completions, ascending and each once.
func (l *Lifecycle) Entries() []int32 {
	if l.Kind != Task {
		return nil
	}
	own := append(make([]int32, 0, 2+len(l.Completions)), l.Spawn)
	if l.Receipt >= 0 {
		own = append(own, l.Receipt)
	}
	own = append(own, l.Completions...)
	slices.Sort(own)
	return slices.Compact(own)
}

// Finish returns the entry of its last completion, or of the receipt that
// refused it, or -1 when it has not ended.
func (l *Lifecycle) Finish() int32 {
	if n := len(l.Completions); n > 0 {
		return l.Completions[n-1]
	}
	if l.State == SpawnFailed {
		return l.Receipt
	}
	return -1
}

// StateOf maps what a completion says to a state.
func StateOf(o session.Outcome) State {
	switch o {
	case session.OutcomeOK:
		return Done
	case session.OutcomeFailed:
		return Failed
	case session.OutcomeTimedOut:
		return TimedOut
	case session.OutcomeKilled:
		return Killed
	}
	return Unknown
}
