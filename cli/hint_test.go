package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sessc/compress"
	"sessc/report"
)

// said runs a command for its stdout, in a home without an archive. Some
// fixtures are no logs: what stands on stderr is not looked at.
func said(t *testing.T, home string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	err := Run(context.Background(), &Process{
		Args: append([]string{"sessc"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard,
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Now: time.Now,
	})
	if err != nil && out.Len() == 0 {
		t.Logf("%q: %v", args, err)
	}
	return out.String()
}

func dryRun(t *testing.T, home, log, layers, least string) (r compress.Report) {
	t.Helper()
	b := said(t, home, "compress", "--dry-run", "--json", "--layers", layers, "--min-saving", least, log)
	if err := json.Unmarshal([]byte(b), &r); err != nil {
		t.Fatalf("%s: %v in %s", log, err, b)
	}
	return r
}

var hinted = regexp.MustCompile(`--layers ([a-z,]+) would save ([0-9,]+) context tokens(, less than --min-saving)?\n`)

// What a run says of layers that were not asked for is what a run with exactly
// these gives: in the hint, and in the layers of the report.
func TestHintIsARun(t *testing.T) {
	home, hints := t.TempDir(), 0
	for n, log := range fixtureLogs(t) {
		least := []string{"0", "1000", "40%"}[n%3]
		text := said(t, home, "compress", "--dry-run", "--min-saving", least, log)
		m := hinted.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		hints++
		if err := holds(t, home, log, least, m); err != nil {
			t.Errorf("%s, --min-saving %s: the hint %q, but %v", log, least, m[0], err)
		}
	}
	// Nothing more is advised where it brings no more.
	if text := said(t, home, "compress", "--dry-run", "--layers", "tasks,turns", "--min-saving", "2000", "../fixtures/openclaw/no-spawns.jsonl"); hinted.MatchString(text) || !strings.Contains(text, ", less than --min-saving\n") {
		t.Errorf("a hint that leads nowhere, or no word on the least saving:\n%s", text)
	}
	if hints < 10 {
		t.Errorf("only %d hints were met", hints)
	}
}

func TestLayersAreRuns(t *testing.T) {
	home := t.TempDir()
	for n, log := range fixtureLogs(t) {
		c := [][2]string{{"tasks", "1000"}, {"results", "0"}, {"turns", "40%"}}[n%3]
		names, least := c[0], c[1]
		if !strings.Contains(said(t, home, "compress", "--dry-run", "--layers", names, "--min-saving", least, log), "context tokens") {
			continue // no log
		}
		for _, l := range dryRun(t, home, log, names, least).Layers {
			if l.Asked {
				continue
			}
			names += "," + l.Name
			if got := dryRun(t, home, log, names, least); got.Context.After != l.After {
				t.Errorf("%s, --layers %s --min-saving %s: %d tokens with %s, but --layers %s gives %d", log, c[0], least, l.After, l.Name, names, got.Context.After)
			}
		}
	}
}

// holds compares a hint with the run that it names.
func holds(t *testing.T, home, log, least string, hint []string) error {
	t.Helper()
	layers, saves, little := hint[1], hint[2], hint[3] != ""
	r := dryRun(t, home, log, layers, least)
	if r.Changed == little {
		return fmt.Errorf("changed is %v", r.Changed)
	}
	if little {
		r = dryRun(t, home, log, layers, "0")
	}
	if got := comma(r.Context.Saved); got != saves {
		return fmt.Errorf("it saves %s", got)
	}
	return nil
}

func fixtureLogs(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, format := range []string{"openclaw", "claudecode"} {
		some, err := filepath.Glob("../fixtures/" + format + "/*.jsonl")
		if err != nil || len(some) == 0 {
			t.Fatalf("no fixtures of %s: %v", format, err)
		}
		all = append(all, some...)
	}
	return all
}

// What a report promises of all layers is what a report with all layers gives.
func TestReportOfLayersIsARun(t *testing.T) {
	home := t.TempDir()
	of := func(layers string) (r report.Report) {
		b := said(t, home, "report", "--format", "json", "--min-age", "0", "--layers", layers, "../fixtures/openclaw", "../fixtures/claudecode")
		if err := json.Unmarshal([]byte(b), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	some, all := of("tasks"), of("all")
	promised := some.Total.Tokens.Saved
	for _, l := range some.Layers {
		if !l.Asked {
			promised += l.Saved
		}
	}
	if promised != all.Total.Tokens.Saved || promised == some.Total.Tokens.Saved {
		t.Errorf("%d tokens are promised of all layers, which save %d", promised, all.Total.Tokens.Saved)
	}
}
