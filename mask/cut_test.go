package mask

import "testing"

// The middle that goes never turns over what is left.
func TestCutMiddle(t *testing.T) {
	within := func(n int) func(string) bool { return func(s string) bool { return len(s) <= n } }
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"one two three four five six seven eight nine ten", 46, "one two three four … seven eight nine ten"},
		{"Sending the label as a picture works and would print any script, but one label takes 2.8 seconds", 80,
			"Sending the label as a picture works … script, but one label takes 2.8 seconds"},
		{"Setting retries=5 did not help; only retries=50 with backoff=2.0 did", 50, ""},
		{"ValueError: 1048576 of all the units in it is not less than 1000000", 60, "ValueError: 1048576 of all the … is not less than 1000000"},
		{"I tried to raise the limit to 100 MB on all of them but it did not work on production, where it is 10", 90,
			"I tried to raise the limit to 100 MB on … it did not work on production, where it is 10"},
		{"Usar NUMERIC no banco não, o driver devolvia float e tudo mais", 40, ""},
		{"先试过把超时改成三十秒结果失败了所以没有采用", 30, ""},
		{"Com dez conexões o banco responde e só com cem e mais memória ele fica de pé até o fim", 60, ""},
		{"too short to be cut in two halves", 20, ""},
	} {
		got, ok := cutMiddle(c.in, within(c.n))
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}
