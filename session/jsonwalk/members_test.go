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
	const doc = `{"a":[{"b.c":"x"},7],"a":2}`
	for _, c := range []struct {
		path []string
		want string
	}{
		{nil, doc}, {[]string{"a", "0", "b.c"}, `"x"`}, {[]string{"a", "1"}, "7"}, {[]string{"a"}, `[{"b.c":"x"},7]`},
		{[]string{"a", "2"}, ""}, {[]string{"b"}, ""}, {[]string{"a", "x"}, ""}, {[]string{"a", "1", "b"}, ""},
	} {
		from, to, ok := Find([]byte(doc), c.path...)
		if got := doc[from:to]; ok != (c.want != "") || ok && got != c.want {
			t.Errorf("Find(%q) = %q, %v, want %q", c.path, got, ok, c.want)
		}
	}
}
