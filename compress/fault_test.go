package compress_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"sessc/archive"
)

// every step that the writer and the archive are known to take must be among
// those at which a process is killed.
var known = []string{
	"create temp", "write temp", "sync temp", "archive", "archive: part created", "archive: frame written", "archive: pack renamed",
	"archive: pending", "prove restore", "lock", "look again", "rename", "sync folder", "look for late lines", "settle", "archive: settled",
}

// worlds are the logs of the suites that run with sets of layers: tasks alone,
// and all with disk weight.
var worlds = []struct {
	fixture string
	all     bool
}{{"openclaw/demo", false}, {"openclaw/turns", true}, {"claudecode/client-1.0.108", true}, {"claudecode/old-results", true}}

// A process that is killed at any step leaves the old log or the new one,
// whole. The next run finishes what is open, and clears away the rest.
func TestKilledAtEveryStep(t *testing.T) {
	for _, c := range worlds {
		t.Run(c.fixture, func(t *testing.T) {
			killedAtEveryStep(t, func(t *testing.T) *world { return newWorldOf(t, c.fixture, c.all) })
		})
	}
}

func killedAtEveryStep(t *testing.T, newWorld func(t *testing.T) *world) {
	new, steps := compressedIn(t, newWorld(t), "")
	for _, k := range known {
		if !slices.Contains(steps, k) {
			t.Errorf("step %q is not traced any more: %v", k, steps)
		}
	}
	after := slices.Index(steps, "sync folder")
	for n, step := range steps {
		renamed := n >= after
		t.Run(fmt.Sprintf("%02d %s", n+1, step), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.task("compress")
			job.Kill = n + 1
			w.killed(job)
			if state := w.is(w.original, new); (state == "new") != renamed {
				t.Errorf("the log is the %s one", state)
			}
			job.Kill = 0
			if a := w.run(job); a.Error != "" || a.Changed == renamed {
				t.Errorf("the next run: %+v", a)
			}
			if w.is(w.original, new) != "new" {
				t.Error("the next run did not compress")
			}
			w.clean()
			if all := w.generations(); len(all) != 1 {
				t.Errorf("%d generations", len(all))
			}
			if a := w.run(w.task("restore")); a.Error != "" {
				t.Errorf("restore: %+v", a)
			}
			if w.is(w.original, new) != "old" {
				t.Error("the original is not back")
			}
			w.clean()
		})
	}
}

// The restore that follows a killed run at once, with no other run between.
func TestRestoreAfterKilledRun(t *testing.T) {
	new, steps := compressed(t, "")
	after := slices.Index(steps, "sync folder")
	for n, step := range steps {
		renamed := n >= after
		if n < len(steps)-12 {
			continue // before the generation is pending there is nothing to find
		}
		t.Run(fmt.Sprintf("%02d %s", n+1, step), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.task("compress")
			job.Kill = n + 1
			w.killed(job)
			a := w.run(w.task("restore"))
			if renamed && a.Error != "" || !renamed && !a.Nothing {
				t.Errorf("restore: %+v", a)
			}
			if w.is(w.original, new) != "old" {
				t.Error("the original is not back")
			}
			w.clean()
			w.generations()
		})
	}
}

// A restore that is killed at any step leaves the masked log or the original.
func TestKilledDuringRestore(t *testing.T) {
	w := newWorld(t)
	if a := w.run(w.task("compress")); a.Error != "" {
		t.Fatal(a.Error)
	}
	masked := w.read()
	a := w.run(w.task("restore"))
	if a.Error != "" || w.is(w.original, masked) != "old" {
		t.Fatalf("%+v", a)
	}
	for _, k := range []string{"open archive", "undo a rewrite", "create temp", "write temp", "sync temp", "stage", "rename", "settle"} {
		if !slices.Contains(a.Steps, k) {
			t.Errorf("step %q is not traced any more: %v", k, a.Steps)
		}
	}
	for n, step := range a.Steps {
		t.Run(fmt.Sprintf("%02d %s", n+1, step), func(t *testing.T) {
			w.put(masked)
			job := w.task("restore")
			job.Kill = n + 1
			w.killed(job)
			state := w.is(w.original, masked)
			job.Kill = 0
			a := w.run(job)
			if state == "new" && a.Error != "" || state == "old" && !a.Nothing {
				t.Errorf("the log was the %s one; the next run: %+v", state, a)
			}
			if w.is(w.original, masked) != "old" {
				t.Error("the original is not back")
			}
			w.clean()
		})
	}
	// The archive keeps the generation, so that a copy can still be restored.
	if all := w.generations(); len(all) != 1 {
		t.Errorf("%d generations", len(all))
	}
}

