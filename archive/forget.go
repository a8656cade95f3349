package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Selection says what to forget: exactly one of Session, Ref and Before is set.
type Selection struct {
	Session string // all generations of the session with this id
	Ref     string // what one mask stands for; a prefix will do
	Before  int64  // generations older than this time, unix ms
	// Now is when the user asked for it: the refs are remembered with its day,
	// so that a mask whose content is gone can be told from one of another
	// archive. The zero time leaves not even that.
	Now time.Time
}

// Loss is a rewrite that can no longer be undone byte for byte.
type Loss struct {
	Generation int64
	Session    string
	Path       string // of the log, a hint
	Ref        string // "" when the whole generation is gone
}

// Forgotten reports what was deleted and what that means.
type Forgotten struct {
	Generations int   // deleted as a whole
	Masks       int   // deleted, those of whole generations included
	Bytes       int64 // of removed log text, before compression
	Answers     int64 // of models, on the same work
	Losses      []Loss
	// InUse are selected generations that were left, since a running sessc is
	// about to settle them.
	InUse []int64
}

// Forget deletes what sel names, and nothing is left of it in the archive's
// files: rows, index entries and packs go, and the database is written anew.
// It refuses nothing; the report says what can no longer be restored. With
// nothing selected it still clears the files of what was deleted before.
//
// An entry that another mask holds too stays with that one.
func (a *Archive) Forget(ctx context.Context, sel Selection) (*Forgotten, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	done := &Forgotten{}
	where, arg := "", any(nil)
	switch {
	case sel.Session != "" && sel.Ref == "" && sel.Before == 0:
		where, arg = "s.name=? ORDER BY g.id", sel.Session
	case sel.Session == "" && sel.Ref != "" && sel.Before == 0:
		ref, err := resolve(ctx, db, sel.Ref)
		if err != nil {
			return nil, a.fail("", err)
		}
		sel.Ref = ref
		where, arg = "g.id IN (SELECT generation FROM masks WHERE ref=?) ORDER BY g.id", ref
	case sel.Session == "" && sel.Ref == "" && sel.Before != 0:
		where, arg = "g.time<? ORDER BY g.id", sel.Before
	default:
		return nil, a.fail("forget", errors.New("name a session, a ref or a time, and only one of them"))
	}
	heads, err := loadHeads(ctx, db, where, arg)
	if err != nil {
		return nil, a.fail("forget", err)
	}
	for _, h := range heads {
		if err := a.forgetOne(ctx, db, h, sel, done); err != nil {
			return done, a.fail(fmt.Sprintf("forget generation %d", h.ID), err)
		}
	}
	if done.Answers, err = a.forgetAnswers(ctx, db, sel); err != nil {
		return done, a.fail("forget answers", err)
	}
	atStep("forgotten")
	return done, a.fail("forget", a.scrub(ctx, db))
}

func (a *Archive) forgetOne(ctx context.Context, db *sql.DB, h head, sel Selection, done *Forgotten) error {
	if h.State == StatePending {
		lock, free, err := tryLock(a.packPath(h.pack))
		if err != nil {
			return err
		}
		if !free {
			done.InUse = append(done.InUse, h.ID)
			return nil
		}
		defer lock.Close()
	}
	var masks int
	ref := sel.Ref
	var bytes int64
	var err error
	if ref == "" {
		bytes = h.Removed
		err = a.inTx(ctx, db, func(tx *sql.Tx) error {
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM masks WHERE generation=?", h.ID).Scan(&masks); err != nil {
				return err
			}
			if err := bury(ctx, tx, sel.Now, "generation=?", h.ID); err != nil {
				return err
			}
			return dropGeneration(ctx, tx, h.ID)
		})
	} else {
		masks = 1
		bytes, err = a.forgetMask(ctx, h, sel)
	}
	if err != nil {
		return err
	}
	done.Masks += masks
	done.Bytes += bytes
	if ref == "" {
		done.Generations++
	}
	done.Losses = append(done.Losses, Loss{h.ID, h.Session, h.Path, ref})
	return nil
}

