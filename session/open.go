package session

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sessc/session/linescan"
)

// headSize is how much of a file a format sees to recognise it. Header lines
// of real logs stay below 64 KB (OpenClaw refuses longer ones).
const headSize = 64 << 10

// ErrUnknown is returned for a file that no format recognises.
var ErrUnknown = errors.New("no known agent writes logs like this")

// ErrEmpty is returned for a file of no bytes: there is nothing to do.
var ErrEmpty = errors.New("the file is empty, nothing to do")

// ErrNotSession is returned for a file that a format knows but that must not
// be read as a session: a trajectory, a copy, a log of a newer version.
var ErrNotSession = errors.New("not a session log that can be read")

// Open reads a log: it follows links to the real file, finds the one format
// that recognises it, and indexes all its lines. The caller closes the
// session. Errors wrap [ErrEmpty], [ErrUnknown] or [ErrNotSession] where these
// apply; damaged lines are no errors.
func Open(path string, formats []Format, set Settings) (*Session, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("open log %s: %w", path, err)
	}
	f, fp, err := openLog(real)
	if err != nil {
		return nil, err
	}
	s, err := OpenReader(f, fp.Size, real, formats, set)
	if err != nil {
		f.Close()
		return nil, err
	}
	fp.SHA256 = s.Source.SHA256
	s.Source, s.closer = fp, f
	return s, nil
}

// openLog opens what may be a log: a regular file with something in it. Its
// fingerprint comes without the hash.
func openLog(path string) (*os.File, Fingerprint, error) {
	f, err := OpenRegular(path)
	if errors.Is(err, errNotRegular) {
		return nil, Fingerprint{}, fmt.Errorf("%w; name a session log or a folder of them", err)
	}
	if err != nil {
		return nil, Fingerprint{}, fmt.Errorf("open log: %w", err)
	}
	fp, err := Stat(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	} else if fp.Size == 0 {
		err = fmt.Errorf("%s: %w", path, ErrEmpty)
	}
	if err != nil {
		f.Close()
		return nil, Fingerprint{}, err
	}
	return f, fp, nil
}

var errNotRegular = errors.New("not a regular file")

// OpenRegular opens a file to read it, and nothing that is no regular file: to
// open a pipe would wait for its writer.
func OpenRegular(path string) (*os.File, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, errNotRegular)
	}
	return os.Open(path)
}

// OpenReader is [Open] for a log that was read or unpacked by other means.
// path is what errors call it.
func OpenReader(r io.ReaderAt, size int64, path string, formats []Format, set Settings) (*Session, error) {
	format, err := recognise(r, size, path, formats)
	if err != nil {
		return nil, err
	}
	return Index(r, size, path, format, set)
}

// Recognise tells the format of the log at path by its first bytes, with the
// errors of [Open].
func Recognise(path string, formats []Format) (Format, error) {
	f, fp, err := openLog(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return recognise(f, fp.Size, path, formats)
}

// recognise asks every format and returns the one that is surest. A tie is
// refused: guessing wrong would rewrite a log by another agent's rules.
func recognise(r io.ReaderAt, size int64, path string, formats []Format) (Format, error) {
	head := make([]byte, min(size, headSize))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: read: %w", path, err)
	}
	var best []Format
	var verdict Recognition
	for _, f := range formats {
		switch v := f.Recognise(head, filepath.Base(path)); {
		case v.Confidence == No || v.Confidence < verdict.Confidence:
		case v.Confidence == verdict.Confidence:
			best = append(best, f)
		default:
			best, verdict = []Format{f}, v
		}
	}
	switch {
	case len(best) == 0:
		return nil, fmt.Errorf("%s: %w%s; known agents: %s", path, ErrUnknown, oddity(head), strings.Join(AllAgents(formats), ", "))
	case len(best) > 1:
		return nil, fmt.Errorf("%s: %w: %s both claim it", path, ErrNotSession, names(best))
	case verdict.Refuse != nil:
		return nil, fmt.Errorf("%s: %w: %w", path, ErrNotSession, verdict.Refuse)
	}
	return best[0], nil
}

// oddity adds to the error for an unknown file what is plain to see in it.
func oddity(head []byte) string {
	switch text := bytes.TrimLeft(head, " \t\r\n\ufeff"); {
	case bytes.IndexByte(head, 0) >= 0:
		return " (the file looks binary)"
	case len(text) == 0:
		return " (there are only blank lines in it)"
	case text[0] != '{':
		return " (its first line is no JSON object)"
	}
	return ""
}

func names(formats []Format) string {
	var n []string
	for _, f := range formats {
		n = append(n, f.Name())
	}
	return strings.Join(n, ", ")
}

// Index reads a log of a known format from r. It serves a log as it would be
// after edits ([Splice]) as well as a file. The session's fingerprint holds
// the size and hash of what was read.
func Index(r io.ReaderAt, size int64, path string, format Format, set Settings) (*Session, error) {
	s := &Session{Path: path, Format: format, Size: size, src: r, unread: &unread{}}
	b := NewBuilder(s)
	reader := format.Reader(set)
	sum := sha256.New()
	var opt linescan.Options
	if !set.NoHash {
		opt.Tee = sum
	}
	lines := linescan.New(r, size, opt)
	for lines.Next() {
		l := lines.Line()
		if l.Torn {
			s.Torn = Range{Off: l.Off, Len: l.Size}
		}
		s.Lines++
		reader.Line(l, b)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if b.full {
		return nil, fmt.Errorf("%s: %w: its ids alone take more than 4 GB", path, ErrNotSession)
	}
	reader.Finish(b)
	b.Freeze()
	if sizer, ok := reader.(Sizer); ok && !set.NoTokens {
		if err := s.size(sizer); err != nil {
			return nil, err
		}
	}
	s.Source.Size = size
	if !set.NoHash {
		sum.Sum(s.Source.SHA256[:0])
	}
	return s, nil
}

// size reads what would be sent once more, for its size in the context.
func (s *Session) size(by Sizer) error {
	var buf []byte
	for _, i := range s.Active {
		e := &s.Entries[i]
		buf = slices.Grow(buf[:0], int(e.Len))[:e.Len]
		if n, err := s.src.ReadAt(buf, e.Off); n < len(buf) {
			return fmt.Errorf("%s:%d: read entry: %w", s.Path, s.LineOf(i), err)
		}
		by.Size(buf, e)
	}
	return nil
}
