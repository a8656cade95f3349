package session

import "strings"

// BlockType is the part that a block plays in a message.
type BlockType uint8

const (
	TextBlock BlockType = iota
	ThinkingBlock
	CallBlock
	ResultBlock
	ImageBlock
)

// Block is one decoded part of an entry's content.
type Block struct {
	Type   BlockType
	Text   string // text, reasoning, or the text of a result
	Call   string // id of the call, for calls and results
	Tool   string // name of the tool, for calls and results
	Args   []byte // the call's arguments as raw JSON
	Failed bool   // the program flagged the result as an error
	Size   int    // bytes of an image's base64 data
}

// Content is an entry as a person would read it. It is decoded on demand, by
// offset, for the few entries that matter.
type Content struct {
	Blocks []Block
}

// Text joins the text blocks, without reasoning, calls and results.
func (c Content) Text() string {
	var parts []string
	for _, b := range c.Blocks {
		if b.Type == TextBlock {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// Action is one tool call together with its result, in the words of no
// particular program: what summarize derives files, commands and errors from.
type Action struct {
	Op      Op
	Tool    string
	Paths   []string // files that the call names as its targets
	Moved   string   // where Paths[0] went, when the call moved it
	Patch   string   // patch text of an OpPatch call
	Command string   // of an OpExec call
	Input   string   // other arguments that may hold exact facts, as text
	Output  string   // text of the result
	Done    bool     // a result exists and does not report an error
	Exit    int      // exit status of a command, -1 unknown
	Created bool     // the result says that a written file is new
	Handle  string   // names a process that outlives a call, of the call that left it and of those that ask about it; "" none
	Running bool     // that process had not ended when the result was written
	Stored  bool     // the result lies in a file, and its text says where and how it begins
}
