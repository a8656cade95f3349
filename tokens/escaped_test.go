package tokens

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestEstimateEscaped(t *testing.T) {
	long := strings.Repeat("QkFTRTY0", 30)
	tests := []struct {
		name string
		raw  string
		text string // what it decodes to
	}{
		{"nothing", ``, ""},
		{"no escape", `plain words, 日本語`, "plain words, 日本語"},
		{"every short escape", `\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t"},
		{"hex in both cases", `\u00e9\u00E9\u4e2d`, "éé中"},
		{"surrogate pair", `a\ud83d\ude00b`, "a😀b"},
		{"lone high surrogate", `a\ud83db`, "a\ufffdb"},
		{"lone low surrogate", `\ude00`, "\ufffd"},
		{"two high surrogates and a low one", `\ud83d\ud83d\ude00`, "\ufffd😀"},
		{"high surrogate, then another escape", `\ud83d\u0041`, "\ufffdA"},
		{"high surrogate at the end", `\ud83d`, "\ufffd"},
		{"bytes that are not UTF-8", "a\xffb\\n\xe2\x82", "a\ufffdb\n\ufffd\ufffd"},
		{"base64 over escaped slashes", strings.Repeat(`QkFTRTY0\/`, 30), strings.Repeat("QkFTRTY0/", 30)},
		{"base64 behind an escape", `\n` + long, "\n" + long},
		{"cut-off escape stands as it is", `ab\u12`, `ab\u12`},
		{"unknown escape stands as it is", `a\qb`, `a\qb`},
		{"backslash at the end", `a\`, `a\`},
		{"longer than the buffer", strings.Repeat(`one line\n`, 2000), strings.Repeat("one line\n", 2000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := EstimateEscaped([]byte(tt.raw)), EstimateString(tt.text); got != want {
				t.Errorf("EstimateEscaped(%.60q) = %d, Estimate of the decoded text = %d", tt.raw, got, want)
			}
		})
	}
}

func TestEstimateEscapedRandom(t *testing.T) {
	parts := []string{`\n`, `\t`, `\"`, `\\`, `\/`, `\u0041`, `\ud83d`, `\ude00`, `\ud83d\ude00`, `\uFFFF`, "é", "日本", "😀", " ", "word", "\xff", "\xf0\x9f", strings.Repeat("QkF0", 70), strings.Repeat("a1", 150)}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var b bytes.Buffer
		for range r.IntN(400) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		compareDecoded(t, b.Bytes())
	}
}

// compareDecoded checks raw against encoding/json where that accepts it.
func compareDecoded(t *testing.T, raw []byte) {
	t.Helper()
	got := EstimateEscaped(raw)
	var text string
	if json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &text) != nil {
		return
	}
	if want := EstimateString(text); got != want {
		t.Fatalf("EstimateEscaped(%q) = %d, Estimate of the decoded text = %d", raw, got, want)
	}
}

func FuzzEstimateEscaped(f *testing.F) {
	f.Add([]byte(`a\ud83d\ude00\n\u00e9`))
	f.Add([]byte("\\ud83d\xff\\\\\\"))
	f.Add([]byte(strings.Repeat(`QkF0\/`, 50)))
	f.Fuzz(func(t *testing.T, raw []byte) { compareDecoded(t, raw) })
}

func BenchmarkEstimateEscaped(b *testing.B) {
	quoted, err := json.Marshal(strings.Repeat(sample(b, "code"), 300))
	if err != nil {
		b.Fatal(err)
	}
	raw := quoted[1 : len(quoted)-1]
	for _, v := range []struct {
		name string
		raw  []byte
	}{
		{"one escape in 18 bytes", raw},
		{"no escape", bytes.ReplaceAll(raw, []byte(`\`), []byte("/"))},
	} {
		b.Run(v.name, func(b *testing.B) {
			b.SetBytes(int64(len(v.raw)))
			for b.Loop() {
				EstimateEscaped(v.raw)
			}
		})
	}
}
