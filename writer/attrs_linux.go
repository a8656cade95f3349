package writer

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// posixACL is the attribute that holds a file's access list. While there is
// one, the group's bits of the mode are only the most that any entry may give.
const posixACL = "system.posix_acl_access"

var setAttr = unix.Fsetxattr // tests put one that fails in its place

// keepAttrs gives a new file the access list and the other extended attributes
// of the original. acl says that the list is there, and with it the mode. A
// list that the new file got from its folder, and the original has not, goes.
//
// An error means that who may read the log, or what somebody noted on it,
// would not be kept.
func keepAttrs(f, from *os.File) (acl bool, err error) {
	to, src := int(f.Fd()), int(from.Fd())
	b, err := attr(src, posixACL)
	switch {
	case err == nil:
		if err := setAttr(to, posixACL, b, 0); err != nil {
			return false, &aclError{fmt.Errorf("its access list (%s): %w", posixACL, err)}
		}
		acl = true
	case isNoAttr(err):
		if err := unix.Fremovexattr(to, posixACL); err != nil && !isNoAttr(err) {
			return false, &aclError{fmt.Errorf("the absence of an access list (%s): %w", posixACL, err)}
		}
	default:
		return false, &aclError{fmt.Errorf("its access list (%s): %w", posixACL, err)}
	}
	names, err := attrs(src)
	if err != nil {
		return acl, fmt.Errorf("its extended attributes: %w", err)
	}
	for _, name := range names {
		list := isACL(name)
		if name == posixACL || !list && !isKept(name) {
			continue
		}
		b, err := attr(src, name)
		if errors.Is(err, unix.ENODATA) { // gone since it was listed
			continue
		}
		if err == nil {
			err = setAttr(to, name, b, 0)
		}
		switch {
		case err == nil:
			acl = acl || list
		case list:
			return acl, &aclError{fmt.Errorf("its access list (%s): %w", name, err)}
		case strings.HasPrefix(name, "user."):
			return acl, fmt.Errorf("its extended attribute %s: %w", name, err)
		default:
			// A security label may be set by the system's policy only, which
			// has given the new file the one that it wants it to have.
		}
	}
	return acl, nil
}

// isACL reports whether an attribute is an access list: system.nfs4_acl and
// its like on other file systems.
func isACL(name string) bool {
	return strings.HasPrefix(name, "system.") && strings.Contains(name, "acl") && name != "system.posix_acl_default"
}

// isKept reports whether an attribute goes with the log. Those of the user do,
// and security labels. Not kept are checksums over the old content or the old
// inode, with which the system would bar the new file (security.ima, .evm),
// rights of a program (security.capability), what a file system or a daemon
// notes for itself (trusted.*, btrfs.*, system.*).
func isKept(name string) bool {
	switch name {
	case "security.ima", "security.evm", "security.capability":
		return false
	}
	return strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "security.")
}

// isNoAttr reports that there is no such attribute, or none at all in this
// file system.
func isNoAttr(err error) bool {
	return errors.Is(err, unix.ENODATA) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS)
}

func attr(fd int, name string) ([]byte, error) {
	return grown(func(b []byte) (int, error) { return unix.Fgetxattr(fd, name, b) })
}

func attrs(fd int) ([]string, error) {
	b, err := grown(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) })
	if err != nil && isNoAttr(err) {
		return nil, nil
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == 0 }), err
}

// grown asks until the answer fits: it may grow between two questions.
func grown(get func(b []byte) (int, error)) ([]byte, error) {
	for b := make([]byte, 256); ; {
		n, err := get(b)
		if err == nil {
			return b[:n], nil
		}
		if !errors.Is(err, unix.ERANGE) || len(b) >= 1<<20 {
			return nil, err
		}
		b = make([]byte, 4*len(b))
	}
}
