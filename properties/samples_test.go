//go:build samples

package properties_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sessc/compress"
	"sessc/lifecycle"
)

// TestSamples holds every sample log of a format to the promises. The folder
// of samples is no part of the repository; where it is missing, the test fails.
func TestSamples(t *testing.T) {
	dir := os.Getenv("SESSC_SAMPLES")
	if dir == "" {
		t.Fatal("SESSC_SAMPLES does not name the folder of sample logs")
	}
	for n := range targets {
		tg := &targets[n]
		found := 0
		for _, glob := range tg.samples {
			paths, err := filepath.Glob(filepath.Join(dir, glob))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range paths {
				found++
				name := strings.TrimSuffix(filepath.Base(p), ".jsonl")
				for _, opt := range options {
					t.Run(tg.name+"/"+opt.name+"/"+name, func(t *testing.T) {
						t.Parallel()
						sp := specimen{name: name, data: fileOf(t, p), set: tg.set, refused: tg.refused[name]}
						if o := newDesk(t, tg, &sp, opt.set).examine(thorough); o.refused != sp.refused {
							t.Errorf("refused: %v, want %v", o.refused, sp.refused)
						}
					})
				}
			}
		}
		if found == 0 {
			t.Errorf("no samples of %s in %s", tg.name, dir)
		}
	}
}

// TestModelSamples looks for facts that a model's words have put out of a mask,
// on all samples.
func TestModelSamples(t *testing.T) {
	dir := os.Getenv("SESSC_SAMPLES")
	if dir == "" {
		t.Fatal("SESSC_SAMPLES does not name the folder of sample logs")
	}
	for n := range targets {
		tg := &targets[n]
		told := map[string]int{}
		for _, glob := range tg.samples {
			paths, err := filepath.Glob(filepath.Join(dir, glob))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range paths {
				name := strings.TrimSuffix(filepath.Base(p), ".jsonl")
				sp := &specimen{name: name, data: fileOf(t, p), set: tg.set, refused: tg.refused[name]}
				for layer, n := range keepsFacts(t, tg, sp, func(o *compress.Options) { o.Layers = lifecycle.Kinds }) {
					told[layer] += n
				}
			}
		}
		t.Logf("%s: masks with a model's words: %v", tg.name, told)
	}
}
