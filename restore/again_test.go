package restore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"sessc/archive"
	"sessc/restore"
	"sessc/writer"
)

// A log that was restored is compressed and restored like any other; the
// archive holds what looks like the same rewrite twice.
func TestCompressedAgain(t *testing.T) {
	b := newBench(t)
	content := fixture(t, "demo")
	path := b.log("s.jsonl", content)
	var masked []byte
	for n := range 3 {
		if !b.compress(path) {
			t.Fatal("not compacted")
		}
		if now := read(t, path); masked != nil && !bytes.Equal(now, masked) {
			t.Errorf("round %d: the log was compressed in another way", n)
		}
		masked = read(t, path)
		r := b.restore(path)
		b.same(path, content)
		if len(r.Generations) != 1 || !r.Identical {
			t.Errorf("round %d: report %+v", n, r)
		}
	}
	all, err := b.arch.Generations(context.Background(), archive.Query{})
	if err != nil || len(all) != 3 {
		t.Errorf("the archive holds %d rewrites, %v", len(all), err)
	}
}

// The output of a rewrite of a shorter copy, made later, is a beginning of the
// output of this one: the whole of it is what has to be undone.
func TestLongestBeginning(t *testing.T) {
	b := newBench(t)
	// With no recorded usage nothing but the finished work is rewritten.
	content := regexp.MustCompile(`"(input|output|cacheRead|cacheWrite|totalTokens)":[0-9]+`).ReplaceAll(fixture(t, "gen-a"), []byte(`"$1":0`))
	path := b.log("s.jsonl", content)
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masked := read(t, path)
	marks := func(b []byte) int { return bytes.Count(b, []byte(`"sessc":{`)) }
	found := false
	for cut := len(lines(content)) - 1; cut > 0 && !found; cut-- {
		short := b.log("short.jsonl", join(lines(content)[:cut]))
		if b.compress(short) {
			now := read(t, short)
			found = marks(now) < marks(masked) && bytes.HasPrefix(masked, now)
		}
	}
	if !found {
		t.Fatal("no shorter copy gives a beginning of the output")
	}
	if r := b.restore(path); !r.Identical {
		t.Errorf("report %+v", r)
	}
	b.same(path, content)
}

// A program writes to the log while it is being restored.
func TestLateWriter(t *testing.T) {
	b := newBench(t)
	content := fixture(t, "demo")
	path := b.log("s.jsonl", content)
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masked, tail := read(t, path), appended(t, path)
	torn := tail[:30]
	tests := map[string]struct {
		step string
		text []byte
		want error
		log  []byte
		kept []byte
	}{
		"before the last look": {"look again", tail, writer.ErrRefused, append(bytes.Clone(masked), tail...), nil},
		"before the rename":    {"rename", tail, nil, append(bytes.Clone(content), tail...), nil},
		"after it":             {"sync folder", tail, nil, append(bytes.Clone(content), tail...), nil},
		"half a line":          {"sync folder", torn, writer.ErrLate, content, torn},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b.write(path, masked)
			var f *os.File
			o := b.options()
			o.Trace = func(step string) {
				var err error
				if f == nil && (step == tt.step || step == "rename") {
					f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
				}
				if err == nil && step == tt.step {
					_, err = f.Write(tt.text)
					err = errors.Join(err, f.Close())
				}
				if err != nil {
					t.Error(err)
				}
			}
			if _, err := restore.Run(context.Background(), path, o); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			b.same(path, tt.log)
			late, err := b.arch.LateLines(context.Background(), index(t, path).ID)
			if err != nil || len(tt.kept) > 0 && (len(late) != 1 || !bytes.Equal(late[0].Raw, tt.kept)) {
				t.Errorf("saved %v, %v", late, err)
			}
		})
	}
}

