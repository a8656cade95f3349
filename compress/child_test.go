package compress_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
	_ "unsafe" // for the name of the archive's steps

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/restore"
	"sessc/session/formats"
	"sessc/writer"
)

// archiveStep is the hook by which package archive tells its own steps to
// tests, so that a process can be killed within them too.
//
//go:linkname archiveStep sessc/archive.atStep
var archiveStep func(step string)

// The test binary runs again as a child that does one thing to a log.
const childTask = "SESSC_TEST_TASK"

// task is what a child does.
type task struct {
	Do      string // compress or restore
	Log     string
	Archive string
	Output  string
	All     bool   // compress all layers, and disk weight
	Kill    int    // number of the step at which it ends itself, from 1; 0 for never
	Gate    string // it waits for this file
}

// others are what a child can do besides; it returns the exit status.
var others = map[string]func(t *task) int{}

// answer is what a child says.
type answer struct {
	Steps   []string
	Changed bool
	Refused bool
	Nothing bool
	Error   string
}

func TestMain(m *testing.M) {
	text := os.Getenv(childTask)
	if text == "" {
		os.Exit(m.Run())
	}
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		panic(err)
	}
	if do := others[t.Do]; do != nil {
		os.Exit(do(&t))
	}
	if err := json.NewEncoder(os.Stdout).Encode(t.run()); err != nil {
		panic(err)
	}
	os.Exit(0)
}

func (t *task) run() (a answer) {
	step := func(name string) {
		a.Steps = append(a.Steps, name)
		if len(a.Steps) == t.Kill {
			killSelf()
		}
	}
	archiveStep = func(name string) { step("archive: " + name) }
	for deadline := time.Now().Add(time.Minute); t.Gate != "" && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(t.Gate); err == nil {
			break
		}
	}
	o := openers{dir: t.Archive}
	defer o.close()
	var err error
	switch t.Do {
	case "compress":
		var r *compress.Report
		opt := t.options(&o)
		opt.Output, opt.Trace = t.Output, step
		r, err = compress.Run(context.Background(), t.Log, opt)
		a.Changed = r != nil && len(r.Tasks) > 0 && err == nil
	case "restore":
		opt := restoreOptions(&o)
		opt.Output, opt.Trace = t.Output, step
		_, err = restore.Run(context.Background(), t.Log, opt)
		a.Changed = err == nil
	}
	a.Refused, a.Nothing = errors.Is(err, writer.ErrRefused), errors.Is(err, restore.ErrNothing)
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// openers opens the archive as the program does: what killed runs left open is
// settled first.
type openers struct {
	dir  string
	arch *archive.Archive
}

func (o *openers) open(create bool) (*archive.Archive, error) {
	if o.arch != nil {
		return o.arch, nil
	}
	a, err := archive.Open(o.dir, create)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := a.SettlePending(context.Background(), writer.Peek); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	o.arch = a
	return a, nil
}

func (o *openers) close() error {
	if o.arch == nil {
		return nil
	}
	return o.arch.Close()
}

func (t *task) options(o *openers) compress.Options {
	opt := compress.Options{
		Formats: formats.All, Lifecycles: lifecycle.Options{KeepLast: 4}, MinSaving: 1,
		Archive: o.open, MinAge: 10 * time.Minute, Now: time.Now,
	}
	if t.All {
		opt.Layers, opt.Disk = lifecycle.Kinds, true
	}
	return opt
}

func restoreOptions(o *openers) restore.Options {
	return restore.Options{Formats: formats.All, Archive: o.open, MinAge: 10 * time.Minute, Now: time.Now}
}

// world is a log in an agent's folder, and an archive.
type world struct {
	t        testing.TB
	log, dir string
	all      bool // all layers are compressed
	original []byte
}

func newWorld(t testing.TB) *world { return newWorldOf(t, "openclaw/demo", false) }

// newWorldOf has a fixture as its log, of which all layers are compressed or
// the tasks alone.
func newWorldOf(t testing.TB, fixture string, all bool) *world {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../fixtures", filepath.FromSlash(fixture)+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	w := &world{t: t, log: filepath.Join(home, "agents", "main", "sessions", "demo.jsonl"), dir: filepath.Join(home, "archive"), original: content, all: all}
	if err := os.MkdirAll(filepath.Dir(w.log), 0o700); err != nil {
		t.Fatal(err)
	}
	w.put(content)
	return w
}

