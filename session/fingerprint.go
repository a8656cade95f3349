package session

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"time"
)

// Fingerprint identifies the exact state of a file.
type Fingerprint struct {
	Dev, Inode uint64
	Size       int64
	Links      uint64
	Mode       os.FileMode
	UID, GID   int
	Modified   time.Time
	Changed    time.Time // inode change time, zero where the system has none
	SHA256     [sha256.Size]byte
}

// Same reports whether two fingerprints describe the same unchanged file, as
// far as a stat can tell; hashes are not compared.
func (f Fingerprint) Same(g Fingerprint) bool {
	return f.Dev == g.Dev && f.Inode == g.Inode && f.Size == g.Size &&
		f.Modified.Equal(g.Modified) && f.Changed.Equal(g.Changed)
}

// Stat takes the fingerprint of an open file without its hash.
func Stat(f *os.File) (Fingerprint, error) {
	fi, err := f.Stat()
	if err != nil {
		return Fingerprint{}, fmt.Errorf("stat: %w", err)
	}
	return fingerprint(fi), nil
}

// StatPath is Stat for a path; links are followed.
func StatPath(path string) (Fingerprint, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("stat: %w", err)
	}
	return fingerprint(fi), nil
}

// Hash returns the SHA-256 of the first n bytes of r.
func Hash(r io.ReaderAt, n int64) ([sha256.Size]byte, error) {
	h := sha256.New()
	var sum [sha256.Size]byte
	if m, err := io.CopyBuffer(h, io.NewSectionReader(r, 0, n), make([]byte, 256<<10)); err != nil {
		return sum, fmt.Errorf("hash: %w", err)
	} else if m != n {
		return sum, fmt.Errorf("hash: file ends after %d of %d bytes: %w", m, n, io.ErrUnexpectedEOF)
	}
	h.Sum(sum[:0])
	return sum, nil
}
