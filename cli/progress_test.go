package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"sessc/batch"
	"sessc/compress"
	"sessc/model"
	"sessc/session"
)

// Where there is no terminal a line comes every few seconds, and none from a
// short run.
func TestPlainProgress(t *testing.T) {
	at := batch.Target{Source: session.Fingerprint{Size: 2_000_000}}
	targets := make([]batch.Target, 2000)
	for i := range targets {
		targets[i] = at
	}
	outcome := batch.Outcome{Target: at, Report: &compress.Report{Context: compress.NewChange(1000, 400)}}
	for _, tc := range []struct {
		name    string
		each    time.Duration
		jsonLog bool
		dry     bool
		quiet   bool
		lines   int
		first   string
	}{
		{"short", time.Millisecond, false, false, false, 0, ""},
		{"long", 10 * time.Millisecond, false, false, false, 4, "500 of 2,000 sessions, 1,000 MB of 4,000 MB, 300,000 tokens saved\n"},
		{"json", 10 * time.Millisecond, true, false, false, 4, `{"time":"2026-03-01T00:00:05Z","level":"INFO","msg":"progress","sessions":500,"of":2000,"bytes":1000000000,"of_bytes":4000000000,"tokens_saved":300000}` + "\n"},
		{"dry", 10 * time.Millisecond, false, true, false, 4, "500 of 2,000 sessions, 1,000 MB of 4,000 MB, 300,000 tokens would be saved\n"},
		{"dry json", 10 * time.Millisecond, true, true, false, 4, `{"time":"2026-03-01T00:00:05Z","level":"INFO","msg":"progress","sessions":500,"of":2000,"bytes":1000000000,"of_bytes":4000000000,"tokens_saved":300000,"dry_run":1}` + "\n"},
		{"quiet", 10 * time.Millisecond, false, false, true, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			var talk bytes.Buffer
			p := &Process{Stderr: &talk, Stdout: &talk, Now: func() time.Time { return now }, Getenv: func(string) string { return "" }, jsonLog: tc.jsonLog}
			g := p.begin(targets, nil, tc.dry, tc.quiet)
			for range targets {
				now = now.Add(tc.each)
				g.add(outcome)
			}
			g.stop()
			if n := strings.Count(talk.String(), "\n"); n != tc.lines || !strings.HasPrefix(talk.String(), tc.first) {
				t.Errorf("%d lines, want %d that begin with %s:\n%s", n, tc.lines, tc.first, &talk)
			}
			if p.Stderr != &talk {
				t.Error("the process has lost its stderr")
			}
		})
	}
}

// What a model was asked stands beside the figures of a run.
func TestProgressOfModel(t *testing.T) {
	for _, tc := range []struct {
		jsonLog bool
		want    string
	}{
		{false, "1 of 2 sessions, 0 MB of 0 MB, 0 tokens saved; local: 0 calls, 0 tokens in, 0 out, cost not known\n"},
		{true, `"tokens_saved":0,"model_calls":0,"model_failed":0,"model_tokens_in":0,"model_tokens_out":0}` + "\n"},
	} {
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		var talk bytes.Buffer
		p := &Process{Stderr: &talk, Stdout: &talk, Now: func() time.Time { return now }, Getenv: func(string) string { return "" }, jsonLog: tc.jsonLog}
		a := &asking{p: p, engine: &engine{name: "local"}, gate: model.NewGate(nil, model.Limits{})}
		g := p.begin(make([]batch.Target, 2), a, false, false)
		now = now.Add(speakEvery)
		g.add(batch.Outcome{})
		g.stop()
		if !strings.HasSuffix(talk.String(), tc.want) {
			t.Errorf("%q, want %q", &talk, tc.want)
		}
	}
}
