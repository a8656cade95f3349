package archive

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"sessc/session"
)

// Late is what a program appended to a log that had just been replaced and
// could not be carried over.
type Late struct {
	Generation int64
	Time       int64 // unix ms
	Raw        []byte
}

// KeepLate stores lines that a late writer appended to the old file of a
// generation, as durably as Put does. now is in unix ms.
func (a *Archive) KeepLate(ctx context.Context, generation int64, now int64, raw []byte) error {
	if len(raw) == 0 {
		return nil
	}
	segs := []segment{{at: session.Range{Len: int64(len(raw))}}}
	pk, err := a.storePack(ctx, segs, func(_ int, off, n int64) ([]byte, error) {
		return raw[off : off+n], nil
	}, func(tx *sql.Tx, pk *packFile) error {
		ids, err := generationsOf(ctx, tx, "id=?", generation)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return ErrNotFound
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO late(generation, pack, sum, time) VALUES(?,?,?,?)", generation, pk.id, segs[0].sum[:], now)
		return err
	})
	if err != nil {
		return a.fail(fmt.Sprintf("keep late lines of generation %d", generation), err)
	}
	return pk.lock.Close()
}

// LateLines returns what was kept of late writers of a session, oldest first.
func (a *Archive) LateLines(ctx context.Context, name string) ([]Late, error) {
	all, err := a.lateOf(ctx, "s.name=?", name)
	return all, a.fail("late lines of session "+name, err)
}

// lateOf reads what was kept of late writers of the generations that match.
func (a *Archive) lateOf(ctx context.Context, where string, arg any) ([]Late, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	type row struct {
		Late
		pack, raw int64
		sum       [32]byte
	}
	rows, err := db.QueryContext(ctx, `SELECT l.generation, l.time, l.pack, p.raw, l.sum FROM late l JOIN packs p ON p.id=l.pack
		JOIN generations g ON g.id=l.generation JOIN sessions s ON s.id=g.session WHERE `+where+" ORDER BY l.id", arg)
	found, err := collect(rows, err, func(r *sql.Rows) (l row, err error) {
		return l, r.Scan(&l.Generation, &l.Time, &l.pack, &l.raw, scanSum{&l.sum})
	})
	if err != nil {
		return nil, err
	}
	all := make([]Late, len(found))
	for i, l := range found {
		all[i] = l.Late
		if err := a.readLate(&all[i], l.pack, l.raw, l.sum); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (a *Archive) readLate(l *Late, pack, size int64, sum [32]byte) error {
	p, err := openPack(a.packPath(pack))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the pack of late lines is missing: %w: %w", ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	defer p.close()
	l.Raw = make([]byte, size)
	if err := p.readAt(l.Raw, 0); err != nil {
		return err
	}
	if sha256.Sum256(l.Raw) != sum {
		return ErrDamaged
	}
	return nil
}
