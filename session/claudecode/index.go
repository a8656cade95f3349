package claudecode

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"

	"sessc/session"
	"sessc/session/jsonwalk"
	"sessc/session/linescan"
)

// lineType is what the tree of lines needs to know of one.
type lineType uint8

const (
	beside     lineType = iota // in no conversation: no uuid, another type, a sub-agent's
	user                       // moves the leaf
	assistant                  // moves the leaf
	attached                   // an attachment: sent with what it hangs on
	passing                    // a system line: passed on the way up
	fleeting                   // a progress line: passed too, and no place for a leaf
	superseded                 // a later line of the file has its uuid
)

// records are the lines that stand beside the conversation and are never sent
// (formats page, section 3; 1.0 to 2.1.328). Any other unknown type is Opaque.
var records = map[string]bool{
	"summary": true, "custom-title": true, "ai-title": true, "agent-name": true, "agent-color": true,
	"agent-setting": true, "tag": true, "mode": true, "permission-mode": true, "pr-link": true,
	"file-history-snapshot": true, "queue-operation": true, "last-prompt": true, "tools-used": true,
	"atis-latch": true, "cost-state": true, "continued-in": true, "worktree-state": true,
	"api-request": true, "api-request-shape": true, "api-request-blob": true,
}

// reader indexes one log. It sees each line once, while it is in memory, and
// keeps only index records, ids and the facts about sub-tasks.
type reader struct {
	set    session.Settings
	child  bool // the log of a sub-agent is the conversation
	sizing bool // the texts of a line are looked at, see [reader.Size]
	c      jsonwalk.Cursor
	line   []byte
	f      fields
	buf    []byte

	types   []lineType // per entry
	answers []answer
	words   map[int32]bool   // results that hold, or may hold, words of a person
	heads   map[string]int32 // open messages: the first line of each by its id
	leaves  []session.Text   // what last-prompt lines name, in file order
	models  []note           // model of lines with reasoning
	efforts []note           // effort where it changes
	asked   map[string]asked // calls that start or steer a sub-task, by call id
	strays  []int32          // launches of which the call is not in the log, or damaged
	agents  map[string]bool  // ids of agents and of calls that started one, so far
	last    []byte           // the session id on the last line that has one
	private *private
}

// answer is a tool result in a line.
type answer struct {
	entry int32
	call  session.Text
}

// note is a string that a line states, in file order.
type note struct {
	entry int32
	text  session.Text
}

// private is what Plan, Check and Related need of a session beyond its index.
type private struct {
	kept    map[int32]preserved    // by the entry of a compaction boundary
	logical map[int32]session.Text // what a boundary says it follows, by its entry
	notices []string               // terminal notifications that the client reads: task id and status
	pending []string               // launches in the background that the client will look for
	last    int32                  // the last line of a user or the model in the file, -1 none
	answer  int32                  // the last line of the model in the file, -1 none
	odd     int                    // content blocks with a key of ours, which the provider would refuse
	sides   []side                 // first lines of sub-agents inside the log
	members []int32                // lines of sub-agents inside the log
}

// preserved is what a compaction keeps.
type preserved struct {
	ids                []session.Text
	head, tail, anchor session.Text
}

// side is the first line of a sub-agent whose lines stand inside the log.
type side struct {
	entry int32
	task  uint64 // hash of its prompt
}

func newReader(set session.Settings, child bool) *reader {
	return &reader{
		set: set, child: child, heads: map[string]int32{}, words: map[int32]bool{}, asked: map[string]asked{}, agents: map[string]bool{},
		private: &private{kept: map[int32]preserved{}, logical: map[int32]session.Text{}},
	}
}

// Line implements [session.Reader].
func (r *reader) Line(l linescan.Line, b *session.Builder) {
	e := session.Entry{Off: l.Off, Len: uint32(min(l.Size, math.MaxUint32))}
	body := l.Body()
	if l.Off == 0 {
		body = jsonwalk.TrimBOM(body)
	}
	switch {
	case l.Huge:
		e.Kind = session.Opaque
	case len(bytes.TrimSpace(body)) == 0:
		e.Kind = session.Blank
	case !r.walk(body):
		e.Kind = session.Damaged
	default:
		r.entry(e, b)
		return
	}
	b.Add(e)
	r.types = append(r.types, beside)
}

// entry turns the fields of a line into an index record and, where the line
// says something about a sub-task, into events.
func (r *reader) entry(e session.Entry, b *session.Builder) {
	f := &r.f
	e.Time = f.time
	e.ParentID = b.Store(f.parent)
	e.ID = b.Store(f.id)
	typ, text := r.kind(&e)
	if e.Kind.Role() != "" {
		r.sent().measure(&e)
	}
	i := b.Add(e)
	r.types = append(r.types, typ)
	r.header(b)
	if f.mark.Ref != "" {
		b.Mark(i, f.mark)
	}
	r.remember(i, typ, b)
	if !r.child {
		r.events(i, text, b)
	}
}

// Size implements [session.Sizer].
func (r *reader) Size(raw []byte, e *session.Entry) {
	if e.Off == 0 {
		raw = jsonwalk.TrimBOM(raw)
	}
	r.sizing = true
	if r.walk(raw) {
		thought := e.Thought
		r.sent().measure(e)
		if thought == 0 {
			e.Thought = 0 // reasoning of another model, see [tree.state]
		}
	}
	r.sizing = false
}

