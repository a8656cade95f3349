package writer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/restore"
	"sessc/session/formats"
	"sessc/writer"
)

// TestEveryCallFailsWithLayers runs the whole line with all layers and disk
// weight: turns take lines out and hang others anew, results change texts
// inside lines. Each call to the disk fails once, in every way: the log is the
// old one, or the new one where it had its name already, and comes back.
func TestEveryCallFailsWithLayers(t *testing.T) {
	for _, fixture := range []string{"openclaw/turns", "openclaw/old-results", "claudecode/turns", "claudecode/client-1.0.108"} {
		t.Run(fixture, func(t *testing.T) {
			original, err := os.ReadFile(filepath.Join("../fixtures", filepath.FromSlash(fixture)+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			count := writer.Fails(t, "", 0, nil)
			whole := newLine(t, original)
			if err := whole.compress(); err != nil {
				t.Fatal(err)
			}
			compacted := whole.read()
			if len(compacted) >= len(original) {
				t.Fatalf("%d bytes, before %d", len(compacted), len(original))
			}
			for op, calls := range count.Calls() {
				for nth := 1; nth <= calls; nth++ {
					errno := writer.Errnos[nth%len(writer.Errnos)]
					t.Run(fmt.Sprintf("%s %d %v", op, nth, errno), func(t *testing.T) {
						l := newLine(t, original)
						writer.Fails(t, op, nth, errno)
						err := l.compress()
						got := l.read()
						switch placed := op == "folder" || op == "remove" || op == "link"; {
						case placed && !bytes.Equal(got, compacted):
							t.Errorf("the log is not the new one: %v", err)
						case !placed && (!errors.Is(err, errno) || !bytes.Equal(got, original)):
							t.Errorf("the log has %d bytes of %d, error %v", len(got), len(original), err)
						}
						if op == "remove" {
							return // what is left names this process, which lives on
						}
						writer.Fails(t, "", 0, nil)
						if err := l.compress(); err != nil || !bytes.Equal(l.read(), compacted) {
							t.Errorf("the next run: %v", err)
						}
						if err := l.restore(); err != nil || !bytes.Equal(l.read(), original) {
							t.Errorf("restore: %v", err)
						}
						left, err := os.ReadDir(filepath.Dir(l.log))
						if err != nil || len(left) != 1 {
							t.Errorf("left behind: %v, %v", left, err)
						}
					})
				}
			}
		})
	}
}

// line is a log in an agent's folder, and an archive.
type line struct {
	t    *testing.T
	log  string
	arch *archive.Archive
}

func newLine(t *testing.T, log []byte) *line {
	t.Helper()
	home := t.TempDir()
	l := &line{t: t, log: filepath.Join(home, "agents", "main", "sessions", "s.jsonl")}
	old := time.Now().Add(-time.Hour)
	if err := errors.Join(os.MkdirAll(filepath.Dir(l.log), 0o700), os.WriteFile(l.log, log, 0o600), os.Chtimes(l.log, old, old)); err != nil {
		t.Fatal(err)
	}
	var err error
	if l.arch, err = archive.Open(filepath.Join(home, "archive"), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.arch.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func (l *line) open(bool) (*archive.Archive, error) {
	_, err := l.arch.SettlePending(context.Background(), writer.Peek)
	return l.arch, err
}

func (l *line) compress() error {
	_, err := compress.Run(context.Background(), l.log, compress.Options{
		Formats: formats.All, Layers: lifecycle.Kinds, Disk: true, NoOutlook: true,
		Lifecycles: lifecycle.Options{KeepLast: 4, KeepTurns: 1, KeepCalls: 4, KeepResults: 1},
		MinAge:     10 * time.Minute, Archive: l.open, Now: time.Now,
	})
	return err
}

func (l *line) restore() error {
	_, err := restore.Run(context.Background(), l.log, restore.Options{Formats: formats.All, Archive: l.open, MinAge: 10 * time.Minute, Now: time.Now})
	return err
}

func (l *line) read() []byte {
	l.t.Helper()
	b, err := os.ReadFile(l.log)
	if err != nil {
		l.t.Fatal(err)
	}
	return b
}
