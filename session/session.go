package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"sessc/session/jsonwalk"
)

// Session is one conversation: the index of a log, and the file to fetch
// text from.
type Session struct {
	Path    string // the real file, links resolved
	Format  Format
	ID      string // the session's own id
	Version string // of the log format, as the log states it
	Cwd     string // working directory that the log states
	Source  Fingerprint
	Size    int64 // bytes read; nothing past them is looked at
	Lines   int   // physical lines
	Torn    Range // the last line where no newline ends it: an entry like any other where it is whole JSON

	Entries []Entry
	Chain   []int32 // the conversation up to the leaf, root first: its ancestors, and what a format puts beside them
	Active  []int32 // entries that the client would send on resume, in order
	Calls   []Call  // in file order
	Usages  []Usage // in file order
	Events  []Event // as the lines told them, in file order; a spawn that only its result shows to be one stands right before that

	Leaf     int32  // entry index of the active leaf, -1 when there is none
	Model    string // model in force at the leaf, "provider/model"
	Effort   string // reasoning level in force at the leaf
	Private  any    // what the format's reader keeps for its own Plan and Check
	Recorded int    // the context size in tokens that the agent itself recorded last, 0 unknown
	Agent    string // whose log it is, where several agents share the format; "" for that of its name

	text    []byte
	ids     ids
	marks   map[int32]Marker
	lines   []int32 // per entry, its line; nil as long as each line is an entry
	heads   []int32 // per entry, the first one of its message; nil as long as each is one by itself
	answers []int32 // per entry, the call that it answers, -1 none
	place   []int32 // position in Active per entry, -1 off it
	faults  *Faults // of a session without an index, see [Session.Release]
	src     io.ReaderAt
	unread  *unread
	closer  io.Closer
}

// unread is the first error that was met while an entry was read.
type unread struct {
	mu  sync.Mutex
	err error
}

// Unread is the first error that was met while an entry was read from disk, nil
// when there was none. Who leaves out what could not be read must look at it:
// a disk that fails is no damage of the log.
func (s *Session) Unread() error {
	if s.unread == nil {
		return nil
	}
	s.unread.mu.Lock()
	defer s.unread.mu.Unlock()
	return s.unread.err
}

// Marker is what our envelope on a line says.
type Marker struct {
	Ref string // the mask's reference
	Gen int    // the generation that wrote it
}

// AgentName is whose log it is, for people.
func (s *Session) AgentName() string {
	if s.Agent != "" {
		return s.Agent
	}
	return s.Format.Name()
}

// Close releases the file.
func (s *Session) Close() error {
	if s.closer == nil {
		return nil
	}
	return s.closer.Close()
}

// Release drops the index but for its faults, see [FaultsOf]. From then on a
// session stands for its file alone: it has no entries.
func (s *Session) Release() {
	f := FaultsOf(s)
	s.faults = &f
	s.Entries, s.Chain, s.Active, s.Calls, s.Usages, s.Events = nil, nil, nil, nil, nil, nil
	s.text, s.ids, s.lines, s.heads, s.answers, s.place = nil, ids{}, nil, nil, nil, nil
}

// Over returns the same index for another place that holds the same bytes.
func (s *Session) Over(r io.ReaderAt) *Session {
	same := *s
	same.src, same.closer = r, nil
	return &same
}

// File returns the open log, nil for a session that was not read from a file.
// After the log was replaced it still leads to the old one.
func (s *Session) File() *os.File {
	f, _ := s.src.(*os.File)
	return f
}

// Name is what a session is archived under: its id, or for a log that names
// none a hash of its first line, which nobody writes anew.
func (s *Session) Name() string {
	if s.ID != "" || len(s.Entries) == 0 {
		return s.ID
	}
	raw, err := s.Raw(0)
	if err != nil {
		return "" // who archives it will meet the same error
	}
	sum := sha256.Sum256(raw)
	return fmt.Sprintf("unnamed-%x", sum[:6])
}

