package archive

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// bury notes the refs of masks that are about to be deleted, with the day. A
// ref is a hash and stands in the log anyway: it says nothing of the content.
func bury(ctx context.Context, tx *sql.Tx, now time.Time, where string, args ...any) error {
	if now.IsZero() {
		return nil
	}
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO forgotten(ref, day) SELECT ref, ? FROM masks WHERE "+where,
		append([]any{day(now)}, args...)...)
	return err
}

// ForgottenOn returns the days on which what refs stand for was deleted by
// [Archive.Forget], of those of which that is known.
func (a *Archive) ForgottenOn(ctx context.Context, refs []string) (map[string]string, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	asked, err := json.Marshal(refs)
	if err != nil {
		return nil, a.fail("look up what was forgotten", err)
	}
	found, err := tombstones(ctx, db, "ref IN (SELECT value FROM json_each(?))", string(asked))
	days := map[string]string{}
	for _, t := range found {
		days[t.ref] = t.day
	}
	return days, a.fail("look up what was forgotten", err)
}

// tombstone is what is left of a forgotten mask.
type tombstone struct{ ref, day string }

func tombstones(ctx context.Context, db *sql.DB, where string, args ...any) ([]tombstone, error) {
	rows, err := db.QueryContext(ctx, "SELECT ref, day FROM forgotten WHERE "+where, args...)
	return collect(rows, err, func(r *sql.Rows) (t tombstone, err error) {
		var n int64
		err = r.Scan(&t.ref, &n)
		t.day = time.Unix(n*24*60*60, 0).UTC().Format(time.DateOnly)
		return t, err
	})
}

// unresolved is the error for a prefix that no ref of the archive begins with.
func unresolved(ctx context.Context, db *sql.DB, prefix string) error {
	found, err := tombstones(ctx, db, "ref>=? AND ref<? ORDER BY ref LIMIT 1", prefix, prefix+"\U0010FFFF")
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		return fmt.Errorf("what mask %s stands for was %w on %s", found[0].ref, ErrForgotten, found[0].day)
	}
	return fmt.Errorf("ref %s: %w", prefix, ErrNotFound)
}
