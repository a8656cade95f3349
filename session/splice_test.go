package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"strings"
	"testing"
)

func edit(off, n int64, data string) Edit {
	return Edit{At: Range{Off: off, Len: n}, Data: []byte(data)}
}

func TestSplice(t *testing.T) {
	const base = "0123456789"
	rows := []struct {
		name  string
		edits []Edit
		want  string
		kept  string // runs that both files share: old offset-new offset:length
	}{
		{"nothing", nil, base, "0-0:10"},
		{"replace", []Edit{edit(2, 3, "ab")}, "01ab56789", "0-0:2 5-4:5"},
		{"remove", []Edit{edit(2, 3, "")}, "0156789", "0-0:2 5-2:5"},
		{"insert", []Edit{edit(2, 0, "ab")}, "01ab23456789", "0-0:2 2-4:8"},
		{"append", []Edit{edit(10, 0, "ab")}, base + "ab", "0-0:10"},
		{"at the start", []Edit{edit(0, 1, "ab")}, "ab123456789", "1-2:9"},
		{"all of it", []Edit{edit(0, 10, "")}, "", ""},
		{"neighbours", []Edit{edit(2, 3, "ab"), edit(5, 1, "c"), edit(6, 0, "d"), edit(6, 2, "")}, "01abcd89", "0-0:2 8-6:2"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			p, err := Splice(strings.NewReader(base), int64(len(base)), r.edits)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(io.NewSectionReader(p, 0, p.Size()))
			if err != nil || string(got) != r.want {
				t.Errorf("%q, %v, want %q", got, err, r.want)
			}
			for n, e := range r.edits {
				if at := p.At(n); string(got[at.Off:at.End()]) != string(e.Data) {
					t.Errorf("edit %d does not stand at %+v", n, at)
				}
			}
			var kept []string
			if err := p.Kept(func(old, new Range) error {
				if old.Len != new.Len || base[old.Off:old.End()] != string(got[new.Off:new.End()]) {
					t.Errorf("%+v and %+v are not the same bytes", old, new)
				}
				kept = append(kept, fmt.Sprintf("%d-%d:%d", old.Off, new.Off, old.Len))
				return nil
			}); err != nil || strings.Join(kept, " ") != r.kept {
				t.Errorf("kept %q, %v, want %q", kept, err, r.kept)
			}
		})
	}
}

func TestSpliceRefuses(t *testing.T) {
	rows := map[string][]Edit{
		"out of order":   {edit(5, 1, ""), edit(2, 1, "")},
		"overlap":        {edit(2, 3, ""), edit(4, 1, "")},
		"behind the end": {edit(9, 2, "")},
		"starts behind":  {edit(11, 0, "x")},
		"before":         {edit(-1, 0, "x")},
		"negative":       {edit(4, -2, "x")},
	}
	for name, edits := range rows {
		if _, err := Splice(strings.NewReader("0123456789"), 10, edits); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestSplicedReads reads at every kind of place and compares with the bytes.
func TestSplicedReads(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 200 {
		base := make([]byte, r.Intn(60))
		r.Read(base)
		var edits []Edit
		var real []byte
		from := 0
		for from < len(base) && r.Intn(5) > 0 {
			at := from + r.Intn(len(base)-from)
			n := r.Intn(len(base) - at + 1)
			data := make([]byte, r.Intn(9))
			r.Read(data)
			edits = append(edits, Edit{At: Range{int64(at), int64(n)}, Data: data})
			real = append(append(real, base[from:at]...), data...)
			from = at + n
		}
		real = append(real, base[from:]...)
		p, err := Splice(bytes.NewReader(base), int64(len(base)), edits)
		if err != nil || p.Size() != int64(len(real)) {
			t.Fatalf("size %d, %v, want %d", p.Size(), err, len(real))
		}
		for range 30 {
			off := r.Intn(len(real) + 5)
			got := make([]byte, r.Intn(20))
			n, err := p.ReadAt(got, int64(off))
			want, werr := bytes.NewReader(real).ReadAt(make([]byte, len(got)), int64(off))
			if n != want || n > 0 && !bytes.Equal(got[:n], real[off:off+n]) || len(got) > 0 && (err == io.EOF) != (werr == io.EOF) {
				t.Fatalf("%d bytes at %d of %d: %d, %v, want %d, %v", len(got), off, len(real), n, err, want, werr)
			}
		}
	}
}

// failing is a file that cannot be read behind a place.
type failing struct{ at int64 }

var errDisk = errors.New("disk error")

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), max(0, f.at-off))
	if n < int64(len(p)) {
		return int(n), errDisk
	}
	return int(n), nil
}

func TestSplicedPassesErrors(t *testing.T) {
	p, err := Splice(failing{at: 5}, 10, []Edit{edit(2, 1, "abc")})
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 12)
	if n, err := p.ReadAt(b, 0); n != 7 || !errors.Is(err, errDisk) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := p.ReadAt(b, -1); err == nil {
		t.Error("a negative offset was read")
	}
}
