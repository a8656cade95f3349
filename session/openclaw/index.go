package openclaw

import (
	"bytes"
	"math"
	"time"
	"unicode/utf8"

	"sessc/session"
	"sessc/session/jsonwalk"
	"sessc/session/linescan"
	"sessc/tokens"
)

// reader indexes one log. It sees each line once, while it is in memory, and
// keeps only index records, ids and the facts about sub-tasks.
type reader struct {
	set    session.Settings
	c      jsonwalk.Cursor
	line   []byte
	f      fields
	header bool

	results  []int32 // entries of tool results
	resultID map[int32]session.Text
	asked    map[string]asked // calls of delegation tools, by call id
	links    links
	leaves   []leafControl
	kept     map[int32]session.Text // firstKeptEntryId of compactions and resets
	efforts  map[int32]session.Text // thinking level by entry
	models   map[int32]session.Text // model of model_change entries
	edited   []session.Text         // ids that a context_edit shows to the model in another form
	side     bool                   // the log uses side appends or leaf entries
	buf      []byte
}

// asked is a call of a tool that starts or steers a sub-task.
type asked struct {
	entry int32
	tool  string
	args  []byte
}

// links are the references by id between lines, other than parentId, that a
// plan has to keep valid.
type links struct {
	pointers []pointer
}

// pointer is a reference from one line to an entry.
type pointer struct {
	from int32
	key  string // the top-level key that holds the id
	to   session.Text
}

// leafControl is a leaf entry: it moves the active leaf.
type leafControl struct {
	entry  int32
	target session.Text
}

func newReader(set session.Settings) *reader {
	return &reader{
		set:      set,
		resultID: map[int32]session.Text{},
		asked:    map[string]asked{},
		kept:     map[int32]session.Text{},
		efforts:  map[int32]session.Text{},
		models:   map[int32]session.Text{},
	}
}

// fields is what one line says, as slices of the line or of the cursor's
// memory: valid until the next line.
type fields struct {
	typ, id, parent           []byte
	time                      int64
	cwd                       []byte
	target, source, kept      []byte
	appendParent              []byte
	provider, model, thinking []byte
	side, quiet               bool
	mark                      session.Marker
	marked                    bool
	version                   int64

	isMessage  bool
	role       []byte
	toolCallID []byte
	toolName   []byte
	failed     bool
	stop       []byte
	details    []byte
	prov       provenance
	usage      session.Usage
	hasUsage   bool
	said       int
	thought    int
	args       int
	pictures   int
	signed     bool
	calls      []call
	texts      [][]byte // raw text blocks, still escaped
	excluded   bool
}

type call struct {
	id, name, args []byte
	block          int32
}

// Line implements [session.Reader].
func (r *reader) Line(l linescan.Line, b *session.Builder) {
	e := session.Entry{Off: l.Off, Len: uint32(min(l.Size, math.MaxUint32)), Line: int32(b.S.Lines)}
	body := bytes.TrimSpace(l.Body())
	if l.Off == 0 {
		body = bytes.TrimPrefix(body, []byte("\ufeff"))
	}
	switch {
	case l.Huge:
		e.Kind = session.Opaque
		b.Add(e)
		return
	case len(body) == 0:
		e.Kind = session.Blank
		b.Add(e)
		return
	}
	if !r.walk(body) || l.Torn && r.c.End() != nil {
		e.Kind = session.Damaged
		b.Add(e)
		return
	}
	r.entry(e, b)
}

