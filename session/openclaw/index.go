package openclaw

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"sessc/session"
	"sessc/session/jsonwalk"
	"sessc/session/linescan"
)

// yieldNote begins the customType of what OpenClaw tells the model after a turn
// was given away to wait (formats page, section 7). Other hidden messages are
// those of extensions, which may pass on what a person typed.
const yieldNote = "openclaw." + toolYield

// reader indexes one log. It sees each line once, while it is in memory, and
// keeps only index records, ids and the facts about sub-tasks.
type reader struct {
	set    session.Settings
	sizing bool // the texts of a line are looked at, see [reader.Size]
	c      jsonwalk.Cursor
	line   []byte
	f      fields
	header bool
	pi     bool // a line was met that only pi writes
	side   bool // the log uses side appends or leaf entries

	answers    []session.Answer
	asked      []asked            // calls of delegation tools
	askedByID  map[string]int32   // the last one with an id
	maybeAsked [askedWords]uint64 // a bit for each of their ids
	tools      [16]tool
	leaves     []note         // leaf entries and their targets
	windows    []note         // compactions and resets and the first entry that each keeps
	efforts    []note         // reasoning level of thinking_level_change entries
	models     []note         // model of model_change entries
	edited     []session.Text // ids that a context_edit shows to the model in another form
	private    *private
	host       parser // of the text of the message at hand
	decoded    []byte
	name       []byte
}

// note is a string that an entry states, kept in file order.
type note struct {
	entry int32
	text  session.Text
}

// noted finds what an entry states.
func noted(list []note, entry int32) (session.Text, bool) {
	n, ok := slices.BinarySearchFunc(list, entry, func(n note, entry int32) int { return cmp.Compare(n.entry, entry) })
	if !ok {
		return session.Text{}, false
	}
	return list[n].text, true
}

// private is what Plan, Check and Related need of a session beyond its index.
type private struct {
	pointers []pointer
	indexes  map[string]*index              // sessions.json by its folder, read when asked for
	archives map[string]map[string][]string // see archived, by folder, read when asked for
}

// pointer is a reference by id, other than parentId, from one line to another,
// which a plan has to keep valid.
type pointer struct {
	from int32
	key  string // the top-level key that holds the id
	to   session.Text
}

// asked is a call of a tool that starts or steers a sub-task.
type asked struct {
	call  string // its id
	tool  string
	args  []byte         // of a tool that steers
	spawn *session.Event // of one that may start a sub-task or only steer
}

func newReader(set session.Settings) *reader {
	return &reader{set: set, askedByID: map[string]int32{}, private: &private{}}
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
}

// entry turns the fields of a line into an index record and, where the line
// says something about a sub-task, into events.
func (r *reader) entry(e session.Entry, b *session.Builder) {
	f := &r.f
	e.Time = f.time
	// The parent first: it is most often the entry added last.
	e.ParentID = b.Store(f.parent)
	e.ID = b.Store(f.id)
	if f.side {
		e.Flags |= session.Side
		r.side = true
	}
	var host *parser
	switch string(f.typ) {
	case "session":
		// The programs keep a header out of the tree, a second one too.
		e.Kind, e.ID, e.ParentID = session.Meta, session.Text{}, session.Text{}
		if !r.header {
			r.header = true
			e.Kind = session.Header
			b.S.ID, b.S.Cwd, b.S.Version = string(f.id), string(f.cwd), string(f.version)
		}
	case "message":
		host = r.message(&e)
	case "custom_message":
		e.Kind = session.HostEvent
		if f.hidden && bytes.HasPrefix(f.custom, []byte(yieldNote)) {
			e.Flags |= session.Quiet
		}
	case "compaction", "reset":
		e.Kind = session.Boundary
	case "branch_summary":
		e.Kind = session.Summary
	case "context_edit", "usage": // OpenClaw writes none
		e.Kind, r.pi = session.Meta, true
	case "model_change", "thinking_level_change", "custom", "label", "session_info", "leaf":
		e.Kind = session.Meta
	default:
		e.Kind = session.Opaque
	}
	r.weigh(&e)
	i := b.Add(e)
	if f.mark.Ref != "" {
		b.Mark(i, f.mark)
	}
	r.remember(i, b)
	if f.mark.Ref == "" && !r.set.NoEvents {
		r.events(i, host, b)
	}
}

// Size implements [session.Sizer].
func (r *reader) Size(raw []byte, e *session.Entry) {
	if e.Off == 0 {
		raw = jsonwalk.TrimBOM(raw)
	}
	r.sizing = true
	if r.walk(raw) {
		r.weigh(e)
	}
	r.sizing = false
}

