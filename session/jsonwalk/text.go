package jsonwalk

import "bytes"

// blockSize is how many bytes textEndAVX2 looks at in one step.
const blockSize = 32

// stringEnd returns the offset behind the string whose opening quote is at i, and notes whether all of
// it was seen to be plain. Where the processor has the means, whole blocks are looked at; what is left of
// a line behind them is not read past its end for that.
func (c *Cursor) stringEnd(i int) int {
	line, from, blocks := c.line, i+1, 0
	if hasAVX2 {
		blocks = (len(line) - from) &^ (blockSize - 1)
	}
	if blocks > 0 {
		if at, isPlain := textEndAVX2(&line[from], blocks); at < blocks {
			c.plain = isPlain
			return from + at + 1
		}
	}
	return c.stringEndPortable(from, blocks)
}

// stringEndPortable is stringEnd for every processor, and for the rest of a line. It is given the offset
// of the text, and how much of that is known not to hold its end.
func (c *Cursor) stringEndPortable(from, passed int) int {
	at := from + passed
	if passed <= 0 {
		at = plainEnd(c.line, from, min(from+shortString, len(c.line)))
		if c.plain = at < len(c.line) && c.line[at] == '"'; c.plain {
			return at + 1
		}
	}
	c.plain = false
	if at = quoteEnd(c.line, from, at); at < 0 {
		c.fail(len(c.line), "unclosed string")
		return -1
	}
	return at + 1
}

// shortString is the length up to which a string is searched by words, in bytes: ids, names and time
// stamps, which are most strings, are shorter. On longer ones the search for one byte is faster.
const shortString = 32

// quoteEnd looks for the closing quote from offset i on, in a string whose text begins at from. It
// looks at quotes only: one ends the string unless an odd number of backslashes stands before it. Each
// run of backslashes belongs to one quote, so the work is linear.
func quoteEnd(line []byte, from, i int) int {
	for {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return -1
		}
		at := i + n
		run := at
		for run > from && line[run-1] == '\\' {
			run--
		}
		if (at-run)&1 == 0 {
			return at
		}
		i, from = at+1, at+1
	}
}
