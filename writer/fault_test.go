package writer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sessc/session"
	"sessc/session/openclaw"
)

func TestCommit(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o640, 0o644, 0o666} {
		t.Run(mode.String(), func(t *testing.T) {
			path := newLog(t, original())
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			f := fails(t, "", 0, nil)
			r := newRun()
			lock := ""
			r.target.Trace = func(step string) {
				if step == "look again" {
					b, err := os.ReadFile(path + ".lock")
					if err != nil {
						t.Error(err)
					}
					lock = string(b)
				}
			}
			if err := r.do(context.Background(), open(t, path)); err != nil {
				t.Fatal(err)
			}
			holds(t, path, shorter(original()))
			alone(t, path)
			fi, err := os.Stat(path)
			if err != nil || fi.Mode() != mode || !fi.ModTime().Equal(anHourAgo) {
				t.Errorf("mode %v, time %v, %v; want %v, %v", fi.Mode(), fi.ModTime(), err, mode, anHourAgo)
			}
			if r.outcome() != "[true]" || !strings.Contains(lock, fmt.Sprint(os.Getpid())) {
				t.Errorf("settled %s, lock held %q", r.outcome(), lock)
			}
			// The file is durable before it gets its name, the name after.
			if f.calls["sync"] != 1 || f.calls["folder"] != 1 {
				t.Errorf("calls %v", f.calls)
			}
		})
	}
}

// Every call to the disk fails once, in every way. Up to the rename the log is
// untouched, nothing is left, and the pending generation is dropped.
func TestEveryCallFails(t *testing.T) {
	count := fails(t, "", 0, nil)
	if err := newRun().do(context.Background(), open(t, newLog(t, original()))); err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{"create", "own", "write", "sync", "times", "rename", "folder", "remove"} {
		if count.calls[op] == 0 {
			t.Errorf("%s is never called", op)
		}
		for nth := 1; nth <= count.calls[op]; nth++ {
			for _, errno := range errnos {
				t.Run(fmt.Sprintf("%s %d %v", op, nth, errno), func(t *testing.T) {
					everyCall(t, op, nth, errno)
				})
			}
		}
	}
}

func everyCall(t *testing.T, op string, nth int, errno syscall.Errno) {
	path := newLog(t, original())
	before, err := session.StatPath(path)
	if err != nil {
		t.Fatal(err)
	}
	f := fails(t, op, nth, errno)
	r := newRun()
	err = r.do(context.Background(), open(t, path))
	if !f.failed {
		t.Fatal("the fault was not met")
	}
	switch op {
	case "remove":
		// Only the agent's lock has to go on this way; the next run of either
		// program takes it over, since it names our process.
		if err != nil || r.outcome() != "[true]" {
			t.Errorf("error %v, settled %s", err, r.outcome())
		}
		holds(t, path, shorter(original()))
		return
	case "folder":
		if !errors.Is(err, errno) || !strings.Contains(err.Error(), "is in place") || r.outcome() != "[true]" {
			t.Errorf("error %v, settled %s", err, r.outcome())
		}
		holds(t, path, shorter(original()))
		alone(t, path)
		return
	}
	if !errors.Is(err, errno) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one with %v and the log's name", err, errno)
	}
	if errno == syscall.ENOSPC && op == "write" && nth == 1 && !strings.Contains(err.Error(), "bytes of free space are needed") {
		t.Errorf("error %v does not say how much room is needed", err)
	}
	if r.outcome() != "[]" && r.outcome() != "[false]" {
		t.Errorf("settled %s", r.outcome())
	}
	after, err := session.StatPath(path)
	if err != nil || !after.Same(before) {
		t.Errorf("the log was touched: %v", err)
	}
	holds(t, path, original())
	alone(t, path)
}

// A rename that is reported as failed and took place all the same leaves the
// generation pending: dropping it would lose the removed bytes.
func TestRenameFailsAndTakesPlace(t *testing.T) {
	path := newLog(t, original())
	fails(t, "", 0, nil)
	disk.rename = func(from, to string) error {
		if err := realDisk.rename(from, to); err != nil {
			return err
		}
		return syscall.EIO
	}
	r := newRun()
	err := r.do(context.Background(), open(t, path))
	if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "the next run finds out") {
		t.Errorf("error %v", err)
	}
	if r.outcome() != "[]" {
		t.Errorf("settled %s, want it left pending", r.outcome())
	}
	holds(t, path, shorter(original()))
}