// entry turns the fields of a line into an index record and, where the line
// says something about a sub-task, into events.
func (r *reader) entry(e session.Entry, b *session.Builder) {
	f := &r.f
	e.Time = f.time
	e.ID, e.ParentID = b.Store(f.id), b.Store(f.parent)
	e.Said, e.Thought, e.Args, e.Pictures = uint32(f.said), uint32(f.thought), uint32(f.args), uint16(f.pictures)
	if f.side {
		e.Flags |= session.Side
		r.side = true
	}
	if f.pictures > 0 {
		e.Flags |= session.Image
	}
	var text string
	switch string(f.typ) {
	case "session":
		e.Kind = session.Meta
		if !r.header {
			r.header = true
			e.Kind, e.ID = session.Header, session.Text{}
			b.S.ID, b.S.Cwd, b.S.Version = string(f.id), string(f.cwd), itoa(f.version)
		}
	case "message":
		text = r.message(&e, b)
	case "custom_message":
		e.Kind = session.HostEvent
		if f.quiet {
			e.Flags |= session.Quiet
		}
	case "compaction", "reset":
		e.Kind = session.Boundary
	case "branch_summary":
		e.Kind = session.Summary
	case "model_change", "thinking_level_change", "custom", "label", "session_info", "leaf", "context_edit", "usage":
		e.Kind = session.Meta
	default:
		e.Kind = session.Opaque
	}
	if e.Kind.Role() == "" {
		e.Said, e.Thought, e.Args = 0, 0, 0
	}
	i := b.Add(e)
	if f.marked {
		b.Mark(i, f.mark)
	}
	r.remember(i, b)
	if !f.marked {
		r.events(i, text, b)
	}
}

// message sets what role an entry plays. It returns the text of a user-role
// message, decoded.
func (r *reader) message(e *session.Entry, b *session.Builder) (text string) {
	f := &r.f
	switch string(f.role) {
	case "user":
		text = r.decode(f.texts)
		e.Kind = session.Human
		if isHostText(text, f.prov) {
			e.Kind = session.HostEvent
		}
	case "assistant":
		e.Kind = session.Assistant
		if mirror(f.provider, f.model) {
			e.Kind = session.Mirror
		}
		switch string(f.stop) {
		case "stop", "toolUse", "length", "":
			e.Flags |= session.Ended
		}
		if f.signed {
			e.Flags |= session.Signed
		}
	case "toolResult":
		e.Kind = session.Result
		if f.failed {
			e.Flags |= session.Failed
		}
	case "bashExecution":
		// A command that the user typed at the agent's own prompt.
		e.Kind = session.Human
		if f.excluded {
			e.Kind = session.Meta
		}
	case "custom", "compactionSummary", "branchSummary", "system":
		e.Kind = session.Summary
	default:
		e.Kind = session.Opaque
	}
	return text
}

// mirror reports whether an assistant message is a copy of a delivered text
// and no turn of a model (formats page, section 5).
func mirror(provider, model []byte) bool {
	return string(provider) == "openclaw" && (string(model) == "delivery-mirror" || string(model) == "gateway-injected")
}

// remember keeps what only the end of the file can resolve.
func (r *reader) remember(i int32, b *session.Builder) {
	f := &r.f
	e := &b.S.Entries[i]
	switch e.Kind {
	case session.Result:
		r.results = append(r.results, i)
		r.resultID[i] = b.Store(f.toolCallID)
	case session.Assistant, session.Mirror:
		u := f.usage
		u.Entry = i
		u.Model = b.Intern(modelName(f.provider, f.model))
		b.S.Usages = append(b.S.Usages, u)
		for _, c := range f.calls {
			b.S.Calls = append(b.S.Calls, session.Call{
				Entry: i, Result: -1, Block: c.block, Op: opOf(string(c.name)),
				ID: b.Store(c.id), Name: b.Intern(c.name),
			})
		}
	case session.Boundary:
		r.kept[i] = b.Store(f.kept)
	}
	switch string(f.typ) {
	case "model_change":
		r.models[i] = b.Intern(modelName(f.provider, f.model))
	case "thinking_level_change":
		r.efforts[i] = b.Intern(f.thinking)
	case "leaf":
		r.side = true
		r.leaves = append(r.leaves, leafControl{i, b.Store(f.target)})
	}
	for _, p := range []struct {
		key string
		id  []byte
	}{{"targetId", f.target}, {"fromId", f.source}, {"appendParentId", f.appendParent}, {"firstKeptEntryId", f.kept}} {
		if len(p.id) > 0 {
			r.links.pointers = append(r.links.pointers, pointer{i, p.key, b.Store(p.id)})
			if string(f.typ) == "context_edit" {
				r.edited = append(r.edited, b.Store(p.id))
			}
		}
	}
}

func modelName(provider, model []byte) []byte {
	if len(provider) == 0 && len(model) == 0 {
		return nil
	}
	return append(append(append([]byte{}, provider...), '/'), model...)
}

