package claudecode

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// turns is a session of n turns, each of a prompt, three calls with results and a text.
func turns(n int) []byte {
	var b bytes.Buffer
	last := ""
	output := strings.Repeat("func read(path string) ([]byte, error) {\n\treturn nil, nil\n}\n", 30)
	for turn := range n {
		id := func(k string) string { return fmt.Sprintf("%08d-0000-4000-8000-%012s", turn, k) }
		l := (&script{}).user(id("a"), last, "please go on with the next part of the work")
		m := fmt.Sprintf("msg_%d", turn)
		up := id("a")
		for k := range 3 {
			call, c := fmt.Sprintf("toolu_%d_%d", turn, k), fmt.Sprint(k)
			l.call(id("b"+c), up, m, call, "Read", more{"file_path": "/home/ana/app/main.go"})
			l.result(id("c"+c), id("b"+c), call, output, more{"toolUseResult": more{"type": "text", "file": more{"content": output}}})
			l.progress(id("d"+c), id("b"+c))
			up = id("b" + c)
		}
		l.text(id("e"), id("c2"), m+"x", "That part is done; the next one follows.")
		last = id("e")
		b.Write(l.bytes())
	}
	return b.Bytes()
}

func BenchmarkIndex(b *testing.B) {
	log := turns(3000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		indexed(b, log)
	}
}

// TestIndexMemory holds the index to about 100 bytes a line and what ids take.
func TestIndexMemory(t *testing.T) {
	log := turns(2000)
	var start, kept runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&start)
	s := indexed(t, log)
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&kept)
	lines := float64(len(s.Entries))
	held := float64(kept.HeapAlloc) - float64(start.HeapAlloc)
	t.Logf("%.0f lines of %.0f bytes: %.0f bytes held a line", lines, float64(len(log))/lines, held/lines)
	if held/lines > 250 {
		t.Errorf("the index holds %.0f bytes a line", held/lines)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(log)
}
