package openclaw

import (
	"bytes"
	"runtime"
	"testing"

	"sessc/scripts/gen/genlog"
	"sessc/session"
)

// streamed makes a log of at least size bytes as a long session leaves it.
func streamed(t testing.TB, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := genlog.Stream(&b, "openclaw", 1, size); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func BenchmarkIndex(b *testing.B) {
	log := streamed(b, 100_000_000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	var s *session.Session
	for b.Loop() {
		var err error
		if s, err = session.Index(bytes.NewReader(log), int64(len(log)), "x.jsonl", Format{}, session.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(retained(func() any { 
		s = nil
		s, _ = session.Index(bytes.NewReader(log), int64(len(log)), "x.jsonl", Format{}, session.Settings{})
		return s
	}))/float64(len(s.Entries)), "B/entry")
	b.ReportMetric(float64(len(log))/float64(len(s.Entries)), "B/line")
}

// retained is the memory in bytes that a value holds once it is made.
func retained(f func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	v := f()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(v)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}
