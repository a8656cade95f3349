package archive

import (
	"context"
	"database/sql"
	"fmt"

	"sessc/session"
)

// RemovedEntry is an entry with the bytes that it had in the old file.
type RemovedEntry struct {
	Entry
	Raw []byte
}

// Expansion is one mask and what it stands for.
type Expansion struct {
	Generation Generation // without markers, edits, masks and entries
	Mask       Mask
	Entries    []RemovedEntry // in the order of the old file
}

// OldBytes has use read ranges of a generation's old file, each of which lies
// inside one edit or entry: what rewritten pointers, usage figures and removed
// lines were before. All are looked up once, and the pack stays open meanwhile,
// since a rewrite has thousands of edits. old reads the range n; one whose bytes
// are not there is [ErrNotFound] only then.
func (a *Archive) OldBytes(ctx context.Context, id int64, file int, ranges []session.Range, use func(old func(n int) ([]byte, error)) error) error {
	offs := make([]int64, len(ranges))
	began := false
	err := a.withPack(ctx, id, func(db *sql.DB, h head) error {
		segs, err := loadSegments(ctx, db, id, file)
		if err != nil {
			return err
		}
		for n, at := range ranges {
			var ok bool
			if offs[n], ok = find(segs, file, at); !ok {
				offs[n] = -1
			}
		}
		return nil
	}, func(p *pack) error {
		began = true
		return use(func(n int) ([]byte, error) {
			b := make([]byte, ranges[n].Len)
			err := ctx.Err()
			switch {
			case err != nil:
			case offs[n] < 0:
				err = ErrNotFound
			default:
				err = p.readAt(b, offs[n])
			}
			return b, a.fail(fmt.Sprintf("bytes %d+%d of generation %d", ranges[n].Off, ranges[n].Len, id), err)
		})
	})
	if began {
		return err // of use, which says itself what it was about
	}
	return a.fail(fmt.Sprintf("bytes of generation %d", id), err)
}

// Expand returns the newest mask whose ref begins with prefix, and the entries
// that it stands for. Several refs with that prefix are an [AmbiguousError];
// none is [ErrNotFound].
func (a *Archive) Expand(ctx context.Context, prefix string) (*Expansion, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	ref, err := resolve(ctx, db, prefix)
	if err != nil {
		return nil, a.fail("", err)
	}
	var id int64
	err = db.QueryRowContext(ctx, "SELECT max(generation) FROM masks WHERE ref=?", ref).Scan(&id)
	if err != nil {
		return nil, a.fail("expand "+ref, err)
	}
	x := &Expansion{}
	var at []located
	err = a.withPack(ctx, id, func(db *sql.DB, h head) error {
		masks, err := loadMasks(ctx, db, "generation=? AND ref=?", id, ref)
		if err != nil {
			return err
		}
		if len(masks) == 0 {
			return ErrForgotten
		}
		x.Generation, x.Mask = h.Generation, masks[0]
		at, err = locate(ctx, db, id, "generation=? AND ref=?", id, ref)
		return err
	}, func(p *pack) (err error) {
		x.Entries, err = read(p, at)
		return err
	})
	if err != nil {
		return nil, a.fail("expand "+ref, err)
	}
	return x, nil
}

// located is an entry and where its bytes stand in the pack.
type located struct {
	Entry
	off int64
}

// locate loads entries of a generation in the order of its old files.
func locate(ctx context.Context, db *sql.DB, id int64, where string, args ...any) ([]located, error) {
	entries, err := loadEntries(ctx, db, where+" ORDER BY file, off, seq", args...)
	if err != nil {
		return nil, err
	}
	all := make([]located, len(entries))
	for i, e := range entries {
		rows, err := db.QueryContext(ctx, `SELECT off, len, pack_off FROM segments
			WHERE generation=? AND file=? AND off<=? ORDER BY off DESC LIMIT 1`, id, e.File, e.Old.Off)
		segs, err := collect(rows, err, func(r *sql.Rows) (s segment, err error) {
			s.file = e.File
			return s, r.Scan(&s.at.Off, &s.at.Len, &s.off)
		})
		if err != nil {
			return nil, err
		}
		off, ok := find(segs, e.File, e.Old)
		if !ok {
			return nil, fmt.Errorf("entry %s has no bytes: %w", e.ID, ErrDamaged)
		}
		all[i] = located{e, off}
	}
	return all, nil
}

func read(p *pack, at []located) ([]RemovedEntry, error) {
	all := make([]RemovedEntry, len(at))
	for i, l := range at {
		all[i] = RemovedEntry{Entry: l.Entry, Raw: make([]byte, l.Old.Len)}
		if err := p.readAt(all[i].Raw, l.off); err != nil {
			return nil, err
		}
	}
	return all, nil
}
