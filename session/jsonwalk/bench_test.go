package jsonwalk

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// logLines makes n lines in the proportions of an agent log: prompts, answers with tool calls and
// usage, and tool results of code and prose, mostly a few hundred bytes to some ten kilobytes, with
// an escape about every 15 bytes of text and a quote about every 90.
func logLines(n int) [][]byte {
	rng := rand.New(rand.NewPCG(7, 7))
	words := []string{"func ", "return ", "the ", "session ", "\n\t", "\n", "err != nil {", "é", "0x1f", "(a, b)", " := ", "\"quoted\" ", "\\d+", "path/to/file.go:12 ", "… "}
	text := func(size int) string {
		var b strings.Builder
		for b.Len() < size {
			b.WriteString(words[rng.IntN(len(words))])
		}
		return b.String()
	}
	lines := make([][]byte, 0, n)
	for i := range n {
		var content, extra string
		role := "toolResult"
		switch i % 4 {
		case 0:
			role = "user"
			content = fmt.Sprintf(`[{"type":"text","text":%s}]`, quoted(text(200)))
		case 1:
			role = "assistant"
			content = fmt.Sprintf(`[{"type":"thinking","thinking":%s},{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":"a/%d.go","limit":200}}]`, quoted(text(300)), i, i)
			extra = `,"usage":{"input":1200,"output":85,"cacheRead":50123,"cacheWrite":0,"totalTokens":51408,"cost":{"input":0.0012,"output":0.0004,"total":0.0016}},"stopReason":"toolUse"`
		default:
			content = fmt.Sprintf(`[{"type":"text","text":%s}]`, quoted(text(200<<rng.IntN(7))))
			extra = fmt.Sprintf(`,"toolCallId":"call_%d","toolName":"read","isError":false`, i)
		}
		lines = append(lines, fmt.Appendf(nil, `{"type":"message","id":"%08x","parentId":"%08x","timestamp":"2026-03-01T10:%02d:00.000Z","message":{"role":"%s","content":%s%s,"timestamp":%d}}`+"\n",
			i+1, i, i%60, role, content, extra, 1772359200000+i))
	}
	return lines
}

func quoted(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// facts is what an index keeps of a line.
type facts struct {
	typ, id, parent, role, tool, call byte // first bytes, to keep the result used
	text, tokens, time                int64
}

// index reads the fields that a log index needs: the job the benchmarks measure.
func index(c *Cursor, line []byte) (f facts) {
	c.Reset(line)
	if !c.Enter() {
		return f
	}
	for {
		key, ok := c.Key()
		if !ok {
			return f
		}
		switch string(key) {
		case "type":
			f.typ = firstByte(c)
		case "id":
			f.id = firstByte(c)
		case "parentId":
			f.parent = firstByte(c)
		case "message":
			indexMessage(c, &f)
		}
	}
}

func indexMessage(c *Cursor, f *facts) {
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
			f.role = firstByte(c)
		case "toolName":
			f.tool = firstByte(c)
		case "toolCallId":
			f.call = firstByte(c)
		case "timestamp":
			f.time, _ = c.Int()
		case "content":
			for open := c.Enter(); open && c.Next(); {
				indexBlock(c, f)
			}
		case "usage":
			indexUsage(c, f)
		}
	}
}

func indexUsage(c *Cursor, f *facts) {
	if !c.Enter() {
		return
	}
	for {
		key, ok := c.Key()
		if !ok {
			return
		}
		if string(key) == "totalTokens" {
			f.tokens, _ = c.Int()
		}
	}
}

func indexBlock(c *Cursor, f *facts) {
	if !c.Enter() {
		return
	}
	for {
		key, ok := c.Key()
		if !ok {
			return
		}
		switch string(key) {
		case "text", "thinking":
			raw, _, _ := c.Str()
			f.text += int64(len(raw))
		case "id":
			f.call = firstByte(c)
		case "name":
			f.tool = firstByte(c)
		}
	}
}

func firstByte(c *Cursor) byte {
	if s, ok := c.Text(); ok && len(s) > 0 {
		return s[0]
	}
	return 0
}

// megabyte returns log lines of about 1 MB and their exact size.
func megabyte() (lines [][]byte, size int64) {
	for _, l := range logLines(600) {
		if size < 1_000_000 {
			lines, size = append(lines, l), size+int64(len(l))
		}
	}
	return lines, size
}

func BenchmarkIndex(b *testing.B) {
	lines, size := megabyte()
	var c Cursor
	var sum int64
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			f := index(&c, l)
			sum += f.text + f.tokens + f.time
		}
	}
	if sum == 0 {
		b.Fatal("nothing was indexed")
	}
}

func BenchmarkSkip(b *testing.B) {
	lines, size := megabyte()
	var c Cursor
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			c.Reset(l)
			if err := c.End(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkUnescape(b *testing.B) {
	lines, _ := megabyte()
	var texts [][]byte
	var size int64
	var c Cursor
	for _, l := range lines {
		c.Reset(l)
		texts, size = appendStrings(texts, size, &c)
	}
	var dst []byte
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, raw := range texts {
			dst = Unescape(dst[:0], raw)
		}
	}
}

func appendStrings(texts [][]byte, size int64, c *Cursor) ([][]byte, int64) {
	switch c.Kind() {
	case Object:
		c.Enter()
		for _, ok := c.Key(); ok; _, ok = c.Key() {
			texts, size = appendStrings(texts, size, c)
		}
	case Array:
		c.Enter()
		for c.Next() {
			texts, size = appendStrings(texts, size, c)
		}
	case String:
		if raw, escaped, _ := c.Str(); escaped {
			return append(texts, raw), size + int64(len(raw))
		}
	}
	return texts, size
}

// BenchmarkEncodingJSON is the yardstick: the standard library filling a struct of the same fields.
func BenchmarkEncodingJSON(b *testing.B) {
	lines, size := megabyte()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			var v struct {
				Type, ID, ParentID string
				Message            struct {
					Role, ToolName, ToolCallID string
					Timestamp                  int64
					Content                    []struct{ Type, Text, Thinking, ID, Name string }
					Usage                      struct{ TotalTokens int64 }
				}
			}
			if err := json.Unmarshal(l, &v); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkFind looks for a key among what a client keeps of a call beside its
// text.
func BenchmarkFind(b *testing.B) {
	out := strings.Repeat(`some output of a command\n`, 400)
	for name, doc := range map[string]string{
		"none":  `{"stdout":"` + out + `","stderr":"","interrupted":false,"isImage":false}`,
		"first": `{"status":"completed","prompt":"` + out + `","agentId":"a","content":[{"type":"text","text":"` + out + `"}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			object := []byte(doc)
			b.SetBytes(int64(len(object)))
			for b.Loop() {
				Find(object, "status")
			}
		})
	}
}
