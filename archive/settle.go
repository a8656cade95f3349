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

	"github.com/gofrs/flock"
)

// Peek tells what a file holds: its size in bytes and the SHA-256 of its first
// n bytes, or of all of it when it is shorter.
type Peek func(path string, n int64) (size int64, sum [32]byte, err error)

// Outcome is what was found out about a pending generation.
type Outcome string

const (
	// OutcomeApplied: all files begin with the new bytes.
	OutcomeApplied Outcome = "applied"
	// OutcomeDropped: all files begin with the old bytes; the generation is
	// gone from the archive.
	OutcomeDropped Outcome = "dropped"
	// OutcomeOpen: neither; the generation stays pending.
	OutcomeOpen Outcome = "open"
)

// Settlement reports one generation that was pending.
type Settlement struct {
	Generation Generation // without markers, masks, entries and edits
	Outcome    Outcome
	Reason     string // why it stays open
	Busy       bool   // it stays open because a running sessc is at it
}

// SettlePending finds out, for every generation that a killed run left
// pending, what became of the rewrite, and clears away what such runs left in
// the archive. Generations that a running process is about to settle are left
// to it. It returns one report a generation, oldest first. In an archive that
// can only be read, or on a full disk, they stay as they are: that keeps nobody
// from reading.
func (a *Archive) SettlePending(ctx context.Context, peek Peek) ([]Settlement, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	open, err := loadHeads(ctx, db, "g.state='pending' ORDER BY g.id")
	if err != nil {
		return nil, a.fail("look for pending generations", err)
	}
	var all []Settlement
	for _, h := range open {
		s, err := a.settleOne(ctx, db, h, peek)
		if err != nil && isWriteTrouble(err) {
			s.Outcome, s.Reason, s.Generation.State, err = OutcomeOpen, err.Error(), StatePending, nil
		}
		if err != nil {
			return all, a.fail(fmt.Sprintf("settle generation %d", h.ID), err)
		}
		all = append(all, s)
	}
	if err := a.sweep(ctx); err != nil && !isWriteTrouble(err) {
		return all, a.fail("sweep", err)
	}
	return all, nil // what could not be swept is left to a later run
}

func (a *Archive) settleOne(ctx context.Context, db *sql.DB, h head, peek Peek) (Settlement, error) {
	s := Settlement{Generation: h.Generation, Outcome: OutcomeOpen}
	if a.readOnly != "" {
		return s, fmt.Errorf("%w: %s", ErrReadOnly, a.readOnly)
	}
	lock, free, err := tryLock(a.packPath(h.pack))
	if err != nil {
		return s, err
	}
	if !free {
		s.Reason, s.Busy = "a running sessc is at it", true
		return s, nil
	}
	defer lock.Close()
	if s.Outcome, s.Reason = judge(h.Files, peek); s.Outcome == OutcomeOpen {
		return s, nil
	}
	err = a.inTx(ctx, db, func(tx *sql.Tx) error {
		// Its owner may have settled it before the lock was free.
		ids, err := generationsOf(ctx, tx, "id=? AND state='pending'", h.ID)
		if err != nil || len(ids) == 0 {
			return err
		}
		return settle(ctx, tx, h.ID, s.Outcome == OutcomeApplied)
	})
	if s.Outcome == OutcomeApplied {
		s.Generation.State = StateApplied
	}
	atStep("settled")
	return s, err
}

// judge compares the files of a generation with what stands on disk. The files
// are committed one after another, so all of them must agree.
func judge(files []File, peek Peek) (Outcome, string) {
	var verdict Outcome
	for i := range files {
		f := &files[i]
		if f.Old == f.New {
			continue
		}
		v, reason := judgeFile(f, peek)
		if v == OutcomeOpen {
			return v, reason
		}
		if verdict != "" && v != verdict {
			return OutcomeOpen, "some of its files are old, some are new: restore the session"
		}
		verdict = v
	}
	if verdict == "" {
		return OutcomeDropped, ""
	}
	return verdict, ""
}

// judgeFile looks for the longer content first, since the shorter one may be a
// prefix of it.
func judgeFile(f *File, peek Peek) (Outcome, string) {
	type candidate struct {
		Content
		means Outcome
	}
	tries := [2]candidate{{f.New, OutcomeApplied}, {f.Old, OutcomeDropped}}
	if f.Old.Size > f.New.Size {
		tries[0], tries[1] = tries[1], tries[0]
	}
	for _, t := range tries {
		size, sum, err := peek(f.Path, t.Size)
		if errors.Is(err, fs.ErrNotExist) {
			return OutcomeOpen, f.Path + " is missing: bring it back and run again"
		}
		if err != nil {
			return OutcomeOpen, err.Error()
		}
		if size >= t.Size && sum == t.SHA256 {
			return t.means, ""
		}
	}
	return OutcomeOpen, f.Path + " was changed by another program"
}

// tryLock takes the lock of a pack without waiting. A missing file is free.
func tryLock(path string) (lock *flock.Flock, free bool, err error) {
	lock = flock.New(path, flock.SetFlag(os.O_RDWR))
	free, err = lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return lock, true, nil
	}
	return lock, free, err
}

// sweep removes packs that are marked for removal and files that killed runs
// left. It holds the write lock throughout, so that no pack is begun meanwhile.
// A pack that the database does not know is left alone.
func (a *Archive) sweep(ctx context.Context) error {
	db, err := a.db(ctx)
	if err != nil {
		return err
	}
	stale, err := a.stale(ctx, db)
	if err != nil || !stale {
		return err
	}
	return a.inTx(ctx, db, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id FROM packs WHERE state<>'stored' ORDER BY id")
		ids, err := collect(rows, err, scanID)
		if err != nil {
			return err
		}
		parts, err := a.parts()
		if err != nil {
			return err
		}
		for _, id := range parts {
			if _, err := a.removeIdle(a.partPath(id)); err != nil {
				return err
			}
		}
		var gone []int64
		for _, id := range ids {
			idle, err := a.removeIdle(a.partPath(id))
			if err == nil && idle {
				idle, err = a.removeIdle(a.packPath(id))
			}
			if err != nil {
				return err
			}
			if idle {
				gone = append(gone, id)
			}
		}
		if err := a.disk.SyncDir(filepath.Join(a.dir, packsName)); err != nil {
			return err
		}
		atStep("packs removed")
		return insertEach(ctx, tx, "DELETE FROM packs WHERE id=? AND state<>'stored'", len(gone), func(i int) []any { return []any{gone[i]} })
	})
}

// stale reports whether there is anything to sweep, without the write lock.
func (a *Archive) stale(ctx context.Context, db *sql.DB) (bool, error) {
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM packs WHERE state<>'stored'").Scan(&n); err != nil || n > 0 {
		return n > 0, err
	}
	parts, err := a.parts()
	return len(parts) > 0, err
}

// removeIdle removes a file unless the process that locked it lives, and
// reports whether it is gone.
func (a *Archive) removeIdle(path string) (bool, error) {
	lock, free, err := tryLock(path)
	if err != nil || !free {
		return false, err
	}
	defer lock.Close()
	if err := a.disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}

// parts lists the numbers of unfinished pack files.
func (a *Archive) parts() ([]int64, error) {
	names, err := os.ReadDir(filepath.Join(a.dir, packsName))
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, n := range names {
		stem, ok := strings.CutSuffix(n.Name(), ".zst.part")
		if !ok {
			continue
		}
		if id, err := strconv.ParseInt(stem, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
