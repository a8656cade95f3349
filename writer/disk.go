package writer

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"sessc/session"
)

// diskOps are the calls by which a log is replaced. Tests put others in their
// place, to see what each one's failure does.
type diskOps struct {
	create func(path string) (*os.File, error)
	own    func(f *os.File, log *session.Session, copy bool) error
	write  func(f *os.File, b []byte) error
	sync   func(f *os.File) error
	times  func(path string, t time.Time) error
	rename func(from, to string) error
	link   func(from, to string) error
	move   func(from, to string) error // renames to a name that nothing has
	remove func(path string) error
	folder func(dir string) error                                    // syncs a folder's entries
	append func(path string, b []byte) (at session.Range, err error) // at is what was written, and where
	lease  func(f *os.File) (free, known bool)                       // whether nobody has it open for writing
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
	move:   moveNew,
	remove: os.Remove,
	folder: func(dir string) error {
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	},
	append: func(path string, b []byte) (at session.Range, err error) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return at, err
		}
		n, err := f.Write(b)
		if n > 0 {
			// The system moves a file opened like this to its end for each
			// write, whatever stood there before.
			end, seekErr := f.Seek(0, io.SeekCurrent)
			at, err = session.Range{Off: end - int64(n), Len: int64(n)}, errors.Join(err, seekErr)
		}
		if err == nil {
			err = f.Sync()
		}
		return at, errors.Join(err, f.Close())
	},
}

// place gives a file a new name that nothing has. The error wraps [fs.ErrExist]
// when something has it: that is never replaced. The file is whole when it gets
// its name; whether it keeps the old one after an error is not said.
func place(from, to string) error {
	err := disk.link(from, to)
	if err == nil {
		disk.remove(from)
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// There are no hard links here.
	if err = disk.move(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return placeOverEmpty(from, to)
}

// placeOverEmpty is place for where the system has no call for it: the name is
// taken by an empty file, which is then replaced. A crash in between leaves that
// one, and no half log. Who wrote to it meanwhile keeps what he wrote.
func placeOverEmpty(from, to string) error {
	f, err := disk.create(to)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return errors.Join(err, disk.remove(to))
	}
	switch fi, err := os.Lstat(to); {
	case err != nil:
		return err
	case fi.Size() > 0 || !fi.Mode().IsRegular():
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	if err := disk.rename(from, to); err != nil {
		return errors.Join(err, disk.remove(to))
	}
	return nil
}

// own gives a file the owner, the group, the access list, the other attributes
// and the mode of the original. A log whose owner, list or attributes cannot be
// kept is refused: the agent might not be able to read it, or others might. A
// copy whose owner or list cannot be kept belongs to who made it, and to nobody
// else.
//
// The file is its owner's alone until the list is there: without it the group's
// bits of the mode would be rights of the group.
func own(f *os.File, log *session.Session, copy bool) error {
	like, from := log.Source, log.File()
	mode, owned := like.Mode.Perm(), true
	if like.UID >= 0 {
		fp, err := session.Stat(f)
		if err != nil {
			return err
		}
		if fp.UID != like.UID || fp.GID != like.GID {
			switch err := f.Chown(like.UID, like.GID); {
			case errors.Is(err, syscall.EPERM) && !copy:
				return &Refusal{log.Path, "a new file cannot have its owner and its group: " + err.Error(), hintGroup}
			case err != nil && !copy:
				return err
			case err != nil:
				mode, owned = mode&0o700, false
			}
		}
	}
	acl := false
	if from != nil && owned {
		var err error
		acl, err = keepAttrs(f, from)
		var list *aclError
		switch {
		case err != nil && !copy:
			return &Refusal{log.Path, "a new file cannot have " + err.Error(), "write a copy with --output, or take it off the log"}
		case errors.As(err, &list):
			mode &= 0o700
		}
	}
	if acl {
		if fp, err := session.Stat(f); err == nil && fp.Mode.Perm() == mode {
			return nil // some file systems let a mode take the place of the list
		}
	}
	return f.Chmod(mode)
}

// aclError is the failure to keep a log's access list.
type aclError struct{ error }

func (e *aclError) Unwrap() error { return e.error }

func isNoSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) }

// nonce makes temporary names unique among the threads of one process. It is
// no part of any output.
func nonce() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
