//go:build unix

package writer

import (
	"context"
	"testing"
	"time"

	"sessc/session"
)

// A log keeps its time, also one that nanoseconds since 1970 cannot say.
func TestFarTimes(t *testing.T) {
	for _, year := range []int{1955, 2300} {
		path := newLog(t, original())
		at := time.Date(year, 5, 6, 7, 8, 9, 123000000, time.UTC)
		if err := setTimes(path, at); err != nil {
			t.Fatal(err)
		}
		if fp, err := session.StatPath(path); err != nil || !fp.Modified.Equal(at) {
			t.Skipf("this file system has no year %d: %v, %v", year, fp.Modified, err)
		}
		r := newRun()
		r.minAge = 0
		if err := r.do(context.Background(), open(t, path)); err != nil {
			t.Fatal(err)
		}
		if fp, err := session.StatPath(path); err != nil || !fp.Modified.Equal(at) {
			t.Errorf("time %v, want %v, %v", fp.Modified, at, err)
		}
		holds(t, path, shorter(original()))
	}
}
