//go:build unix

package writer

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lock takes an advisory lock on an open file, so that two runs of sessc do
// not replace one log at once. Agents do not take it. Where the file system
// has no such locks (some network mounts), the comparison of fingerprints
// right before the rename has to do.
func lock(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return err
	}
	return nil
}

// writable reports whether this user may write to a file or a folder.
func writable(path string) error { return unix.Access(path, unix.W_OK) }

// setTimes is [os.Chtimes], which counts in nanoseconds and so cannot set what
// comes after the year 2262; file systems can.
func setTimes(path string, t time.Time) error {
	ts, err := unix.TimeToTimespec(t)
	if err == nil {
		err = unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, 0)
	}
	if err != nil {
		return &os.PathError{Op: "set time of", Path: path, Err: err}
	}
	return nil
}
