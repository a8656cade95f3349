package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hit is one place where a search found its words.
type Hit struct {
	Generation int64
	Session    string
	Ref        string
	Headline   string        // of the mask with that ref, "" when there is none
	Entry      *RemovedEntry // nil when the words stand in the mask's record
}

// Search finds removed entries and records that hold all the words of query,
// the best match first, at most limit of them. Words in double quotes, the
// parts of a path or an identifier, and the characters of a Chinese, Japanese
// or Korean word have to stand next to each other. Case and accents do not
// count.
func (a *Archive) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	match := matchOf(query)
	if match == "" {
		return nil, a.fail("search", fmt.Errorf("%q holds no word to look for", query))
	}
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank, rowid LIMIT ?", match, limit)
	found, err := collect(rows, err, scanID)
	if err != nil {
		return nil, a.fail("search", err)
	}
	var hits []Hit
	for _, row := range found {
		h, err := a.hit(ctx, db, row)
		if errors.Is(err, ErrNotFound) || errors.Is(err, sql.ErrNoRows) {
			continue // forgotten by another process since
		}
		if err != nil {
			return nil, a.fail("search", err)
		}
		hits = append(hits, h)
	}
	return hits, nil
}

func (a *Archive) hit(ctx context.Context, db *sql.DB, row int64) (h Hit, err error) {
	table := "entries"
	if row%2 == 1 {
		table = "masks"
	}
	err = db.QueryRowContext(ctx, "SELECT x.generation, x.ref, s.name, coalesce(m.headline, '') FROM "+table+` x
		JOIN generations g ON g.id=x.generation JOIN sessions s ON s.id=g.session
		LEFT JOIN masks m ON m.generation=x.generation AND m.ref=x.ref WHERE x.id=?`, row/2).
		Scan(&h.Generation, &h.Ref, &h.Session, &h.Headline)
	if err != nil || row%2 == 1 {
		return h, err
	}
	var at []located
	err = a.withPack(ctx, h.Generation, func(db *sql.DB, _ head) (err error) {
		if at, err = locate(ctx, db, h.Generation, "id=?", row/2); err == nil && len(at) == 0 {
			err = ErrNotFound
		}
		return err
	}, func(p *pack) error {
		all, err := read(p, at)
		if err == nil {
			h.Entry = &all[0]
		}
		return err
	})
	return h, err
}

// longRun is the length from which an unbroken run of base64 characters is
// taken for data: nobody searches for it, and it would fill the index.
const longRun = 256

// words prepares text for the index. Scripts that are written without blanks
// are cut into single characters, so that any part of a sentence can be found
// as a phrase; an index of trigrams is six times as big (measured on source
// code) and cannot find the many words of two characters.
func words(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		if n := dataRun(text[i:]); n > 0 {
			if n < longRun {
				b.WriteString(text[i : i+n])
			} else {
				b.WriteByte(' ')
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == 0 {
			r = ' ' // would end an expression of the index
		}
		if r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func dataRun(s string) int {
	n := 0
	for n < len(s) && isData[s[n]] {
		n++
	}
	return n
}

var isData = func() (t [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-") {
		t[c] = true
	}
	return t
}()

// matchOf turns what a person typed into an expression of the index in which
// nothing of it is an operator: one phrase for each word or quoted part.
func matchOf(query string) string {
	var phrases []string
	for i, part := range strings.Split(query, `"`) {
		units := []string{part}
		if i%2 == 0 {
			units = strings.Fields(part)
		}
		for _, u := range units {
			if strings.IndexFunc(u, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
				phrases = append(phrases, `"`+words(u)+`"`)
			}
		}
	}
	return strings.Join(phrases, " ")
}
