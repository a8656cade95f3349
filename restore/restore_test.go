package restore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sessc/archive"
	"sessc/restore"
	"sessc/scripts/gen/genlog"
	"sessc/session"
	"sessc/session/formats"
	"sessc/writer"
)

func TestFixturesComeBack(t *testing.T) {
	paths, err := filepath.Glob("../fixtures/openclaw/*.jsonl")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	changed := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			content := fixture(t, name)
			log := b.log(name+".jsonl", content)
			s, err := session.Open(log, formats.All, session.Settings{})
			if err != nil {
				if _, err := restore.Run(context.Background(), log, b.options()); err == nil {
					t.Error("a file that cannot be read was restored")
				}
				b.same(log, content)
				return
			}
			s.Close()
			if !b.compress(log) {
				if _, err := restore.Run(context.Background(), log, b.options()); !errors.Is(err, restore.ErrNothing) {
					t.Errorf("error %v, want nothing to restore", err)
				}
				b.same(log, content)
				return
			}
			changed++
			if bytes.Equal(read(t, log), content) {
				t.Fatal("nothing was compacted")
			}
			fi, err := os.Stat(log)
			if err != nil {
				t.Fatal(err)
			}
			r := b.restore(log)
			b.same(log, content)
			if r.Case != restore.Exact || !r.Identical || len(r.Generations) != 1 || len(r.Masks)+len(r.Foreign) > 0 || r.After != int64(len(content)) {
				t.Errorf("report %+v", r)
			}
			if after, err := os.Stat(log); err != nil || !after.ModTime().Equal(fi.ModTime()) || after.Mode() != fi.Mode() {
				t.Errorf("time or mode changed: %v", err)
			}
			if _, err := restore.Run(context.Background(), log, b.options()); !errors.Is(err, restore.ErrNothing) {
				t.Errorf("second restore: error %v, want nothing to restore", err)
			}
		})
	}
	if changed < 15 {
		t.Errorf("only %d fixtures were compacted at all", changed)
	}
}

// generated plays a random session.
func generated(t testing.TB, seed int64) []byte {
	t.Helper()
	out, err := genlog.Play(genlog.Random(seed, false), "openclaw", seed)
	if err != nil {
		t.Fatal(err)
	}
	return out.Log
}

// A random log that grows in steps of whole lines and is compressed after
// each step comes back as if nothing had happened. A mutated one too.
func TestGrowingLogsComeBack(t *testing.T) {
	depths := map[int]int{}
	repointed := 0
	for seed := range int64(36) {
		b := newBench(t)
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		content := generated(t, seed+1000)
		if seed%3 == 2 {
			content, _ = genlog.Mutate(seed, content)
		}
		all := lines(content)
		cuts := []int{len(all)}
		for range 1 + r.IntN(4) {
			cuts = append(cuts, 1+r.IntN(len(all)))
		}
		slices.Sort(cuts)
		path := b.log("s.jsonl", nil)
		done, depth := 0, 0
		for _, cut := range cuts {
			b.append(path, join(all[done:cut]))
			done = cut
			s, err := session.Open(path, formats.All, session.Settings{})
			if err != nil {
				continue // a mutation made it unreadable
			}
			s.Close()
			if b.compress(path) {
				depth++
			}
		}
		depths[depth]++
		if depth == 0 {
			continue
		}
		rep := b.restore(path)
		if len(rep.Generations) != depth {
			t.Errorf("seed %d: %d rewrites undone of %d", seed, len(rep.Generations), depth)
		}
		if len(rep.Repointed) > 0 {
			repointed++
			if rep.Identical {
				t.Errorf("seed %d: identical, though %v", seed, rep.Repointed)
			}
			continue
		}
		b.same(path, content)
		if t.Failed() {
			t.Fatalf("seed %d, cuts %v, depth %d: %+v", seed, cuts, depth, rep)
		}
	}
	t.Logf("rewrites per log: %v; with a corrected pointer: %d", depths, repointed)
	if depths[2]+depths[3]+depths[4] < 5 || depths[3]+depths[4] == 0 {
		t.Errorf("too few logs of several rewrites: %v", depths)
	}
	if repointed > 4 {
		t.Errorf("%d logs with corrected pointers: the rest says too little", repointed)
	}
}

