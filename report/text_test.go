package report

import "testing"

func TestClean(t *testing.T) {
	for _, tc := range []struct{ in, keep, want string }{
		{"plain text", "", "plain text"},
		{"two\nlines\tof\rit", "", "two\uFFFDlines\uFFFDof\uFFFDit"},
		{"two\nlines\tof\rit", "\n\t", "two\nlines\tof\uFFFDit"},
		{"red \x1b[31m \u009b31m", "\n\t", "red \uFFFD[31m \uFFFD31m"},
		{"rtl \u202eevil \u2066too", "\n\t", "rtl \uFFFDevil \uFFFDtoo"},
		{"修复 ção 🙂 \xff", "", "修复 ção 🙂 \uFFFD"},
	} {
		if got := Clean(tc.in, tc.keep); got != tc.want {
			t.Errorf("Clean(%q, %q) = %q, want %q", tc.in, tc.keep, got, tc.want)
		}
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "A", "sub-tasks": "Sub-tasks", "JSON": "JSON"} {
		if got := Capital(in); got != want {
			t.Errorf("Capital(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[float64]string{0: "0.0 %", 42.85: "42.9 %", -3: "-3.0 %", 100: "100.0 %"} {
		if got := Percent(in); got != want {
			t.Errorf("Percent(%g) = %q, want %q", in, got, want)
		}
	}
}

// Of several sessions the turns are those of the sum: one that saves little
// takes longer.
func TestPaidBack(t *testing.T) {
	one := New(Prices{Input: 3, Read: 0.1, Write: 1.25}, false, made)
	one.Add(sample(0, "x"), made)
	one.Finish()
	if got, want := one.PaidBack(), "paid back after at most 10 turns"; got != want {
		t.Errorf("one: %s, want %s", got, want)
	}
	several := crowd("x")
	if got, want := several.PaidBack(), "paid back, all together, after at most 12 turns of each; one alone may take more"; got != want {
		t.Errorf("several: %s, want %s", got, want)
	}
	longest := 0
	for _, s := range several.Sessions {
		longest = max(longest, s.Payback)
	}
	if longest <= several.Total.Payback {
		t.Errorf("the longest takes %d turns, all together %d", longest, several.Total.Payback)
	}
}

func TestCut(t *testing.T) {
	for _, tc := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"修复登录", 8, "修复登录"}, {"修复登录", 7, "修复登…"}, {"修复登录", 6, "修复…"}, {"", 3, ""},
	} {
		if got := Cut(tc.in, tc.n); got != tc.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tc.in, tc.n, got, tc.want)
		}
	}
}
