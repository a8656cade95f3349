package session

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestUsualTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	usual := 0
	for range 200_000 {
		at := time.UnixMilli(rng.Int64N(253402300800_000+62167219200_000) - 62167219200_000).UTC() // years 0 to 9999
		b := []byte(at.Format("2006-01-02T15:04:05.000Z"))
		if rng.IntN(3) == 0 {
			b[rng.IntN(len(b))] = "0123456789-:.TZ"[rng.IntN(15)]
		}
		var std time.Time
		err := std.UnmarshalText(b)
		got, ok := usualTime(b)
		if ok && (err != nil || got != std.UnixMilli()) {
			t.Fatalf("%s: got %d, want %d %v", b, got, std.UnixMilli(), err)
		}
		if ok {
			usual++
		}
	}
	if usual < 100_000 {
		t.Errorf("only %d stamps were usual", usual)
	}
}
