package openclaw

import (
	"bytes"
	"unicode/utf8"

	"sessc/session"
	"sessc/session/jsonwalk"
	"sessc/tokens"
)

// fields is what one line says, as slices of the line or of memory of its own:
// valid until the next line. A key that is repeated counts as decoders of JSON
// take it, the last one alone.
type fields struct {
	typ, id, parent      []byte
	time                 int64
	version, cwd         []byte
	target, source, kept []byte
	appendParent         []byte
	provider, modelID    []byte
	thinking             []byte
	side, hidden         bool
	custom               []byte         // customType
	mark                 session.Marker // Ref is "" on a line that is not ours
	summary              int            // estimated tokens
	own                  content        // of a custom_message
	msg                  messageFields
	met                  bool // a message was read into msg
}

// messageFields is what stands under the key "message".
type messageFields struct {
	content
	role            []byte
	provider, model []byte
	stop            []byte
	usage           session.Usage
	toolCallID      []byte
	failed          bool
	details         []byte
	prov            provenance
	command, output int // of a bashExecution, in estimated tokens
	excluded        bool
}

// content is a message's content: its size in estimated tokens and what a
// reader of sub-tasks needs of it.
type content struct {
	said, thought, args int
	pictures            int
	foreign             int // blocks of kinds that are not known
	signed              bool
	calls               []call
	texts               [][]byte // raw text blocks, still escaped
}

type call struct {
	id, name, args []byte
	block          int32
}

// empty is an empty content with the memory of the lists.
func (c *content) empty() content { return content{calls: c.calls[:0], texts: c.texts[:0]} }

func (m *messageFields) reset() {
	c := m.empty()
	*m = messageFields{}
	m.content = c
}

func (f *fields) reset() {
	own, msg := f.own.empty(), f.msg.empty()
	*f = fields{}
	f.own, f.msg.content = own, msg
}

// walk reads one line into r.f and reports whether it is a JSON object.
func (r *reader) walk(line []byte) bool {
	r.f.reset()
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
			f.time = session.ParseTime(r.text())
		case "version":
			f.version, _ = c.Number()
		case "cwd":
			f.cwd = r.text()
		case "targetId":
			f.target = r.text()
		case "fromId":
			f.source = r.text()
		case "appendParentId":
			f.appendParent = r.text()
		case "customType":
			f.custom = r.text()
		case "firstKeptEntryId":
			f.kept = r.text()
		case "provider":
			f.provider = r.text()
		case "modelId":
			f.modelID = r.text()
		case "thinkingLevel":
			f.thinking = r.text()
		case "appendMode":
			f.side = string(r.text()) == "side"
		case "display":
			shown, ok := c.Bool()
			f.hidden = ok && !shown
		case "content":
			r.content(&f.own)
		case "summary":
			f.summary = r.cost()
		case "message":
			r.walkMessage()
		case envelope:
			r.walkMarker()
		}
	}
	return c.End() == nil
}

// text consumes a string and returns it decoded, valid as long as the line; a
// null or a value of another kind is nil.
func (r *reader) text() []byte {
	raw, plain, ok := r.c.Quoted()
	if !ok || plain || bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return raw
	}
	return jsonwalk.Unescape(nil, raw)
}

// cost consumes a string and returns its estimated tokens.
func (r *reader) cost() int {
	raw, _, _ := r.c.Quoted()
	return r.estimate(raw, tokens.EstimateEscaped)
}

// estimate returns the tokens of a text: by its length alone at first, since a
// look at each byte takes longer than all the rest of the reading, and exactly
// for what the client would send, see [session.Sizer].
func (r *reader) estimate(text []byte, exactly func([]byte) int) int {
	if r.sizing {
		return exactly(text)
	}
	return (len(text) + 3) / 4
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

func (r *reader) walkMarker() {
	m := &r.f.mark
	*m = session.Marker{}
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
			m.Ref = string(r.text())
		case "gen":
			n, _ := r.c.Int()
			m.Gen = int(session.Clamp32(n))
		}
	}
}

