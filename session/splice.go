package session

import (
	"fmt"
	"io"
	"sort"
)

// Spliced is a file as it is after edits, without a copy of it: kept ranges
// are read from the original, the others from the edits.
type Spliced struct {
	base  io.ReaderAt
	parts []part
	size  int64
	at    []Range // where each edit's data stands
}

// part is a run of bytes that comes from one place.
type part struct {
	off  int64 // in the spliced file
	n    int64
	from int64  // in the original, when data is nil
	data []byte // of an edit
}

// Splice applies edits to a file of the given size. The edits must be in
// order, inside the file, and must not overlap.
func Splice(base io.ReaderAt, size int64, edits []Edit) (*Spliced, error) {
	p := &Spliced{base: base}
	var from int64
	for i, e := range edits {
		if e.At.Off < from || e.At.Len < 0 || e.At.End() > size {
			return nil, fmt.Errorf("edit %d of bytes %d-%d is out of order or outside the file of %d bytes", i, e.At.Off, e.At.End(), size)
		}
		p.add(part{n: e.At.Off - from, from: from})
		p.at = append(p.at, Range{Off: p.size, Len: int64(len(e.Data))})
		p.add(part{n: int64(len(e.Data)), data: e.Data})
		from = e.At.End()
	}
	p.add(part{n: size - from, from: from})
	return p, nil
}

func (p *Spliced) add(x part) {
	if x.n == 0 {
		return
	}
	x.off = p.size
	p.parts = append(p.parts, x)
	p.size += x.n
}

// Size is the length of the spliced file in bytes.
func (p *Spliced) Size() int64 { return p.size }

// At is where the data of edit i stands in the spliced file.
func (p *Spliced) At(i int) Range { return p.at[i] }

// Kept calls f for every run of bytes that both files share.
func (p *Spliced) Kept(f func(old, new Range) error) error {
	for _, x := range p.parts {
		if x.data != nil {
			continue
		}
		if err := f(Range{x.from, x.n}, Range{x.off, x.n}); err != nil {
			return err
		}
	}
	return nil
}

// ReadAt implements [io.ReaderAt].
func (p *Spliced) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read at negative offset %d", off)
	}
	i := sort.Search(len(p.parts), func(i int) bool { return p.parts[i].off+p.parts[i].n > off })
	n := 0
	for n < len(b) && i < len(p.parts) {
		x := p.parts[i]
		skip := off - x.off
		want := b[n:min(int64(len(b)), int64(n)+x.n-skip)]
		if x.data != nil {
			copy(want, x.data[skip:])
		} else if m, err := p.base.ReadAt(want, x.from+skip); m < len(want) {
			return n + m, err
		}
		n += len(want)
		off += int64(len(want))
		i++
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
