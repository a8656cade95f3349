//go:build !linux && !darwin

package session

import "os"

// Without inode numbers a replaced file is told by size and time alone; the
// writer's comparison of hashes still holds.
func fingerprint(fi os.FileInfo) Fingerprint {
	return Fingerprint{Size: fi.Size(), Mode: fi.Mode(), Modified: fi.ModTime(), Links: 1, UID: -1, GID: -1}
}
