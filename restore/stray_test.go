package restore_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sessc/restore"
)

// Masks that were copied from another log, one line or all, are lines like
// any other: they stay, and the log's own rewrites are undone all the same.
func TestStrayMasks(t *testing.T) {
	own := fixture(t, "demo")
	// The same session, longer, so that its masks have other refs.
	again := regenerated(own)
	sources := map[string][]byte{
		"another session":            fixture(t, "gen-a"),
		"a session with two pieces":  fixture(t, "wave-humans"),
		"another copy of the same":   again,
		"a copy without its own end": join(lines(own)[:len(lines(own))-20]),
	}
	for name, other := range sources {
		for _, where := range []string{"appended", "in between", "alone"} {
			t.Run(name+", "+where, func(t *testing.T) {
				b := newBench(t)
				from := b.log("other.jsonl", other)
				if !b.compress(from) {
					t.Fatal("the other log is not compacted")
				}
				otherLines := lines(read(t, from))
				var strays [][]byte
				for _, i := range masksOf(t, from) {
					strays = append(strays, otherLines[i])
				}
				path := b.log("s.jsonl", own)
				if where == "alone" {
					b.write(path, append(bytes.Clone(own), join(strays)...))
					_, err := restore.Run(context.Background(), path, b.options())
					if !errors.Is(err, restore.ErrNothing) || !strings.Contains(err.Error(), "copied from another log") {
						t.Errorf("error %v", err)
					}
					b.same(path, append(bytes.Clone(own), join(strays)...))
					return
				}
				if !b.compress(path) {
					t.Fatal("not compacted")
				}
				own1, foreign := refsIn(t, path), refsIn(t, from)
				strays = strays[:0]
				for _, i := range masksOf(t, from) {
					if ref, _ := index(t, from).Mark(int32(i)); !slices.Contains(own1, ref.Ref) {
						strays = append(strays, otherLines[i])
					}
				}
				if len(strays) == 0 {
					t.Skip("all its masks are those of the log")
				}
				for _, some := range [][][]byte{strays[:1], strays[len(strays)-1:], strays} {
					masked := lines(read(t, path))
					if where == "appended" {
						b.write(path, append(join(masked), join(some)...))
						r := b.restore(path)
						b.same(path, append(bytes.Clone(own), join(some)...))
						if r.Case != restore.Exact || !r.Identical || len(r.Generations) != 1 || len(r.Masks) == 0 || !contains(foreign, r.Masks) {
							t.Errorf("report %+v", r)
						}
					} else {
						b.write(path, join(slices.Insert(slices.Clone(masked), 3, some...)))
						r := b.restore(path)
						b.same(path, join(slices.Insert(lines(bytes.Clone(own)), 3, some...)))
						if r.Case != restore.Realigned || len(r.Generations) != 1 || !strings.Contains(strings.Join(r.Foreign, "\n"), "was added") {
							t.Errorf("report %+v", r)
						}
					}
					b.write(path, join(masked))
				}
			})
		}
	}
}

// regenerated is a log in which a sub-task ended in other words.
func regenerated(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte("windows-1252"), []byte("windows-1251"))
}

func refsIn(t *testing.T, path string) []string {
	var refs []string
	for _, i := range masksOf(t, path) {
		if m, _ := index(t, path).Mark(int32(i)); !slices.Contains(refs, m.Ref) {
			refs = append(refs, m.Ref)
		}
	}
	return refs
}

func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}
