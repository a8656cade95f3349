package restore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sessc/restore"
	"sessc/session"
	"sessc/writer"
)

// masksOf returns the numbers of the lines that are masks, from 0.
func masksOf(t testing.TB, path string) []int {
	t.Helper()
	s := index(t, path)
	var at []int
	for i := range s.Entries {
		if _, ok := s.Mark(int32(i)); ok {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		t.Fatal("no mask")
	}
	return at
}

// rewritten changes a line as a program would that reads it and writes it
// anew: same id and place, other bytes.
func rewritten(t testing.TB, line []byte) []byte {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatal(err)
	}
	v["repaired"] = true
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

// The agent has rewritten, dropped or added lines that sessc left alone: all
// that was removed is back in its place, and the agent's changes stay.
func TestForeignChanges(t *testing.T) {
	for _, name := range []string{"demo", "states", "wave-humans", "metadata", "gen-d", "spawn-errors", "thinking-parallel", "crlf-blank"} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				foreign(t, name, seed)
			}
		})
	}
}

func foreign(t *testing.T, name string, seed uint64) {
	b := newBench(t)
	r := rand.New(rand.NewPCG(seed, 2))
	content := lines(fixture(t, name))
	path := b.log("s.jsonl", join(content))
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	s := index(t, path)
	masked := lines(read(t, path))
	// Lines are told apart by their ids; those that sessc re-hung are those
	// of which the id, but not the line, stands in the original.
	original := map[string]int{}
	for n, l := range content {
		original[idOf(l)] = n
	}
	want := slices.Clone(content)
	var now [][]byte
	changes, candidates := 0, 0
	for n, l := range masked {
		_, mask := s.Mark(int32(n))
		e := &s.Entries[n]
		at, ours := original[idOf(l)]
		plain := !mask && n > 0 && ours && bytes.Equal(l, content[at]) && e.Kind != session.Blank && e.Kind != session.Damaged && e.Kind != session.Opaque
		if plain {
			candidates++
		}
		if plain && int32(n) != s.Leaf && r.IntN(3) == 0 {
			changes++
			want[at] = rewritten(t, l)
			l = want[at]
		}
		now = append(now, l)
	}
	if changes == 0 {
		return
	}
	tail := appended(t, path)
	b.write(path, append(join(now), tail...))
	rep := b.restore(path)
	if rep.Case != restore.Realigned || rep.Identical || len(rep.Foreign) < changes || len(rep.Masks) > 0 {
		t.Errorf("seed %d: %d changes, report %+v", seed, changes, rep)
	}
	b.same(path, append(join(want), tail...))
	if t.Failed() {
		t.Fatalf("seed %d, %d of %d lines changed", seed, changes, candidates)
	}
}

func idOf(line []byte) string {
	var v struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(bytes.TrimPrefix(line, []byte("\ufeff")), &v) != nil || v.ID == "" {
		return string(line)
	}
	return v.ID
}

// Lines that are gone, lines that came in between, and a line that sessc had
// re-hung and the agent wrote anew.
func TestForeignLinesAreListed(t *testing.T) {
	content := lines(fixture(t, "demo"))
	added := []byte(`{"type":"custom","id":"cccc0001","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z","customType":"x"}` + "\n")
	tests := map[string]struct {
		change func(masked [][]byte, mask int) [][]byte
		want   string
		diff   func(content [][]byte, at int) [][]byte
	}{
		"added": {func(l [][]byte, mask int) [][]byte { return slices.Insert(l, 2, added) }, "line 3 (meta) was added",
			func(c [][]byte, _ int) [][]byte { return slices.Insert(c, 2, added) }},
		"header rewritten": {func(l [][]byte, _ int) [][]byte { l[0] = rewritten(t, l[0]); return l }, "line 1 (header) was changed",
			func(c [][]byte, _ int) [][]byte { c[0] = rewritten(t, c[0]); return c }},
		"last dropped": {func(l [][]byte, _ int) [][]byte { return l[:len(l)-1] }, "of what sessc wrote is gone",
			func(c [][]byte, _ int) [][]byte { return c[:len(c)-1] }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			path := b.log("s.jsonl", join(content))
			if !b.compress(path) {
				t.Fatal("not compacted")
			}
			b.write(path, join(tt.change(lines(read(t, path)), masksOf(t, path)[0])))
			r := b.restore(path)
			if r.Case != restore.Realigned || !strings.Contains(strings.Join(r.Foreign, "\n"), tt.want) {
				t.Errorf("report %+v", r)
			}
			// The usage figure that sessc lowered may stand on a line that is
			// gone now; all other lines are those of the original.
			b.same(path, join(tt.diff(slices.Clone(content), 0)))
		})
	}
}

