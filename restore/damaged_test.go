package restore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sessc/archive"
	"sessc/restore"
	"sessc/writer"
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

// The original is put together in the file that becomes the log, and proven by
// the hash of what that file holds once it is durable, whoever is to blame when
// it is not the original: the log, which changed meanwhile, or the disk.
func TestWrongDraft(t *testing.T) {
	flip := func(path string) error {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		c := make([]byte, 1)
		if _, err := f.ReadAt(c, 300); err != nil {
			return err
		}
		c[0] ^= 1
		_, err = f.WriteAt(c, 300)
		return err
	}
	for _, appends := range []bool{false, true} {
		for step, want := range map[string]error{"": nil, "write temp": archive.ErrChanged, "sync temp": writer.ErrWorse} {
			t.Run(fmt.Sprint(step, " ", appends), func(t *testing.T) {
				b := newBench(t)
				original := fixture(t, "wave-six")
				log := b.log("s.jsonl", original)
				if !b.compress(log) {
					t.Fatal("nothing to restore")
				}
				if appends {
					more := appended(t, log)
					b.append(log, more)
					original = append(original, more...)
				}
				masked, temps := read(t, log), 0
				o := b.options()
				o.Trace = func(at string) {
					if at == "create temp" {
						temps++
					}
					if at != step {
						return
					}
					path := log
					if step == "sync temp" {
						drafts, err := filepath.Glob(filepath.Join(b.dir, ".*sessc-*"))
						if err != nil || len(drafts) != 1 {
							t.Fatal(drafts, err)
						}
						path = drafts[0]
					}
					if err := flip(path); err != nil {
						t.Fatal(err)
					}
				}
				_, err := restore.Run(context.Background(), log, o)
				if !errors.Is(err, want) || temps != 1 {
					t.Errorf("error %v, want %v; %d temporary files", err, want, temps)
				}
				switch {
				case step == "":
					masked = original
				case step == "write temp":
					masked[300] ^= 1
				}
				b.same(log, masked)
				b.clean()
			})
		}
	}
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
