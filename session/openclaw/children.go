package openclaw

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"

	"sessc/session"
)

// maxIndex and maxChild bound how much of a sessions.json and of an unpacked
// child log is read. Real indexes hold a few kilobytes a session.
const (
	maxIndex = 64 << 20
	maxChild = 256 << 20

	// maxWindow is how far back a packed log may refer; level 19 needs 8 MB.
	maxWindow = 64 << 20
)

// index is a sessions.json: which file and session id a session key has.
type index struct {
	byKey map[string]child
	keyOf map[string]string // by session id
}

type child struct{ id, file string }

// readIndex reads the sessions.json of a folder; a missing or odd one is as
// good as an empty one. Where two keys have one session id, the first counts.
func readIndex(dir string) *index {
	x := &index{byKey: map[string]child{}, keyOf: map[string]string{}}
	path := filepath.Join(dir, "sessions.json")
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxIndex {
		return x
	}
	b, err := os.ReadFile(path)
	if err != nil || !gjson.ValidBytes(b) {
		return x
	}
	gjson.ParseBytes(b).ForEach(func(key, v gjson.Result) bool {
		if key.String() == "" {
			return true
		}
		c := child{v.Get("sessionId").String(), v.Get("sessionFile").String()}
		x.byKey[key.String()] = c
		if _, ok := x.keyOf[c.id]; !ok {
			x.keyOf[c.id] = key.String()
		}
		return true
	})
	return x
}

// index is readIndex, read once for each folder.
func (p *private) index(dir string) *index {
	if p.indexes == nil {
		p.indexes = map[string]*index{}
	}
	if p.indexes[dir] == nil {
		p.indexes[dir] = readIndex(dir)
	}
	return p.indexes[dir]
}

// resolveChildren gives completions that name only the child's own session id
// (OpenClaw 2026.2.26) the child's key, through the index that lies beside.
func (r *reader) resolveChildren(s *session.Session) {
	for n := range s.Events {
		if ev := &s.Events[n]; ev.Kind == session.Completion && ev.Child == "" && ev.Session != "" {
			ev.Child = r.private.index(filepath.Dir(s.Path)).keyOf[ev.Session]
		}
	}
}

// Related implements [session.Format]: the child's transcript, live or under
// the names that OpenClaw gives to reset, deleted and cold ones.
func (f Format) Related(s *session.Session, of session.Event) []session.Child {
	dir := filepath.Dir(s.Path)
	dirs := []string{dir}
	// agent:<agent>:subagent:<uuid>: another agent keeps its own folder.
	if parts := strings.Split(of.Child, ":"); len(parts) > 2 && parts[0] == "agent" && safeName(parts[1]) && inOpenClaw(s.Path) {
		if other := filepath.Join(dir, "..", "..", parts[1], "sessions"); other != dir {
			dirs = append(dirs, other)
		}
	}
	for _, d := range dirs {
		c := s.Private.(*private).index(d).byKey[of.Child]
		if of.Session != "" {
			c.id = of.Session
		}
		for _, path := range childFiles(d, c) {
			if path != s.Path && c.id != s.ID {
				return []session.Child{{Path: path, Actions: func() ([]session.Action, error) { return f.actionsOf(path) }}}
			}
		}
	}
	return nil
}

// safeName reports whether a name from a log or an index is that of a file
// within a folder, and no way out of it.
func safeName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00")
}

// childFiles lists where in a folder a child's transcript lies, the best
// first: the file that the index names, the live one, archives from the
// youngest on. The index names its files by full path, or by a name beside it.
func childFiles(dir string, c child) []string {
	var found []string
	add := func(path string) {
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
			found = append(found, path)
		}
	}
	if filepath.IsAbs(c.file) {
		add(c.file)
	} else if safeName(c.file) {
		add(filepath.Join(dir, c.file))
	}
	if !safeName(c.id) {
		return found
	}
	add(filepath.Join(dir, c.id+".jsonl"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return found
	}
	var archived []string
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), c.id+".jsonl."); ok && (strings.HasPrefix(rest, "deleted.") || strings.HasPrefix(rest, "reset.")) {
			archived = append(archived, e.Name())
		}
	}
	slices.SortFunc(archived, func(a, b string) int { return strings.Compare(stampOf(b), stampOf(a)) })
	for _, name := range archived {
		add(filepath.Join(dir, name))
	}
	add(filepath.Join(dir, "cold", c.id+".jsonl.zst"))
	return found
}

// stampOf is the stamp in an archive's name, by which archives of both kinds
// are in order.
func stampOf(name string) string {
	_, kind, _ := strings.Cut(name, ".jsonl.")
	_, stamp, _ := strings.Cut(kind, ".")
	return stamp
}

// actionsOf reads what the child did, on its active path.
func (f Format) actionsOf(path string) ([]session.Action, error) {
	c, err := f.openChild(path)
	if err != nil {
		return nil, fmt.Errorf("%s: read child log: %w", path, err)
	}
	defer c.Close()
	var done []session.Action
	for n := range c.Calls {
		if c.Position(c.Calls[n].Entry) < 0 {
			continue
		}
		a, err := c.Action(&c.Calls[n])
		if err != nil {
			return nil, err
		}
		done = append(done, a)
	}
	return done, nil
}

func (f Format) openChild(path string) (*session.Session, error) {
	formats := []session.Format{childFormat{f}}
	if !strings.HasSuffix(path, ".zst") {
		return session.Open(path, formats, session.Settings{})
	}
	packed, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	b, err := unpack(packed, maxChild)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return session.OpenReader(bytes.NewReader(b), int64(len(b)), path, formats, session.Settings{})
}

// unpack reads a zstd stream that unpacks to at most limit bytes.
func unpack(packed io.Reader, limit int64) ([]byte, error) {
	d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	b, err := io.ReadAll(io.LimitReader(d, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("it holds more than %d bytes", limit)
	}
	return b, err
}

// childFormat reads logs whose names say that they are archives.
type childFormat struct{ Format }

// Recognise accepts every log with a session header, whatever its name.
func (c childFormat) Recognise(head []byte, _ string) session.Recognition {
	return c.Format.Recognise(head, "")
}
