package archive

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"
)

// Restored is a session that its user brought back to what it was.
type Restored struct {
	Session string
	Format  string
	Path    string // of the log that was restored
	Time    int64  // unix ms
}

// notUndone holds while no rewrite of the log came after its restore.
const notUndone = ` NOT EXISTS(SELECT 1 FROM generations g JOIN sessions s ON s.id=g.session
	WHERE s.name=r.session AND s.format=r.format AND g.state='applied' AND g.id>r.generation AND g.path=`

// NoteRestored records that a user restored a log, and which rewrites that has
// undone: these, or with none all of the session. The note ends with the next
// rewrite of that log; forget does not delete it.
func (a *Archive) NoteRestored(ctx context.Context, session, format, path string, now time.Time, undone ...int64) error {
	db, err := a.db(ctx)
	if err != nil {
		return err
	}
	ids, err := json.Marshal(undone)
	if err != nil {
		return a.fail("note that session "+session+" was restored", err)
	}
	err = a.inTx(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO restored(session, format, path, time, generation)
			SELECT ?, ?, ?, ?, coalesce(max(id), 0) FROM generations`, session, format, path, now.UnixMilli())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT OR IGNORE INTO undone SELECT g.id, ?1 FROM generations g JOIN sessions s ON s.id=g.session
			WHERE s.name=?2 AND s.format=?3 AND (?4 OR g.id IN (SELECT value FROM json_each(?5)))`, path, session, format, len(undone) == 0, string(ids))
		return err
	})
	return a.fail("note that session "+session+" was restored", err)
}

// RestoredLogs returns the restored logs of a session, without those that were
// rewritten since, also under the path at which the session lies now.
func (a *Archive) RestoredLogs(ctx context.Context, session, format, path string) ([]Restored, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT session, format, path, time FROM restored r WHERE session=? AND format=? AND"+
		notUndone+"r.path) AND"+notUndone+"?)", session, format, path)
	all, err := collect(rows, err, scanRestored)
	return all, a.fail("look up restored logs", err)
}

// allRestored returns the restored logs of all sessions.
func allRestored(ctx context.Context, db *sql.DB) ([]Restored, error) {
	rows, err := db.QueryContext(ctx, "SELECT session, format, path, time FROM restored r WHERE"+notUndone+"r.path) ORDER BY format, session, path")
	return collect(rows, err, scanRestored)
}

func scanRestored(rows *sql.Rows) (r Restored, err error) {
	return r, rows.Scan(&r.Session, &r.Format, &r.Path, &r.Time)
}
