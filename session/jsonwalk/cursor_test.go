package jsonwalk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func ExampleCursor() {
	line := []byte(`{"type":"message","message":{"role":"user","content":[{"text":"type: fake"},{"text":"a\nb"}]},"id":"e1"}` + "\n")
	var c Cursor
	c.Reset(line)
	c.Enter()
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "id", "type":
			text, _ := c.Text()
			fmt.Printf("%s\n", text)
		case "message":
			start, end, _ := c.Range()
			fmt.Println(start, end, c.Kind())
		}
	}
	fmt.Println(c.End())
	// Output:
	// message
	// 28 93 object
	// e1
	// <nil>
}

// TestScalars calls each consuming method on each kind of value, as elements of one array.
func TestScalars(t *testing.T) {
	tests := []struct {
		name, value            string
		str, num, i, f, b, txt string
	}{
		{"plain string", `"abc"`, "abc false", "-", "-", "-", "-", "abc"},
		{"empty string", `""`, " false", "-", "-", "-", "-", ""},
		{"escaped string", `"a\n\"b"`, `a\n\"b true`, "-", "-", "-", "-", "a\n\"b"},
		{"surrogate pair", `"\ud83d\ude00"`, `\ud83d\ude00 true`, "-", "-", "-", "-", "😀"},
		{"lone surrogate", `"\ud83d!"`, `\ud83d! true`, "-", "-", "-", "-", "\uFFFD!"},
		{"ill-formed text", "\"a\xffb\"", "a\xffb false", "-", "-", "-", "-", "a\uFFFDb"},
		{"zero", `0`, "-", "0", "0", "0", "-", "-"},
		{"minus zero", `-0`, "-", "-0", "0", "-0", "-", "-"},
		{"largest int", `9223372036854775807`, "-", "9223372036854775807", "9223372036854775807", "9.223372036854776e+18", "-", "-"},
		{"one above", `9223372036854775808`, "-", "9223372036854775808", "-", "9.223372036854776e+18", "-", "-"},
		{"smallest int", `-9223372036854775808`, "-", "-9223372036854775808", "-9223372036854775808", "-9.223372036854776e+18", "-", "-"},
		{"one below", `-9223372036854775809`, "-", "-9223372036854775809", "-", "-9.223372036854776e+18", "-", "-"},
		{"20 digits", `99999999999999999999`, "-", "99999999999999999999", "-", "1e+20", "-", "-"},
		{"wraps to one", `18446744073709551617`, "-", "18446744073709551617", "-", "1.8446744073709552e+19", "-", "-"},
		{"fraction", `1.50`, "-", "1.50", "-", "1.5", "-", "-"},
		{"exponent", `1e3`, "-", "1e3", "-", "1000", "-", "-"},
		{"beyond float64", `1e999`, "-", "1e999", "-", "-", "-", "-"},
		{"true", `true`, "-", "-", "-", "-", "true", "-"},
		{"false", `false`, "-", "-", "-", "-", "false", "-"},
		{"null", `null`, "-", "-", "-", "-", "-", "-"},
		{"object", `{"x":"}"}`, "-", "-", "-", "-", "-", "-"},
		{"array", `["]",[1]]`, "-", "-", "-", "-", "-", "-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line := []byte(`[` + strings.Repeat(tt.value+" , ", 6) + `7]`)
			var c Cursor
			c.Reset(line)
			c.Enter()
			check := func(method, want string, f func() (string, bool)) {
				t.Helper()
				if !c.Next() {
					t.Fatalf("%s: no element: %v", method, c.Err())
				}
				at := c.Offset()
				got, ok := f()
				if !ok {
					got = "-"
				}
				if got != want {
					t.Errorf("%s gives %q, want %q", method, got, want)
				}
				if start, end, ok := c.Range(); !ok || start != at || string(line[start:end]) != tt.value {
					t.Errorf("after %s the range is [%d,%d) %v", method, start, end, ok)
				}
			}
			check("Str", tt.str, func() (string, bool) { s, e, ok := c.Str(); return fmt.Sprintf("%s %v", s, e), ok })
			check("Number", tt.num, func() (string, bool) { n, ok := c.Number(); return string(n), ok })
			check("Int", tt.i, func() (string, bool) { n, ok := c.Int(); return fmt.Sprint(n), ok })
			check("Float", tt.f, func() (string, bool) { n, ok := c.Float(); return fmt.Sprint(n), ok })
			check("Bool", tt.b, func() (string, bool) { b, ok := c.Bool(); return fmt.Sprint(b), ok })
			check("Text", tt.txt, func() (string, bool) { s, ok := c.Text(); return string(s), ok })
			if !c.Next() {
				t.Fatalf("the last element is lost: %v", c.Err())
			}
			if n, ok := c.Int(); n != 7 || !ok || c.Next() || c.End() != nil {
				t.Errorf("last element %d %v, end %v", n, ok, c.End())
			}
		})
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"empty line", "", "expected a value, but the line ends at byte 0"},
		{"blank line", " \r\n", "expected a value, but the line ends at byte 3"},
		{"NUL line", "\x00\x00", "expected a value at byte 0"},
		{"byte order mark", "\xef\xbb\xbf{}", "expected a value at byte 0"},
		{"torn in a string", `{"a":"b`, "unclosed string, but the line ends at byte 7"},
		{"torn in a key", `{"a`, "unclosed string, but the line ends at byte 3"},
		{"torn after a key", `{"a"`, "expected a colon, but the line ends at byte 4"},
		{"torn after a colon", `{"a": `, "expected a value, but the line ends at byte 6"},
		{"torn in an object", `{"a":1`, "expected a comma or the end of the object, but the line ends at byte 6"},
		{"torn in a skipped array", `{"a":[1,`, "unclosed object or array, but the line ends at byte 8"},
		{"fragment and a whole object", `{"type":"us{"type":"user"}`, "expected a comma or the end of the object at byte 13"},
		{"two objects", `{"a":1}{"b":2}`, "text after the value at byte 7"},
		{"stray closing bracket", `{"a":1}}`, "text after the value at byte 7"},
		{"NUL behind", "{}\x00", "text after the value at byte 2"},
		{"trailing comma in object", `{"a":1,}`, "expected a key at byte 7"},
		{"trailing comma in array", `[1,]`, "expected a value at byte 3"},
		{"missing comma", `[1 2]`, "expected a comma or the end of the array at byte 3"},
		{"wrong bracket", `[1}`, "expected a comma or the end of the array at byte 2"},
		{"wrong bracket in skipped", `{"a":[{]}`, "mismatched bracket at byte 7"},
		{"foreign byte in skipped", "{\"a\":[x]}", "unexpected byte at byte 6"},
		{"misspelled literal", `[nul]`, "misspelled literal at byte 1"},
		{"leading zero", `[01]`, "expected a comma or the end of the array at byte 2"},
		{"bare minus", `[-]`, "malformed number at byte 2"},
		{"no fraction", `[1.]`, "malformed number at byte 3"},
		{"no exponent", `[1e+]`, "malformed number at byte 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c Cursor
			c.Reset([]byte(tt.line))
			if c.Enter() {
				// One of the two loops fits; the other leaves at once.
				if tt.line[0] == '{' {
					for _, ok := c.Key(); ok; _, ok = c.Key() {
					}
				}
				for c.Next() {
				}
			}
			err := c.End()
			if err == nil || err.Error() != "json: "+tt.want {
				t.Errorf("error %v, want json: %s", err, tt.want)
			}
			if c.Kind() != Invalid || c.Enter() || c.Next() {
				t.Error("the cursor goes on after an error")
			}
			c.Reset([]byte(`{"a":1}`))
			if err := c.End(); err != nil {
				t.Errorf("the error survives Reset: %v", err)
			}
		})
	}
}

