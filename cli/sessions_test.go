package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// onText is a stderr that calls do once something that holds text is written.
type onText struct {
	bytes.Buffer
	text string
	do   func()
}

func (w *onText) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.text) {
		w.do()
	}
	return w.Buffer.Write(b)
}

// What a signal keeps a list from is neither what is too small for it nor a
// path that leads nowhere.
func TestSessionsStopped(t *testing.T) {
	demo, err := os.ReadFile("../fixtures/openclaw/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const small, behind = 20, 80
	home := put(t, "logs/m.jsonl")
	for i := range small + behind {
		name := fmt.Sprintf("logs/a%02d.jsonl", i)
		if i >= small {
			name = fmt.Sprintf("logs/z%02d.jsonl", i)
		}
		if err := os.WriteFile(name, demo, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := &onText{text: "/logs/m.jsonl", do: cancel}
	err = Run(ctx, &Process{
		Args: []string{"sessc", "sessions", "--workers", "1", "--min-tokens", "99999999", "none", "nowhere", "logs"}, Stdout: &bytes.Buffer{}, Stderr: stderr,
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Now: time.Now,
	})
	if err == nil {
		t.Fatal("no error")
	}
	m := regexp.MustCompile(`^of (\d+) sessions: (\d+) not done because of a signal; 2 paths came to nothing$`).FindStringSubmatch(err.Error())
	if m == nil {
		t.Fatalf("error %v\n%s", err, stderr)
	}
	stopped, err := strconv.Atoi(m[2])
	if err != nil || m[1] != strconv.Itoa(small+1+behind) || stopped < 1 || stopped > behind {
		t.Errorf("%q, with %d logs before the one at which the signal came and %d behind it", m[0], small, behind)
	}
}
