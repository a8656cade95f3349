package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Checked is how much of what the archive holds was read back.
type Checked struct {
	Read, All int   // rewrites
	Bytes     int64 // of log text, before compression
	Damaged   int   // of those that were read
	First     error // what is wrong with the newest damaged one
}

// Check reads removed bytes back, newest rewrite first, and compares each piece
// with the sum that was taken when it was stored. Before each rewrite but the
// first it asks whether there is time for more. Damage is no error: the result
// tells of it.
func (a *Archive) Check(ctx context.Context, more func() bool) (*Checked, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	heads, err := loadHeads(ctx, db, "1 ORDER BY g.id DESC")
	if err != nil {
		return nil, a.fail("check", err)
	}
	c := &Checked{All: len(heads)}
	for _, h := range heads {
		if c.Read > 0 && !more() {
			break
		}
		n, err := a.readBack(ctx, h)
		switch {
		case errors.Is(err, ErrNotFound): // forgotten in between
			c.All--
			continue
		case errors.Is(err, ErrDamaged):
			c.Damaged++
			if c.First == nil {
				c.First = fmt.Errorf("rewrite of %s: %w", h.Path, err)
			}
		case err != nil:
			return nil, a.fail("check", err)
		}
		c.Read++
		c.Bytes += n
	}
	return c, nil
}

// readBack reads all that is stored of a generation and of those who wrote to
// its old file too late, and says how many bytes these are.
func (a *Archive) readBack(ctx context.Context, h head) (n int64, err error) {
	var segs []segment
	err = a.withPack(ctx, h.ID, func(db *sql.DB, h head) error {
		segs = nil
		for i := range h.Files {
			some, err := loadSegments(ctx, db, h.ID, i)
			if err != nil {
				return err
			}
			segs = append(segs, some...)
		}
		return nil
	}, func(p *pack) error { return p.verify(ctx, segs) })
	if err != nil {
		return 0, err
	}
	late, err := a.lateOf(ctx, "g.id=?", h.ID)
	n = rawSize(segs)
	for _, l := range late {
		n += int64(len(l.Raw))
	}
	return n, err
}
