package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// readSettings are the settings of a connection that only reads: it needs no
// room for temporary files either.
const readSettings = settings + "&_pragma=temp_store(MEMORY)&_pragma=query_only(1)"

// openReading opens the database where nothing can be written: on a read-only
// file system, without the permission, or on a full disk. why says which.
//
// SQLite wants to write even to read: it shares an index over the log of the
// database (-wal) with other processes, in the file -shm. Where that file is
// there it can be used as it is. Where it is not, nobody is writing. Then a
// database without a log can be read as a file that does not change, and one
// with a log, which a killed run left, in a copy. So is one of an earlier
// release, whose tables the copy gets first.
func (a *Archive) openReading(ctx context.Context, path string, packs bool) (*sql.DB, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if packs {
			return nil, a.lost("is missing")
		}
		return nil, errEmpty
	}
	sq, err := a.reader(ctx, path, packs, "&mode=ro")
	if err != nil && isWriteTrouble(err) {
		if st, err := os.Stat(path + "-wal"); err == nil && st.Size() > 0 {
			return a.readCopy(ctx, path, packs)
		}
		sq, err = a.reader(ctx, path, packs, "&mode=ro&immutable=1")
	}
	if errors.Is(err, errOlder) {
		return a.readCopy(ctx, path, packs)
	}
	return sq, err
}

var (
	errEmpty = errors.New("nothing was archived here yet")
	errOlder = errors.New("the index is of an earlier release")
)

// reader opens a connection and checks that it can read what this release knows.
func (a *Archive) reader(ctx context.Context, path string, packs bool, how string) (*sql.DB, error) {
	sq, err := sql.Open("sqlite", dsn(path, readSettings)+how)
	if err != nil {
		return nil, err
	}
	sq.SetMaxOpenConns(1)
	err = a.waiting(func() error {
		v, err := schemaVersion(ctx, sq)
		switch {
		case err != nil:
			return err
		case v == 0 && !packs:
			return errEmpty
		case packs:
			if err := a.knowsPacks(ctx, sq); err != nil {
				return err
			}
		}
		if v < len(migrations) {
			return errOlder
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, sq.Close())
	}
	return sq, nil
}

// readCopy reads a copy of the database with its log worked in and all tables
// of this release. The copy has no name any more once it is open, so that a
// killed run leaves none.
func (a *Archive) readCopy(ctx context.Context, path string, packs bool) (_ *sql.DB, err error) {
	dir, err := os.MkdirTemp("", "sessc-index-")
	if err != nil {
		return nil, fmt.Errorf("copy %s with its log to read it: %w", indexName, err)
	}
	defer func() {
		if gone := os.RemoveAll(dir); gone != nil { // not where open files keep their names
			a.copy = dir
		}
	}()
	to := filepath.Join(dir, indexName)
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(path+suffix, to+suffix); err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, fmt.Errorf("copy %s%s to read it: %w", indexName, suffix, err)
		}
	}
	sq, err := sql.Open("sqlite", dsn(to, settings))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(a.ready(ctx, sq), sq.Close()); err != nil {
		return nil, fmt.Errorf("read %s in a copy: %w", indexName, err)
	}
	return a.reader(ctx, to, packs, "&mode=ro&immutable=1")
}

// ready works the log of a copied database in, and adds what it lacks.
func (a *Archive) ready(ctx context.Context, sq *sql.DB) error {
	sq.SetMaxOpenConns(1)
	if _, err := sq.ExecContext(ctx, "PRAGMA journal_mode=DELETE"); err != nil {
		return err
	}
	v, err := schemaVersion(ctx, sq)
	if err != nil || v == 0 || v == len(migrations) {
		return err
	}
	return a.migrateFrom(ctx, sq, v)
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// dsn names a database for the driver. The path is escaped: '?' and '#' would
// end it, '%' would be decoded.
func dsn(path, settings string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String() + fmt.Sprintf(settings, busyAfter.Milliseconds())
}

// isWriteTrouble reports whether something failed because it could not be
// written.
func isWriteTrouble(err error) bool {
	if errors.Is(err, ErrReadOnly) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS) {
		return true
	}
	switch sqliteCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR:
		return true
	}
	return false
}

// sqliteCode is what SQLite calls an error, without the detail, 0 when it is
// none of its errors.
func sqliteCode(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// why says in words what keeps the archive from being written.
func why(err error) string {
	switch {
	case errors.Is(err, syscall.EROFS):
		return "its file system is mounted read-only"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to write there"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), sqliteCode(err) == sqlite3.SQLITE_FULL:
		return "its disk is full"
	}
	return fmt.Sprintf("its disk is full or fails (SQLite error %d)", sqliteCode(err))
}

// nextStep adds to an error what can be done when the archive's place is why.
func (a *Archive) nextStep(err error) error {
	var told *advised
	if errors.As(err, &told) || !isWriteTrouble(err) {
		return err
	}
	return &advised{fmt.Errorf("%w; free room on its disk, mount it writable, or copy the folder %s to where it can be written and name the copy with --archive", err, a.dir)}
}

// advised is an error that names the next step already.
type advised struct{ error }

func (e *advised) Unwrap() error { return e.error }