// three returns a log of three rewrites, and what it was before each of them.
func three(t testing.TB, b *bench) (path string, was [3][]byte) {
	t.Helper()
	content := lines(fixture(t, "states"))
	path = b.log("s.jsonl", nil)
	done, depth := 0, 0
	for cut := 6; cut <= len(content) && depth < 3; cut++ {
		b.append(path, join(content[done:cut]))
		done = cut
		if cut < len(content)*(depth+1)/4 {
			continue
		}
		before := read(t, path)
		if b.compress(path) {
			was[depth] = before
			depth++
		}
	}
	if depth != 3 {
		t.Fatalf("%d rewrites, want 3", depth)
	}
	b.append(path, join(content[done:]))
	b.append(path, appended(t, path))
	return path, was
}

func TestGenerations(t *testing.T) {
	for n := range 5 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b := newBench(t)
			path, was := three(t, b)
			masked := read(t, path)
			o := b.options()
			o.Generation = n
			r, err := restore.Run(context.Background(), path, o)
			if n > 3 {
				if err == nil || !strings.Contains(err.Error(), "name one of 1 to 3") {
					t.Errorf("error %v", err)
				}
				b.same(path, masked)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			step := max(n, 1)
			got := read(t, path)
			if !bytes.HasPrefix(got, was[step-1]) {
				t.Errorf("the log does not begin with what it was before rewrite %d", step)
			}
			if !bytes.HasSuffix(got, lines(masked)[len(lines(masked))-1]) {
				t.Error("what was appended last is gone")
			}
			if len(r.Generations) != 4-step || !r.Identical || (len(r.Masks) > 0) != (step > 1) {
				t.Errorf("report %+v", r)
			}
			if step > 1 {
				r := b.restore(path)
				if len(r.Generations) != step-1 || !bytes.HasPrefix(read(t, path), was[0]) {
					t.Errorf("the rest of the way: %+v", r)
				}
			}
		})
	}
}

func TestMovedAndCopiedLogs(t *testing.T) {
	b := newBench(t)
	content := fixture(t, "demo")
	path := b.log("s.jsonl", content)
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masked := read(t, path)
	tail := appended(t, path)
	t.Run("copied and grown", func(t *testing.T) {
		b.write(filepath.Join(b.dir, "elsewhere", "copy.jsonl"), append(bytes.Clone(masked), tail...))
		r := b.restore(filepath.Join(b.dir, "elsewhere", "copy.jsonl"))
		b.same(filepath.Join(b.dir, "elsewhere", "copy.jsonl"), append(bytes.Clone(content), tail...))
		if !r.Identical {
			t.Errorf("report %+v", r)
		}
	})
	t.Run("output", func(t *testing.T) {
		o := b.options()
		o.Output = filepath.Join(b.dir, "back.jsonl")
		r, err := restore.Run(context.Background(), path, o)
		if err != nil || r.Output != o.Output {
			t.Fatalf("%+v, %v", r, err)
		}
		b.same(o.Output, content)
		b.same(path, masked)
		if _, err := restore.Run(context.Background(), path, o); err == nil || !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("an output that is there was replaced: %v", err)
		}
	})
	t.Run("young", func(t *testing.T) {
		if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := restore.Run(context.Background(), path, b.options()); !errors.Is(err, writer.ErrRefused) {
			t.Errorf("error %v, want a refusal", err)
		}
		b.same(path, masked)
		b.write(path, masked)
	})
	t.Run("moved", func(t *testing.T) {
		to := filepath.Join(b.dir, "moved", "other-name.jsonl")
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, to); err != nil {
			t.Fatal(err)
		}
		b.restore(to)
		b.same(to, content)
	})
}

