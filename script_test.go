//go:build unix

package main

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"sessc/model/fakes"
	"sessc/model/gemini"
	"sessc/model/gemini/sdk"
)

var update = flag.Bool("update", false, "rewrite the expected output in fixtures/cli")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sessc":        func() { os.Exit(run(traceOfTest())) },
		gemini.Program: func() { os.Exit(sdk.Main()) },
	})
}

// traceOfTest lets a script disturb a rewrite at a step: SESSC_TEST_KILL_AT
// names the step at which the process kills itself as an outage would,
// SESSC_TEST_STOP_AT the one at which it gets the signal of Ctrl-C,
// SESSC_TEST_PANIC_AT the one at which it panics, once. With SESSC_TEST_HOLD it
// makes that file at its first step and waits until the file is gone.
func traceOfTest() func(step string) {
	kill, stop, panics := os.Getenv("SESSC_TEST_KILL_AT"), os.Getenv("SESSC_TEST_STOP_AT"), os.Getenv("SESSC_TEST_PANIC_AT")
	hold := os.Getenv("SESSC_TEST_HOLD")
	if kill+stop+panics+hold == "" {
		return nil
	}
	var mu sync.Mutex // several sessions at a time
	return func(step string) {
		mu.Lock()
		defer mu.Unlock()
		if hold != "" {
			waitWhile(hold)
			hold = ""
		}
		switch step {
		case "":
		case kill:
			if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
				panic(err)
			}
			select {} // the signal is on its way
		case stop:
			stop = ""
			seen := make(chan os.Signal, 1)
			signal.Notify(seen, os.Interrupt)
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				panic(err)
			}
			<-seen
			time.Sleep(100 * time.Millisecond) // for the program's own handler
		case panics:
			panics = ""
			panic("made by the test at step " + step)
		}
	}
}

