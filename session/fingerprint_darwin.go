package session

import (
	"os"
	"syscall"
	"time"
)

func fingerprint(fi os.FileInfo) Fingerprint {
	f := Fingerprint{Size: fi.Size(), Mode: fi.Mode(), Modified: fi.ModTime(), Links: 1, UID: -1, GID: -1}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		f.Dev, f.Inode, f.Links = uint64(st.Dev), st.Ino, uint64(st.Nlink)
		f.UID, f.GID = int(st.Uid), int(st.Gid)
		f.Changed = time.Unix(st.Ctimespec.Unix())
	}
	return f
}
