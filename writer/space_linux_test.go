package writer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"sessc/session"
	"sessc/session/openclaw"
)

func init() { tasks["full"] = childFull }

// A real disk that is full: a file system in memory with room for the log and
// for half of another one, in a mount namespace of the child's own. Where a
// user may not have one, a limit on the size of files stands in for it, with
// EFBIG for ENOSPC.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	c := child("full " + dir)
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // it may not have a namespace
		c := child("full " + dir)
		out, err = c.CombinedOutput()
	}
	if err != nil {
		t.Fatalf("child: %v\n%s", err, out)
	}
	t.Logf("%s", out)
	if !bytes.Contains(out, []byte("disk full: ok")) {
		t.Errorf("the child says %s", out)
	}
}

func childFull(dir string) int {
	if err := full(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("disk full: ok")
	return 0
}

func full(dir string) error {
	content := bytes.Clone(original())
	for n := 8; len(content) < 400<<10; n++ {
		content = append(content, reply(fmt.Sprintf("%08x", n), fmt.Sprintf("%08x", max(n-1, 6)), strings.Repeat("filling ", 500))...)
	}
	content = bytes.ReplaceAll(content, []byte(`"parentId":"00000007"`), []byte(`"parentId":"00000006"`))
	want := syscall.ENOSPC
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=640k"); err != nil {
		fmt.Println("no mount, a limit on file sizes stands in:", err)
		want = syscall.EFBIG
	}
	path := filepath.Join(dir, "s.jsonl")
	if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chtimes(path, anHourAgo, anHourAgo)); err != nil {
		return err
	}
	if want == syscall.EFBIG {
		limit := unix.Rlimit{Cur: 200 << 10, Max: 200 << 10}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
	}
	s, err := session.Open(path, []session.Format{openclaw.Format{}}, noSettings)
	if err != nil {
		return err
	}
	defer s.Close()
	r := newRun()
	err = r.do(context.Background(), s)
	if !errors.Is(err, want) || r.outcome() != "[]" {
		return fmt.Errorf("error %v, settled %s; want %v", err, r.outcome(), want)
	}
	if want == syscall.ENOSPC && !strings.Contains(err.Error(), "bytes of free space are needed") {
		return fmt.Errorf("error %v does not say how much room is needed", err)
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, content) {
		return fmt.Errorf("the log was touched: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		return fmt.Errorf("left behind: %v, %v", left, err)
	}
	return nil
}
