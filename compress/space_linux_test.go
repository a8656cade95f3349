package compress_test

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

	"sessc/compress"
	"sessc/restore"
)

func init() { others["full"] = childFull }

// The archive's disk is full, at one moment after the other: the log stays,
// and the same archive takes the generation once there is room.
//
// The archive lies on a file system in memory whose size is raised step by
// step, in a mount namespace of the child's own. Where a user may not have
// one, a limit on the size of files stands in for it.
func TestArchiveIsFull(t *testing.T) {
	for _, c := range worlds {
		t.Run(c.fixture, func(t *testing.T) { archiveIsFull(t, func() *world { return newWorldOf(t, c.fixture, c.all) }) })
	}
}

func archiveIsFull(t *testing.T, newWorld func() *world) {
	for _, own := range []bool{true, false} {
		w := newWorld()
		if err := os.Mkdir(w.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c, out := w.prepare(w.task("full"))
		if own {
			c.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
		}
		err := c.Run()
		var exit *exec.ExitError
		if own && err != nil && !errors.As(err, &exit) {
			continue // it may not have a namespace
		}
		if err != nil {
			t.Fatalf("child: %v\n%s", err, out)
		}
		t.Logf("%s", out)
		w.clean()
		return
	}
}

func childFull(t *task) int {
	if err := full(t); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// room makes the archive's disk as large as is said.
type room func(bytes int) error

func archiveDisk(dir string) (room, string, error) {
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4k")
	if err == nil {
		return func(n int) error {
			return unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%d", n))
		}, "a file system of", nil
	}
	return func(n int) error {
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		limit.Cur = uint64(n)
		return unix.Setrlimit(unix.RLIMIT_FSIZE, &limit)
	}, "a limit on files (no mount: " + err.Error() + ") of", nil
}

func full(t *task) error {
	original, err := os.ReadFile(t.Log)
	if err != nil {
		return err
	}
	resize, what, err := archiveDisk(t.Archive)
	if err != nil {
		return err
	}
	where := map[string]int{}
	failed, size := 0, 4<<10
	for ; size < 4<<20; size += 8 << 10 {
		if err := resize(size); err != nil {
			return fmt.Errorf("room of %d bytes: %w", size, err)
		}
		o := openers{dir: t.Archive}
		_, err := compress.Run(context.Background(), t.Log, t.options(&o))
		if closed := o.close(); err == nil && closed != nil {
			return closed
		}
		if err == nil {
			break
		}
		failed++
		where[step(err)]++
		if now, readErr := os.ReadFile(t.Log); readErr != nil || !bytes.Equal(now, original) {
			return fmt.Errorf("room of %d bytes: the log was touched, %v, after: %w", size, readErr, err)
		}
		if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EFBIG) && !strings.Contains(err.Error(), "full") && !strings.Contains(err.Error(), "I/O error") {
			return fmt.Errorf("room of %d bytes: the error does not say that there is none: %w", size, err)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(t.Log), "*"))
		if err != nil || len(left) != 1 {
			return fmt.Errorf("room of %d bytes: left behind: %v, %v", size, left, err)
		}
	}
	if failed < 3 {
		return fmt.Errorf("only %d runs met %s up to %d bytes", failed, what, size)
	}
	if now, err := os.ReadFile(t.Log); err != nil || len(now) >= len(original) {
		return fmt.Errorf("with room of %d bytes the run changed nothing: %v", size, err)
	}
	o := openers{dir: t.Archive}
	defer o.close()
	if err := noRoomToRestore(t, &o, len(original)); err != nil {
		return err
	}
	if _, err := restore.Run(context.Background(), t.Log, restoreOptions(&o)); err != nil {
		return err
	}
	if now, err := os.ReadFile(t.Log); err != nil || !bytes.Equal(now, original) {
		return fmt.Errorf("the original is not back: %v", err)
	}
	fmt.Printf("%s up to %d bytes: %d runs failed: %v\n", what, size, failed, where)
	return nil
}

// noRoomToRestore limits the size of files, so that a restore fails at many
// places of the file in which it puts the original together.
func noRoomToRestore(t *task, o *openers, size int) error {
	masked, err := os.ReadFile(t.Log)
	if err != nil {
		return err
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for part := range 8 {
		small := limit
		small.Cur = uint64(size * part / 8)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &small); err != nil {
			return err
		}
		_, err := restore.Run(context.Background(), t.Log, restoreOptions(o))
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		if !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("restore with room for %d bytes: %v, want %w", small.Cur, err, syscall.EFBIG)
		}
		left, err := os.ReadDir(filepath.Dir(t.Log))
		if err != nil || len(left) != 1 {
			return fmt.Errorf("a restore without room left behind: %v, %v", left, err)
		}
		if now, err := os.ReadFile(t.Log); err != nil || !bytes.Equal(now, masked) {
			return fmt.Errorf("a restore without room touched the log: %v", err)
		}
	}
	return nil
}

// step is the part of an error that says where in the archive it came up.
func step(err error) string {
	for _, s := range []string{"open index.db", "new pack", "write pack", "sync pack", "settle", "put session", "stage", "archive"} {
		if strings.Contains(err.Error(), s) {
			return s
		}
	}
	return err.Error()
}
