package archive

import (
	"context"
	"database/sql"
)

// insertEach runs one statement n times.
func insertEach(ctx context.Context, tx *sql.Tx, query string, n int, args func(i int) []any) error {
	if n == 0 {
		return nil
	}
	st, err := tx.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	defer st.Close()
	for i := range n {
		if _, err := st.ExecContext(ctx, args(i)...); err != nil {
			return err
		}
	}
	return nil
}

func insertGeneration(ctx context.Context, tx *sql.Tx, g *Generation, pack int64) (id int64, err error) {
	if _, err := tx.ExecContext(ctx, "INSERT INTO sessions(name, format) VALUES(?,?) ON CONFLICT DO NOTHING", g.Session, g.Format); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO generations(session, pack, state, time, path, options)
		SELECT id, ?, 'pending', ?, ?, ? FROM sessions WHERE name=? AND format=? RETURNING id`,
		pack, g.Time, g.Path, g.Options, g.Session, g.Format).Scan(&id)
	if err != nil {
		return 0, err
	}
	for i := range g.Files {
		f := &g.Files[i]
		if _, err := tx.ExecContext(ctx, "INSERT INTO files VALUES(?,?,?,?,?,?,?)",
			id, i, f.Path, f.Old.Size, f.Old.SHA256[:], f.New.Size, f.New.SHA256[:]); err != nil {
			return 0, err
		}
		err := insertEach(ctx, tx, "INSERT INTO edits VALUES(?,?,?,?,?,?,?,?)", len(f.Edits), func(k int) []any {
			e := &f.Edits[k]
			return []any{id, i, k, e.Old.Off, e.Old.Len, e.New.Off, e.New.Len, e.Ref}
		})
		if err != nil {
			return 0, err
		}
	}
	return id, insertEach(ctx, tx, "INSERT INTO markers VALUES(?,?) ON CONFLICT DO NOTHING", len(g.Markers), func(i int) []any {
		return []any{g.Markers[i], id}
	})
}

func insertSegments(ctx context.Context, tx *sql.Tx, id int64, segs []segment) error {
	return insertEach(ctx, tx, "INSERT INTO segments VALUES(?,?,?,?,?,?)", len(segs), func(i int) []any {
		s := &segs[i]
		return []any{id, s.file, s.at.Off, s.at.Len, s.off, s.sum[:]}
	})
}

// insertSearchable adds the masks and the entries, and their words to the
// search index. None of the statements has a RETURNING: such a one makes the
// index write out all that it has gathered, which for a row each takes longer
// than the rest of the transaction.
func insertSearchable(ctx context.Context, tx *sql.Tx, g *Generation, text func(i int) (string, error)) error {
	index, err := tx.PrepareContext(ctx, "INSERT INTO search(rowid, text) VALUES(?,?)")
	if err != nil {
		return err
	}
	defer index.Close()
	entry, err := tx.PrepareContext(ctx, `INSERT INTO entries(generation, seq, file, off, len, ref, role, kind, tool, name, time)
		VALUES(?,?,?,?,?,?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	defer entry.Close()
	for _, m := range g.Masks {
		id, err := rowID(tx.ExecContext(ctx, "INSERT INTO masks(generation, ref, key, headline, state, record) VALUES(?,?,?,?,?,?)",
			g.ID, m.Ref, m.Key, m.Headline, m.State, m.Record))
		if err != nil {
			return err
		}
		if _, err := index.ExecContext(ctx, maskRow(id), words(m.Headline+"\n"+m.Record)); err != nil {
			return err
		}
	}
	for i, e := range g.Entries {
		id, err := rowID(entry.ExecContext(ctx, g.ID, i, e.File, e.Old.Off, e.Old.Len, e.Ref, e.Role, e.Kind, e.Tool, e.ID, e.Time))
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		t, err := text(i)
		if err != nil {
			return err
		}
		if t == "" {
			continue
		}
		if _, err := index.ExecContext(ctx, entryRow(id), words(t)); err != nil {
			return err
		}
	}
	return nil
}

// rowID is the id of the row that a statement inserted.
func rowID(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

func generationsOf(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id FROM generations WHERE "+where+" ORDER BY id", args...)
	return collect(rows, err, scanID)
}

// dropGeneration deletes all rows of a generation and marks its packs for
// removal. The rest of its rows go with it by the schema's cascade.
func dropGeneration(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, q := range []string{
		"DELETE FROM search WHERE rowid IN (SELECT 2*id FROM entries WHERE generation=?1)",
		"DELETE FROM search WHERE rowid IN (SELECT 2*id+1 FROM masks WHERE generation=?1)",
		`UPDATE packs SET state='doomed' WHERE id IN (
			SELECT pack FROM generations WHERE id=?1 UNION SELECT pack FROM late WHERE generation=?1)`,
		"DELETE FROM generations WHERE id=?1",
		"DELETE FROM sessions WHERE id NOT IN (SELECT session FROM generations)",
	} {
		if _, err := tx.ExecContext(ctx, q, id); err != nil {
			return err
		}
	}
	return nil
}
