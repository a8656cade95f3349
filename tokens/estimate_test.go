package tokens

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// noise returns n bytes that look random and are the same in every run.
func noise(n int) []byte {
	var out []byte
	sum := sha256.Sum256([]byte("sessc"))
	for len(out) < n {
		out = append(out, sum[:]...)
		sum = sha256.Sum256(sum[:])
	}
	return out[:n]
}

func sample(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func exact(t testing.TB) Counter {
	t.Helper()
	c, err := O200k()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The bounds are what the table reaches on texts that took no part in its fit, rounded up a
// little: they pin the state, they are not a promise for other texts.
func TestEstimateError(t *testing.T) {
	wrapped := func(s string, n int) string {
		var b strings.Builder
		for len(s) > n {
			b.WriteString(s[:n] + "\n")
			s = s[n:]
		}
		return b.String() + s
	}
	b64 := base64.StdEncoding.EncodeToString(noise(3000))
	tests := []struct {
		name string
		text string
		max  float64 // percent
	}{
		{"english", sample(t, "english"), 5},
		{"portuguese", sample(t, "portuguese"), 6},
		{"chinese", sample(t, "chinese"), 5},
		{"japanese", sample(t, "japanese"), 8},
		{"korean", sample(t, "korean"), 5},
		{"russian", sample(t, "russian"), 8},
		{"arabic", sample(t, "arabic"), 5},
		{"hindi", sample(t, "hindi"), 14},
		{"emoji and boxes", sample(t, "emoji"), 7},
		{"go", sample(t, "code"), 7},
		{"python", sample(t, "script"), 5},
		{"json", sample(t, "json"), 5},
		{"log", sample(t, "log"), 5},
		{"base64", b64, 2},
		{"base64 in 76 columns", wrapped(b64, 76), 6},
		{"base64 in a data url", "![shot](data:image/png;base64," + b64 + ")", 5},
		{"hex", hex.EncodeToString(noise(2000)), 3},
		{"hex in 40 columns", wrapped(hex.EncodeToString(noise(2000)), 40), 5},
		{"ruler", strings.Repeat("=", 300) + "\n" + sample(t, "english"), 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := exact(t).Count(tt.text)
			got := EstimateString(tt.text)
			off := 100 * float64(got-want) / float64(want)
			t.Logf("%d bytes, o200k %d, estimate %d, %+.1f %%", len(tt.text), want, got, off)
			if off > tt.max || off < -tt.max {
				t.Errorf("EstimateString = %d, o200k_base = %d: %+.1f %%, want within %.0f %%", got, want, off, tt.max)
			}
			if b := Estimate([]byte(tt.text)); b != got {
				t.Errorf("Estimate = %d, EstimateString = %d", b, got)
			}
		})
	}
}

func TestEstimateSmall(t *testing.T) {
	tests := []struct {
		name string
		text string
		want int
	}{
		{"nothing", "", 0},
		{"one letter", "a", 1},
		{"one blank", " ", 1},
		{"one line feed", "\n", 1},
		{"a NUL", "\x00", 1},
		{"a byte that is not UTF-8", "\xff", 1},
		{"a word", "the", 1},
		{"200 letters of base64 are text", strings.Repeat("Xy", 100), ordinary(strings.Repeat("Xy", 100))},
		{"201 letters of base64 are data", strings.Repeat("Xy", 100) + "X", (201*encoded + one/2) / one},
		{"400 hex digits are not base64", strings.Repeat("8f", 200), ordinary(strings.Repeat("8f", 200))},
		{"300 repeats are not data", strings.Repeat("=", 300), ordinary(strings.Repeat("=", 300))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := EstimateString(tt.text); got != tt.want {
				t.Errorf("EstimateString(%.20q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

// ordinary is the definition of the sum without the rule for encoded data.
func ordinary(text string) int {
	return (plainSum(text) + one/2) / one
}

func plainSum(text string) int {
	sum, last := 0, byte('\n')
	for i := range len(text) {
		sum += int(cost[classOf(last)][text[i]])
		last = text[i]
	}
	return sum
}

// slow is the whole definition of Estimate in its plainest form.
func slow(text string) int {
	if text == "" {
		return 0
	}
	sum := plainSum(text)
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && inBase64[text[j]] {
			j++
		}
		if j-i > longRun && strings.Trim(text[i:j], "0123456789abcdefABCDEF") != "" {
			more := 0
			for k := i; k < j; k++ {
				last := byte('\n')
				if k > 0 {
					last = text[k-1]
				}
				if text[k] != last {
					more += encoded - int(cost[classOf(last)][text[k]])
				}
			}
			sum += max(more, 0)
		}
		i = j + 1
	}
	return max(1, (sum+one/2)/one)
}

// pieces builds texts in which runs of base64 letters of many lengths meet words.
func pieces(r *rand.Rand, n int) string {
	b64 := base64.StdEncoding.EncodeToString(noise(600))
	digits := hex.EncodeToString(noise(400))
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(5) {
		case 0:
			b.WriteString(b64[:r.IntN(500)])
		case 1:
			b.WriteString(" .\n-é日😀"[:1+r.IntN(3)])
		case 3:
			b.WriteString(digits[:r.IntN(500)])
		case 2:
			b.WriteString(b64[:195+r.IntN(12)])
		default:
			b.WriteString(strings.Repeat("=x"[r.IntN(2):][:1], r.IntN(250)))
		}
	}
	return b.String()
}

func TestEstimateIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		text := pieces(r, r.IntN(3000))
		want := slow(text)
		if got := EstimateString(text); got != want {
			t.Fatalf("text %d: EstimateString = %d, the definition gives %d for %q", i, got, want, text)
		}
		var m meter
		for rest := text; rest != ""; {
			n := 1 + r.IntN(len(rest))
			if r.IntN(2) == 0 {
				n = min(n, 5)
			}
			feed(&m, rest[:n])
			rest = rest[n:]
		}
		if got := m.tokens(); got != want {
			t.Fatalf("text %d: in pieces %d, at once %d for %q", i, got, want, text)
		}
	}
}

func FuzzEstimate(f *testing.F) {
	f.Add("hello world", 2, 5)
	f.Add(strings.Repeat("QUJD", 60)+" x", 10, 241)
	f.Add("日本語\U0001F600\xff", 0, 4)
	f.Add(strings.Repeat("deed", 59)+" z", 228, 237) // joins hex digits with another letter into encoded data
	f.Fuzz(func(t *testing.T, text string, i, j int) {
		whole := EstimateString(text)
		if want := slow(text); whole != want {
			t.Fatalf("EstimateString = %d, want %d", whole, want)
		}
		if i < 0 || j < i || j > len(text) {
			return
		}
		rest := text[:i] + text[j:]
		if joins(text, i, j) {
			return // documented
		}
		if got := EstimateString(rest); got > whole+1 {
			t.Fatalf("without [%d:%d] %d tokens, with it %d", i, j, got, whole)
		}
	})
}

// joins reports whether a text without text[i:j] has a run of more than longRun bytes made of two runs of the text.
func joins(text string, i, j int) bool {
	lo, hi := i, j
	for lo > 0 && inBase64[text[lo-1]] {
		lo--
	}
	for hi < len(text) && inBase64[text[hi]] {
		hi++
	}
	if lo == i || hi == j || i-lo+hi-j <= longRun {
		return false
	}
	for _, b := range []byte(text[i:j]) {
		if !inBase64[b] {
			return true
		}
	}
	return false
}

// Removing a rune, the head or the tail of a text anywhere raises no estimate by more than 1.
func TestEstimateIsMonotone(t *testing.T) {
	texts := map[string]string{
		"dear letters in a long run":  strings.Repeat("Zk", 101),
		"cheap letters in a long run": strings.Repeat("ten", 70),
		"hex with one other letter":   strings.Repeat("8f", 90) + "z" + strings.Repeat("03", 90),
		"base64":                      base64.StdEncoding.EncodeToString(noise(180)),
	}
	for _, name := range []string{"english", "chinese", "emoji", "code", "json", "log"} {
		texts[name] = sample(t, name)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			whole := EstimateString(text)
			for i := range text {
				_, size := utf8.DecodeRuneInString(text[i:])
				for _, rest := range []string{text[:i], text[i:], text[:i] + text[i+size:]} {
					if got := EstimateString(rest); got > whole+1 {
						t.Fatalf("%d tokens after a cut at byte %d, %d before", got, i, whole)
					}
				}
			}
		})
	}
}

func TestEstimateAllocates(t *testing.T) {
	text := []byte(sample(t, "code"))
	raw := bytes.ReplaceAll(text, []byte("\n"), []byte(`\n`))
	raw = bytes.ReplaceAll(raw, []byte(`"`), []byte(`\"`))
	n := testing.AllocsPerRun(10, func() {
		Estimate(text)
		EstimateString(string(text[:0]))
		EstimateEscaped(raw)
	})
	if n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkEstimate(b *testing.B) {
	for _, name := range []string{"code", "english", "chinese"} {
		text := bytes.Repeat([]byte(sample(b, name)), 200)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Estimate(text)
			}
		})
	}
	b64 := []byte(base64.StdEncoding.EncodeToString(noise(300_000)))
	b.Run("base64", func(b *testing.B) {
		b.SetBytes(int64(len(b64)))
		for b.Loop() {
			Estimate(b64)
		}
	})
}
