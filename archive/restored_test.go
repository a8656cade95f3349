package archive

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

// A note that a log was restored stands until the log is rewritten.
func TestRestoredLogs(t *testing.T) {
	ctx := context.Background()
	a, err := Open(filepath.Join(t.TempDir(), "archive"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s := randomSample(seeded(7), "one", 1, 5000, 6, 2)
	s.g.Path = "/logs/one.jsonl"
	s.apply(t, a)
	now := time.UnixMilli(5000)
	note := func(path string) {
		t.Helper()
		if err := a.NoteRestored(ctx, s.g.Session, s.g.Format, path, now); err != nil {
			t.Fatal(err)
		}
	}
	want := func(at string, paths ...string) {
		t.Helper()
		got, err := a.RestoredLogs(ctx, s.g.Session, s.g.Format, at)
		if err != nil || len(got) != len(paths) {
			t.Fatalf("%s: %+v, %v, want %q", at, got, err, paths)
		}
		for i := range got {
			if got[i].Path != paths[i] || got[i].Time != 5000 {
				t.Errorf("%s: %+v, want %q", at, got[i], paths[i])
			}
		}
	}
	want(s.g.Path)
	note(s.g.Path)
	note(s.g.Path)
	note("/logs/was-here.jsonl")
	want(s.g.Path, s.g.Path, "/logs/was-here.jsonl")
	want("/elsewhere/one.jsonl", s.g.Path, "/logs/was-here.jsonl")
	if got, err := a.RestoredLogs(ctx, "another", s.g.Format, s.g.Path); err != nil || len(got) != 0 {
		t.Errorf("another session: %+v, %v", got, err)
	}
	// A rewrite of the log ends all notes for it, the one under its old name too.
	s.apply(t, a)
	want(s.g.Path)
	want("/logs/was-here.jsonl", "/logs/was-here.jsonl")
	st, err := a.Status(ctx)
	if err != nil || len(st.Restored) != 1 || st.Restored[0].Path != "/logs/was-here.jsonl" {
		t.Errorf("status %+v, %v", st.Restored, err)
	}
	note(s.g.Path)
	want(s.g.Path, s.g.Path)
}
