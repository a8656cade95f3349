package linescan

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// choppy is a reader whose counts are short, and now and then zero, as some network file systems do.
type choppy struct {
	data []byte
	rng  *rand.Rand
	zero int
}

func (c *choppy) ReadAt(p []byte, off int64) (int, error) {
	if c.rng.IntN(4) == 0 && c.zero < 20 {
		c.zero++
		return 0, nil
	}
	c.zero = 0
	n := copy(p[:1+c.rng.IntN(len(p))], c.data[off:])
	return n, nil
}

// want is the obvious way to find the lines, with all of the file in memory.
func want(data []byte, limit int) []Line {
	var lines []Line
	var off int64
	for _, l := range bytes.SplitAfter(data, []byte("\n")) {
		if len(l) == 0 {
			continue // behind the last '\n'
		}
		line := Line{Off: off, Size: int64(len(l)), Data: l, Torn: l[len(l)-1] != '\n', Huge: len(l) > limit}
		if line.Huge {
			line.Data = l[:min(PrefixSize, limit)]
		}
		lines = append(lines, line)
		off += line.Size
	}
	return lines
}

// check reads data in r and compares every line and the tee with the obvious way. It also holds the
// identity: the ranges, put together, are the input.
func check(t *testing.T, r *Reader, data []byte, limit int, tee *bytes.Buffer) {
	t.Helper()
	var joined []byte
	lines := want(data, limit)
	for i := 0; r.Next(); i++ {
		got := r.Line()
		if i >= len(lines) {
			t.Fatalf("line %d of %d: %+v", i, len(lines), got)
		}
		if w := lines[i]; got.Off != w.Off || got.Size != w.Size || got.Torn != w.Torn || got.Huge != w.Huge || !bytes.Equal(got.Data, w.Data) {
			t.Fatalf("line %d: got %s, want %s", i, show(got), show(w))
		}
		if cap(got.Data) != len(got.Data) {
			t.Fatalf("line %d: an append to Data would write into the buffer", i)
		}
		joined = append(joined, data[got.Off:got.Off+got.Size]...)
	}
	if err := r.Err(); err != nil {
		t.Fatalf("after %d of %d bytes: %v", len(joined), len(data), err)
	}
	if !bytes.Equal(joined, data) {
		t.Fatalf("the lines hold %d of %d bytes", len(joined), len(data))
	}
	if tee != nil && !bytes.Equal(tee.Bytes(), data) {
		t.Fatalf("the tee got %d of %d bytes", tee.Len(), len(data))
	}
	if r.Next() {
		t.Fatal("a line behind the end")
	}
}

func show(l Line) string {
	head := l.Data[:min(len(l.Data), 40)]
	return fmt.Sprintf("[%d,+%d) torn %v huge %v, %d bytes %q", l.Off, l.Size, l.Torn, l.Huge, len(l.Data), head)
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, data string
		bodies     []string
		torn       bool
	}{
		{"empty file", "", nil, false},
		{"one line", "{}\n", []string{"{}"}, false},
		{"torn only", "{\"a\":", []string{"{\"a\":"}, true},
		{"torn behind a line", "{}\n{\"a\":", []string{"{}", "{\"a\":"}, true},
		{"one line end", "\n", []string{""}, false},
		{"blank lines", "\n\na\n\n", []string{"", "", "a", ""}, false},
		{"CRLF and LF mixed", "a\r\nb\n\r\nc\r\n", []string{"a", "b", "", "c"}, false},
		{"carriage returns inside", "a\rb\r\r\n", []string{"a\rb\r"}, false},
		{"torn with a carriage return", "a\r\nb\r", []string{"a", "b\r"}, true},
		{"NUL lines", "{}\n\x00\x00\x00\n\x00{}\n", []string{"{}", "\x00\x00\x00", "\x00{}"}, false},
		{"other Unicode line ends", "a\u2028b\u2029c\u0085d\ve\ff\n", []string{"a\u2028b\u2029c\u0085d\ve\ff"}, false},
		{"byte order mark", "\xef\xbb\xbf{}\n{}\n", []string{"\xef\xbb\xbf{}", "{}"}, false},
		{"not UTF-8", "\xff\xfe\n\x00\n", []string{"\xff\xfe", "\x00"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for buffer := 1; buffer < 12; buffer++ {
				r := newSized(strings.NewReader(tt.data), int64(len(tt.data)), Options{}, buffer)
				var bodies []string
				torn := false
				for r.Next() {
					bodies = append(bodies, string(r.Line().Body()))
					torn = r.Line().Torn
				}
				if r.Err() != nil || !slices.Equal(bodies, tt.bodies) || torn != tt.torn {
					t.Errorf("buffer %d: %q torn %v (%v), want %q torn %v", buffer, bodies, torn, r.Err(), tt.bodies, tt.torn)
				}
			}
		})
	}
}

