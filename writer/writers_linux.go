package writer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"sessc/session"
)

// lease asks the kernel whether anybody has a file open for writing: it gives
// a read lease only on a file that nobody has (one that is mapped for writing
// counts too), whoever they are and whether /proc shows them or not. known is
// false where the kernel will not say: the file is another user's, or the file
// system has no leases. f is open for reading alone.
//
// The lease is given back at once. A program that opens the file in between
// waits until then; the kernel sends us SIGIO, which Go programs ignore unless
// they ask for it.
func lease(f *os.File) (free, known bool) {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
		return true, err == nil
	}
	return false, errors.Is(err, unix.EAGAIN)
}

// visibleWriter looks through /proc for another process that has the file open
// for writing. Processes of other users cannot be seen.
func visibleWriter(f session.Fingerprint) string {
	fds, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return ""
	}
	self := strconv.Itoa(os.Getpid())
	for _, fd := range fds {
		parts := strings.Split(fd, "/")
		pid, n := parts[2], parts[4]
		if pid == self {
			continue
		}
		fi, err := os.Stat(fd)
		if err != nil {
			continue
		}
		st, ok := fi.Sys().(*syscall.Stat_t)
		if !ok || st.Ino != f.Inode || st.Dev != f.Dev || !opensForWriting("/proc/"+pid+"/fdinfo/"+n) {
			continue
		}
		name, _ := os.ReadFile("/proc/" + pid + "/comm")
		return fmt.Sprintf("process %s (%s)", pid, bytes.TrimSpace(name))
	}
	return ""
}

func opensForWriting(fdinfo string) bool {
	f, err := os.Open(fdinfo)
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if v, ok := strings.CutPrefix(lines.Text(), "flags:"); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(v), 8, 64)
			return err == nil && flags&(syscall.O_WRONLY|syscall.O_RDWR) != 0
		}
	}
	return false
}
