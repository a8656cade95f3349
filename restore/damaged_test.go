package restore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sessc/archive"
	"sessc/restore"
)

// One wrong bit in a pack stops the restore of the log, and the error says
// what can be read all the same: it can.
func TestDamagedPack(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	log := b.log("s.jsonl", fixture(t, "wave-six"))
	if !b.compress(log) {
		t.Fatal("nothing to damage")
	}
	packs, err := filepath.Glob(filepath.Join(b.dir, "archive", "packs", "*.zst"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	was, pack := read(t, log), read(t, packs[0])
	sound := append([]byte(nil), pack...)
	pack[len(pack)/3] ^= 1
	if err := os.WriteFile(packs[0], pack, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = restore.Run(ctx, log, b.options())
	if !errors.Is(err, archive.ErrDamaged) || !strings.Contains(err.Error(), "packs/00000001.zst") ||
		!strings.Contains(err.Error(), "backup") || !strings.Contains(err.Error(), "sessc expand REF") {
		t.Errorf("error %v", err)
	}
	b.same(log, was)
	b.clean()
	if err := os.WriteFile(packs[0], sound, 0o600); err != nil {
		t.Fatal(err)
	}
	b.restore(log)
	b.same(log, fixture(t, "wave-six"))
}

// Late lines that the archive cannot take, as one that can only be read, are
// kept beside the log.
func TestLateLinesWithoutRoom(t *testing.T) {
	b := newBench(t)
	log := b.log("s.jsonl", fixture(t, "wave-six"))
	if !b.compress(log) {
		t.Fatal("nothing to restore")
	}
	const late = `{"half a line`
	o := b.options()
	o.Trace = func(step string) {
		if step != "rename" {
			return
		}
		f, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString(late)
		if err := errors.Join(err, f.Close(), os.RemoveAll(filepath.Join(b.dir, "archive", "packs"))); err != nil {
			t.Fatal(err)
		}
	}
	_, err := restore.Run(context.Background(), log, o)
	if err == nil || !strings.Contains(err.Error(), "they stand in "+log+".sessc-late instead") {
		t.Errorf("error %v", err)
	}
	if got := string(read(t, log+".sessc-late")); got != late {
		t.Errorf("kept %q, want %q", got, late)
	}
	b.same(log, fixture(t, "wave-six"))
}