// decode joins raw text blocks as a reader of the message sees them.
func (r *reader) decode(raw [][]byte) string {
	r.buf = r.buf[:0]
	for n, t := range raw {
		if n > 0 {
			r.buf = append(r.buf, '\n')
		}
		r.buf = jsonwalk.Unescape(r.buf, t)
	}
	return string(r.buf)
}

// walk reads one line into r.f and reports whether it is a JSON object.
func (r *reader) walk(line []byte) bool {
	r.f = fields{calls: r.f.calls[:0], texts: r.f.texts[:0]}
	r.line = line
	c, f := &r.c, &r.f
	c.Reset(line)
	if c.Kind() != jsonwalk.Object || !c.Enter() {
		return false
	}
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			f.typ = r.text()
		case "id":
			f.id = r.text()
		case "parentId":
			f.parent = r.text()
		case "timestamp":
			f.time = parseTime(r.text())
		case "version":
			f.version, _ = c.Int()
		case "cwd":
			f.cwd = r.text()
		case "targetId":
			f.target = r.text()
		case "fromId":
			f.source = r.text()
		case "appendParentId":
			f.appendParent = r.text()
		case "firstKeptEntryId":
			f.kept = r.text()
		case "provider":
			f.provider = r.text()
		case "modelId":
			f.model = r.text()
		case "thinkingLevel":
			f.thinking = r.text()
		case "appendMode":
			f.side = string(r.text()) == "side"
		case "display":
			shown, ok := c.Bool()
			f.quiet = ok && !shown
		case "content":
			r.content()
		case "summary":
			r.said()
		case "message":
			r.walkMessage()
		case envelope:
			r.walkMarker()
		}
	}
	return c.End() == nil
}

// text consumes a string and returns it decoded, valid as long as the line; a
// null or a value of another kind is "".
func (r *reader) text() []byte {
	raw, escaped, ok := r.c.Str()
	if !ok || !escaped && utf8.Valid(raw) {
		return raw
	}
	return jsonwalk.Unescape(nil, raw)
}

// said consumes a string and counts its tokens as text.
func (r *reader) said() {
	if raw, escaped, ok := r.c.Str(); ok {
		r.f.said += estimate(raw, escaped)
	}
}

func estimate(raw []byte, escaped bool) int {
	if escaped {
		return tokens.EstimateEscaped(raw)
	}
	return tokens.Estimate(raw)
}

func (r *reader) walkMarker() {
	if !r.c.Enter() {
		return
	}
	for {
		key, ok := r.c.Key()
		if !ok {
			return
		}
		switch string(key) {
		case "ref":
			r.f.mark.Ref = string(r.text())
			r.f.marked = r.f.mark.Ref != ""
		case "gen":
			n, _ := r.c.Int()
			r.f.mark.Gen = int(n)
		}
	}
}

func (r *reader) walkMessage() {
	// A repeated key replaces the earlier message as a whole, as JSON
	// decoders do.
	keep := r.f
	r.f = fields{
		typ: keep.typ, id: keep.id, parent: keep.parent, time: keep.time, cwd: keep.cwd,
		target: keep.target, source: keep.source, appendParent: keep.appendParent, kept: keep.kept, thinking: keep.thinking, side: keep.side, quiet: keep.quiet,
		mark: keep.mark, marked: keep.marked, version: keep.version,
		calls: keep.calls[:0], texts: keep.texts[:0],
	}
	c, f := &r.c, &r.f
	f.isMessage = true
	if !c.Enter() {
		return
	}
	for {
		key, ok := c.Key()
		if !ok {
			return
		}
		switch string(key) {
		case "role":
			f.role = r.text()
		case "content":
			r.content()
		case "provider":
			f.provider = r.text()
		case "model":
			f.model = r.text()
		case "stopReason":
			f.stop = r.text()
		case "usage":
			r.walkUsage()
		case "toolCallId":
			f.toolCallID = r.text()
		case "toolName":
			f.toolName = r.text()
		case "isError":
			f.failed, _ = c.Bool()
		case "details":
			f.details = r.raw()
		case "provenance":
			r.walkProvenance()
		case "command", "output":
			r.said()
		case "excludeFromContext":
			f.excluded, _ = c.Bool()
		}
	}
}

