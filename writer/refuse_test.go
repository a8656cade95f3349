package writer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary runs again as a child: as another user, or on a full disk.
const childTask = "SESSC_TEST_TASK"

func TestMain(m *testing.M) {
	switch task, args, _ := strings.Cut(os.Getenv(childTask), " "); task {
	case "":
		os.Exit(m.Run())
	case "sleep":
		time.Sleep(time.Minute)
	default:
		if do := tasks[task]; do != nil {
			os.Exit(do(args))
		}
	}
	os.Exit(0)
}

// tasks are what a child can be told to do; it returns the exit status.
var tasks = map[string]func(args string) int{}

func child(task string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), childTask+"="+task)
	return c
}

// living starts a process and returns its id; dead returns that of one that
// has ended.
func living(t testing.TB) int {
	t.Helper()
	c := child("sleep")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return c.Process.Pid
}

func dead(t testing.TB) int {
	t.Helper()
	c := child("nothing")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid
}

func lockText(t testing.TB, pid int) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]any{"pid": pid, "createdAt": "2026-04-13T10:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAgentLock(t *testing.T) {
	hold, gone := lockText(t, living(t)), lockText(t, dead(t))
	tests := map[string]struct {
		content []byte
		age     time.Duration
		refused bool
	}{
		"living process":         {hold, 0, true},
		"old and living":         {hold, 2 * time.Hour, true},
		"dead process":           {gone, 0, false},
		"our own process":        {lockText(t, os.Getpid()), 0, true},
		"young and no process":   {[]byte("{"), time.Minute, true},
		"old and no process":     {[]byte("{"), time.Hour, false},
		"empty, as it is made":   {nil, 0, true},
		"empty, and left behind": {nil, time.Hour, false},
	}
	for name, tt := range tests {
		for _, step := range []string{"", "create temp", "write temp", "lock"} {
			t.Run(name+" "+step, func(t *testing.T) {
				path := newLog(t, original())
				lock := path + ".lock"
				take := func() {
					if err := os.WriteFile(lock, tt.content, 0o600); err != nil {
						t.Fatal(err)
					}
					at := time.Now().Add(-tt.age)
					if err := os.Chtimes(lock, at, at); err != nil {
						t.Fatal(err)
					}
				}
				r := newRun()
				if step == "" {
					take()
				}
				r.target.Trace = func(at string) {
					if at == step {
						take()
					}
				}
				err := r.do(context.Background(), open(t, path))
				if !tt.refused {
					if err != nil {
						t.Fatal(err)
					}
					holds(t, path, shorter(original()))
					alone(t, path)
					return
				}
				if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "s.jsonl.lock") || !strings.Contains(err.Error(), "stop the agent") {
					t.Errorf("error %v", err)
				}
				holds(t, path, original())
				holds(t, lock, tt.content)
				alone(t, path, "s.jsonl.lock")
			})
		}
	}
}

// Another process takes the stale lock over while it is being removed: its
// lock stays, also where there are no hard links to put it back with.
func TestStaleLockIsTakenOver(t *testing.T) {
	for _, links := range []bool{true, false} {
		t.Run(fmt.Sprintf("links %v", links), func(t *testing.T) { takenOver(t, links) })
	}
}