// A copy that went on by itself has an id of its own in its header, and holds
// the line of its ancestors up to where it was forked only.
func TestForkedLog(t *testing.T) {
	b := newBench(t)
	content := lines(fixture(t, "demo"))
	path := b.log("s.jsonl", join(content))
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masked := lines(read(t, path))
	last := 0 // of the masks
	first := 0
	s := index(t, path)
	for i := range s.Entries {
		if _, ok := s.Mark(int32(i)); ok {
			if first == 0 {
				first = i
			}
			last = i
		}
	}
	header := []byte(`{"type":"session","version":3,"id":"f0f0f0f0-0000-4000-8000-000000000001","timestamp":"2026-05-01T09:00:00.000Z","cwd":"/elsewhere","parentSession":"s.jsonl"}` + "\n")
	tests := map[string]struct {
		upTo int
		all  bool
	}{
		"with all masks":     {last + 2, true},
		"before the last":    {last - 1, false},
		"right behind first": {first + 2, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fork := b.log("fork.jsonl", join(append([][]byte{header}, masked[1:tt.upTo]...)))
			r := b.restore(fork)
			if r.Case != restore.Realigned || r.Identical || len(r.Masks) > 0 {
				t.Errorf("report %+v", r)
			}
			got := lines(read(t, fork))
			if !bytes.Equal(got[0], header) {
				t.Error("the fork's own header is gone")
			}
			for n, l := range got[1:] {
				if !bytes.Equal(l, content[n+1]) {
					t.Fatalf("line %d is not that of the original", n+2)
				}
			}
			if tt.all && len(got) < len(content)-len(masked)+tt.upTo {
				t.Errorf("%d lines came back", len(got))
			}
		})
	}
}

func TestNothingToRestore(t *testing.T) {
	b := newBench(t)
	content := fixture(t, "demo")
	path := b.log("s.jsonl", content)
	_, err := restore.Run(context.Background(), path, b.options())
	if !errors.Is(err, restore.ErrNothing) || !strings.Contains(err.Error(), "does not know this session") {
		t.Errorf("error %v", err)
	}
	o := b.options()
	o.Archive = func(bool) (*archive.Archive, error) { return nil, nil }
	if _, err = restore.Run(context.Background(), path, o); !errors.Is(err, restore.ErrNothing) {
		t.Errorf("without an archive: %v", err)
	}
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masked := read(t, path)
	for _, o := range []restore.Options{o, newBench(t).options()} {
		if _, err = restore.Run(context.Background(), path, o); !errors.Is(err, archive.ErrNotFound) || errors.Is(err, restore.ErrNothing) || !strings.Contains(err.Error(), "--archive") {
			t.Errorf("with another archive, or none: %v", err)
		}
	}
	b.same(path, masked)
	for _, ref := range refsIn(t, path) {
		if _, err := b.arch.Forget(context.Background(), archive.Selection{Ref: ref}); err != nil && !errors.Is(err, archive.ErrNotFound) {
			t.Fatal(err)
		}
	}
	if _, err = restore.Run(context.Background(), path, b.options()); !errors.Is(err, archive.ErrForgotten) {
		t.Errorf("after forget: %v", err)
	}
	b.same(path, masked)
	b.clean()
}

// Both programs read logs whose header has an empty id. Two of them are two
// sessions.
func TestSessionWithoutID(t *testing.T) {
	b := newBench(t)
	var paths []string
	var was [][]byte
	for _, name := range []string{"demo", "states"} {
		l := lines(fixture(t, name))
		l[0] = regexp.MustCompile(`"id":"[^"]*"`).ReplaceAll(l[0], []byte(`"id":""`))
		was = append(was, join(l))
		paths = append(paths, b.log(name+".jsonl", was[len(was)-1]))
		if !b.compress(paths[len(paths)-1]) {
			t.Fatal("not compacted")
		}
	}
	st, err := b.arch.Status(context.Background())
	if err != nil || len(st.Sessions) != 2 {
		t.Errorf("%+v, %v", st, err)
	}
	for n, path := range paths {
		if n == 1 { // another program changed a line: found by its masks
			l := lines(read(t, path))
			l[0] = rewritten(t, l[0])
			b.write(path, join(l))
		}
		if r := b.restore(path); len(r.Generations) != 1 || r.Session == "" {
			t.Errorf("report %+v", r)
		}
		if n == 0 {
			b.same(path, was[n])
		}
		if _, err := restore.Run(context.Background(), path, b.options()); !errors.Is(err, restore.ErrNothing) {
			t.Errorf("again: %v", err)
		}
	}
}
