package archive

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A restore is the past of the rewrites of that session before it, and of no others.
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
}
