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

	"github.com/rivo/uniseg"
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

// On a narrow terminal no row of the list breaks: paths are cut in the middle,
// then ids, and then whole columns go. Elsewhere all stands there whole.
func TestListFits(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	rows := []sessionReport{
		{Agent: "openclaw", Session: "cecd18d9-61cb-4cc2-af33-aa8d134b73a9", Tokens: 123_456, Size: 12_345_678, Modified: now.Add(-49 * time.Hour).UnixMilli(), State: "restored", Masks: 12,
			Path: "/home/dev/.openclaw/agents/main/sessions/cecd18d9-61cb-4cc2-af33-aa8d134b73a9.jsonl"},
		{Agent: "pi", Session: "0a1b2c3d", Tokens: 7, Size: 70, Modified: now.UnixMilli(), State: "young", Path: "/srv/修复登录/修复登录/a.jsonl"},
	}
	for _, tc := range []struct {
		width int
		first string // of the rows, without its padding
		with  []string
	}{
		{0, "agent session tokens bytes age state masks path", []string{rows[0].Path, rows[1].Path, rows[0].Session}},
		{200, "agent session tokens bytes age state masks path", []string{rows[0].Path, rows[1].Path, rows[0].Session}},
		{166, "agent session tokens bytes age state masks path", []string{"  ~/.openclaw/agents/main/sessions/cecd18d9-61cb-4cc2-af33-aa8d134b73a9.jsonl", rows[1].Path, rows[0].Session}},
		{110, "agent session tokens bytes age state masks path", []string{"~/.op…", "b73a9.jsonl", rows[0].Session}},
		{80, "agent session tokens bytes age state masks path", []string{"cecd18d9…", "a9.jsonl", "a.jsonl"}},
		{70, "agent session tokens bytes age state path", []string{"cecd18d9…", "a9.jsonl", "12,345,678"}},
		{60, "agent session tokens age state path", []string{"cecd18d9…", "a9.jsonl", "123,456"}},
	} {
		text := listed(rows, now, tc.width, "/home/dev")
		list, _, _ := strings.Cut(text, "total:")
		for line := range strings.Lines(list) {
			if n := uniseg.StringWidth(strings.TrimRight(line, "\n")); tc.width > 0 && n > tc.width {
				t.Errorf("%d columns: a row takes %d:\n%s", tc.width, n, text)
			}
		}
		head, _, _ := strings.Cut(list, "\n")
		if got := strings.Join(strings.Fields(head), " "); got != tc.first {
			t.Errorf("%d columns: the heading is %q, want %q", tc.width, got, tc.first)
		}
		for _, want := range tc.with {
			if !strings.Contains(list, want) {
				t.Errorf("%d columns: no %q in\n%s", tc.width, want, text)
			}
		}
	}
}
