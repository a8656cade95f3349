package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sessc/model/fakes"
	"sessc/scripts/gen/genlog"
)

// sesscIn returns a command that runs this test's sessc with a home of its own.
func sesscIn(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "sessc")
	if _, err := os.Lstat(program); err != nil {
		if err := os.Symlink(exe, program); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir}
	return cmd
}

// manyTasks writes a log with n finished sub-tasks.
func manyTasks(t *testing.T, path string, n int) []byte {
	t.Helper()
	s := genlog.Script{Name: "many", Generation: "C"}
	for i := range n + 1 {
		c := &genlog.Child{Label: fmt.Sprintf("gate %d", i), Task: fmt.Sprintf("Move gate %d.", i) + strings.Repeat(" Ask nobody about it.", 40),
			Report: fmt.Sprintf("Gate %d was moved to port %d. ", i, 5000+i) + strings.Repeat("The registry answered in time. ", 40)}
		s.Steps = append(s.Steps, genlog.Human{Text: fmt.Sprintf("next, gate %d", i)}, genlog.Spawn{Children: []*genlog.Child{c}}, genlog.Agent{Text: "Running."},
			genlog.Completion{Generation: "C", Endings: []genlog.Ending{{Child: c, Outcome: genlog.Done, Runtime: 61e9, In: 9000, Out: 800}}},
			genlog.Agent{Text: fmt.Sprintf("Gate %d is done.", i)})
	}
	out, err := genlog.Play(s, "openclaw", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Log, 0o600); err != nil {
		t.Fatal(err)
	}
	return out.Log
}

// A run that is killed, or stopped by Ctrl-C or a terminal that is closed, while it asks a model has changed
// nothing, and the next run asks again no more than what was under way.
func TestStoppedWhileAsking(t *testing.T) {
	const tasks, before, atOnce = 30, 12, 4
	// Under nohup the children would ignore it too, as they should.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangups) })
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "s.jsonl")
			log := manyTasks(t, path, tasks)
			started := make(chan *os.Process, 1)
			var once sync.Once
			s := fakes.MLX(t, func(c fakes.Call) fakes.Reply {
				if c.N == before {
					once.Do(func() {
						if err := (<-started).Signal(sig); err != nil {
							t.Error(err)
						}
					})
				}
				if c.N >= before && c.N < before+atOnce {
					time.Sleep(200 * time.Millisecond) // until the signal has arrived
				}
				return fakes.Reply{Text: fakes.Honest(c.Prompt)}
			})
			args := []string{"compress", "--min-age", "0", "--model", "local", "--endpoint", s.URL, "--model-concurrency", fmt.Sprint(atOnce), "s.jsonl"}
			cmd := sesscIn(t, dir, args...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			started <- cmd.Process
			if err := cmd.Wait(); err == nil {
				t.Fatalf("it was not stopped:\n%s", &out)
			}
			if sig != syscall.SIGKILL && (cmd.ProcessState.ExitCode() != 1 || !strings.Contains(out.String(), "s.jsonl: stopped, nothing was changed")) {
				t.Errorf("exit code %d:\n%s", cmd.ProcessState.ExitCode(), &out)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, log) {
				t.Errorf("the log was changed: %v", err)
			}
			asked := len(s.Calls())
			if out, err := sesscIn(t, dir, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			prompts := map[string]int{}
			for _, c := range s.Calls() {
				prompts[c.Prompt]++
			}
			if len(prompts) != tasks {
				t.Errorf("%d questions, want %d", len(prompts), tasks)
			}
			if again := len(s.Calls()) - tasks; again > atOnce {
				t.Errorf("%d calls were made again after %d, at most %d were under way", again, asked, atOnce)
			}
			if out, err := sesscIn(t, dir, "restore", "--min-age", "0", "s.jsonl").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, log) {
				t.Errorf("the log did not come back: %v", err)
			}
		})
	}
}