// sent is the content of a line that the client sends, if it sends the line.
func (r *reader) sent() *content {
	switch string(r.f.typ) {
	case "user", "assistant":
		return &r.f.msg.content
	case "attachment":
		return r.f.att.sent()
	}
	return &content{}
}

// measure sets what the content costs in the context.
func (c *content) measure(e *session.Entry) {
	e.Said, e.Thought, e.Args = session.ClampU32(c.said), session.ClampU32(c.thought), session.ClampU32(c.args)
	e.Pictures = uint8(min(c.pictures, math.MaxUint8))
}

// header takes what a line states of the session as a whole: the working
// directory of the first line that has one, the version of the last.
func (r *reader) header(b *session.Builder) {
	f := &r.f
	if b.S.Cwd == "" {
		b.S.Cwd = string(f.cwd)
	}
	if len(f.version) > 0 && b.S.Version != string(f.version) {
		b.S.Version = string(f.version)
	}
	if len(f.session) > 0 && !bytes.Equal(r.last, f.session) {
		r.last = append(r.last[:0], f.session...)
	}
}

// isUUID reports whether a name is of the form that the client gives to its
// sessions.
func isUUID(name string) bool {
	if len(name) != 36 {
		return false
	}
	for i := range len(name) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (name[i] == '-') || !dash && strings.IndexByte("0123456789abcdefABCDEF", name[i]) < 0 {
			return false
		}
	}
	return true
}

// sessionID is the name of the file, under which the client knows the session
// whatever its lines say; for a file of another name, what the last line says.
func (r *reader) sessionID(path string) string {
	if name := strings.TrimSuffix(filepath.Base(path), ".jsonl"); isUUID(name) || len(r.last) == 0 {
		return name
	}
	return string(r.last)
}

// remember keeps what only the end of the file can resolve.
func (r *reader) remember(i int32, typ lineType, b *session.Builder) {
	f := &r.f
	if len(f.leaf) > 0 && string(f.typ) == "last-prompt" {
		r.leaves = append(r.leaves, b.Store(f.leaf))
	}
	if f.aside && !r.child {
		r.aside(i)
		return
	}
	switch typ {
	case user:
		if r.spoken() {
			r.words[i] = true
		}
		for _, a := range f.msg.results {
			r.answers = append(r.answers, answer{i, b.StoreCall(a.call)})
		}
		if len(f.msg.results) == 0 {
			clear(r.heads) // a message does not go on behind a prompt
		}
	case assistant:
		r.join(i, b)
	case passing:
		if b.S.Entries[i].Kind == session.Boundary {
			clear(r.heads)
			r.boundary(i, b)
		}
	}
}

// join makes a line part of its message: the lines of one have the same id,
// and repeat its usage. Copies that were written while it came hold smaller
// figures, so the largest count.
func (r *reader) join(i int32, b *session.Builder) {
	s, m := b.S, &r.f.msg
	model := b.Intern(m.model)
	head := i
	if len(m.id) > 0 {
		if first, ok := r.heads[string(m.id)]; ok {
			head = first
			b.Join(i, head)
		} else {
			r.heads[string(m.id)] = i
		}
	}
	u := m.usage
	var at *session.Usage
	if head != i {
		at = s.UsageOf(head)
	}
	if at != nil {
		at.Prompt, at.Output, at.Total = max(at.Prompt, u.Prompt), max(at.Output, u.Output), max(at.Total, u.Total)
	} else {
		u.Entry, u.Model = i, model
		b.AddUsage(u)
	}
	if m.thought > 0 {
		r.models = append(r.models, note{i, model})
	}
	if effort := b.Intern(r.f.effort); len(r.f.effort) > 0 && (len(r.efforts) == 0 || r.efforts[len(r.efforts)-1].text != effort) {
		r.efforts = append(r.efforts, note{i, effort})
	}
	for _, c := range m.calls {
		op := opOf(string(c.name))
		if r.delegates(string(c.name)) {
			op = session.OpDelegate
		}
		b.AddCall(session.Call{Entry: i, Result: -1, Block: c.block, Op: op, ID: b.Store(c.id), Name: b.Intern(c.name)})
	}
}

// boundary keeps what a compaction says of the conversation before it.
func (r *reader) boundary(i int32, b *session.Builder) {
	f := &r.f
	if len(f.logical) > 0 {
		r.private.logical[i] = b.Store(f.logical)
	}
	r.leaves = r.leaves[:0] // what was named before it decides nothing any more
	p := preserved{head: b.Store(f.kept.head), tail: b.Store(f.kept.tail), anchor: b.Store(f.kept.anchor)}
	for _, id := range f.kept.ids {
		p.ids = append(p.ids, b.Store(id))
	}
	if len(p.ids) > 0 || len(f.kept.tail) > 0 {
		r.private.kept[i] = p
	}
}

// aside keeps where a sub-agent's lines stand inside the log, as versions 1.0
// to about 2.0.2x wrote them.
func (r *reader) aside(i int32) {
	p := r.private
	p.members = append(p.members, i)
	if f := &r.f; len(f.parent) == 0 && string(f.typ) == "user" && len(f.msg.texts) > 0 {
		p.sides = append(p.sides, side{i, hashText(r.decode(f.msg.texts))})
	}
}

// decode joins raw text blocks as a reader of the message sees them. The text is
// valid until the next one is decoded.
func (r *reader) decode(raw [][]byte) string {
	r.buf = r.buf[:0]
	for n, t := range raw {
		if n > 0 {
			r.buf = append(r.buf, '\n')
		}
		r.buf = jsonwalk.Unescape(r.buf, t)
	}
	return session.View(r.buf)
}