// forgetMask writes the pack of a generation anew without the bytes of one
// mask and returns how many are gone. Its edits stay as numbers, so that a
// restore can say what is missing.
func (a *Archive) forgetMask(ctx context.Context, h head, sel Selection) (int64, error) {
	ref := sel.Ref
	g, err := a.Load(ctx, h.ID)
	if err != nil {
		return 0, err
	}
	db, err := a.db(ctx)
	if err != nil {
		return 0, err
	}
	var old []segment
	for i := range g.Files {
		s, err := loadSegments(ctx, db, g.ID, i)
		if err != nil {
			return 0, err
		}
		old = append(old, s...)
	}
	segs := segmentsOf(without(g, ref, old))
	p, err := openPack(a.packPath(h.pack))
	if err != nil {
		return 0, err
	}
	defer p.close()
	pk, err := a.storePack(ctx, segs, p.reader(old), func(tx *sql.Tx, pk *packFile) error {
		same, err := generationsOf(ctx, tx, "id=? AND pack=?", h.ID, h.pack)
		if err != nil {
			return err
		}
		if len(same) == 0 {
			return errors.New("another sessc is deleting from it: run forget again")
		}
		if err := bury(ctx, tx, sel.Now, "generation=? AND ref=?", h.ID, ref); err != nil {
			return err
		}
		if err := replacePack(ctx, tx, h, pk.id, ref); err != nil {
			return err
		}
		return insertSegments(ctx, tx, h.ID, segs)
	})
	if err != nil {
		return 0, err
	}
	return rawSize(old) - rawSize(segs), pk.lock.Close()
}

// without is what remains to be stored of a generation when a mask is
// forgotten: nothing of that mask, nor of those that were forgotten before.
func without(g *Generation, ref string, stored []segment) *Generation {
	keep := &Generation{Files: make([]File, len(g.Files))}
	for i, f := range g.Files {
		for _, e := range f.Edits {
			if _, ok := find(stored, i, e.Old); ok && e.Ref != ref {
				keep.Files[i].Edits = append(keep.Files[i].Edits, e)
			}
		}
	}
	for _, e := range g.Entries {
		if e.Ref != ref {
			keep.Entries = append(keep.Entries, e)
		}
	}
	return keep
}

func replacePack(ctx context.Context, tx *sql.Tx, h head, pack int64, ref string) error {
	for _, q := range []struct {
		text string
		args []any
	}{
		{"DELETE FROM search WHERE rowid IN (SELECT 2*id FROM entries WHERE generation=? AND ref=?)", []any{h.ID, ref}},
		{"DELETE FROM search WHERE rowid IN (SELECT 2*id+1 FROM masks WHERE generation=? AND ref=?)", []any{h.ID, ref}},
		{"DELETE FROM entries WHERE generation=? AND ref=?", []any{h.ID, ref}},
		{"DELETE FROM masks WHERE generation=? AND ref=?", []any{h.ID, ref}},
		{"DELETE FROM segments WHERE generation=?", []any{h.ID}},
		{"UPDATE generations SET pack=? WHERE id=?", []any{pack, h.ID}},
		{"UPDATE packs SET state='doomed' WHERE id=?", []any{h.pack}},
	} {
		if _, err := tx.ExecContext(ctx, q.text, q.args...); err != nil {
			return err
		}
	}
	return nil
}

// checkpointWait is how long forget waits for readers to let go of the
// database's log before it gives up.
var checkpointWait = 10 * time.Second

const checkpointTries = 100

// scrub takes deleted text out of the files. Deleting a row of the search index
// only marks it; merging the index drops it. The database is then written anew,
// since moved rows can leave copies in free space, and the log of the database
// is emptied.
func (a *Archive) scrub(ctx context.Context, db *sql.DB) error {
	if err := a.sweep(ctx); err != nil {
		return fmt.Errorf("remove packs: %w", err)
	}
	// Whoever holds the database is waited for here, where the user hears of it.
	if err := a.inTx(ctx, db, func(*sql.Tx) error { return nil }); err != nil {
		return fmt.Errorf("the rows are deleted, but their text may still be in %s: %w", indexName, err)
	}
	for _, q := range []string{"INSERT INTO search(search) VALUES('optimize')", "VACUUM"} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("the rows are deleted, but their text may still be in %s (run forget again): %w", indexName, err)
		}
		atStep("scrubbing")
	}
	for range checkpointTries {
		var busy, pages, moved int
		if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
			return fmt.Errorf("empty %s-wal: %w", indexName, err)
		}
		if busy == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(checkpointWait / checkpointTries):
		}
	}
	return fmt.Errorf("the rows are deleted, but another sessc reads the archive and their text may still be in %s-wal: run forget again", indexName)
}
