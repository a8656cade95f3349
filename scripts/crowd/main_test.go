//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sessc/session"
	"sessc/session/formats"
)

// The crowd is readable, no two logs have one id, and later a hundredth of them is another.
func TestMakeLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	s := settings{sessions: 205, kb: 20, distinct: 2}
	before := map[string][]byte{}
	if err := makeLogs(dir, s); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != s.sessions {
		t.Fatalf("%d logs, %v", len(files), err)
	}
	for i, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		before[f] = b
		if i%40 != 0 {
			continue
		}
		o, err := session.Open(f, formats.All, session.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if ids[o.ID] || o.Count(session.Damaged) > 0 || o.Size < 20_000 {
			t.Errorf("%s: id %s, %d bytes, %d damaged lines", f, o.ID, o.Size, o.Count(session.Damaged))
		}
		ids[o.ID] = true
		o.Close()
	}
	if err := makeLogs(dir+"+", s); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for f, was := range before {
		is, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(was, is) {
			changed++
		}
		if fi, err := os.Stat(f); err != nil || !fi.ModTime().Equal(old) {
			t.Errorf("%s is not at rest: %v", f, err)
		}
	}
	if changed != 3 {
		t.Errorf("%d of 205 logs are others", changed)
	}
}

func TestTable(t *testing.T) {
	summary := func(changed, unread string) string {
		return "summary: sessions=1000 changed=" + changed + " unchanged=0 unread=" + unread + " skipped=0"
	}
	got := table(settings{sessions: 1000, kb: 500}, []cost{
		{50 * time.Second, 30 * time.Second, 40e6, summary("900", "0")},
		{500 * time.Millisecond, time.Second, 20e6, summary("9", "990")},
		{50 * time.Millisecond, time.Second, 20e6, summary("0", "1000")},
	}, 5e6)
	for _, want := range []string{
		"1000 sessions of 500 KB, 0.5 GB; the archive takes 5 MB afterwards.",
		"| first | 50.00 | 30.0 s | 50.00 ms | 40 MB | 900 | 1000 |",
		"| after 1 % of the sessions has changed | 0.50 | 1.0 s | 0.50 ms | 20 MB | 9 | 10 |",
		"First run: 10.0 MB per CPU s. The second takes 0.0100 of its processor time; at most 0.02: yes.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestReplaceTable(t *testing.T) {
	page := "# Results\n\n" + tableOpen + "old\n" + tableEnd + "\n\nA remark.\n"
	if got, err := replaceTable(page, "new\n"); err != nil || got != strings.Replace(page, "old", "new", 1) {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := replaceTable("no place", "new"); err == nil {
		t.Error("a page without a place for the table was taken")
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-sessions", "0"}, {"-kb", "0"}, {"-distinct", "0"}, {"extra"}} {
		if err := run(context.Background(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
