// Package linescan reads the lines of a file once, from front to back, in memory that does not grow
// with the file: a fixed buffer that fits the processor's cache, and a second one for lines that do
// not fit the first, reused from line to line and from file to file.
//
// Lines end at '\n' and nowhere else: carriage returns, U+2028, U+0085, NUL and a byte order mark are
// content. The ranges of the lines, put together, are the file, byte for byte. Exactly the size that
// was given is read, so that a file which still grows gives the same lines to everyone who took the
// same size.
//
// It does not parse, decode or skip anything (blank lines are lines), does not open files, and does
// not look again at what it has read.
package linescan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	// DefaultLimit is the longest line, in bytes with its end, that is held in memory when
	// Options.Limit is not set: 64 MB, several times the longest lines of known agents (9 MB
	// compaction records, 19 MB base64 images).
	DefaultLimit = 64 << 20

	// PrefixSize is how many bytes of a huge line are given, unless the limit itself is lower.
	PrefixSize = 4 << 10

	// bufferSize keeps the buffer inside a 512 KB second-level cache: with buffers of some megabytes
	// the same work was measured to take more than twice the processor time.
	bufferSize = 256 << 10

	// spillSize is the smallest spill, unless no line can be as long: most long lines fit.
	spillSize = 4 << 20

	// maxEmptyReads is how often in a row a reader may return nothing without an error.
	maxEmptyReads = 100
)

// Line is one line of the file.
type Line struct {
	Off  int64  // offset of its first byte in the file
	Size int64  // length in bytes, line end included; the next line begins at Off+Size
	Data []byte // its bytes, line end included; only the first PrefixSize of them if Huge. Valid until the next call of Next
	Torn bool   // the last bytes of the file, without '\n': cut off, or still being written
	Huge bool   // longer than the limit
}

// Body returns the bytes of the line without "\n" or "\r\n" at its end. A torn line has no end, so
// all of its bytes are returned, a '\r' included. Of a huge line Body is what Data holds.
func (l Line) Body() []byte {
	if l.Torn || l.Huge {
		return l.Data
	}
	body := l.Data[:len(l.Data)-1]
	if n := len(body); n > 0 && body[n-1] == '\r' {
		body = body[:n-1]
	}
	return body
}

// Options are the knobs of a Reader. The zero value is right for logs.
type Options struct {
	// Limit is the longest line, in bytes with its end, that is held in memory; longer ones are
	// Huge. Zero means DefaultLimit.
	Limit int

	// Tee, if set, is given every byte of the file once and in order, as it is read and while it is
	// in the cache: a hash, for instance. It has seen all bytes when Next returned false and Err nil.
	Tee io.Writer
}

// Reader gives the lines of one file. It is not safe for use by several goroutines.
type Reader struct {
	src   io.ReaderAt
	size  int64
	limit int
	tee   io.Writer

	read  int64  // bytes read so far
	off   int64  // offset of the line to come
	buf   []byte // buf[start:end] is read and not given yet, all of one line or more
	start int
	seen  int // buf[start:seen] holds no '\n'
	end   int

	spill  []byte // the beginning of the line to come that has left buf
	passed int64  // bytes of the line to come that were dropped, once it is known to be huge

	line Line
	err  error
}

// New returns a Reader over the first size bytes of src. The caller takes the size once and uses it
// for everything that must agree on where the file ends.
func New(src io.ReaderAt, size int64, opt Options) *Reader {
	return newSized(src, size, opt, bufferSize)
}

// newSized is New with another buffer, so that tests reach every border with short inputs.
func newSized(src io.ReaderAt, size int64, opt Options, buffer int) *Reader {
	r := &Reader{buf: make([]byte, buffer)}
	r.Reset(src, size, opt)
	return r
}

// Reset makes r read another file and keeps its memory, which is as large as the longest line so far
// asked for, at most the limit.
func (r *Reader) Reset(src io.ReaderAt, size int64, opt Options) {
	if opt.Limit <= 0 {
		opt.Limit = DefaultLimit
	}
	*r = Reader{src: src, size: size, limit: opt.Limit, tee: opt.Tee, buf: r.buf, spill: r.spill[:0]}
	if size < 0 {
		r.err = fmt.Errorf("read lines: the size %d is not a file size", size)
	}
}

// Line returns the line that the last call of Next found.
func (r *Reader) Line() Line { return r.line }

// Err returns what stopped the reading before the end, or nil. It names the offset; if the file has
// become shorter than the given size it wraps io.ErrUnexpectedEOF.
func (r *Reader) Err() error { return r.err }

