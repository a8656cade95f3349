//go:build unix

package archive

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// mayWrite reports what forbids this user to write to the database in dir. It
// opens nothing: closing a file would let go of SQLite's locks on it.
func mayWrite(dir, database string) error {
	for _, path := range []string{dir, database} {
		if err := unix.Access(path, unix.W_OK); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