func (w *world) put(content []byte) {
	w.t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(w.log, content, 0o600), os.Chtimes(w.log, old, old)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read() []byte {
	w.t.Helper()
	b, err := os.ReadFile(w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) task(do string) task { return task{Do: do, Log: w.log, Archive: w.dir, All: w.all} }

// child starts a child with a task.
func (w *world) child(t task) (*exec.Cmd, *bytes.Buffer) {
	w.t.Helper()
	c, out := w.prepare(t)
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	return c, out
}

func (w *world) prepare(t task) (*exec.Cmd, *bytes.Buffer) {
	w.t.Helper()
	b, err := json.Marshal(t)
	if err != nil {
		w.t.Fatal(err)
	}
	var out bytes.Buffer
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), childTask+"="+string(b))
	c.Stdout, c.Stderr = &out, os.Stderr
	return c, &out
}

func (w *world) ends(c *exec.Cmd, out *bytes.Buffer) (a answer) {
	w.t.Helper()
	if err := c.Wait(); err != nil {
		w.t.Fatalf("child: %v\n%s", err, out)
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		w.t.Fatalf("child says %q: %v", out, err)
	}
	return a
}

func (w *world) run(t task) answer {
	w.t.Helper()
	return w.ends(w.child(t))
}

func (w *world) killed(t task) {
	w.t.Helper()
	c, out := w.child(t)
	err := c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Error() != "signal: killed" {
		w.t.Fatalf("the child was not killed at step %d: %v\n%s", t.Kill, err, out)
	}
}

// clean checks that neither the folder of the log nor the archive holds
// anything unfinished.
func (w *world) clean(also ...string) {
	w.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(w.log))
	if err != nil {
		w.t.Fatal(err)
	}
	known := map[string]bool{filepath.Base(w.log): true}
	for _, n := range also {
		known[n] = true
	}
	for _, e := range entries {
		if !known[e.Name()] {
			w.t.Errorf("left behind: %s", e.Name())
		}
	}
	parts, err := filepath.Glob(filepath.Join(w.dir, "packs", "*.part"))
	if err != nil || len(parts) > 0 {
		w.t.Errorf("left in the archive: %v, %v", parts, err)
	}
}

// generations returns what the archive holds, with nothing pending.
func (w *world) generations() []archive.Generation {
	w.t.Helper()
	a, err := archive.Open(w.dir, false)
	if err != nil {
		w.t.Fatal(err)
	}
	defer a.Close()
	all, err := a.Generations(context.Background(), archive.Query{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, g := range all {
		if g.State != archive.StateApplied {
			w.t.Errorf("generation %d is %s", g.ID, g.State)
		}
	}
	st, err := a.Status(context.Background())
	if err != nil || len(st.Unknown) > 0 {
		w.t.Errorf("packs that nobody knows: %v, %v", st.Unknown, err)
	}
	packs, err := filepath.Glob(filepath.Join(w.dir, "packs", "*"))
	if err != nil || len(packs) != len(all) {
		w.t.Errorf("%d packs for %d generations, %v", len(packs), len(all), err)
	}
	return all
}

// is checks that the log is one of two, whole, and names it.
func (w *world) is(old, new []byte) string {
	w.t.Helper()
	switch got := w.read(); {
	case bytes.Equal(got, old):
		return "old"
	case bytes.Equal(got, new):
		return "new"
	default:
		w.t.Fatalf("the log is neither the old one nor the new one: %d bytes", len(got))
	}
	return ""
}

// compressed is the log after a run that nothing disturbs, and the steps of it.
func compressed(t testing.TB, output string) (new []byte, steps []string) {
	t.Helper()
	return compressedIn(t, newWorld(t), output)
}

func compressedIn(t testing.TB, w *world, output string) (new []byte, steps []string) {
	t.Helper()
	job := w.task("compress")
	if output != "" {
		job.Output = filepath.Join(filepath.Dir(w.dir), output)
	}
	a := w.run(job)
	if a.Error != "" || !a.Changed {
		t.Fatalf("%+v", a)
	}
	if output == "" {
		return w.read(), a.Steps
	}
	b, err := os.ReadFile(job.Output)
	if err != nil {
		t.Fatal(err)
	}
	return b, a.Steps
}

// killSelf ends the process as an outage would.
func killSelf() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // until it happens
}
