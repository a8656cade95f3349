package writer

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"syscall"
	"time"

	"sessc/session"
)

// diskOps are the calls by which a log is replaced. Tests put others in their
// place, to see what each one's failure does.
type diskOps struct {
	create func(path string) (*os.File, error)
	own    func(f *os.File, like session.Fingerprint, copy bool) error
	write  func(f *os.File, b []byte) error
	sync   func(f *os.File) error
	times  func(path string, t time.Time) error
	rename func(from, to string) error
	link   func(from, to string) error
	remove func(path string) error
	folder func(dir string) error // syncs a folder's entries
	append func(path string, b []byte) error
	lease  func(f *os.File) (free, known bool) // whether nobody has it open for writing
}

var disk = realDisk

var realDisk = diskOps{
	create: func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	},
	own:   own,
	lease: lease,
	write: func(f *os.File, b []byte) error {
		_, err := f.Write(b)
		return err
	},
	sync:   (*os.File).Sync,
	times:  setTimes,
	rename: os.Rename,
	link:   os.Link,
	remove: os.Remove,
	folder: func(dir string) error {
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	},
	append: func(path string, b []byte) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		if _, err := f.Write(b); err != nil {
			f.Close()
			return err
		}
		if err := f.Sync(); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	},
}

// own gives a file the mode, owner and group of the original. A log whose
// owner cannot be kept is refused: the agent might not be able to read it. A
// copy whose owner cannot be kept belongs to who made it, and to nobody else.
func own(f *os.File, like session.Fingerprint, copy bool) error {
	mode := like.Mode.Perm()
	if like.UID >= 0 {
		fp, err := session.Stat(f)
		if err != nil {
			return err
		}
		if fp.UID != like.UID || fp.GID != like.GID {
			switch err := f.Chown(like.UID, like.GID); {
			case err != nil && !copy:
				return err
			case err != nil:
				mode &= 0o700
			}
		}
	}
	return f.Chmod(mode)
}

func isNoSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) }

// nonce makes temporary names unique among the threads of one process. It is
// no part of any output.
func nonce() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
