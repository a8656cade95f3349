package sdk

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"sessc/model/fakes"
	"sessc/model/gemini"
)

func environment(key string) func(string) string {
	return func(name string) string { return map[string]string{gemini.KeyVariable: key}[name] }
}

// The lines are written out: a change of their form needs another number.
func TestRun(t *testing.T) {
	s := fakes.Gemini(t, key, fakes.Always)
	in, questions := io.Pipe()
	replies, out := io.Pipe()
	var talk bytes.Buffer
	code := make(chan int)
	go func() {
		code <- run([]string{gemini.Program, s.URL, gemini.DefaultModel}, environment(key), in, out, &talk)
	}()
	lines := bufio.NewReader(replies)
	for _, step := range []struct{ say, hear string }{
		{"", `{"sessc-gemini":1}`},
		{`{"id":1,"request":{"System":"Answer.","Prompt":"{\"report\":\"The gate is open.\"}","Fields":[{"Name":"conclusion","List":false}],"Limit":100}}`,
			`"Model":"` + gemini.DefaultModel + `"}}`},
	} {
		if step.say != "" {
			if _, err := io.WriteString(questions, step.say+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := lines.ReadString('\n'); err != nil || !strings.HasSuffix(got, step.hear+"\n") {
			t.Errorf("%s %v, want %s", got, err, step.hear)
		}
	}
	if err := questions.Close(); err != nil {
		t.Fatal(err)
	}
	if n := <-code; n != 0 || talk.Len() > 0 {
		t.Errorf("exit code %d: %s", n, &talk)
	}
}

func TestRunByHand(t *testing.T) {
	for _, tc := range []struct {
		args []string
		key  string
		code int
		talk string
	}{
		{nil, key, 2, "is started by sessc"},
		{[]string{"https://gemini.example", "m"}, "", 2, "is started by sessc"},
		{[]string{"http://gemini.example", "m"}, key, 1, "in the clear"},
	} {
		var out, talk bytes.Buffer
		if n := run(append([]string{gemini.Program}, tc.args...), environment(tc.key), strings.NewReader(""), &out, &talk); n != tc.code || !strings.Contains(talk.String(), tc.talk) || out.Len() > 0 {
			t.Errorf("%q: exit code %d, %s%s", tc.args, n, &out, &talk)
		}
	}
}
