package archive

import (
	"context"
	"database/sql"
	"time"
)

// FileID tells one state of a file from all others, as far as a stat can: a
// file that has the same one was not written in between.
type FileID struct {
	Dev, Inode uint64
	Size       int64 // bytes
	Modified   int64 // unix ns
	Changed    int64 // inode change time, unix ns
}

// Known is what a run remembers of a log that it need not read again: with the
// same settings nothing would come of it.
type Known struct {
	File   FileID
	Tokens int64 // size of its context
}

// Known returns what earlier runs remembered under a key, which stands for
// the settings and the release: the context tokens of each file.
func (a *Archive) Known(ctx context.Context, key string) (map[FileID]int64, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT dev, inode, size, modified, changed, tokens FROM known WHERE key=?", key)
	all, err := collect(rows, err, func(r *sql.Rows) (k Known, err error) {
		var dev, inode int64 // SQLite has no unsigned numbers
		err = r.Scan(&dev, &inode, &k.File.Size, &k.File.Modified, &k.File.Changed, &k.Tokens)
		k.File.Dev, k.File.Inode = uint64(dev), uint64(inode)
		return k, err
	})
	if err != nil {
		return nil, a.fail("look up known logs", err)
	}
	known := make(map[FileID]int64, len(all))
	for _, k := range all {
		known[k.File] = k.Tokens
	}
	return known, nil
}

// Remember records files under a key, each in the place of what was known there
// of its inode. One call is one transaction.
func (a *Archive) Remember(ctx context.Context, key string, files []Known, now time.Time) error {
	db, err := a.db(ctx)
	if err != nil {
		return err
	}
	err = a.inTx(ctx, db, func(tx *sql.Tx) error {
		return insertEach(ctx, tx, `INSERT OR REPLACE INTO known(dev, inode, size, modified, changed, tokens, key, day)
			VALUES(?, ?, ?, ?, ?, ?, ?, ?)`, len(files), func(i int) []any {
			f := files[i].File
			return []any{int64(f.Dev), int64(f.Inode), f.Size, f.Modified, f.Changed, files[i].Tokens, key, day(now)}
		})
	})
	return a.fail("remember logs", err)
}

// knownDays is how long a log is remembered that no run has met.
const knownDays = 60

// Refresh notes that files which are known under a key were met, and forgets
// those of all keys that no run has met for 60 days. It writes at most once a week for a file.
func (a *Archive) Refresh(ctx context.Context, key string, met []FileID, now time.Time) error {
	db, err := a.db(ctx)
	if err != nil {
		return err
	}
	var old int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM known WHERE day<=?", day(now)-7).Scan(&old); err != nil || old == 0 {
		return a.fail("refresh known logs", err)
	}
	err = a.inTx(ctx, db, func(tx *sql.Tx) error {
		err := insertEach(ctx, tx, "UPDATE known SET day=? WHERE key=? AND dev=? AND inode=?", len(met), func(i int) []any {
			return []any{day(now), key, int64(met[i].Dev), int64(met[i].Inode)}
		})
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM known WHERE day<=?", day(now)-knownDays)
		return err
	})
	return a.fail("refresh known logs", err)
}

// day counts days since 1970.
func day(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }
