package summarize

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"sessc/summarize/redacttest"
)

// Every context is tried with these many draws of its secrets.
const draws = 12

// TestRedactContexts hides secrets in all the ways in which people and tools
// write them down, in all forms in which a log may hold them.
func TestRedactContexts(t *testing.T) {
	all, leaks, known := 0, 0, 0
	for _, c := range redacttest.Contexts() {
		all++
		tried, left, shown := 0, 0, ""
		for seed := range uint64(draws) {
			r := rand.New(rand.NewPCG(seed, 11))
			text, secrets := c.Make(r.IntN)
			for _, in := range redacttest.Forms(text) {
				tried++
				if out := Redact(in); redacttest.Leaked(out, secrets) != "" {
					if left++; shown == "" {
						shown = out
					}
				}
			}
		}
		switch {
		case c.Known:
			known++
			if left == 0 {
				t.Errorf("%s: %q is said to be known to leak, and does not", c.Kind, c.Template)
			}
		case left > 0:
			leaks++
			t.Errorf("%s: %d of %d draws of %q leak, as in %q", c.Kind, left, tried, c.Template, shown)
		}
	}
	t.Logf("%d contexts: %d leak, %d more are known to", all, leaks, known)
	if all < 200 {
		t.Errorf("only %d contexts", all)
	}
	// The README tells the user how many slip through.
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("Of %d,%03d ways to write a secret down that the tests try, %d slip through", all/1000, all%1000, known); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say %q", want)
	}
}

// TestRedactLookAlikes shows texts without a secret, as they are and escaped.
// The share of them that is left alone is the honest figure: precision over
// one planted secret for each would flatter.
func TestRedactLookAlikes(t *testing.T) {
	texts, all, touched := 0, 0, 0
	for seed := range uint64(draws) {
		r := rand.New(rand.NewPCG(seed, 13))
		alike := redacttest.LookAlikes()
		texts = len(alike)
		for _, c := range alike {
			text, _ := c.Make(r.IntN)
			for _, in := range redacttest.Forms(text) {
				all++
				if out := Redact(in); out != in {
					touched++
					t.Logf("touched\n  %q\n  %q", in, out)
				}
			}
		}
	}
	t.Logf("%d of %d look-alikes touched", touched, all)
	if texts < 300 {
		t.Errorf("only %d look-alikes", texts)
	}
	if 100*touched > all {
		t.Error("more than 1 % of the look-alikes are taken for secrets")
	}
}
