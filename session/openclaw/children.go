package openclaw

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"

	"sessc/session"
)

// maxIndex bounds how much of a sessions.json is read. Real ones hold a few
// kilobytes a session.
const maxIndex = 64 << 20

// resolveChildren gives completions that name only the child's own session id
// (OpenClaw 2026.2.26) the child's key, through the index that lies beside.
func (r *reader) resolveChildren(s *session.Session) {
	var index gjson.Result
	for n := range s.Events {
		ev := &s.Events[n]
		if ev.Kind != session.Completion || ev.Child != "" || ev.Session == "" {
			continue
		}
		if !index.Exists() {
			if index = readIndex(filepath.Dir(s.Path)); !index.Exists() {
				return
			}
		}
		index.ForEach(func(key, v gjson.Result) bool {
			if v.Get("sessionId").String() == ev.Session {
				ev.Child = key.String()
				return false
			}
			return true
		})
	}
}

// readIndex reads the sessions.json of a folder; a missing or odd one is as
// good as none.
func readIndex(dir string) gjson.Result {
	path := filepath.Join(dir, "sessions.json")
	if fi, err := os.Stat(path); err != nil || fi.Size() > maxIndex {
		return gjson.Result{}
	}
	b, err := os.ReadFile(path)
	if err != nil || !gjson.ValidBytes(b) {
		return gjson.Result{}
	}
	return gjson.ParseBytes(b)
}

// Related implements [session.Format]: the child's transcript, live or under
// the names that OpenClaw gives to reset and deleted ones.
func (f Format) Related(s *session.Session, child session.Event) []session.Child {
	dir := filepath.Dir(s.Path)
	dirs := []string{dir}
	// agent:<agent>:subagent:<uuid>: another agent keeps its own folder.
	if parts := strings.Split(child.Child, ":"); len(parts) > 2 && parts[0] == "agent" && safeName(parts[1]) {
		if other := filepath.Join(dir, "..", "..", parts[1], "sessions"); other != dir {
			dirs = append(dirs, other)
		}
	}
	for _, d := range dirs {
		for _, path := range childFiles(d, child) {
			if path == s.Path {
				continue
			}
			return []session.Child{{Path: path, Actions: func() ([]session.Action, error) { return f.actionsOf(path) }}}
		}
	}
	return nil
}

func safeName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, `/\`)
}

// childFiles lists where in a folder the child's transcript may lie.
func childFiles(dir string, child session.Event) []string {
	id, file := child.Session, ""
	if entry := lookupKey(readIndex(dir), child.Child); entry.Exists() {
		if id == "" {
			id = entry.Get("sessionId").String()
		}
		file = entry.Get("sessionFile").String()
	}
	var found []string
	if file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		if _, err := os.Stat(file); err == nil {
			found = append(found, file)
		}
	}
	if !safeName(id) {
		return found
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return found
	}
	var archived []string
	for _, e := range entries {
		switch name := e.Name(); {
		case name == id+".jsonl":
			found = append(found, filepath.Join(dir, name))
		case strings.HasPrefix(name, id+".jsonl.deleted.") || strings.HasPrefix(name, id+".jsonl.reset."):
			archived = append(archived, filepath.Join(dir, name))
		}
	}
	slices.Sort(archived)
	slices.Reverse(archived)
	return append(found, archived...)
}

func lookupKey(index gjson.Result, key string) (entry gjson.Result) {
	if key == "" {
		return entry
	}
	index.ForEach(func(k, v gjson.Result) bool {
		if k.String() == key {
			entry = v
			return false
		}
		return true
	})
	return entry
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
	if !strings.HasSuffix(path, ".zst") {
		return session.Open(path, []session.Format{childFormat{f}}, session.Settings{})
	}
	packed, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	d, err := zstd.NewReader(packed)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var b bytes.Buffer
	if _, err := d.WriteTo(&b); err != nil {
		return nil, err
	}
	return session.Index(bytes.NewReader(b.Bytes()), int64(b.Len()), path, f, session.Settings{})
}

// childFormat reads logs whose names say that they are archives.
type childFormat struct{ Format }

// Recognise accepts every log with a session header, whatever its name.
func (c childFormat) Recognise(head []byte, name string) session.Recognition {
	return c.Format.Recognise(head, "child.jsonl")
}
