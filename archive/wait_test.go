package archive

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"
)

// impatient shortens the waiting for the rest of a test.
func impatient(t *testing.T, notice, busy time.Duration) {
	n, b := noticeAfter, busyAfter
	noticeAfter, busyAfter = notice, busy
	t.Cleanup(func() { noticeAfter, busyAfter = n, b })
}

// hold keeps the write lock of an archive's database until it is told to let go.
func hold(t *testing.T, dir string) (letGo func()) {
	t.Helper()
	a := openArchive(t, dir)
	db, err := a.db(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

// Another process holds the database: the user hears of it, and the call goes
// on when the other is done.
func TestWaitForAnother(t *testing.T) {
	impatient(t, 50*time.Millisecond, time.Minute)
	a := newArchive(t)
	told := make(chan bool, 9)
	a.OnWait(func() { told <- true })
	s := randomSample(seeded(70), "s", 1, 5000, 5, 2)
	id := s.apply(t, a)
	for len(told) > 0 { // a slow machine makes it wait for itself
		<-told
	}
	letGo := hold(t, a.dir)
	go func() {
		<-told
		letGo()
	}()
	if _, err := a.Forget(context.Background(), Selection{Session: "nobody"}); err != nil {
		t.Error(err)
	}
	randomSample(seeded(71), "t", 1, 5000, 5, 2).apply(t, a)
	s.restores(t, a, id)
}

// It does not wait for ever, and a figure is not waited for at all.
func TestWaitIsBounded(t *testing.T) {
	impatient(t, time.Minute, 200*time.Millisecond)
	a := newArchive(t)
	s := randomSample(seeded(72), "s", 1, 5000, 5, 2)
	id := s.apply(t, a)
	letGo := hold(t, a.dir)
	if _, err := a.Put(context.Background(), &randomSample(seeded(73), "t", 1, 5000, 5, 2).g, Source{}); err == nil || !strings.Contains(err.Error(), "another program holds it") {
		t.Errorf("error %v", err)
	}
	begun := time.Now()
	if st, err := a.Status(context.Background()); err != nil || len(st.Sessions) != 1 {
		t.Errorf("%+v, %v", st, err)
	}
	if d := time.Since(begun); d > 150*time.Millisecond {
		t.Errorf("status took %v", d)
	}
	s.restores(t, a, id)
	letGo()
	randomSample(seeded(74), "u", 1, 5000, 5, 2).apply(t, a)
}
