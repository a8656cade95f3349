//go:build unix

package archive

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestModes(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o077} {
		old := syscall.Umask(umask)
		dir := filepath.Join(t.TempDir(), "above", "archive")
		a, err := Open(dir, true)
		if err != nil {
			t.Fatal(err)
		}
		s := randomSample(seeded(60), "s", 1, 300_000, 10, 2)
		// A file may at no time be open to others, so look while it is written.
		src := s.source()
		read := src.Read
		src.Read = func(file int, off, n int64) ([]byte, error) { modes(t, dir); return read(file, off, n) }
		p, err := a.Put(context.Background(), &s.g, src)
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		if n := modes(t, dir); n != 7 {
			t.Errorf("%d files and folders looked at, want 7: the folder, layout, packs, a pack, the database and two beside it", n)
		}
		if err := p.Settle(context.Background(), true); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func modes(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		n++
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(fileMode)
		if d.IsDir() {
			want = fs.ModeDir | dirMode
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", filepath.Base(path), info.Mode(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOpen(t *testing.T) {
	write := func(name, text string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), fileMode) }
	}
	tests := map[string]struct {
		prepare func(dir string) error
		create  bool
		want    string // in the error, "" for none
		is      error
	}{
		"missing, to read":        {os.Remove, false, "nothing was archived", fs.ErrNotExist},
		"missing, to create":      {os.Remove, true, "", nil},
		"empty, to create":        {nil, true, "", nil},
		"empty, to read":          {nil, false, "nothing was archived", fs.ErrNotExist},
		"folder of others":        {write("sessions.json", "{}"), true, "holds sessions.json", nil},
		"layout of later release": {write(layoutName, layoutText+"2\n"), true, "has layout 2, this release reads up to 1", ErrNewer},
		"layout unreadable":       {write(layoutName, "hello\n"), true, "does not name a layout", nil},
		"killed at creation":      {write(layoutName, ""), true, "", nil},
		"a file": {func(dir string) error {
			return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, fileMode))
		}, true, "it is no folder", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.prepare != nil {
				if err := tt.prepare(dir); err != nil {
					t.Fatal(err)
				}
			}
			a, err := Open(dir, tt.create)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := a.Status(context.Background()); err != nil {
					t.Fatal(err)
				}
				modes(t, dir)
				if err := a.Close(); err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v is not %v", err, tt.is)
			}
		})
	}
}

func TestSchemaOfLaterRelease(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	a := openArchive(t, dir)
	db, err := a.db(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version=99"); err != nil {
		t.Fatal(err)
	}
	if _, err := openArchive(t, dir).Status(context.Background()); !errors.Is(err, ErrNewer) {
		t.Errorf("error %v", err)
	}
}

// A database that is gone, or not that of the packs, would make every pack
// look like a leftover and the archive like a new one.
func TestLostDatabaseIsNotReplaced(t *testing.T) {
	write := func(b []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, b, fileMode); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := map[string]func(t *testing.T, path string){
		"missing": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"emptied":       write(nil),
		"no database":   write([]byte(strings.Repeat("no database at all ", 300))),
		"of zero bytes": write(make([]byte, 8192)),
		"of a new archive": func(t *testing.T, path string) {
			other := newArchive(t)
			if _, err := other.Status(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := other.Close(); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(other.dir, indexName))
			if err != nil {
				t.Fatal(err)
			}
			write(b)(t, path)
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "archive")
			a := openArchive(t, dir)
			randomSample(seeded(61), "s", 1, 5000, 5, 2).apply(t, a)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, filepath.Join(dir, indexName))
			was, readErr := os.ReadFile(filepath.Join(dir, indexName))
			for range 2 {
				again := openArchive(t, dir)
				_, err := again.SettlePending(context.Background(), peekMap(nil))
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "from a backup") || !strings.Contains(err.Error(), "--archive") {
					t.Errorf("error %v", err)
				}
				if _, err := again.Put(context.Background(), &randomSample(seeded(60), "t", 1, 5000, 5, 2).g, Source{}); !errors.Is(err, ErrDamaged) {
					t.Errorf("put: %v", err)
				}
			}
			if now, err := os.ReadFile(filepath.Join(dir, indexName)); !bytes.Equal(now, was) || (err == nil) != (readErr == nil) {
				t.Errorf("the database was touched: %d bytes, %d before, %v", len(now), len(was), err)
			}
			if f := packFiles(t, dir); len(f) != 1 {
				t.Errorf("packs %v", f)
			}
		})
	}
}

// Packs that an older backup of the database does not know are kept, named by
// status, and their numbers are not used again.
func TestUnknownPackIsKept(t *testing.T) {
	a := newArchive(t)
	randomSample(seeded(61), "r", 1, 5000, 5, 2).apply(t, a)
	path := a.packPath(2)
	if err := os.WriteFile(path, []byte("pack"), fileMode); err != nil {
		t.Fatal(err)
	}
	a = openArchive(t, a.dir)
	s := randomSample(seeded(62), "s", 1, 5000, 5, 2)
	id := s.apply(t, a)
	if _, err := a.SettlePending(context.Background(), peekMap(nil)); err != nil {
		t.Fatal(err)
	}
	s.restores(t, a, id)
	if b, err := os.ReadFile(path); err != nil || string(b) != "pack" {
		t.Errorf("%q, %v", b, err)
	}
	st, err := a.Status(context.Background())
	if err != nil || len(st.Unknown) != 1 || st.Unknown[0] != filepath.Base(path) {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestOddFolderNames(t *testing.T) {
	for _, name := range []string{"a b?c#d%41", "é归档", "x&_pragma=foreign_keys(0)", "'quoted\""} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			a := openArchive(t, dir)
			s := randomSample(seeded(63), "s", 1, 5000, 5, 2)
			s.restores(t, a, s.apply(t, a))
			if _, err := os.Stat(filepath.Join(dir, indexName)); err != nil {
				t.Error(err)
			}
			var on int
			if err := a.sq.QueryRow("PRAGMA foreign_keys").Scan(&on); err != nil || on != 1 {
				t.Errorf("foreign keys %d, %v", on, err)
			}
		})
	}
}

// An archive of which only the layout is gone, or empty, is damaged and not
// absent: nothing else would say that the way back is still there.
func TestLostLayout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	a, err := Open(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	s := planted("s")
	id := s.apply(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, layoutName)
	for _, lose := range []func() error{
		func() error { return os.Remove(path) },
		func() error { return os.WriteFile(path, nil, 0o600) },
	} {
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		for _, create := range []bool{false, true} {
			_, err := Open(dir, create)
			if !errors.Is(err, ErrDamaged) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `write the one line "sessc archive layout 1"`) {
				t.Errorf("create %v: %v", create, err)
			}
		}
	}
	// The advice works.
	if err := os.WriteFile(path, []byte("sessc archive layout 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.restores(t, openArchive(t, dir), id)
}
