//go:build unix

package openclaw

import (
	"bytes"
	"runtime"
	"syscall"
	"testing"
	"time"

	"sessc/scripts/gen/genlog"
)

// streamed makes a log of at least size bytes, as a long session leaves it.
func streamed(t testing.TB, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := genlog.Stream(&b, "openclaw", 1, size); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// BenchmarkIndex indexes a log of 100 MB. MB/cpu-s is what counts: the time
// of all threads, the garbage collector's too.
func BenchmarkIndex(b *testing.B) {
	log := streamed(b, 100_000_000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	entries, rounds := 0, 0
	from := cpuTime(b)
	for b.Loop() {
		entries = len(indexed(b, log).Entries)
		rounds++
	}
	b.ReportMetric(float64(len(log))*float64(rounds)/1e6/(cpuTime(b)-from).Seconds(), "MB/cpu-s")
	b.ReportMetric(float64(len(log))/float64(entries), "B/line")
}

func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestIndexMemory holds the index to its promise of about 100 bytes a line,
// and what is thrown away while it is made to a few times that.
func TestIndexMemory(t *testing.T) {
	log := streamed(t, 20_000_000)
	indexed(t, log) // what is made once for all logs does not count
	var start, made, kept runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&start)
	s := indexed(t, log)
	runtime.ReadMemStats(&made)
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&kept)
	lines := float64(len(s.Entries))
	held, spent := float64(kept.HeapAlloc)-float64(start.HeapAlloc), float64(made.TotalAlloc-start.TotalAlloc)
	t.Logf("%.0f lines of %.0f bytes: %.0f bytes held, %.0f allocated a line", lines, float64(len(log))/lines, held/lines, spent/lines)
	if held/lines > 200 {
		t.Errorf("the index holds %.0f bytes a line", held/lines)
	}
	if spent/lines > 2000 {
		t.Errorf("making the index takes %.0f bytes a line", spent/lines)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(log)
}
