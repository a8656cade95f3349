//go:build unix

package archive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe in the place of a file is an error, and no reason to wait.
func TestPipesAreNotWaitedFor(t *testing.T) {
	for _, name := range []string{layoutName, indexName, filepath.Join(packsName, "00000001.zst")} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "archive")
			a := openArchive(t, dir)
			s := fixtureSample()
			id := s.apply(t, a)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				a, err := Open(dir, false)
				if err == nil {
					err = errors.Join(a.Original(context.Background(), id, 0, strings.NewReader(string(s.new[0])), int64(len(s.new[0])), &strings.Builder{}), a.Close())
				}
				done <- err
			}()
			select {
			case err := <-done:
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "no regular file") {
					t.Errorf("%v", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("waits for the pipe")
			}
		})
	}
}