func (r *reader) walkMessage() {
	c, m := &r.c, &r.f.msg
	if r.f.met {
		m.reset() // the key is repeated, and the last one counts
	}
	r.f.met = true
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
			m.role = r.text()
		case "content":
			r.content(&m.content)
		case "provider":
			m.provider = r.text()
		case "model":
			m.model = r.text()
		case "stopReason":
			m.stop = r.text()
		case "usage":
			m.usage = r.usage()
		case "toolCallId":
			m.toolCallID = r.text()
		case "isError":
			m.failed, _ = c.Bool()
		case "details":
			m.details = r.raw()
		case "provenance":
			m.prov = r.provenance()
		case "command":
			m.command = r.cost()
		case "output":
			m.output = r.cost()
		case "excludeFromContext":
			m.excluded, _ = c.Bool()
		}
	}
}

func (r *reader) provenance() (p provenance) {
	if !r.c.Enter() {
		return p
	}
	for {
		key, ok := r.c.Key()
		if !ok {
			return p
		}
		switch string(key) {
		case "kind":
			p.Kind = session.View(r.text())
		case "sourceSessionKey":
			p.SourceSessionKey = session.View(r.text())
		case "sourceTool":
			p.SourceTool = session.View(r.text())
		}
	}
}

// usage reads the tokens of a turn: the context size is totalTokens, or the
// sum of its parts where that is missing (formats page, section 5).
func (r *reader) usage() session.Usage {
	var in, out, read, write, total int64
	if !r.c.Enter() {
		return session.Usage{}
	}
	for {
		key, ok := r.c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "input":
			in = r.figure()
		case "output":
			out = r.figure()
		case "cacheRead":
			read = r.figure()
		case "cacheWrite":
			write = r.figure()
		case "totalTokens":
			total = r.figure()
		}
	}
	if total == 0 {
		total = in + out + read + write
	}
	return session.Usage{Prompt: session.Clamp32(in + read + write), Output: session.Clamp32(out), Total: session.Clamp32(total)}
}

// figure consumes a count of tokens; anything that cannot be one is 0.
func (r *reader) figure() int64 {
	n, _ := r.c.Int()
	return int64(session.Clamp32(n))
}

// content reads a message's content: a string, or an array of blocks.
func (r *reader) content(to *content) {
	*to = to.empty()
	switch r.c.Kind() {
	case jsonwalk.String:
		if raw, _, ok := r.c.Quoted(); ok {
			to.texts = append(to.texts, raw)
			to.said += r.estimate(raw, tokens.EstimateEscaped)
		}
	case jsonwalk.Array:
		if !r.c.Enter() {
			return
		}
		for n := int32(0); r.c.Next(); n++ {
			r.block(n, to)
		}
	}
}

// block reads one content block. Its type may stand behind its text, so the
// parts are collected first.
func (r *reader) block(n int32, to *content) {
	c := &r.c
	var kind, id, name, args, input, text, thinking []byte
	var hasText, thinkingSigned, callSigned bool
	picture := 0
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
			text, _, hasText = c.Quoted()
		case "thinking":
			thinking, _, _ = c.Quoted()
		case "thinkingSignature":
			signature, _, _ := c.Quoted()
			thinkingSigned = len(signature) > 0
		case "thoughtSignature":
			signature, _, _ := c.Quoted()
			callSigned = len(signature) > 0
		case "data":
			data, _, _ := c.Quoted()
			picture = len(data)
		case "id":
			id = r.text()
		case "name":
			name = r.text()
		case "arguments":
			args = r.raw()
		case "input":
			input = r.raw()
		}
	}
	to.signed = to.signed || thinkingSigned || callSigned
	switch string(kind) {
	case "text":
		if hasText {
			to.texts = append(to.texts, text)
			to.said += r.estimate(text, tokens.EstimateEscaped)
		}
	case "thinking":
		to.thought += r.estimate(thinking, tokens.EstimateEscaped)
	case "image":
		to.pictures++
		to.said += tokens.Image(picture)
	case "toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call":
		if args == nil {
			args = input
		}
		to.calls = append(to.calls, call{id: id, name: name, args: args, block: n})
		to.args += r.estimate(name, tokens.Estimate) + r.estimate(args, tokens.Estimate)
	default:
		to.foreign++
	}
}
