package session

import (
	"strings"
	"unicode/utf8"
)

// EventKind is what an entry means to a sub-task.
type EventKind uint8

const (
	// Spawn is the call that starts a sub-task.
	Spawn EventKind = iota
	// Accepted is a spawn's result: the sub-task runs. It is an
	// acknowledgement, never a completion.
	Accepted
	// SpawnError is a spawn's result: it was refused or could not start.
	SpawnError
	// Inline is a spawn's result that is itself the completion.
	Inline
	// Completion is a message of the program that says how a sub-task ended.
	Completion
	// Touch is a call that names a child (wait, poll, history, kill) or a note
	// about one; with its result it belongs to the child's lifecycle.
	Touch
	// Activity is a sign that a child works, such as a message from it, or one to
	// it that was accepted. After its completion it re-opens its lifecycle.
	Activity
	// Killed is a call that ended a child, with a result that says so.
	Killed
	// Unclear is a spawn's result from which nothing can be concluded.
	Unclear
)

// Outcome is how a completion says that a sub-task ended.
type Outcome uint8

const (
	OutcomeUnknown Outcome = iota
	OutcomeOK
	OutcomeFailed
	OutcomeTimedOut
	OutcomeKilled
)

// Event is one fact about a sub-task that a format read from an entry. The
// passes of package scan match events by their keys, strongest key first, and
// know nothing else of the format. An empty key is unknown.
type Event struct {
	Kind    EventKind
	Outcome Outcome // how a completion says that the sub-task ended
	// Whole is set when the events of this entry consume all its text: only
	// then may the entry go.
	Whole bool
	Entry int32
	Call  string // id of the tool call (Spawn, its results, Touch, Killed)

	Child   string // child session key, agent id or task id; of a Touch or Killed perhaps a run id or a label
	Session string // the child's own session id, or how its completion names it
	Run     string // id of one run of the child, or that of the call that began it
	Label   string // what the agent called the sub-task; never unique
	Task    string // the first 400 bytes of the task text, decoded

	Error string // the program's own words for a failure, with their line breaks, at most 500 bytes
	// Suspect says why the completion contradicts itself, "" if it does not.
	Suspect string

	Runtime int64 // ms as the program printed it, -1 unknown
	Tokens  int64 // tokens the child used as the program printed them, -1 unknown

	// Report is the byte range of the child's words within the decoded text
	// of the entry, see [Format.Report].
	Report Range
}

// TaskText is what an event keeps of a task or a label: its first 400 bytes. It
// may be a part of the text that it was given.
func TaskText(s string) string { return beginning(s, 400) }

// ErrorText is what an event keeps of the program's words for a failure: their
// first 500 bytes. Their line breaks stay: a password in a table is known by
// its column.
func ErrorText(s string) string { return beginning(strings.TrimSpace(s), 500) }

// beginning cuts a text to at most n bytes, at the border of a character. What
// is no UTF-8 in it is replaced.
func beginning(s string, n int) string {
	s = strings.ToValidUTF8(upTo(s, n), "\uFFFD") // cut first: a text may be long
	return upTo(s, n)
}

func upTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for at := n; at > max(0, n-utf8.UTFMax); at-- {
		if utf8.RuneStart(s[at]) {
			return s[:at]
		}
	}
	return s[:n]
}

// Range is a half-open range of bytes.
type Range struct{ Off, Len int64 }

// End is the first byte behind the range.
func (r Range) End() int64 { return r.Off + r.Len }