// Another program wrote the log with other line ends: no line changed by it.
func TestForeignLineEnds(t *testing.T) {
	b := newBench(t)
	content := fixture(t, "crlf-blank")
	path := b.log("s.jsonl", content)
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	unix := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
	b.write(path, unix(read(t, path)))
	if r := b.restore(path); r.Case != restore.Realigned || len(r.Foreign) > 0 {
		t.Errorf("report %+v", r)
	}
	got := read(t, path)
	if !bytes.Equal(unix(got), unix(content)) {
		t.Errorf("line %d is not that of the original", differs(unix(got), unix(content)))
	}
	if !bytes.Contains(got, []byte("\r\n")) {
		t.Error("what was removed came back with other line ends")
	}
}

// A pointer of ours on a line that was rewritten since stays as it is.
func TestForeignChangeOfARehungLine(t *testing.T) {
	b := newBench(t)
	content := lines(fixture(t, "metadata"))
	path := b.log("s.jsonl", join(content))
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masked := lines(read(t, path))
	known := map[string]bool{}
	for _, l := range content {
		known[string(l)] = true
	}
	s := index(t, path)
	at := -1
	for n, l := range masked {
		if _, mask := s.Mark(int32(n)); !mask && !known[string(l)] && int32(n) != s.Leaf {
			at = n
		}
	}
	if at < 0 {
		t.Fatal("no re-hung line")
	}
	masked[at] = rewritten(t, masked[at])
	b.write(path, join(masked))
	r := b.restore(path)
	if r.Case != restore.Realigned || len(r.Foreign) != 1 || !strings.HasPrefix(r.Foreign[0], fmt.Sprintf("line %d ", at+1)) {
		t.Errorf("report %+v", r)
	}
	got := lines(read(t, path))
	if len(got) != len(content) {
		t.Fatalf("%d lines, want %d", len(got), len(content))
	}
	differ := 0
	for n := range got {
		if !bytes.Equal(got[n], content[n]) {
			differ++
			if !bytes.Equal(got[n], masked[at]) {
				t.Errorf("line %d is neither the original nor the agent's", n+1)
			}
		}
	}
	if differ != 1 {
		t.Errorf("%d lines differ from the original", differ)
	}
}

// Two rewrites, and a foreign change in what only the first one had written.
func TestForeignChangeUnderTwoRewrites(t *testing.T) {
	b := newBench(t)
	path, was := three(t, b)
	masked := lines(read(t, path))
	masked[0] = rewritten(t, masked[0])
	b.write(path, join(masked))
	r := b.restore(path)
	if r.Case != restore.Realigned || len(r.Generations) != 3 || len(r.Masks) > 0 {
		t.Errorf("report %+v", r)
	}
	got, want := lines(read(t, path)), lines(was[0])
	if !bytes.Equal(join(got[1:len(want)]), join(want[1:])) || !bytes.Equal(got[0], masked[0]) {
		t.Error("the log does not begin with the original lines below the changed header")
	}
}

func TestAlteredMasks(t *testing.T) {
	alter := func(l []byte) []byte { return bytes.Replace(l, []byte("result:"), []byte("Result:"), 1) }
	tests := map[string]struct {
		change func(l [][]byte, masks []int) [][]byte
		want   string
	}{
		"text changed": {func(l [][]byte, m []int) [][]byte { l[m[1]] = alter(l[m[1]]); return l }, "was altered since sessc wrote it"},
		"rewritten":    {func(l [][]byte, m []int) [][]byte { l[m[0]] = rewritten(t, l[m[0]]); return l }, "was altered since sessc wrote it"},
		"missing":      {func(l [][]byte, m []int) [][]byte { return slices.Delete(l, m[1], m[1]+1) }, "is missing"},
		"marker gone": {func(l [][]byte, m []int) [][]byte {
			l[m[1]] = bytes.Replace(l[m[1]], []byte(`"sessc"`), []byte(`"sessx"`), 1)
			return l
		}, "is missing"},
	}
	for name, tt := range tests {
		for _, log := range []string{"demo", "metadata", "wave-humans"} {
			t.Run(name+" in "+log, func(t *testing.T) { alteredMask(t, log, tt.change, tt.want) })
		}
	}
}

