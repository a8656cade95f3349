package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
)

// Source gives what a generation stores, piece by piece, so that no more than
// a piece has to be in memory.
type Source struct {
	// Read returns n bytes at off of an old file. It is never asked for more
	// than 256 KB at a time.
	Read func(file int, off, n int64) ([]byte, error)
	// Text returns what the search index should hold of Generation.Entries[i],
	// decoded, "" for nothing. It must not call the archive. A nil Text leaves
	// the entries out of the index.
	Text func(i int) (string, error)
}

// Pending is a generation whose bytes are safe and whose log is about to be
// replaced. Exactly one of Settle and Close ends it; until then no other
// process judges the generation.
type Pending struct {
	ID   int64 // of the generation
	a    *Archive
	lock *flock.Flock
}

// Put stores the old bytes of all edits and entries of g and returns when they
// are durable, were read back through a fresh handle and compared by SHA-256,
// and the generation is registered as pending. On an error the archive is as
// before. g.ID and g.State are set.
//
// Before the log is replaced, the caller can have the whole way back proved by
// running [Archive.Original] over the new file that it staged.
func (a *Archive) Put(ctx context.Context, g *Generation, src Source) (*Pending, error) {
	if err := g.check(); err != nil {
		return nil, a.fail("put", err)
	}
	segs := segmentsOf(g)
	pk, err := a.storePack(ctx, segs, src.Read, func(tx *sql.Tx, pk *packFile) error {
		id, err := insertGeneration(ctx, tx, g, pk.id)
		if err != nil {
			return err
		}
		g.ID, g.State = id, StatePending
		if err := insertSegments(ctx, tx, id, segs); err != nil {
			return err
		}
		return insertSearchable(ctx, tx, g, src.Text)
	})
	if err != nil {
		g.ID, g.State = 0, ""
		return nil, a.fail("put session "+g.Session, err)
	}
	atStep("pending")
	return &Pending{ID: g.ID, a: a, lock: pk.lock}, nil
}

// Settle records what became of the rewrite: applied, or dropped, which
// removes the generation and its bytes.
func (p *Pending) Settle(ctx context.Context, applied bool) error {
	ctx = context.WithoutCancel(ctx)
	defer p.lock.Close()
	db, err := p.a.db(ctx)
	if err != nil {
		return err
	}
	atStep("settling")
	err = p.a.inTx(ctx, db, func(tx *sql.Tx) error { return settle(ctx, tx, p.ID, applied) })
	if err != nil {
		return p.a.fail(fmt.Sprintf("settle generation %d", p.ID), err)
	}
	atStep("settled")
	if applied {
		return nil
	}
	p.lock.Close()
	return p.a.sweep(ctx)
}

// Close leaves the generation pending, for [Archive.SettlePending] to judge.
func (p *Pending) Close() error { return p.lock.Close() }

func settle(ctx context.Context, tx *sql.Tx, id int64, applied bool) error {
	if applied {
		res, err := tx.ExecContext(ctx, "UPDATE generations SET state='applied' WHERE id=? AND state='pending'", id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return errors.Join(err, fmt.Errorf("it is no longer pending: %w", ErrNotFound))
		}
		return nil
	}
	return dropGeneration(ctx, tx, id)
}

// packFile is a pack on its way into the archive. The lock on the file tells
// other processes that its owner lives; the kernel lets go of it when not.
type packFile struct {
	id      int64
	lock    *flock.Flock
	file    diskFile
	decided bool // the commit was tried: only the database knows
}

// storePack writes a pack, makes it durable, reads it back and registers it
// together with what insert adds, in one transaction. The lock is still held
// when it returns. On an error nothing is left behind.
func (a *Archive) storePack(ctx context.Context, segs []segment, read readFunc, insert func(*sql.Tx, *packFile) error) (*packFile, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	pk, err := a.reserve(ctx, db)
	if err != nil {
		return nil, roomHint(fmt.Errorf("new pack: %w", err), segs)
	}
	if err = a.fill(ctx, pk, segs, read); err == nil {
		err = a.inTx(ctx, db, func(tx *sql.Tx) error {
			st, err := os.Stat(a.packPath(pk.id))
			if err != nil {
				return err
			}
			if err := insert(tx, pk); err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, "UPDATE packs SET state='stored', raw=?, size=? WHERE id=?", rawSize(segs), st.Size(), pk.id)
			if err == nil {
				atStep("rows inserted")
				pk.decided = true
			}
			return err
		})
	}
	if err != nil {
		return nil, errors.Join(roomHint(err, segs), a.abandon(db, pk))
	}
	return pk, nil
}

