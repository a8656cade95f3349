package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"sessc/session"
)

// secret makes a word that stands nowhere by chance.
func secret(name string) string {
	h := sha256.Sum256([]byte(name))
	return hex.EncodeToString(h[:10])
}

// planted makes a rewrite with a secret word in each place that can hold one:
// two masks, ten entries each.
func planted(name string) *sample {
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("%s entry %d of %d in some longer text", secret(name+fmt.Sprint(i)), i, i*i))
	}
	s := texts(name, all...)
	s.g.Path, s.g.Options = secret(name+"path"), secret(name+"options")
	s.g.Masks = nil
	for k, ref := range []string{name + "-a", name + "-b"} {
		s.g.Masks = append(s.g.Masks, Mask{Ref: ref, Key: secret(ref + "key"), Headline: secret(ref + "headline"), Record: secret(ref + "record")})
		for i := 10 * k; i < 10*k+10; i++ {
			s.g.Entries[i].Ref, s.g.Files[0].Edits[i].Ref = ref, ref
		}
	}
	return s
}

func (s *sample) secrets(name string, masks ...int) (all []string) {
	for _, k := range masks {
		for i := 10 * k; i < 10*k+10; i++ {
			all = append(all, secret(name+fmt.Sprint(i)))
		}
		for _, f := range []string{"key", "headline", "record"} {
			all = append(all, secret(s.g.Masks[k].Ref+f))
		}
	}
	return all
}

// found counts which of the words stand in any file of the archive, as they are
// or compressed. The index shares the beginnings of words, so that the end of a
// word is looked for.
func found(t *testing.T, dir string, words []string) int {
	t.Helper()
	var all []byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all = append(all, b...)
		if strings.HasSuffix(path, ".zst") {
			r, err := zstd.NewReader(bytes.NewReader(b))
			if err != nil {
				return err
			}
			defer r.Close()
			plain, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			all = append(all, plain...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, w := range words {
		if bytes.Contains(all, []byte(w[6:])) {
			n++
		}
	}
	return n
}

func TestForget(t *testing.T) {
	ctx := context.Background()
	kept, gone := planted("kept"), planted("gone")
	gone.g.Time = 500
	secretsKept := append(kept.secrets("kept", 0, 1), kept.g.Path, kept.g.Options)
	tests := map[string]struct {
		sel     Selection
		gone    []string // words
		kept    []string
		report  Forgotten
		mask    string
		restore bool // the generation can still be undone
	}{
		"session": {Selection{Session: "gone"}, append(gone.secrets("gone", 0, 1), gone.g.Path, gone.g.Options), nil,
			Forgotten{Generations: 1, Masks: 2}, "", false},
		"older": {Selection{Before: 1000}, append(gone.secrets("gone", 0, 1), gone.g.Path, gone.g.Options), nil,
			Forgotten{Generations: 1, Masks: 2}, "", false},
		"mask": {Selection{Ref: "gone-a"}, gone.secrets("gone", 0), append(gone.secrets("gone", 1), gone.g.Path),
			Forgotten{Masks: 1}, "gone-a", false},
		"nothing": {Selection{Session: "unknown"}, nil, gone.secrets("gone", 0, 1), Forgotten{}, "", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "archive")
			a := openArchive(t, dir)
			kept, gone := planted("kept"), planted("gone")
			gone.g.Time = 500
			id := kept.apply(t, a)
			lost := gone.apply(t, a)
			if n := found(t, dir, tt.gone); n != len(tt.gone) {
				t.Fatalf("%d of %d words stand in the archive before: the search is blind", n, len(tt.gone))
			}
			got, err := a.Forget(ctx, tt.sel)
			if err != nil {
				t.Fatal(err)
			}
			if got.Generations != tt.report.Generations || got.Masks != tt.report.Masks || len(got.InUse) != 0 {
				t.Errorf("report %+v", got)
			}
			if n := found(t, dir, tt.gone); n != 0 {
				t.Errorf("%d of %d words are still there", n, len(tt.gone))
			}
			if n := found(t, dir, append(tt.kept, secretsKept...)); n != len(tt.kept)+len(secretsKept) {
				t.Errorf("%d of %d words that were to stay are there", n, len(tt.kept)+len(secretsKept))
			}
			kept.restores(t, a, id)
			if hits, err := a.Search(ctx, secret("kept3"), 5); err != nil || len(hits) != 1 {
				t.Errorf("search for what stays: %v, %v", hits, err)
			}
			if tt.restore {
				gone.restores(t, a, lost)
				return
			}
			if len(got.Losses) != 1 || got.Losses[0].Session != "gone" || got.Losses[0].Ref != tt.mask || got.Bytes == 0 {
				t.Errorf("losses %+v", got)
			}
			err = a.Original(ctx, lost, 0, bytes.NewReader(gone.new[0]), int64(len(gone.new[0])), io.Discard)
			if want := map[bool]error{true: ErrForgotten, false: ErrNotFound}[tt.mask != ""]; !errors.Is(err, want) {
				t.Errorf("original: %v, want %v", err, want)
			}
			if _, err := a.Expand(ctx, "gone-a"); !errors.Is(err, ErrNotFound) {
				t.Errorf("expand: %v", err)
			}
			if days, err := a.ForgottenOn(ctx, []string{"gone-a", "kept-a"}); err != nil || len(days) != 0 {
				t.Errorf("without a time nothing is remembered: %v, %v", days, err)
			}
			if hits, err := a.Search(ctx, secret("gone3"), 5); err != nil || len(hits) != 0 {
				t.Errorf("search: %v, %v", hits, err)
			}
			if tt.mask != "" {
				x, err := a.Expand(ctx, "gone-b")
				if err != nil || len(x.Entries) != 10 || string(x.Entries[0].Raw) != gone.text[10]+"\n" {
					t.Errorf("the other mask: %+v, %v", x, err)
				}
			}
		})
	}
	if _, err := newArchive(t).Forget(ctx, Selection{}); err == nil {
		t.Error("an empty selection was accepted")
	}
	if _, err := newArchive(t).Forget(ctx, Selection{Session: "a", Before: 1}); err == nil {
		t.Error("two selections were accepted")
	}
}

