package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		files []string // globs below the folder
	}{
		{"random", []string{"-seed", "7"}, []string{"random-7.jsonl", "random-7.truth.json"}},
		{"several", []string{"-seed", "7", "-count", "3"}, []string{"random-7.jsonl", "random-8.jsonl", "random-9.truth.json"}},
		{"children", []string{"-seed", "7", "-script", "nested", "-children"}, []string{"nested/nested.jsonl", "nested/sessions.json", "nested/nested.truth.json"}},
		{"named", []string{"-script", "demo"}, []string{"demo.jsonl"}},
		{"claude code", []string{"-format", "claude-code", "-script", "with-subagents", "-children"},
			[]string{"with-subagents/with-subagents.jsonl", "with-subagents/with-subagents/subagents/agent-*.jsonl", "with-subagents/with-subagents/subagents/agent-*.meta.json"}},
		{"claude code, size", []string{"-format", "claude-code", "-size", "0.3"}, []string{"size-0-1.jsonl"}},
		{"pi", []string{"-format", "pi"}, []string{"random-1.jsonl"}},
		{"size", []string{"-size", "0.2"}, []string{"size-0-1.jsonl", "size-0-1.truth.json"}},
		{"mutate", []string{"-mutate", "2"}, []string{"random-1.jsonl", "random-1.0.*.jsonl", "random-1.1.*.jsonl"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sums [2][]byte
			for i := range sums {
				dir := t.TempDir()
				if err := run(append(c.args, "-out", dir)); err != nil {
					t.Fatal(err)
				}
				for _, g := range c.files {
					m, _ := filepath.Glob(filepath.Join(dir, g))
					if len(m) == 0 {
						t.Fatalf("%s was not written", g)
					}
					data, err := os.ReadFile(m[0])
					if err != nil || len(data) == 0 {
						t.Fatalf("%s: %d bytes, %v", m[0], len(data), err)
					}
					sums[i] = append(sums[i], data...)
				}
			}
			if !bytes.Equal(sums[0], sums[1]) {
				t.Error("two runs with the same flags differ")
			}
		})
	}
}

func TestRunErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no folder", nil, "-out DIR"},
		{"unknown format", []string{"-out", t.TempDir(), "-format", "nope"}, "openclaw"},
		{"unknown script", []string{"-out", t.TempDir(), "-script", "nope"}, "demo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := run(c.args); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}