func TestDuplicateAndEscapedKeys(t *testing.T) {
	var c Cursor
	c.Reset([]byte(`{"a":1,"\u0061":2,"b\"\\":3,"` + "\xff" + `":4,"":5,"a":6}`))
	c.Enter()
	var got []string
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		n, _ := c.Int()
		got = append(got, fmt.Sprintf("%s=%d", key, n))
	}
	want := "a=1 a=2 b\"\\=3 \uFFFD=4 =5 a=6"
	if s := strings.Join(got, " "); s != want || c.End() != nil {
		t.Errorf("got %s (%v), want %s", s, c.Err(), want)
	}
}

func TestLeaveAndUnexpectedKinds(t *testing.T) {
	tests := []struct {
		name, value string
		use         func(c *Cursor)
	}{
		{"nothing done", `{"x":[1,{"y":2}]}`, func(c *Cursor) {}},
		{"left at once", `{"x":[1,{"y":2}]}`, func(c *Cursor) { c.Enter(); c.Leave() }},
		{"left on a value", `{"x":[1,{"y":2}],"z":"}"}`, func(c *Cursor) { c.Enter(); c.Key(); c.Leave() }},
		{"left after a value", `{"x":"]","z":"}"}`, func(c *Cursor) { c.Enter(); c.Key(); c.Str(); c.Leave() }},
		{"left two levels", `{"x":[1,{"y":2}],"z":"}"}`, func(c *Cursor) {
			c.Enter()
			c.Key()
			c.Enter()
			c.Next()
			c.Leave()
			c.Leave()
		}},
		{"Key in an array", `["a",{"b":1}]`, func(c *Cursor) { c.Enter(); c.Key() }},
		{"Next in an object", `{"a":[1,2]}`, func(c *Cursor) { c.Enter(); c.Next() }},
		{"Key in an empty array", `[]`, func(c *Cursor) { c.Enter(); c.Key() }},
		{"Enter on a scalar", `"{"`, func(c *Cursor) { c.Enter() }},
		{"Str on an object", `{"x":"y"}`, func(c *Cursor) { c.Str() }},
		{"consumed twice", `"x"`, func(c *Cursor) { c.Str(); c.Str(); c.Skip(); c.Int() }},
		{"only looked at", `{"x":{}}`, func(c *Cursor) { c.Range(); c.Kind(); c.Offset() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line := []byte(`{"first":` + tt.value + ` , "next":7}`)
			var c Cursor
			c.Reset(line)
			c.Enter()
			c.Key()
			tt.use(&c)
			key, ok := c.Key()
			if n, isInt := c.Int(); !ok || string(key) != "next" || n != 7 || !isInt {
				t.Errorf("then key %q %v with %d: %v", key, ok, n, c.Err())
			}
			if _, ok := c.Key(); ok || c.End() != nil {
				t.Errorf("no end: %v", c.Err())
			}
		})
	}
}

