package archive

import (
	"io"
	"os"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// disk is what pack writing asks of the file system; tests put one that fails
// in its place.
type disk interface {
	// Create makes a new file that only its owner may read.
	Create(path string) (diskFile, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncDir makes the names in a folder durable.
	SyncDir(path string) error
}

type diskFile interface {
	io.WriteCloser
	Sync() error
}

type osDisk struct{}

func (osDisk) Create(path string) (diskFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
}

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) Remove(path string) error { return os.Remove(path) }

func (osDisk) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// atStep is called with the name of each step that leaves a trace on disk.
// Tests end the process there.
var atStep = func(string) {}
