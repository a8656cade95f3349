package archive

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"

	"sessc/session"
)

func TestExpand(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	s := randomSample(seeded(70), "s", 1, 5000, 6, 2)
	s.g.Masks = append(s.g.Masks, Mask{Ref: "abc123"}, Mask{Ref: "abc12345", Record: "longer"}, Mask{Ref: "abd"})
	s.apply(t, a)
	tests := map[string]struct {
		prefix, want string
		candidates   []string
	}{
		"whole":                         {"s-000", "s-000", nil},
		"unique prefix":                 {"abd", "abd", nil},
		"exact beats longer":            {"abc123", "abc123", nil},
		"prefix of one":                 {"abc1234", "abc12345", nil},
		"ambiguous":                     {"ab", "", []string{"abc123", "abc12345", "abd"}},
		"ambiguous, a pattern is not":   {"s-%", "", nil},
		"unknown":                       {"zzz", "", nil},
		"empty":                         {"", "", nil},
		"longer than any":               {"abd0", "", nil},
		"case matters":                  {"ABD", "", nil},
		"prefix that ends before a ref": {"abc12344", "", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			x, err := a.Expand(ctx, tt.prefix)
			var amb *AmbiguousError
			switch {
			case tt.want != "":
				if err != nil || x.Mask.Ref != tt.want {
					t.Fatalf("%+v, %v", x, err)
				}
			case tt.candidates != nil:
				if !errors.As(err, &amb) || fmt.Sprint(amb.Refs) != fmt.Sprint(tt.candidates) || amb.More {
					t.Fatalf("error %v", err)
				}
				if !strings.Contains(err.Error(), "abc12345, abd") {
					t.Errorf("the candidates are not named: %v", err)
				}
			default:
				if !errors.Is(err, ErrNotFound) {
					t.Fatalf("%+v, %v", x, err)
				}
			}
		})
	}
}

func TestExpandNamesTenCandidates(t *testing.T) {
	a := newArchive(t)
	randomSample(seeded(71), "s", 1, 5000, 6, 20).apply(t, a)
	_, err := a.Expand(context.Background(), "s-")
	var amb *AmbiguousError
	if !errors.As(err, &amb) || len(amb.Refs) != 10 || !amb.More {
		t.Errorf("error %v", err)
	}
}

// After restore and a second compress the same ref stands in two generations:
// the newest counts.
func TestExpandTakesTheNewest(t *testing.T) {
	a := newArchive(t)
	randomSample(seeded(72), "s", 1, 5000, 6, 2).apply(t, a)
	id := randomSample(seeded(72), "s", 1, 5000, 6, 2).apply(t, a)
	x, err := a.Expand(context.Background(), "s-001")
	if err != nil || x.Generation.ID != id {
		t.Errorf("%+v, %v", x, err)
	}
}

// bigSample is a log of interleaved waves: masks of about 20 KB, of which three
// at a time alternate entry by entry.
func bigSample(size int) *sample {
	r := seeded(73)
	s := &sample{old: make([][]byte, 1), new: make([][]byte, 1), g: Generation{Session: "big", Format: "pi", Time: 1}}
	old := make([]byte, 0, size)
	line := randomText(r, 1<<20)
	var f File
	pos := int64(0)
	for n := 0; len(old) < size; n++ {
		ref := fmt.Sprintf("big-%06d", n/30*3+n%3)
		if n%30 < 3 {
			s.g.Masks = append(s.g.Masks, Mask{Ref: ref, Record: "record"})
			s.g.Markers = append(s.g.Markers, ref)
		}
		at := session.Range{Off: int64(len(old)), Len: int64(1000 + r.IntN(2000))}
		from := r.IntN(len(line) - 3000)
		old = append(old, line[from:from+int(at.Len)]...)
		put := session.Range{Off: pos, Len: 10}
		pos += 10
		f.Edits = append(f.Edits, Edit{Old: at, New: put, Ref: ref})
		s.new[0] = append(s.new[0], "mask......"...)
		s.g.Entries = append(s.g.Entries, Entry{Old: at, Ref: ref, Role: "tool", ID: fmt.Sprint(n)})
	}
	s.old[0] = old
	f.Path, f.Old, f.New = "big.jsonl", contentOf(old), contentOf(s.new[0])
	s.g.Files = []File{f}
	return s
}

// counter counts what is decoded of a pack.
type counter struct {
	seekable.ZSTDDecoder
	n int
}

func (c *counter) DecodeAll(in, out []byte) ([]byte, error) {
	c.n++
	return c.ZSTDDecoder.DecodeAll(in, out)
}

// countFrames puts a counter between a pack and its decoder.
func countFrames(t *testing.T, p *pack) *counter {
	t.Helper()
	c := &counter{ZSTDDecoder: p.dec}
	if err := p.r.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if p.r, err = readFrames(p.f, c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestExpandTouchesOneFrame(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	s := bigSample(4 << 20)
	p, err := a.Put(ctx, &s.g, Source{Read: s.source().Read})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	db, err := a.db(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.g.Masks {
		at, err := locate(ctx, db, p.ID, "generation=? AND ref=?", p.ID, m.Ref)
		if err != nil {
			t.Fatal(err)
		}
		pk, err := openPack(a.packPath(1))
		if err != nil {
			t.Fatal(err)
		}
		frames := countFrames(t, pk)
		if _, err := read(pk, at); err != nil {
			t.Fatal(err)
		}
		if frames.n != 1 {
			t.Fatalf("mask %s: %d frames decoded", m.Ref, frames.n)
		}
		if err := pk.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The interleaved masks stand apart in the pack, and yet a restore decodes each
// frame once.
func TestOriginalDecodesEachFrameOnce(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	s := bigSample(12 << 20)
	p, err := a.Put(ctx, &s.g, Source{Read: s.source().Read})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s.restores(t, a, p.ID)
	db, err := a.db(ctx)
	if err != nil {
		t.Fatal(err)
	}
	segs, err := loadSegments(ctx, db, p.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	pk, err := openPack(a.packPath(1))
	if err != nil {
		t.Fatal(err)
	}
	defer pk.close()
	frames := countFrames(t, pk)
	buf := make([]byte, frameSize)
	for _, seg := range segs {
		if err := pk.readAt(buf[:seg.at.Len], seg.off); err != nil {
			t.Fatal(err)
		}
	}
	table, err := pk.r.SeekTable()
	if err != nil {
		t.Fatal(err)
	}
	if int64(frames.n) != table.NumFrames() {
		t.Errorf("%d decodes of %d frames", frames.n, table.NumFrames())
	}
}

// BenchmarkExpand opens the archive, expands one mask of a 100 MB generation
// and closes it, as the command does.
func BenchmarkExpand(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "archive")
	s := bigSample(100 << 20)
	begun := time.Now()
	a, err := Open(dir, true)
	if err != nil {
		b.Fatal(err)
	}
	p, err := a.Put(context.Background(), &s.g, Source{Read: s.source().Read})
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(p.Settle(context.Background(), true), a.Close()); err != nil {
		b.Fatal(err)
	}
	b.Logf("put %d MB, %d masks, %d entries: %v", len(s.old[0])>>20, len(s.g.Masks), len(s.g.Entries), time.Since(begun))
	refs := s.g.Masks
	for i := 0; b.Loop(); i++ {
		a, err := Open(dir, false)
		if err != nil {
			b.Fatal(err)
		}
		x, err := a.Expand(context.Background(), refs[i*7919%len(refs)].Ref)
		if err != nil || len(x.Entries) != 10 {
			b.Fatal(x, err)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