func TestRangeOfWalkedContainer(t *testing.T) {
	var c Cursor
	line := []byte(`{"a": {"b":[1]} ,"c":2}`)
	c.Reset(line)
	c.Enter()
	if _, _, ok := c.Range(); ok {
		t.Error("a range between Enter and the first member")
	}
	c.Key()
	start := c.Offset()
	c.Enter()
	for _, ok := c.Key(); ok; _, ok = c.Key() {
	}
	if _, _, ok := c.Range(); ok {
		t.Error("a range behind a walked object")
	}
	if got := string(line[start:c.Offset()]); got != `{"b":[1]}` {
		t.Errorf("offsets give %q", got)
	}
}

func TestDepthLimitIsThatOfEncodingJSON(t *testing.T) {
	for _, open := range []string{`[`, `{"a":`} {
		for _, depth := range []int{maxDepth - 1, maxDepth, maxDepth + 1} {
			t.Run(fmt.Sprintf("%s %d", open, depth), func(t *testing.T) {
				inner, end := "1", "]"
				if open != "[" {
					end = "}"
				}
				line := []byte(strings.Repeat(open, depth) + inner + strings.Repeat(end, depth))
				accept := json.Valid(line)
				if accept != (depth <= maxDepth) {
					t.Fatalf("encoding/json has another limit: %v at %d", accept, depth)
				}
				events, err := walk(line)
				if (err == nil) != accept {
					t.Errorf("walk: %d events, %v", len(events), err)
				}
				var c Cursor
				c.Reset(line)
				if err := c.End(); (err == nil) != accept {
					t.Errorf("skip: %v", err)
				}
				checkAgainst(t, line)
			})
		}
	}
}

func TestNoAllocations(t *testing.T) {
	lines := logLines(64)
	var c Cursor
	for _, l := range lines {
		index(&c, l) // decoding memory grows to what these lines need
	}
	if n := testing.AllocsPerRun(10, func() {
		for _, l := range lines {
			index(&c, l)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
