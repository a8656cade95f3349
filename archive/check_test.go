package archive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What is stored is read back, newest first and within a time; one damaged pack
// is named and does not hide the others.
func TestCheck(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	first := planted("first").apply(t, a)
	planted("second").apply(t, a)
	if err := a.KeepLate(ctx, first, 7, []byte("a late line\n")); err != nil {
		t.Fatal(err)
	}
	always := func() bool { return true }
	whole, err := a.Check(ctx, always)
	if err != nil || whole.Read != 2 || whole.All != 2 || whole.Damaged != 0 || whole.Bytes == 0 {
		t.Fatalf("%+v, %v", whole, err)
	}
	if c, err := a.Check(ctx, func() bool { return false }); err != nil || c.Read != 1 || c.All != 2 {
		t.Errorf("without time: %+v, %v", c, err)
	}
	// The packs in their order: of the first, of the second, of the late line.
	for n, name := range packFiles(t, a.dir) {
		path := filepath.Join(a.dir, packsName, name)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := append([]byte{}, was...)
		copy(bad[12:], "XXXX")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := a.Check(ctx, always)
		if err != nil || c.Read != 2 || c.Damaged != 1 || !errors.Is(c.First, ErrDamaged) {
			t.Errorf("pack %d: %+v, %v", n, c, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if c, err := a.Check(ctx, always); err != nil || c.Damaged != 1 {
			t.Errorf("without pack %d: %+v, %v", n, c, err)
		}
		if err := os.WriteFile(path, was, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
