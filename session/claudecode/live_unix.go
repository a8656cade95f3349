//go:build unix

package claudecode

import (
	"errors"
	"syscall"
)

// alive reports whether a process exists; one that we may not signal does.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
