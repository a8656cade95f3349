package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"modernc.org/sqlite" // also the driver named "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// settings are what every connection gets before its first statement. FULL
// makes each commit durable by itself; secure_delete overwrites deleted rows;
// immediate transactions cannot fail half way for want of the lock.
const settings = "?_pragma=busy_timeout(%d)&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)" +
	"&_pragma=secure_delete(1)&_txlock=immediate"

// How long another process may hold the database before the user hears of it,
// and before a call gives up: the rows of a session of 1 GB take half a minute.
var (
	noticeAfter = 2 * time.Second
	busyAfter   = 30 * time.Second
)

// OnWait sets what is called, from another goroutine, when a call has been
// waiting for another process for two seconds. It is set before the first use.
func (a *Archive) OnWait(f func()) { a.onWait = f }

// waiting runs what may have to wait for another process.
func (a *Archive) waiting(f func() error) error {
	if a.onWait != nil {
		defer time.AfterFunc(noticeAfter, a.onWait).Stop()
	}
	err := f()
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code() == sqlite3.SQLITE_BUSY || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("another program holds it for more than %s, run sessc again when that is done: %w", busyAfter, err)
	}
	return err
}

// db opens the database at the first call. A run that works on several sessions
// at once shares one connection: SQLite takes one writer at a time whatever we
// do, and calls that wait for the connection go in turn, while those that wait
// for SQLite's lock would try again and again, and might give up.
func (a *Archive) db(ctx context.Context) (*sql.DB, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sq != nil {
		return a.sq, nil
	}
	path := filepath.Join(a.dir, indexName)
	packs, err := a.anyPack()
	if err == nil {
		if err = regular(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, a.fail("open "+indexName, err)
	}
	trouble := mayWrite(a.dir, path)
	if trouble == nil {
		if a.sq, trouble = a.openWriting(ctx, path, packs); trouble == nil {
			return a.sq, nil
		}
		if !isWriteTrouble(trouble) {
			return nil, a.fail("open "+indexName, a.spoiled(trouble))
		}
	}
	sq, err := a.openReading(ctx, path, packs)
	switch {
	case errors.Is(err, errEmpty): // there is nothing to read: it was to be written
		err = fmt.Errorf("%w, and nothing can be: %s: %w", errEmpty, why(trouble), trouble)
	case err != nil && isWriteTrouble(err):
		err = fmt.Errorf("%w (%s)", err, why(trouble))
	}
	if err != nil {
		return nil, a.fail("open "+indexName, a.spoiled(err))
	}
	a.sq, a.readOnly = sq, why(trouble)
	return sq, nil
}

func (a *Archive) openWriting(ctx context.Context, path string, packs bool) (*sql.DB, error) {
	if err := a.ensureFile(path, packs); err != nil {
		return nil, err
	}
	sq, err := sql.Open("sqlite", dsn(path, settings))
	if err != nil {
		return nil, err
	}
	sq.SetMaxOpenConns(1)
	err = a.waiting(func() error {
		if packs {
			if err := a.knowsPacks(ctx, sq); err != nil {
				return err
			}
		}
		return a.migrate(ctx, sq)
	})
	if err != nil {
		return nil, errors.Join(err, sq.Close())
	}
	return sq, nil
}

// lost is the error for a database that is not the one of the packs beside it:
// an empty one in its place would pass for a new archive.
func (a *Archive) lost(how string) error {
	return fmt.Errorf("%w: packs of removed bytes lie in %s, but %s %s; bring it back from a backup, or name a new folder with --archive (zstd -d still opens the packs)",
		ErrDamaged, filepath.Join(a.dir, packsName), indexName, how)
}

// spoiled adds the next step to what SQLite says of a file that is no database.
func (a *Archive) spoiled(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) && (e.Code() == sqlite3.SQLITE_NOTADB || e.Code() == sqlite3.SQLITE_CORRUPT) {
		return fmt.Errorf("%w: %w; bring it back from a backup, or name a new folder with --archive", ErrDamaged, err)
	}
	return err
}

