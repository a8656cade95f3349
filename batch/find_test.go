package batch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sessc/session/formats"
)

// put makes files below a new folder and changes into it.
func put(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		path := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	put(t, "logs/b.jsonl", "logs/a.jsonl", "logs/deep/er/c.jsonl", "logs/.hidden.jsonl", "logs/x.trajectory.jsonl",
		"logs/y.checkpoint.1.jsonl", "logs/notes.txt", "logs/.a.jsonl.sessc-1-ff.tmp", "one.trajectory.jsonl", "none/readme.txt")
	link(t, "a.jsonl", "logs/z-link.jsonl")
	link(t, "../../logs", "logs/deep/ring")
	link(t, "gone", "logs/nowhere.jsonl")
	for _, tc := range []struct {
		name  string
		paths []string
		want  []string // path, with ! for named ones and ? for failures
	}{
		{"folder", []string{"logs"}, []string{"logs/.hidden.jsonl", "logs/a.jsonl", "logs/b.jsonl", "logs/deep/er/c.jsonl"}},
		{"folder with a slash", []string{"logs/deep/"}, []string{"logs/deep/er/c.jsonl", "logs/deep/ring/.hidden.jsonl", "logs/deep/ring/a.jsonl", "logs/deep/ring/b.jsonl"}},
		{"a log", []string{"logs/a.jsonl"}, []string{"!logs/a.jsonl"}},
		{"a link to a log", []string{"logs/z-link.jsonl"}, []string{"!logs/z-link.jsonl"}},
		{"a log and its link", []string{"logs/a.jsonl", "logs/z-link.jsonl"}, []string{"!logs/a.jsonl"}},
		{"the same log twice", []string{"logs/a.jsonl", "./logs/../logs/a.jsonl"}, []string{"!logs/a.jsonl"}},
		{"a log behind its folder", []string{"logs/deep/er", "logs/deep/er/c.jsonl"}, []string{"!logs/deep/er/c.jsonl"}},
		{"a folder behind its log", []string{"logs/deep/er/c.jsonl", "logs/deep/er"}, []string{"!logs/deep/er/c.jsonl"}},
		{"a named file is taken whatever its name", []string{"one.trajectory.jsonl"}, []string{"!one.trajectory.jsonl"}},
		{"missing", []string{"nope", "logs/b.jsonl"}, []string{"?nope", "!logs/b.jsonl"}},
		{"no log in a folder", []string{"none"}, []string{"?none"}},
		{"a link to nowhere", []string{"logs/nowhere.jsonl"}, []string{"?logs/nowhere.jsonl"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := Finder{Formats: formats.All}
			var got []string
			for _, f := range f.Find(tc.paths, false) {
				mark := ""
				if f.Named {
					mark = "!"
				}
				if f.Err != nil {
					mark = "?"
				}
				got = append(got, mark+f.Shown)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// found are the logs that a finder takes, without those that came to nothing.
func found(f Finder, paths []string, all bool) []string {
	var got []string
	for _, t := range f.Find(paths, all) {
		if t.Err == nil {
			got = append(got, t.Shown)
		}
	}
	return got
}

func TestFilters(t *testing.T) {
	put(t, "logs/main/sessions/a.jsonl", "logs/main/sessions/b.jsonl", "logs/main/old/c.jsonl", "logs/ops/sessions/d.jsonl", "e.jsonl")
	old := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, path := range []string{"logs/main/sessions/b.jsonl", "e.jsonl"} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name string
		f    Finder
		want []string
	}{
		{"none", Finder{}, []string{"logs/main/old/c.jsonl", "logs/main/sessions/a.jsonl", "logs/main/sessions/b.jsonl", "logs/ops/sessions/d.jsonl", "e.jsonl"}},
		{"include by name", Finder{Include: []string{"a*"}}, []string{"logs/main/sessions/a.jsonl", "e.jsonl"}},
		{"include by folder", Finder{Include: []string{"ops/sessions/*", "b.jsonl"}}, []string{"logs/main/sessions/b.jsonl", "logs/ops/sessions/d.jsonl", "e.jsonl"}},
		{"exclude a folder", Finder{Exclude: []string{"main/*s"}}, []string{"logs/main/old/c.jsonl", "logs/ops/sessions/d.jsonl", "e.jsonl"}},
		{"exclude beats include", Finder{Include: []string{"*.jsonl"}, Exclude: []string{"old", "ops"}}, []string{"logs/main/sessions/a.jsonl", "logs/main/sessions/b.jsonl", "e.jsonl"}},
		{"newer; a named log is always taken", Finder{Since: old.Add(time.Second)}, []string{"logs/main/old/c.jsonl", "logs/main/sessions/a.jsonl", "logs/ops/sessions/d.jsonl", "e.jsonl"}},
		{"nothing left is no failure", Finder{Include: []string{"x"}}, []string{"e.jsonl"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.f.Formats = formats.All
			if got := found(tc.f, []string{"logs", "e.jsonl"}, false); !slices.Equal(got, tc.want) {
				t.Errorf("found %q, want %q", got, tc.want)
			}
			for _, at := range tc.f.Find([]string{"logs"}, false) {
				if at.Err != nil {
					t.Error(at.Err)
				}
			}
		})
	}
}

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern, file string
		want          bool
	}{
		{"*.jsonl", "a/b.jsonl", true},
		{"*.jsonl", "a.jsonl/b", true},
		{"b", "a/b.jsonl", false},
		{"a/b", "x/a/b", true},
		{"a/b", "x/a/b/c", true},
		{"a/b", "a/x/b", false},
		{"a/", "x/a", true},
		{"/x/*", "/x/a/b", true},
		{"/a", "/x/a", false},
		{"a/b/c", "b/c", false},
		{"[", "[", false},
		{"a?c", "abc", true},
		{"*", "", true},
	} {
		if got := Match(tc.pattern, tc.file); got != tc.want {
			t.Errorf("%q matches %q: %v", tc.pattern, tc.file, got)
		}
	}
	if CheckPattern("a[") == nil || CheckPattern("a/*") != nil {
		t.Error("a pattern is misjudged")
	}
}

func TestDefaultFolders(t *testing.T) {
	const id = "6f0c1d2e-3b4a"
	home := put(t, ".openclaw/agents/main/sessions/"+id+".jsonl", ".openclaw/agents/ops/sessions/0a1b2c3d-ffff.jsonl",
		".openclaw/agents/ops/sessions/2026_"+id+"-9.trajectory.jsonl", ".pi/agent/sessions/--w--/2026_0a1b2c3d-eeee.jsonl", "elsewhere/x.jsonl")
	env := map[string]string{"HOME": home}
	f := Finder{Formats: formats.All, Getenv: func(name string) string { return env[name] }}
	in := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(home, names[i])
		}
		return names
	}
	main, ops, pi := ".openclaw/agents/main/sessions/"+id+".jsonl", ".openclaw/agents/ops/sessions/0a1b2c3d-ffff.jsonl", ".pi/agent/sessions/--w--/2026_0a1b2c3d-eeee.jsonl"
	if got := found(f, nil, true); !slices.Equal(got, in(main, ops, pi)) {
		t.Errorf("--all finds %q", got)
	}
	for given, want := range map[string][]string{
		id: in(main), id[:8]: in(main), "0a1b2c3d-e": in(pi),
		"0a1b2c3d": nil, "6f0c": nil, "not-there-at-all": nil, "sessions/" + id: nil,
	} {
		if got := found(f, []string{given}, false); !slices.Equal(got, want) {
			t.Errorf("id %s finds %q, want %q", given, got, want)
		}
	}
	if got := f.Find([]string{id}, true); len(got) != 3 || !got[0].Named || got[1].Named {
		t.Errorf("an id and --all find %+v", got)
	}
	// By the id inside, of which the beginning will do while it is unique; the
	// whole one goes before one that only begins with it.
	write := func(name, id string) {
		t.Helper()
		line := `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-03-01T00:00:00.000Z","cwd":"/w"}` + "\n"
		if err := os.WriteFile(filepath.Join(home, name), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, second := ".openclaw/agents/ops/sessions/first.jsonl", ".openclaw/agents/ops/sessions/second.jsonl"
	write(first, "aaaa1111-2222")
	write(second, "aaaa1111-2222-3333")
	for given, want := range map[string][]string{"aaaa1111-2222": in(first), "aaaa1111-2222-3": in(second), "aaaa1111": nil, "1111-2222": nil} {
		if got := found(f, []string{given}, false); !slices.Equal(got, want) {
			t.Errorf("id %s finds %q, want %q", given, got, want)
		}
	}
	if err := f.Find([]string{"aaaa1111"}, false)[0].Err; err == nil || !strings.Contains(err.Error(), "first.jsonl, ") || !strings.Contains(err.Error(), "second.jsonl; give more of the id") {
		t.Errorf("an ambiguous id: %v", err)
	}
	env["OPENCLAW_STATE_DIR"] = filepath.Join(home, "nowhere")
	if got := found(f, nil, true); !slices.Equal(got, in(pi)) {
		t.Errorf("with another state folder --all finds %q", got)
	}
}

// Every log belongs to exactly one shard, and the shards are of like size.
func TestShards(t *testing.T) {
	var all []Target
	for i := range 3000 {
		all = append(all, Target{Shown: fmt.Sprint(i), Real: fmt.Sprintf("/home/dev/.openclaw/agents/main/sessions/%04d.jsonl", i)})
	}
	for of := 1; of <= 7; of++ {
		seen := map[string]int{}
		for n := 1; n <= of; n++ {
			own := Shard{n, of}.pick(all)
			if share := 3000 / of; len(own) < share*8/10 || len(own) > share*12/10 {
				t.Errorf("shard %d/%d has %d of 3000 logs", n, of, len(own))
			}
			for _, at := range own {
				seen[at.Real]++
			}
		}
		if len(seen) != len(all) || slices.Max(slices.Collect(maps.Values(seen))) != 1 {
			t.Errorf("%d shards do not divide the work", of)
		}
	}
	if own := (Shard{2, 2}).pick([]Target{{Shown: "x", Err: os.ErrNotExist}}); len(own) != 1 {
		t.Error("a path that came to nothing is kept from a shard")
	}
}

func TestParseShard(t *testing.T) {
	for _, tc := range []struct {
		in, index string
		want      Shard
		bad       bool
	}{
		{in: "1/1", want: Shard{1, 1}}, {in: "2/5", want: Shard{2, 5}}, {in: "5/5", index: "0", want: Shard{5, 5}},
		{in: "5", index: "0", want: Shard{1, 5}}, {in: "5", index: "4", want: Shard{5, 5}},
		{in: "5", bad: true}, {in: "5", index: "5", bad: true}, {in: "5", index: "x", bad: true},
		{in: "0/5", bad: true}, {in: "6/5", bad: true}, {in: "-1/5", bad: true}, {in: "/5", bad: true}, {in: "1/", bad: true}, {in: "", bad: true}, {in: "1/2/3", bad: true},
	} {
		got, err := ParseShard(tc.in, tc.index)
		if (err != nil) != tc.bad || got != tc.want {
			t.Errorf("%q with index %q is %+v, %v", tc.in, tc.index, got, err)
		}
	}
}
