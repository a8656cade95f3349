//go:build unix

package writer_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"sessc/writer"
)

// TestPeekAtAPipe: what stands in the place of a log may be anything by now.
func TestPeekAtAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "x.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	peeked := make(chan error, 1)
	go func() {
		_, _, err := writer.Peek(pipe, 1)
		peeked <- err
	}()
	select {
	case err := <-peeked:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for the pipe's writer")
	}
}
