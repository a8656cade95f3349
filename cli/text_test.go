package cli

import (
	"os/exec"
	"strings"
	"testing"

	"sessc/compress"
	"sessc/model"
)

func TestComma(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", -1000: "-1,000", -999: "-999", 123456: "123,456", 1234567: "1,234,567",
	} {
		if got := comma(n); got != want {
			t.Errorf("comma(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestTook(t *testing.T) {
	for ms, want := range map[int64]string{-1: "-", 0: "0.0s", 1250: "1.2s", 59_900: "59.9s", 61_400: "1m1s", 3_600_000: "1h0m0s"} {
		if got := took(ms); got != want {
			t.Errorf("took(%d) = %s, want %s", ms, got, want)
		}
	}
}

// The cost that is told is the one that is known; what more there may be stands
// beside it.
func TestSpentOfAModel(t *testing.T) {
	a := &asking{engine: &engine{price: model.Price{In: 1, Out: 2}, priced: true}}
	for s, want := range map[model.Spent]string{
		{Calls: 1, In: 1200, Out: 80, Cost: 0.00136}:                         "1 call, 1,200 tokens in, 80 out, $0.0014",
		{Calls: 3, Failed: 2, In: 1200, Out: 80, Cost: 0.0014, Unsure: 0.03}: "3 calls, 1,200 tokens in, 80 out, 2 failed, $0.0014 and at most $0.0300 for what got no answer",
	} {
		if got := a.spent(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, tc := range []struct {
		lines []int
		want  string
	}{
		{nil, ""},
		{[]int{3}, "3"},
		{[]int{3, 4}, "3-4"},
		{[]int{3, 4, 5, 8, 10, 11}, "3-5, 8, 10-11"},
		{[]int{1, 3, 5}, "1, 3, 5"},
	} {
		if got := ranges(tc.lines); got != tc.want {
			t.Errorf("ranges(%v) = %q, want %q", tc.lines, got, tc.want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":      "plain\ttext\n",
		"red \x1b[31m":       "red \uFFFD[31m",
		"over\rwritten":      "over\uFFFDwritten",
		"c1 \u009b31m":       "c1 \uFFFD31m",
		"rtl \u202eevil":     "rtl \uFFFDevil",
		"修复 ção 🙂":           "修复 ção 🙂",
		"bad utf-8 \xff\xfe": "bad utf-8 \uFFFD\uFFFD",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// A shell reads a quoted word back as it was.
func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a/b.jsonl": "a/b.jsonl", "two words": "'two words'", "it's": `'it'\''s'`, "": "''", "-x": "./-x",
		"$(rm x)": "'$(rm x)'", "a\nb": "'a\nb'", "修复.jsonl": "修复.jsonl", "a*": "'a*'", "~": "'~'", "#a": "'#a'", "a;b": "'a;b'",
	} {
		got := quote(in)
		if got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+got).Output()
		if err != nil {
			t.Fatal(err)
		}
		if back := strings.TrimPrefix(string(out), "./"); back != in {
			t.Errorf("a shell reads %s as %q, want %q", got, back, in)
		}
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	table(&b, "> ", [][]string{
		{"name", right("tokens"), "remark"},
		{"修复登录", right("1,234"), "wide characters"},
		{"plain", right("7"), ""},
	})
	want := `> name      tokens  remark
> 修复登录   1,234  wide characters
> plain          7
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWhyUnchanged(t *testing.T) {
	left := func(reasons ...string) []compress.LeftOut {
		var all []compress.LeftOut
		for i, r := range reasons {
			all = append(all, compress.LeftOut{Reason: r, Line: 10 * (i + 1)})
		}
		return all
	}
	for _, tc := range []struct {
		name   string
		report compress.Report
		dry    bool
		want   string
	}{
		{"changed", compress.Report{Changed: true}, false, ""},
		{"no sub-task", compress.Report{}, false, "nothing was changed: the log holds no delegated sub-task, or all are compacted already"},
		{"one left", compress.Report{States: compress.States{Found: 1}, Left: left("not finished: running")}, true,
			"nothing would change: the sub-task is left alone, not finished: running"},
		{"several left", compress.Report{States: compress.States{Found: 3}, Left: left("not finished: running", "too large", "not finished: suspect")}, false,
			"nothing was changed: all sub-tasks are left alone (2: not finished; 1: too large)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := whyUnchanged(&tc.report, tc.dry); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
