package restore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sessc/archive"
	"sessc/restore"
	"sessc/session"
	"sessc/writer"
)

// inlineLogs are logs of Claude Code, where a mask is some ranges of a line.
var inlineLogs = []string{"demo", "wave-six", "parallel", "again", "background", "results-in-one-line", "thinking-parallel", "states", "wave-humans", "crlf-blank", "bom"}

func claudeFixture(t testing.TB, name string) []byte {
	t.Helper()
	return read(t, filepath.Join("..", "fixtures", "claudecode", name+".jsonl"))
}

var anyRef = regexp.MustCompile(`sessc:([0-9a-f]{12,})|"sessc":\{"v":1,"ref":"([^"]+)"`)

// refsOfLine lists the masks that a line of a masked log holds.
func refsOfLine(line []byte) []string {
	var refs []string
	for _, m := range anyRef.FindAllSubmatch(line, -1) {
		refs = append(refs, string(m[1])+string(m[2]))
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// wovenWith is a mask with all that share a line with it.
func wovenWith(masked [][]byte, ref string) []string {
	with := []string{ref}
	for again := true; again; {
		again = false
		for _, l := range masked {
			refs := refsOfLine(l)
			if !slices.ContainsFunc(refs, func(r string) bool { return slices.Contains(with, r) }) {
				continue
			}
			for _, r := range refs {
				if !slices.Contains(with, r) {
					with, again = append(with, r), true
				}
			}
		}
	}
	return with
}

// onlyMasked is the original with the lines of some masks as they were masked.
func onlyMasked(content, masked [][]byte, refs []string) [][]byte {
	want := slices.Clone(content)
	for n, l := range masked {
		if !bytes.Equal(l, content[n]) && slices.ContainsFunc(refsOfLine(l), func(r string) bool { return slices.Contains(refs, r) }) {
			want[n] = masked[n]
		}
	}
	return want
}

// inlined is a log of Claude Code that was compressed.
func inlined(t *testing.T, b *bench, name string) (path string, content, masked [][]byte, refs []string) {
	t.Helper()
	content = lines(claudeFixture(t, name))
	path = b.log("s.jsonl", join(content))
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masked = lines(read(t, path))
	if len(masked) != len(content) {
		t.Fatalf("%d lines became %d", len(content), len(masked))
	}
	return path, content, masked, refsIn(t, path)
}

// What one mask inside lines stands for was deleted: its lines stay as they
// are, all others are those of the original, whatever was appended since.
func TestForgottenMaskInsideLines(t *testing.T) {
	for _, name := range inlineLogs {
		t.Run(name, func(t *testing.T) {
			_, _, masked, refs := inlined(t, newBench(t), name)
			for _, ref := range refs {
				for _, late := range []bool{false, true} {
					b := newBench(t)
					path, content, _, _ := inlined(t, b, name)
					b.forget(ref)
					var tail []byte
					if late {
						tail = claudeTurn(t, path)
						b.append(path, tail)
					}
					stay := wovenWith(masked, ref)
					r, err := restore.Run(context.Background(), path, b.options())
					if !slices.ContainsFunc(refs, func(r string) bool { return !slices.Contains(stay, r) }) {
						if !errors.Is(err, archive.ErrForgotten) {
							t.Errorf("%s: error %v", ref, err)
						}
						b.same(path, append(join(masked), tail...))
						continue
					}
					if err != nil {
						t.Fatalf("%s: %v", ref, err)
					}
					if r.Case != restore.Partial || r.Identical || !slices.Equal(r.Forgotten, []string{ref}) || len(r.Foreign) > 0 {
						t.Errorf("%s: report %+v", ref, r)
					}
					want := append(join(onlyMasked(content, masked, stay)), tail...)
					b.same(path, want)
					if _, err := restore.Run(context.Background(), path, b.options()); !errors.Is(err, archive.ErrForgotten) {
						t.Errorf("%s: again: %v", ref, err)
					}
					b.same(path, want)
				}
			}
		})
	}
}

// claudeTurn is a turn that the client would add to a log.
func claudeTurn(t testing.TB, path string) []byte {
	t.Helper()
	s := index(t, path)
	return fmt.Appendf(nil, `{"parentUuid":%q,"isSidechain":false,"userType":"external","cwd":"/home/dev","sessionId":%q,"version":"2.1.328","type":"user","message":{"role":"user","content":"and now?"},"uuid":"aaaaaaaa-0000-4000-8000-000000000001","timestamp":"2027-05-01T10:00:00.000Z"}`+"\n", s.IDOf(s.Leaf), s.ID)
}

// The client has written kept lines anew and appended a turn: every mask is
// undone, and the client's changes stay.
func TestForeignChangesAroundMasksInsideLines(t *testing.T) {
	for _, name := range []string{"demo", "wave-six", "parallel", "again", "background", "states"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			path, content, masked, _ := inlined(t, b, name)
			now, want, changed := slices.Clone(masked), slices.Clone(content), 0
			for n, l := range masked {
				if n%3 == 0 && bytes.Equal(l, content[n]) && bytes.Contains(l, []byte(`"uuid"`)) {
					now[n], changed = rewritten(t, l), changed+1
					want[n] = now[n]
				}
			}
			tail := claudeTurn(t, path)
			b.write(path, append(join(now), tail...))
			r := b.restore(path)
			if r.Case != restore.Realigned || r.Identical || changed == 0 || len(r.Foreign) != changed || len(r.Masks) > 0 {
				t.Errorf("%d changed, report %+v", changed, r)
			}
			b.same(path, append(join(want), tail...))
		})
	}
}

