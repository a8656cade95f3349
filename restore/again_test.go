package restore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
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
