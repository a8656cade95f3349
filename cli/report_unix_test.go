//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"sessc/report"
)

// A report is its maker's alone, unless it takes the place of one that others
// may read.
func TestReportKeepsMode(t *testing.T) {
	for _, tc := range []struct {
		name string
		have os.FileMode // 0 for no file
		want os.FileMode
	}{
		{"new", 0, 0o600},
		{"for all", 0o644, 0o644},
		{"for a group", 0o640, 0o640},
		{"private", 0o600, 0o600},
		{"read only", 0o444, 0o444},
	} {
		t.Run(tc.name, func(t *testing.T) {
			put(t)
			if tc.have != 0 {
				// The mode is set apart, since that of a new file depends on the umask.
				if err := os.WriteFile("r.csv", []byte("an older report"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod("r.csv", tc.have); err != nil {
					t.Fatal(err)
				}
			}
			o := reportOptions{form: 2, output: "r.csv"}
			if err := o.write(&Process{}, report.New(report.Prices{}, false, time.Now())); err != nil {
				t.Fatal(err)
			}
			fi, err := os.Stat("r.csv")
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile("r.csv")
			if err != nil || fi.Mode().Perm() != tc.want || !strings.HasPrefix(string(b), "path,") {
				t.Errorf("mode %v, want %v; content %q, %v", fi.Mode(), tc.want, b, err)
			}
			if left, err := os.ReadDir("."); err != nil || len(left) != 1 {
				t.Errorf("%v, %v lie in the folder", left, err)
			}
		})
	}
}
