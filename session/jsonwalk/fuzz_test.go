package jsonwalk

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// odd holds lines that real logs, other parsers' bug lists and this parser's own corners suggest. It
// seeds the fuzz targets, which also run over it as plain tests.
var odd = []string{
	``, ` `, "\n", "\r\n", "\x00", "\x00\x00\x00{}", "\xef\xbb\xbf{}", "{}\xef\xbb\xbf",
	`{}`, `[]`, `{ }`, `[ ]`, ` { "a" : 1 } `, "{\"a\":1}\r\n", "\t[1 ,\r2 ]\n",
	`null`, `true`, `false`, `nul`, `tru`, `fals`, `nulll`, `True`, `truefalse`,
	`0`, `-0`, `-0.0`, `1e999`, `-1E-999`, `1.5e+3`, `01`, `-`, `+1`, `.5`, `1.`, `1e`, `1e+`, `--1`, `1 2`,
	`9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `-9223372036854775809`,
	`123456789012345678901234567890`, `0x10`, `NaN`, `Infinity`, `1_000`,
	`""`, `"`, `"\"`, `"\\"`, `"\\\"`, `"\\\\\"x\\"`, `"\`, `"\"\"\""`, `"a""b"`, `"a"b`,
	`"\u0041\u00e9\u20ac"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\ud83d\ud83d\ude00"`, `"\ud83dx"`,
	`"\ud83d\n"`, `"\ud83d\u0041"`, `"\u12"`, `"\u12G4"`, `"\x41"`, `"\uD83D\uDE00"`, `"\u0000"`, `"\ufffd"`,
	`"\ud83d\ufffd"`, `"\b\f\n\r\t\/\"\\"`, "\"a\tb\"", "\"a\x00b\"", "\"\xff\xfe\"", "\"\xe2\x82\\n\"", "\"\u2028\u0085\"",
	"\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\\\xc3\xa9\"",
	`{"a":1,"a":2,"a":{"a":3}}`, `{"\u0061":1,"a":2}`, `{"a\"b":1,"a\\":2,"\/":3}`, "{\"\xff\":1,\"\xfe\":2}", `{"":0,"":1}`,
	"{\"é\":1,\"\\u00e9\":2}", `{"k\ud800":1}`, `{"\q":1}`,
	`{"a":}`, `{"a"}`, `{"a" 1}`, `{a:1}`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{"a":1}}`, `{"a":1`, `{"a`, `{`, `{"a":[}`,
	`[1,]`, `[,1]`, `[1 2]`, `[1`, `[`, `]`, `}`, `[[]`, `[}`, `{]`, `[{]}`, `[1]]`, `:`, `,`,
	`{"type":"us{"type":"user"}`, `{"type":"message"}{"type":"message"}`, `"}]}}`, `{"a":1} trailing`,
	`{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"assistant","content":[{"type":"text","text":"{\"type\":\"fake\"}\\n"},{"type":"toolCall","id":"call_1","name":"bash","arguments":{"type":"x"}}],"usage":{"input":10,"cost":1.5e-4}}}`,
	strings.Repeat(`[`, 200) + strings.Repeat(`]`, 200),
	strings.Repeat(`{"a":[`, 70) + `1` + strings.Repeat(`]}`, 70),
	strings.Repeat(`[`, 64) + `{}` + strings.Repeat(`]`, 63) + `}`,
}

func seed(f *testing.F) {
	for _, s := range odd {
		f.Add([]byte(s))
	}
}

// FuzzWalkAgainstEncodingJSON holds the contract: what encoding/json accepts is seen the same way,
// duplicates and order included; anything else neither panics nor runs forever.
func FuzzWalkAgainstEncodingJSON(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, line []byte) { checkAgainst(t, line) })
}

func checkAgainst(t *testing.T, line []byte) {
	t.Helper()
	before := bytes.Clone(line)
	// The same line with JSON-like bytes behind its end must give the same walk: nothing outside
	// the slice is read.
	framed := append(bytes.Clone(line), `"}]},:0"}]}`...)[:len(line)]
	got, gotErr := walk(slices.Clip(line))
	inFrame, frameErr := walk(framed)
	if !slices.Equal(got, inFrame) || (gotErr == nil) != (frameErr == nil) {
		t.Fatalf("bytes behind the slice change the walk of %q", line)
	}
	if !bytes.Equal(line, before) {
		t.Fatalf("the walk changed its input %q", before)
	}
	if len(got) > 2*len(line)+2 {
		t.Fatalf("%d events from %d bytes", len(got), len(line))
	}
	want, err := reference(line)
	if err != nil {
		return
	}
	if gotErr != nil {
		t.Fatalf("encoding/json accepts %q, the walk says %v", line, gotErr)
	}
	wantEvents, err := tokens(line)
	if err != nil {
		t.Fatalf("token reader on valid line %q: %v", line, err)
	}
	if !slices.Equal(got, wantEvents) {
		t.Fatalf("line %q\n got %v\nwant %v", line, got, wantEvents)
	}
	var c Cursor
	c.Reset(line)
	if tree := build(&c); !reflect.DeepEqual(tree, want) {
		t.Fatalf("line %q\n got %#v\nwant %#v", line, tree, want)
	}
	c.Reset(line)
	if c.Skip(); c.Err() != nil {
		t.Fatalf("skip of valid line %q: %v", line, c.Err())
	}
}

