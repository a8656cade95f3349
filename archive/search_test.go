package archive

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sessc/session"
)

// texts makes a rewrite that removes one entry for each text, all for one mask.
func texts(name string, all ...string) *sample {
	s := &sample{old: make([][]byte, 1), new: make([][]byte, 1), text: map[int]string{}}
	s.g = Generation{Session: name, Format: "pi", Path: name + ".jsonl", Time: 1000,
		Masks:   []Mask{{Ref: name + "-ref", Headline: "headline of " + name, Record: "conclusion: idle timer added"}},
		Markers: []string{name + "-ref"}}
	var f File
	for i, t := range all {
		at := session.Range{Off: int64(len(s.old[0])), Len: int64(len(t) + 1)}
		s.old[0] = append(append(s.old[0], t...), '\n')
		s.text[i] = t
		s.g.Entries = append(s.g.Entries, Entry{Old: at, Ref: name + "-ref", ID: fmt.Sprint("e", i), Role: "tool"})
		f.Edits = append(f.Edits, Edit{Old: at, New: session.Range{}, Ref: name + "-ref"})
	}
	s.old[0], s.new[0] = append(s.old[0], "kept\n"...), []byte("kept\n")
	f.Path, f.Old, f.New = name+".jsonl", contentOf(s.old[0]), contentOf(s.new[0])
	s.g.Files = []File{f}
	return s
}

func TestSearch(t *testing.T) {
	a := newArchive(t)
	texts("s",
		"open src/services/mlx_idle_monitor.py failed",        // e0
		"sessão concluída, não há pendências",                 // e1
		"归档保存每一个字节",                                           // e2
		"セッションを圧縮する",                                          // e3
		"error: connection refused (os error 111)",            // e4
		strings.Repeat("QUJD", 5000)+" after the picture",     // e5
		`say "hello" AND NOT NEAR(x, 2) text:*`,               // e6
		"the idle worker; later it failed to open the socket", // e7
	).apply(t, a)
	tests := map[string]struct{ query, want string }{
		"word":                      {"refused", "e4"},
		"case":                      {"REFUSED", "e4"},
		"two words, any order":      {"failed idle", "e0 e7"},
		"path":                      {"services/mlx_idle_monitor.py", "e0"},
		"part of an identifier":     {"idle_monitor", "e0"},
		"words apart are no path":   {"open/socket", ""},
		"quoted part":               {`"connection refused"`, "e4"},
		"quoted, wrong order":       {`"refused connection"`, ""},
		"accents do not count":      {"nao sessao", "e1"},
		"accents in the query":      {"não", "e1"},
		"Chinese, two characters":   {"字节", "e2"},
		"Chinese, not adjacent":     {"归字", ""},
		"Japanese":                  {"圧縮", "e3"},
		"beside data":               {"picture", "e5"},
		"data itself":               {"QUJDQUJDQUJDQUJD", ""},
		"operators are words":       {"NOT NEAR", "e6"},
		"quote left open":           {`"hello`, "e6"},
		"column filter is a word":   {"text:*", "e6"},
		"record":                    {"conclusion timer", "record"},
		"headline":                  {"headline", "record"},
		"words of different places": {"refused picture", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			hits, err := a.Search(context.Background(), tt.query, 10)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range hits {
				if h.Session != "s" || h.Ref != "s-ref" || h.Headline != "headline of s" || h.Generation != 1 {
					t.Errorf("hit %+v", h)
				}
				if h.Entry == nil {
					got = append(got, "record")
					continue
				}
				got = append(got, h.Entry.ID)
				if !strings.HasSuffix(string(h.Entry.Raw), "\n") {
					t.Errorf("entry %s has the bytes %q", h.Entry.ID, h.Entry.Raw)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("found %v, want %q", got, tt.want)
			}
		})
	}
	for _, q := range []string{"", "  ", `"" - *`} {
		if _, err := a.Search(context.Background(), q, 10); err == nil {
			t.Errorf("query %q: no error", q)
		}
	}
	if hits, err := a.Search(context.Background(), "the", 1); err != nil || len(hits) != 1 {
		t.Errorf("limit: %v, %v", hits, err)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add(`a "b c`)
	f.Add("归档\x00*^{}():-+")
	a := newArchive(f)
	texts("s", "some text").apply(f, a)
	f.Fuzz(func(t *testing.T, query string) {
		// Whatever is typed is words, never an expression that can be wrong.
		if _, err := a.Search(context.Background(), query, 5); err != nil && matchOf(query) != "" {
			t.Fatal(err)
		}
	})
}

// BenchmarkPutText is the share of the search index in a Put: 10 MB of text in
// entries of 1.5 KB.
func BenchmarkPutText(b *testing.B) {
	r := seeded(80)
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("%c%s", 'a'+r.IntN(26), strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(3))+fmt.Sprint(r.IntN(999)))
	}
	var all []string
	for range 10 << 20 / 1500 {
		var t strings.Builder
		for t.Len() < 1500 {
			t.WriteString(vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64())] + " ")
		}
		all = append(all, t.String())
	}
	for _, index := range []bool{false, true} {
		b.Run(fmt.Sprintf("index=%v", index), func(b *testing.B) {
			a := newArchive(b)
			b.SetBytes(10 << 20)
			for b.Loop() {
				s := texts("s", all...)
				src := s.source()
				if !index {
					src.Text = nil
				}
				if _, err := a.Put(context.Background(), &s.g, src); err != nil {
					b.Fatal(err)
				}
			}
			// Closing merges the database's log into it.
			if err := a.Close(); err != nil {
				b.Fatal(err)
			}
			st, err := a.Status(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(st.Index)/float64(st.Sessions[0].Removed), "index/text")
			b.ReportMetric(float64(st.Packs)/float64(st.Sessions[0].Removed), "packs/text")
		})
	}
}
