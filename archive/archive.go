package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// layoutVersion is the arrangement of files that this release writes. It reads
// this one and all before it.
const layoutVersion = 1

const (
	layoutName = "layout"
	indexName  = "index.db"
	packsName  = "packs"
	layoutText = "sessc archive layout "
)

// Archive is an open store. Its methods may be called by several goroutines,
// and several processes may use one store at a time.
type Archive struct {
	dir    string
	disk   disk
	onWait func() // see OnWait, nil for none

	mu sync.Mutex
	sq *sql.DB // nil until the first call that needs it
	// readOnly is why the database can only be read, "" when it can be
	// written; copy is a folder to remove when it is closed. Set with sq.
	readOnly, copy string
}

// Open opens the archive in the folder dir; the database inside is opened by
// the first call that needs it. With create, a missing or empty folder becomes
// an archive that only its owner can enter; any other folder is refused, so
// that nothing is put among the files of another program. Without create, such a
// folder is refused too, and a missing archive is an error that wraps
// [fs.ErrNotExist]. An archive of a later release is [ErrNewer].
func Open(dir string, create bool) (*Archive, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("archive %s: %w", dir, err)
	}
	a := &Archive{dir: abs, disk: osDisk{}}
	version, err := readLayout(abs)
	if errors.Is(err, fs.ErrNotExist) && a.inUse() {
		// Another process may have made the archive in between.
		if version, err = readLayout(abs); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("archive %s: %w: its packs and %s are there, but the file %s is missing or empty; bring it back from a backup, or write the one line %q into it",
				dir, ErrDamaged, indexName, layoutName, layoutText+strconv.Itoa(layoutVersion))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		if strange := a.strange(); strange != nil {
			return nil, fmt.Errorf("archive %s: %w", dir, strange)
		}
	}
	if errors.Is(err, fs.ErrNotExist) && create {
		version, err = layoutVersion, a.create()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("archive %s: nothing was archived here yet (give the folder with --archive): %w", dir, err)
	}
	if fi, is := os.Stat(abs); err != nil && is == nil && !fi.IsDir() {
		return nil, fmt.Errorf("archive %s: it is no folder: name a new or an empty one with --archive", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("archive %s: %w", dir, err)
	}
	if version > layoutVersion {
		return nil, fmt.Errorf("archive %s has layout %d, this release reads up to %d: %w", dir, version, layoutVersion, ErrNewer)
	}
	return a, nil
}

// inUse reports whether a folder without a layout holds what only an archive
// has: finished packs, beside a database.
func (a *Archive) inUse() bool {
	packs, err := a.anyPack()
	if err != nil || !packs {
		return false
	}
	_, err = os.Stat(filepath.Join(a.dir, indexName))
	return err == nil
}

// regular refuses what is no file: to open a pipe would wait for its writer for
// ever. A path that leads nowhere gives the error of a stat.
func regular(path string) error {
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is no regular file; bring it back from a backup, or name a new folder with --archive", ErrDamaged, path)
	}
	return err
}

// readLayout gives the layout number of the archive in dir. A file that is
// still empty belongs to a run that was killed while it made the archive: the
// archive is not there yet.
func readLayout(dir string) (int, error) {
	if err := regular(filepath.Join(dir, layoutName)); err != nil {
		return 0, err
	}
	b, err := os.ReadFile(filepath.Join(dir, layoutName))
	if err != nil {
		return 0, err
	}
	if len(b) == 0 {
		return 0, fmt.Errorf("%s is empty: %w", layoutName, fs.ErrNotExist)
	}
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(b), layoutText)))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s does not name a layout: is this a sessc archive?", filepath.Join(dir, layoutName))
	}
	return n, nil
}

// strange refuses a folder that holds something and is no archive.
func (a *Archive) strange() error {
	path := filepath.Join(a.dir, layoutName)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	names, err := os.ReadDir(a.dir)
	if err != nil || len(names) == 0 {
		return nil // not there, or not to be read: the next step will tell
	}
	// Another process may have made it in between.
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return fmt.Errorf("the folder holds %s and is no sessc archive: name a new or an empty one with --archive", names[0].Name())
}

// CanMake says why no archive can be made in the folder dir, where none is, nil
// if nothing speaks against it. It changes nothing.
func CanMake(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		fi, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at):
			continue
		case err != nil:
			return err
		case !fi.IsDir():
			return fmt.Errorf("%s is no folder", at)
		}
		if err := mayWrite(at, filepath.Join(dir, indexName)); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}
}

func (a *Archive) create() error {
	if err := os.MkdirAll(a.dir, dirMode); err != nil {
		return err
	}
	// Again: it may have been made meanwhile, and not by us.
	if err := a.strange(); err != nil {
		return err
	}
	path := filepath.Join(a.dir, layoutName)
	// A folder that was there before may be open to others.
	if err := os.Chmod(a.dir, dirMode); err != nil {
		return err
	}
	// The layout comes first and stays empty until all else is there, so that
	// a killed run leaves something that the next one recognises.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return err
	}
	defer f.Close()
	atStep("layout created")
	if err := os.Mkdir(filepath.Join(a.dir, packsName), dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Several processes may write it at once: the same bytes at the same place.
	if _, err := f.WriteAt([]byte(layoutText+strconv.Itoa(layoutVersion)+"\n"), 0); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	atStep("layout written")
	if err := a.disk.SyncDir(a.dir); err != nil {
		return err
	}
	// A folder above that may not be read was not made by us.
	if err := a.disk.SyncDir(filepath.Dir(a.dir)); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Close closes the database. Generations that were put and not settled stay
// pending.
func (a *Archive) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sq == nil {
		return nil
	}
	err := a.sq.Close()
	if a.copy != "" {
		err = errors.Join(err, os.RemoveAll(a.copy))
	}
	a.sq, a.readOnly, a.copy = nil, "", ""
	if err != nil {
		return fmt.Errorf("archive %s: close: %w", a.dir, err)
	}
	return nil
}

// fail names the archive in an error, and the step where one tells more than
// the error does.
func (a *Archive) fail(step string, err error) error {
	if err == nil {
		return nil
	}
	if step != "" {
		err = fmt.Errorf("%s: %w", step, err)
	}
	return a.nextStep(fmt.Errorf("archive %s: %w", a.dir, err))
}

// lockWait is how often a lock that is taken is tried again.
const lockWait = 20 * time.Millisecond

// exclusive runs f while no other process creates or migrates the database.
func (a *Archive) exclusive(ctx context.Context, f func() error) error {
	l := flock.New(filepath.Join(a.dir, layoutName), flock.SetFlag(os.O_RDWR))
	patience, stop := context.WithTimeout(ctx, busyAfter)
	defer stop()
	if _, err := l.TryLockContext(patience, lockWait); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	defer l.Close()
	return f()
}
