package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"sessc/session"
)

func TestPutAndOriginal(t *testing.T) {
	tests := map[string]*sample{
		"one file":          randomSample(seeded(1), "s1", 1, 5000, 12, 3),
		"several files":     randomSample(seeded(2), "s2", 3, 4000, 7, 4),
		"edits over frames": randomSample(seeded(3), "s3", 1, 3<<20, 4, 2),
		"many edits":        randomSample(seeded(4), "s4", 1, 200_000, 900, 40),
		"nothing removed":   appendOnly(),
	}
	for name, s := range tests {
		t.Run(name, func(t *testing.T) {
			a := newArchive(t)
			id := s.apply(t, a)
			s.restores(t, a, id)
			for _, m := range s.g.Masks {
				x, err := a.Expand(context.Background(), m.Ref)
				if err != nil {
					t.Fatal(err)
				}
				got := x.Entries
				want := 0
				for _, e := range s.g.Entries {
					if e.Ref == m.Ref {
						want++
					}
				}
				if len(got) != want {
					t.Errorf("mask %s: %d entries, want %d", m.Ref, len(got), want)
				}
				for _, e := range got {
					if !bytes.Equal(e.Raw, s.old[e.File][e.Old.Off:e.Old.End()]) {
						t.Errorf("mask %s: bytes of entry %s differ", m.Ref, e.ID)
					}
				}
			}
		})
	}
}

// appendOnly is the rewrite of a format that is only ever appended to.
func appendOnly() *sample {
	old := []byte("one\ntwo\n")
	new := append(bytes.Clone(old), "compacted\n"...)
	return &sample{old: [][]byte{old}, new: [][]byte{new}, g: Generation{Session: "append", Format: "codex", Files: []File{{
		Path: "append-0.jsonl", Old: contentOf(old), New: contentOf(new),
		Edits: []Edit{{Old: session.Range{Off: 8}, New: session.Range{Off: 8, Len: 10}}},
	}}}}
}

