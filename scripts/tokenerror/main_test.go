package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sessc/tokens"
)

var update = flag.Bool("update", false, "rewrite testdata/want.md")

func TestReport(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, []string{"testdata/pi.jsonl", "testdata/claude.jsonl"}); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/want.md"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("report differs from %s; got\n%s", golden, &out)
	}
}

func TestObservations(t *testing.T) {
	exact, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	sentences := func(n int) int {
		return exact.Count(strings.Repeat("The worker reads one job from the queue, runs it, and writes the result next to the input. ", n))
	}
	tests := []struct {
		name    string
		file    string
		used    []int
		between []int // o200k_base tokens
		dropped dropped
	}{
		// 1150 - 1000 - 20; the other neighbours: an image, a compaction, no usage, another model.
		{"pi", "pi.jsonl", []int{130}, []int{sentences(6)}, dropped{usage: 1, model: 1, boundary: 1, image: 1}},
		// (773 + 500) - (500 + 500) - 40: the last copy of the usage, both parallel results.
		{"claude code", "claude.jsonl", []int{233}, []int{2 * sentences(5)}, dropped{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := readLog(filepath.Join("testdata", tt.file), exact)
			if err != nil {
				t.Fatal(err)
			}
			obs, d := l.observations()
			if d != tt.dropped {
				t.Errorf("dropped %+v, want %+v", d, tt.dropped)
			}
			if len(obs) != len(tt.used) {
				t.Fatalf("%d observations, want %d: %+v", len(obs), len(tt.used), obs)
			}
			for i, o := range obs {
				if o.used != tt.used[i] {
					t.Errorf("used %d, want %d", o.used, tt.used[i])
				}
				if o.text.exact != tt.between[i] {
					t.Errorf("text of %d tokens, want %d", o.text.exact, tt.between[i])
				}
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(empty, []byte("no log\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"missing", filepath.Join(t.TempDir(), "none.jsonl"), "no such file"},
		{"no log", empty, "no line of a session log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := run(&bytes.Buffer{}, []string{tt.path})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}