func TestSettleFails(t *testing.T) {
	boom := errors.New("database is gone")
	t.Run("after the rename", func(t *testing.T) {
		path := newLog(t, original())
		err := commitSettling(t, path, func(bool) error { return boom }, nil)
		if !errors.Is(err, boom) || !strings.Contains(err.Error(), "is in place") {
			t.Errorf("error %v", err)
		}
		holds(t, path, shorter(original()))
		alone(t, path)
	})
	t.Run("after a refusal", func(t *testing.T) {
		path := newLog(t, original())
		err := commitSettling(t, path, func(bool) error { return boom }, func() { put(t, path, append(original(), "\n"...)) })
		if !errors.Is(err, boom) || !errors.Is(err, ErrRefused) {
			t.Errorf("error %v", err)
		}
		holds(t, path, append(original(), "\n"...))
		alone(t, path)
	})
}

func commitSettling(t *testing.T, path string, settle func(bool) error, between func()) error {
	t.Helper()
	s := open(t, path)
	plan, err := planFor(s)
	if err != nil {
		t.Fatal(err)
	}
	st, err := staged(context.Background(), s, plan, Target{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Discard()
	if between != nil {
		between()
	}
	terms := newRun().terms()
	terms.Settle = settle
	return st.Commit(context.Background(), terms)
}

func TestCancelled(t *testing.T) {
	for _, step := range []string{"create temp", "write temp", "lock"} {
		t.Run(step, func(t *testing.T) {
			path := newLog(t, original())
			ctx, cancel := context.WithCancel(context.Background())
			r := newRun()
			r.target.Trace = func(at string) {
				if at == step {
					cancel()
				}
			}
			if err := r.do(ctx, open(t, path)); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			holds(t, path, original())
			alone(t, path)
		})
	}
}

// What the disk gives back is not what was written to it.
func TestStagedFileDiffers(t *testing.T) {
	path := newLog(t, original())
	fails(t, "", 0, nil)
	disk.sync = func(f *os.File) error {
		_, err := f.WriteAt([]byte("X"), 400)
		return err
	}
	r := newRun()
	if err := r.do(context.Background(), open(t, path)); !errors.Is(err, ErrWorse) {
		t.Errorf("error %v, want %v", err, ErrWorse)
	}
	holds(t, path, original())
	alone(t, path)
}

// A plan that makes the log worse is not staged.
func TestWorsePlan(t *testing.T) {
	path := newLog(t, original())
	s := open(t, path)
	e := s.Entries[s.Lookup("00000002")[0]]
	plan := &session.Plan{Files: []string{path}, Edits: []session.Edit{{At: session.Range{Off: e.Off, Len: int64(e.Len)}}}}
	if _, err := Stage(s, plan, noSettings); !errors.Is(err, ErrWorse) || !strings.Contains(err.Error(), "missing parent") {
		t.Errorf("error %v", err)
	}
	alone(t, path)
}

func TestOutput(t *testing.T) {
	outputs := func(t *testing.T) (path, out string, r *run) {
		path = newLog(t, original())
		out = filepath.Join(t.TempDir(), "copy.jsonl")
		r = newRun()
		r.target.Output = out
		return path, out, r
	}
	t.Run("a young log", func(t *testing.T) {
		path, out, r := outputs(t)
		now := anHourAgo
		r.now = nil // a copy needs no quiet period
		if err := r.do(context.Background(), open(t, path)); err != nil {
			t.Fatal(err)
		}
		holds(t, path, original())
		holds(t, out, shorter(original()))
		alone(t, out)
		if fi, err := os.Stat(path); err != nil || !fi.ModTime().Equal(now) || r.outcome() != "[true]" {
			t.Errorf("%v, settled %s", err, r.outcome())
		}
	})
	t.Run("exists", func(t *testing.T) {
		path, out, r := outputs(t)
		put(t, out, []byte("mine"))
		if err := r.do(context.Background(), open(t, path)); err == nil || !strings.Contains(err.Error(), "does not exist") || r.outcome() != "[false]" {
			t.Errorf("error %v, settled %s", err, r.outcome())
		}
		holds(t, out, []byte("mine"))
		alone(t, out)
	})
	t.Run("is the log itself", func(t *testing.T) {
		path, _, r := outputs(t)
		r.target.Output = path
		if err := r.do(context.Background(), open(t, path)); err == nil {
			t.Error("no error")
		}
		holds(t, path, original())
		alone(t, path)
	})
	for _, errno := range errnos {
		t.Run("folder "+errno.Error(), func(t *testing.T) {
			path, out, r := outputs(t)
			fails(t, "folder", 1, errno)
			if err := r.do(context.Background(), open(t, path)); !errors.Is(err, errno) || r.outcome() != "[false]" {
				t.Errorf("error %v, settled %s", err, r.outcome())
			}
			holds(t, path, original())
			if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// Where there are no hard links a copy gets its name in another way: it is there
// whole or not at all, and never in the place of another file.
func TestOutputWithoutHardLinks(t *testing.T) {
	mine := []byte("mine")
	for name, tt := range map[string]struct {
		moves   bool  // the system can rename to a name that nothing has
		rename  error // of the last way
		there   bool  // a file has the name already
		between bool  // somebody writes one while the name is taken
		want    error
	}{
		"moved":                   {moves: true},
		"moved, there is one":     {moves: true, there: true, want: fs.ErrExist},
		"over an empty one":       {},
		"there is one":            {there: true, want: fs.ErrExist},
		"somebody writes to it":   {between: true, want: fs.ErrExist},
		"the disk fails":          {rename: syscall.EIO, want: syscall.EIO},
		"the disk fails, and one": {rename: syscall.EIO, there: true, want: fs.ErrExist},
	} {
		t.Run(name, func(t *testing.T) {
			path, out := newLog(t, original()), filepath.Join(t.TempDir(), "copy.jsonl")
			r := newRun()
			r.target.Output = out
			if tt.there {
				put(t, out, mine)
			}
			fails(t, "link", 1, syscall.EPERM)
			if !tt.moves {
				disk.move = func(string, string) error { return syscall.EINVAL }
			}
			create, rename := disk.create, disk.rename
			disk.create = func(path string) (*os.File, error) {
				f, err := create(path)
				if path == out && tt.between {
					put(t, out, mine)
				}
				return f, err
			}
			disk.rename = func(from, to string) error {
				if fi, err := os.Lstat(to); to != out || err != nil || fi.Size() > 0 {
					t.Errorf("renamed to %s, %v", to, err)
				}
				if tt.rename != nil {
					return tt.rename
				}
				return rename(from, to)
			}
			err := r.do(context.Background(), open(t, path))
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "name a file that does not exist") != (tt.want == fs.ErrExist) {
				t.Errorf("the hint of %q is another", err)
			}
			holds(t, path, original())
			switch {
			case err == nil:
				holds(t, out, shorter(original()))
				alone(t, out)
			case tt.want == fs.ErrExist:
				holds(t, out, mine)
				alone(t, out)
			default:
				if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) > 0 {
					t.Errorf("left behind: %v, %v", left, err)
				}
			}
		})
	}
}

// content indexes what is to become a log.
func content(t *testing.T, text string) *session.Session {
	t.Helper()
	s, err := session.OpenReader(strings.NewReader(text), int64(len(text)), "content.jsonl", []session.Format{openclaw.Format{}}, noSettings)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStageContent(t *testing.T) {
	want := []byte(strings.ReplaceAll(string(original()), "welcome", "you are welcome"))
	boom := errors.New("no")
	for name, tt := range map[string]struct {
		check func(*session.Session) error
		want  error
	}{
		"no check": {nil, nil},
		"passes": {func(after *session.Session) error {
			if sum, err := session.Hash(after, int64(len(want))); err != nil || sum != after.Source.SHA256 {
				return fmt.Errorf("read through the index: %v", err)
			}
			return nil
		}, nil},
		"fails": {func(*session.Session) error { return boom }, boom},
	} {
		t.Run(name, func(t *testing.T) {
			path := newLog(t, original())
			st, err := StageContent(context.Background(), open(t, path), content(t, string(want)), Target{}, tt.check)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				holds(t, path, original())
				alone(t, path)
				return
			}
			defer st.Discard()
			if err := st.Commit(context.Background(), newRun().terms()); err != nil {
				t.Fatal(err)
			}
			holds(t, path, want)
			alone(t, path)
		})
	}
	t.Run("reads back otherwise", func(t *testing.T) {
		path := newLog(t, original())
		fails(t, "", 0, nil)
		disk.sync = func(f *os.File) error {
			_, err := f.WriteAt([]byte("X"), 400)
			return err
		}
		_, err := StageContent(context.Background(), open(t, path), content(t, string(want)), Target{}, nil)
		if !errors.Is(err, ErrWorse) {
			t.Errorf("error %v, want %v", err, ErrWorse)
		}
		holds(t, path, original())
		alone(t, path)
	})
	t.Run("too short", func(t *testing.T) {
		path := newLog(t, original())
		short := content(t, string(want)).Over(strings.NewReader("{}"))
		if _, err := StageContent(context.Background(), open(t, path), short, Target{}, nil); err == nil {
			t.Error("no error")
		}
		alone(t, path)
	})
}

// draft puts a log together piece by piece and commits it, as a restore does.
// early says whether it is read back as soon as it is written.
func draft(s *session.Session, want []byte, t Target, early bool, r *run) error {
	d, err := Begin(s, t, int64(len(want)), !early)
	if err != nil {
		return err
	}
	defer d.Close()
	for _, b := range [][]byte{want[:500], want[500:]} {
		if _, err := d.Write(b); err != nil {
			if _, again := d.Write(b); !errors.Is(again, err) || !errors.Is(d.Err(), err) {
				return fmt.Errorf("a write after one that failed: %v, %v", again, d.Err())
			}
			return err
		}
	}
	set := noSettings
	set.NoHash = true
	var after *session.Session
	if early {
		if after, err = d.ReadBack(set); err == nil && sha256.Sum256(want) != after.Source.SHA256 {
			err = fmt.Errorf("%w: it reads back otherwise", ErrWorse)
		}
	} else if after, err = session.Index(d, d.Size(), s.Path, s.Format, set); err == nil {
		after.Source.SHA256 = d.Sum()
	}
	if err != nil {
		return err
	}
	st, err := d.Stage(after, nil)
	if err != nil {
		return err
	}
	defer st.Discard()
	return st.Commit(context.Background(), r.terms())
}

// eachDraft runs a test for both ways in which a draft is read back.
func eachDraft(t *testing.T, test func(t *testing.T, early bool, want []byte)) {
	want := []byte(strings.ReplaceAll(string(original()), "welcome", "you are welcome"))
	for _, early := range []bool{false, true} {
		t.Run(fmt.Sprintf("read early %v", early), func(t *testing.T) { test(t, early, want) })
	}
}

// A draft becomes the log as it was written: once, and durable before it gets
// its name. Every call to the disk fails once, in every way.
func TestDraft(t *testing.T) {
	eachDraft(t, func(t *testing.T, early bool, want []byte) {
		path := newLog(t, original())
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		count, r := fails(t, "", 0, nil), newRun()
		if err := draft(open(t, path), want, Target{}, early, r); err != nil {
			t.Fatal(err)
		}
		holds(t, path, want)
		alone(t, path)
		fi, err := os.Stat(path)
		if err != nil || fi.Mode() != 0o640 || !fi.ModTime().Equal(anHourAgo) {
			t.Errorf("mode %v, time %v, %v", fi.Mode(), fi.ModTime(), err)
		}
		if count.calls["sync"] != 1 || count.calls["folder"] != 1 || count.calls["write"] != 3 { // one for the agent's lock
			t.Errorf("calls %v", count.calls)
		}
		for _, op := range []string{"create", "own", "write", "sync", "times", "rename"} {
			if count.calls[op] == 0 {
				t.Errorf("%s is never called", op)
			}
			for nth := 1; nth <= count.calls[op]; nth++ {
				for _, errno := range errnos {
					t.Run(fmt.Sprintf("%s %d %v", op, nth, errno), func(t *testing.T) { draftFails(t, early, want, op, nth, errno) })
				}
			}
		}
	})
}

func draftFails(t *testing.T, early bool, want []byte, op string, nth int, errno syscall.Errno) {
	path := newLog(t, original())
	before, err := session.StatPath(path)
	if err != nil {
		t.Fatal(err)
	}
	f, r := fails(t, op, nth, errno), newRun()
	err = draft(open(t, path), want, Target{}, early, r)
	if !f.failed || !errors.Is(err, errno) {
		t.Errorf("error %v, want one with %v", err, errno)
	}
	if errno == syscall.ENOSPC && op == "write" && nth <= 2 && !strings.Contains(err.Error(), "bytes of free space are needed") {
		t.Errorf("error %v does not say how much room is needed", err)
	}
	if r.outcome() != "[]" && r.outcome() != "[false]" {
		t.Errorf("settled %s", r.outcome())
	}
	if after, err := session.StatPath(path); err != nil || !after.Same(before) {
		t.Errorf("the log was touched: %v", err)
	}
	holds(t, path, original())
	alone(t, path)
}

// What the disk gives back is not what was written to the draft.
func TestDraftDiffers(t *testing.T) {
	eachDraft(t, func(t *testing.T, early bool, want []byte) {
		path := newLog(t, original())
		fails(t, "", 0, nil)
		disk.sync = func(f *os.File) error {
			_, err := f.WriteAt([]byte("X"), 400)
			return err
		}
		if err := draft(open(t, path), want, Target{}, early, newRun()); !errors.Is(err, ErrWorse) {
			t.Errorf("error %v, want %v", err, ErrWorse)
		}
		holds(t, path, original())
		alone(t, path)
	})
}

// A draft of a copy: nothing stays beside it, and nothing is replaced by it.
func TestDraftOfCopy(t *testing.T) {
	eachDraft(t, func(t *testing.T, early bool, want []byte) {
		for _, op := range []string{"", "create", "own", "write", "sync", "times", "link", "folder"} {
			t.Run(op, func(t *testing.T) {
				path, out := newLog(t, original()), filepath.Join(t.TempDir(), "copy.jsonl")
				fails(t, op, 1, syscall.EIO)
				err := draft(open(t, path), want, Target{Output: out}, early, newRun())
				holds(t, path, original())
				alone(t, path)
				if op == "" || op == "link" { // then it is moved there
					holds(t, out, want)
					alone(t, out)
					if err := draft(open(t, path), original(), Target{Output: out}, early, newRun()); !errors.Is(err, os.ErrExist) {
						t.Errorf("error %v, want %v", err, os.ErrExist)
					}
					holds(t, out, want)
					alone(t, out)
					return
				}
				if !errors.Is(err, syscall.EIO) {
					t.Errorf("error %v", err)
				}
				if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) > 0 {
					t.Errorf("left behind: %v, %v", left, err)
				}
			})
		}
	})
}

// A draft that is given up, or that has become another one than was indexed,
// leaves nothing. One that is durable is not written to any more.
func TestDraftGivenUp(t *testing.T) {
	path := newLog(t, original())
	begin := func() *Draft {
		d, err := Begin(open(t, path), Target{}, 0, true)
		if err == nil {
			_, err = d.Write(original())
		}
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	begin().Close()
	alone(t, path)
	if _, err := begin().Stage(content(t, string(shorter(original()))), nil); err == nil {
		t.Error("another log was staged")
	}
	alone(t, path)
	boom := errors.New("no")
	if _, err := begin().Stage(content(t, string(original())), func(*session.Session) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("error %v, want %v", err, boom)
	}
	alone(t, path)
	d := begin()
	if _, err := d.ReadBack(noSettings); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Write([]byte("more")); err == nil {
		t.Error("a durable draft was written to")
	}
	d.Close()
	alone(t, path)
}

func TestPeek(t *testing.T) {
	path := newLog(t, original())
	whole, err := session.Hash(open(t, path), int64(len(original())))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{int64(len(original())), 1 << 40} {
		if size, sum, err := Peek(path, n); err != nil || size != int64(len(original())) || sum != whole {
			t.Errorf("%d bytes: %d, %x, %v", n, size, sum, err)
		}
	}
	if _, _, err := Peek(path+"x", 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