func TestPutRefusesContradictions(t *testing.T) {
	tests := map[string]struct {
		change func(g *Generation)
		want   string
	}{
		"no session":        {func(g *Generation) { g.Session = "" }, "no session id"},
		"no files":          {func(g *Generation) { g.Files = nil }, "no files"},
		"edit past the end": {func(g *Generation) { g.Files[0].Edits[1].Old.Len = 1 << 40 }, "outside the file"},
		"negative length":   {func(g *Generation) { g.Files[0].Edits[0].Old.Len = -1 }, "outside the file"},
		"out of order":      {func(g *Generation) { e := g.Files[0].Edits; e[1].Old.Off, e[1].New.Off = 0, 0 }, "out of order"},
		"kept bytes differ": {func(g *Generation) { g.Files[0].Edits[1].New.Off++ }, "kept bytes"},
		"tail differs":      {func(g *Generation) { g.Files[0].New.Size++ }, "at the end"},
		"mask twice":        {func(g *Generation) { g.Masks[1].Ref = g.Masks[0].Ref }, "used twice"},
		"entry elsewhere":   {func(g *Generation) { g.Entries[0].File = 5 }, "names file 5 of 1"},
		"entry outside":     {func(g *Generation) { g.Entries[0].Old.Off = 1 << 40 }, "not in the file"},
	}
	a := newArchive(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := randomSample(seeded(5), "s", 1, 5000, 6, 3)
			tt.change(&s.g)
			_, err := a.Put(context.Background(), &s.g, s.source())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	if n := rowCounts(t, a); len(n) != 0 {
		t.Errorf("rows after refused puts: %v", n)
	}
}

func TestPackOpensWithPlainZstd(t *testing.T) {
	a := newArchive(t)
	s := randomSample(seeded(6), "s", 2, 700_000, 30, 4)
	s.apply(t, a)
	var want []byte
	for _, seg := range segmentsOf(&s.g) {
		want = append(want, s.old[seg.file][seg.at.Off:seg.at.End()]...)
	}
	f, err := os.Open(filepath.Join(a.dir, packsName, packFiles(t, a.dir)[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("plain zstd gives %d bytes, %d were put", len(got), len(want))
	}
}

// A line in which only a text was shortened is stored once, as a whole.
func TestEditInsideEntryIsStoredOnce(t *testing.T) {
	old := []byte("head\n{\"text\":\"long long text\"}\ntail\n")
	new := []byte("head\n{\"text\":\"short\"}\ntail\n")
	s := &sample{old: [][]byte{old}, new: [][]byte{new}, g: Generation{Session: "s", Format: "f", Files: []File{{
		Path: "p", Old: contentOf(old), New: contentOf(new),
		Edits: []Edit{{Old: session.Range{Off: 14, Len: 14}, New: session.Range{Off: 14, Len: 5}, Ref: "r"}},
	}},
		Masks:   []Mask{{Ref: "r"}},
		Entries: []Entry{{Old: session.Range{Off: 5, Len: 26}, Ref: "r", ID: "e"}},
	}}
	a := newArchive(t)
	id := s.apply(t, a)
	s.restores(t, a, id)
	x, err := a.Expand(context.Background(), "r")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(x.Entries[0].Raw); got != "{\"text\":\"long long text\"}\n" {
		t.Errorf("entry %q", got)
	}
	if x.Generation.Removed != 26 {
		t.Errorf("%d bytes stored, want the 26 of the line", x.Generation.Removed)
	}
	err = a.OldBytes(context.Background(), id, 0, []session.Range{{Off: 0, Len: 4}, {Off: 14, Len: 4}}, func(old func(int) ([]byte, error)) error {
		if was, err := old(1); err != nil || string(was) != "long" {
			t.Errorf("old bytes %q, %v", was, err)
		}
		if _, err := old(0); !errors.Is(err, ErrNotFound) {
			t.Errorf("old bytes that were kept in the log: %v", err)
		}
		return fs.ErrInvalid
	})
	if !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("error %v, want that of the reader", err)
	}
}

// The database is asked once for all ranges, however many they are: nobody needs
// it any more when reading begins.
func TestOldBytesLooksUpOnce(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	s := randomSample(seeded(9), "s", 1, 200_000, 900, 40)
	id := s.apply(t, a)
	var ranges []session.Range
	for _, e := range s.g.Files[0].Edits {
		ranges = append(ranges, e.Old)
	}
	db, err := a.db(ctx)
	if err != nil {
		t.Fatal(err)
	}
	err = a.OldBytes(ctx, id, 0, ranges, func(old func(int) ([]byte, error)) error {
		if err := db.Close(); err != nil {
			return err
		}
		for n, at := range ranges {
			if b, err := old(n); at.Len > 0 && (err != nil || !bytes.Equal(b, s.old[0][at.Off:at.End()])) {
				return fmt.Errorf("range %d: %w", n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPutIsDeterministic(t *testing.T) {
	var first []byte
	for range 2 {
		a := newArchive(t)
		randomSample(seeded(8), "s", 2, 300_000, 20, 4).apply(t, a)
		b, err := os.ReadFile(a.packPath(1))
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(first, b) {
			t.Error("two packs of the same bytes differ")
		}
		first = b
	}
}

func TestPutHonoursCancel(t *testing.T) {
	a := newArchive(t)
	s := randomSample(seeded(9), "s", 1, 1<<20, 10, 2)
	ctx, cancel := context.WithCancel(context.Background())
	src := s.source()
	read := src.Read
	src.Read = func(file int, off, n int64) ([]byte, error) { cancel(); return read(file, off, n) }
	if _, err := a.Put(ctx, &s.g, src); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if n, f := rowCounts(t, a), packFiles(t, a.dir); len(n) != 0 || len(f) != 0 {
		t.Errorf("left behind: rows %v, files %v", n, f)
	}
}