// TestBufferBorders puts lines of every length near multiples of the real buffer's size.
func TestBufferBorders(t *testing.T) {
	r := New(nil, 0, Options{})
	for _, base := range []int{bufferSize / 2, bufferSize, 3 * bufferSize / 2, 2 * bufferSize, 3 * bufferSize} {
		for d := -3; d <= 3; d++ {
			for _, tail := range []string{"", "\n", "\r\n", "\nx", "\n\n"} {
				data := []byte("first\n" + strings.Repeat("x", base+d) + tail)
				var tee bytes.Buffer
				r.Reset(bytes.NewReader(data), int64(len(data)), Options{Tee: &tee})
				check(t, r, data, DefaultLimit, &tee)
			}
		}
	}
}

// randomFile makes a file of odd lines; long is the length that the longest ones go around.
func randomFile(rng *rand.Rand, long int) []byte {
	var data []byte
	for range rng.IntN(30) {
		n := rng.IntN(8)
		if rng.IntN(4) == 0 {
			n = rng.IntN(3*long + 1)
		}
		if rng.IntN(6) == 0 {
			n = max(0, long*(1+rng.IntN(3))+rng.IntN(5)-2)
		}
		for range n {
			data = append(data, "ab\x00\r\xff\"\\{"[rng.IntN(8)])
		}
		data = append(data, []string{"\n", "\r\n", "\n\n", "\n"}[rng.IntN(4)]...)
	}
	if rng.IntN(2) == 0 {
		data = append(data, "torn\r"[:rng.IntN(6)]...)
	}
	return data
}

// TestIdentity is the property that everything rests on, over random files, buffers and limits.
func TestIdentity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		buffer := 1 + rng.IntN(40)
		limit := 1 + rng.IntN(200)
		data := randomFile(rng, buffer)
		var src io.ReaderAt = bytes.NewReader(data)
		if i%2 == 0 {
			src = &choppy{data: data, rng: rng}
		}
		var tee bytes.Buffer
		r := newSized(src, int64(len(data)), Options{Limit: limit, Tee: &tee}, buffer)
		check(t, r, data, limit, &tee)
	}
}

func FuzzIdentity(f *testing.F) {
	f.Add([]byte(""), uint8(1), uint16(1), uint64(0))
	f.Add([]byte("a\r\n\n\x00\nlong line that spills\ntorn"), uint8(4), uint16(9), uint64(1))
	f.Add([]byte(strings.Repeat("x", 300)+"\n"+strings.Repeat("y", 300)), uint8(16), uint16(299), uint64(2))
	f.Add([]byte("\xef\xbb\xbf{}\r\n{\"a\":\"\u2028\"}\n"), uint8(2), uint16(500), uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, buffer uint8, limit uint16, seed uint64) {
		src := &choppy{data: data, rng: rand.New(rand.NewPCG(seed, 0))}
		var tee bytes.Buffer
		opt := Options{Limit: 1 + int(limit), Tee: &tee}
		r := newSized(src, int64(len(data)), opt, 1+int(buffer))
		check(t, r, data, opt.Limit, &tee)
		// The same Reader again, on a plain source.
		tee.Reset()
		r.Reset(bytes.NewReader(data), int64(len(data)), opt)
		check(t, r, data, opt.Limit, &tee)
	})
}

func TestHugeLines(t *testing.T) {
	head := strings.Repeat("h", PrefixSize)
	tests := []struct {
		name  string
		data  string
		limit int
	}{
		{"at the limit", strings.Repeat("x", 9999) + "\n", 10000},
		{"one over", strings.Repeat("x", 10000) + "\n", 10000},
		{"limit below the prefix", "0123456789\nab\n", 10},
		{"torn and huge", "a\n" + head + strings.Repeat("x", 50000), 10000},
		{"huge, small, huge", head + strings.Repeat("x", 50000) + "\nb\n" + head + strings.Repeat("y", 50001) + "\r\nc", 10000},
		{"limit is the prefix", head + "\n" + head + "x\n", PrefixSize},
		{"many times the limit", head + strings.Repeat("z", 1<<20) + "\nend\n", 5000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, buffer := range []int{1, 7, 100, 4096, 8192, bufferSize} {
				data := []byte(tt.data)
				r := newSized(bytes.NewReader(data), int64(len(data)), Options{Limit: tt.limit}, buffer)
				check(t, r, data, tt.limit, nil)
				if cap(r.spill) > tt.limit+PrefixSize {
					t.Errorf("buffer %d: %d bytes held for a limit of %d", buffer, cap(r.spill), tt.limit)
				}
			}
		})
	}
}