// Str returns the string behind a reference.
func (s *Session) Str(t Text) string { return string(s.Bytes(t)) }

// Bytes is Str without a copy; the caller must not change the slice.
func (s *Session) Bytes(t Text) []byte {
	if t == (Text{}) {
		return nil
	}
	if n := s.text[t.at]; n < 0x80 { // nearly always
		from, end := t.at+1, t.at+1+uint32(n)
		return s.text[from:end:end]
	}
	n, size := binary.Uvarint(s.text[t.at:])
	from := uint64(t.at) + uint64(size)
	return s.text[from : from+n : from+n]
}

// IDOf returns an entry's id, "" when it has none.
func (s *Session) IDOf(i int32) string { return s.Str(s.Entries[i].ID) }

// ParentIDOf returns the parent id as written, "" when none is.
func (s *Session) ParentIDOf(i int32) string { return s.Str(s.Entries[i].ParentID) }

// LineOf is the line of the log on which an entry begins, from 1 on, as an
// editor shows it.
func (s *Session) LineOf(i int32) int {
	if s.lines == nil {
		return int(i) + 1
	}
	return int(s.lines[i])
}

// MessageOf is the first entry of the model message that an entry is a part
// of: mostly itself.
func (s *Session) MessageOf(i int32) int32 {
	if s.heads == nil {
		return i
	}
	return s.heads[i]
}

// Lookup returns the entries that carry an id, in file order: more than one
// when the id is ambiguous.
func (s *Session) Lookup(id string) []int32 {
	return s.lookup([]byte(id))
}

func (s *Session) lookup(id []byte) []int32 { return s.ids.lookup(s, id) }

// Raw returns an entry's bytes, line end included. The slice is the caller's.
func (s *Session) Raw(i int32) ([]byte, error) {
	e := &s.Entries[i]
	b := make([]byte, e.Len)
	if _, err := s.src.ReadAt(b, e.Off); err != nil {
		err = fmt.Errorf("%s:%d: read entry: %w", s.Path, s.LineOf(i), err)
		if s.unread != nil && !errors.Is(err, io.EOF) { // a log that became shorter is another matter
			s.unread.mu.Lock()
			s.unread.err = cmp.Or(s.unread.err, err)
			s.unread.mu.Unlock()
		}
		return nil, err
	}
	return b, nil
}

// ErrNotJSON is returned for an entry that has to be decoded and cannot be: the
// walker that indexed its line is no validator. Nothing of such a line may be
// masked ([Session.Sound]); whoever only looks at it does without.
var ErrNotJSON = errors.New("the line is not valid JSON")

// Content decodes an entry. It returns [ErrNotJSON] for one that is none.
func (s *Session) Content(i int32) (Content, error) {
	raw, err := s.Raw(i)
	if err != nil {
		return Content{}, err
	}
	c, err := s.Format.Content(raw)
	if err != nil {
		return Content{}, fmt.Errorf("%s:%d: decode entry: %w", s.Path, s.LineOf(i), err)
	}
	return c, nil
}

// Action joins a call and its result to what was done.
func (s *Session) Action(call *Call) (Action, error) {
	raw, err := s.Raw(call.Entry)
	if err != nil {
		return Action{}, err
	}
	var result []byte
	if call.Result >= 0 {
		if result, err = s.Raw(call.Result); err != nil {
			return Action{}, err
		}
	}
	a, err := s.Format.Action(raw, int(call.Block), result)
	if err != nil {
		return Action{}, fmt.Errorf("%s:%d: decode call %s: %w", s.Path, s.LineOf(call.Entry), s.Str(call.ID), err)
	}
	return a, nil
}

// ReadAt reads from the log as it was when it was opened.
func (s *Session) ReadAt(p []byte, off int64) (int, error) { return s.src.ReadAt(p, off) }