// The archive remembers that it was told to forget, and when, and nothing else.
func TestForgetIsRemembered(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	for name, sel := range map[string]Selection{
		"session": {Session: "gone", Now: now}, "mask": {Ref: "gone-a", Now: now}, "older": {Before: 1000, Now: now},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "archive")
			a := openArchive(t, dir)
			kept, gone := planted("kept"), planted("gone")
			kept.apply(t, a)
			gone.g.Time = 500
			gone.apply(t, a)
			if _, err := a.Forget(ctx, sel); err != nil {
				t.Fatal(err)
			}
			days, err := a.ForgottenOn(ctx, []string{"gone-a", "gone-b", "kept-a", "never"})
			want := map[string]string{"gone-a": "2026-11-30"}
			if sel.Ref == "" {
				want["gone-b"] = "2026-11-30"
			}
			if err != nil || !maps.Equal(days, want) {
				t.Errorf("forgotten %v, %v, want %v", days, err, want)
			}
			_, err = a.Expand(ctx, "gone-a")
			if !errors.Is(err, ErrForgotten) || !strings.Contains(err.Error(), "mask gone-a stands for was deleted by sessc forget on 2026-11-30") {
				t.Errorf("expand: %v", err)
			}
			if n := found(t, dir, gone.secrets("gone", 0)); n != 0 {
				t.Errorf("%d words are still there", n)
			}
			// Stored again it is there again.
			gone.apply(t, a)
			if _, err := a.Expand(ctx, "gone-a"); err != nil {
				t.Errorf("put again: %v", err)
			}
		})
	}
}

