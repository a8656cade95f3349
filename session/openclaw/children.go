package openclaw

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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
	file  os.FileInfo // as it was when it was read, nil for none
	byKey map[string]child
	keyOf map[string]string // by session id
}

// indexes are those that were read last, by folder. A batch asks for the same
// one again and again, and in a folder of thousands it has many megabytes.
var indexes struct {
	sync.Mutex
	of map[string]*index
}

// mostIndexes is how many are kept at a time.
const mostIndexes = 4

// currentIndex is readIndex, read anew only when the file has changed.
func currentIndex(dir string) *index {
	indexes.Lock()
	defer indexes.Unlock()
	fi, err := os.Stat(filepath.Join(dir, "sessions.json"))
	if x := indexes.of[dir]; x != nil && err == nil && x.file != nil && os.SameFile(x.file, fi) &&
		x.file.Size() == fi.Size() && x.file.ModTime().Equal(fi.ModTime()) {
		return x
	}
	if len(indexes.of) >= mostIndexes || indexes.of == nil {
		indexes.of = map[string]*index{}
	}
	indexes.of[dir] = readIndex(dir)
	return indexes.of[dir]
}

type child struct{ id, file string }

// readIndex reads the sessions.json of a folder; a missing or odd one is as
// good as an empty one. Where two keys have one session id, the first counts.
func readIndex(dir string) *index {
	x := &index{byKey: map[string]child{}, keyOf: map[string]string{}}
	path := filepath.Join(dir, "sessions.json")
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxIndex {
		return x
	}
	x.file = fi
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

// index is the index of a folder, the same one for the whole session.
func (p *private) index(dir string) *index {
	if p.indexes == nil {
		p.indexes = map[string]*index{}
	}
	if p.indexes[dir] == nil {
		p.indexes[dir] = currentIndex(dir)
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
	if parts := strings.Split(of.Child, ":"); len(parts) > 2 && parts[0] == "agent" && session.PlainName(parts[1]) && inOpenClaw(s.Path) {
		if other := filepath.Join(dir, "..", "..", parts[1], "sessions"); other != dir {
			dirs = append(dirs, other)
		}
	}
	for _, d := range dirs {
		c := s.Private.(*private).index(d).byKey[of.Child]
		if of.Session != "" {
			c.id = of.Session
		}
		for path := range childFiles(d, c, s.Private.(*private).archived) {
			if path != s.Path && c.id != s.ID {
				return []session.Child{{Path: path, Actions: func() ([]session.Action, error) { return f.actionsOf(path) }}}
			}
		}
	}
	return nil
}

// childFiles lists where in a folder a child's transcript lies, the best
// first: the file that the index names, the live one, archives from the
// youngest on. The index names its files by full path, or by a name beside it.
// archived lists the archives in a folder by session id; it is asked only when
// the files before them are not wanted.
func childFiles(dir string, c child, archived func(dir string) map[string][]string) iter.Seq[string] {
	return func(yield func(string) bool) {
		there := func(path string) bool {
			fi, err := os.Stat(path)
			return err == nil && fi.Mode().IsRegular()
		}
		var live []string
		if filepath.IsAbs(c.file) {
			live = append(live, c.file)
		} else if session.PlainName(c.file) {
			live = append(live, filepath.Join(dir, c.file))
		}
		if session.PlainName(c.id) {
			live = append(live, filepath.Join(dir, c.id+".jsonl"))
		}
		for _, path := range live {
			if there(path) && !yield(path) {
				return
			}
		}
		if !session.PlainName(c.id) {
			return
		}
		for _, name := range slices.Concat(archived(dir)[c.id], []string{filepath.Join("cold", c.id+".jsonl.zst")}) {
			if path := filepath.Join(dir, name); there(path) && !yield(path) {
				return
			}
		}
	}
}

// archived lists the archives in a folder by session id, the youngest first.
// The folder is read once for the whole session.
func (p *private) archived(dir string) map[string][]string {
	if list, ok := p.archives[dir]; ok {
		return list
	}
	if p.archives == nil {
		p.archives = map[string]map[string][]string{}
	}
	list := map[string][]string{}
	p.archives[dir] = list
	f, err := os.Open(dir)
	if err != nil {
		return list
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1) // what could be read is better than nothing
	for _, name := range names {
		id, rest, ok := strings.Cut(name, ".jsonl.")
		if ok && (strings.HasPrefix(rest, "deleted.") || strings.HasPrefix(rest, "reset.")) {
			list[id] = append(list[id], name)
		}
	}
	for _, of := range list {
		slices.SortFunc(of, func(a, b string) int { return cmp.Or(strings.Compare(stampOf(b), stampOf(a)), strings.Compare(a, b)) })
	}
	return list
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
