package genlog

import (
	"bytes"
	"encoding/json"
)

// State is what a correct reader must say about a lifecycle when it has read the whole log.
type State string

// The states a lifecycle can be expected in.
const (
	Running     State = "running"
	Done        State = "done"
	Failed      State = "failed"
	TimedOut    State = "timed out"
	Killed      State = "killed"
	SpawnFailed State = "spawn-failed"
	Suspect     State = "suspect"
	Unknown     State = "unknown"
)

// Truth is the answer sheet of one generated log. Every id in it is an id of the log's format.
type Truth struct {
	Name       string `json:"name"`
	Format     string `json:"format"`
	Seed       int64  `json:"seed"`
	SessionID  string `json:"session_id"`
	SessionKey string `json:"session_key"`
	// Leaf is the entry the active path ends in; "" when the log has no entry.
	Leaf  string `json:"leaf"`
	Lines int    `json:"lines"`
	Bytes int64  `json:"bytes"`

	Lifecycles []Lifecycle `json:"lifecycles"`
	Humans     []HumanText `json:"humans"`
	// Decoys are entries that hold the words of a spawn or completion and are none.
	Decoys []Note `json:"decoys,omitempty"`
	// Strays are true host events without a spawn in this log: cron jobs, unknown runs.
	Strays []Note `json:"strays,omitempty"`
	// Metadata are entries that must survive any rewrite (custom lines, labels, model changes, leaf controls).
	Metadata []Note `json:"metadata,omitempty"`
	// Waits are the entries of calls that only waited for children (yield, list) with their results.
	Waits []string `json:"waits,omitempty"`
	// OptionalCalls are calls that a reader may list as lifecycles of their own: messages to a known child.
	OptionalCalls []string `json:"optional_calls,omitempty"`
	// Compactions lists the compaction entries in file order.
	Compactions []CompactionPoint `json:"compactions,omitempty"`
	// Children are the transcripts written beside this log, by file name.
	Children []string `json:"children,omitempty"`
	// Oddity says in one line what is unusual about the log; damage done after generation is named here too.
	Oddity string `json:"oddity,omitempty"`
}

// Lifecycle is one delegated sub-task as it was scripted.
type Lifecycle struct {
	Tool           string `json:"tool"`
	CallID         string `json:"call_id"`
	ChildKey       string `json:"child_key,omitempty"`
	ChildSessionID string `json:"child_session_id,omitempty"`
	RunID          string `json:"run_id,omitempty"`
	Label          string `json:"label,omitempty"`
	Task           string `json:"task"`
	// Generation of the completion text, A to D; "" when no completion was written.
	Generation string `json:"generation,omitempty"`
	State      State  `json:"state"`
	// Or names further states that a careful reader may report where the log does not decide it.
	Or         []State `json:"or,omitempty"`
	Inline     bool    `json:"inline,omitempty"`
	Nested     bool    `json:"nested,omitempty"`
	ParentCall string  `json:"parent_call,omitempty"`
	// Log is the file that holds the spawn when it is not the main log.
	Log string `json:"log,omitempty"`

	SpawnEntry        string   `json:"spawn_entry"`
	ReceiptEntry      string   `json:"receipt_entry,omitempty"`
	CompletionEntries []string `json:"completion_entries,omitempty"`
	// RelatedEntries name the child otherwise: list, kill, steer, progress messages, with their results.
	RelatedEntries []string `json:"related_entries,omitempty"`
	OnActivePath   bool     `json:"on_active_path"`
	// InContext is OnActivePath and not before the last compaction's kept range.
	InContext bool   `json:"in_context"`
	Reopened  bool   `json:"reopened,omitempty"`
	Error     string `json:"error,omitempty"`
	// Result is the report of the deciding completion, verbatim and before any escaping.
	Result    string `json:"result,omitempty"`
	RuntimeMS int64  `json:"runtime_ms,omitempty"`
	TokensIn  int    `json:"tokens_in,omitempty"`
	TokensOut int    `json:"tokens_out,omitempty"`
	// SpanMS is the clock distance between spawn and deciding completion entry in milliseconds, -1 without one.
	SpanMS int64 `json:"span_ms"`
	// Facts were planted word for word in the report.
	Facts    []Fact   `json:"facts,omitempty"`
	Created  []string `json:"files_created,omitempty"`
	Modified []string `json:"files_modified,omitempty"`
	Deleted  []string `json:"files_deleted,omitempty"`
}

// Fact is an exact string that somebody may need later.
type Fact struct {
	Kind string `json:"kind"` // file, command, error, keyvalue, url, id
	Text string `json:"text"`
}

// HumanText is what a person typed, without the envelope that the host put around it.
type HumanText struct {
	Entry        string `json:"entry"`
	Text         string `json:"text"`
	OnActivePath bool   `json:"on_active_path"`
	// Constraint marks a standing instruction ("from now on never ...").
	Constraint bool `json:"constraint,omitempty"`
}

// Note points at an entry and says why it is listed.
type Note struct {
	Entry string `json:"entry"`
	Why   string `json:"why"`
}

// CompactionPoint is a compaction entry of the agent itself and the entry from which history was kept.
type CompactionPoint struct {
	Entry     string `json:"entry"`
	FirstKept string `json:"first_kept"`
}

// JSON is the truth as it is written to a file: indented, with a final newline.
func (t Truth) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(t); err != nil {
		panic(err) // a Truth holds strings, numbers and slices only
	}
	return b.Bytes()
}
