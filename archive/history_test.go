package archive

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A restore is the past of the rewrites of that session before it, or of those
// that it has undone, and of no others.
func TestHistory(t *testing.T) {
	ctx := context.Background()
	a, err := Open(filepath.Join(t.TempDir(), "archive"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	one, other := randomSample(seeded(7), "one", 1, 5000, 6, 2), randomSample(seeded(8), "other", 1, 5000, 6, 3)
	one.g.Path, other.g.Path = "/logs/one.jsonl", "/logs/other.jsonl"
	one.apply(t, a)
	other.apply(t, a)
	if err := a.NoteRestored(ctx, one.g.Session, one.g.Format, one.g.Path, time.UnixMilli(1)); err != nil {
		t.Fatal(err)
	}
	one.apply(t, a)
	all, err := a.Generations(ctx, Query{})
	if err != nil || len(all) != 3 {
		t.Fatalf("%d rewrites, %v", len(all), err)
	}
	past, err := a.History(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{nil, nil, {one.g.Path}} { // newest first
		p := past[all[i].ID]
		if p == nil || !slices.Equal(p.Restored, want) {
			t.Errorf("rewrite %d: %+v, want it restored at %q", all[i].ID, p, want)
			continue
		}
		masks := one.g.Masks
		if all[i].Session == other.g.Session {
			masks = other.g.Masks
		}
		if len(p.Masks) != len(masks) || p.Masks[0].Key != masks[0].Key || p.Masks[0].State != masks[0].State {
			t.Errorf("rewrite %d: masks %+v, want %+v", all[i].ID, p.Masks, masks)
		}
	}
	// Back to the rewrite before: the newest alone is undone.
	if err := a.NoteRestored(ctx, other.g.Session, other.g.Format, "/logs/other.jsonl", time.UnixMilli(2), other.apply(t, a)); err != nil {
		t.Fatal(err)
	}
	if all, err = a.Generations(ctx, Query{Session: other.g.Session}); err != nil || len(all) != 2 {
		t.Fatalf("%d rewrites, %v", len(all), err)
	}
	if past, err = a.History(ctx); err != nil {
		t.Fatal(err)
	}
	if newest, first := past[all[0].ID].Restored, past[all[1].ID].Restored; len(newest) != 1 || len(first) != 0 {
		t.Errorf("the newest was restored at %q, the first at %q", newest, first)
	}
}

// Notes of releases that did not keep which rewrites a restore had undone count
// for all before it.
func TestHistoryOfSchema5(t *testing.T) {
	ctx := context.Background()
	a, err := Open(filepath.Join(t.TempDir(), "archive"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s := randomSample(seeded(7), "one", 1, 5000, 6, 2)
	before := s.apply(t, a)
	db, err := a.db(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"DROP TABLE undone", "PRAGMA user_version=5"} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO restored VALUES(?, ?, '/logs/one.jsonl', 1, ?)", s.g.Session, s.g.Format, before); err != nil {
		t.Fatal(err)
	}
	if err := a.migrateFrom(ctx, db, 5); err != nil {
		t.Fatal(err)
	}
	after := s.apply(t, a)
	past, err := a.History(ctx)
	if err != nil || !slices.Equal(past[before].Restored, []string{"/logs/one.jsonl"}) || past[after].Restored != nil {
		t.Errorf("%+v, %+v, %v", past[before], past[after], err)
	}
}
