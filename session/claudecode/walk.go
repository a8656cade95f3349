package claudecode

import (
	"bytes"
	"unicode/utf8"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// fields is what one line says, as slices of the line or of memory of its own:
// valid until the next line. A key that is repeated counts as decoders of JSON
// take it, the last one alone.
type fields struct {
	typ, subtype        []byte
	id, parent, logical []byte
	time                int64
	session, version    []byte
	cwd, effort         []byte
	aside, meta         bool // isSidechain, isMeta
	apiError, summary   bool // isApiErrorMessage, isCompactSummary
	origin, source      []byte
	result              []byte // toolUseResult, any value, raw
	denial              []byte // toolDenialKind
	leaf                []byte // of a last-prompt line
	mark                session.Marker
	kept                kept
	msg                 message
	att                 attachment
}

// kept names what a compaction keeps of the conversation before it.
type kept struct {
	ids        [][]byte // preservedMessages.uuids
	head, tail []byte   // preservedSegment, of versions without the list
	anchor     []byte   // of either: the summary
}

// message is what stands under the key "message".
type message struct {
	content
	id, model, stop []byte
	usage           session.Usage
}

// attachment is what stands under the key "attachment", and the texts that the
// client sends for it.
type attachment struct {
	typ, mode, origin []byte
	prompt            content
	rendered          content
	inTurn            content // renderedInHumanTurn
	shown, shownTurn  bool    // that the keys are there at all
}

func (f *fields) reset() {
	f.msg.reset()
	f.att.prompt.reset()
	f.att.rendered.reset()
	f.att.inTurn.reset()
	*f = fields{
		msg: message{content: f.msg.content}, kept: kept{ids: f.kept.ids[:0]},
		att: attachment{prompt: f.att.prompt, rendered: f.att.rendered, inTurn: f.att.inTurn},
	}
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
		case "subtype":
			f.subtype = r.text()
		case "uuid":
			f.id = r.text()
		case "parentUuid":
			f.parent = r.text()
		case "logicalParentUuid":
			f.logical = r.text()
		case "timestamp":
			f.time = session.ParseTime(r.text())
		case "sessionId":
			f.session = r.text()
		case "version":
			f.version = r.text()
		case "cwd":
			f.cwd = r.text()
		case "effort":
			f.effort = r.text()
		case "isSidechain":
			f.aside, _ = c.Bool()
		case "isMeta":
			f.meta, _ = c.Bool()
		case "isApiErrorMessage":
			f.apiError, _ = c.Bool()
		case "isCompactSummary":
			f.summary, _ = c.Bool()
		case "origin":
			f.origin = r.member("kind")
		case "promptSource":
			f.source = r.text()
		case "toolUseResult":
			f.result = r.raw()
		case "toolDenialKind":
			f.denial = r.text()
		case "leafUuid":
			f.leaf = r.text()
		case "compactMetadata":
			r.walkCompaction()
		case "message":
			r.walkMessage()
		case "attachment":
			r.walkAttachment()
		case "rendered":
			f.att.shown = r.renderings(&f.att.rendered)
		case "renderedInHumanTurn":
			f.att.shownTurn = r.renderings(&f.att.inTurn)
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

// raw consumes any value and returns its bytes.
func (r *reader) raw() []byte {
	r.c.Skip()
	from, to, ok := r.c.Range()
	if !ok {
		return nil
	}
	return r.line[from:to]
}

// member consumes an object and returns one string in it.
func (r *reader) member(want string) (v []byte) {
	for key := range r.c.Members {
		if string(key) == want {
			v = r.text()
		}
	}
	return v
}

func (r *reader) walkMarker() {
	m := &r.f.mark
	*m = session.Marker{}
	for key := range r.c.Members {
		switch string(key) {
		case "ref":
			m.Ref = string(r.text())
		case "gen":
			n, _ := r.c.Int()
			m.Gen = int(session.Clamp32(n))
		}
	}
}

func (r *reader) walkCompaction() {
	k := &r.f.kept
	*k = kept{ids: k.ids[:0]}
	for key := range r.c.Members {
		switch string(key) {
		case "preservedMessages", "preservedSegment":
			r.walkKept(k)
		}
	}
}

func (r *reader) walkKept(k *kept) {
	for key := range r.c.Members {
		switch string(key) {
		case "anchorUuid":
			k.anchor = r.text()
		case "headUuid":
			k.head = r.text()
		case "tailUuid":
			k.tail = r.text()
		case "uuids":
			k.ids = k.ids[:0]
			if r.c.Kind() == jsonwalk.Array && r.c.Enter() {
				for r.c.Next() {
					k.ids = append(k.ids, r.text())
				}
			}
		}
	}
}

func (r *reader) walkMessage() {
	c, m := &r.c, &r.f.msg
	m.reset()
	*m = message{content: m.content}
	for key := range c.Members {
		switch string(key) {
		case "id":
			m.id = r.text()
		case "model":
			m.model = r.text()
		case "stop_reason":
			m.stop = r.text()
		case "usage":
			m.usage = r.usage()
		case "content":
			r.content(&m.content)
		}
	}
}

func (r *reader) walkAttachment() {
	c, a := &r.c, &r.f.att
	a.prompt.reset()
	a.typ, a.mode, a.origin = nil, nil, nil
	for key := range c.Members {
		switch string(key) {
		case "type":
			a.typ = r.text()
		case "commandMode":
			a.mode = r.text()
		case "origin":
			a.origin = r.member("kind")
		case "prompt":
			r.content(&a.prompt)
		}
	}
}

// renderings reads a list of texts in the form in which the client sends them.
func (r *reader) renderings(to *content) (there bool) {
	to.reset()
	if r.c.Kind() != jsonwalk.Array || !r.c.Enter() {
		return false
	}
	for r.c.Next() {
		for key := range r.c.Members {
			if string(key) == "content" {
				r.more(to)
			}
		}
	}
	return true
}
