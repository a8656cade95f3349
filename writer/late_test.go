package writer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// appendTo writes to a file as an agent does that opens it for each line.
func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// Another program changes the log at some moment of the run. Up to the last
// look it is noticed and nothing happens; in the moment between look and
// rename, and after it through a handle that was open before, nothing of it
// gets lost.
func TestLateWriter(t *testing.T) {
	line := turn("00000007", "00000006", "one more thing")
	torn := line[:len(line)/2]
	orphan := turn("00000009", "00000008", "whose parent is nowhere")
	type world struct {
		path string
		old  *os.File // open for writing since before the rename
	}
	actions := map[string]func(t *testing.T, w world){
		"appends": func(t *testing.T, w world) { write(t, w.old, line) },
		"appends two lines": func(t *testing.T, w world) {
			write(t, w.old, line)
			write(t, w.old, reply("00000008", "00000007", "what?"))
		},
		"appends by path":   func(t *testing.T, w world) { appendTo(t, w.path, line) },
		"appends torn":      func(t *testing.T, w world) { write(t, w.old, torn) },
		"appends an orphan": func(t *testing.T, w world) { write(t, w.old, orphan) },
		"appends both ways": func(t *testing.T, w world) { appendTo(t, w.path, line); write(t, w.old, line) },
		"rewrites": func(t *testing.T, w world) {
			if _, err := w.old.WriteAt(bytes.ToUpper([]byte(long[:9])), int64(bytes.Index(original(), []byte(long)))); err != nil {
				t.Fatal(err)
			}
		},
		"truncates": func(t *testing.T, w world) {
			if err := w.old.Truncate(300); err != nil {
				t.Fatal(err)
			}
		},
		"touches": func(t *testing.T, w world) {
			if _, err := w.old.WriteAt(original()[:1], 0); err != nil {
				t.Fatal(err)
			}
		},
		"replaces": func(t *testing.T, w world) {
			put(t, w.path+".new", []byte(strings.ReplaceAll(string(original()), "hello", "hallo")))
			if err := os.Rename(w.path+".new", w.path); err != nil {
				t.Fatal(err)
			}
		},
		"removes": func(t *testing.T, w world) {
			if err := os.Remove(w.path); err != nil {
				t.Fatal(err)
			}
		},
	}
	upper := bytes.Replace(original(), []byte(long[:9]), bytes.ToUpper([]byte(long[:9])), 1)
	two := line + reply("00000008", "00000007", "what?")
	isNew := func(more string) []byte { return append(shorter(original()), more...) }
	isOld := func(more string) []byte { return append(original(), more...) }
	const refused, carried, saved = "refused", "carried over", "saved"
	tests := []struct {
		action string
		steps  []string
		want   string
		log    []byte // what the log holds afterwards; nil: it is gone
		kept   string // what is saved of the writer's bytes
	}{
		{"appends", []string{"create temp", "sync temp", "lock", "look again"}, refused, isOld(line), ""},
		{"appends by path", []string{"write temp", "look again"}, refused, isOld(line), ""},
		{"appends torn", []string{"write temp", "look again"}, refused, isOld(torn), ""},
		{"rewrites", []string{"sync temp", "look again"}, refused, upper, ""},
		{"truncates", []string{"lock", "look again"}, refused, original()[:300], ""},
		{"touches", []string{"look again"}, refused, original(), ""},
		{"replaces", []string{"create temp", "lock", "look again"}, refused, []byte(strings.ReplaceAll(string(original()), "hello", "hallo")), ""},
		{"removes", []string{"create temp", "lock", "look again"}, refused, nil, ""},

		{"appends", []string{"rename", "sync folder", "look for late lines"}, carried, isNew(line), ""},
		{"appends two lines", []string{"rename", "sync folder"}, carried, isNew(two), ""},
		{"appends by path", []string{"rename", "sync folder", "look for late lines", "settle"}, carried, isNew(line), ""},
		{"touches", []string{"rename", "sync folder"}, carried, isNew(""), ""},
		{"appends torn", []string{"rename", "sync folder", "look for late lines"}, saved, isNew(""), torn},
		{"appends an orphan", []string{"rename", "look for late lines"}, saved, isNew(""), orphan},
		{"appends both ways", []string{"sync folder", "look for late lines"}, saved, isNew(line), line},
		{"rewrites", []string{"rename", "sync folder"}, saved, isNew(""), string(upper)},
		{"truncates", []string{"rename", "look for late lines"}, saved, isNew(""), string(original()[:300])},
	}
	for _, tt := range tests {
		for _, step := range tt.steps {
			for _, shown := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s at %s, shown %v", tt.action, step, shown), func(t *testing.T) {
					path := newLog(t, original())
					// A handle from before the run is refused where the system
					// shows it: there it is opened as late as can be.
					var old *os.File
					openOld := func() {
						var err error
						if old, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
							t.Fatal(err)
						}
						if _, err := old.Seek(0, 2); err != nil {
							t.Fatal(err)
						}
					}
					if !shown {
						hideWriters(t)
						openOld()
					}
					r := newRun()
					r.target.Trace = func(at string) {
						if old == nil && (at == step || at == "rename") {
							openOld()
						}
						if at == step {
							actions[tt.action](t, world{path, old})
						}
						if at == step || at == "look for late lines" {
							old.Close()
						}
					}
					// What was written just now is young: only the fingerprint is
					// of interest here.
					r.minAge = 0
					err := r.do(context.Background(), open(t, path))
					switch tt.want {
					case refused:
						if !errors.Is(err, ErrRefused) || r.outcome() != "[false]" {
							t.Errorf("error %v, settled %s", err, r.outcome())
						}
					case carried:
						if err != nil || r.outcome() != "[true]" {
							t.Errorf("error %v, settled %s", err, r.outcome())
						}
					case saved:
						if !errors.Is(err, ErrLate) || r.outcome() != "[true]" {
							t.Errorf("error %v, settled %s", err, r.outcome())
						}
					}
					if string(r.kept) != tt.kept {
						t.Errorf("saved %q, want %q", r.kept, tt.kept)
					}
					if tt.log == nil {
						if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
							t.Errorf("the log that was removed is back: %v", err)
						}
						return
					}
					holds(t, path, tt.log)
					alone(t, path)
				})
			}
		}
	}
}