// Mark returns our envelope marker of an entry, if it has one.
func (s *Session) Mark(i int32) (Marker, bool) {
	m, ok := s.marks[i]
	return m, ok
}

// Generation is the number of the last rewrite that left a mask in the log, 0
// when there is none.
func (s *Session) Generation() int {
	gen := 0
	for _, m := range s.marks {
		gen = max(gen, m.Gen)
	}
	return gen
}

// Position is an entry's place in Active, or -1 when it is not sent.
func (s *Session) Position(i int32) int { return int(s.place[i]) }

// Answers is the index in Calls of the call that an entry is the result of, -1
// when it is none.
func (s *Session) Answers(i int32) int32 { return s.answers[i] }

// FirstCall is the index in Calls of an entry's first call, or of the first call
// behind it when it has none.
func (s *Session) FirstCall(i int32) int {
	at, _ := slices.BinarySearchFunc(s.Calls, i, func(c Call, i int32) int { return int(c.Entry - i) })
	return at
}

// firstCall is FirstCall for who has just asked for another entry, and got at.
func (s *Session) firstCall(i int32, at int) int {
	const near = 16
	if at > 0 && s.Calls[at-1].Entry >= i {
		return s.FirstCall(i)
	}
	for end := min(at+near, len(s.Calls)); at < end; at++ {
		if s.Calls[at].Entry >= i {
			return at
		}
	}
	return s.FirstCall(i)
}

// CallsOf returns the calls of an assistant entry.
func (s *Session) CallsOf(i int32) []Call {
	at := s.FirstCall(i)
	end := at
	for end < len(s.Calls) && s.Calls[end].Entry == i {
		end++
	}
	return s.Calls[at:end]
}

// UsageOf returns the usage recorded on an entry, nil when there is none.
func (s *Session) UsageOf(i int32) *Usage {
	at, ok := slices.BinarySearchFunc(s.Usages, i, func(u Usage, i int32) int { return int(u.Entry - i) })
	if !ok {
		return nil
	}
	return &s.Usages[at]
}

// Count returns the number of entries of a kind.
func (s *Session) Count(k Kind) int {
	n := 0
	for i := range s.Entries {
		if s.Entries[i].Kind == k {
			n++
		}
	}
	return n
}

// Tokens is the uncalibrated estimate of the active context.
func (s *Session) Tokens() int {
	n := 0
	for _, i := range s.Active {
		n += s.Entries[i].Tokens()
	}
	return n
}

// Sound checks that the lines of an entry are valid JSON from end to end and
// mean the same to every reader. The walker that indexes a log is not a
// validator; nothing that it misread may be masked.
func (s *Session) Sound(i int32) error {
	raw, err := s.Raw(i)
	if err != nil {
		return err
	}
	e := &s.Entries[i]
	if e.Off == 0 {
		raw = jsonwalk.TrimBOM(raw)
	}
	if !json.Valid(raw) {
		return fmt.Errorf("line %d is not valid JSON", s.LineOf(i))
	}
	var c jsonwalk.Cursor
	c.Reset(raw)
	if key, ok := repeated(&c); ok {
		return fmt.Errorf("line %d has the key %q twice in one object", s.LineOf(i), key)
	}
	return nil
}

// repeated finds a key that stands twice in one object, at any depth: some
// readers take the first, others the last.
func repeated(c *jsonwalk.Cursor) (key string, ok bool) {
	switch c.Kind() {
	case jsonwalk.Object:
		if !c.Enter() {
			return "", false
		}
		seen := map[string]bool{}
		for {
			k, more := c.Key()
			if !more {
				return "", false
			}
			if seen[string(k)] {
				return string(k), true
			}
			seen[string(k)] = true
			if key, ok := repeated(c); ok {
				return key, ok
			}
		}
	case jsonwalk.Array:
		if !c.Enter() {
			return "", false
		}
		for c.Next() {
			if key, ok := repeated(c); ok {
				return key, ok
			}
		}
	}
	return "", false
}
