package compress_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/session"
	"sessc/session/formats"
)

// failingDisk fails to read what lies behind a place.
type failingDisk struct {
	*bytes.Reader
	from int64
	on   bool
}

func (d *failingDisk) ReadAt(p []byte, off int64) (int, error) {
	if d.on && off >= d.from {
		return 0, &os.PathError{Op: "read", Path: "x", Err: syscall.EIO}
	}
	return d.Reader.ReadAt(p, off)
}

// TestUnread: an entry that the disk does not give back is remembered, so that
// nobody takes it for damage of the log; one behind the end of a log that
// became shorter is not.
func TestUnread(t *testing.T) {
	log, err := os.ReadFile("../fixtures/claudecode/turns.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	disk := &failingDisk{Reader: bytes.NewReader(log), from: int64(len(log) / 2)}
	s, err := session.OpenReader(disk, int64(len(log)), "x.jsonl", formats.All, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	last := int32(len(s.Entries) - 1)
	if err := s.Sound(last); err != nil || s.Unread() != nil {
		t.Fatal(err, s.Unread())
	}
	disk.Reader = bytes.NewReader(log[:len(log)/2])
	if err := s.Sound(last); !errors.Is(err, io.EOF) || s.Unread() != nil {
		t.Errorf("shorter: %v, %v", err, s.Unread())
	}
	disk.on = true
	if err := s.Sound(last); !errors.Is(err, syscall.EIO) {
		t.Errorf("EIO: %v", err)
	}
	if err := s.Unread(); !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), "x.jsonl:") {
		t.Errorf("remembered: %v", err)
	}
}

// TestEveryReadFails: one read of the disk after the other fails once, after the
// log was indexed; in CI each, else one of ten. No run takes what it could not
// read for damage of the log, and leaves it out: each fails, and says why.
func TestEveryReadFails(t *testing.T) {
	step := 10
	if os.Getenv("SESSC_GENERATED") != "" {
		step = 1
	}
	for _, name := range []string{"openclaw/pi-turns", "claudecode/sync"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := "../fixtures/" + name + ".jsonl"
			log, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			reads := 0
			run := func(fail int) (*compress.Report, error) {
				disk := &onceFailing{Reader: bytes.NewReader(log)}
				o := compress.Options{
					Formats: formats.All, Layers: lifecycle.Kinds, DryRun: true, Now: time.Now,
					Archive: func(bool) (*archive.Archive, error) { return nil, nil },
				}
				o.From(func(path string, set session.Settings) (*session.Session, error) {
					s, err := session.OpenReader(disk, int64(len(log)), path, formats.All, set)
					disk.left = fail
					return s, err
				})
				report, err := compress.Run(t.Context(), path, o)
				reads = fail - disk.left
				return report, err
			}
			const never = 1 << 30
			if report, err := run(never); err != nil || report.Context.After >= report.Context.Before {
				t.Fatalf("%+v, %v", report, err)
			}
			for n, all := 1, reads; n <= all; n += step {
				if _, err := run(n); !errors.Is(err, syscall.EIO) {
					t.Errorf("read %d failed, and the run said %v", n, err)
				}
			}
		})
	}
}

// onceFailing fails one of the reads to come.
type onceFailing struct {
	*bytes.Reader
	left int // reads up to and with the one that fails; 0 or less: none does
}

func (d *onceFailing) ReadAt(p []byte, off int64) (int, error) {
	if d.left--; d.left == 0 {
		return 0, &os.PathError{Op: "read", Path: "x", Err: syscall.EIO}
	}
	return d.Reader.ReadAt(p, off)
}
