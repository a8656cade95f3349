package openclaw

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sessc/session"
)

// TestMain lets the test binary play a process of an agent: with this variable
// set it does nothing until its input ends.
func TestMain(m *testing.M) {
	if os.Getenv("SESSC_TEST_WAIT") != "" {
		os.Stdin.Read(make([]byte, 1))
		return
	}
	os.Exit(m.Run())
}

// process starts the test binary under a name and with arguments of its own
// and ends it with the test. args[0] is what its command line begins with.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: args, Dir: dir, Env: append(os.Environ(), "SESSC_TEST_WAIT=1")}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return cmd
}

// dead is the id of a process that has ended.
func dead(t *testing.T) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestLockFile(t *testing.T) {
	now := time.Now()
	started, known := startOf(os.Getpid())
	rows := []struct {
		name, content string
		age           time.Duration
		want          string
	}{
		{"no lock", "", 0, ""},
		{"held", fmt.Sprintf(`{"pid":%d,"createdAt":"2026-03-01T10:00:00Z"}`, os.Getpid()), 0, "is held by process"},
		{"held for long", fmt.Sprintf(`{"pid":%d}`, os.Getpid()), 5 * time.Hour, "is held by process"},
		{"left by a process that is gone", fmt.Sprintf(`{"pid":%d}`, dead(t)), 0, ""},
		{"held, with its start", fmt.Sprintf(`{"pid":%d,"starttime":%d}`, os.Getpid(), started), 0, "is held by process"},
		{"half written", `{"pi`, 0, "names no process"},
		{"half written, long ago", `{"pi`, time.Hour, ""},
		{"empty", " ", time.Minute, "names no process"},
		{"a pid that is none", `{"pid":-1}`, 0, "names no process"},
		{"a pid that no system has", `{"pid":99999999999999}`, 0, "names no process"},
	}
	if known { // elsewhere a process that got the number of a dead one cannot be told from it
		rows = append(rows, rows[0])
		rows[len(rows)-1].name = "held by one that started later"
		rows[len(rows)-1].content = fmt.Sprintf(`{"pid":%d,"starttime":%d}`, os.Getpid(), started-1)
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "x.jsonl")
			if r.content != "" {
				writeFile(t, log+".lock", r.content)
				if err := os.Chtimes(log+".lock", now.Add(-r.age), now.Add(-r.age)); err != nil {
					t.Fatal(err)
				}
			}
			got := Format{}.Live(&session.Session{Path: log}, nil)
			if (got == "") != (r.want == "") || !strings.Contains(got, r.want) {
				t.Errorf("live because %q, want %q", got, r.want)
			}
		})
	}
}

func TestLockThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "x.jsonl")
	// A folder in its place cannot be read as a file, whoever runs the test.
	if err := os.Mkdir(log+".lock", 0o755); err != nil {
		t.Fatal(err)
	}
	if got := (Format{}).Live(&session.Session{Path: log}, nil); !strings.Contains(got, "names no process") {
		t.Errorf("live because %q", got)
	}
	// A link that leads to itself cannot even be looked at.
	os.Remove(log + ".lock")
	if err := os.Symlink(log+".lock", log+".lock"); err != nil {
		t.Fatal(err)
	}
	if got := (Format{}).Live(&session.Session{Path: log}, nil); !strings.Contains(got, "cannot be looked at") {
		t.Errorf("live because %q", got)
	}
}

func TestPiProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		if got := (Format{}).Live(&session.Session{Path: "x.jsonl", Cwd: t.TempDir()}, nil); got != "" {
			t.Errorf("live because %q, where processes cannot be seen", got)
		}
		return
	}
	here, elsewhere := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(here, link); err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprintf("6f0c-%d", os.Getpid())
	log, copied := filepath.Join(t.TempDir(), "2026_"+id+".jsonl"), filepath.Join(elsewhere, "2026_"+id+".jsonl")
	writeFile(t, log, "{}")
	writeFile(t, copied, "{}")
	s := func(cwd string) *session.Session { return &session.Session{Path: log, ID: id, Cwd: cwd} }
	rows := []struct {
		name, dir, cwd string
		args           []string
		live           bool
	}{
		{"pi by its title", here, here, []string{"pi"}, true},
		{"pi by its path", here, here, []string{"/usr/local/bin/pi", "--continue"}, true},
		{"node that runs pi", here, here, []string{"node", "/usr/bin/pi"}, true},
		{"node that runs pi's script", here, here, []string{"node", "/n/@earendil-works/pi-coding-agent/dist/cli.js"}, true},
		{"the header's folder is a link", here, link, []string{"pi"}, true},
		{"pi elsewhere", elsewhere, here, []string{"pi"}, false},
		{"pi elsewhere with this session's file", elsewhere, here, []string{"pi", "--session", log}, true},
		{"pi elsewhere with this session's file as a value", elsewhere, here, []string{"pi", "--session=" + log}, true},
		{"pi elsewhere with a copy of the file", elsewhere, here, []string{"pi", "--session", filepath.Base(copied)}, false},
		{"pi elsewhere with this session's id", elsewhere, here, []string{"pi", "--session=" + id}, true},
		{"another program", here, here, []string{"vim", "pi.md"}, false},
		{"another program with the session's file", here, here, []string{"less", log}, false},
		{"a name that only begins so", here, here, []string{"pip", "install"}, false},
		{"no folder in the header", elsewhere, "", []string{"pi"}, false},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if got := (Format{}).Live(s(r.cwd), nil); got != "" {
				t.Fatalf("live before the process started: %q", got)
			}
			cmd := process(t, r.dir, r.args...)
			got := Format{}.Live(s(r.cwd), nil)
			for start := time.Now(); r.live && got == "" && time.Since(start) < 2*time.Second; time.Sleep(10 * time.Millisecond) {
				got = Format{}.Live(s(r.cwd), nil) // on a busy machine it is seen late
			}
			if (got != "") != r.live || r.live && !strings.Contains(got, fmt.Sprint(cmd.Process.Pid)) {
				t.Errorf("live because %q, want %v", got, r.live)
			}
		})
	}
}

func TestOwnLock(t *testing.T) {
	state := t.TempDir()
	log := filepath.Join(state, "agents", "main", "sessions", "x.jsonl")
	path, content := Format{}.LockFile(&session.Session{Path: log})
	var lock struct {
		Pid       int
		CreatedAt time.Time
	}
	if err := json.Unmarshal(content, &lock); err != nil || path != log+".lock" || lock.Pid != os.Getpid() || time.Since(lock.CreatedAt) > time.Minute {
		t.Errorf("lock %s: %s, %v", path, content, err)
	}
	// The agent has to take it for one of its own.
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(content))
	if got := (Format{}).Live(&session.Session{Path: log}, nil); !strings.Contains(got, "is held by process") {
		t.Errorf("our own lock is not seen: %q", got)
	}
	// Also by a path that begins in the folder itself.
	t.Chdir(filepath.Dir(log))
	if path, _ := (Format{}).LockFile(&session.Session{Path: "x.jsonl"}); path != "x.jsonl.lock" {
		t.Errorf("lock %q beside a log in the working folder", path)
	}
	for _, other := range []string{"sessions/x.jsonl", "agents/main/x.jsonl", "agents/sessions/x.jsonl", ".pi/agent/sessions/--x--/x.jsonl"} {
		if path, _ := (Format{}).LockFile(&session.Session{Path: filepath.Join(state, filepath.FromSlash(other))}); path != "" {
			t.Errorf("lock %s outside of OpenClaw's folders", path)
		}
	}
}

func TestWarnOfDatabase(t *testing.T) {
	state := t.TempDir()
	s := &session.Session{Path: filepath.Join(state, "agents", "main", "sessions", "x.jsonl")}
	if _, block := (Format{}).Warn(s); block != "" {
		t.Errorf("blocked without a database: %q", block)
	}
	database := filepath.Join(state, "agents", "main", "agent", "openclaw-agent.sqlite")
	if err := os.MkdirAll(filepath.Dir(database), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, database, "")
	if _, block := (Format{}).Warn(s); !strings.Contains(block, "--output") {
		t.Errorf("not blocked beside a database: %q", block)
	}
	// Another agent's database says nothing about this log, nor does one
	// beside a log of pi.
	for _, other := range []string{"agents/other/sessions/x.jsonl", "agents/main/elsewhere/x.jsonl"} {
		if _, block := (Format{}).Warn(&session.Session{Path: filepath.Join(state, filepath.FromSlash(other))}); block != "" {
			t.Errorf("%s is blocked: %q", other, block)
		}
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