// Of two copies of a growing session one lost a mask by forget. The other,
// compressed by itself, comes back all the same, although the output of the
// first is the longer beginning of it, and around foreign changes too.
func TestCompleteCopyOfAForgottenOne(t *testing.T) {
	added := []byte(`{"type":"note","text":"from elsewhere"}` + "\n")
	for _, foreign := range []bool{false, true} {
		t.Run(fmt.Sprintf("foreign %v", foreign), func(t *testing.T) {
			b := newBench(t)
			content := lines(claudeFixture(t, "demo"))
			one, two := b.log("one.jsonl", join(content[:84])), b.log("two.jsonl", join(content[:81]))
			if !b.compressKeeping(one, 0) {
				t.Fatal("not compacted")
			}
			refs := refsIn(t, one)
			b.forget(refs[len(refs)-1])
			if !b.compressKeeping(two, 0) {
				t.Fatal("not compacted")
			}
			b.append(two, join(content[81:]))
			if !bytes.HasPrefix(read(t, two), read(t, one)) || !slices.Equal(refsIn(t, two), refs) {
				t.Fatal("the first copy's output is no beginning of the second copy")
			}
			if foreign {
				b.write(two, join(slices.Insert(lines(read(t, two)), 1, added)))
				content = slices.Insert(content, 1, added)
			}
			if r := b.restore(two); r.Identical == foreign || len(r.Generations) != 1 || len(r.Masks) > 0 {
				t.Errorf("report %+v", r)
			}
			b.same(two, join(content))
		})
	}
}

// A later rewrite of which a part was forgotten is undone before an earlier
// one, which is complete: --generation 2 undoes it and nothing else, and the
// other is undone byte for byte below what stays masked.
func TestForgottenPartOfTheLastRewrite(t *testing.T) {
	content := lines(claudeFixture(t, "background"))
	for cut := len(content) / 4; cut < len(content); cut++ {
		b := newBench(t)
		path := b.log("s.jsonl", join(content[:cut]))
		if !b.compress(path) {
			continue
		}
		earlier := refsIn(t, path)
		b.append(path, join(content[cut:]))
		was := lines(read(t, path))
		if !b.compress(path) {
			continue
		}
		masked, refs := lines(read(t, path)), refsIn(t, path)
		if len(refs) < len(earlier)+2 {
			continue
		}
		last := refs[len(refs)-1]
		stay := wovenWith(masked, last)
		b.forget(last)
		o := b.options()
		for n, want := range map[int][][]byte{2: onlyMasked(was, masked, stay), 0: onlyMasked(content, masked, stay)} {
			b.write(path, join(masked))
			o.Generation = n
			r, err := restore.Run(context.Background(), path, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Case != restore.Partial || r.Identical || !slices.Equal(r.Forgotten, []string{last}) || len(r.Generations) != 1+(2-n)/2 {
				t.Errorf("generation %d: report %+v", n, r)
			}
			b.same(path, join(want))
		}
		return
	}
	t.Fatal("no log with two rewrites")
}

// Two logs of one session that differ only in what masks replace come to the same
// bytes: each gets its own back, whichever was rewritten last.
func TestRestoreOfTwins(t *testing.T) {
	original := read(t, "../fixtures/openclaw/demo.jsonl")
	twin := bytes.Clone(original)
	at := 0
	for range 12 {
		at += bytes.IndexByte(twin[at:], '\n') + 1
	}
	word := at + bytes.Index(twin[at:], []byte("sessions"))
	copy(twin[word:], "sentries")
	for _, order := range [][2]string{{"a.jsonl", "b.jsonl"}, {"b.jsonl", "a.jsonl"}} {
		b := newBench(t)
		logs := map[string][]byte{"a.jsonl": original, "b.jsonl": twin}
		paths := map[string]string{}
		for _, name := range order {
			paths[name] = b.log(name, logs[name])
			if !b.compress(paths[name]) {
				t.Fatalf("%s: nothing was changed", name)
			}
		}
		if !bytes.Equal(read(t, paths["a.jsonl"]), read(t, paths["b.jsonl"])) {
			t.Fatal("they do not come to the same bytes")
		}
		moved := b.log("c.jsonl", read(t, paths["a.jsonl"]))
		var refused *writer.Refusal
		if _, err := restore.Run(context.Background(), moved, b.options()); !errors.As(err, &refused) {
			t.Errorf("of a log that may be either: %v", err)
		}
		for name, path := range paths {
			b.restore(path)
			b.same(path, logs[name])
		}
	}
}
