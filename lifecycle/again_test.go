package lifecycle_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/scripts/gen/genlog"
	"sessc/session"
	"sessc/session/openclaw"
)

// extra are the delegation tools of extensions that the generator uses.
var extra = session.Settings{SpawnTools: []string{"delegate_task", "subagent"}}

// rewritten applies a selection with short texts as masks and reads the log
// that comes out.
func rewritten(t testing.TB, s *session.Session, found []lifecycle.Lifecycle, sel lifecycle.Selection) *session.Session {
	t.Helper()
	var pieces []session.Piece
	for _, w := range sel.Waves {
		for _, p := range w.Pieces {
			pieces = append(pieces, session.Piece{Members: p.Members, Put: puts(s, found, &w, &p)})
		}
	}
	same := func(n int) int { return n }
	plan, err := s.Format.Plan(s, pieces, session.PlanTerms{Low: same, High: same, Generation: s.Generation() + 1})
	if err != nil {
		t.Fatal(err)
	}
	spliced, err := session.Splice(s, s.Size, plan.Edits)
	if err != nil {
		t.Fatal(err)
	}
	after, err := session.Index(spliced, spliced.Size(), s.Path, s.Format, extra)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// puts gives a piece one mask for each lifecycle that begins or ends in it, at
// its call where the piece holds one, else at any call.
func puts(s *session.Session, found []lifecycle.Lifecycle, w *lifecycle.Wave, p *lifecycle.Piece) []session.Put {
	of := slices.Concat(p.Spawned, p.Finished)
	if len(of) == 0 {
		of = w.Lifecycles[:1]
	}
	slices.Sort(of)
	var calls []int32
	for n, c := range s.Calls {
		if c.Result >= 0 && slices.Contains(p.Members, c.Entry) {
			calls = append(calls, int32(n))
		}
	}
	var puts []session.Put
	for _, n := range slices.Compact(of) {
		put := session.Put{Key: found[n].Key, Call: -1, Headline: "task", Text: "mask", Ref: fmt.Sprintf("ref%d", n)}
		for _, c := range calls {
			if slices.Contains(found[n].Entries(), s.Calls[c].Result) {
				put.Call = c
			}
		}
		puts = append(puts, put)
	}
	if len(calls) > 0 && !slices.ContainsFunc(puts, func(p session.Put) bool { return p.Call >= 0 }) {
		puts[0].Call = calls[0]
	}
	return puts
}

// id names a lifecycle across rewrites.
func id(s *session.Session, l *lifecycle.Lifecycle) string { return l.Key + " at " + s.IDOf(l.Spawn) }

// TestAgain runs Select on its own output: what was left alone is left alone
// again, and nothing else is found that could be chosen.
func TestAgain(t *testing.T) {
	logs := map[string][]byte{}
	var names []string
	for _, pattern := range []string{"../fixtures/openclaw/*.jsonl", "../fixtures/openclaw/*/*.jsonl", "../fixtures/trouble/*.jsonl"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			logs[path] = b
			names = append(names, path)
		}
	}
	if len(names) < 50 {
		t.Fatalf("%d fixtures, want at least 50", len(names))
	}
	for seed := range int64(100) {
		out, err := genlog.Play(genlog.Random(seed, false), "openclaw", seed)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("seed %d", seed)
		logs[name] = out.Log
		names = append(names, name)
	}
	chosen, left := 0, 0
	for _, name := range names {
		for _, keep := range []int{0, 4} {
			t.Run(fmt.Sprintf("%s, keep %d", filepath.Base(name), keep), func(t *testing.T) {
				s, err := session.Index(bytes.NewReader(logs[name]), int64(len(logs[name])), name, openclaw.Format{}, extra)
				if err != nil {
					t.Fatal(err)
				}
				c, l := again(t, s, lifecycle.Options{KeepLast: keep})
				chosen, left = chosen+c, left+l
			})
		}
	}
	t.Logf("%d logs: %d lifecycles chosen, %d left alone", len(names), chosen, left)
	if chosen == 0 || left == 0 {
		t.Error("the logs show nothing")
	}
}

// again checks one log and returns how many lifecycles were chosen and left
// alone.
func again(t *testing.T, s *session.Session, o lifecycle.Options) (chosen, left int) {
	t.Helper()
	found := scan.Find(s)
	sel := lifecycle.Select(s, found, o)
	checkSelection(t, s, found, sel)
	after := rewritten(t, s, found, sel)
	refound := scan.Find(after)
	reselected := lifecycle.Select(after, refound, o)

	was := map[string]lifecycle.Left{}
	for _, l := range sel.Left {
		was[id(s, &found[l.Lifecycle])] = l
	}
	for _, w := range reselected.Waves {
		for _, n := range w.Lifecycles {
			t.Errorf("%s is chosen in the second run; before: %s", id(after, &refound[n]), was[id(after, &refound[n])])
		}
	}
	for _, l := range reselected.Left {
		name := id(after, &refound[l.Lifecycle])
		if _, ok := was[name]; !ok {
			t.Errorf("%s is new in the second run: %s", name, l)
		}
		delete(was, name)
	}
	for name, l := range was {
		t.Errorf("%s is gone in the second run; before: %s", name, l)
	}
	return len(found) - len(sel.Left), len(sel.Left)
}