// raw consumes any value and returns its bytes.
func (r *reader) raw() []byte {
	r.c.Skip()
	from, to, ok := r.c.Range()
	if !ok {
		return nil
	}
	return r.line[from:to]
}

func (r *reader) walkProvenance() {
	r.f.prov = provenance{}
	if !r.c.Enter() {
		return
	}
	for {
		key, ok := r.c.Key()
		if !ok {
			return
		}
		switch string(key) {
		case "kind":
			r.f.prov.Kind = string(r.text())
		case "sourceSessionKey":
			r.f.prov.SourceSessionKey = string(r.text())
		case "sourceTool":
			r.f.prov.SourceTool = string(r.text())
		}
	}
}

// walkUsage reads the tokens of a turn: the context size is totalTokens, or
// the sum of its parts where that is missing (formats page, section 5).
func (r *reader) walkUsage() {
	var in, out, read, write, total int64
	r.f.usage = session.Usage{}
	if !r.c.Enter() {
		return
	}
	for {
		key, ok := r.c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "input":
			in, _ = r.c.Int()
		case "output":
			out, _ = r.c.Int()
		case "cacheRead":
			read, _ = r.c.Int()
		case "cacheWrite":
			write, _ = r.c.Int()
		case "totalTokens":
			total, _ = r.c.Int()
		}
	}
	if total <= 0 {
		total = in + out + read + write
	}
	r.f.usage = session.Usage{Prompt: clamp32(in + read + write), Output: clamp32(out), Total: clamp32(total)}
}

// clamp32 keeps odd figures of a damaged log within the index record.
func clamp32(n int64) int32 { return int32(max(0, min(n, math.MaxInt32))) }

// content reads a message's content: a string, or an array of blocks.
func (r *reader) content() {
	f := &r.f
	f.said, f.thought, f.args, f.pictures, f.signed = 0, 0, 0, 0, false
	f.calls, f.texts = f.calls[:0], f.texts[:0]
	switch r.c.Kind() {
	case jsonwalk.String:
		if raw, escaped, ok := r.c.Str(); ok {
			f.texts = append(f.texts, raw)
			f.said += estimate(raw, escaped)
		}
	case jsonwalk.Array:
		if !r.c.Enter() {
			return
		}
		for n := int32(0); r.c.Next(); n++ {
			r.block(n)
		}
	}
}

// block reads one content block. Its type may stand behind its text, so the
// parts are collected first.
func (r *reader) block(n int32) {
	c, f := &r.c, &r.f
	var kind, id, name, args, text, thinking []byte
	var textEscaped, thinkingEscaped, hasText, signed bool
	var picture int // bytes of an image's base64 data
	if !c.Enter() {
		return
	}
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind = r.text()
		case "text":
			text, textEscaped, hasText = c.Str()
		case "thinking":
			thinking, thinkingEscaped, _ = c.Str()
		case "textSignature":
			// Not sent as a signature: an id of the provider's own.
		case "thinkingSignature", "thoughtSignature":
			if sig, _, ok := c.Str(); ok && len(sig) > 0 {
				signed = true
			}
		case "id":
			id = r.text()
		case "name":
			name = r.text()
		case "arguments", "input":
			args = r.raw()
		case "data":
			data, _, _ := c.Str()
			picture = len(data)
		}
	}
	f.signed = f.signed || signed
	switch string(kind) {
	case "text":
		if hasText {
			f.texts = append(f.texts, text)
			f.said += estimate(text, textEscaped)
		}
	case "thinking":
		f.thought += estimate(thinking, thinkingEscaped)
	case "image":
		f.pictures++
		f.said += tokens.Image(picture)
	case "toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call":
		f.calls = append(f.calls, call{id: id, name: name, args: args, block: n})
		f.args += tokens.Estimate(name) + tokens.Estimate(args)
	}
}

// parseTime reads an ISO stamp as the programs write it. It returns 0 for
// anything else: a duration is unknown then, never wrong.
func parseTime(b []byte) int64 {
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}
