package archive

import (
	"context"
	"crypto/sha256"
	"path/filepath"
	"testing"
)

func TestAnswers(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openArchive(t, dir)
	key := func(s string) [32]byte { return sha256.Sum256([]byte(s)) }
	if _, ok, err := a.Answer(ctx, key("a")); ok || err != nil {
		t.Fatal(ok, err)
	}
	s := randomSample(seeded(70), "one", 1, 5000, 5, 2)
	s.apply(t, a)
	for _, k := range []struct {
		name, session, ref string
		time               int64
	}{
		{"a", "one", "one-000", 5000}, {"b", "one", "one-001", 5000}, {"c", "two", "two-000", 5000}, {"d", "old", "old-000", 10},
	} {
		if err := a.KeepAnswer(ctx, key(k.name), k.session, k.ref, "nightingale-"+k.name, k.time); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.KeepAnswer(ctx, key("a"), "one", "one-000", "nightingale-A", 6000); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = openArchive(t, dir)
	if text, ok, err := a.Answer(ctx, key("a")); text != "nightingale-A" || !ok || err != nil {
		t.Fatal(text, ok, err)
	}
	if n, err := a.Answers(ctx, Selection{Session: "one"}); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	// What is forgotten leaves no word in the files.
	for _, tc := range []struct {
		sel   Selection
		gone  []string
		stays []string
	}{
		{Selection{Ref: "one-000"}, []string{"A"}, []string{"b", "c", "d"}},
		{Selection{Before: 1000}, []string{"d"}, []string{"b", "c"}},
		{Selection{Session: "two"}, []string{"c"}, []string{"b"}},
		{Selection{Session: "one"}, []string{"b"}, nil},
	} {
		if n, err := a.Answers(ctx, tc.sel); n != len(tc.gone) || err != nil {
			t.Errorf("%+v: %d answers before, %v", tc.sel, n, err)
		}
		got, err := a.Forget(ctx, tc.sel)
		if err != nil || got.Answers != int64(len(tc.gone)) {
			t.Fatalf("%+v: %+v, %v", tc.sel, got, err)
		}
		for _, name := range tc.gone {
			if n := found(t, dir, []string{"nightingale-" + name}); n != 0 {
				t.Errorf("%+v: answer %s is still in the files", tc.sel, name)
			}
		}
		for _, name := range tc.stays {
			if text, ok, err := a.Answer(ctx, key(name)); !ok || text != "nightingale-"+name || err != nil {
				t.Errorf("%+v: answer %s: %q, %v, %v", tc.sel, name, text, ok, err)
			}
		}
	}
}