// checkSelection checks what holds for every selection.
func checkSelection(t *testing.T, s *session.Session, found []lifecycle.Lifecycle, sel lifecycle.Selection) {
	t.Helper()
	chosen := map[int]bool{}
	member := map[int32]bool{}
	for _, w := range sel.Waves {
		spawned, finished := map[int]int{}, map[int]int{}
		for _, n := range w.Lifecycles {
			chosen[n] = true
		}
		for _, p := range w.Pieces {
			for k, i := range p.Members {
				if member[i] {
					t.Errorf("entry %d is a member twice", i)
				}
				member[i] = true
				if k > 0 && s.Position(i) != s.Position(p.Members[k-1])+1 {
					t.Errorf("a piece has a gap before entry %d", i)
				}
				if e := s.Entries[i]; e.Kind == session.Human || e.Is(session.ByUs) {
					t.Errorf("entry %d is a member, a %s", i, e.Kind)
				}
			}
			for _, n := range p.Spawned {
				spawned[n]++
			}
			for _, n := range p.Finished {
				finished[n]++
			}
		}
		for _, n := range w.Lifecycles {
			if spawned[n] != 1 || finished[n] != 1 {
				t.Errorf("%s begins in %d pieces and ends in %d", found[n].Key, spawned[n], finished[n])
			}
			for _, i := range found[n].Entries() {
				if s.Position(i) >= 0 && !member[i] {
					t.Errorf("entry %d of %s is no member", i, found[n].Key)
				}
			}
		}
	}
	for _, l := range sel.Left {
		if chosen[l.Lifecycle] {
			t.Errorf("%s is chosen and left alone", found[l.Lifecycle].Key)
		}
		chosen[l.Lifecycle] = true
		for _, i := range found[l.Lifecycle].Entries() {
			if member[i] {
				t.Errorf("entry %d is a member, but %s is left alone: %s", i, found[l.Lifecycle].Key, l)
			}
		}
	}
	if len(chosen) != len(found) {
		t.Errorf("%d of %d lifecycles are decided", len(chosen), len(found))
	}
	for _, c := range s.Calls {
		if c.Result >= 0 && member[c.Entry] != member[c.Result] {
			t.Errorf("call at entry %d and result at entry %d are apart", c.Entry, c.Result)
		}
	}
}

// TestAgainOnRandomScripts does the same on short logs in which everything
// that can stand side by side does.
func TestAgainOnRandomScripts(t *testing.T) {
	chosen, left := 0, 0
	for seed := range uint64(600) {
		script := randomScript(seed)
		p := play(t, script)
		c, l := again(t, p.Session, lifecycle.Options{KeepLast: int(seed % 4)})
		chosen, left = chosen+c, left+l
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, script)
		}
	}
	t.Logf("%d lifecycles chosen, %d left alone", chosen, left)
	if chosen < 200 || left < 200 {
		t.Error("the logs show little")
	}
}

// randomScript is a script of some forty words. Results stand behind their
// calls, most of them; all else is in any order.
func randomScript(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0))
	const children = "abcdef"
	child := func() string { return children[r.IntN(len(children)):][:1] }
	words := []string{"human"}
	spawned := ""
	add := func(w string) {
		if r.IntN(60) == 0 {
			w = "~" + w
		}
		if r.IntN(60) == 0 {
			w = "!" + w
		}
		words = append(words, w)
	}
	for len(words) < 40 {
		switch r.IntN(10) {
		case 0, 1:
			add([]string{"human", "event", "note", "meta", "damaged", "mirror", "error", "progress:" + child(), "summary", "mask"}[r.IntN(10)])
		case 2:
			add("text")
		case 3, 4, 5, 6:
			var calls, results []string
			for range 1 + r.IntN(3) {
				c := child()
				switch r.IntN(5) {
				case 0, 1:
					if strings.Contains(spawned, c) {
						continue
					}
					spawned += c
					calls = append(calls, "spawn:"+c)
					results = append(results, []string{"ok:", "ok:", "ok:", "refused:", "unclear:"}[r.IntN(5)]+c)
				case 2:
					calls, results = append(calls, "kill:"+c), append(results, "killed:"+c)
				case 3:
					calls, results = append(calls, "list:"+c), append(results, "out")
				default:
					calls, results = append(calls, "read"), append(results, "out")
				}
			}
			if len(calls) == 0 {
				continue
			}
			words = append(words, strings.Join(calls, "+"))
			if r.IntN(40) == 0 {
				add("text")
			}
			words = append(words, results...)
		default:
			of := child()
			if r.IntN(3) == 0 {
				of += "&" + child()
			}
			add([]string{"done:", "done:", "done:", "failed:", "timeout:", "suspect:"}[r.IntN(6)] + of)
		}
	}
	return strings.Join(append(words, "text", "human", "text"), " ")
}
