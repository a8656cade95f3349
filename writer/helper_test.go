package writer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sessc/session"
	"sessc/session/openclaw"
)

var noSettings session.Settings

// long is the text that the tests' plan shortens.
var long = strings.Repeat("a long answer about nothing in particular, ", 40)

const shortened = "a short answer"

// original is a log of six lines. Its entry 00000003 holds the long text.
func original() []byte {
	return []byte(`{"type":"session","version":3,"id":"11111111-0000-4000-8000-000000000001","timestamp":"2026-04-13T10:00:00.000Z","cwd":"/home/dev/none"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-04-13T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":1776074401000}}
` + reply("00000002", "00000001", "yes?") + turn("00000003", "00000002", "tell me") + reply("00000004", "00000003", long) +
		turn("00000005", "00000004", "thanks") + reply("00000006", "00000005", "welcome"))
}

func turn(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-04-13T10:01:00.000Z","message":{"role":"user","content":[{"type":"text","text":%q}],"timestamp":1776074460000}}`+"\n", id, parent, text)
}

func reply(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-04-13T10:02:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":%q}],"api":"x","provider":"p","model":"m","stopReason":"stop","timestamp":1776074520000}}`+"\n", id, parent, text)
}

func shorter(b []byte) []byte { return bytes.Replace(b, []byte(long), []byte(shortened), 1) }

// newLog writes a log, an hour old, in a folder as OpenClaw has it, so that
// its lock file comes into play.
func newLog(t testing.TB, content []byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "agents", "main", "sessions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.jsonl")
	put(t, path, content)
	return path
}

var anHourAgo = time.Now().Add(-time.Hour).Truncate(time.Millisecond)

func put(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, anHourAgo, anHourAgo); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, path string) *session.Session {
	t.Helper()
	s, err := session.Open(path, []session.Format{openclaw.Format{}}, noSettings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// planFor shortens the long text.
func planFor(s *session.Session) (*session.Plan, error) {
	b := make([]byte, s.Size)
	if _, err := s.ReadAt(b, 0); err != nil {
		return nil, err
	}
	at := bytes.Index(b, []byte(long))
	if at < 0 {
		return nil, errors.New("the long text is not there")
	}
	return &session.Plan{Files: []string{s.Path}, Edits: []session.Edit{{
		At: session.Range{Off: int64(at), Len: int64(len(long))}, Data: []byte(shortened), Entries: []int32{s.Lookup("00000004")[0]},
	}}}, nil
}

// run is one stage and commit, and what became of it.
type run struct {
	target  Target
	minAge  time.Duration
	now     func() time.Time
	keep    func(b []byte) error
	settled []bool
	kept    []byte
}

func newRun() *run { return &run{minAge: 10 * time.Minute, now: time.Now} }

func (r *run) do(ctx context.Context, s *session.Session) error {
	plan, err := planFor(s)
	if err != nil {
		return err
	}
	st, err := staged(ctx, s, plan, r.target)
	if err != nil {
		return err
	}
	defer st.Discard()
	return st.Commit(ctx, r.terms())
}

// staged is a plan staged and written.
func staged(ctx context.Context, s *session.Session, plan *session.Plan, t Target) (*Staged, error) {
	st, err := Stage(s, plan, noSettings)
	if err != nil {
		return nil, err
	}
	return st, st.Write(ctx, t)
}

func (r *run) terms() CommitTerms {
	return CommitTerms{
		MinAge: r.minAge, Now: r.now, Set: noSettings,
		Settle: func(applied bool) error { r.settled = append(r.settled, applied); return nil },
		KeepLate: func(b []byte) error {
			r.kept = bytes.Clone(b)
			if r.keep != nil {
				return r.keep(b)
			}
			return nil
		},
	}
}

func (r *run) outcome() string { return fmt.Sprint(r.settled) }

func holds(t testing.TB, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s holds %d bytes, want %d:\n%.3000s", filepath.Base(path), len(got), len(want), got)
	}
}

// alone checks that the folder of a log holds nothing but what is named.
func alone(t testing.TB, path string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{filepath.Base(path): true}
	for _, n := range names {
		want[n] = true
	}
	for _, e := range entries {
		if !want[e.Name()] {
			t.Errorf("left behind: %s", e.Name())
		}
		delete(want, e.Name())
	}
	for n := range want {
		t.Errorf("missing: %s", n)
	}
}

// faults replaces the disk layer by one that fails at the n-th call of one
// operation, and counts the calls.
type faults struct {
	op     string
	nth    int
	err    error
	calls  map[string]int
	failed bool
}

// fails injects a fault for the rest of the test.
func fails(t testing.TB, op string, nth int, err error) *faults {
	f := &faults{op: op, nth: nth, err: err, calls: map[string]int{}}
	real := realDisk
	disk = diskOps{
		create: func(path string) (*os.File, error) {
			if err := f.at("create"); err != nil {
				return nil, &os.PathError{Op: "open", Path: path, Err: err}
			}
			return real.create(path)
		},
		own: func(file *os.File, log *session.Session, copy bool) error {
			if err := f.at("own"); err != nil {
				return err
			}
			return real.own(file, log, copy)
		},
		write: func(file *os.File, b []byte) error {
			if err := f.at("write"); err != nil {
				real.write(file, b[:len(b)/2])
				return err
			}
			return real.write(file, b)
		},
		sync: func(file *os.File) error {
			if err := f.at("sync"); err != nil {
				return err
			}
			return real.sync(file)
		},
		times: func(path string, at time.Time) error {
			if err := f.at("times"); err != nil {
				return err
			}
			return real.times(path, at)
		},
		rename: func(from, to string) error {
			if err := f.at("rename"); err != nil {
				return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
			}
			return real.rename(from, to)
		},
		link: func(from, to string) error {
			if err := f.at("link"); err != nil {
				return &os.LinkError{Op: "link", Old: from, New: to, Err: err}
			}
			return real.link(from, to)
		},
		move: func(from, to string) error {
			if err := f.at("move"); err != nil {
				return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
			}
			return real.move(from, to)
		},
		remove: func(path string) error {
			if err := f.at("remove"); err != nil {
				return &os.PathError{Op: "remove", Path: path, Err: err}
			}
			return real.remove(path)
		},
		folder: func(dir string) error {
			if err := f.at("folder"); err != nil {
				return err
			}
			return real.folder(dir)
		},
		append: func(path string, b []byte) (session.Range, error) {
			if err := f.at("append"); err != nil {
				at, _ := real.append(path, b[:len(b)/2])
				return at, err
			}
			return real.append(path, b)
		},
		lease: real.lease,
	}
	t.Cleanup(func() { disk = realDisk })
	return f
}

func (f *faults) at(op string) error {
	f.calls[op]++
	if op == f.op && f.calls[op] == f.nth {
		f.failed = true
		return f.err
	}
	return nil
}

var errnos = []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EINTR}
