package genlog

import "time"

// A Step is one thing that happens in a session, in no agent's format.
type Step interface{ step() }

// Human is something a person typed.
type Human struct {
	Text       string
	Channel    Channel
	Image      bool // a picture is attached
	Constraint bool // the text is a standing instruction
	Decoy      bool // the text quotes host markers
}

// Channel is the way a person's words reached the agent; hosts wrap the text differently.
type Channel int

// The channels.
const (
	Plain  Channel = iota // the text alone
	Panel                 // the control panel: sender block and clock stamp before the text
	Chat                  // a messenger: "System:" line that repeats the text
	Queued                // sent while the agent was busy
)

// Agent is one assistant message and the results of its calls.
type Agent struct {
	Thinking string // signed reasoning; "" = none
	Text     string
	Calls    []Call
	Stop     string // "" = toolUse with calls, stop without
	Decoy    bool   // text or results quote host markers
}

// Call is one tool call of the agent's own work with what came back.
type Call struct {
	Tool     string // read, exec, write, edit, or any other name
	Path     string
	Command  string
	Content  string // write
	Old, New string // edit
	Output   string // read, exec, others
	Exit     int    // exec
	Err      string // the tool itself failed
	NoResult bool   // the process died before the result was written
	Image    bool   // the result carries a picture
}

// Child is one delegated task: what was asked, how the call was answered, what the child did.
type Child struct {
	Label, Task string
	Receipt     Receipt
	Refusal     string // text of an error, forbidden or validation receipt
	Report      string
	Facts       []Fact
	Created     []string
	Modified    []string
	Deleted     []string
	Transcript  []Step // the child's own log; nil = none is written
	Archived    string // stamp: the transcript lies there as <id>.jsonl.deleted.<stamp>
	Lean        bool   // spawn arguments without label

	Expect State   // overrides what the player works out
	Or     []State // further acceptable states

	// Only is the child's one ending, when the script has exactly one and nobody speaks to the child: a host may then
	// have run it at once. The player sets it.
	Only *Ending

	// Tool, CallID, Key, SessionID and RunID are filled by the emitter when the spawn is written; Inline is set when
	// the receipt was the completion.
	Tool, CallID, Key, SessionID, RunID string
	Inline                              bool
}

// Receipt is how the host answered a spawn call.
type Receipt int

// The receipts.
const (
	Accepted   Receipt = iota
	Errored            // status error
	LateError          // status error after the child had started: with key and run id
	Forbidden          // status forbidden
	Invalid            // argument validation failed: no JSON, isError true
	Missing            // no result was written
	SyntheticR         // the host put a synthetic "missing result" error there later
)

// Spawn is one assistant message that delegates one or more tasks, with the receipts.
type Spawn struct {
	Thinking, Text string
	Children       []*Child
	Before         []Call // other calls in the same message, before the spawns
}

// Completion is one host entry that reports the end of one or more children.
type Completion struct {
	Generation string // A, B, C, D
	Endings    []Ending
	Envelope   Envelope
}

// Ending is the end of one child's run as the host words it.
type Ending struct {
	Child     *Child
	Outcome   State  // Done, Failed, TimedOut or Unknown; Suspect is worded like Done
	Error     string // after "failed: "
	Report    *string
	Runtime   time.Duration
	NoRuntime bool // "n/a"
	In, Out   int  // tokens; both 0 with NoTokens: "n/a"
	NoTokens  bool
	Source    string // "subagent" when empty
	Kind      string // "subagent task" when empty
}

// Envelope is what stands around a completion text.
type Envelope struct {
	Stamp   string // "", "UTC", "GMT+9"
	System  bool   // "System: [stamp] "
	Queued  bool   // "[Queued announce messages while agent was busy]"
	Wrapped bool   // <<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>> (gen C of 2026.4, gen D when steered)
	Header  int    // inter-session header (gen D): 0 none, 1 before the text, 2 after it
	NoProv  bool   // leave the provenance out
	Plain   bool   // content is a string, not blocks
}

// Inline is a delegation whose answer is the call's own result.
type Inline struct {
	Tool    string // sessions_send, delegate_task, subagent
	Child   *Child
	Outcome string // ok, timeout, error, forbidden, accepted
	Text    string
}

// Yield ends the turn to wait for children.
type Yield struct{ Interrupted bool }

// Control is a call about running children: list, kill, steer, history.
type Control struct {
	Action string
	Child  *Child
	Note   string // steer message, or what list shows as state
}

// Progress is a message that a child sent to its parent's session.
type Progress struct {
	Child *Child
	Text  string
}

// Stray is a host event without a spawn in this log.
type Stray struct {
	Generation string
	Name       string
	Report     string
	Kind       string // "cron job" when empty
	Settle     []*Child
}

// Compact is the agent's own compaction.
type Compact struct {
	Summary  string
	KeepFrom string // a mark; "" = an id that does not exist
}

// Mark names the last written entry for later reference.
type Mark struct{ Name string }

// Rewind continues below a marked entry: what was written since becomes an abandoned branch.
type Rewind struct {
	To      string
	Summary string // writes a branch summary there; "" = none
}

// Meta is a line that is no message: see the emitter for the kinds it knows.
type Meta struct {
	Kind string // custom, model, thinking, label, info, leaf, side, mirror, mirror-path, opaque, usage, bash, error-turn, prompt-error
	Text string
	Mark string // label, leaf
}

// Wait lets the clock run.
type Wait struct{ D time.Duration }

// Raw writes bytes as they are.
type Raw struct{ Bytes []byte }

func (Human) step()      {}
func (Agent) step()      {}
func (Spawn) step()      {}
func (Completion) step() {}
func (Inline) step()     {}
func (Yield) step()      {}
func (Control) step()    {}
func (Progress) step()   {}
func (Stray) step()      {}
func (Compact) step()    {}
func (Mark) step()       {}
func (Rewind) step()     {}
func (Meta) step()       {}
func (Wait) step()       {}
func (Raw) step()        {}