// Next moves to the next line and reports whether there is one. It returns false at the end and
// after an error.
func (r *Reader) Next() bool {
	r.line = Line{}
	if r.err != nil {
		return false
	}
	r.spill = r.spill[:0]
	r.passed = 0
	for {
		if i := bytes.IndexByte(r.buf[r.seen:r.end], '\n'); i >= 0 {
			r.give(r.seen+i+1, false)
			return true
		}
		r.seen = r.end
		if r.read >= r.size {
			if r.off == r.size {
				return false
			}
			r.give(r.end, true)
			return true
		}
		r.makeRoom()
		if !r.fill() {
			return false
		}
	}
}

// give makes the line that ends at buf[to] the current one.
func (r *Reader) give(to int, torn bool) {
	tail := r.buf[r.start:to]
	l := Line{Off: r.off, Size: r.passed + int64(len(r.spill)) + int64(len(tail)), Torn: torn}
	l.Huge = l.Size > int64(r.limit)
	switch {
	case len(r.spill) == 0:
		l.Data = tail
	case l.Huge:
		l.Data = r.spill
		if missing := r.prefix() - len(r.spill); missing > 0 {
			l.Data = r.grown(tail[:min(missing, len(tail))])
		}
	default:
		l.Data = r.grown(tail)
	}
	if l.Huge {
		l.Data = l.Data[:r.prefix()]
	}
	l.Data = slices.Clip(l.Data)
	r.line = l
	r.off += l.Size
	r.start, r.seen = to, to
}

// prefix is how much of a huge line is kept.
func (r *Reader) prefix() int { return min(PrefixSize, r.limit) }

// makeRoom frees space behind buf[end]. The beginning of a line moves to the front of the buffer
// while it is short, so that most lines are never copied as a whole; a long one moves to the spill.
func (r *Reader) makeRoom() {
	part := r.buf[r.start:r.end]
	switch {
	case len(part) == 0:
	case len(part) > len(r.buf)/2:
		r.keep(part)
	case r.end < len(r.buf):
		return
	default:
		n := copy(r.buf, part)
		r.start, r.seen, r.end = 0, n, n
		return
	}
	r.start, r.seen, r.end = 0, 0, 0
}

// keep appends part to the spill, or drops all but the prefix once the line is over the limit.
func (r *Reader) keep(part []byte) {
	if r.passed == 0 && len(r.spill)+len(part) <= r.limit {
		r.spill = r.grown(part)
		return
	}
	if missing := r.prefix() - len(r.spill); missing > 0 {
		n := min(missing, len(part))
		r.spill = r.grown(part[:n])
		part = part[n:]
	} else {
		r.passed += int64(len(r.spill) - r.prefix())
		r.spill = r.spill[:r.prefix()]
	}
	r.passed += int64(len(part))
}

// grown appends part to the spill. New memory costs more than reading, so the spill begins large (what
// no line reaches of it is never touched, and costs nothing) and at least doubles, but it never gets
// larger than the longest line that can come.
func (r *Reader) grown(part []byte) []byte {
	need := len(r.spill) + len(part)
	if need > cap(r.spill) {
		most := min(int64(r.limit), r.size-r.off)
		room := int(max(int64(need), min(most, max(spillSize, 2*int64(need)))))
		spill := make([]byte, len(r.spill), room)
		copy(spill, r.spill)
		r.spill = spill
	}
	r.spill = append(r.spill, part...)
	return r.spill
}

// fill reads once, as much as fits, and gives it to the tee.
func (r *Reader) fill() bool {
	room := r.buf[r.end:]
	if left := r.size - r.read; int64(len(room)) > left {
		room = room[:left]
	}
	for range maxEmptyReads {
		n, err := r.src.ReadAt(room, r.read)
		if n < 0 || n > len(room) {
			return r.fail("reader returned a count of %d for %d bytes", n, len(room))
		}
		if n < len(room) && err != nil {
			r.read += int64(n)
			if errors.Is(err, io.EOF) {
				return r.fail("the file ends %d bytes early, it was cut while being read; run again: %w", r.size-r.read, io.ErrUnexpectedEOF)
			}
			return r.fail("%w", err)
		}
		if n > 0 {
			if r.tee != nil {
				if _, err := r.tee.Write(room[:n]); err != nil {
					return r.fail("pass on what was read: %w", err)
				}
			}
			r.read += int64(n)
			r.end += n
			return true
		}
	}
	return r.fail("%w", io.ErrNoProgress)
}

func (r *Reader) fail(format string, args ...any) bool {
	r.err = fmt.Errorf("read at byte %d: "+format, append([]any{r.read}, args...)...)
	return false
}
