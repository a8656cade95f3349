package tokens

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestO200kCountsExactly(t *testing.T) {
	// Counts of the published o200k_base vocabulary.
	tests := []struct {
		name string
		text string
		want int
	}{
		{"nothing", "", 0},
		{"two words", "hello world", 2},
		{"digits go in threes", "12345678", 3},
		{"one emoji", "😀", 1},
		{"a family of three", "👨‍👩‍👧", 8},
		{"hindi", "नमस्ते दुनिया", 5},
		{"a run of one letter", strings.Repeat("a", 64), 8},
	}
	c := exact(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.Count(tt.text); got != tt.want {
				t.Errorf("Count(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestO200kCutsLongText(t *testing.T) {
	c := exact(t)
	for _, name := range []string{"english", "chinese", "code", "json", "log", "emoji"} {
		t.Run(name, func(t *testing.T) {
			text := sample(t, name)
			text = strings.Repeat(text, 2+3*cut/len(text))
			whole, err := c.(o200k).enc.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Count(text); got != whole {
				t.Errorf("%d bytes: Count = %d, uncut %d", len(text), got, whole)
			}
		})
	}
	t.Run("one word of 200,000 bytes", func(t *testing.T) {
		text := strings.Repeat("日é", 40_000)
		whole, err := c.(o200k).enc.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Count(text); got < whole || got > whole+len(text)/cut {
			t.Errorf("Count = %d, uncut %d: more than one token a cut", got, whole)
		}
	})
}

func TestCounterNames(t *testing.T) {
	for _, tt := range []struct {
		c    Counter
		name string
	}{{ClassTable(), "o200k_base (estimated)"}, {exact(t), "o200k_base"}} {
		if got := tt.c.Name(); got != tt.name {
			t.Errorf("Name() = %q, want %q", got, tt.name)
		}
	}
	if got, want := ClassTable().Count("some text"), EstimateString("some text"); got != want {
		t.Errorf("ClassTable().Count = %d, EstimateString = %d", got, want)
	}
}

// Importing the package must not build the vocabulary: a child process of this test
// binary that runs nothing reports what its initialisation cost.
func TestStartUpIsCheap(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := false
	for line := range strings.Lines(string(out)) {
		// init PKG @T ms, T ms clock, N bytes, N allocs
		f := strings.Fields(line)
		if len(f) < 9 || f[0] != "init" {
			continue
		}
		if strings.Contains(f[1], "tokenizer") || strings.Contains(f[1], "regexp2") || strings.HasSuffix(f[1], "sessc/tokens") {
			seen = true
			t.Log(strings.TrimSpace(line))
			if len(f[7]) > 6 { // a million bytes and more
				t.Errorf("heavy initialisation: %s", line)
			}
		}
	}
	if !seen {
		t.Errorf("no initialisation of the tokenizer seen in\n%s", out)
	}
}

func TestImage(t *testing.T) {
	for _, tt := range []struct{ bytes, want int }{{-1, 0}, {0, 0}, {1, 1600}, {5_000_000, 1600}} {
		if got := Image(tt.bytes); got != tt.want {
			t.Errorf("Image(%d) = %d, want %d", tt.bytes, got, tt.want)
		}
	}
}
