package main

import (
	"strings"
	"testing"

	"sessc/compress"
)

func TestReplaceParts(t *testing.T) {
	const page = "# Page\n\nremark\n\n<!-- generated: a -->\nold\nlines\n<!-- end -->\n\nmore\n<!-- generated: b -->\n<!-- end -->\n"
	const want = "# Page\n\nremark\n\n<!-- generated: a -->\nnew\n<!-- end -->\n\nmore\n<!-- generated: b -->\ntwo\n<!-- end -->\n"
	got, err := replaceParts(page, map[string]string{"a": "new\n", "b": "two"})
	if err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	again, err := replaceParts(got, map[string]string{"a": "new\n", "b": "two"})
	if err != nil || again != want {
		t.Errorf("not the same the second time: %q, %v", again, err)
	}
	for _, c := range []struct {
		name, page, wrong string
		parts             map[string]string
	}{
		{"no place", "# Page\n", "no place", map[string]string{"a": ""}},
		{"no part", page, "no part", map[string]string{"a": ""}},
		{"twice", page + page, "no part", map[string]string{"a": "", "b": ""}},
		{"open end", "<!-- generated: a -->\nold\n", "does not end", map[string]string{"a": ""}},
		{"broken marker", "<!-- generated: a\n<!-- end -->\n", "does not end", map[string]string{"a": ""}},
	} {
		if _, err := replaceParts(c.page, c.parts); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.wrong)
		}
	}
}

func TestPrintDiff(t *testing.T) {
	for _, c := range []struct{ name, old, now, want string }{
		{"same", "a\nb", "a\nb", ""},
		{"changed", "a\nb\nc", "a\nx\nc", "2\t- b\n3\t+ x\n"},
		{"added", "a\nc", "a\nb\nc", "2\t+ b\n"},
		{"removed", "a\nb\nc", "a\nc", "2\t- b\n"},
		{"moved", "a\nb\nc", "b\nc\na", "1\t- a\n4\t+ a\n"},
	} {
		var b strings.Builder
		if err := printDiff(&b, c.old, c.now); err != nil || b.String() != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, b.String(), err, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(0), "0"}, {number(999), "999"}, {number(1000), "1,000"}, {number(int64(1234567)), "1,234,567"},
		{number(-1234), "-1,234"}, {number(-123), "-123"}, {percent(1, 3), "33.3"}, {percent(2, 2), "100.0"}, {percent(0, 0), "-"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	got := table([]string{"log", "n", "why "}, [][]string{{"a", "1", "so"}})
	if want := "| log | n | why |\n| --- | --: | --- |\n| a | 1 | so |\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestReasons(t *testing.T) {
	got := reasons([]compress.LeftOut{{Reason: "b: line 3"}, {Reason: "c"}, {Reason: "b: line 9"}, {Reason: "a"}})
	if want := "2 b; 1 a; 1 c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What fixtures give, as their truth files say: three tasks, all done, all compacted; a file that is no log; a log
// with those of its children.
func TestMeasure(t *testing.T) {
	t.Chdir("../..")
	b, err := newBench(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ folder, refused, nested string }{
		{"openclaw", "binary", "nested"},
		{"claudecode", "only-a-subagent", "with-subagents"},
	} {
		t.Run(tt.folder, func(t *testing.T) {
			dir := fixtures + "/" + tt.folder + "/"
			r, err := b.measure(t.Context(), logFile{name: "demo", path: dir + "demo.jsonl"})
			if err != nil {
				t.Fatal(err)
			}
			if st := r.report.States; st.Found != 3 || st.Done != 3 || st.Compacted != 3 || r.small != 0 {
				t.Errorf("lifecycles %+v, %d too small", st, r.small)
			}
			if k := r.kept.Total; k.Facts < 20 || k.Visible < k.Facts/3 || k.Lost != 0 || k.Visible+k.Kept+k.Recoverable != k.Facts {
				t.Errorf("retention %+v", k)
			}
			no, err := b.measure(t.Context(), logFile{name: tt.refused, path: dir + tt.refused + ".jsonl"})
			if err != nil || no.refused == "" || no.report != nil {
				t.Errorf("a file that is no log: %+v, %v", no, err)
			}
			nested, err := b.measure(t.Context(), logFile{name: tt.nested, path: dir + tt.nested + "/" + tt.nested + ".jsonl", children: true})
			if err != nil || nested.kept.Files.Touched == 0 || nested.kept.Files.Both == 0 {
				t.Errorf("files of children: %+v, %v", nested.kept.Files, err)
			}
		})
	}
}

func TestFindLogs(t *testing.T) {
	t.Chdir("../..")
	if _, err := findLogs(t.TempDir()); err == nil || !strings.Contains(err.Error(), "-samples") {
		t.Errorf("no samples: %v", err)
	}
}