func alteredMask(t *testing.T, log string, change func(l [][]byte, masks []int) [][]byte, want string) {
	b := newBench(t)
	content := lines(fixture(t, log))
	path := b.log("s.jsonl", join(content))
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masks := masksOf(t, path)
	ref, _ := index(t, path).Mark(int32(masks[0]))
	was := lines(read(t, path))
	altered := change(slices.Clone(was), masks)
	if bytes.Equal(join(was), join(altered)) {
		t.Fatal("nothing was altered")
	}
	b.write(path, join(altered))
	_, err := restore.Run(context.Background(), path, b.options())
	if !errors.Is(err, writer.ErrRefused) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ref.Ref) || !strings.Contains(err.Error(), "--output") {
		t.Errorf("error %v", err)
	}
	b.same(path, join(altered))

	o := b.options()
	o.Output = filepath.Join(b.dir, "out.jsonl")
	r, err := restore.Run(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	b.same(path, join(altered))
	if r.Case != restore.Partial || r.Identical || !strings.Contains(strings.Join(r.Foreign, "\n"), want) {
		t.Errorf("report %+v", r)
	}
	// What came back is right, and what was altered is still there.
	known := map[string]bool{}
	for _, l := range content {
		known[string(l)] = true
	}
	for n, l := range lines(read(t, o.Output)) {
		if !known[string(l)] && !slices.ContainsFunc(altered, func(a []byte) bool { return bytes.Equal(a, l) }) {
			t.Errorf("line %d is neither original nor in the log", n+1)
		}
	}
	if log == "demo" && len(lines(read(t, o.Output))) <= len(altered) {
		t.Errorf("nothing came back in the copy of %d lines", len(altered))
	}
	worse := session.FaultsOf(index(t, o.Output)).Dangling
	if worse > session.FaultsOf(index(t, path)).Dangling {
		t.Errorf("%d entries without their parent in the copy", worse)
	}
	b.clean()
}

// A compaction of the client's own that kept everything from a mask on has to
// keep all that the mask stood for.
func TestKeptFromAMask(t *testing.T) {
	for _, name := range []string{"demo", "wave-humans", "states", "gen-a", "metadata"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			content := fixture(t, name)
			path := b.log("s.jsonl", content)
			if !b.compress(path) {
				t.Fatal("not compacted")
			}
			masked := read(t, path)
			original := index(t, b.log("original.jsonl", content))
			for _, at := range masksOf(t, path) {
				b.write(path, masked)
				s := index(t, path)
				id := s.IDOf(int32(at))
				compaction := fmt.Sprintf(`{"type":"compaction","id":"dddd0001","parentId":%q,"timestamp":"2026-05-01T10:00:00.000Z","summary":"so far","firstKeptEntryId":%q,"tokensBefore":5000}`+"\n", s.IDOf(s.Leaf), id)
				b.append(path, []byte(compaction))
				r := b.restore(path)
				got := read(t, path)
				if !bytes.HasPrefix(got, content) {
					t.Fatal("the original is not back")
				}
				now := index(t, path)
				first := firstRemoved(t, original, content, masked, id)
				want := strings.Replace(compaction, fmt.Sprintf("%q,\"tokens", id), fmt.Sprintf("%q,\"tokens", first), 1)
				if tail := string(got[len(content):]); tail != want {
					t.Errorf("mask %s: the compaction is now %s want %s", id, tail, want)
				}
				if (first != id) != (len(r.Repointed) == 1) || r.Identical != (first == id) {
					t.Errorf("mask %s, first %s: report %+v", id, first, r)
				}
				if len(now.Lookup(first)) != 1 {
					t.Errorf("%s names no entry", first)
				}
			}
		})
	}
}

// firstRemoved finds, by comparing the two logs, the first entry that a mask
// stands for: of those that are gone, or written anew, without a break before
// the mask.
func firstRemoved(t testing.TB, s *session.Session, content, masked []byte, id string) string {
	t.Helper()
	kept := map[string]bool{}  // ids of lines that are in both, whatever their pointers
	masks := map[string]bool{} // ids of lines that are masks
	calls := map[string]bool{} // ids of masks that are calls
	for _, l := range lines(masked) {
		if bytes.Contains(l, []byte(`"sessc":{`)) {
			masks[idOf(l)] = true
			calls[idOf(l)] = bytes.Contains(l, []byte(`"type":"toolCall"`))
		} else {
			kept[idOf(l)] = true
		}
	}
	first, called := "", ""
	for _, l := range lines(content) {
		at := idOf(l)
		switch entries := s.Lookup(at); {
		case kept[at] && len(entries) == 1 && s.Position(entries[0]) >= 0:
			first, called = "", ""
		case kept[at]:
		case masks[at]:
			if first == "" {
				first = at
			}
			if calls[at] {
				called = first
			}
			if at == id {
				if called != "" {
					return called
				}
				return first
			}
			first = ""
		case first == "":
			first = at
		}
	}
	t.Fatalf("mask %s stands for nothing", id)
	return ""
}
