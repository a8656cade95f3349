package jsonwalk

import "testing"

// TestDecode: a quoted text is the same again, and only strings are texts.
func TestDecode(t *testing.T) {
	for _, text := range []string{"", "x", "\"\\\n<é>\u2028\x00"} {
		if got := Decode(string(Quote(text))); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	}
	if got := string(Quote("<&>")); got != `"<&>"` {
		t.Errorf("written as %s", got)
	}
	for _, raw := range []string{"", `"`, "12", "null", `["x"]`} {
		if got := Decode(raw); got != "" {
			t.Errorf("%s is read as %q", raw, got)
		}
	}
}
