package jsonwalk

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// textEndSlow says what stringEnd looks for byte by byte.
func textEndSlow(line []byte, from int) int {
	for i := from; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// ways are the ways to find the end of a text.
var ways = map[string]func(c *Cursor, from int) int{
	"best":     func(c *Cursor, from int) int { return c.stringEnd(from - 1) },
	"portable": func(c *Cursor, from int) int { return c.stringEndPortable(from, 0) },
}

// checkTextEnd compares all ways to find the end of a text.
func checkTextEnd(t *testing.T, line []byte, from int) {
	t.Helper()
	want := textEndSlow(line, from)
	for name, find := range ways {
		c := Cursor{line: line}
		at := find(&c, from)
		if at > 0 {
			at-- // from behind the quote to it
		}
		if at != want || (at < 0) != (c.Err() != nil) {
			t.Fatalf("%s: the text of %q from %d on ends at %d, error %v, want %d", name, line, from, at, c.Err(), want)
		}
		if !c.plain {
			continue
		}
		for _, b := range line[from:at] {
			if !plain[b] {
				t.Fatalf("%s: the text of %q from %d to %d is said to be plain", name, line, from, at)
			}
		}
	}
}

// Each sign at each place of a block, behind texts of all lengths, and at each distance from the end of
// the line.
func TestTextEndAtBorders(t *testing.T) {
	for length := range 3*blockSize + 2 {
		text := bytes.Repeat([]byte("a"), length)
		for _, ending := range []string{``, `"`, `\"`, `\\"`, `\\\"`, `é"`, `\"\"\"b"`, `"tail`, `\"` + strings.Repeat("t", 2*blockSize) + `"`, strings.Repeat(`\`, 2*blockSize+1) + `""`} {
			line := append(bytes.Clone(text), ending...)
			for from := range min(len(line)+1, blockSize+1) {
				checkTextEnd(t, line, from)
			}
			for cut := range min(len(line), blockSize+1) {
				checkTextEnd(t, line[:len(line)-cut], 0)
			}
		}
	}
}

// A backslash right before a text does not belong to it.
func TestTextEndLooksNotBefore(t *testing.T) {
	for n := range 2 * blockSize {
		line := append(bytes.Repeat([]byte(`\`), n), `"`+strings.Repeat(" ", blockSize)...)
		checkTextEnd(t, line, n)
	}
}

func TestTextEndRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	signs := []byte(`"\\\a` + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\n")
	for range 100_000 {
		line := make([]byte, rng.IntN(5*blockSize))
		for i := range line {
			line[i] = signs[rng.IntN(len(signs))]
		}
		checkTextEnd(t, line, rng.IntN(len(line)+1))
	}
}

func FuzzTextEnd(f *testing.F) {
	for _, s := range odd {
		f.Add([]byte(s), uint(1))
	}
	f.Fuzz(func(t *testing.T, line []byte, from uint) {
		checkTextEnd(t, line, int(from%uint(len(line)+1)))
	})
}

func BenchmarkTextEnd(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"id", `a1b2c3d4`}, {"stamp", `2026-01-02T03:04:05.678Z`}, {"prose", strings.Repeat("one line of text\\n", 250)},
		{"quoted JSON", strings.Repeat(`{\"key\": \"value\", \"n\": 1}\n`, 150)}, {"base64", strings.Repeat("aGVsbG8gd29ybGQh", 4000)},
	} {
		line := []byte(`"` + bench.text + `",` + strings.Repeat(" ", blockSize))
		for name, find := range ways {
			b.Run(bench.name+"/"+name, func(b *testing.B) {
				c := Cursor{line: line}
				b.SetBytes(int64(len(bench.text)))
				for b.Loop() {
					if end := find(&c, 1); end != len(bench.text)+2 {
						b.Fatal(end)
					}
				}
			})
		}
	}
}
