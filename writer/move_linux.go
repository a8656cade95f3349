package writer

import (
	"os"

	"golang.org/x/sys/unix"
)

// moveNew renames a file to a name that nothing has. Not all file systems can.
func moveNew(from, to string) error {
	if err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