// waitWhile makes a file and waits until it is gone.
func waitWhile(path string) {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestScripts runs fixtures/cli/*.txtar. A script finds the made-up logs of
// fixtures/openclaw as $LOGS, those of fixtures/claudecode as $CLAUDE and the
// documentation as $DOCS, models that answer at $MLX and $GEMINI (whose key is
// key-of-the-test) and one that fails in every way in turn at $MLXBAD, one that is broken at $MLXDEAD, has a home
// of its own, and knows these commands besides those of testscript:
//
//	code N CMD...     run CMD, which has to end with exit code N
//	old FILE...       give files a modification time long ago
//	plain FILE        write the last stdout to FILE, the script's folder as $WORK
//	same FILE FILE    the files are equal in bytes and modification time
func TestScripts(t *testing.T) {
	fixtures, err := filepath.Abs("fixtures")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "fixtures/cli",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LOGS", filepath.Join(fixtures, "openclaw"))
			env.Setenv("CLAUDE", filepath.Join(fixtures, "claudecode"))
			env.Setenv("DOCS", filepath.Join(filepath.Dir(fixtures), "docs"))
			env.Setenv("MLX", fakes.MLX(cleaner{env}, fakes.Always).URL)
			env.Setenv("MLXBAD", fakes.MLX(cleaner{env}, failing).URL)
			env.Setenv("MLXDEAD", fakes.MLX(cleaner{env}, dead).URL)
			env.Setenv("GEMINI", fakes.Gemini(cleaner{env}, "key-of-the-test", fakes.Always).URL)
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": code, "old": old, "plain": plain, "same": same,
		},
	})
}

// cleaner ends a fake server with its script.
type cleaner struct{ *testscript.Env }

func (c cleaner) Cleanup(f func()) { c.Defer(f) }

// failing has the faults that may pass, one after another.
func failing(c fakes.Call) fakes.Reply {
	all := fakes.Passing()
	return fakes.Reply{Text: fakes.Honest(c.Prompt), Fault: all[c.N%len(all)]}
}

// dead answers every question with HTTP 500.
func dead(fakes.Call) fakes.Reply { return fakes.Reply{Fault: fakes.Broken} }

func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N CMD...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func old(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: old FILE...")
	}
	long := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, f := range args {
		ts.Check(os.Chtimes(ts.MkAbs(f), long, long))
	}
}

func plain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: plain FILE")
	}
	text := strings.ReplaceAll(ts.ReadFile("stdout"), ts.Getenv("WORK"), "$WORK")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	if ts.ReadFile(args[0]) != ts.ReadFile(args[1]) {
		ts.Fatalf("%s and %s differ", args[0], args[1])
	}
	a, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if !a.ModTime().Equal(b.ModTime()) {
		ts.Fatalf("%s is of %s, %s of %s", args[0], a.ModTime(), args[1], b.ModTime())
	}
}

// stranger prepares a folder for a user other than root, whom permissions do
// not bind, and returns a function that runs sessc as that user. Run by anyone
// else the tests use that person.
func stranger(t *testing.T) (dir string, sessc func(args ...string) (stdout, stderr string, code int)) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "work")
	if err := os.MkdirAll(filepath.Join(dir, "home"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, open := range []string{filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir), dir, filepath.Join(dir, "home")} {
		if err := os.Chmod(open, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "sessc")
	write(t, program, read(t, exe), 0o755)
	return dir, func(args ...string) (string, string, int) {
		var out, talk strings.Builder
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &talk
		cmd.Env = []string{"HOME=" + filepath.Join(dir, "home")}
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return out.String(), talk.String(), cmd.ProcessState.ExitCode()
	}
}

// nobody is a user and a group that own nothing.
const nobody = 65534

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path string, b []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
}

// What the user may not read or write is left alone, and the message says
// what to do.
func TestPermissions(t *testing.T) {
	log := read(t, "fixtures/openclaw/demo.jsonl")
	for _, tc := range []struct {
		name   string
		log    os.FileMode
		folder os.FileMode
		args   []string
		code   int
		said   string // on stdout or stderr
	}{
		{"unreadable log", 0, 0o777, []string{"compress", "--min-age", "0", "logs/s.jsonl"}, 1, "permission denied; run sessc as the owner"},
		{"unreadable log, dry run", 0, 0o777, []string{"compress", "--dry-run", "logs/s.jsonl"}, 1, "permission denied; run sessc as the owner"},
		{"unreadable log, scan", 0, 0o777, []string{"scan", "logs/s.jsonl"}, 1, "permission denied; run sessc as the owner"},
		{"unreadable log in a folder", 0, 0o777, []string{"compress", "--min-age", "0", "logs"}, 3, "permission denied; run sessc as the owner"},
		{"unwritable log", 0o400, 0o777, []string{"compress", "--min-age", "0", "logs/s.jsonl"}, 4, "no permission to write it; run sessc as its owner"},
		{"unreadable folder", 0o600, 0, []string{"compress", "--min-age", "0", "logs"}, 1, "logs: permission denied; run sessc as the owner"},
		{"unreadable folder below", 0o600, 0, []string{"compress", "--min-age", "0", "."}, 1, "logs: permission denied; run sessc as the owner, or name the folders beside it\n"},
		{"log in a closed folder", 0o600, 0, []string{"compress", "--min-age", "0", "logs/s.jsonl"}, 1, "no permission to look at it; run sessc as the owner"},
		{"folder that takes no new file", 0o600, 0o555, []string{"compress", "--min-age", "0", "logs/s.jsonl"}, 4, "no permission to write in its folder; run sessc as the folder's owner"},
		{"archive that may not be made", 0o600, 0o777, []string{"compress", "--min-age", "0", "--archive", "/proc/1/kept", "logs/s.jsonl"}, 1, "/proc/1/kept"},
		{"doctor, archive that may not be made", 0o600, 0o555, []string{"doctor", "--archive", "logs/kept/here"}, 1, "logs/kept/here is not there yet, and cannot be made: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, sessc := stranger(t)
			folder, path := filepath.Join(dir, "logs"), filepath.Join(dir, "logs", "s.jsonl")
			if err := os.Mkdir(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			write(t, path, log, tc.log)
			if err := os.Chmod(folder, tc.folder); err != nil {
				t.Fatal(err)
			}
			if os.Geteuid() == 0 {
				if err := os.Chown(folder, nobody, nobody); err != nil {
					t.Fatal(err)
				}
			}
			stdout, stderr, code := sessc(tc.args...)
			if code != tc.code || !strings.Contains(stdout+stderr, tc.said) || strings.Contains(stdout, "undo") {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s\nwant: %s", code, tc.code, stdout, stderr, tc.said)
			}
			if n := strings.Count(stderr, "run sessc as"); n > 1 {
				t.Errorf("the advice is given %d times: %s", n, stderr)
			}
			if err := errors.Join(os.Chmod(folder, 0o755), os.Chmod(path, 0o600)); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); !bytes.Equal(got, log) {
				t.Error("the log was changed")
			}
			names, err := os.ReadDir(folder)
			if err != nil || len(names) != 1 {
				t.Errorf("the folder holds %v, error %v", names, err)
			}
		})
	}
}

// A restore needs an archive that can be read, no more; that it could not be
// noted is said.
func TestRestoreFromUnwritableArchive(t *testing.T) {
	log := read(t, "fixtures/openclaw/demo.jsonl")
	dir, sessc := stranger(t)
	folder, kept := filepath.Join(dir, "logs"), filepath.Join(dir, "kept")
	path := filepath.Join(folder, "s.jsonl")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(folder, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	write(t, path, log, 0o600)
	args := []string{"--archive", kept, "--min-age", "0", path}
	if _, stderr, code := sessc(append([]string{"compress"}, args...)...); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	err := filepath.WalkDir(kept, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chmod(path, 0o400)
	})
	if err := errors.Join(err, os.Chmod(kept, 0o500), os.Chmod(filepath.Join(kept, "packs"), 0o500)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(kept, 0o700)
	defer os.Chmod(filepath.Join(kept, "packs"), 0o700)
	stdout, stderr, code := sessc(append([]string{"restore"}, args...)...)
	if code != 0 || !strings.Contains(stdout, "may compress it again, keep it out with --exclude: the restore could not be noted") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if !bytes.Equal(read(t, path), log) {
		t.Error("the log is not restored")
	}
}