// anyPack reports whether a finished pack is there.
func (a *Archive) anyPack() (bool, error) {
	d, err := os.Open(filepath.Join(a.dir, packsName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(64)
		if slices.ContainsFunc(names, func(n string) bool { return filepath.Ext(n) == packExt }) {
			return true, nil
		}
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// knowsPacks refuses a database that never gave a number to a pack although
// there is one. Its number is committed before a pack gets its name, so that a
// pack that was there before the database was asked is known to it. A database
// of an older backup, which knows some of them, is none of these.
func (a *Archive) knowsPacks(ctx context.Context, sq *sql.DB) error {
	v, err := schemaVersion(ctx, sq)
	if err != nil {
		return err
	}
	var last int64
	if v > 0 {
		err = sq.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name='packs'").Scan(&last)
	}
	if err == nil && last == 0 {
		return a.lost("is empty")
	}
	return err
}

// ensureFile creates the database file, empty and with its final mode: SQLite
// gives the files beside it the same one. A database that is gone while packs
// are there is not replaced by an empty one.
func (a *Archive) ensureFile(path string, packs bool) error {
	_, err := os.Lstat(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if packs {
		return a.lost("is missing")
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return err
	}
	atStep("database created")
	return errors.Join(f.Sync(), f.Close(), a.disk.SyncDir(a.dir))
}

func schemaVersion(ctx context.Context, sq *sql.DB) (int, error) {
	var v int
	if err := sq.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
		return 0, err
	}
	if v > len(migrations) {
		return 0, fmt.Errorf("schema %d, this release reads up to %d: %w", v, len(migrations), ErrNewer)
	}
	return v, nil
}

// migrate brings the schema to the newest version, with no other process at it.
func (a *Archive) migrate(ctx context.Context, sq *sql.DB) error {
	v, err := schemaVersion(ctx, sq)
	if err != nil || v == len(migrations) {
		return err
	}
	return a.exclusive(ctx, func() error {
		v, err := schemaVersion(ctx, sq)
		if err != nil {
			return err
		}
		if v == 0 {
			if _, err := sq.ExecContext(ctx, "PRAGMA journal_mode=WAL"); err != nil {
				return fmt.Errorf("journal mode: %w", err)
			}
		}
		if err := a.migrateFrom(ctx, sq, v); err != nil {
			return err
		}
		atStep("database migrated")
		return nil
	})
}

// migrateFrom brings a schema to the newest version, in one transaction: what a
// full disk or a kill ends in between is as it was.
func (a *Archive) migrateFrom(ctx context.Context, sq *sql.DB, v int) error {
	return a.inTx(ctx, sq, func(tx *sql.Tx) error {
		for ; v < len(migrations); v++ {
			if _, err := tx.ExecContext(ctx, migrations[v]); err != nil {
				return fmt.Errorf("schema %d: %w", v+1, err)
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d", v))
		return err
	})
}

// inTx runs f in a transaction that holds the write lock from its beginning.
func (a *Archive) inTx(ctx context.Context, sq *sql.DB, f func(*sql.Tx) error) error {
	if a.readOnly != "" {
		return fmt.Errorf("%w: %s", ErrReadOnly, a.readOnly)
	}
	var tx *sql.Tx
	err := a.waiting(func() (err error) {
		tx, err = sq.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			err = errors.Join(err, fmt.Errorf("roll back: %w", back))
		}
		return err
	}
	return tx.Commit()
}

// collect reads all rows of a query. No further query may run while rows are
// open, since there is one connection.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

func scanID(rows *sql.Rows) (id int64, err error) { return id, rows.Scan(&id) }

// scanSum reads a SHA-256 column.
type scanSum struct{ to *[32]byte }

func (s scanSum) Scan(v any) error {
	b, ok := v.([]byte)
	if !ok || len(b) != 32 {
		return fmt.Errorf("a SHA-256 column holds %T of %d bytes: %w", v, len(b), ErrDamaged)
	}
	copy(s.to[:], b)
	return nil
}
