package writer

import (
	"errors"
	"io/fs"
	"os"

	"sessc/session"
)

// Scratch is a temporary file beside a log, for content that is too large to
// be held in memory. Where the system allows it the file has no name, so that
// a killed run leaves nothing; elsewhere the next run removes it.
type Scratch struct{ *os.File }

// NewScratch creates a scratch file in the folder in which a log, or a copy
// of one, is to stand. Only its owner may read it.
func NewScratch(final string) (*Scratch, error) {
	f, err := createTemp(final)
	if err != nil {
		return nil, err
	}
	disk.remove(f.Name())
	return &Scratch{f}, nil
}

// Close closes the file and removes it.
func (s *Scratch) Close() error {
	err := s.File.Close()
	if gone := disk.remove(s.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// Peek tells what a file holds: its size in bytes and the SHA-256 of its first
// n bytes, or of all of it when it is shorter. It is what package archive asks
// for to settle generations that a killed run left pending.
func Peek(path string, n int64) (size int64, sum [32]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, sum, err
	}
	defer f.Close()
	fp, err := session.Stat(f)
	if err != nil {
		return 0, sum, err
	}
	sum, err = session.Hash(f, min(n, fp.Size))
	return fp.Size, sum, err
}
