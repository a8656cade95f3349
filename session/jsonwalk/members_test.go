package jsonwalk

import "testing"

func TestMembers(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     string // keys, with the strings among their values
		stop     string // key at which the loop ends
	}{
		{"empty", `{}`, "", ""},
		{"in order, others skipped", `{"a":"1","b":{"x":"no"},"c":["no"],"d":"2"}`, "a=1 b c d=2 ", ""},
		{"escaped keys", `{"\u0061":"1"}`, "a=1 ", ""},
		{"left early", `{"a":"1","b":"2","c":"3"}`, "a=1 b=2 ", "b"},
		{"a list", `["a","b"]`, "", ""},
		{"a string", `"a"`, "", ""},
		{"null", `null`, "", ""},
		{"broken", `{"a":"1","b`, "a=1 ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c Cursor
			c.Reset([]byte(tt.in))
			got := ""
			for key := range c.Members {
				got += string(key)
				if c.Kind() == String {
					v, _ := c.Text()
					got += "=" + string(v)
				}
				got += " "
				if got != "" && string(key) == tt.stop {
					break
				}
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	const doc = `{"a":2,"b":3,"a":[{"b.c":"y","b.c":"x"},7],"d":{"e":1},"d":4}`
	for _, c := range []struct {
		path []string
		want string
	}{
		{nil, doc}, {[]string{"a", "0", "b.c"}, `"x"`}, {[]string{"a", "1"}, "7"}, {[]string{"a"}, `[{"b.c":"y","b.c":"x"},7]`},
		{[]string{"a", "2"}, ""}, {[]string{"a", "-1"}, ""}, {[]string{"c"}, ""}, {[]string{"d"}, "4"}, {[]string{"d", "e"}, ""}, {[]string{"a", "x"}, ""}, {[]string{"a", "1", "b"}, ""},
	} {
		from, to, ok := Find([]byte(doc), c.path...)
		if got := doc[from:to]; ok != (c.want != "") || ok && got != c.want {
			t.Errorf("Find(%q) = %q, %v, want %q", c.path, got, ok, c.want)
		}
	}
}

// TestFindInBroken: what is broken behind a value does not hide it, and what is
// broken itself is none.
func TestFindInBroken(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":1,"b"`: "1", `{"a":1,"a":`: "1", `{"a":1,"a":[2`: "1", `{"a":[2`: "", `{"a"`: "", ``: "",
	} {
		from, to, ok := Find([]byte(doc), "a")
		if got := doc[from:to]; ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v, want %q", doc, got, ok, want)
		}
	}
}
