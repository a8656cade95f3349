package restore_test

import (
	"bytes"
	"context"
	"testing"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/restore"
	"sessc/scripts/gen/genlog"
	"sessc/session/formats"
)

// BenchmarkMerge restores a log of a thousand edits around a line that the
// client has written anew since.
func BenchmarkMerge(b *testing.B) {
	var log bytes.Buffer
	if _, err := genlog.Stream(&log, "claude-code", 1, 20_000_000); err != nil {
		b.Fatal(err)
	}
	bench := newBench(b)
	path := bench.log("s.jsonl", log.Bytes())
	if _, err := compress.Run(context.Background(), path, compress.Options{
		Formats: formats.All, Layers: lifecycle.Kinds, Disk: true, NoOutlook: true, MinSaving: 1, Archive: bench.open, Now: now,
	}); err != nil {
		b.Fatal(err)
	}
	all, err := bench.arch.Generations(context.Background(), archive.Query{})
	if err != nil || len(all) != 1 {
		b.Fatalf("%d rewrites, %v", len(all), err)
	}
	g, err := bench.arch.Load(context.Background(), all[0].ID)
	if err != nil {
		b.Fatal(err)
	}
	masked := lines(read(b, path))
	for n, l := range masked {
		if idOf(l) != string(l) || len(refsOfLine(l)) > 0 || !bytes.Contains(l, []byte(`"type":"user"`)) {
			continue
		}
		masked[n] = rewritten(b, l)
		break
	}
	changed := join(masked)
	for b.Loop() {
		bench.write(path, changed)
		if r := bench.restore(path); r.Case != restore.Realigned {
			b.Fatalf("report %+v", r)
		}
	}
	b.ReportMetric(float64(len(g.Files[0].Edits)), "edits")
}
