package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"sessc/session"
)

func TestOriginalRefuses(t *testing.T) {
	s := randomSample(seeded(11), "s", 1, 400_000, 30, 3)
	a := newArchive(t)
	id := s.apply(t, a)
	last := s.g.Files[0].Edits[len(s.g.Files[0].Edits)-1]
	flip := func(at int64) []byte {
		b := bytes.Clone(s.new[0])
		b[at] ^= 1
		return b
	}
	tests := map[string]struct {
		id   int64
		file int
		now  []byte
		want error
	}{
		"kept byte changed":  {id, 0, flip(0), ErrChanged},
		"last byte changed":  {id, 0, flip(int64(len(s.new[0]) - 1)), ErrChanged},
		"mask changed":       {id, 0, flip(last.New.Off), ErrChanged},
		"shortened":          {id, 0, s.new[0][:len(s.new[0])-1], ErrChanged},
		"empty":              {id, 0, nil, ErrChanged},
		"unknown generation": {id + 1, 0, s.new[0], ErrNotFound},
		"unknown file":       {id, 1, s.new[0], ErrNotFound},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := a.Original(context.Background(), tt.id, tt.file, bytes.NewReader(tt.now), int64(len(tt.now)), io.Discard)
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

// A flipped bit anywhere in a pack must never come out as an original.
func TestDamagedPackIsNoticed(t *testing.T) {
	s := randomSample(seeded(12), "s", 1, 20_000, 10, 2)
	a := newArchive(t)
	id := s.apply(t, a)
	path := a.packPath(1)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	noticed := 0
	for i := 0; i < len(good); i += 37 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if err := os.WriteFile(path, bad, fileMode); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := a.Original(context.Background(), id, 0, bytes.NewReader(s.new[0]), int64(len(s.new[0])), &out)
		if err == nil && !bytes.Equal(out.Bytes(), s.old[0]) {
			t.Fatalf("byte %d flipped: wrong bytes without an error", i)
		}
		if err != nil {
			noticed++
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d flipped: %v", i, err)
			}
		}
	}
	if noticed < len(good)/37/2 {
		t.Errorf("only %d of %d flipped bits were noticed", noticed, len(good)/37)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Expand(context.Background(), s.g.Masks[0].Ref); !errors.Is(err, ErrDamaged) {
		t.Errorf("missing pack: %v", err)
	}
}

// A wrong bit in one frame of a pack costs the masks of that frame, no others.
func TestOtherFramesAreSound(t *testing.T) {
	a := newArchive(t)
	s := planted("s")
	for i := range 2 { // each mask fills frames of its own
		s.old[0] = append(s.old[0], randomText(seeded(uint64(i)), 300_000)...)
		at := session.Range{Off: int64(len(s.old[0]) - 300_000), Len: 300_000}
		s.g.Entries = append(s.g.Entries, Entry{Old: at, Ref: s.g.Masks[i].Ref, ID: fmt.Sprint("long", i)})
		s.g.Files[0].Edits = append(s.g.Files[0].Edits, Edit{Old: at, New: session.Range{Off: int64(len(s.new[0]))}, Ref: s.g.Masks[i].Ref})
	}
	s.g.Files[0].Old = contentOf(s.old[0])
	id := s.apply(t, a)
	pack, err := os.ReadFile(a.packPath(1))
	if err != nil {
		t.Fatal(err)
	}
	pack[1000] ^= 1
	if err := os.WriteFile(a.packPath(1), pack, fileMode); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err = a.Original(ctx, id, 0, bytes.NewReader(s.new[0]), int64(len(s.new[0])), io.Discard)
	if !errors.Is(err, ErrFrame) || !errors.Is(err, ErrDamaged) {
		t.Errorf("original: %v", err)
	}
	if _, err := a.Expand(ctx, s.g.Masks[0].Ref); !errors.Is(err, ErrFrame) {
		t.Errorf("expand of the damaged one: %v", err)
	}
	if x, err := a.Expand(ctx, s.g.Masks[1].Ref); err != nil || len(x.Entries) != 11 {
		t.Errorf("expand of the sound one: %v", err)
	}
}

func FuzzOriginal(f *testing.F) {
	f.Add(uint64(1), uint16(300), uint8(4), uint8(2))
	f.Add(uint64(2), uint16(0), uint8(1), uint8(1))
	f.Add(uint64(3), uint16(65535), uint8(90), uint8(9))
	a := newArchive(f)
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, edits, masks uint8) {
		s := randomSample(seeded(seed), "s", 1+int(seed%2), 1+int(size)*3, 1+int(edits), 1+int(masks))
		p := s.put(t, a)
		s.restores(t, a, p.ID)
		if err := p.Settle(context.Background(), false); err != nil {
			t.Fatal(err)
		}
	})
}
