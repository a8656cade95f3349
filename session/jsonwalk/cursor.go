// Package jsonwalk is a pull parser over one line of JSON that is already in memory.
//
// It exists to index session logs at close to memory speed: strings are passed over from quote to
// quote, numbers and text stay bytes until they are asked for, and nothing is allocated on ordinary
// lines. On every line that encoding/json accepts (into any) it reports the same keys, kinds,
// strings and numbers in the same order; a key that occurs twice is reported twice, and a caller
// that wants encoding/json's view takes the last.
//
// It is not a validator. What is skipped is checked for balanced brackets and for bytes that cannot
// stand outside a string, but not for control characters or bad escapes inside strings and not for
// the order of tokens in a skipped object, so a damaged line may be walked without an error. Whoever
// edits a line must check it in full first. It does not split lines, strip a byte order mark,
// build values or write JSON.
package jsonwalk

import "fmt"

// Kind says what a JSON value is, judged by its first byte.
type Kind uint8

// The kinds of JSON values. Invalid stands for "no value here": before Reset, after the value was
// consumed, or after an error.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Object
	Array
)

var kindNames = [...]string{"invalid", "null", "bool", "number", "string", "object", "array"}

// String returns the lower-case name of the kind, for messages.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return "unknown kind"
	}
	return kindNames[k]
}

// maxDepth is encoding/json's own nesting limit (maxNestingDepth in encoding/json/scanner.go,
// Go 1.26): 10000 open brackets are accepted, one more is an error.
const maxDepth = 10000

// Cursor walks one line. The zero value stands on nothing; Reset puts it on a line, and the same
// Cursor should be used for line after line.
//
// The usual shape is Enter and, only if it returned true, Key (or Next) until that returns false, with
// one of the consuming methods for each value of interest; a value that was not consumed is skipped by
// the next Key or Next. A loop after a refused Enter would eat the members of the parent. To stop early in a nested object or array, call Leave, otherwise the next Key still belongs
// to it. An error is sticky: every method then reports "nothing here" and Err says what and where.
//
// A copy of a Cursor is a second, independent position on the same line, but both share the memory
// behind decoded results of Key and Text.
type Cursor struct {
	line  []byte
	pos   int  // next unread byte; the first byte of the value while val is set
	depth int  // open objects and arrays
	val   bool // an unconsumed value starts at pos
	first bool // the innermost open object or array has not given a member yet

	done       bool // start and end hold the value consumed last
	start, end int
	plain      bool // the string consumed last, if it was one, was seen to be plain

	msg    string // the error, "" for none
	msgPos int

	key, text []byte // memory for decoded keys and texts, kept over Reset

	// One bit for each open level, set for an object. It is part of the struct so that neither deep
	// nesting nor Reset allocates.
	open [maxDepth/64 + 1]uint64
}

// Reset puts the cursor on the top value of line. The line may carry its line end, which is white
// space to JSON. The cursor keeps line and reads from it, but never writes to it. A line without
// any value is an error (see Err), as it is for encoding/json.
func (c *Cursor) Reset(line []byte) {
	c.line = line
	c.pos, c.depth = 0, 0
	c.val, c.first, c.done = false, false, false
	c.msg = ""
	c.arrive(0)
}

// Kind returns the kind of the value at the cursor. A literal such as true is recognised by its
// first letter; whether it is spelled right shows when it is consumed.
func (c *Cursor) Kind() Kind {
	if !c.val {
		return Invalid
	}
	return kindOf[c.line[c.pos]]
}

// Enter steps into the object or array at the cursor, in front of its first member. For any other
// kind, or without a value, it returns false and does not move. More than 10000 levels are an error.
func (c *Cursor) Enter() bool {
	if !c.val {
		return false
	}
	b := c.line[c.pos]
	if b != '{' && b != '[' {
		return false
	}
	if c.depth >= maxDepth {
		c.fail(c.pos, "nested too deep")
		return false
	}
	c.push(c.depth, b == '{')
	c.depth++
	c.pos++
	c.val, c.first, c.done = false, true, false
	return true
}

// Leave skips what is left of the innermost object or array that was entered and stands behind it.
// Without one it does nothing.
func (c *Cursor) Leave() {
	if c.msg != "" || c.depth == 0 {
		return
	}
	if end := c.skipOpen(c.pos, c.depth, c.depth-1); end >= 0 {
		c.closeAt(end)
	}
}

// Key moves to the next member of the object that was entered last and returns its key, decoded as
// encoding/json does; the cursor then stands on the member's value. At the end of the object it
// returns false and the cursor stands behind the object, in its parent. Inside an array, Key leaves
// the array and returns false, so that a value of an unexpected kind cannot derail a walk.
//
// The key is valid until the next call of Key and as long as the line is; it must not be changed.
func (c *Cursor) Key() (key []byte, ok bool) {
	if c.depth == 0 || c.val && !c.finish() || c.msg != "" {
		return nil, false
	}
	if !c.inObject(c.depth - 1) {
		c.Leave()
		return nil, false
	}
	// Programs write no white space between tokens, and keys are short and nearly always plain ASCII:
	// one search finds the end and rules out decoding.
	line, from := c.line, c.pos+2
	if c.first || from >= len(line) || line[from-2] != ',' || line[from-1] != '"' {
		if from = c.keyStart(); from < 0 {
			return nil, false
		}
	}
	i := plainEnd(line, from, len(line))
	if i+2 < len(line) && line[i] == '"' && line[i+1] == ':' && kindOf[line[i+2]] != Invalid {
		c.pos, c.val, c.done, c.first = i+2, true, false, false
		return line[from:i:i], true
	}
	return c.oddKey(from, i)
}

