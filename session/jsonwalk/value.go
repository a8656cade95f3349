package jsonwalk

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// take consumes the value at the cursor and returns its exact text if it is of the wanted kind.
// A value of another kind is consumed as well, with ok false.
func (c *Cursor) take(want Kind) (text []byte, ok bool) {
	kind := c.Kind()
	if kind == Invalid || !c.finish() || kind != want {
		return nil, false
	}
	return c.line[c.start:c.end:c.end], true
}

// Quoted consumes a string and returns the bytes between its quotes, undecoded. plain says that they
// are known to be its text: they are short, ASCII and without escapes. If it is false, nobody has
// looked, see [Cursor.Str]. ok is false for other kinds, which are skipped. raw is a part of the line
// and must not be changed.
func (c *Cursor) Quoted() (raw []byte, plain, ok bool) {
	if c.Kind() != String {
		c.Skip()
		return nil, false, false
	}
	end := c.stringEnd(c.pos)
	if end < 0 {
		return nil, false, false
	}
	c.consume(end)
	return c.line[c.start+1 : end-1 : end-1], c.plain, true
}

// Str consumes a string and returns the bytes between its quotes, undecoded, and whether a backslash
// escape is among them. Without one, raw is the string's text except that ill-formed UTF-8 has not
// been replaced; with one, see Unescape, or count bytes.Count(raw, `\`) where a length will do.
// ok is false for other kinds, which are skipped. raw is a part of the line and must not be changed.
func (c *Cursor) Str() (raw []byte, escaped, ok bool) {
	raw, plain, ok := c.Quoted()
	return raw, ok && !plain && bytes.IndexByte(raw, '\\') >= 0, ok
}

// Text consumes a string and returns it decoded as encoding/json does. ok is false for other kinds,
// which are skipped. Strings that need no decoding are returned as a part of the line; others are
// decoded into memory of the cursor, valid until the next call of Text. The result must not be
// changed.
func (c *Cursor) Text() (text []byte, ok bool) {
	raw, plain, ok := c.Quoted()
	if !ok || plain || bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return raw, ok
	}
	c.text = Unescape(c.text[:0], raw)
	return c.text, true
}

// Number consumes a number and returns its literal, as json.Number would hold it. ok is false for
// other kinds, which are skipped.
func (c *Cursor) Number() (literal []byte, ok bool) { return c.take(Number) }

// Int consumes a number that is written as an integer (no fraction, no exponent) and fits an int64.
// ok is false for other numbers and for other kinds, which are skipped.
func (c *Cursor) Int() (v int64, ok bool) {
	if v, ok = c.count(); ok {
		return v, true
	}
	lit, ok := c.take(Number)
	if !ok {
		return 0, false
	}
	neg := lit[0] == '-'
	if neg {
		lit = lit[1:]
	}
	var u uint64
	for _, b := range lit {
		if !digit(b) || u > math.MaxInt64/10 {
			return 0, false
		}
		u = u*10 + uint64(b-'0') // at most 2^63+1: no overflow
	}
	switch {
	case neg && u <= 1<<63:
		return -int64(u), true
	case !neg && u <= math.MaxInt64:
		return int64(u), true
	}
	return 0, false
}

// count consumes a number if it is like most: a few digits with a comma or a bracket behind them.
func (c *Cursor) count() (v int64, ok bool) {
	if !c.val {
		return 0, false
	}
	i := c.pos
	for ; i < len(c.line) && digit(c.line[i]) && i < c.pos+18; i++ {
		v = v*10 + int64(c.line[i]-'0')
	}
	if i == len(c.line) || i == c.pos || c.line[c.pos] == '0' && i > c.pos+1 {
		return 0, false
	}
	if b := c.line[i]; b != ',' && b != '}' && b != ']' {
		return 0, false
	}
	c.consume(i)
	return v, true
}

// Float consumes a number and returns the nearest float64. ok is false for numbers beyond its range
// (1e999) and for other kinds, which are skipped.
func (c *Cursor) Float() (v float64, ok bool) {
	lit, ok := c.take(Number)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(lit), 64)
	if err != nil {
		return 0, false
	}
	return v, true
}

// Bool consumes true or false. ok is false for other kinds, which are skipped.
func (c *Cursor) Bool() (v, ok bool) {
	lit, ok := c.take(Bool)
	return ok && lit[0] == 't', ok
}
