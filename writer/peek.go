package writer

import "sessc/session"

// Peek tells what a file holds: its size in bytes and the SHA-256 of its first
// n bytes, or of all of it when it is shorter. It is what package archive asks
// for to settle generations that a killed run left pending.
func Peek(path string, n int64) (size int64, sum [32]byte, err error) {
	f, err := session.OpenRegular(path)
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
