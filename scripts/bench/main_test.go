//go:build unix

package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"none", nil, 0},
		{"one", []float64{3}, 3},
		{"odd, not in order", []float64{9, 1, 2}, 2},
		{"even", []float64{4, 1, 2, 100}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := median(tt.values); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A neighbour that slows down one whole round must not change a ratio.
func TestRatioWithinRounds(t *testing.T) {
	ms := func(v ...int) (all []cost) {
		for _, n := range v {
			all = append(all, cost{cpu: time.Duration(n) * time.Millisecond})
		}
		return all
	}
	s := samples{"restore": ms(40, 400, 40), "cp": ms(5, 50, 5), "sum": ms(15, 150, 15)}
	if got := s.ratio("restore", "cp", "sum"); got != 2 {
		t.Errorf("got %v, want 2", got)
	}
}

func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		name  string
		goal  goal
		limit float64
		want  string
	}{
		{"no goal", goal{value: 3}, 0, "-"},
		{"large enough", goal{value: 150}, 150, "at least 150: yes"},
		{"too small", goal{value: 0.19}, 0.2, "at least 0.20: no"},
		{"small enough", goal{value: 5, atMost: true}, 5, "at most 5.00: yes"},
		{"too large", goal{value: 94.5, atMost: true}, 94, "at most 94.0: no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.goal.verdict(tt.limit); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{0.0625: "0.06", 3.9: "3.90", 31.25: "31.2", 312.6: "313", 1234567: "1,234,567"} {
		if got := figure(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}

func TestReplaceTable(t *testing.T) {
	page := "# Results\n\n<!-- generated: goal -->\nkept\n<!-- end -->\n\n" + tableOpen + "old\n" + tableEnd + "\n\nA remark.\n"
	got, err := replaceTable(page, "new\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(page, "old", "new", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, bad := range []string{"", "<!-- generated: goal -->\n<!-- end -->\n", tableOpen + "no end\n"} {
		if _, err := replaceTable(bad, "new"); err == nil {
			t.Errorf("a page without a place for the table was taken: %q", bad)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-size", "0"}, {"-rounds", "0"}, {"-big", "-1"}, {"extra"}, {jobFlag, "unknown"}} {
		if err := run(context.Background(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
