package genlog

import (
	"bytes"
	"strings"
	"testing"
)

func TestMutate(t *testing.T) {
	out, err := Play(Random(11, false), "openclaw", 11)
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(out.Log)
	seen := map[string]int{}
	unchanged := 0
	for seed := int64(0); seed < 600; seed++ {
		got, name := Mutate(seed, out.Log)
		again, _ := Mutate(seed, out.Log)
		if !bytes.Equal(got, again) {
			t.Fatalf("seed %d (%s): two runs differ", seed, name)
		}
		if bytes.Equal(got, out.Log) {
			unchanged++
		}
		for n := range strings.SplitSeq(name, "+") {
			seen[n]++
		}
	}
	if !bytes.Equal(before, out.Log) {
		t.Error("Mutate wrote into its input")
	}
	for _, n := range MutationNames() {
		if seen[n] == 0 {
			t.Errorf("no seed of 600 chose %s", n)
		}
	}
	if unchanged > 12 {
		t.Errorf("%d of 600 mutations changed nothing", unchanged)
	}
}

// TestMutateOddInputs: every mutation must cope with logs that have nothing to damage.
func TestMutateOddInputs(t *testing.T) {
	for _, in := range []string{"", "\n", "x", "{}\n{}\n", "\x00\xff"} {
		for seed := int64(0); seed < 200; seed++ {
			Mutate(seed, []byte(in))
		}
	}
}