// roomHint says how much room is needed when there was too little.
func roomHint(err error, segs []segment) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return fmt.Errorf("%w (up to %d bytes of room are needed: free some, or name another folder with --archive)", err, rawSize(segs))
}

// reserve takes a number for a new pack and creates its file. The row, visible
// only after the file is locked, is what lets a later run clear the file away.
func (a *Archive) reserve(ctx context.Context, db *sql.DB) (pk *packFile, err error) {
	pk = &packFile{}
	err = a.inTx(ctx, db, func(tx *sql.Tx) error {
		for {
			if err := tx.QueryRowContext(ctx, "INSERT INTO packs(state) VALUES('writing') RETURNING id").Scan(&pk.id); err != nil {
				return err
			}
			_, err := os.Lstat(a.packPath(pk.id))
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			// A pack that the database does not know (it came from an older
			// backup) is never written over.
			if _, err := tx.ExecContext(ctx, "DELETE FROM packs WHERE id=?", pk.id); err != nil {
				return err
			}
		}
		part := a.partPath(pk.id)
		// Whoever made such a file before is dead: the number was free.
		if err := a.disk.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if pk.file, err = a.disk.Create(part); err != nil {
			return err
		}
		atStep("part created")
		pk.lock = flock.New(part, flock.SetFlag(os.O_RDWR))
		if ok, err := pk.lock.TryLock(); !ok {
			return errors.Join(err, fmt.Errorf("lock %s", part))
		}
		return nil
	})
	if err != nil && pk.file != nil {
		err = errors.Join(err, pk.file.Close(), a.disk.Remove(a.partPath(pk.id)))
		if pk.lock != nil {
			pk.lock.Close()
		}
	}
	if err == nil {
		atStep("reserved")
	}
	return pk, err
}

func (a *Archive) fill(ctx context.Context, pk *packFile, segs []segment, read readFunc) error {
	part, path := a.partPath(pk.id), a.packPath(pk.id)
	if err := writePack(ctx, pk.file, segs, read); err != nil {
		return fmt.Errorf("write pack: %w", err)
	}
	atStep("pack written")
	if err := pk.file.Sync(); err != nil {
		return fmt.Errorf("sync pack: %w", err)
	}
	f := pk.file
	pk.file = nil
	if err := f.Close(); err != nil {
		return fmt.Errorf("close pack: %w", err)
	}
	atStep("pack synced")
	if err := a.disk.Rename(part, path); err != nil {
		return fmt.Errorf("name pack: %w", err)
	}
	atStep("pack renamed")
	if err := a.disk.SyncDir(filepath.Join(a.dir, packsName)); err != nil {
		return fmt.Errorf("sync folder of packs: %w", err)
	}
	if err := verify(ctx, path, segs); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	atStep("pack verified")
	return nil
}

// abandon takes back a pack whose Put failed. When the commit itself reported
// an error the rows may stand after all, and then they go before the file.
func (a *Archive) abandon(db *sql.DB, pk *packFile) error {
	ctx := context.Background()
	defer pk.lock.Close()
	if pk.file != nil {
		pk.file.Close()
	}
	unlink := func() error {
		for _, path := range []string{a.partPath(pk.id), a.packPath(pk.id)} {
			if err := a.disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	if !pk.decided {
		if err := unlink(); err != nil {
			return err
		}
	}
	err := a.inTx(ctx, db, func(tx *sql.Tx) error {
		ids, err := generationsOf(ctx, tx, "pack=?", pk.id)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := dropGeneration(ctx, tx, id); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM late WHERE pack=?", pk.id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM packs WHERE id=?", pk.id)
		return err
	})
	if err != nil {
		return err
	}
	return unlink()
}
