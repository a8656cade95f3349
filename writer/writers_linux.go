package writer

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"sessc/session"
)

// writerOf looks for another process that holds the file open for writing.
// Processes of other users cannot be seen; the quiet period has to do there.
func writerOf(f session.Fingerprint) string {
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
		return fmt.Sprintf("process %s (%s) has it open for writing", pid, bytes.TrimSpace(name))
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
