package archive

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// SessionStatus is what the archive holds of one session.
type SessionStatus struct {
	Session     string
	Format      string
	Path        string // of the log in the newest generation, a hint
	Options     string // of the newest generation
	Generations int
	Pending     []int64 // generations whose rewrite was not settled
	Masks       int
	Late        int   // times that a late writer's lines were kept
	Removed     int64 // bytes kept, before compression
	Stored      int64 // bytes kept, after compression
	First, Last int64 // unix ms, of the oldest and the newest generation
}

// Status is what the archive holds and the room that it takes, in bytes.
type Status struct {
	Sessions []SessionStatus // by format and session id
	Restored []Restored      // logs that were restored and not rewritten since
	Packs    int64
	Index    int64 // the database with the files beside it
	// Unknown names pack files that the database does not list, for example
	// after an older backup of it was put in place. They are never removed.
	Unknown []string
}

// Disk is the room that the archive takes on disk, in bytes.
func (s *Status) Disk() int64 { return s.Packs + s.Index }

// Status reports what the archive holds.
func (a *Archive) Status(ctx context.Context) (*Status, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	// What this process wrote so far would be counted twice, in the log of the
	// database and in its file; where another process is at it, it stays so: a
	// figure is not worth waiting for, nor does it need a disk with room.
	for _, q := range []string{"PRAGMA busy_timeout=0", "PRAGMA wal_checkpoint(TRUNCATE)", fmt.Sprintf("PRAGMA busy_timeout=%d", busyAfter.Milliseconds())} {
		if _, err := db.ExecContext(ctx, q); err != nil && !isWriteTrouble(err) {
			return nil, a.fail("status", err)
		}
	}
	rows, err := db.QueryContext(ctx, `SELECT s.name, s.format, count(*), min(g.time), max(g.time),
			sum(p.raw) + coalesce(sum((SELECT sum(q.raw) FROM late l JOIN packs q ON q.id=l.pack WHERE l.generation=g.id)), 0),
			sum(p.size) + coalesce(sum((SELECT sum(q.size) FROM late l JOIN packs q ON q.id=l.pack WHERE l.generation=g.id)), 0),
			(SELECT path FROM generations n WHERE n.session=s.id ORDER BY n.id DESC LIMIT 1),
			(SELECT options FROM generations n WHERE n.session=s.id ORDER BY n.id DESC LIMIT 1),
			sum((SELECT count(*) FROM masks m WHERE m.generation=g.id)),
			sum((SELECT count(*) FROM late l WHERE l.generation=g.id))
		FROM sessions s JOIN generations g ON g.session=s.id JOIN packs p ON p.id=g.pack
		GROUP BY s.id ORDER BY s.format, s.name`)
	st := &Status{}
	st.Sessions, err = collect(rows, err, func(r *sql.Rows) (v SessionStatus, err error) {
		return v, r.Scan(&v.Session, &v.Format, &v.Generations, &v.First, &v.Last, &v.Removed, &v.Stored, &v.Path, &v.Options, &v.Masks, &v.Late)
	})
	if err != nil {
		return nil, a.fail("status", err)
	}
	if st.Restored, err = allRestored(ctx, db); err != nil {
		return nil, a.fail("status", err)
	}
	open, err := loadHeads(ctx, db, "g.state='pending' ORDER BY g.id")
	if err != nil {
		return nil, a.fail("status", err)
	}
	for _, h := range open {
		for i := range st.Sessions {
			if st.Sessions[i].Session == h.Session && st.Sessions[i].Format == h.Format {
				st.Sessions[i].Pending = append(st.Sessions[i].Pending, h.ID)
			}
		}
	}
	rows, err = db.QueryContext(ctx, "SELECT id FROM packs")
	ids, err := collect(rows, err, scanID)
	if err != nil {
		return nil, a.fail("status", err)
	}
	return st, a.fail("status", a.measure(st, ids))
}

// measure adds up the files of the archive.
func (a *Archive) measure(st *Status, ids []int64) error {
	known := map[string]bool{}
	for _, id := range ids {
		known[filepath.Base(a.packPath(id))] = true
	}
	packs, err := os.ReadDir(filepath.Join(a.dir, packsName))
	if err != nil {
		return err
	}
	for _, n := range packs {
		if info, err := n.Info(); err == nil { // it may have gone since
			st.Packs += info.Size()
		}
		stem, finished := strings.CutSuffix(n.Name(), packExt)
		if _, err := strconv.Atoi(stem); finished && err == nil && !known[n.Name()] {
			st.Unknown = append(st.Unknown, n.Name())
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(filepath.Join(a.dir, indexName+suffix)); err == nil {
			st.Index += info.Size()
		}
	}
	return nil
}
