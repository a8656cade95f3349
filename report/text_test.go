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
