package archive

import (
	"context"
	"database/sql"
	"errors"
)

// Answer returns what a model answered to a question, by the hash of all that
// the answer hangs on; ok is false when it was not asked before.
func (a *Archive) Answer(ctx context.Context, key [32]byte) (text string, ok bool, err error) {
	db, err := a.db(ctx)
	if err != nil {
		return "", false, err
	}
	err = db.QueryRowContext(ctx, "SELECT text FROM answers WHERE key=?", key[:]).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return text, err == nil, a.fail("look up an answer", err)
}

// KeepAnswer keeps an answer for the mask with a reference of a session, with
// which it is forgotten, and returns when it is durable. time is that of the
// answer, in unix ms. The caller has taken secrets out of it.
func (a *Archive) KeepAnswer(ctx context.Context, key [32]byte, session, ref, text string, time int64) error {
	db, err := a.db(ctx)
	if err != nil {
		return err
	}
	err = a.inTx(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO answers(key, session, ref, text, time) VALUES(?,?,?,?,?)", key[:], session, ref, text, time)
		return err
	})
	return a.fail("keep an answer", err)
}

// Answers counts the answers that forgetting sel would delete.
func (a *Archive) Answers(ctx context.Context, sel Selection) (n int, err error) {
	db, err := a.db(ctx)
	if err != nil {
		return 0, err
	}
	where, arg := sel.answers()
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM answers WHERE "+where, arg).Scan(&n)
	return n, a.fail("count answers", err)
}

// answers selects the answers that go with what sel names.
func (sel Selection) answers() (where string, arg any) {
	switch {
	case sel.Ref != "":
		return "ref=?", sel.Ref
	case sel.Before != 0:
		return "time<?", sel.Before
	}
	return "session=?", sel.Session
}

// forgetAnswers deletes what models said of what sel names.
func (a *Archive) forgetAnswers(ctx context.Context, db *sql.DB, sel Selection) (n int64, err error) {
	where, arg := sel.answers()
	err = a.inTx(ctx, db, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM answers WHERE "+where, arg)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	return n, err
}
