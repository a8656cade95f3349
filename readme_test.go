package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sessc/cli"
)

// TestReadme compares the output that the README shows with that of the
// commands it names.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join("fixtures", "openclaw", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("session.jsonl", log, 0o600); err != nil {
		t.Fatal(err)
	}
	sessc := func(args ...string) string {
		var out bytes.Buffer
		err := cli.Run(context.Background(), &cli.Process{
			Args: append([]string{"sessc"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard,
			Getenv: func(name string) string {
				return map[string]string{"HOME": dir, "SESSC_ARCHIVE": filepath.Join(dir, "archive")}[name]
			},
			Now: time.Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	shown := sessc("compress", "--dry-run", "session.jsonl")
	sessc("compress", "--min-age", "0", "session.jsonl")
	masked, err := os.ReadFile("session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(masked), "── COMPACTED TASK ──")
	text, _, _ = strings.Cut(text, `"}]`)
	shown += strings.NewReplacer(`\n`, "\n", `\\\"`, `\"`, `\"`, `"`).Replace(text) + "\n"
	shown += sessc("restore", "--min-age", "0", "session.jsonl")
	for line := range strings.Lines(shown) {
		if line = strings.TrimSpace(line); line != "" && !bytes.Contains(readme, []byte(line)) {
			t.Errorf("the README does not show this line of the output:\n%s", line)
		}
	}
	if restored, err := os.ReadFile("session.jsonl"); err != nil || !bytes.Equal(restored, log) {
		t.Errorf("the original is not back (%v)", err)
	}
}