// weigh sets what the line at hand costs in the context as an entry of its
// kind.
func (r *reader) weigh(e *session.Entry) {
	if e.Kind.Role() == "" {
		return
	}
	f := &r.f
	var c *content
	switch string(f.typ) {
	case "message":
		c = &f.msg.content
		if string(f.msg.role) == "bashExecution" {
			c.said = f.msg.command + f.msg.output
		}
	case "custom_message":
		c = &f.own
	default:
		c = &content{said: f.summary}
	}
	e.Said, e.Thought, e.Args = session.ClampU32(c.said), session.ClampU32(c.thought), session.ClampU32(c.args)
	e.Pictures = uint8(min(c.pictures, math.MaxUint8))
}

// message sets what role an entry plays. It returns what was read of the text
// of a message of the program.
func (r *reader) message(e *session.Entry) (host *parser) {
	m := &r.f.msg
	switch string(m.role) {
	case "user":
		e.Kind = session.Human
		// The program's own notices are text alone: what stands beside one
		// came from elsewhere, and a mask of the text would take it along.
		if m.pictures > 0 || m.foreign > 0 {
			break
		}
		if r.host.parse(session.View(r.decode(m.texts))); isHostText(&r.host, m.prov) {
			e.Kind, host = session.HostEvent, &r.host
		}
	case "assistant":
		e.Kind = session.Assistant
		if mirror(m.provider, m.model) {
			e.Kind = session.Mirror
		}
		switch string(m.stop) {
		case "stop", "toolUse", "length", "":
			e.Flags |= session.Ended
		}
		if m.signed {
			e.Flags |= session.Signed
		}
	case "toolResult":
		e.Kind = session.Result
		if m.failed {
			e.Flags |= session.Failed
		}
	case "bashExecution":
		// A command that the user typed at the agent's own prompt.
		e.Kind = session.Human
		if m.excluded {
			e.Kind = session.Meta
		}
	case "custom", "compactionSummary", "branchSummary", "system":
		e.Kind = session.Summary
	default:
		e.Kind = session.Opaque
	}
	return host
}

// mirror reports whether an assistant message is a copy of a delivered text
// and no turn of a model (formats page, section 5).
func mirror(provider, model []byte) bool {
	return string(provider) == "openclaw" && (string(model) == "delivery-mirror" || string(model) == "gateway-injected")
}

// remember keeps what only the end of the file can resolve.
func (r *reader) remember(i int32, b *session.Builder) {
	f, m := &r.f, &r.f.msg
	switch b.S.Entries[i].Kind {
	case session.Result:
		r.answers = append(r.answers, session.Answer{Entry: i, Call: b.StoreCall(m.toolCallID)})
	case session.Assistant, session.Mirror:
		u := m.usage
		u.Entry = i
		u.Model = r.modelName(b, m.provider, m.model)
		b.AddUsage(u)
		for _, c := range m.calls {
			b.AddCall(session.Call{Entry: i, Result: -1, Block: c.block, Op: r.tool(c.name).op, ID: b.Store(c.id), Name: b.Intern(c.name)})
		}
	}
	switch string(f.typ) {
	case "compaction", "reset":
		r.windows = append(r.windows, note{i, b.Store(f.kept)})
	case "model_change":
		r.models = append(r.models, note{i, r.modelName(b, f.provider, f.modelID)})
	case "thinking_level_change":
		r.efforts = append(r.efforts, note{i, b.Intern(f.thinking)})
	case "leaf":
		r.side = true
		r.leaves = append(r.leaves, note{i, b.Store(f.target)})
	case "context_edit":
		if len(f.target) > 0 {
			r.edited = append(r.edited, b.Store(f.target))
		}
	}
	r.point(i, "targetId", f.target, b)
	r.point(i, "fromId", f.source, b)
	r.point(i, "appendParentId", f.appendParent, b)
	r.point(i, "firstKeptEntryId", f.kept, b)
}

func (r *reader) point(from int32, key string, id []byte, b *session.Builder) {
	if len(id) > 0 {
		r.private.pointers = append(r.private.pointers, pointer{from, key, b.Store(id)})
	}
}

func (r *reader) modelName(b *session.Builder, provider, model []byte) session.Text {
	if len(provider) == 0 && len(model) == 0 {
		return session.Text{}
	}
	r.name = append(append(append(r.name[:0], provider...), '/'), model...)
	return b.Intern(r.name)
}

// decode joins raw text blocks as a reader of the message sees them. The text
// is valid until the next one is decoded.
func (r *reader) decode(raw [][]byte) []byte {
	r.decoded = r.decoded[:0]
	for n, t := range raw {
		if n > 0 {
			r.decoded = append(r.decoded, '\n')
		}
		r.decoded = jsonwalk.Unescape(r.decoded, t)
	}
	return r.decoded
}
