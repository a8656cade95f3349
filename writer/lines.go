package writer

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
)

// sumSize is how much of a line's SHA-256 is kept: a log would need billions
// of lines for two to agree by chance.
const sumSize = 8

// LineSum is the beginning of the SHA-256 of a line, its line end left out.
type LineSum [sumSize]byte

// Written says what a rewritten file consists of, so that a restore can tell
// later, when the agent has rewritten lines itself, which lines still stand as
// they were written, and where in between the removed ones have to go back.
type Written struct {
	Lines []byte        `json:"lines"` // the [LineSum] of every line, one after the other
	Edits []WrittenEdit `json:"edits"` // one for each edit of the plan
}

// WrittenEdit is where an edit stands in the new file.
type WrittenEdit struct {
	Line  int   `json:"line"`  // number of the line that holds what was written, or before which lines were removed, from 0
	At    int64 `json:"at"`    // bytes from the beginning of that line to the edit
	Piece int   `json:"piece"` // edits of one number belong together: all are undone, or none; from 1, 0 for a mere pointer
}

// Sums returns the sums of all lines.
func (w *Written) Sums() []LineSum {
	sums := make([]LineSum, len(w.Lines)/sumSize)
	for i := range sums {
		copy(sums[i][:], w.Lines[i*sumSize:])
	}
	return sums
}

// SumLines returns the sums of the lines of r, and where each line begins. A
// torn last line counts as one.
func SumLines(r io.Reader) (sums []LineSum, offs []int64, err error) {
	in := bufio.NewReaderSize(r, 256<<10)
	h := sha256.New()
	var off, begun int64
	cr := false // a '\r' that belongs to the line unless a '\n' follows
	add := func(b []byte) {
		if len(b) == 0 {
			return
		}
		if cr {
			h.Write([]byte{'\r'})
		}
		if cr = b[len(b)-1] == '\r'; cr {
			b = b[:len(b)-1]
		}
		h.Write(b)
	}
	end := func(torn bool) {
		if cr && torn {
			h.Write([]byte{'\r'})
		}
		sums, offs = append(sums, LineSum(h.Sum(nil)[:sumSize])), append(offs, begun)
		h.Reset()
		cr, begun = false, off
	}
	for {
		b, err := in.ReadSlice('\n')
		off += int64(len(b))
		whole := bytes.HasSuffix(b, []byte("\n"))
		add(bytes.TrimSuffix(b, []byte("\n")))
		switch {
		case whole:
			end(false)
		case err == io.EOF:
			if off > begun {
				end(true)
			}
			return sums, offs, nil
		case err != bufio.ErrBufferFull:
			return nil, nil, fmt.Errorf("read lines: %w", err)
		}
	}
}

// note fills Written from the lines of the staged file.
func (st *Staged) note(sums []LineSum, offs []int64) {
	for _, sum := range sums {
		st.Written.Lines = append(st.Written.Lines, sum[:]...)
	}
	for n := range st.Plan.Edits {
		e := WrittenEdit{Line: len(offs), Piece: st.piece[n]}
		if at := st.New.At(n); at.Off < st.size || at.Len > 0 {
			line, exact := slices.BinarySearch(offs, at.Off)
			if !exact {
				line--
			}
			e.Line, e.At = line, at.Off-offs[line]
		}
		st.Written.Edits = append(st.Written.Edits, e)
	}
}

// pieces numbers the edits that put masks or remove lines: those of one piece
// of the plan whose entries follow each other on the active path belong
// together.
func (st *Staged) pieces() map[int]int {
	type placed struct{ edit, position, piece int }
	var all []placed
	for n, e := range st.Plan.Edits {
		if len(e.Entries) > 0 && (e.Ref != "" || len(e.Data) == 0) {
			all = append(all, placed{n, st.Before.Position(e.Entries[0]), e.Piece})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.position, b.position) })
	number, last := 0, placed{position: -2}
	pieces := map[int]int{}
	for _, p := range all {
		if p.position != last.position+1 && p.position != last.position || p.piece != last.piece {
			number++
		}
		pieces[p.edit], last = number, p
	}
	return pieces
}
