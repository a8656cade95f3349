package restore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/restore"
	"sessc/session"
	"sessc/session/formats"
)

// bench is one folder with an archive, and the clock that the runs see.
type bench struct {
	t    testing.TB
	dir  string
	arch *archive.Archive
}

func newBench(t testing.TB) *bench {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	a, err := archive.Open(filepath.Join(dir, "archive"), true)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t, dir, a}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) open(bool) (*archive.Archive, error) { return b.arch, nil }

func now() time.Time { return time.Now() }

// log writes a log with an old modification time.
func (b *bench) log(name string, content []byte) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	b.write(path, content)
	return path
}

func (b *bench) write(path string, content []byte) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) append(path string, content []byte) {
	b.t.Helper()
	b.write(path, append(read(b.t, path), content...))
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// compress runs the whole line on a log and reports whether it was changed.
func (b *bench) compress(path string) bool {
	b.t.Helper()
	return b.compressKeeping(path, 4)
}

func (b *bench) compressKeeping(path string, last int) bool {
	b.t.Helper()
	r, err := compress.Run(context.Background(), path, compress.Options{
		Formats: formats.All, Settings: session.Settings{SpawnTools: []string{"delegate_task", "subagent"}},
		Lifecycles: lifecycle.Options{KeepLast: last}, MinSaving: 1, Archive: b.open, Now: now,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return r.Changed && len(r.Tasks) > 0
}

func (b *bench) options() restore.Options {
	return restore.Options{Formats: formats.All, Archive: b.open, MinAge: 10 * time.Minute, Now: now}
}

func (b *bench) restore(path string) *restore.Report {
	b.t.Helper()
	r, err := restore.Run(context.Background(), path, b.options())
	if err != nil {
		b.t.Fatal(err)
	}
	b.clean()
	toldOnce(b.t, r)
	return r
}

// toldOnce checks that no line is spoken of twice among the foreign changes.
func toldOnce(t testing.TB, r *restore.Report) {
	t.Helper()
	seen := map[string]bool{}
	for _, says := range r.Foreign {
		line := strings.SplitN(strings.ReplaceAll(says, ":", ""), " ", 3)
		if line[0] == "line" && seen[line[1]] {
			t.Errorf("line %s is told of twice: %q", line[1], r.Foreign)
		}
		seen[line[1]] = true
	}
}

// clean checks that no temporary file is left.
func (b *bench) clean() {
	b.t.Helper()
	found, err := filepath.Glob(filepath.Join(b.dir, ".*sessc-*"))
	if err != nil || len(found) > 0 {
		b.t.Errorf("left behind: %v, %v", found, err)
	}
}

func (b *bench) same(path string, want []byte) {
	b.t.Helper()
	got := read(b.t, path)
	if sha256.Sum256(got) != sha256.Sum256(want) {
		b.t.Errorf("%s: %d bytes, want %d; first difference in line %d", filepath.Base(path), len(got), len(want), differs(got, want))
	}
}

func differs(a, b []byte) int {
	line := 1
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	return read(t, filepath.Join("..", "fixtures", "openclaw", name+".jsonl"))
}

func lines(content []byte) [][]byte {
	l := bytes.SplitAfter(content, []byte("\n"))
	if len(l[len(l)-1]) == 0 {
		l = l[:len(l)-1]
	}
	return l
}

func join(l [][]byte) []byte { return bytes.Join(l, nil) }

// index reads a log as the next run would.
func index(t testing.TB, path string) *session.Session {
	t.Helper()
	s, err := session.Open(path, formats.All, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// appended is a turn that a client would add to a log.
func appended(t testing.TB, path string) []byte {
	t.Helper()
	s := index(t, path)
	parent := s.IDOf(s.Leaf)
	return fmt.Appendf(nil, `{"type":"message","id":"aaaa0001","parentId":%q,"timestamp":"2026-05-01T10:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"and now?"}],"timestamp":1777629600000}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-05-01T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"api":"x","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2},"stopReason":"stop","timestamp":1777629605000}}
`, parent)
}
