package compress_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

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
