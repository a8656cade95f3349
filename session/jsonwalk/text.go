package jsonwalk

import "bytes"

// blockSize is how many bytes textEndAVX2 looks at in one step.
const blockSize = 32

// textEnd returns the offset of the quote that ends the string whose text begins at from, or -1, and
// whether its text is known to be plain (see [Cursor.Quoted]). Where the processor has the means, whole
// blocks are looked at; the rest of a line that is less than one is not read past its end for it.
func textEnd(line []byte, from int) (at int, isPlain bool) {
	blocks := (len(line) - from) &^ (blockSize - 1)
	if !hasAVX2 || blocks <= 0 {
		return textEndPortable(line, from)
	}
	if at, isPlain = textEndAVX2(&line[from], blocks); at < blocks {
		return from + at, isPlain
	}
	return quoteEnd(line, from, from+blocks), false
}

// shortString is the length up to which a string is searched by words, in bytes: ids, names and time
// stamps, which are most strings, are shorter. On longer ones the search for one byte is faster.
const shortString = 32

// textEndPortable is textEnd for every processor.
func textEndPortable(line []byte, from int) (at int, isPlain bool) {
	at = plainEnd(line, from, min(from+shortString, len(line)))
	if at < len(line) && line[at] == '"' {
		return at, true
	}
	return quoteEnd(line, from, at), false
}

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
