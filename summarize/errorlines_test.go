package summarize

import "testing"

// A count of failures that is zero is no error, whatever word stands in it.
func TestErrorLineOf(t *testing.T) {
	for line, want := range map[string]bool{
		"12 tests, 0 failed":                  false,
		"22 passed, 0 failed in 7.14s":        false,
		"Finished with no errors":             false,
		"failed: 0":                           false,
		"error: 2 failed, 0 errors":           true,
		"error: 2 failures":                   true,
		"--- FAIL: TestPort (0.01s)":          true,
		"FAIL labels/printer_test.go:12":      true,
		"open config.toml: permission denied": true,
	} {
		if got := errorLineOf(line, true); got != want {
			t.Errorf("%q is an error line: %v, want %v", line, got, want)
		}
	}
}
