package archive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// faultyDisk fails at the n-th call of one operation.
type faultyDisk struct {
	disk
	op    string
	after int
	err   error
	calls map[string]int
	flip  bool // write wrong bytes instead of failing
}

func (d *faultyDisk) fails(op string) error {
	d.calls[op]++
	if op == d.op && d.calls[op] > d.after {
		return d.err
	}
	return nil
}

func (d *faultyDisk) Create(path string) (diskFile, error) {
	if err := d.fails("create"); err != nil {
		return nil, err
	}
	f, err := d.disk.Create(path)
	return &faultyFile{f, d}, err
}

func (d *faultyDisk) Rename(from, to string) error {
	if err := d.fails("rename"); err != nil {
		return err
	}
	return d.disk.Rename(from, to)
}

func (d *faultyDisk) Remove(path string) error {
	if err := d.fails("remove"); err != nil {
		return err
	}
	return d.disk.Remove(path)
}

func (d *faultyDisk) SyncDir(path string) error {
	if err := d.fails("syncdir"); err != nil {
		return err
	}
	return d.disk.SyncDir(path)
}

type faultyFile struct {
	diskFile
	d *faultyDisk
}

func (f *faultyFile) Write(b []byte) (int, error) {
	err := f.d.fails("write")
	if err != nil && f.d.flip {
		b = append([]byte(nil), b...)
		b[len(b)/2] ^= 4
		return f.diskFile.Write(b)
	}
	if err != nil {
		n, _ := f.diskFile.Write(b[:len(b)/2])
		return n, err
	}
	return f.diskFile.Write(b)
}

func (f *faultyFile) Sync() error {
	if err := f.d.fails("sync"); err != nil {
		return err
	}
	return f.diskFile.Sync()
}

func (f *faultyFile) Close() error {
	err := f.d.fails("close")
	return errors.Join(f.diskFile.Close(), err)
}

// After a Put that failed at any step, the archive is as before, what was in it
// comes back, and the same Put succeeds once the cause is gone.
func TestPutFaults(t *testing.T) {
	full := "with --archive"
	tests := []struct {
		op    string
		after int
		err   error
		flip  bool
		want  string
	}{
		{"create", 0, syscall.ENOSPC, false, full},
		{"create", 0, syscall.EACCES, false, "permission denied"},
		{"write", 0, syscall.ENOSPC, false, full},
		{"write", 3, syscall.ENOSPC, false, full},
		{"write", 1, syscall.EIO, false, "write pack"},
		{"write", 1, syscall.EIO, true, "read back"},
		{"sync", 0, syscall.EIO, false, "sync pack"},
		{"sync", 0, syscall.ENOSPC, false, full},
		{"close", 0, syscall.EIO, false, "close pack"},
		{"rename", 0, syscall.EACCES, false, "name pack"},
		{"syncdir", 0, syscall.EIO, false, "sync folder"},
	}
	for _, tt := range tests {
		name := fmt.Sprintf("%s %d %v flip %v", tt.op, tt.after, tt.err, tt.flip)
		t.Run(name, func(t *testing.T) {
			a := newArchive(t)
			kept := randomSample(seeded(30), "kept", 1, 5000, 6, 2)
			id := kept.apply(t, a)
			rows := rowCounts(t, a)
			s := randomSample(seeded(31), "s", 1, 2<<20, 10, 2)
			a.disk = &faultyDisk{osDisk{}, tt.op, tt.after, tt.err, map[string]int{}, tt.flip}
			_, err := a.Put(context.Background(), &s.g, s.source())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want one with %q", err, tt.want)
			}
			if !tt.flip && !errors.Is(err, tt.err) {
				t.Errorf("the error hides its cause: %v", err)
			}
			a.disk = osDisk{}
			nothingLeft(t, a, rows)
			kept.restores(t, a, id)
			s.restores(t, a, s.apply(t, a))
		})
	}
}

func nothingLeft(t *testing.T, a *Archive, rows map[string]int) {
	t.Helper()
	if got := rowCounts(t, a); !equalCounts(got, rows) {
		t.Errorf("rows %v, want %v", got, rows)
	}
	if f := packFiles(t, a.dir); len(f) != rows["packs"] {
		t.Errorf("files %v, want %d", f, rows["packs"])
	}
}

// What cannot even be removed is cleared away by a later run.
func TestLeftoverOfAFailedRemoval(t *testing.T) {
	a := newArchive(t)
	s := randomSample(seeded(35), "s", 1, 1<<20, 10, 2)
	src := s.source()
	src.Read = func(int, int64, int64) ([]byte, error) {
		a.disk = &faultyDisk{osDisk{}, "remove", 0, syscall.EIO, map[string]int{}, false}
		return nil, syscall.EIO
	}
	if _, err := a.Put(context.Background(), &s.g, src); err == nil {
		t.Fatal("no error")
	}
	if f := packFiles(t, a.dir); len(f) != 1 {
		t.Fatalf("files %v, want the one that could not be removed", f)
	}
	a.disk = osDisk{}
	if _, err := a.SettlePending(context.Background(), peekMap(nil)); err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, a, map[string]int{})
}

func TestPutWithFullDatabase(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	kept := randomSample(seeded(32), "kept", 1, 5000, 6, 2)
	id := kept.apply(t, a)
	rows := rowCounts(t, a)
	db, err := a.db(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var pages int
	if err := db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	s := randomSample(seeded(33), "s", 1, 2<<20, 3000, 200)
	failed := 0
	// The room that is left runs out at a later row each time.
	for more := 0; more < 60; more += 7 {
		if _, err := db.Exec(fmt.Sprintf("PRAGMA max_page_count=%d", pages+more)); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Put(ctx, &s.g, s.source()); err == nil || !strings.Contains(err.Error(), "full") {
			t.Fatalf("%d more pages: error %v", more, err)
		}
		failed++
		nothingLeft(t, a, rows)
	}
	if _, err := db.Exec("PRAGMA max_page_count=1000000"); err != nil {
		t.Fatal(err)
	}
	kept.restores(t, a, id)
	s.restores(t, a, s.apply(t, a))
}

func TestReadErrorOfTheLog(t *testing.T) {
	a := newArchive(t)
	s := randomSample(seeded(34), "s", 1, 1<<20, 10, 2)
	for name, read := range map[string]func(int, int64, int64) ([]byte, error){
		"error": func(int, int64, int64) ([]byte, error) { return nil, syscall.EIO },
		"short": func(f int, off, n int64) ([]byte, error) { return s.old[f][off : off+n-1], nil },
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := a.Put(context.Background(), &s.g, Source{Read: read}); err == nil {
				t.Fatal("no error")
			}
			nothingLeft(t, a, map[string]int{})
		})
	}
	boom := errors.New("cannot decode")
	src := s.source()
	src.Text = func(int) (string, error) { return "", boom }
	if _, err := a.Put(context.Background(), &s.g, src); !errors.Is(err, boom) {
		t.Fatalf("error %v", err)
	}
	nothingLeft(t, a, map[string]int{})
}