// The client has written a line anew that holds a mask: what that mask stands
// for, and what is woven with it, stays masked and is named; all else is back.
func TestForeignChangeOfALineWithAMaskInside(t *testing.T) {
	for _, name := range []string{"demo", "wave-six", "parallel", "again", "background"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			path, content, masked, refs := inlined(t, b, name)
			for _, at := range masksOf(t, path) {
				stay := wovenWith(masked, refsOfLine(masked[at])[0])
				now, says := slices.Clone(masked), "was altered since sessc wrote it"
				now[at] = rewritten(t, masked[at])
				if at%2 > 0 { // the client lost the marker
					now[at], says = bytes.Replace(now[at], []byte(`"sessc":`), []byte(`"sessx":`), 1), "is missing"
				}
				tail := claudeTurn(t, path)
				b.write(path, append(join(now), tail...))
				r, err := restore.Run(context.Background(), path, b.options())
				if len(stay) == len(refs) {
					if !errors.Is(err, writer.ErrRefused) {
						t.Errorf("line %d: error %v", at+1, err)
					}
				} else {
					if err != nil {
						t.Fatalf("line %d: %v", at+1, err)
					}
					if r.Case != restore.Partial || r.Identical || !strings.Contains(strings.Join(r.Foreign, "\n"), says) || !slices.Contains(r.Masks, refsOfLine(masked[at])[0]) {
						t.Errorf("line %d: report %+v", at+1, r)
					}
					want := onlyMasked(content, masked, stay)
					want[at] = now[at]
					b.same(path, append(join(want), tail...))
					if f := session.FaultsOf(index(t, path)); f.Dangling > 0 {
						t.Errorf("line %d: faults %+v", at+1, f)
					}
					done := read(t, path)
					if _, err := restore.Run(context.Background(), path, b.options()); err == nil {
						t.Error("there was more to restore")
					}
					b.same(path, done)
				}
				b.write(path, join(masked))
			}
		})
	}
}

// Two rewrites, and a line of one mask that the client wrote anew: whichever
// it is, all other masks of both are undone.
func TestForeignChangeInsideLinesOfTwoRewrites(t *testing.T) {
	b := newBench(t)
	content := lines(claudeFixture(t, "background"))
	var path string
	for cut := len(content) / 4; ; cut++ {
		path = b.log("s.jsonl", join(content[:cut]))
		if b.compress(path) {
			b.append(path, join(content[cut:]))
			break
		}
	}
	was, first := lines(read(t, path)), refsIn(t, path)
	if len(first) != 1 || !b.compress(path) || len(refsIn(t, path)) == 1 {
		t.Fatal("not compacted twice")
	}
	masked := lines(read(t, path))
	for _, at := range masksOf(t, path) {
		now := slices.Clone(masked)
		now[at] = rewritten(t, masked[at])
		b.write(path, join(now))
		r, err := restore.Run(context.Background(), path, b.options())
		if err != nil {
			t.Fatalf("line %d: %v", at+1, err)
		}
		if r.Case != restore.Partial || r.Identical || !strings.Contains(strings.Join(r.Foreign, "\n"), "was altered") {
			t.Errorf("line %d: report %+v", at+1, r)
		}
		stay := wovenWith(masked, refsOfLine(masked[at])[0])
		want := onlyMasked(content, masked, stay)
		if slices.Contains(stay, first[0]) {
			want = slices.Clone(was) // nothing of the first rewrite can be undone, its figures stay too
		}
		want[at] = now[at]
		b.same(path, join(want))
		b.write(path, join(masked))
	}
}
