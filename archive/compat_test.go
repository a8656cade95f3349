package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var layout = flag.Bool("layout1", false, "write testdata/layout-1.tar.zst anew; only before layout 1 is first released")

const layout1 = "testdata/layout-1.tar.zst"

// fixtureSample is what stands in the archive of layout 1 that is kept in
// testdata. It must not change.
func fixtureSample() *sample {
	return texts("old-session", "first removed line", "removida em segundo lugar", "第三行", "fourth, with a path src/main.go")
}

// An archive that layout 1 wrote is read, restored from, added to and deleted
// from by every later release.
func TestArchiveOfLayout1(t *testing.T) {
	if *layout {
		pack1(t)
	}
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	unpack(t, layout1, dir)
	a, err := Open(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	s := fixtureSample()
	gs, err := a.Generations(ctx, Query{Refs: []string{"old-session-ref"}})
	if err != nil || len(gs) != 1 || gs[0].State != StateApplied || gs[0].Session != "old-session" || gs[0].Format != "pi" || gs[0].Time != 1000 {
		t.Fatalf("%+v, %v", gs, err)
	}
	s.restores(t, a, gs[0].ID)
	x, err := a.Expand(ctx, "old-s")
	if err != nil || len(x.Entries) != 4 || string(x.Entries[2].Raw) != "第三行\n" || x.Mask.Record != "conclusion: idle timer added" {
		t.Fatalf("%+v, %v", x, err)
	}
	for query, want := range map[string]string{"src/main.go": "e3", "三行": "e2", "segundo": "e1"} {
		hits, err := a.Search(ctx, query, 5)
		if err != nil || len(hits) != 1 || hits[0].Entry == nil || hits[0].Entry.ID != want {
			t.Errorf("search %s: %+v, %v", query, hits, err)
		}
	}
	late, err := a.LateLines(ctx, "old-session")
	if err != nil || len(late) != 1 || string(late[0].Raw) != "late line\n" {
		t.Errorf("late lines %+v, %v", late, err)
	}
	next := randomSample(seeded(90), "next", 1, 5000, 6, 2)
	next.restores(t, a, next.apply(t, a))
	if got, err := a.Forget(ctx, Selection{Session: "old-session"}); err != nil || got.Generations != 1 {
		t.Errorf("forget: %+v, %v", got, err)
	}
}

// pack1 writes the fixture with the code at hand.
func pack1(t *testing.T) {
	t.Helper()
	if layoutVersion != 1 || len(migrations) != 1 {
		t.Fatal("layout 1 can only be written by the release that had it")
	}
	dir := filepath.Join(t.TempDir(), "archive")
	a, err := Open(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	id := fixtureSample().apply(t, a)
	if err := errors.Join(a.KeepLate(context.Background(), id, 2000, []byte("late line\n")), a.Close()); err != nil {
		t.Fatal(err)
	}
	var tarred bytes.Buffer
	w := tar.NewWriter(&tarred)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: fileMode, Size: int64(len(b))}); err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(layout1, enc.EncodeAll(tarred.Bytes(), nil), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, from, dir string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), dirMode), os.WriteFile(path, b, fileMode)); err != nil {
			t.Fatal(err)
		}
	}
}
