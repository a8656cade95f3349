package archive

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary runs again as a child that is killed at a named step.
const (
	childDir  = "SESSC_TEST_ARCHIVE"
	childStep = "SESSC_TEST_STEP"
	childRole = "SESSC_TEST_ROLE"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	step := os.Getenv(childStep)
	atStep = func(name string) {
		if name == step {
			killSelf()
		}
	}
	if err := child(dir, os.Getenv(childRole)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childReading is set on systems that can mount for a test.
var childReading func(dir, name string) error

func childSample(name string) *sample { return randomSample(seeded(40), name, 1, 1<<20, 12, 3) }

func child(dir, role string) error {
	ctx := context.Background()
	kind, name, _ := strings.Cut(role, " ")
	if kind == "reading" {
		return childReading(dir, name)
	}
	a, err := Open(dir, true)
	if err != nil {
		return err
	}
	defer a.Close()
	s := childSample(name)
	switch kind {
	case "put", "drop":
		p, err := a.Put(ctx, &s.g, s.source())
		if err != nil {
			return err
		}
		return p.Settle(ctx, kind == "put")
	case "forget":
		_, err := a.Forget(ctx, Selection{Session: name})
		return err
	case "forget-ref":
		_, err := a.Forget(ctx, Selection{Ref: s.g.Masks[0].Ref})
		return err
	case "many":
		for i := range 8 {
			s := randomSample(seeded(uint64(50+i)), fmt.Sprintf("%s-%d", name, i), 1, 200_000, 12, 3)
			p, err := a.Put(ctx, &s.g, s.source())
			if err != nil {
				return err
			}
			if err := p.Settle(ctx, i%2 == 0); err != nil {
				return err
			}
			if _, err := a.SettlePending(ctx, peekMap(nil)); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("unknown role %q", role)
}

func start(t *testing.T, dir, role, step string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), childDir+"="+dir, childRole+"="+role, childStep+"="+step)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func killed(t *testing.T, dir, role, step string) {
	t.Helper()
	err := start(t, dir, role, step).Wait()
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.Error() != "signal: killed" {
		t.Fatalf("the child was not killed at %q: %v", step, err)
	}
}

func TestKilledDuringPut(t *testing.T) {
	tests := []struct {
		role, step string
		registered bool // the generation is there
	}{
		{"put s", "layout created", false},
		{"put s", "layout written", false},
		{"put s", "database created", false},
		{"put s", "database migrated", false},
		{"put s", "part created", false},
		{"put s", "reserved", false},
		{"put s", "frame written", false},
		{"put s", "pack written", false},
		{"put s", "pack synced", false},
		{"put s", "pack renamed", false},
		{"put s", "pack verified", false},
		{"put s", "rows inserted", false},
		{"put s", "pending", true},
		{"put s", "settling", true},
		{"put s", "settled", true},
		{"drop s", "settled", false},
		{"drop s", "packs removed", false},
	}
	for _, tt := range tests {
		for _, replaced := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s at %s, log replaced %v", tt.role, tt.step, replaced), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "archive")
				var kept *sample
				if !strings.HasPrefix(tt.step, "layout") && !strings.HasPrefix(tt.step, "database") {
					kept = randomSample(seeded(41), "kept", 1, 5000, 6, 2)
					kept.apply(t, openArchive(t, dir))
				}
				killed(t, dir, tt.role, tt.step)
				s := childSample("s")
				a := openArchive(t, dir)
				got, err := a.SettlePending(context.Background(), peekMap(s.onDisk(replaced)))
				if err != nil {
					t.Fatal(err)
				}
				gs, err := a.Generations(context.Background(), Query{Session: "s"})
				if err != nil {
					t.Fatal(err)
				}
				want := 0
				if kept != nil {
					want++
					kept.restores(t, a, 1)
				}
				// A settled generation stays whatever the log looks like.
				if tt.registered && (replaced || tt.step == "settled") {
					want++
					if len(gs) != 1 || gs[0].State != StateApplied {
						t.Fatalf("generations %+v, settled %+v", gs, got)
					}
					s.restores(t, a, gs[0].ID)
				} else if len(gs) != 0 {
					t.Errorf("generations %+v", gs)
				}
				if f := packFiles(t, dir); len(f) != want {
					t.Errorf("packs %v, want %d", f, want)
				}
				if n := rowCounts(t, a); n["packs"] != want || n["generations"] != want {
					t.Errorf("rows %v, want %d packs", n, want)
				}
				again := childSample("s")
				again.restores(t, a, again.apply(t, a))
			})
		}
	}
}

func TestKilledDuringForget(t *testing.T) {
	for _, role := range []string{"forget s", "forget-ref s"} {
		for _, step := range []string{"forgotten", "packs removed", "scrubbing"} {
			t.Run(role+" at "+step, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "archive")
				a := openArchive(t, dir)
				kept := randomSample(seeded(42), "kept", 1, 5000, 6, 2)
				id := kept.apply(t, a)
				s := childSample("s")
				s.apply(t, a)
				killed(t, dir, role, step)
				if _, err := a.SettlePending(context.Background(), peekMap(nil)); err != nil {
					t.Fatal(err)
				}
				kept.restores(t, a, id)
				want := 1
				if role != "forget s" {
					want = 2
				}
				if f := packFiles(t, dir); len(f) != want {
					t.Errorf("packs %v, want %d", f, want)
				}
				if _, err := a.Expand(context.Background(), s.g.Masks[0].Ref); err == nil {
					t.Error("a forgotten mask expands")
				}
			})
		}
	}
}

// Several processes put, settle and sweep in one archive at once, from its
// creation on.
func TestProcessesShareAnArchive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	begun := time.Now()
	var all []*exec.Cmd
	for _, name := range []string{"x", "y", "z"} {
		all = append(all, start(t, dir, "many "+name, ""))
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Errorf("child: %v", err)
		}
	}
	t.Logf("three processes, 24 generations: %v", time.Since(begun))
	a := openArchive(t, dir)
	if f := packFiles(t, dir); len(f) != 12 {
		t.Errorf("%d packs, want 12: %v", len(f), f)
	}
	for _, name := range []string{"x", "y", "z"} {
		for i := range 8 {
			s := randomSample(seeded(uint64(50+i)), fmt.Sprintf("%s-%d", name, i), 1, 200_000, 12, 3)
			gs, err := a.Generations(context.Background(), Query{Session: s.g.Session})
			if err != nil || len(gs) != 1-i%2 {
				t.Fatalf("session %s: %+v, %v", s.g.Session, gs, err)
			}
			if i%2 == 0 {
				s.restores(t, a, gs[0].ID)
			}
		}
	}
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
