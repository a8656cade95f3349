package compress_test

import (
	"testing"

	"sessc/compress"
)

func TestNewChange(t *testing.T) {
	for _, c := range []struct {
		before, after int64
		part          float64
	}{
		{1000, 400, 60}, {3, 2, 33.3}, {3, 1, 66.7}, {0, 0, 0}, {0, 5, 0},
		{1000, 1002, -0.2}, {10_000, 10_006, -0.1}, {1000, 1010, -1},
	} {
		if got := compress.NewChange(c.before, c.after); got != (compress.Change{Before: c.before, After: c.after, Saved: c.before - c.after, Part: c.part}) {
			t.Errorf("%+v, want %v %%", got, c.part)
		}
	}
}

func TestNameLines(t *testing.T) {
	for _, tc := range []struct {
		lines []int
		want  string
	}{
		{[]int{4}, "line 4"},
		{[]int{4, 9}, "lines 4, 9"},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8}, "lines 1, 2, 3, 4, 5, 6, 7, 8"},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "lines 1, 2, 3, 4, 5, 6, 7, 8, 2 more"},
	} {
		if got := compress.NameLines(tc.lines); got != tc.want {
			t.Errorf("NameLines(%v) = %q, want %q", tc.lines, got, tc.want)
		}
	}
}