func TestHugeBodyIsThePrefix(t *testing.T) {
	r := New(strings.NewReader("ab\rcdef\n"), 8, Options{Limit: 3})
	if !r.Next() || string(r.Line().Body()) != "ab\r" || r.Line().Size != 8 {
		t.Errorf("%s", show(r.Line()))
	}
}

func TestNothingBehindTheSizeIsRead(t *testing.T) {
	data := []byte("one\ntwo\nthree\n")
	for size := range len(data) {
		src := &fence{data: data, size: int64(size)}
		r := newSized(src, int64(size), Options{}, 5)
		check(t, r, data[:size], DefaultLimit, nil)
		if src.over {
			t.Errorf("size %d: bytes behind it were asked for", size)
		}
	}
}

// fence notes requests that reach behind size, as a file that has grown would serve them.
type fence struct {
	data []byte
	size int64
	over bool
}

func (f *fence) ReadAt(p []byte, off int64) (int, error) {
	f.over = f.over || off+int64(len(p)) > f.size
	return copy(p, f.data[off:]), nil
}

func TestEachByteIsReadOnce(t *testing.T) {
	data := randomFile(rand.New(rand.NewPCG(5, 5)), 2000)
	src := &meter{ReaderAt: bytes.NewReader(data)}
	r := newSized(src, int64(len(data)), Options{}, 512)
	check(t, r, data, DefaultLimit, nil)
	if src.bytes != len(data) {
		t.Errorf("%d bytes read of a file of %d", src.bytes, len(data))
	}
}

// TestNoByteIsSearchedTwice looks into the Reader whenever it asks for more: all it holds must be
// marked as searched, also when a long line arrives one byte at a time.
func TestNoByteIsSearchedTwice(t *testing.T) {
	src := &witness{data: []byte(strings.Repeat("x", 100) + "\n" + strings.Repeat("y", 9) + "\nz")}
	src.r = newSized(src, int64(len(src.data)), Options{}, 32)
	check(t, src.r, src.data, DefaultLimit, nil)
	if src.unsearched != 0 || src.asked != len(src.data) {
		t.Errorf("in %d of %d reads bytes were still to be searched", src.unsearched, src.asked)
	}
}

type witness struct {
	r                 *Reader
	data              []byte
	asked, unsearched int
}

func (w *witness) ReadAt(p []byte, off int64) (int, error) {
	w.asked++
	if w.r.seen != w.r.end {
		w.unsearched++
	}
	return copy(p[:1], w.data[off:]), nil
}

// TestEndOfFileWithTheLastBytes uses what io.ReaderAt allows: the last bytes and io.EOF in one call.
func TestEndOfFileWithTheLastBytes(t *testing.T) {
	data := []byte("one\ntwo\nthr")
	for buffer := 1; buffer < 20; buffer++ {
		check(t, newSized(eager(data), int64(len(data)), Options{}, buffer), data, DefaultLimit, nil)
	}
}

type eager []byte

func (e eager) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, e[off:])
	if off+int64(n) == int64(len(e)) {
		return n, io.EOF
	}
	return n, nil
}

type meter struct {
	io.ReaderAt
	bytes int
}

func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.ReaderAt.ReadAt(p, off)
	m.bytes += n
	return n, err
}

func TestTeeGivesTheHashOfTheFile(t *testing.T) {
	data := benchFile()
	h := sha256.New()
	r := New(bytes.NewReader(data), int64(len(data)), Options{Tee: h})
	for r.Next() {
	}
	if got, want := h.Sum(nil), sha256.Sum256(data); r.Err() != nil || !bytes.Equal(got, want[:]) {
		t.Errorf("hash %x, want %x, error %v", got, want, r.Err())
	}
}

func TestNoAllocationPerLine(t *testing.T) {
	data := benchFile()
	src := bytes.NewReader(data)
	r := New(src, int64(len(data)), Options{})
	lines := 0
	n := testing.AllocsPerRun(3, func() {
		r.Reset(src, int64(len(data)), Options{})
		for r.Next() {
			lines++
		}
	})
	if n != 0 || lines == 0 {
		t.Errorf("%v allocations over %d lines", n, lines)
	}
}
