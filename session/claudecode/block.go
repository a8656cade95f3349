package claudecode

import (
	"sessc/session"
	"sessc/session/jsonwalk"
	"sessc/tokens"
)

// content is a message's content: its size in estimated tokens, and what a
// reader of sub-tasks needs of it.
type content struct {
	said, thought, args int
	pictures            int
	signed              bool
	calls               []call
	results             []result
	texts               [][]byte // raw texts, still escaped
}

type call struct {
	id, name, input []byte
	block           int32
}

// result is one tool result.
type result struct {
	call   []byte
	failed bool
	texts  [][]byte // raw, still escaped
}

// reset keeps the memory of the lists.
func (c *content) reset() {
	*c = content{calls: c.calls[:0], results: c.results[:0], texts: c.texts[:0]}
}

// usage reads the tokens of a message. The client takes the sum of all four
// figures for the size of the context.
func (r *reader) usage() session.Usage {
	var in, out, read, write int64
	for key := range r.c.Members {
		switch string(key) {
		case "input_tokens":
			in = r.figure()
		case "output_tokens":
			out = r.figure()
		case "cache_read_input_tokens":
			read = r.figure()
		case "cache_creation_input_tokens":
			write = r.figure()
		}
	}
	return session.Usage{Prompt: session.Clamp32(in + read + write), Output: session.Clamp32(out), Total: session.Clamp32(in + read + write + out)}
}

// figure consumes a count of tokens; anything that cannot be one is 0.
func (r *reader) figure() int64 {
	n, _ := r.c.Int()
	return int64(session.Clamp32(n))
}

// content reads a message's content: a string, or an array of blocks.
func (r *reader) content(to *content) {
	to.reset()
	r.more(to)
}

// more adds a string or an array of blocks to what was read before.
func (r *reader) more(to *content) {
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
	from := c.Offset()
	if c.Kind() == jsonwalk.String {
		r.more(to)
		return
	}
	var kind, id, name, input, answers, text, thinking []byte
	var hasText, signed, failed bool
	var picture int
	var inner content
	if c.Kind() != jsonwalk.Object {
		return
	}
	for key := range c.Members {
		switch string(key) {
		case "type":
			kind = r.text()
		case "text":
			text, _, hasText = c.Quoted()
		case "thinking":
			thinking, _, _ = c.Quoted()
		case "signature", "data":
			raw, _, _ := c.Quoted()
			signed = len(raw) > 0
		case "source":
			picture = r.picture()
		case "id":
			id = r.text()
		case "name":
			name = r.text()
		case "input":
			input = r.raw()
		case "tool_use_id":
			answers = r.text()
		case "is_error":
			failed, _ = c.Bool()
		case "content":
			inner = content{}
			r.more(&inner)
		case envelope:
			if !r.sizing {
				r.private.odd++
			}
		}
	}
	switch string(kind) {
	case "text":
		if hasText {
			to.texts = append(to.texts, text)
			to.said += r.estimate(text, tokens.EstimateEscaped)
		}
	case "thinking", "redacted_thinking":
		to.thought += r.estimate(thinking, tokens.EstimateEscaped)
		to.signed = to.signed || signed
	case "image", "document":
		to.pictures++
		to.said += tokens.Image(picture)
	case "tool_use":
		to.calls = append(to.calls, call{id: id, name: name, input: input, block: n})
		to.args += r.estimate(name, tokens.Estimate) + r.estimate(input, tokens.Estimate)
	case "tool_result":
		to.results = append(to.results, result{call: answers, failed: failed, texts: inner.texts})
		to.said += inner.said
		to.pictures += inner.pictures
	default:
		// What the provider's own tools asked and found.
		to.said += r.estimate(r.line[from:c.Offset()], tokens.Estimate)
	}
}

// picture reads the source of an image or a document and returns the size of
// its base64 data in bytes.
func (r *reader) picture() (n int) {
	for key := range r.c.Members {
		if string(key) == "data" {
			raw, _, _ := r.c.Quoted()
			n = len(raw)
		}
	}
	return n
}

// estimate returns the tokens of a text: by its length alone at first, and
// exactly for what the client would send, see [session.Sizer].
func (r *reader) estimate(text []byte, exactly func([]byte) int) int {
	if r.sizing {
		return exactly(text)
	}
	return (len(text) + 3) / 4
}