// keyStart finds the text of the next key from the cursor on. It returns -1 at the end of the object,
// which it leaves, and after an error.
func (c *Cursor) keyStart() int {
	i := space(c.line, c.pos)
	if i < len(c.line) && c.line[i] == '}' {
		c.closeAt(i + 1)
		return -1
	}
	if !c.first {
		if i = c.expect(i, ',', "expected a comma or the end of the object"); i < 0 {
			return -1
		}
		i = space(c.line, i)
	}
	if i >= len(c.line) || c.line[i] != '"' {
		c.fail(i, "expected a key")
		return -1
	}
	return i + 1
}

// oddKey reads the key that begins at from and is plain up to offset i, and goes to its value over
// whatever white space there is.
func (c *Cursor) oddKey(from, i int) (key []byte, ok bool) {
	if i < len(c.line) && c.line[i] == '"' {
		key = c.line[from:i:i]
		i++
	} else {
		if i = c.stringEnd(from - 1); i < 0 {
			return nil, false
		}
		c.key = Unescape(c.key[:0], c.line[from:i-1])
		key = c.key
	}
	if i = c.expect(space(c.line, i), ':', "expected a colon"); i < 0 {
		return nil, false
	}
	if !c.arrive(i) {
		return nil, false
	}
	c.first = false
	return key, true
}

// Next moves to the next element of the array that was entered last. At the end of the array it
// returns false and the cursor stands behind the array, in its parent. Inside an object, Next leaves
// the object and returns false.
func (c *Cursor) Next() bool {
	if c.depth == 0 || !c.finish() {
		return false
	}
	if c.inObject(c.depth - 1) {
		c.Leave()
		return false
	}
	i := space(c.line, c.pos)
	if i < len(c.line) && c.line[i] == ']' {
		c.closeAt(i + 1)
		return false
	}
	if !c.first {
		if i = c.expect(i, ',', "expected a comma or the end of the array"); i < 0 {
			return false
		}
	}
	if !c.arrive(i) {
		return false
	}
	c.first = false
	return true
}

// Skip passes over the value at the cursor, whatever it holds. Without a value it does nothing.
func (c *Cursor) Skip() { c.finish() }

// Offset returns the byte offset in the line of the value at the cursor, or, when that value was
// consumed, the offset behind what was read last. Taken before Enter and again after the loop over
// the members has ended, it gives the range of an object or array at no cost.
func (c *Cursor) Offset() int { return c.pos }

// Range returns the byte offsets of the value at the cursor or, when it was consumed, of that value:
// line[start:end] is its exact text, quotes and brackets included. ok is false where there is no such
// value: after an error, between Enter and the first member, and behind an object or array that was
// entered (for those see Offset). Before consumption the end has to be searched for.
func (c *Cursor) Range() (start, end int, ok bool) {
	if c.val {
		end := c.valueEnd()
		return c.pos, end, end >= 0
	}
	if !c.done {
		return 0, 0, false
	}
	return c.start, c.end, true
}

// Err returns the first error met on this line, with its byte offset, or nil. Only what was walked
// so far is covered.
func (c *Cursor) Err() error {
	if c.msg == "" {
		return nil
	}
	if c.msgPos >= len(c.line) {
		return fmt.Errorf("json: %s, but the line ends at byte %d", c.msg, len(c.line))
	}
	return fmt.Errorf("json: %s at byte %d", c.msg, c.msgPos)
}

// End skips whatever is left of the top value and returns nil if only white space follows it;
// otherwise it returns the error that Err will also report.
func (c *Cursor) End() error {
	for c.msg == "" && c.depth > 0 {
		c.Leave()
	}
	if c.finish() {
		if i := space(c.line, c.pos); i < len(c.line) {
			c.fail(i, "text after the value")
		}
	}
	return c.Err()
}

// arrive puts the cursor on the value that follows offset i.
func (c *Cursor) arrive(i int) bool {
	i = space(c.line, i)
	if i >= len(c.line) || kindOf[c.line[i]] == Invalid {
		c.fail(i, "expected a value")
		return false
	}
	c.pos, c.val, c.done = i, true, false
	return true
}

// finish consumes the value at the cursor if there is one. It returns false after an error.
func (c *Cursor) finish() bool {
	if c.val {
		end := c.valueEnd()
		if end < 0 {
			return false
		}
		c.consume(end)
	}
	return c.msg == ""
}

func (c *Cursor) consume(end int) {
	c.start, c.end, c.done = c.pos, end, true
	c.pos, c.val = end, false
}

// closeAt leaves the innermost level; end is the offset behind its closing bracket.
func (c *Cursor) closeAt(end int) {
	c.pos = end
	c.depth--
	c.val, c.first, c.done = false, false, false
}

func (c *Cursor) expect(i int, want byte, msg string) int {
	if i < len(c.line) && c.line[i] == want {
		return i + 1
	}
	c.fail(i, msg)
	return -1
}

func (c *Cursor) fail(pos int, msg string) {
	c.msg, c.msgPos = msg, pos
	c.val, c.done = false, false
}

func (c *Cursor) push(level int, object bool) {
	bit := uint64(1) << (level & 63)
	if object {
		c.open[level>>6] |= bit
	} else {
		c.open[level>>6] &^= bit
	}
}

func (c *Cursor) inObject(level int) bool {
	return c.open[level>>6]&(1<<(level&63)) != 0
}
