package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"sessc/session"
)

// sample is one rewrite: the files before and after, and what Put is told.
type sample struct {
	old, new [][]byte
	g        Generation
	text     map[int]string
}

var lexicon = []string{"alpha", "beta", "gamma", "delta", `{"type":"message"}`, "\n", "\r\n", "0123456789", "\x00\xff", "ção", "归档", " "}

func randomText(r *rand.Rand, n int) []byte {
	b := make([]byte, 0, n+20)
	for len(b) < n {
		b = append(b, lexicon[r.IntN(len(lexicon))]...)
		b = append(b, byte(r.IntN(256)))
	}
	return b[:n]
}

// randomSample makes a rewrite of files with random edits; those of a mask
// need not stand together, and some lie inside an entry.
func randomSample(r *rand.Rand, name string, files, size, edits, masks int) *sample {
	s := &sample{text: map[int]string{}}
	s.g = Generation{Session: name, Format: "pi", Path: name + ".jsonl", Options: "tasks", Time: 1000}
	ref := func() string { return fmt.Sprintf("%s-%03d", name, r.IntN(masks)) }
	for f := range files {
		old := randomText(r, size)
		var file File
		var out []byte
		at := 0
		for k := 0; k < edits && at < len(old); k++ {
			off := at + r.IntN((len(old)-at)/(edits-k)+1)
			n := r.IntN(min(len(old)-off, 2*size/(edits+1)) + 1)
			out = append(out, old[at:off]...)
			put := randomText(r, r.IntN(60))
			e := Edit{Old: session.Range{Off: int64(off), Len: int64(n)}, New: session.Range{Off: int64(len(out)), Len: int64(len(put))}, Ref: ref()}
			if r.IntN(5) == 0 {
				e.Ref = ""
			}
			out = append(out, put...)
			file.Edits = append(file.Edits, e)
			if n > 0 && e.Ref != "" {
				from := max(0, off-r.IntN(20))
				s.g.Entries = append(s.g.Entries, Entry{File: f, Old: session.Range{Off: int64(from), Len: int64(off + n - from)},
					Ref: e.Ref, Role: "assistant", Kind: "assistant", Tool: "exec", ID: fmt.Sprintf("e%d", len(s.g.Entries)), Time: int64(k)})
			}
			at = off + n
		}
		out = append(out, old[at:]...)
		file.Path = fmt.Sprintf("%s-%d.jsonl", name, f)
		file.Old, file.New = contentOf(old), contentOf(out)
		s.g.Files = append(s.g.Files, file)
		s.old, s.new = append(s.old, old), append(s.new, out)
	}
	for k := range masks {
		m := fmt.Sprintf("%s-%03d", name, k)
		s.g.Masks = append(s.g.Masks, Mask{Ref: m, Key: "call" + m, Headline: "task " + m, State: "done", Record: "record of " + m})
		s.g.Markers = append(s.g.Markers, m)
	}
	return s
}

func contentOf(b []byte) Content { return Content{int64(len(b)), sha256.Sum256(b)} }

func (s *sample) source() Source {
	return Source{
		Read: func(file int, off, n int64) ([]byte, error) { return s.old[file][off : off+n], nil },
		Text: func(i int) (string, error) { return s.text[i], nil },
	}
}

func (s *sample) put(t testing.TB, a *Archive) *Pending {
	t.Helper()
	p, err := a.Put(context.Background(), &s.g, s.source())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *sample) apply(t testing.TB, a *Archive) int64 {
	t.Helper()
	p := s.put(t, a)
	if err := p.Settle(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// restores checks that the old files come back exactly, also when the log has
// grown since.
func (s *sample) restores(t testing.TB, a *Archive, id int64) {
	t.Helper()
	for i := range s.old {
		now := append(bytes.Clone(s.new[i]), "appended later\n"...)
		var out bytes.Buffer
		if err := a.Original(context.Background(), id, i, bytes.NewReader(now), int64(len(now)), &out); err != nil {
			t.Fatalf("file %d: %v", i, err)
		}
		if !bytes.Equal(out.Bytes(), s.old[i]) {
			t.Fatalf("file %d: %d bytes come back, they differ from the %d old ones", i, out.Len(), len(s.old[i]))
		}
		var unproven bytes.Buffer
		if err := a.OriginalUnproven(context.Background(), id, i, bytes.NewReader(now), int64(len(now)), &unproven); err != nil || !bytes.Equal(unproven.Bytes(), s.old[i]) {
			t.Fatalf("file %d, unproven: %d bytes come back, %v", i, unproven.Len(), err)
		}
	}
}

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 7)) }

func newArchive(t testing.TB) *Archive {
	t.Helper()
	a := openArchive(t, filepath.Join(t.TempDir(), "archive"))
	return a
}

func openArchive(t testing.TB, dir string) *Archive {
	t.Helper()
	a, err := Open(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// packFiles lists the files in the folder of packs.
func packFiles(t testing.TB, dir string) []string {
	t.Helper()
	es, err := os.ReadDir(filepath.Join(dir, packsName))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range es {
		names = append(names, e.Name())
	}
	sort.Strings(names)
	return names
}

// rowCounts counts the rows of every table of ours that has any.
func rowCounts(t testing.TB, a *Archive) map[string]int {
	t.Helper()
	db, err := a.db(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, table := range []string{"packs", "sessions", "generations", "files", "edits", "segments", "masks", "markers", "entries", "late", "search"} {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			counts[table] = n
		}
	}
	return counts
}

// peekMap plays the file system for SettlePending.
func peekMap(files map[string][]byte) Peek {
	return func(path string, n int64) (int64, [32]byte, error) {
		b, ok := files[path]
		if !ok {
			return 0, [32]byte{}, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return int64(len(b)), sha256.Sum256(b[:min(n, int64(len(b)))]), nil
	}
}

func (s *sample) onDisk(new bool) map[string][]byte {
	m := map[string][]byte{}
	for i := range s.old {
		m[s.g.Files[i].Path] = s.old[i]
		if new {
			m[s.g.Files[i].Path] = s.new[i]
		}
	}
	return m
}
