package archive

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Query selects generations: those that match any of the fields that are set.
// The zero Query selects all.
type Query struct {
	Session string
	New     [32]byte // SHA-256 of a new file
	Refs    []string // masks that stand in a new file
}

// Generations returns the generations that match, newest first, with files and
// markers but without edits, masks and entries. Look a log up by the markers it
// holds and by its content: its path is only a hint.
func (a *Archive) Generations(ctx context.Context, q Query) ([]Generation, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := json.Marshal(q.Refs)
	if err != nil {
		return nil, a.fail("look up generations", err)
	}
	var where []string
	var args []any
	if q.Session != "" {
		where, args = append(where, "s.name=?"), append(args, q.Session)
	}
	if q.New != [32]byte{} {
		where, args = append(where, "g.id IN (SELECT generation FROM files WHERE new_sum=?)"), append(args, q.New[:])
	}
	if len(q.Refs) > 0 {
		where = append(where, "g.id IN (SELECT generation FROM markers WHERE ref IN (SELECT value FROM json_each(?)))")
		args = append(args, string(refs))
	}
	if len(where) == 0 {
		where = []string{"1"}
	}
	heads, err := loadHeads(ctx, db, "("+strings.Join(where, " OR ")+") ORDER BY g.id DESC", args...)
	if err != nil {
		return nil, a.fail("look up generations", err)
	}
	all := make([]Generation, len(heads))
	for i := range heads {
		all[i] = heads[i].Generation
		if all[i].Markers, err = loadMarkers(ctx, db, all[i].ID); err != nil {
			return nil, a.fail("look up generations", err)
		}
	}
	return all, nil
}

// Load returns a generation with everything but the removed bytes.
func (a *Archive) Load(ctx context.Context, id int64) (*Generation, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	h, err := loadHead(ctx, db, id)
	if err != nil {
		return nil, a.fail(fmt.Sprintf("load generation %d", id), err)
	}
	g := &h.Generation
	if g.Markers, err = loadMarkers(ctx, db, id); err != nil {
		return nil, a.fail(fmt.Sprintf("load generation %d", id), err)
	}
	for i := range g.Files {
		if g.Files[i].Edits, err = loadEdits(ctx, db, id, i); err != nil {
			return nil, a.fail(fmt.Sprintf("load generation %d", id), err)
		}
	}
	if g.Masks, err = loadMasks(ctx, db, "generation=? ORDER BY id", id); err != nil {
		return nil, a.fail(fmt.Sprintf("load generation %d", id), err)
	}
	if g.Entries, err = loadEntries(ctx, db, "generation=? ORDER BY seq", id); err != nil {
		return nil, a.fail(fmt.Sprintf("load generation %d", id), err)
	}
	return g, nil
}

// head is a generation without its long lists, and the pack that holds its bytes.
type head struct {
	Generation
	pack int64
}

func loadHeads(ctx context.Context, db *sql.DB, where string, args ...any) ([]head, error) {
	rows, err := db.QueryContext(ctx, `SELECT g.id, g.pack, g.state, s.name, s.format, g.path, g.options, g.time, p.raw, p.size
		FROM generations g JOIN sessions s ON s.id=g.session JOIN packs p ON p.id=g.pack WHERE `+where, args...)
	heads, err := collect(rows, err, func(r *sql.Rows) (h head, err error) {
		g := &h.Generation
		return h, r.Scan(&g.ID, &h.pack, &g.State, &g.Session, &g.Format, &g.Path, &g.Options, &g.Time, &g.Removed, &g.Stored)
	})
	if err != nil {
		return nil, err
	}
	for i := range heads {
		g := &heads[i].Generation
		rows, err := db.QueryContext(ctx, "SELECT path, old_size, old_sum, new_size, new_sum FROM files WHERE generation=? ORDER BY file", g.ID)
		g.Files, err = collect(rows, err, func(r *sql.Rows) (f File, err error) {
			return f, r.Scan(&f.Path, &f.Old.Size, scanSum{&f.Old.SHA256}, &f.New.Size, scanSum{&f.New.SHA256})
		})
		if err != nil {
			return nil, err
		}
	}
	return heads, nil
}

func scanText(rows *sql.Rows) (s string, err error) { return s, rows.Scan(&s) }

func loadMarkers(ctx context.Context, db *sql.DB, id int64) ([]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT ref FROM markers WHERE generation=? ORDER BY ref", id)
	return collect(rows, err, scanText)
}

