package genlog

import (
	"bufio"
	"fmt"
	"io"
	"math/rand"
	"strconv"
	"time"
	"unicode/utf8"
)

// Tape is what an emitter writes on: bytes, a clock and seeded chance. math/rand with a seeded source is used
// because its sequence is frozen by the Go 1 promise, so committed fixtures stay reproducible.
type Tape struct {
	r     *rand.Rand
	now   time.Time
	w     *bufio.Writer
	n     int64
	lines int
	eol   string
	err   error
}

func newTape(w io.Writer, seed int64) *Tape {
	r := rand.New(rand.NewSource(seed))
	start := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC).Add(time.Duration(r.Intn(40*24*60)) * time.Minute)
	return &Tape{r: r, now: start, w: bufio.NewWriterSize(w, 1<<16), eol: "\n"}
}

func (t *Tape) write(b []byte) {
	if t.err != nil {
		return
	}
	n, err := t.w.Write(b)
	t.n += int64(n)
	t.err = err
}

// line writes one JSON value as a line.
func (t *Tape) line(o obj) {
	t.write(append(appendJSON(nil, o), t.eol...))
	t.lines++
}

// pass moves the clock forward by lo to hi milliseconds.
func (t *Tape) pass(lo, hi int) {
	t.now = t.now.Add(time.Duration(lo+t.r.Intn(hi-lo+1)) * time.Millisecond)
}

func (t *Tape) iso() string   { return t.now.UTC().Format("2006-01-02T15:04:05.000Z") }
func (t *Tape) millis() int64 { return t.now.UnixMilli() }

func (t *Tape) hex(n int) string {
	const d = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = d[t.r.Intn(16)]
	}
	return string(b)
}

func (t *Tape) uuid() string {
	return t.hex(8) + "-" + t.hex(4) + "-4" + t.hex(3) + "-a" + t.hex(3) + "-" + t.hex(12)
}

func (t *Tape) word(n int) string {
	const d = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = d[t.r.Intn(len(d))]
	}
	return string(b)
}

// field and obj are a JSON object with an order: the real programs write their keys in one.
type field struct {
	k string
	v any
}
type obj []field

type list []any

// appendJSON writes what JavaScript's JSON.stringify would: no HTML escapes, U+2028 raw. Values are built in
// this package only, so an unknown type is a bug here.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	case string:
		return appendString(b, v)
	case []string:
		b = append(b, '[')
		for i, s := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, s)
		}
		return append(b, ']')
	case list:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, e)
		}
		return append(b, ']')
	case obj:
		b = append(b, '{')
		for i, f := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, f.k)
			b = append(b, ':')
			b = appendJSON(b, f.v)
		}
		return append(b, '}')
	}
	panic(fmt.Sprintf("genlog: no JSON for %T", v))
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < 0x20:
			b = fmt.Appendf(b, "\\u%04x", c)
		default:
			b = append(b, c)
		}
		i++
	}
	return append(b, '"')
}

// pretty is JSON.stringify(v, null, 2), the way tool results carry their details as text.
func pretty(o obj) string {
	return string(appendPretty(nil, o, ""))
}

func appendPretty(b []byte, v any, in string) []byte {
	o, ok := v.(obj)
	if l, isList := v.(list); isList && len(l) > 0 {
		b = append(b, "[\n"...)
		for i, e := range l {
			if i > 0 {
				b = append(b, ",\n"...)
			}
			b = append(b, in+"  "...)
			b = appendPretty(b, e, in+"  ")
		}
		return append(b, "\n"+in+"]"...)
	}
	if !ok || len(o) == 0 {
		return appendJSON(b, v)
	}
	b = append(b, "{\n"...)
	for i, f := range o {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, in+"  "...)
		b = appendString(b, f.k)
		b = append(b, ": "...)
		b = appendPretty(b, f.v, in+"  ")
	}
	return append(b, "\n"+in+"}"...)
}
