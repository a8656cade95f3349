package linescan

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// faulty fails in a chosen way from a given offset on.
type faulty struct {
	data []byte
	from int64
	n    int
	err  error
}

func (f faulty) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) <= f.from {
		return copy(p, f.data[off:]), nil
	}
	return f.n, f.err
}

func TestErrors(t *testing.T) {
	disk := errors.New("input/output error")
	data := []byte("one\ntwo\nthree\nfour\n")
	tests := []struct {
		name  string
		src   io.ReaderAt
		size  int64
		tee   io.Writer
		lines int
		is    error
		text  string
	}{
		{"file cut at a line border", bytes.NewReader(data[:8]), 19, nil, 2, io.ErrUnexpectedEOF, "read at byte 8: the file ends 11 bytes early"},
		{"file cut inside a line", bytes.NewReader(data[:10]), 19, nil, 2, io.ErrUnexpectedEOF, "read at byte 10: the file ends 9 bytes early"},
		{"file emptied", bytes.NewReader(nil), 19, nil, 0, io.ErrUnexpectedEOF, "read at byte 0: the file ends 19 bytes early"},
		{"disk error", faulty{data, 8, 0, disk}, 19, nil, 2, disk, "read at byte 8: input/output error"},
		{"disk error after some bytes", faulty{data, 8, 2, disk}, 19, nil, 2, disk, "read at byte 10: input/output error"},
		{"reader without progress", faulty{data, 4, 0, nil}, 19, nil, 1, io.ErrNoProgress, "read at byte 4: "},
		{"count below zero", faulty{data, 0, -1, nil}, 19, nil, 0, nil, "read at byte 0: reader returned a count of -1 for 4 bytes"},
		{"count too large", faulty{data, 0, 99, nil}, 19, nil, 0, nil, "read at byte 0: reader returned a count of 99 for 4 bytes"},
		{"tee fails", bytes.NewReader(data), 19, full{disk}, 0, disk, "read at byte 0: pass on what was read: input/output error"},
		{"negative size", bytes.NewReader(data), -1, nil, 0, nil, "read lines: the size -1 is not a file size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newSized(tt.src, tt.size, Options{Tee: tt.tee}, 4)
			lines := 0
			for r.Next() {
				lines++
			}
			err := r.Err()
			if err == nil || !strings.HasPrefix(err.Error(), tt.text) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v, want %s", err, tt.text)
			}
			if lines != tt.lines {
				t.Errorf("%d whole lines before the error, want %d", lines, tt.lines)
			}
			if r.Next() || r.Line().Data != nil || r.Err() != err {
				t.Error("the error does not stay")
			}
			r.Reset(bytes.NewReader(data), 19, Options{})
			check(t, r, data, DefaultLimit, nil)
		})
	}
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestTruncatedWhileReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	data := bytes.Repeat([]byte("{\"type\":\"message\"}\n"), 40000)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := New(f, int64(len(data)), Options{})
	if !r.Next() {
		t.Fatal(r.Err())
	}
	if err := os.Truncate(path, 300000); err != nil {
		t.Fatal(err)
	}
	for r.Next() {
	}
	if !errors.Is(r.Err(), io.ErrUnexpectedEOF) || !strings.Contains(r.Err().Error(), "byte 300000") {
		t.Errorf("error %v", r.Err())
	}
}
