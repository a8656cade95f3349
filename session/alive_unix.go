//go:build unix

package session

import (
	"errors"
	"syscall"
)

// Alive reports whether a process exists; one that we may not signal does.
func Alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
