package restore_test

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"sessc/restore"
)

// An index of the log before and one of the log after would be twice what
// promise 11 allows: at no step may both be held.
func TestMemoryOfOneIndex(t *testing.T) {
	const blank = 300_000 // lines that cost an index most for their size
	for name, change := range map[string]func(l [][]byte){
		"exact":     func([][]byte) {},
		"realigned": func(l [][]byte) { l[1] = []byte(" \n") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			l := lines(fixture(t, "demo"))
			content := join([][]byte{l[0], bytes.Repeat([]byte("\n"), blank), join(l[1:])})
			log := b.log("log.jsonl", content)
			if !b.compress(log) {
				t.Fatal("nothing was compacted")
			}
			masked := lines(read(t, log))
			change(masked)
			b.write(log, join(masked))
			content, masked = nil, nil
			held := func() float64 {
				var m runtime.MemStats
				runtime.GC()
				runtime.GC()
				runtime.ReadMemStats(&m)
				return float64(m.HeapAlloc)
			}
			start, most := held(), 0.0
			o := b.options()
			o.Trace = func(string) { most = max(most, held()-start) }
			r, err := restore.Run(context.Background(), log, o)
			if err != nil || string(r.Case) != name {
				t.Fatalf("case %v, error %v", r, err)
			}
			t.Logf("%.0f bytes a line", most/blank)
			if most/blank > 110 {
				t.Errorf("%.0f bytes a line are held at once", most/blank)
			}
		})
	}
}