func takenOver(t *testing.T, links bool) {
	path := newLog(t, original())
	lock := path + ".lock"
	if err := os.WriteFile(lock, lockText(t, dead(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	agents := lockText(t, living(t))
	fails(t, "", 0, nil)
	if !links {
		disk.link = func(string, string) error { return syscall.EPERM }
	}
	took := false
	disk.rename = func(from, to string) error {
		if from == lock && !took {
			took = true
			if err := errors.Join(os.WriteFile(lock+".new", agents, 0o600), os.Rename(lock+".new", lock)); err != nil {
				t.Fatal(err)
			}
		}
		return realDisk.rename(from, to)
	}
	r := newRun()
	if err := r.do(context.Background(), open(t, path)); !errors.Is(err, ErrRefused) || !took {
		t.Errorf("error %v, taken over %v", err, took)
	}
	holds(t, path, original())
	holds(t, lock, agents)
	alone(t, path, "s.jsonl.lock")
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		prepare func(t *testing.T, path string)
		minAge  time.Duration
		want    string // "": it goes through
		hint    string
	}{
		"young":                       {func(t *testing.T, path string) { age(t, path, time.Minute) }, 10 * time.Minute, "1m0s ago, less than --min-age 10m0s", "--min-age"},
		"young, with no quiet period": {func(t *testing.T, path string) { age(t, path, 0) }, 0, "", ""},
		"old enough":                  {func(t *testing.T, path string) { age(t, path, 11*time.Minute) }, 10 * time.Minute, "", ""},
		"from the future":             {func(t *testing.T, path string) { age(t, path, -time.Hour) }, 10 * time.Minute, "in the future", "clock"},
		"far in the future":           {func(t *testing.T, path string) { age(t, path, -1000*time.Hour) }, time.Second, "in the future", "clock"},
		"hard link": {func(t *testing.T, path string) {
			if err := os.Link(path, filepath.Join(t.TempDir(), "other")); err != nil {
				t.Fatal(err)
			}
		}, time.Minute, "2 hard links", "--output"},
		"open for reading": {func(t *testing.T, path string) { keepOpen(t, path, os.O_RDONLY) }, time.Minute, "", ""},
		"history in a database": {func(t *testing.T, path string) {
			db := filepath.Join(filepath.Dir(path), "..", "agent", "openclaw-agent.sqlite")
			if err := errors.Join(os.Mkdir(filepath.Dir(db), 0o700), os.WriteFile(db, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}, time.Minute, "openclaw-agent.sqlite", "--output"},
	}
	if runtime.GOOS == "linux" { // elsewhere a process does not see the files of another
		row := tests["open for reading"]
		row.prepare = func(t *testing.T, path string) { keepOpen(t, path, os.O_WRONLY|os.O_APPEND) }
		row.want, row.hint = "has it open for writing", "stop the agent"
		tests["open for writing"] = row
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := newLog(t, original())
			tt.prepare(t, path)
			r := newRun()
			r.minAge = tt.minAge
			s := open(t, path)
			ready := Ready(s, tt.minAge, time.Now())
			err := r.do(context.Background(), s)
			if tt.want == "" {
				if ready != nil || err != nil {
					t.Errorf("ready %v, error %v", ready, err)
				}
				holds(t, path, shorter(original()))
				return
			}
			for _, err := range []error{ready, err} {
				if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.hint) {
					t.Errorf("error %v, want a refusal with %q and %q", err, tt.want, tt.hint)
				}
			}
			if r.outcome() != "[false]" {
				t.Errorf("settled %s", r.outcome())
			}
			holds(t, path, original())
			alone(t, path)
		})
	}
}

// keepOpen starts a process that has a file open.
func keepOpen(t testing.TB, path string, how int) {
	t.Helper()
	f, err := os.OpenFile(path, how, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := child("sleep")
	c.ExtraFiles = []*os.File{f}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
}

func age(t testing.TB, path string, d time.Duration) {
	t.Helper()
	at := time.Now().Add(-d)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestSymlinkStays(t *testing.T) {
	path := newLog(t, original())
	dir := t.TempDir()
	link, far := filepath.Join(dir, "link.jsonl"), filepath.Join(dir, "far.jsonl")
	if err := errors.Join(os.Symlink(path, link), os.Symlink("link.jsonl", far)); err != nil {
		t.Fatal(err)
	}
	if err := newRun().do(context.Background(), open(t, far)); err != nil {
		t.Fatal(err)
	}
	holds(t, path, shorter(original()))
	alone(t, path)
	alone(t, link, "far.jsonl")
	for _, l := range []string{link, far} {
		if fi, err := os.Lstat(l); err != nil || fi.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", l, err)
		}
	}
}

func TestSweep(t *testing.T) {
	path := newLog(t, original())
	dir := filepath.Dir(path)
	name := func(base string, pid int) string { return fmt.Sprintf(".%s.sessc-%d-0a0b0c.tmp", base, pid) }
	gone, here := dead(t), living(t)
	stay := []string{name("s.jsonl", here), name("other.jsonl", gone), ".s.jsonl.sessc-x.tmp", "s.jsonl.sessc-1.tmp", "s.jsonl.bak-1-2"}
	for _, n := range append(stay, name("s.jsonl", gone)) {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lock := path + ".lock"
	if err := os.WriteFile(lock, lockText(t, gone), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	Sweep(link)
	SweepLock(open(t, path))
	alone(t, path, stay...)
	// A copy has a place of its own.
	out := filepath.Join(t.TempDir(), "copy.jsonl")
	if err := os.WriteFile(filepath.Join(filepath.Dir(out), name("copy.jsonl", gone)), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRun()
	r.target.Output = out
	if err := r.do(context.Background(), open(t, path)); err != nil {
		t.Fatal(err)
	}
	alone(t, out)
}

// The agent's lock never stands there without its content, also where there
// are no hard links to put it in place with.
func TestLockIsNeverEmpty(t *testing.T) {
	for _, links := range []bool{true, false} {
		t.Run(fmt.Sprintf("links %v", links), func(t *testing.T) {
			path := newLog(t, original())
			lock := path + ".lock"
			f := fails(t, "", 0, nil)
			if !links {
				f.op, f.nth, f.err = "link", 1, syscall.EPERM
			}
			write := disk.write
			disk.write = func(file *os.File, b []byte) error {
				if fi, err := os.Stat(lock); err == nil && fi.Size() == 0 {
					t.Error("an empty lock stands there")
				}
				return write(file, b)
			}
			held := false
			r := newRun()
			r.target.Trace = func(step string) {
				if step == "look again" {
					b, err := os.ReadFile(lock)
					held = err == nil && bytes.Contains(b, fmt.Appendf(nil, `"pid":%d`, os.Getpid()))
				}
			}
			if err := r.do(context.Background(), open(t, path)); err != nil || !held {
				t.Errorf("error %v, lock held %v", err, held)
			}
			holds(t, path, shorter(original()))
			alone(t, path)
		})
	}
}

// Names may be as long as the file system allows.
func TestLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 249), strings.Repeat("é", 122), strings.Repeat("日", 80) + "12345"} {
		path := filepath.Join(filepath.Dir(newLog(t, original())), name+".jsonl")
		if err := os.Rename(filepath.Join(filepath.Dir(path), "s.jsonl"), path); err != nil {
			t.Fatal(err)
		}
		// Another name that begins like it, and a leftover of a killed run.
		left := []string{tempPrefix(name + ".jsonl"), tempPrefix(name + "other")}
		for i, prefix := range left {
			left[i] = fmt.Sprintf("%s%d-0a.tmp", prefix, dead(t))
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), left[i]), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		Sweep(path)
		if err := newRun().do(context.Background(), open(t, path)); err != nil {
			t.Fatal(err)
		}
		holds(t, path, shorter(original()))
		alone(t, path, left[1])
	}
}