func loadHead(ctx context.Context, db *sql.DB, id int64) (head, error) {
	heads, err := loadHeads(ctx, db, "g.id=?", id)
	if err != nil {
		return head{}, err
	}
	if len(heads) == 0 {
		return head{}, ErrNotFound
	}
	return heads[0], nil
}

func loadEdits(ctx context.Context, db *sql.DB, id int64, file int) ([]Edit, error) {
	rows, err := db.QueryContext(ctx, "SELECT old_off, old_len, new_off, new_len, ref FROM edits WHERE generation=? AND file=? ORDER BY seq", id, file)
	return collect(rows, err, func(r *sql.Rows) (e Edit, err error) {
		return e, r.Scan(&e.Old.Off, &e.Old.Len, &e.New.Off, &e.New.Len, &e.Ref)
	})
}

func loadMasks(ctx context.Context, db *sql.DB, where string, args ...any) ([]Mask, error) {
	rows, err := db.QueryContext(ctx, "SELECT ref, key, headline, state, record FROM masks WHERE "+where, args...)
	return collect(rows, err, func(r *sql.Rows) (m Mask, err error) {
		return m, r.Scan(&m.Ref, &m.Key, &m.Headline, &m.State, &m.Record)
	})
}

func loadEntries(ctx context.Context, db *sql.DB, where string, args ...any) ([]Entry, error) {
	rows, err := db.QueryContext(ctx, "SELECT file, off, len, ref, role, kind, tool, name, time FROM entries WHERE "+where, args...)
	return collect(rows, err, func(r *sql.Rows) (e Entry, err error) {
		return e, r.Scan(&e.File, &e.Old.Off, &e.Old.Len, &e.Ref, &e.Role, &e.Kind, &e.Tool, &e.ID, &e.Time)
	})
}

// loadSegments returns where the bytes of a generation's file stand, by offset.
func loadSegments(ctx context.Context, db *sql.DB, id int64, file int) ([]segment, error) {
	rows, err := db.QueryContext(ctx, "SELECT off, len, pack_off, sum FROM segments WHERE generation=? AND file=? ORDER BY off", id, file)
	return collect(rows, err, func(r *sql.Rows) (s segment, err error) {
		s.file = file
		return s, r.Scan(&s.at.Off, &s.at.Len, &s.off, scanSum{&s.sum})
	})
}

// withPack opens the pack of a generation: look reads rows, then use reads
// the pack and no more rows. forget may move the bytes to another pack at any
// time; then both are looked up again, so that rows and pack always belong
// together.
func (a *Archive) withPack(ctx context.Context, id int64, look func(db *sql.DB, h head) error, use func(p *pack) error) error {
	db, err := a.db(ctx)
	if err != nil {
		return err
	}
	for {
		h, err := loadHead(ctx, db, id)
		if err != nil {
			return err
		}
		if err := look(db, h); err != nil {
			return err
		}
		p, open := openPack(a.packPath(h.pack))
		var now int64 // 0 when the generation is gone
		err = db.QueryRowContext(ctx, "SELECT coalesce(max(pack), 0) FROM generations WHERE id=?", id).Scan(&now)
		switch {
		case err != nil:
			return errors.Join(err, p.close())
		case now != h.pack: // also when the pack could not be opened any more
			if err := p.close(); err != nil {
				return err
			}
		case errors.Is(open, fs.ErrNotExist):
			return fmt.Errorf("%w: %w", ErrPack, open)
		case open != nil:
			return open
		default:
			return errors.Join(use(p), p.close())
		}
	}
}

// resolve finds the one ref that begins with prefix. A ref that equals it wins
// over longer ones, since a ref is lengthened only when it collides.
func resolve(ctx context.Context, db *sql.DB, prefix string) (string, error) {
	if prefix == "" {
		return "", fmt.Errorf("the ref is empty: %w", ErrNotFound)
	}
	const most = 10
	rows, err := db.QueryContext(ctx, "SELECT DISTINCT ref FROM masks WHERE ref>=? AND ref<? ORDER BY ref LIMIT ?",
		prefix, prefix+"\U0010FFFF", most+1)
	refs, err := collect(rows, err, scanText)
	switch {
	case err != nil:
		return "", err
	case len(refs) == 0:
		return "", unresolved(ctx, db, prefix)
	case len(refs) == 1 || slices.Contains(refs, prefix):
		return refs[max(0, slices.Index(refs, prefix))], nil
	}
	return "", &AmbiguousError{Prefix: prefix, Refs: refs[:min(most, len(refs))], More: len(refs) > most}
}
