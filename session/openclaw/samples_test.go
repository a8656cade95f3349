//go:build samples

package openclaw

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestSamples reads logs of real programs: the folder openclaw below
// SESSC_SAMPLES.
func TestSamples(t *testing.T) {
	dir := os.Getenv("SESSC_SAMPLES")
	if dir == "" {
		t.Fatal("SESSC_SAMPLES names no folder of sample logs")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "openclaw", "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no logs in %s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			log, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := indexed(t, log)
			checkIndex(t, s, log)
			checkSpliced(t, log, 1)
			for _, line := range bytes.Split(log, []byte("\n")) {
				if len(bytes.TrimSpace(line)) > 0 {
					compareLine(t, line)
				}
			}
			for i := range s.Entries {
				if err := s.Sound(int32(i)); err != nil && len(s.Entries) > 0 && s.Entries[i].Kind.Role() != "" {
					t.Errorf("an entry that is sent is not sound: %v", err)
				}
			}
		})
	}
}
