package session

import (
	"math"
	"time"
)

// Kind says what an entry is to the client that owns the log.
type Kind uint8

const (
	// Opaque is a valid line of a type that the format does not know. It is
	// kept byte for byte and counted.
	Opaque Kind = iota
	// Damaged is a line that is not one valid JSON object.
	Damaged
	// Blank is an empty line.
	Blank
	// Header opens a log.
	Header
	// Human is a user-role entry typed by a person.
	Human
	// HostEvent is a user-role entry written by the host program: a completion
	// notice, a cron run, a reminder.
	HostEvent
	// Assistant is one message of the model.
	Assistant
	// Mirror is an assistant-role copy of a delivered text: sent to the
	// model, but not a turn of it.
	Mirror
	// Result is the result of one tool call.
	Result
	// Boundary starts a new context: a compaction or a reset.
	Boundary
	// Summary is any other text that the program puts into the context.
	Summary
	// Meta is in the file, perhaps in the parent chain, never in the context.
	Meta
)

var kindNames = [...]string{"opaque", "damaged", "blank", "header", "human", "event", "assistant", "mirror", "result", "boundary", "summary", "meta"}

// String returns the word that reports use for the kind.
func (k Kind) String() string { return kindNames[k] }

// Role is the role under which a client sends an entry of this kind to the
// model: "user", "assistant", "tool", or "" when it sends none.
func (k Kind) Role() string {
	switch k {
	case Human, HostEvent, Boundary, Summary:
		return "user"
	case Assistant, Mirror:
		return "assistant"
	case Result:
		return "tool"
	}
	return ""
}

// Flags mark what a later stage needs to know of an entry without its text.
type Flags uint16

const (
	// Side marks an entry that does not move the active leaf.
	Side Flags = 1 << iota
	// Signed marks a message with signed reasoning: its blocks may only be
	// kept or dropped together.
	Signed
	// Ended marks an assistant entry whose turn ended normally (the model
	// finished or called tools), as opposed to an error or an abort.
	Ended
	// Failed marks a result that the program flagged as an error.
	Failed
	// ByUs marks an entry that carries our envelope marker.
	ByUs
	// Unsure marks an entry whose place in the tree is ambiguous: its id or
	// its parent's id occurs more than once, or its parents form a cycle.
	Unsure
	// Quiet marks a note that the program wrote for the model alone and that
	// begins no turn: that it gave its turn away to wait, what changed in its
	// surroundings.
	Quiet
	// Fixed marks an entry that the layers behind the tasks leave as it is,
	// for a reason that only the format knows: a result with words of a
	// person in it, an entry that a compaction names.
	Fixed
	// Ballast marks an entry that is never sent and that no client reads
	// again, of whatever version: it only takes room in the file.
	Ballast
)

// Parent values of an entry that has no parent entry.
const (
	NoParent      int32 = -1 // a root
	MissingParent int32 = -2 // names an id that no entry has
)

// Text is a reference into the index's store of ids and names, where each
// stands behind its length. The zero value is the empty text.
type Text struct{ at uint32 }

// Entry is the index record of one item that the client would read: 48 bytes,
// whatever the size of the item. What is the same for nearly all of them stands
// beside: [Session.LineOf], [Session.MessageOf].
type Entry struct {
	Off      int64  // first byte in the file
	Time     int64  // unix ms, 0 when absent or unreadable
	ID       Text   // see [Session.IDOf]
	ParentID Text   // as written, also when no entry has that id
	Len      uint32 // line ends included
	Parent   int32  // entry index, or NoParent, or MissingParent
	Said     uint32 // estimated tokens of text; rough for an entry that is not sent, see [Sizer]
	Thought  uint32 // estimated tokens of reasoning
	Args     uint32 // estimated tokens of tool arguments
	Flags    Flags
	Pictures uint8 // number of images, at most 255
	Kind     Kind
}

// Tokens is the uncalibrated estimate of what the entry costs in the context.
func (e *Entry) Tokens() int { return int(e.Said) + int(e.Thought) + int(e.Args) }

// Is reports whether all the given flags are set.
func (e *Entry) Is(f Flags) bool { return e.Flags&f == f }

// When returns the entry's time, the zero time when unknown.
func (e *Entry) When() time.Time {
	if e.Time == 0 {
		return time.Time{}
	}
	return time.UnixMilli(e.Time).UTC()
}

// Call is one tool call of an assistant entry, in file order.
type Call struct {
	Entry  int32 // the assistant entry
	Result int32 // the entry with its result on the same branch, or -1
	Block  int32 // position among the blocks of the entry
	Op     Op
	ID     Text
	Name   Text
}

// Usage is what the program recorded about one model turn, in tokens. A zero
// total means that it recorded nothing.
type Usage struct {
	Entry  int32
	Prompt int32 // input, cached or not
	Output int32
	Total  int32
	Model  Text
}

// Op is what a tool does, as far as records need to know.
type Op uint8

const (
	OpOther Op = iota
	OpRead
	OpWrite // creates or replaces a whole file
	OpEdit  // changes part of a file
	OpPatch // a patch text that names its own files
	OpDelete
	OpExec
	OpSearch
	OpDelegate // starts or steers a sub-task
	OpAsk      // asks a person; its result holds what the person typed
)

// Clamp32 and ClampU32 keep odd figures within the fields of an entry and what
// belongs to it.
func Clamp32(n int64) int32 { return int32(max(0, min(n, math.MaxInt32))) }

// ClampU32 is [Clamp32] for sizes.
func ClampU32(n int) uint32 { return uint32(min(n, math.MaxUint32)) }
