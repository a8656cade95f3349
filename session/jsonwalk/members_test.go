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
