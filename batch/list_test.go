package batch

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/session/formats"
)

// The list counts a context as a dry run does.
func TestListCountsLikeADryRun(t *testing.T) {
	logs, err := filepath.Abs("../fixtures/openclaw")
	if err != nil {
		t.Fatal(err)
	}
	o := compress.Options{Formats: formats.All, Now: time.Now}
	f := Finder{Formats: formats.All}
	seen := 0
	err = List(context.Background(), f.Find([]string{logs}, false), 2, o, func(at Target, got *Found, err error) error {
		dry := o
		dry.DryRun = true
		r, dryErr := compress.Run(context.Background(), at.Real, dry)
		switch {
		case (err == nil) != (dryErr == nil):
			t.Errorf("%s: %v, a dry run says %v", at.Shown, err, dryErr)
		case err == nil:
			seen++
			if got.Tokens != r.Context.Before || got.Size != r.File.Before || got.ID != r.Session || got.Agent != r.Agent || got.Counting != r.Counting {
				t.Errorf("%s: %+v, a dry run says %+v", at.Shown, got, r.Context)
			}
		}
		return nil
	})
	if err != nil || seen < 20 {
		t.Errorf("%d logs seen, %v", seen, err)
	}
}

// A signal ends a list behind the log that is looked at, which has not failed.
func TestListIsCancelled(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl", "logs/b.jsonl", "logs/c.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.options.Archive = func(bool) (*archive.Archive, error) {
		cancel()
		return w.archive, nil
	}
	f := Finder{Formats: formats.All}
	seen := 0
	err := List(ctx, f.Find([]string{"logs"}, false), 1, w.options, func(_ Target, _ *Found, err error) error {
		seen++
		return err
	})
	if err != nil || seen != 1 {
		t.Errorf("%d logs seen, %v", seen, err)
	}
}

func TestStates(t *testing.T) {
	w := newWorld(t, "logs/cold.jsonl", "logs/locked.jsonl", "logs/young.jsonl", "logs/open.jsonl", "logs/linked.jsonl")
	now := time.Now()
	if err := os.Chtimes("logs/young.jsonl", now, now); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("logs/linked.jsonl", "linked.jsonl"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("logs/locked.jsonl.lock", []byte(`{"pid":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	want := map[string]State{"cold": Cold, "locked": Live, "young": Young, "open": Cold, "linked": Blocked}
	f := Finder{Formats: formats.All}
	err := List(context.Background(), f.Find([]string{"logs"}, false), 1, w.options, func(at Target, got *Found, err error) error {
		if err != nil {
			return err
		}
		name := filepath.Base(at.Shown)
		name = name[:len(name)-len(".jsonl")]
		if got.State != want[name] || (got.Why == "") != (got.State == Cold) {
			t.Errorf("%s is %s (%s), want %s", name, got.State, got.Why, want[name])
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
