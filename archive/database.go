package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// connection settings that every connection gets before its first statement.
// FULL makes each commit durable by itself; secure_delete overwrites deleted
// rows; immediate transactions cannot fail half way for want of the lock.
const settings = "?_pragma=busy_timeout(60000)&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)" +
	"&_pragma=secure_delete(1)&_txlock=immediate"

// db opens the database at the first call. One connection is enough, since
// sessc works through sessions one after another.
func (a *Archive) db(ctx context.Context) (*sql.DB, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sq != nil {
		return a.sq, nil
	}
	path := filepath.Join(a.dir, indexName)
	if err := a.ensureFile(path); err != nil {
		return nil, a.fail("open "+indexName, err)
	}
	// The path is escaped: '?' and '#' would end it, '%' would be decoded.
	sq, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()+settings)
	if err != nil {
		return nil, a.fail("open "+indexName, err)
	}
	sq.SetMaxOpenConns(1)
	if err := a.migrate(ctx, sq); err != nil {
		return nil, a.fail("open "+indexName, errors.Join(err, sq.Close()))
	}
	a.sq = sq
	return sq, nil
}

// ensureFile creates the database file, empty and with its final mode: SQLite
// gives the files beside it the same one. A database that is gone while packs
// are there is not replaced by an empty one.
func (a *Archive) ensureFile(path string) error {
	_, err := os.Lstat(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	packs, err := os.ReadDir(filepath.Join(a.dir, packsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(packs) > 0 {
		if _, err := os.Lstat(path); err != nil {
			return fmt.Errorf("the database is missing beside %d packs: bring %s back from a backup", len(packs), path)
		}
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

// migrate brings the schema to the newest version, each step in a transaction
// of its own, with no other process at it.
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
		for ; v < len(migrations); v++ {
			err := inTx(ctx, sq, func(tx *sql.Tx) error {
				if _, err := tx.ExecContext(ctx, migrations[v]); err != nil {
					return err
				}
				_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d", v+1))
				return err
			})
			if err != nil {
				return fmt.Errorf("schema %d: %w", v+1, err)
			}
		}
		atStep("database migrated")
		return nil
	})
}

// inTx runs f in a transaction that holds the write lock from its beginning.
func inTx(ctx context.Context, sq *sql.DB, f func(*sql.Tx) error) error {
	tx, err := sq.BeginTx(ctx, nil)
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
