package archive

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { childReading = reading }

// An archive can be read where nothing can be written: with a log of the
// database that a killed run left, too, and with or without the file of its
// index. A child has a file system of its own for it.
func TestReadingWhereNothingCanBeWritten(t *testing.T) {
	for _, place := range []string{"mounted read-only", "disk full", "no permission"} {
		for _, left := range []string{"nothing", "log and index", "log", "an earlier schema"} {
			t.Run(place+", left "+left, func(t *testing.T) {
				dir := t.TempDir()
				t.Cleanup(func() { // so that it can be removed
					for _, d := range []string{"archive", "archive/packs"} {
						os.Chmod(filepath.Join(dir, d), 0o700)
					}
				})
				run := func(flags uintptr) ([]byte, error) {
					c := exec.Command(os.Args[0])
					c.Env = append(os.Environ(), childDir+"="+dir, childRole+"=reading "+place+"/"+left)
					c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
					if flags&syscall.CLONE_NEWUSER != 0 {
						c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
						c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
					}
					return c.CombinedOutput()
				}
				flags := uintptr(syscall.CLONE_NEWNS)
				switch {
				case place == "no permission":
					flags = 0
				case os.Getuid() != 0:
					flags |= syscall.CLONE_NEWUSER
				}
				out, err := run(flags)
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) || bytes.Contains(out, []byte("no mount")) {
					if os.Getenv("CI") != "" {
						t.Fatalf("no namespace to mount in: %v\n%s", err, out)
					}
					t.Skipf("no namespace to mount in: %v\n%s", err, out)
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			})
		}
	}
}

// An archive in which nothing was ever stored says that, and what it would take.
func TestReadingAnEmptyArchive(t *testing.T) {
	// A link that leads nowhere forbids the database to root, too.
	dir := filepath.Join(t.TempDir(), "archive")
	a := openArchive(t, dir)
	err := os.Symlink(filepath.Join(dir, "gone", indexName), filepath.Join(dir, indexName))
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Status(context.Background())
	if !errors.Is(err, errEmpty) || !strings.Contains(err.Error(), "--archive") {
		t.Errorf("%v", err)
	}
}

func reading(dir, name string) error {
	ctx := context.Background()
	place, left, _ := strings.Cut(name, "/")
	mounted := place != "no permission"
	if mounted {
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
			return fmt.Errorf("no mount: %w", err)
		}
	}
	s, open, at := planted("s"), planted("open"), filepath.Join(dir, "archive")
	id, err := preserve(dir, at, left, s, open)
	if err != nil {
		return err
	}
	switch place {
	case "mounted read-only":
		err = unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
	case "disk full":
		err = fillUp(dir)
	default:
		err = errors.Join(os.Chmod(dir, 0o755), lockUp(at))
	}
	if err != nil {
		return err
	}
	a, err := Open(at, true)
	if err != nil {
		return err
	}
	defer a.Close()
	settled, err := a.SettlePending(ctx, peekMap(open.onDisk(true)))
	switch {
	case err != nil:
		return fmt.Errorf("settle: %w", err)
	case len(settled) != 1 || place != "disk full" && (settled[0].Outcome != OutcomeOpen || !strings.Contains(settled[0].Reason, "only be read here")):
		return fmt.Errorf("settled %+v", settled)
	}
	st, err := a.Status(ctx)
	if err != nil || len(st.Sessions) != 2 {
		return fmt.Errorf("status: %+v, %w", st, err)
	}
	x, err := a.Expand(ctx, s.g.Masks[0].Ref)
	if err != nil || len(x.Entries) == 0 {
		return fmt.Errorf("expand: %+v, %w", x, err)
	}
	if known, err := a.Known(ctx, "key"); err != nil || len(known) != 0 {
		return fmt.Errorf("known: %v, %w", known, err)
	}
	hits, err := a.Search(ctx, "longer text", 5)
	if err != nil || len(hits) == 0 {
		return fmt.Errorf("search: %v, %w", hits, err)
	}
	var out bytes.Buffer
	if err := a.Original(ctx, id, 0, bytes.NewReader(s.new[0]), int64(len(s.new[0])), &out); err != nil || !bytes.Equal(out.Bytes(), s.old[0]) {
		return fmt.Errorf("original: %d bytes, %w", out.Len(), err)
	}
	more := randomSample(seeded(3), "more", 1, 4<<20, 9, 3)
	if _, err := a.Put(ctx, &more.g, more.source()); err == nil || !strings.Contains(err.Error(), "--archive") {
		return fmt.Errorf("a put says: %v", err)
	}
	return nil
}

