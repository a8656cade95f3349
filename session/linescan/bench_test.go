package linescan

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// benchFile makes about 16 MB of lines with the lengths of an agent log: most of one to some
// kilobytes, one of 1 MB.
func benchFile() []byte {
	rng := rand.New(rand.NewPCG(3, 3))
	text := bytes.Repeat([]byte("some text of a tool result, "), 40000)
	var data []byte
	for len(data) < 15<<20 {
		data = append(data, text[:200<<rng.IntN(8)+rng.IntN(200)]...)
		data = append(data, '\n')
	}
	data = append(data, text[:1<<20]...)
	return append(data, '\n')
}

// openBench writes the file to disk once, so that reads cost what they cost in use.
func openBench(b *testing.B) (*os.File, int64) {
	path := filepath.Join(b.TempDir(), "log")
	data := benchFile()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f, int64(len(data))
}

func BenchmarkReader(b *testing.B) {
	f, size := openBench(b)
	r := New(f, size, Options{})
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		var sum int64
		for r.Reset(f, size, Options{}); r.Next(); {
			sum += r.Line().Size
		}
		if sum != size || r.Err() != nil {
			b.Fatal(sum, r.Err())
		}
	}
}

func BenchmarkReaderFresh(b *testing.B) {
	f, size := openBench(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		var sum int64
		r := New(f, size, Options{})
		for r.Next() {
			sum += r.Line().Size
		}
		if sum != size || r.Err() != nil {
			b.Fatal(sum, r.Err())
		}
	}
}

func BenchmarkReaderSHA256(b *testing.B) {
	f, size := openBench(b)
	r := New(f, size, Options{})
	h := sha256.New()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		h.Reset()
		for r.Reset(f, size, Options{Tee: h}); r.Next(); {
		}
		if r.Err() != nil {
			b.Fatal(r.Err())
		}
	}
}

// BenchmarkBufioScanner is the yardstick: the standard library with a maximum that fits the lines.
func BenchmarkBufioScanner(b *testing.B) {
	f, size := openBench(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Seek(0, 0); err != nil {
			b.Fatal(err)
		}
		var sum int64
		s := bufio.NewScanner(f)
		s.Buffer(make([]byte, 64<<10), DefaultLimit)
		for s.Scan() {
			sum += int64(len(s.Bytes())) + 1
		}
		if sum != size || s.Err() != nil {
			b.Fatal(sum, s.Err())
		}
	}
}
