package summarize

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/scan"
	"sessc/session"
	"sessc/session/openclaw"
	"sessc/tokens"
)

// layer opens a fixture and makes the records of one layer, beside its tasks.
func layer(t *testing.T, name string, k lifecycle.Kind, o lifecycle.Options) (*session.Session, []lifecycle.Lifecycle, lifecycle.Selection, map[int]mask.Record) {
	t.Helper()
	s, err := session.Open(filepath.Join("..", "fixtures", "openclaw", name+".jsonl"), []session.Format{openclaw.Format{}}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	tasks := scan.Find(s)
	sel := lifecycle.Select(s, tasks, o)
	work := scan.ReadWork(s)
	free := lifecycle.NewFree(s, tasks, &sel, work.Cleared(), o)
	all := work.Find(k, free, o)
	sel = free.Select(all)
	records, err := Records(context.Background(), s, all, &sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, all, sel, records
}

// TestLayerRecords shows the masks of turns and of results as they are.
func TestLayerRecords(t *testing.T) {
	for _, c := range []struct {
		fixture string
		kind    lifecycle.Kind
	}{{"turns", lifecycle.Turn}, {"one-prompt", lifecycle.Turn}, {"old-results", lifecycle.Result}} {
		t.Run(c.fixture, func(t *testing.T) {
			s, all, sel, records := layer(t, c.fixture, c.kind, lifecycle.Options{KeepLast: 4, KeepTurns: 2, KeepCalls: 20, KeepResults: 1})
			var b strings.Builder
			for n := range sel.Waves {
				w := &sel.Waves[n]
				l := &all[w.Lifecycles[0]]
				r := records[w.Lifecycles[0]]
				whole := w.Tokens(s)
				if cost := Cost(w, s, all, records); cost > max(whole/2, Floor(w, s, all, records)) {
					t.Errorf("%s: a mask of %d tokens for %d", l.Key, cost, whole)
				}
				if n := tokens.EstimateString(mask.Render(r)); c.kind == lifecycle.Result && n > resultMaxCap {
					t.Errorf("%s: a line of %d tokens", l.Key, n)
				}
				for _, p := range Pieces(s, all, &lifecycle.Selection{Waves: sel.Waves[n : n+1]}, records) {
					for _, put := range p.Put {
						b.WriteString(strings.Join(slices.Concat([]string{put.Text}, texts(put.Args)), "\n") + "\n\n")
					}
				}
			}
			path := filepath.Join("testdata", "layer_"+c.fixture+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, []byte(b.String())) {
				t.Errorf("got\n%s", b.String())
			}
		})
	}
}

func texts(args []session.Arg) (all []string) {
	for _, a := range args {
		all = append(all, a.Text)
	}
	return all
}

// The call under whose name a turn's record stands reads and writes no file
// where there is another.
func TestCarrier(t *testing.T) {
	s, all, sel, _ := layer(t, "turns", lifecycle.Turn, lifecycle.Options{})
	if len(sel.Waves) == 0 {
		t.Fatal("no turn")
	}
	for _, w := range sel.Waves {
		l := &all[w.Lifecycles[0]]
		n := carrier(s, l.Members)
		if n < 0 || s.Calls[n].Op != session.OpExec || s.Entries[s.Calls[n].Result].Is(session.Failed) {
			t.Errorf("%s: call %d carries the record", l.Key, n)
		}
	}
}
