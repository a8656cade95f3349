package writer

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const posixDefault = "system.posix_acl_default"

// aclOf is an access list: owner rw, user 1234 and the mask as given, group
// nothing, others nothing.
func aclOf(user, mask uint16) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	entry := func(tag, perm uint16, id uint32) {
		b = binary.LittleEndian.AppendUint16(b, tag)
		b = binary.LittleEndian.AppendUint16(b, perm)
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	const none = ^uint32(0)
	entry(0x01, 6, none)
	entry(0x02, user, 1234)
	entry(0x04, 0, none)
	entry(0x10, mask, none)
	entry(0x20, 0, none)
	return b
}

// setX sets an attribute of a file. Where the file system has none, the test is
// skipped; CI has to run it.
func setX(t testing.TB, path, name string, value []byte) {
	t.Helper()
	err := unix.Setxattr(path, name, value, 0)
	if errors.Is(err, unix.ENOTSUP) && os.Getenv("CI") == "" {
		t.Skipf("the file system of %s has no %s: set TMPDIR to one that has", os.TempDir(), name)
	}
	if err != nil {
		t.Fatalf("set %s: %v", name, err)
	}
}

func getX(t testing.TB, path, name string) string {
	t.Helper()
	b := make([]byte, 4096)
	n, err := unix.Getxattr(path, name, b)
	if err != nil && !errors.Is(err, unix.ENODATA) {
		t.Fatal(err)
	}
	return string(b[:max(n, 0)])
}

func modeOf(t testing.TB, path string) os.FileMode {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi.Mode()
}

// settingAttrs calls f before each attribute that is set.
func settingAttrs(t testing.TB, f func(fd int, name string) error) {
	setAttr = func(fd int, name string, b []byte, flags int) error {
		if err := f(fd, name); err != nil {
			return err
		}
		return unix.Fsetxattr(fd, name, b, flags)
	}
	t.Cleanup(func() { setAttr = unix.Fsetxattr })
}

// A log with an access list shows the list's mask as the group's rights: a new
// file with that mode and without the list would be open to the group.
func TestAccessListIsKept(t *testing.T) {
	for _, output := range []string{"", "copy.jsonl"} {
		path := newLog(t, original())
		setX(t, path, posixACL, aclOf(6, 6))
		setX(t, path, "user.note", []byte("mine"))
		want := modeOf(t, path)
		if want != 0o660 {
			t.Fatalf("mode with the list %v", want)
		}
		first := true
		settingAttrs(t, func(fd int, name string) error {
			var st unix.Stat_t
			if err := unix.Fstat(fd, &st); err != nil {
				return err
			}
			if first && (name != posixACL || st.Mode&0o777 != 0o600) {
				t.Errorf("%s comes first, to a file of mode %o", name, st.Mode&0o777)
			}
			first = false
			return nil
		})
		r := newRun()
		at := path
		if output != "" {
			at = filepath.Join(t.TempDir(), output)
			r.target.Output = at
		}
		if err := r.do(context.Background(), open(t, path)); err != nil {
			t.Fatal(err)
		}
		holds(t, at, shorter(original()))
		if got := getX(t, at, posixACL); got != string(aclOf(6, 6)) || modeOf(t, at) != want {
			t.Errorf("output %q: access list %x, mode %v; want %x, %v", output, got, modeOf(t, at), aclOf(6, 6), want)
		}
		if got := getX(t, at, "user.note"); got != "mine" {
			t.Errorf("output %q: user.note %q", output, got)
		}
	}
}

// A folder may give each new file a list that the log does not have.
func TestFoldersListIsNotTaken(t *testing.T) {
	path := newLog(t, original())
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	setX(t, filepath.Dir(path), posixDefault, aclOf(6, 6))
	if err := newRun().do(context.Background(), open(t, path)); err != nil {
		t.Fatal(err)
	}
	if got := getX(t, path, posixACL); got != "" || modeOf(t, path) != 0o660 {
		t.Errorf("access list %x, mode %v", got, modeOf(t, path))
	}
}

func TestAttributesThatCannotBeKept(t *testing.T) {
	tests := map[string]struct {
		fails string
		why   string // "" when the log is rewritten all the same
		copy  os.FileMode
	}{
		"access list":    {posixACL, "access list (system.posix_acl_access)", 0o600},
		"user attribute": {"user.note", "extended attribute user.note", 0o660},
		"security label": {"security.selinux", "", 0o660},
	}
	for name, tt := range tests {
		for _, output := range []string{"", "copy.jsonl"} {
			t.Run(name+" "+output, func(t *testing.T) {
				path := newLog(t, original())
				setX(t, path, posixACL, aclOf(6, 6))
				setX(t, path, "user.note", []byte("mine"))
				if tt.fails == "security.selinux" {
					if os.Getuid() != 0 {
						t.Skip("only root can set a security label")
					}
					setX(t, path, tt.fails, []byte("a_label"))
				}
				settingAttrs(t, func(_ int, name string) error {
					if name == tt.fails {
						return unix.EPERM
					}
					return nil
				})
				r := newRun()
				if output != "" {
					r.target.Output = filepath.Join(t.TempDir(), output)
				}
				err := r.do(context.Background(), open(t, path))
				switch {
				case output != "":
					if err != nil {
						t.Fatal(err)
					}
					holds(t, path, original())
					if got := modeOf(t, r.target.Output); got != tt.copy {
						t.Errorf("mode of the copy %v, want %v", got, tt.copy)
					}
				case tt.why == "":
					if err != nil {
						t.Fatal(err)
					}
					holds(t, path, shorter(original()))
				default:
					if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.why) || !strings.Contains(err.Error(), "--output") {
						t.Errorf("error %v", err)
					}
					holds(t, path, original())
				}
				alone(t, path)
			})
		}
	}
}
