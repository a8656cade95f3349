package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/session/formats"
	"sessc/summarize"
)

// world is a folder of copies of a fixture, long at rest, and an archive.
type world struct {
	t       *testing.T
	archive *archive.Archive
	options compress.Options
}

func newWorld(t *testing.T, logs ...string) *world {
	t.Helper()
	b, err := os.ReadFile("../fixtures/openclaw/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	put(t)
	w := &world{t: t}
	for _, name := range logs {
		w.write(name, b)
	}
	a, err := archive.Open("kept", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	w.archive = a
	w.options = compress.Options{
		Formats: formats.All, MinSaving: 100, MinAge: time.Minute, Now: time.Now,
		Archive: func(bool) (*archive.Archive, error) { return a, nil },
	}
	return w
}

// write makes a log that changed an hour ago.
func (w *world) write(name string, b []byte) {
	w.t.Helper()
	at := time.Now().Add(-time.Hour)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, b, 0o600), os.Chtimes(name, at, at)); err != nil {
		w.t.Fatal(err)
	}
}

// run works through the folder logs, as a new process would.
func (w *world) run(change func(*Job)) (changed, known int, rest Rest) {
	w.t.Helper()
	ctx := context.Background()
	m, err := Recall(ctx, w.archive, &w.options, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	f := Finder{Formats: formats.All}
	j := &Job{Targets: f.Find([]string{"logs"}, false), Options: w.options, Workers: 2, Memory: m}
	j.Done = func(o Outcome) error {
		switch {
		case o.Err != nil:
			w.t.Error(o.Err)
		case o.Known:
			known++
		case o.Report.Changed:
			changed++
		}
		return nil
	}
	if change != nil {
		change(j)
	}
	rest, err = j.Run(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return changed, known, rest
}

func TestUnchangedIsNotReadAgain(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl", "logs/b.jsonl", "logs/c.jsonl")
	want := func(step string, change func(*Job), wantChanged, wantKnown int) {
		t.Helper()
		if changed, known, _ := w.run(change); changed != wantChanged || known != wantKnown {
			t.Errorf("%s: %d changed, %d known, want %d and %d", step, changed, known, wantChanged, wantKnown)
		}
	}
	want("first run", nil, 3, 0)
	want("second run", nil, 0, 3)
	want("told to read again", func(j *Job) { j.Memory.Forget() }, 0, 0)

	// Any difference that a stat shows makes the log unknown.
	if err := os.Chtimes("logs/a.jsonl", time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	want("another time", nil, 0, 2)
	b, err := os.ReadFile("logs/b.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	w.write("logs/b.new", b)
	if err := os.Rename("logs/b.new", "logs/b.jsonl"); err != nil {
		t.Fatal(err)
	}
	want("another file of the same bytes", nil, 0, 2)
	want("all known again", nil, 0, 3)

	w.options.MinSaving++
	want("other options", nil, 0, 0)
	w.options.MinSaving--
	want("the first options", nil, 0, 3)
	want("a log that is named", func(j *Job) {
		f := Finder{Formats: formats.All}
		j.Targets = f.Find([]string{"logs", "logs/c.jsonl"}, false)
	}, 0, 2)
}

// A log that an agent appends to in the moment in which it was rewritten is not
// taken for one that was looked at.
func TestLateAppendIsReadAgain(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl")
	w.run(func(j *Job) {
		done := j.Done
		j.Done = func(o Outcome) error { // before it is learned
			f, err := os.OpenFile("logs/a.jsonl", os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("{}\n")
			return errors.Join(err, f.Close(), done(o))
		}
	})
	w.options.MinAge = 0
	if _, known, _ := w.run(nil); known != 0 {
		t.Error("the appended line was never read")
	}
}

func TestBounds(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl", "logs/b.jsonl", "logs/c.jsonl", "logs/d.jsonl")
	if changed, _, rest := w.run(func(j *Job) { j.MaxSessions = 3 }); changed != 3 || rest != (Rest{Left: 1}) {
		t.Errorf("%d changed, rest %+v", changed, rest)
	}
	if changed, known, rest := w.run(func(j *Job) { j.Until = time.Now() }); changed != 0 || known != 3 || rest != (Rest{Left: 1}) {
		t.Errorf("%d changed, %d known, rest %+v", changed, known, rest)
	}
	if changed, known, rest := w.run(func(j *Job) { j.MaxSessions = 3 }); changed != 1 || known != 3 || rest != (Rest{}) {
		t.Errorf("%d changed, %d known, rest %+v", changed, known, rest)
	}
}

// Run after run a bound on sessions lets through others, whatever lies before
// them, until all are done.
func TestBoundGetsOn(t *testing.T) {
	young := func(t *testing.T, path string) {
		if err := os.Chtimes(path, time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	foreign := func(t *testing.T, path string) {
		if err := os.WriteFile(path, []byte("{\"hello\":1}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gone := func(t *testing.T, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name  string
		first func(t *testing.T, path string) // makes of the first logs what cannot be done
		paths []string
	}{
		{"nothing in the way", nil, []string{"logs"}},
		{"all are named", nil, []string{"logs/a.jsonl", "logs/b.jsonl", "logs/c.jsonl", "logs/d.jsonl", "logs/e.jsonl"}},
		{"no logs", foreign, []string{"logs"}},
		{"too young", young, []string{"logs"}},
		{"refused", young, []string{"logs/a.jsonl", "logs/b.jsonl", "logs"}},
		{"no such file", gone, []string{"logs/a.jsonl", "logs/b.jsonl", "logs"}},
	} {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s, %d at once", tc.name, workers), func(t *testing.T) {
				w := newWorld(t, "logs/a.jsonl", "logs/b.jsonl", "logs/c.jsonl", "logs/d.jsonl", "logs/e.jsonl")
				w.t = t
				waiting := []string{"a", "b", "c", "d", "e"}
				if tc.first != nil {
					tc.first(t, "logs/a.jsonl")
					tc.first(t, "logs/b.jsonl")
					waiting = waiting[2:]
				}
				for len(waiting) > 0 {
					var did []string
					_, _, rest := w.run(func(j *Job) {
						f := Finder{Formats: formats.All}
						j.Targets, j.Workers, j.MaxSessions = f.Find(tc.paths, false), workers, 2
						j.Done = func(o Outcome) error {
							if o.Report != nil && o.Report.Changed {
								did = append(did, strings.TrimSuffix(filepath.Base(o.Target.Shown), ".jsonl"))
							}
							return nil
						}
					})
					now := min(2, len(waiting))
					if !slices.Equal(did, waiting[:now]) || rest.Left != len(waiting)-now {
						t.Fatalf("%q were compressed, %+v; waiting were %q", did, rest, waiting)
					}
					waiting = waiting[now:]
				}
			})
		}
	}
}

// What a dry run would be refused does not count either.
func TestBoundOfADryRun(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl", "logs/b.jsonl", "logs/c.jsonl")
	if err := os.Chtimes("logs/a.jsonl", time.Time{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	w.options.DryRun = true
	seen := 0
	_, _, rest := w.run(func(j *Job) {
		j.MaxSessions = 1
		j.Done = func(Outcome) error {
			seen++
			return nil
		}
	})
	if seen != 2 || rest != (Rest{Left: 1}) {
		t.Errorf("%d seen, rest %+v", seen, rest)
	}
}

// A cancelled run finishes what it has begun.
func TestCancel(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl", "logs/b.jsonl", "logs/c.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	var steps atomic.Int32
	w.options.Trace = func(step string) {
		if step == "write temp" && steps.Add(1) == 1 {
			cancel()
		}
	}
	f := Finder{Formats: formats.All}
	changed := 0
	j := &Job{Targets: f.Find([]string{"logs"}, false), Options: w.options, Workers: 1, Done: func(o Outcome) error {
		if o.Err != nil {
			t.Error(o.Err)
		}
		changed++
		return nil
	}}
	rest, err := j.Run(ctx)
	if err != nil || changed != 1 || rest != (Rest{Stopped: 2}) {
		t.Errorf("%d done, rest %+v, %v", changed, rest, err)
	}
}

// The key tells apart what decides about a log, and nothing else.
func TestKey(t *testing.T) {
	key := func(release string, change func(*compress.Options)) string {
		o := compress.Options{Formats: formats.All, MinSaving: 100, Now: time.Now, MinAge: time.Minute}
		change(&o)
		k, err := o.Key(release)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	same := func(*compress.Options) {}
	first := key("1", same)
	if key("1", func(o *compress.Options) { o.MinAge, o.DryRun = 0, true }) != first {
		t.Error("what does not decide changes the key")
	}
	if key("2", same) == first {
		t.Error("another release has the same key")
	}
	for name, change := range map[string]func(*compress.Options){
		"formats":     func(o *compress.Options) { o.Formats = nil },
		"saving":      func(o *compress.Options) { o.MinSaving = 101 },
		"share":       func(o *compress.Options) { o.MinShare = 1 },
		"tokens":      func(o *compress.Options) { o.MinTokens = 1 },
		"tokenizer":   func(o *compress.Options) { o.Tokenizer = "o200k" },
		"model":       func(o *compress.Options) { o.Author = &summarize.Author{Name: "local"} },
		"layers":      func(o *compress.Options) { o.Layers = lifecycle.Kinds },
		"keep turns":  func(o *compress.Options) { o.Lifecycles.KeepTurns = 9 },
		"keep last":   func(o *compress.Options) { o.Lifecycles.KeepLast = 9 },
		"spawn tools": func(o *compress.Options) { o.Settings.SpawnTools = []string{"x"} },
	} {
		if key("1", change) == first {
			t.Errorf("%s: the key stays the same", name)
		}
	}
}

// What a killed run left is swept in folders that hold some; where there is
// nothing the folder is read once, not for every log.
func TestLeftoversAreSwept(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl", "logs/b.jsonl", "logs/clean/c.jsonl")
	const dead = "logs/.b.jsonl.sessc-999999999-abcd.tmp" // no system has such a process
	if err := os.WriteFile(dead, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	abs := func(name string) string {
		p, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	f := Finder{Formats: formats.All}
	swept := sweptFolders(f.Find([]string{"logs"}, false), w.options)
	if swept[abs("logs")] || !swept[abs("logs/clean")] {
		t.Errorf("swept folders are %v", swept)
	}
	w.run(nil)
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead run's file is still there: %v", err)
	}
}
