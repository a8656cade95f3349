package archive

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

func TestKnown(t *testing.T) {
	ctx := context.Background()
	a, err := Open(filepath.Join(t.TempDir(), "archive"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	file := func(inode uint64, size int64) FileID {
		return FileID{Dev: 1<<64 - 2, Inode: inode, Size: size, Modified: 5, Changed: 6}
	}
	remember := func(key string, at time.Time, files ...FileID) {
		t.Helper()
		var all []Known
		for _, f := range files {
			all = append(all, Known{File: f, Tokens: 10 * f.Size})
		}
		if err := a.Remember(ctx, key, all, at); err != nil {
			t.Fatal(err)
		}
	}
	want := func(key string, files ...FileID) {
		t.Helper()
		got, err := a.Known(ctx, key)
		if err != nil || len(got) != len(files) {
			t.Fatalf("%d files are known under %s, want %d; %v", len(got), key, len(files), err)
		}
		for _, f := range files {
			if got[f] != 10*f.Size {
				t.Errorf("%+v has %d tokens", f, got[f])
			}
		}
	}
	want("k")
	remember("k", now, file(1, 100), file(2, 200), file(1<<63+1, 300))
	want("k", file(1, 100), file(2, 200), file(1<<63+1, 300))
	want("other")
	// A newer state takes the place of the older one under its key.
	remember("k", now, file(1, 101))
	remember("other", now, file(2, 200))
	want("k", file(1, 101), file(2, 200), file(1<<63+1, 300))
	want("other", file(2, 200))
	// What no run meets is forgotten in time.
	for _, day := range []int{6, 30, 59} {
		if err := a.Refresh(ctx, "k", []FileID{file(1, 101)}, now.AddDate(0, 0, day)); err != nil {
			t.Fatal(err)
		}
		want("k", file(1, 101), file(2, 200), file(1<<63+1, 300))
	}
	if err := a.Refresh(ctx, "k", []FileID{file(1, 101)}, now.AddDate(0, 0, 70)); err != nil {
		t.Fatal(err)
	}
	want("k", file(1, 101))
	want("other")
}
