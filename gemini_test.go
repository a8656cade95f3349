//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sessc/model/fakes"
	"sessc/model/gemini"
)

// The SDK of Gemini belongs to sessc-gemini: in sessc it would cost every
// command a third of its start, 10 MB of program and 6 MB of memory.
func TestNoSDK(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := string(out)
	if !strings.Contains(packages, "sessc/model/gemini\n") {
		t.Fatalf("go list does not know what sessc is made of:\n%s", packages)
	}
	for name := range strings.Lines(packages) {
		for _, module := range []string{"github.com/google/generative-ai-go", "google.golang.org/grpc", "google.golang.org/api", "cloud.google.com/"} {
			if strings.HasPrefix(name, module) {
				t.Errorf("sessc links %s in: only model/gemini/sdk may import the SDK, and only model/gemini/sessc-gemini that package; go list -deps . has all", strings.TrimSpace(name))
			}
		}
	}
}

// Ctrl-C at a terminal reaches sessc-gemini too, which leaves it to sessc what
// comes of it. A kill of sessc ends both. The next run asks no more than what
// was under way.
func TestGeminiStopped(t *testing.T) {
	const tasks, before, atOnce = 12, 5, 2
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "s.jsonl")
			log := manyTasks(t, path, tasks)
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(exe, filepath.Join(dir, gemini.Program)); err != nil {
				t.Fatal(err)
			}
			started := make(chan *exec.Cmd, 1)
			var once sync.Once
			s := fakes.Gemini(t, "key-of-the-test", func(c fakes.Call) fakes.Reply {
				if c.N == before {
					once.Do(func() {
						to := (<-started).Process.Pid
						if sig == syscall.SIGINT {
							to = -to // the whole group, as a terminal does
						}
						if err := syscall.Kill(to, sig); err != nil {
							t.Error(err)
						}
					})
				}
				if c.N >= before && c.N < before+atOnce {
					time.Sleep(200 * time.Millisecond) // until the signal has arrived
				}
				return fakes.Reply{Text: fakes.Honest(c.Prompt)}
			})
			sessc := func() (*exec.Cmd, *bytes.Buffer) {
				cmd := sesscIn(t, dir, "compress", "--min-age", "0", "--model", "gemini", "--endpoint", s.URL, "--model-concurrency", "2", "s.jsonl")
				cmd.Env = append(cmd.Env, "PATH="+dir, "GEMINI_API_KEY=key-of-the-test")
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				return cmd, &out
			}
			cmd, out := sessc()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			started <- cmd
			if err := cmd.Wait(); err == nil {
				t.Fatalf("it was not stopped:\n%s", out)
			}
			if strings.Contains(out.String(), gemini.Program) {
				t.Errorf("sessc-gemini did not wait for sessc:\n%s", out)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, log) {
				t.Errorf("the log was changed: %v", err)
			}
			cmd, out = sessc()
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			prompts := map[string]int{}
			for _, c := range s.Calls() {
				prompts[c.Prompt]++
			}
			if again := len(s.Calls()) - tasks; len(prompts) != tasks || again > atOnce {
				t.Errorf("%d questions, want %d; %d calls were made again, at most %d were under way", len(prompts), tasks, again, atOnce)
			}
		})
	}
}