// Masks that share the bytes of a line: each forget takes only what the other
// does not hold, in whatever order.
func TestForgetMasksThatShareALine(t *testing.T) {
	ctx := context.Background()
	old := []byte("one two three four five\n")
	new := []byte("ONE two THREE four five\n")
	build := func() *sample {
		return &sample{old: [][]byte{old}, new: [][]byte{new}, g: Generation{Session: "s", Format: "f", Files: []File{{
			Path: "p", Old: contentOf(old), New: contentOf(new), Edits: []Edit{
				{Old: session.Range{Off: 0, Len: 3}, New: session.Range{Off: 0, Len: 3}, Ref: "a"},
				{Old: session.Range{Off: 8, Len: 5}, New: session.Range{Off: 8, Len: 5}, Ref: "b"},
			}}},
			Masks: []Mask{{Ref: "a"}, {Ref: "b"}},
			Entries: []Entry{
				{Old: session.Range{Off: 0, Len: 10}, Ref: "a", ID: "ea"},
				{Old: session.Range{Off: 4, Len: 14}, Ref: "b", ID: "eb"},
			}}}
	}
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		t.Run(strings.Join(order, " then "), func(t *testing.T) {
			a := newArchive(t)
			s := build()
			id := s.apply(t, a)
			s.restores(t, a, id)
			if _, err := a.Forget(ctx, Selection{Ref: order[0]}); err != nil {
				t.Fatal(err)
			}
			x, err := a.Expand(ctx, order[1])
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"a": "one two th", "b": "two three four"}[order[1]]
			if got := string(x.Entries[0].Raw); got != want {
				t.Errorf("entry %q, want %q", got, want)
			}
			if _, err := a.Forget(ctx, Selection{Ref: order[1]}); err != nil {
				t.Fatal(err)
			}
			gs, err := a.Generations(ctx, Query{Session: "s"})
			if err != nil || len(gs) != 1 || gs[0].Removed != 0 {
				t.Errorf("generations %+v, %v", gs, err)
			}
			if f := packFiles(t, a.dir); len(f) != 1 {
				t.Errorf("packs %v", f)
			}
		})
	}
}

func TestForgetGivesRoomBack(t *testing.T) {
	a := newArchive(t)
	s := randomSample(seeded(91), "s", 1, 400_000, 3000, 300)
	for i := range s.g.Entries {
		s.text[i] = fmt.Sprint("words of entry ", i, secret(fmt.Sprint(i)))
	}
	s.apply(t, a)
	planted("kept").apply(t, a)
	size := func() int64 {
		st, err := a.Status(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return st.Disk()
	}
	before := size()
	if _, err := a.Forget(context.Background(), Selection{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if after := size(); after > before/3 {
		t.Errorf("%d bytes on disk before, %d after", before, after)
	}
	db, err := a.db(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var free int
	if err := db.QueryRow("PRAGMA freelist_count").Scan(&free); err != nil || free != 0 {
		t.Errorf("%d free pages in the database, %v", free, err)
	}
}

// Forget may move the bytes of a generation while another process looks them
// up: the rows of the old pack are never used on the new one.
func TestReadDuringForget(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	id := planted("s").apply(t, a)
	other := openArchive(t, a.dir)
	looks := 0
	var at []located
	var got []RemovedEntry
	err := a.withPack(ctx, id, func(db *sql.DB, _ head) (err error) {
		at, err = locate(ctx, db, id, "generation=? AND ref=?", id, "s-b")
		if looks++; looks == 1 && err == nil {
			_, err = other.Forget(ctx, Selection{Ref: "s-a"})
		}
		return err
	}, func(p *pack) (err error) {
		got, err = read(p, at)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if looks != 2 || len(got) != 10 || string(got[0].Raw) != planted("s").text[10]+"\n" {
		t.Errorf("%d looks, entries %+v", looks, got)
	}
}

func TestForgetLeavesWhatIsInUse(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	s := planted("s")
	p := s.put(t, a)
	got, err := openArchive(t, a.dir).Forget(ctx, Selection{Session: "s"})
	if err != nil || got.Generations != 0 || len(got.InUse) != 1 || got.InUse[0] != p.ID {
		t.Errorf("%+v, %v", got, err)
	}
	s.restores(t, a, p.ID)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Forget(ctx, Selection{Session: "s"}); err != nil || got.Generations != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if n := rowCounts(t, a); len(n) != 0 {
		t.Errorf("rows %v", n)
	}
}

// What another connection still reads cannot be cut off the database's log, and
// then forget must not claim success.
func TestForgetSaysWhenAReaderIsInTheWay(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := newArchive(t)
	planted("s").apply(t, a)
	other, err := openArchive(t, a.dir).db(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := other.Query("SELECT id FROM entries")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	db, err := a.db(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA busy_timeout=1"); err != nil {
		t.Fatal(err)
	}
	old := checkpointWait
	checkpointWait = 1
	defer func() { checkpointWait = old }()
	if _, err := a.Forget(ctx, Selection{Session: "s"}); err == nil || !strings.Contains(err.Error(), "run forget again") {
		t.Fatalf("error %v", err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Forget(ctx, Selection{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if n := found(t, a.dir, planted("s").secrets("s", 0, 1)); n != 0 {
		t.Errorf("%d words are still there", n)
	}
}