// FuzzRange asks for the range of every value before consuming it, after skipping it and after
// walking it: all must agree, and the bytes in it must be that value and nothing else.
func FuzzRange(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		valid := json.Valid(line)
		var c Cursor
		c.Reset(line)
		checkRange(t, &c, line, valid)
		if err := c.End(); valid && err != nil {
			t.Fatalf("valid line %q: %v", line, err)
		}
	})
}

func checkRange(t *testing.T, c *Cursor, line []byte, valid bool) {
	t.Helper()
	kind := c.Kind()
	at := c.Offset()
	start, end, ok := c.Range()
	if !ok {
		if valid || c.Err() == nil {
			t.Fatalf("no range for a %v at %d of %q, error %v", kind, at, line, c.Err())
		}
		return
	}
	if start != at || start >= end || end > len(line) {
		t.Fatalf("range [%d,%d) at offset %d of %q", start, end, at, line)
	}
	skipped := *c
	skipped.Skip()
	if s, e, ok := skipped.Range(); !ok || s != start || e != end || skipped.Offset() != end {
		t.Fatalf("range [%d,%d) became [%d,%d) %v after Skip in %q", start, end, s, e, ok, line)
	}
	if valid {
		checkSplice(t, line, start, end)
	}
	switch kind {
	case Object:
		c.Enter()
		for {
			if _, ok := c.Key(); !ok {
				break
			}
			checkRange(t, c, line, valid)
		}
	case Array:
		c.Enter()
		for c.Next() {
			checkRange(t, c, line, valid)
		}
	default:
		c.Skip()
	}
	if c.Err() != nil {
		if valid {
			t.Fatalf("valid line %q: %v", line, c.Err())
		}
		return
	}
	if c.Offset() != end {
		t.Fatalf("a %v at %d ends at %d when walked, at %d when skipped, in %q", kind, start, c.Offset(), end, line)
	}
}

// checkSplice puts the value's own bytes and then another value in its place.
func checkSplice(t *testing.T, line []byte, start, end int) {
	t.Helper()
	if !json.Valid(line[start:end]) || line[start] <= ' ' || line[end-1] <= ' ' {
		t.Fatalf("%q is not one bare value of %q", line[start:end], line)
	}
	other := slices.Concat(line[:start], []byte(`{"x":[]}`), line[end:])
	// The replacement is one level deeper than a scalar, which only matters at the depth limit.
	if bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) < maxDepth-2 && !json.Valid(other) {
		t.Fatalf("splicing [%d,%d) of %q gives %q", start, end, line, other)
	}
}

// FuzzUnescape compares string decoding with encoding/json on every string it accepts.
func FuzzUnescape(f *testing.F) {
	for _, s := range odd {
		f.Add([]byte(strings.Trim(s, `"`)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := Unescape([]byte("x"), raw)
		if got[0] != 'x' {
			t.Fatalf("prefix lost: %q", got)
		}
		if !utf8.Valid(got) {
			t.Fatalf("%q decodes to ill-formed UTF-8 %q", raw, got)
		}
		if again := Unescape(nil, raw); string(again) != string(got[1:]) {
			t.Fatalf("%q decodes to %q and to %q", raw, got[1:], again)
		}
		var want string
		if json.Unmarshal(slices.Concat([]byte{'"'}, raw, []byte{'"'}), &want) == nil && string(got[1:]) != want {
			t.Fatalf("%q decodes to %q, want %q", raw, got[1:], want)
		}
	})
}

// FuzzCalls makes arbitrary calls in arbitrary order, as a caller with a wrong idea of the line
// would: no panic, the position never goes back or out, and an error stays.
func FuzzCalls(f *testing.F) {
	for _, s := range odd {
		f.Add([]byte(s), []byte{0, 1, 1, 4, 1, 5, 0, 2, 3, 2, 6, 1, 7, 8, 9, 10, 11})
		f.Add([]byte(s), []byte{2, 1, 0, 0, 0, 3, 10, 2, 0, 2, 3, 3, 11})
	}
	f.Fuzz(func(t *testing.T, line, calls []byte) {
		var c Cursor
		c.Reset(line)
		last := 0
		for _, call := range calls {
			err := c.Err()
			kind := c.Kind()
			moved := false
			switch call % 12 {
			case 0:
				moved = c.Enter()
			case 1:
				_, moved = c.Key()
			case 2:
				moved = c.Next()
			case 3:
				c.Leave()
			case 4:
				_, _, moved = c.Str()
			case 5:
				_, moved = c.Text()
			case 6:
				_, moved = c.Number()
			case 7:
				_, moved = c.Int()
			case 8:
				_, moved = c.Float()
			case 9:
				_, moved = c.Bool()
			case 10:
				start, end, ok := c.Range()
				if ok && (start < 0 || start >= end || end > len(line)) {
					t.Fatalf("range [%d,%d) of %q", start, end, line)
				}
			case 11:
				if e := c.End(); (e == nil) != (c.Err() == nil) {
					t.Fatalf("End says %v, Err says %v", e, c.Err())
				}
			}
			if c.Offset() < last || c.Offset() > len(line) {
				t.Fatalf("call %d of %v moves from %d to %d in %q", call%12, calls, last, c.Offset(), line)
			}
			last = c.Offset()
			if err != nil && (moved || kind != Invalid || c.Err() == nil || c.Err().Error() != err.Error()) {
				t.Fatalf("after error %v: moved %v, kind %v, error %v", err, moved, kind, c.Err())
			}
		}
	})
}
