//go:build unix

package openclaw

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sessc/session"
)

// TestLockThatIsAPipe: a pipe nobody writes to is no reason to wait. Like every
// lock that names no process it counts until it is stale.
func TestLockThatIsAPipe(t *testing.T) {
	log := filepath.Join(t.TempDir(), "x.jsonl")
	if err := syscall.Mkfifo(log+".lock", 0o600); err != nil {
		t.Fatal(err)
	}
	live := func() string {
		said := make(chan string, 1)
		go func() { said <- Format{}.Live(&session.Session{Path: log}, nil) }()
		select {
		case why := <-said:
			return why
		case <-time.After(10 * time.Second):
			t.Fatal("it waits for the pipe's writer")
			return ""
		}
	}
	if got := live(); !strings.Contains(got, "names no process") {
		t.Errorf("live because %q", got)
	}
	old := time.Now().Add(-2 * lockStale)
	if err := os.Chtimes(log+".lock", old, old); err != nil {
		t.Fatal(err)
	}
	if got := live(); got != "" {
		t.Errorf("stale, and live because %q", got)
	}
}
