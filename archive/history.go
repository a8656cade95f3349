package archive

import (
	"context"
	"database/sql"
)

// Past is what became of a rewrite, and what it was about.
type Past struct {
	Masks    []Mask   // key and state alone
	Restored []string // paths of the session's logs in which a user had it undone
}

// History returns the past of every generation, by its number. One that has
// neither masks nor a restore has no entry.
func (a *Archive) History(ctx context.Context) (map[int64]*Past, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	all := map[int64]*Past{}
	of := func(id int64) *Past {
		if all[id] == nil {
			all[id] = &Past{}
		}
		return all[id]
	}
	rows, err := db.QueryContext(ctx, "SELECT generation, key, state FROM masks ORDER BY id")
	_, err = collect(rows, err, func(r *sql.Rows) (none struct{}, err error) {
		var id int64
		var m Mask
		if err = r.Scan(&id, &m.Key, &m.State); err == nil {
			of(id).Masks = append(of(id).Masks, m)
		}
		return none, err
	})
	if err != nil {
		return nil, a.fail("look up what was rewritten", err)
	}
	rows, err = db.QueryContext(ctx, "SELECT generation, path FROM undone ORDER BY generation, path")
	_, err = collect(rows, err, func(r *sql.Rows) (none struct{}, err error) {
		var id int64
		var path string
		if err = r.Scan(&id, &path); err == nil {
			of(id).Restored = append(of(id).Restored, path)
		}
		return none, err
	})
	return all, a.fail("look up what was restored", err)
}
