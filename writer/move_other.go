//go:build !linux

package writer

import (
	"errors"
	"os"
)

// moveNew renames a file to a name that nothing has, where the system can.
func moveNew(from, to string) error {
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: errors.ErrUnsupported}
}