// preserve makes an archive with an applied and a pending generation, with
// what a killed run leaves beside its database.
func preserve(dir, at, left string, s, open *sample) (int64, error) {
	ctx := context.Background()
	work := filepath.Join(dir, "work")
	a, err := Open(work, true)
	if err != nil {
		return 0, err
	}
	p, err := a.Put(ctx, &s.g, s.source())
	if err != nil {
		return 0, err
	}
	if err := p.Settle(ctx, true); err != nil {
		return 0, err
	}
	other, err := a.Put(ctx, &open.g, open.source())
	if err != nil {
		return 0, err
	}
	if err := other.Close(); err != nil {
		return 0, err
	}
	if left == "nothing" || left == "an earlier schema" {
		if err := a.Close(); err != nil {
			return 0, err
		}
	}
	if left == "an earlier schema" {
		if err := firstSchema(filepath.Join(work, indexName)); err != nil {
			return 0, err
		}
	}
	if err := os.CopyFS(at, os.DirFS(work)); err != nil {
		return 0, err
	}
	if left == "log" {
		if err := os.Remove(filepath.Join(at, indexName+"-shm")); err != nil {
			return 0, err
		}
	}
	if wal, err := os.Stat(filepath.Join(at, indexName+"-wal")); (err == nil && wal.Size() > 0) != strings.HasPrefix(left, "log") {
		return 0, fmt.Errorf("left %s: %v, %v", left, wal, err)
	}
	return p.ID, errors.Join(a.Close(), os.RemoveAll(work))
}

// later are the tables that came after the first schema.
var later = []string{"known", "answers", "restored", "forgotten", "undone"}

// firstSchema takes them away.
func firstSchema(path string) error {
	if len(later) != len(migrations)-1 {
		return fmt.Errorf("the tables %q are not those of %d migrations", later, len(migrations))
	}
	sq, err := sql.Open("sqlite", dsn(path, settings))
	if err != nil {
		return err
	}
	sq.SetMaxOpenConns(1)
	for _, table := range later {
		_, dropped := sq.Exec("DROP TABLE " + table)
		err = errors.Join(err, dropped)
	}
	_, set := sq.Exec("PRAGMA user_version=1")
	return errors.Join(err, set, sq.Close())
}

func fillUp(dir string) error {
	f, err := os.Create(filepath.Join(dir, "filling"))
	if err != nil {
		return err
	}
	defer f.Close()
	for b := make([]byte, 4096); ; {
		if _, err := f.Write(b); errors.Is(err, syscall.ENOSPC) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// lockUp takes the right to write from everybody, and from a child of root its
// power to do without.
func lockUp(at string) error {
	root := os.Getuid() == 0
	var dirs []string
	err := filepath.WalkDir(at, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if root {
			if err := os.Chown(path, 65534, 65534); err != nil {
				return err
			}
		}
		if d.IsDir() {
			dirs = append(dirs, path)
			return nil
		}
		return os.Chmod(path, 0o400)
	})
	for _, d := range dirs {
		err = errors.Join(err, os.Chmod(d, 0o500))
	}
	if err == nil && root {
		for d := filepath.Dir(at); len(d) > len(os.TempDir()); d = filepath.Dir(d) {
			err = errors.Join(err, os.Chmod(d, 0o755))
		}
		err = errors.Join(err, syscall.Setgid(65534), syscall.Setuid(65534))
	}
	return err
}
