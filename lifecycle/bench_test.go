package lifecycle_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/scripts/gen/genlog"
	"sessc/session"
	"sessc/session/openclaw"
)

// many are logs with n lifecycles in the shapes that tempt a rule to look at
// every other one.
var many = []struct {
	name   string
	script func(n int) string
}{
	{"one after the other", func(n int) string {
		return repeat(n, func(b *strings.Builder, k int) { fmt.Fprintf(b, "human spawn:%d ok:%d done:%d text ", k, k, k) })
	}},
	{"all overlapping", func(n int) string {
		return repeat(n, func(b *strings.Builder, k int) { fmt.Fprintf(b, "spawn:%d ok:%d ", k, k) }) +
			repeat(n, func(b *strings.Builder, k int) { fmt.Fprintf(b, "done:%d ", n-1-k) })
	}},
	{"in one message", func(n int) string {
		return strings.TrimSuffix(repeat(n, func(b *strings.Builder, k int) { fmt.Fprintf(b, "spawn:%d+", k) }), "+") + " " +
			repeat(n, func(b *strings.Builder, k int) { fmt.Fprintf(b, "ok:%d ", k) }) +
			repeat(n, func(b *strings.Builder, k int) { fmt.Fprintf(b, "done:%d ", k) })
	}},
	{"each ends with the next, the last one runs", func(n int) string {
		return repeat(n, func(b *strings.Builder, k int) { fmt.Fprintf(b, "spawn:%d ok:%d ", k, k) }) +
			repeat(n-1, func(b *strings.Builder, k int) { fmt.Fprintf(b, "done:%d&%d ", k, k+1) }) + fmt.Sprintf("progress:%d ", n-1)
	}},
	{"abandoned, with damaged lines", func(n int) string {
		return repeat(n, func(b *strings.Builder, k int) { fmt.Fprintf(b, "damaged spawn:%d ok:%d done:%d ", k, k, k) }) + "root "
	}},
}

func repeat(n int, write func(b *strings.Builder, k int)) string {
	var b strings.Builder
	for k := range n {
		write(&b, k)
	}
	return b.String()
}

// big is a generated log of 20 MB; its agent compacts its history, so most of
// its lifecycles are no longer in the context.
func big(b *testing.B) *session.Session {
	var log bytes.Buffer
	if _, err := genlog.Stream(&log, "openclaw", 1, 20<<20); err != nil {
		b.Fatal(err)
	}
	s, err := session.Index(bytes.NewReader(log.Bytes()), int64(log.Len()), "s.jsonl", openclaw.Format{}, session.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// each runs a benchmark on all the logs.
func each(b *testing.B, run func(b *testing.B, s *session.Session)) {
	b.Run("generated, 20 MB", func(b *testing.B) { run(b, big(b)) })
	for _, c := range many {
		b.Run("20000 "+c.name, func(b *testing.B) {
			run(b, play(b, "human "+c.script(20_000)+"text human text human text").Session)
		})
	}
}

func BenchmarkSelect(b *testing.B) {
	each(b, func(b *testing.B, s *session.Session) {
		found := scan.Find(s)
		var sel lifecycle.Selection
		for b.Loop() {
			sel = lifecycle.Select(s, found, lifecycle.Options{KeepLast: 4})
		}
		b.ReportMetric(float64(len(s.Entries)), "lines")
		b.ReportMetric(float64(len(found)), "lifecycles")
		b.ReportMetric(float64(len(found)-len(sel.Left)), "chosen")
	})
}

func BenchmarkFind(b *testing.B) {
	each(b, func(b *testing.B, s *session.Session) {
		for b.Loop() {
			scan.Find(s)
		}
	})
}
