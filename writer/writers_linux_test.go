package writer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func init() { tasks["write"] = childWrite }

// childWrite is a program that has a log open as file 3, and writes a line to
// it some time after it was told to begin.
func childWrite(args string) int {
	wait, line, _ := strings.Cut(args, " ")
	d, err := time.ParseDuration(wait)
	if err != nil {
		return 1
	}
	time.Sleep(d)
	if _, err := os.NewFile(3, "log").WriteString(line); err != nil {
		return 1
	}
	io.Copy(io.Discard, os.Stdin) // keeps the file open until the test closes its end
	return 0
}

// lateWriter starts a program that has opened the log in the moment before the
// rename. leave ends it at once after its line; otherwise it stays.
func lateWriter(t *testing.T, path, line string, wait time.Duration, leave bool) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := child(fmt.Sprintf("write %s %s", wait, line))
	c.ExtraFiles = []*os.File{f}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if leave {
		in.Close()
	}
	t.Cleanup(func() {
		in.Close()
		c.Wait()
	})
}

// A program opened the log between the last look and the rename, and writes
// after all that sessc has to do is done: its line is waited for.
func TestWriterIsWaitedFor(t *testing.T) {
	for _, known := range []bool{true, false} {
		t.Run(fmt.Sprintf("lease %v", known), func(t *testing.T) {
			if !known {
				hideWriters(t)
			}
			path, line := newLog(t, original()), turn("00000007", "00000006", "one more thing")
			r := newRun()
			r.target.Trace = func(at string) {
				if at == "rename" {
					lateWriter(t, path, line, 300*time.Millisecond, true)
				}
			}
			if err := r.do(context.Background(), open(t, path)); err != nil || r.outcome() != "[true]" {
				t.Errorf("error %v, settled %s", err, r.outcome())
			}
			holds(t, path, append(shorter(original()), line...))
			alone(t, path)
		})
	}
}

// A program that does not let go of the old file is named, and what it wrote
// so far is carried over.
func TestWriterThatStays(t *testing.T) {
	was := lateWait
	lateWait = 500 * time.Millisecond
	t.Cleanup(func() { lateWait = was })
	path, line := newLog(t, original()), turn("00000007", "00000006", "one more thing")
	r := newRun()
	r.target.Trace = func(at string) {
		if at == "rename" {
			lateWriter(t, path, line, 0, false)
		}
	}
	err := r.do(context.Background(), open(t, path))
	if !errors.Is(err, ErrLate) || !strings.Contains(err.Error(), "keeps the old file open") || !strings.Contains(err.Error(), filepath.Base(os.Args[0])[:6]) || r.outcome() != "[true]" {
		t.Errorf("error %v, settled %s", err, r.outcome())
	}
	holds(t, path, append(shorter(original()), line...))
	alone(t, path)
}

// The last look before the rename sees a program that opened the log since the
// first one and has not written yet.
func TestWriterAtTheLastLook(t *testing.T) {
	for _, known := range []bool{true, false} {
		t.Run(fmt.Sprintf("lease %v", known), func(t *testing.T) {
			if !known {
				hideWriters(t)
			}
			path := newLog(t, original())
			r := newRun()
			r.target.Trace = func(at string) {
				if at == "look again" {
					keepOpen(t, path, os.O_WRONLY|os.O_APPEND)
				}
			}
			err := r.do(context.Background(), open(t, path))
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "has it open for writing") || r.outcome() != "[false]" {
				t.Errorf("error %v, settled %s", err, r.outcome())
			}
			holds(t, path, original())
			alone(t, path)
		})
	}
}

// Programs that open the log while a lease is held wait for it to be given
// back, and the signal that the kernel sends does no harm.
func TestLeaseIsBroken(t *testing.T) {
	path := newLog(t, original())
	s := open(t, path)
	done := make(chan error, 1)
	var enough atomic.Bool
	go func() {
		opened := 0
		for ; !enough.Load(); opened++ {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				done <- err
				return
			}
			f.Close()
		}
		if opened == 0 {
			done <- errors.New("never opened")
		}
		done <- nil
	}()
	free, held := 0, 0
	for until := time.Now().Add(time.Minute); free < 100 || held < 100; {
		switch ok, known := lease(s.File()); {
		case !known:
			t.Skip("no leases here")
		case ok:
			free++
		default:
			held++
		}
		if time.Now().After(until) {
			break // one that is never held is no fault: the other may never run in between
		}
	}
	enough.Store(true)
	if err := <-done; err != nil || free == 0 {
		t.Errorf("%v; free %d times, held %d times", err, free, held)
	}
	t.Logf("free %d times, held %d times", free, held)
}
