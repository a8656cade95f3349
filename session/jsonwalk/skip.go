package jsonwalk

import (
	"encoding/binary"
	"math/bits"
)

// kindOf maps the first byte of a value to its kind.
var kindOf = func() (t [256]Kind) {
	t['n'], t['t'], t['f'] = Null, Bool, Bool
	t['"'], t['{'], t['['], t['-'] = String, Object, Array, Number
	for b := '0'; b <= '9'; b++ {
		t[b] = Number
	}
	return t
}()

// plain holds the bytes of a string that stand for themselves: ASCII other than quote and backslash.
var plain = func() (t [256]bool) {
	for b := range 0x80 {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// What a byte means outside of strings while an object or array is passed over.
const (
	foreign uint8 = iota // cannot occur in JSON here
	filler               // white space, commas, colons, numbers and literals
	quote                // a string begins
	opening              // { or [
	closing              // } or ]
)

var outside = func() (t [256]uint8) {
	for _, b := range []byte(" \t\r\n,:0123456789+-.eEtrufalsn") {
		t[b] = filler
	}
	t['"'] = quote
	t['{'], t['['] = opening, opening
	t['}'], t[']'] = closing, closing
	return t
}()

// Bytes of a word, eight times over: plainEnd compares eight bytes at once.
const (
	ones    = 0x0101010101010101
	highs   = ones << 7
	quotes  = ones * '"'
	escapes = ones * '\\'
)

// plainEnd returns the offset of the first byte from i on that does not stand for itself in a string,
// or to if all before it do. A byte of x is zero where the borrow of x-ones reaches its highest bit;
// above the first such byte that may be wrong, but only the first one is looked at.
func plainEnd(line []byte, i, to int) int {
	for ; i+8 <= to; i += 8 {
		v := binary.LittleEndian.Uint64(line[i:])
		q, e := v^quotes, v^escapes
		if hit := (v | (q-ones)&^q | (e-ones)&^e) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
	}
	for i < to && plain[line[i]] {
		i++
	}
	return i
}

func space(line []byte, i int) int {
	for i < len(line) {
		switch line[i] {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
	return i
}

// valueEnd returns the offset behind the value at the cursor without moving, or -1 after an error.
func (c *Cursor) valueEnd() int {
	switch c.line[c.pos] {
	case '"':
		return c.stringEnd(c.pos)
	case '{', '[':
		return c.skipOpen(c.pos, c.depth, c.depth)
	case 't':
		return c.literalEnd("true")
	case 'f':
		return c.literalEnd("false")
	case 'n':
		return c.literalEnd("null")
	default:
		return c.numberEnd()
	}
}

// skipOpen reads from offset i, where depth levels are open, up to and over the bracket that brings
// the depth back to base. It keeps the levels in between in the cursor's bits instead of on the call
// stack, so nesting costs nothing and a wrong pair of brackets is noticed.
func (c *Cursor) skipOpen(i, depth, base int) int {
	line := c.line
	for {
		for i < len(line) && outside[line[i]] == filler {
			i++
		}
		if i >= len(line) {
			c.fail(i, "unclosed object or array")
			return -1
		}
		b := line[i]
		switch outside[b] {
		case quote:
			if i = c.stringEnd(i); i < 0 {
				return -1
			}
		case opening:
			if depth >= maxDepth {
				c.fail(i, "nested too deep")
				return -1
			}
			c.push(depth, b == '{')
			depth++
			i++
		case closing:
			depth--
			if c.inObject(depth) != (b == '}') {
				c.fail(i, "mismatched bracket")
				return -1
			}
			i++
			if depth == base {
				return i
			}
		default:
			c.fail(i, "unexpected byte")
			return -1
		}
	}
}

func (c *Cursor) literalEnd(word string) int {
	end := c.pos + len(word)
	if end > len(c.line) || string(c.line[c.pos:end]) != word {
		c.fail(c.pos, "misspelled literal")
		return -1
	}
	return end
}

// numberEnd follows the grammar of RFC 8259 section 6: minus, integer without leading zeros,
// fraction, exponent.
func (c *Cursor) numberEnd() int {
	line, i := c.line, c.pos
	if line[i] == '-' {
		i++
	}
	switch {
	case i < len(line) && line[i] == '0':
		i++
	case i < len(line) && digit(line[i]):
		i = digits(line, i)
	default:
		c.fail(i, "malformed number")
		return -1
	}
	if i < len(line) && line[i] == '.' {
		i++
		if i >= len(line) || !digit(line[i]) {
			c.fail(i, "malformed number")
			return -1
		}
		i = digits(line, i)
	}
	if i < len(line) && (line[i] == 'e' || line[i] == 'E') {
		i++
		if i < len(line) && (line[i] == '+' || line[i] == '-') {
			i++
		}
		if i >= len(line) || !digit(line[i]) {
			c.fail(i, "malformed number")
			return -1
		}
		i = digits(line, i)
	}
	return i
}

func digit(b byte) bool { return b-'0' <= 9 }

func digits(line []byte, i int) int {
	for i < len(line) && digit(line[i]) {
		i++
	}
	return i
}