// hideWriters makes the system one that does not show who has a file open.
func hideWriters(t *testing.T) {
	disk.lease = func(*os.File) (free, known bool) { return false, false }
	t.Cleanup(func() { disk = realDisk })
}

func write(t testing.TB, f *os.File, text string) {
	t.Helper()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// lateRun appends a line right after the rename.
func lateRun(t *testing.T, content []byte) (path, line string, r *run) {
	path, line = newLog(t, content), turn("00000007", "00000006", "one more thing")
	var old *os.File
	r = newRun()
	r.target.Trace = func(at string) {
		switch at {
		case "rename":
			var err error
			if old, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
				t.Fatal(err)
			}
		case "sync folder":
			write(t, old, line)
			old.Close()
		}
	}
	return path, line, r
}

// There is no room for a late line: it is saved, and no half of it stays.
func TestLateLineDoesNotFit(t *testing.T) {
	for _, errno := range errnos {
		t.Run(errno.Error(), func(t *testing.T) {
			path, line, r := lateRun(t, original())
			fails(t, "append", 1, errno)
			if err := r.do(context.Background(), open(t, path)); !errors.Is(err, ErrLate) || string(r.kept) != line {
				t.Errorf("error %v, saved %q", err, r.kept)
			}
			holds(t, path, shorter(original()))
			alone(t, path)
		})
	}
}

// A late line behind a torn one is no line of its own.
func TestLateLineBehindATornOne(t *testing.T) {
	content := append(original(), `{"type":"mess`...)
	path, line, r := lateRun(t, content)
	if err := r.do(context.Background(), open(t, path)); !errors.Is(err, ErrLate) || string(r.kept) != line {
		t.Errorf("error %v, saved %q", err, r.kept)
	}
	holds(t, path, shorter(content))
}

func TestLateLineCannotBeSaved(t *testing.T) {
	path, line, r := lateRun(t, original())
	fails(t, "append", 1, syscall.EIO)
	boom := errors.New("archive is full")
	r.keep = func([]byte) error { return boom }
	err := r.do(context.Background(), open(t, path))
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), fmt.Sprintf("%d late bytes", len(line))) || r.outcome() != "[true]" {
		t.Errorf("error %v, settled %s", err, r.outcome())
	}
	holds(t, path, shorter(original()))
}

// Two runs that staged the same log commit at once: one of them does.
func TestTwoCommits(t *testing.T) {
	for range 20 {
		path := newLog(t, original())
		var both [2]*Staged
		for i := range both {
			s := open(t, path)
			plan, err := planFor(s)
			if err != nil {
				t.Fatal(err)
			}
			if both[i], err = staged(context.Background(), s, plan, Target{}); err != nil {
				t.Fatal(err)
			}
		}
		var errs [2]error
		var runs [2]*run
		var wg sync.WaitGroup
		begin := make(chan struct{})
		for i := range both {
			runs[i] = newRun()
			wg.Go(func() {
				<-begin
				errs[i] = both[i].Commit(context.Background(), runs[i].terms())
			})
		}
		close(begin)
		wg.Wait()
		done := 0
		for i, err := range errs {
			switch {
			case err == nil && runs[i].outcome() == "[true]":
				done++
			case errors.Is(err, ErrRefused) && runs[i].outcome() == "[false]":
			default:
				t.Errorf("commit %d: error %v, settled %s", i, err, runs[i].outcome())
			}
		}
		if done != 1 {
			t.Errorf("%d of two commits went through", done)
		}
		holds(t, path, shorter(original()))
		alone(t, path)
	}
}