// The same for a restored copy: the log is never touched, and nothing is left
// beside the copy after the next run.
func TestKilledDuringRestoreOfCopy(t *testing.T) {
	w := newWorld(t)
	if a := w.run(w.task("compress")); a.Error != "" {
		t.Fatal(a.Error)
	}
	masked := w.read()
	job := w.task("restore")
	job.Output = filepath.Join(t.TempDir(), "copy.jsonl")
	a := w.run(job)
	if a.Error != "" {
		t.Fatal(a.Error)
	}
	for n, step := range a.Steps {
		t.Run(fmt.Sprintf("%02d %s", n+1, step), func(t *testing.T) {
			job := job
			job.Output = filepath.Join(t.TempDir(), "copy.jsonl")
			job.Kill = n + 1
			w.killed(job)
			job.Kill = 0
			next := job
			if copied, err := os.ReadFile(job.Output); err == nil {
				if !bytes.Equal(copied, w.original) {
					t.Errorf("the copy has %d bytes of %d", len(copied), len(w.original))
				}
				next.Log, next.Output = job.Output, "" // it may have a second name still
			}
			if a := w.run(next); a.Error != "" && !(next.Output == "" && a.Nothing) {
				t.Errorf("the next run: %+v", a)
			}
			if copied, err := os.ReadFile(job.Output); err != nil || !bytes.Equal(copied, w.original) {
				t.Errorf("the copy is not the original: %v", err)
			}
			left, err := os.ReadDir(filepath.Dir(job.Output))
			if err != nil || len(left) != 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if !bytes.Equal(w.read(), masked) {
				t.Error("the log was touched")
			}
			w.clean()
		})
	}
}

// A copy is written whole or not at all, and the log is never touched.
func TestKilledWithOutput(t *testing.T) {
	new, steps := compressed(t, "copy.jsonl")
	for n, step := range steps {
		t.Run(fmt.Sprintf("%02d %s", n+1, step), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.task("compress")
			job.Output = filepath.Join(filepath.Dir(w.dir), "copy.jsonl")
			job.Kill = n + 1
			w.killed(job)
			if !bytes.Equal(w.read(), w.original) {
				t.Fatal("the log was touched")
			}
			copied, err := os.ReadFile(job.Output)
			if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(copied, new) {
				t.Fatalf("the copy has %d bytes of %d: %v", len(copied), len(new), err)
			}
			job.Kill = 0
			if err == nil {
				// The temporary file may still be a second name of the copy.
				if a := w.run(task{Do: "restore", Log: job.Output, Archive: w.dir}); a.Error != "" {
					t.Errorf("restore of the copy: %+v", a)
				}
				job.Output += "2"
			}
			if a := w.run(job); a.Error != "" {
				t.Errorf("the next run: %+v", a)
			}
			back := task{Do: "restore", Log: job.Output, Archive: w.dir, Output: job.Output + ".back"}
			if a := w.run(back); a.Error != "" {
				t.Errorf("restore: %+v", a)
			}
			if got, err := os.ReadFile(back.Output); err != nil || !bytes.Equal(got, w.original) {
				t.Errorf("the original does not come back from the copy: %v", err)
			}
			w.clean()
			if left, err := filepath.Glob(filepath.Join(filepath.Dir(job.Output), ".*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// Two processes at once on one log and one archive: one compresses, the other
// is refused or finds nothing to do.
func TestTwoProcesses(t *testing.T) {
	new, _ := compressed(t, "")
	outcomes := map[string]int{}
	for round := range 6 {
		w := newWorld(t)
		if round%2 == 1 {
			// The archive is there already: less time goes into making it.
			a, err := archive.Open(w.dir, true)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Generations(context.Background(), archive.Query{}); err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
		job := w.task("compress")
		job.Gate = filepath.Join(filepath.Dir(w.dir), "go")
		var children [2]*exec.Cmd
		var outs [2]*bytes.Buffer
		for i := range children {
			children[i], outs[i] = w.child(job)
		}
		if err := os.WriteFile(job.Gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		done := 0
		for i := range children {
			switch a := w.ends(children[i], outs[i]); {
			case a.Changed:
				done++
			case a.Refused:
				outcomes["refused"]++
			case a.Error == "":
				outcomes["nothing to do"]++
			default:
				t.Errorf("round %d: %s", round, a.Error)
			}
		}
		if done != 1 {
			t.Errorf("round %d: %d processes compressed", round, done)
		}
		if w.is(w.original, new) != "new" {
			t.Errorf("round %d: the log was not compressed", round)
		}
		w.clean()
		if all := w.generations(); len(all) != 1 {
			t.Errorf("round %d: %d generations", round, len(all))
		}
		if a := w.run(w.task("restore")); a.Error != "" || w.is(w.original, new) != "old" {
			t.Errorf("round %d: restore %+v", round, a)
		}
	}
	t.Logf("the other one: %v", outcomes)
	if outcomes["refused"] == 0 {
		t.Error("the two never met")
	}
}

// A compress and a restore at once: whoever comes second is refused, or works
// on what the first has left. The log is whole.
func TestCompressAgainstRestore(t *testing.T) {
	new, _ := compressed(t, "")
	for round := range 6 {
		w := newWorld(t)
		if a := w.run(w.task("compress")); a.Error != "" {
			t.Fatal(a.Error)
		}
		gate := filepath.Join(filepath.Dir(w.dir), "go")
		var children [2]*exec.Cmd
		var outs [2]*bytes.Buffer
		for i, do := range []string{"compress", "restore"} {
			job := w.task(do)
			job.Gate = gate
			children[i], outs[i] = w.child(job)
		}
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for i := range children {
			if a := w.ends(children[i], outs[i]); a.Error != "" && !a.Refused {
				t.Errorf("round %d: %s", round, a.Error)
			}
		}
		w.is(w.original, new)
		w.clean()
		w.generations()
	}
}
