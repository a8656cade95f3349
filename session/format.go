package session

import (
	"strings"

	"sessc/session/linescan"
)

// Confidence is how sure a format is that a file is one of its logs.
type Confidence uint8

const (
	No Confidence = iota
	Maybe
	Sure
)

// Recognition is a format's verdict on the head of a file.
type Recognition struct {
	Confidence Confidence
	// Refuse is why the file, though of this format, must not be read as a
	// session: a newer version, a trajectory, a copy. nil when it may.
	Refuse error
}

// Caps declares what a format's logs allow.
type Caps struct {
	Replace bool // a run of entries may be replaced by others
	InPlace bool // tasks are masked inside their own entries, which stay, see [Piece.InPlace]
	Texts   bool // Plan knows pieces whose members stay, see [Piece.Stay]
	Disk    bool // Plan knows what no client reads again, see [PlanTerms.Disk]
}

// Settings are the user's choices that change how a log is read, and what a
// reader need not do for its caller.
type Settings struct {
	// SpawnTools are further tool names whose calls delegate a sub-task and
	// whose result is its completion.
	SpawnTools []string
	// NoEvents lets Session.Events stay empty: for a log that is only
	// compared with another.
	NoEvents bool
	// NoTokens leaves sizes in the context rough, a token for four bytes: for
	// a log of which they are of no interest.
	NoTokens bool
	// NoHash leaves the SHA-256 out of Session.Source: for a run that changes
	// nothing. It takes as long as a third of the reading.
	NoHash bool
}

// Format is all that is known of one agent's log. A new agent is a new
// implementation in a folder below this one, and a line in package formats.
type Format interface {
	// Name is the agent's name in reports, lower case.
	Name() string
	// Caps declares what the log allows.
	Caps() Caps
	// Recognise judges the first bytes of a file (at most 64 KB, perhaps cut
	// within a line) by the shape of its body. name is the file's base name.
	Recognise(head []byte, name string) Recognition
	// LogName reports whether a log may have a file name, by its ending.
	LogName(name string) bool
	// SkipName says why a file found in a folder is no live session, by what
	// the agent itself calls such files: an archive, a checkpoint, a trace, the
	// log of a sub-task. "" for every other name.
	SkipName(name string) string
	// Reader returns what reads one log.
	Reader(set Settings) Reader
	// Content decodes an entry from its raw bytes.
	Content(raw []byte) (Content, error)
	// Action joins a call's entry and its result's entry (nil when it has
	// none) to what was done.
	Action(call []byte, block int, result []byte) (Action, error)
	// Report returns a child's words within the entry of a completion, as the
	// child wrote them.
	Report(raw []byte, ev *Event) (string, error)
	// Related returns child logs that lie beside the session, read-only.
	Related(s *Session, child Event) []Child
	// Plan turns pieces into edits. It returns an [*Unfit] for a piece that it
	// cannot plan. low is the calibrated low estimate of
	// tokens from an uncalibrated one, for figures that a client will read.
	Plan(s *Session, pieces []Piece, t PlanTerms) (*Plan, error)
	// Repoint corrects a line that starts a new context, when it is restored
	// with the log: where it names, as the first entry that is kept, a mask
	// that stood for several entries (moved: the mask's id -> the id of the
	// first of them), the whole of them has to be kept. It returns the line
	// and what was changed in it, raw and "" when nothing was.
	Repoint(raw []byte, moved map[string]string) (line []byte, what string)
	// Facts takes from an original what Check needs to know of it.
	Facts(s *Session) any
	// Check compares what the format alone can judge in an original, of which
	// it gets the facts, and its rewritten form, and returns what got worse.
	Check(before any, after *Session) []string
	// Live looks for a sign that a program still uses the log and returns
	// what it found, "" if nothing. running lists the programs to look among,
	// nil those that run at the moment.
	Live(s *Session, running *Processes) string
	// LockFile names the file that the agent itself takes as its lock for
	// this log, and what to write there; "" when the agent has none.
	LockFile(s *Session) (path string, content []byte)
	// DefaultDirs are the folders in which the agent keeps its sessions.
	// getenv looks up an environment variable.
	DefaultDirs(getenv func(string) string) []string
	// Warn returns remarks on a log's surroundings that a user should know
	// before it is rewritten; block is set when only --output is safe.
	Warn(s *Session) (notes []string, block string)
}

// PlanTerms are the figures a plan needs from other stages.
type PlanTerms struct {
	// Low and High turn an uncalibrated estimate of tokens into one that
	// errs on the small and on the large side, for figures that a client
	// will trust.
	Low, High func(int) int
	// Clean takes secrets out of the words of a call that a mask keeps.
	Clean func(string) string
	// Harmless reports whether such words hold nothing that could be taken for
	// structure; nil allows all.
	Harmless func(string) bool
	// Generation numbers the rewrites of one session, from 1.
	Generation int
	// Disk asks to take out as well what no client reads again.
	Disk bool
}

// Residuer is implemented by formats that mask inside entries and keep a part
// of them, such as the frame of a notification.
type Residuer interface {
	// Residue estimates, in uncalibrated tokens, what of a piece's members
	// would stay in the context if the texts of its masks were empty.
	Residue(s *Session, piece Piece) (int, error)
}

// Child is the log of a sub-task, beside its orchestrator's.
type Child struct {
	Path    string
	Actions func() ([]Action, error) // reads the log
}

// Reader takes in the lines of one log, in file order.
type Reader interface {
	// Line indexes one physical line. It never fails: what it cannot read
	// becomes an Opaque or Damaged entry.
	Line(l linescan.Line, b *Builder)
	// Finish sets what needs the whole file: parents, pairs, the active path.
	Finish(b *Builder)
}

// Sizer is implemented by readers that leave [Entry.Said], Thought and Args
// rough in Line. A look at each byte of the texts takes longer than all the
// rest of the reading, and only what is sent costs anything: a long log is for
// its greatest part before its last compaction.
type Sizer interface {
	// Size sets the three for an entry of the active path from its bytes.
	Size(raw []byte, e *Entry)
}

// PlainName reports whether a name from a log or an index is that of a file
// within a folder, and no way out of it.
func PlainName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00")
}
