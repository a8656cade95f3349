package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sessc/compress"
)

var update = flag.Bool("update", false, "write the expected reports in testdata anew")

var made = time.Date(2026, 3, 20, 4, 30, 0, 0, time.UTC)

// sample is what compress reports of a session: the n-th of a made-up crowd.
func sample(n int, name string) *compress.Report {
	before, after := int64(20_000-1500*n), int64(9_000-300*n)
	start := made.Add(-48 * time.Hour).UnixMilli()
	return &compress.Report{
		Path: fmt.Sprintf("/home/dev/.openclaw/agents/main/sessions/%02d.jsonl", n), Agent: []string{"openclaw", "claude-code"}[n%2], Session: fmt.Sprintf("session-%d", n),
		Model: "openai/gpt-5.1-codex", Changed: true, Context: compress.NewChange(before, after), File: compress.NewChange(8*before, 8*after),
		Counting: compress.Counting{Method: "estimated, factor 1", Factor: 1},
		Where:    compress.Where{Human: 2000, Assistant: 1000, Thinking: 0, Arguments: 3000, Results: 8000, Events: int(before) - 14_000},
		States:   compress.States{Found: 4, Done: 2, Failed: 1, Open: 1, Compacted: 2},
		Layers:   []compress.Layer{{Name: "tasks", Asked: true, Compacted: 2, Saved: before - after, After: after}, {Name: "turns", Saved: 700, After: after - 700}},
		Tasks: []compress.Task{
			{Layer: "tasks", Name: name, State: "done", Ref: "0123456789ab", Line: 10, Started: start, TookMS: 600_000, Replaced: 5000 - n, Mask: "secret of the mask"},
			{Layer: "tasks", Name: "second", State: "failed", Line: 20, Started: start + 900_000, TookMS: 60_000, Replaced: 4000 - n},
		},
		Left: []compress.LeftOut{
			{Layer: "tasks", Name: "third", State: "done", Line: 30, Started: start + 1_800_000, TookMS: -1, Reason: "among the last entries, which stay"},
			{Layer: "tasks", Name: "fourth", State: "running", Line: 40, Reason: "not finished: it runs"},
		},
	}
}

func crowd(name string) *Report {
	r := New(Prices{Input: 3, Read: 0.1, Write: 1.25}, false, made)
	for n := range 5 {
		r.Add(sample(n, name), made.AddDate(0, 0, -n/2))
	}
	same := sample(5, name)
	same.Changed, same.Context, same.File = false, compress.NewChange(800, 800), compress.NewChange(9000, 9000)
	same.Where, same.States, same.Tasks, same.Left, same.Layers = compress.Where{Human: 300, Assistant: 500}, compress.States{}, nil, nil, nil
	same.Refusal = "it changed 3s ago, less than --min-age 10m0s; wait until the agent is done, or lower --min-age"
	r.Add(same, made)
	r.Fail("/home/dev/gone.jsonl", "/home/dev/gone.jsonl: read: input/output error")
	r.Finish()
	return r
}

// layered is a crowd of which all layers were asked for.
func layered() *Report {
	r := New(Prices{}, false, made)
	for n := range 2 {
		s := sample(n, "label printer umlauts")
		s.Layers = []compress.Layer{
			{Name: "tasks", Asked: true, Compacted: 1, Saved: 5000}, {Name: "turns", Asked: true, Compacted: 1, Saved: 4000}, {Name: "results", Asked: true, Compacted: 1, Saved: 700},
		}
		s.Tasks[1].Layer, s.Tasks[1].Name = "turns", "make the tests pass"
		s.Tasks = append(s.Tasks, compress.Task{Layer: "results", Name: "exec go test ./...", State: "failed", Line: 26, Started: s.Tasks[0].Started, Replaced: 900})
		s.Left[0].Layer, s.Left[0].Reason = "results", "a read that nothing after it makes needless"
		s.States.Compacted = 3
		r.Add(s, made)
	}
	r.Finish()
	return r
}

func history() *Report {
	r := New(Prices{}, true, made)
	r.AddRewrite(Session{
		Path: "/home/dev/a.jsonl", Agent: "openclaw", ID: "a", Log: 1, Time: made.AddDate(0, 0, -2).UnixMilli(), Undone: true, States: States{Found: 3, Done: 3, Compacted: 3},
		Tokens: compress.NewChange(9000, 4000), Bytes: compress.NewChange(80_000, 50_000), Counted: "noted by the rewrite",
	}, []string{"tasks"})
	r.AddRewrite(Session{
		Path: "/home/dev/a.jsonl", Agent: "openclaw", ID: "a", Log: 1, Time: made.UnixMilli(), States: States{Found: 3, Done: 2, Failed: 1, Compacted: 3},
		Tokens: compress.NewChange(9000, 4000), Bytes: compress.NewChange(80_000, 50_000), Counted: "noted by the rewrite",
	}, []string{"tasks"})
	r.AddRewrite(Session{Path: "/home/dev/b.jsonl", Agent: "openclaw", ID: "b", Log: 2, Time: made.AddDate(0, 0, -1).UnixMilli(), Bytes: compress.NewChange(70_000, 60_000)}, nil)
	// Rewritten again after it had grown.
	for n, tokens := range []Change{compress.NewChange(12_000, 8000), compress.NewChange(9000, 5000)} {
		r.AddRewrite(Session{
			Path: "/home/dev/c.jsonl", Agent: "claude-code", ID: "c", Log: 4, Time: made.AddDate(0, 0, n-1).UnixMilli(), States: States{Found: 1, Done: 1, Compacted: 1},
			Tokens: tokens, Bytes: compress.NewChange(8*tokens.Before, 8*tokens.After), Counted: "noted by the rewrite",
		}, []string{"tasks"})
	}
	r.Finish()
	return r
}

var forms = map[string]func(*Report, io.Writer) error{
	"json": (*Report).JSON, "csv": (*Report).CSV, "md": (*Report).Markdown, "html": (*Report).HTML,
}

func written(t *testing.T, r *Report, ending string) string {
	t.Helper()
	var b bytes.Buffer
	if err := forms[ending](r, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, r := range map[string]*Report{"ahead": crowd("label printer umlauts"), "layers": layered(), "history": history(), "empty": func() *Report { r := New(Prices{}, false, made); r.Finish(); return r }()} {
		for ending := range forms {
			path := filepath.Join("testdata", name+"."+ending)
			got := written(t, r, ending)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || got != string(want) {
				t.Errorf("%s differs (%v); run the test with -update and read the diff", path, err)
			}
		}
	}
}

// Text of a log is text in every form: no markup, no formula, no line of its own.
func TestHostileText(t *testing.T) {
	skeleton := ""
	for _, hostile := range []string{
		"harmless",
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></svg></style><script>`, "a\nb\r\nc", "\x1b[31mred\u202e", `=cmd|' /C calc'!A0`,
		"| [x](javascript:alert(1)) |", "`code` *b* _i_ # h", `{{.Title}}`, "a,b;\"c\"", "+1", "@SUM(A1)",
	} {
		r := New(Prices{Input: 1, Read: 0.1, Write: 1}, false, made)
		s := sample(0, hostile)
		s.Path, s.Session, s.Model, s.Agent, s.Refusal = hostile, hostile, hostile, hostile, hostile
		s.Left[0].Name = hostile
		r.Add(s, made)
		r.Fail(hostile, hostile)
		r.Finish()

		html := written(t, r, "html")
		if skeleton == "" {
			skeleton = tags(html)
		}
		if got := tags(html); got != skeleton || strings.ContainsAny(html, "\x1b\u202e\r") {
			t.Errorf("%q is more than text in the page", hostile)
		}
		rows, err := csv.NewReader(strings.NewReader(written(t, r, "csv"))).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%q: %d rows of CSV, %v", hostile, len(rows), err)
		}
		for _, cell := range rows[1] {
			if cell != "" && strings.ContainsAny(cell[:1], "=+@\t") || strings.ContainsAny(cell, "\n\r\x1b") {
				t.Errorf("%q is the cell %q", hostile, cell)
			}
		}
		md := written(t, r, "md")
		if strings.Contains(md, hostile) && strings.ContainsAny(hostile, "<|[`*\n") {
			t.Errorf("%q stands in Markdown as it is", hostile)
		}
		var back Report
		if err := json.Unmarshal([]byte(written(t, r, "json")), &back); err != nil || back.Sessions[0].ID != hostile {
			t.Errorf("%q does not come back from JSON: %v", hostile, err)
		}
	}
}

// tags are the tags of a page with all their attributes, without the text between.
func tags(page string) string {
	return strings.Join(regexp.MustCompile(`<[^>]*>?`).FindAllString(page, -1), "\n")
}

// A table that is wider than a telephone scrolls alone, and not the whole page.
func TestTablesScrollAlone(t *testing.T) {
	all := strings.Count(pageText, "<table")
	if alone := len(regexp.MustCompile(`<div class="scroll"><table[ >]`).FindAllString(pageText, -1)); alone != all || all == 0 {
		t.Errorf("%d of %d tables scroll alone", alone, all)
	}
}

// The page asks for nothing and runs nothing, and holds no mask.
func TestPageIsSelfContained(t *testing.T) {
	html := written(t, crowd("x"), "html")
	for _, no := range []string{"<script", "http:", "https:", "@import", "url(", "<link", "<iframe", "secret of the mask"} {
		if strings.Contains(html, no) {
			t.Errorf("the page holds %s", no)
		}
	}
	for _, yes := range []string{"prefers-color-scheme: dark", "@media print", "default-src 'none'", "<svg"} {
		if !strings.Contains(html, yes) {
			t.Errorf("the page lacks %s", yes)
		}
	}
}

func TestPayback(t *testing.T) {
	p := Prices{Input: 3, Read: 0.1, Write: 1.25}
	for _, tc := range []struct {
		p             Prices
		before, after int64
		want          int
	}{
		{p, 100, 100, -1},
		{p, 100, 120, -1},
		{p, 0, 0, -1},
		// The first turn costs 62.5 instead of 10, each later one 5 instead of 10.
		{p, 100, 50, 12},
		// 12.5 instead of 10; then 9 less.
		{p, 100, 10, 2},
		{p, 100, 8, 1},
		{Prices{Read: 1, Write: 1}, 100, 99, 1}, // no cache at all
		{Prices{Read: 0, Write: 1}, 100, 50, -1},
	} {
		if got := tc.p.payback(compress.NewChange(tc.before, tc.after)); got != tc.want {
			t.Errorf("%d -> %d at %+v: %d turns, want %d", tc.before, tc.after, tc.p, got, tc.want)
		}
		// By adding up turn after turn.
		old, new, n := tc.p.Read*float64(tc.before), tc.p.Write*float64(tc.after), 1
		for ; n < 1000 && new > old+1e-9; n++ {
			old += tc.p.Read * float64(tc.before)
			new += tc.p.Read * float64(tc.after)
		}
		if tc.want > 0 && n != tc.want {
			t.Errorf("%d -> %d: adding up gives %d turns", tc.before, tc.after, n)
		}
	}
}

// Sums are those of the sessions, and no group loses one.
func TestSums(t *testing.T) {
	r := crowd("x")
	if r.Total.Sessions != 6 || r.Total.Changed != 5 || r.Total.Compacted != 10 || r.States.Found != 20 || len(r.Biggest) != 10 || len(r.timelines) != mostTimelines {
		t.Errorf("%+v, %d biggest, %d time lines", r.Total, len(r.Biggest), len(r.timelines))
	}
	var tokens, saved int64
	for _, s := range r.Sessions {
		tokens, saved = tokens+s.Tokens.Before, saved+s.Tokens.Saved
	}
	for name, of := range map[string][]Group{"agents": r.Agents, "days": r.Days} {
		var sum Sum
		for _, g := range of {
			sum.Sessions += g.Sessions
			sum.Tokens.Before += g.Tokens.Before
			sum.Tokens.Saved += g.Tokens.Saved
		}
		if sum.Sessions != 6 || sum.Tokens.Before != tokens || sum.Tokens.Saved != saved || r.Total.Tokens.Saved != saved {
			t.Errorf("%s add up to %+v", name, sum)
		}
	}
	if l := r.Layers; len(l) != 2 || l[0] != (Layer{"tasks", true, 10, 43_000}) || l[1] != (Layer{"turns", false, 0, 3500}) {
		t.Errorf("layers add up to %+v", l)
	}
	if r.Reasons[0].Count != 5 || len(r.Reasons) != 2 {
		t.Errorf("reasons %+v", r.Reasons)
	}
}

// What a run now would not do is promised in no sum, and what was undone is in none.
func TestHeldAndUndone(t *testing.T) {
	r := New(Prices{}, false, made)
	r.Add(sample(0, "x"), made)
	held := sample(1, "x")
	held.Refusal = "restored by you on 2026-03-01; name it to compress it again"
	r.Add(held, made)
	r.Finish()
	if got := r.Total; got.Sessions != 2 || got.Changed != 1 || got.Refused != 1 || got.Compacted != 2 || got.Tokens.Saved != 11_000 || got.Tokens.Before != 38_500 {
		t.Errorf("total %+v", got)
	}
	if r.Layers[0].Saved != 11_000 || r.Layers[1].Saved != 700 || r.States.Compacted != 2 || r.States.Found != 8 || len(r.Biggest) != 2 {
		t.Errorf("layers %+v, lifecycles %+v, %d biggest", r.Layers, r.States, len(r.Biggest))
	}
	if s := r.Sessions[1]; s.Tokens.Saved != 9800 || s.Refusal == "" {
		t.Errorf("its own row: %+v", s)
	}
	h := history()
	if got := h.Total; got.Sessions != 4 || got.Undone != 1 || got.Tokens.Saved != 13_000 || got.Bytes.Saved != 104_000 || got.Compacted != 5 || h.States.Found != 5 {
		t.Errorf("history %+v, lifecycles %+v", got, h.States)
	}
}

// Rewrites of one log that follow one another are no sum of contexts: what they
// saved adds up, and before is what the last one would have found without them.
func TestRewritesFollow(t *testing.T) {
	c := compress.NewChange
	type rewrite struct {
		log           int64
		day           int
		undone        bool
		before, after int64 // 0 for one that did not note its tokens
	}
	for _, tc := range []struct {
		name     string
		rewrites []rewrite
		total    Change
		logs     int
		days     []Change // that have one, in their order
	}{
		{"one", []rewrite{{1, 0, false, 6711, 3835}}, c(6711, 3835), 1, []Change{c(6711, 3835)}},
		{"two logs", []rewrite{{1, 0, false, 1000, 600}, {2, 0, false, 2000, 1000}}, c(3000, 1600), 2, []Change{c(3000, 1600)}},
		{"again the same day", []rewrite{{1, 0, false, 6711, 3835}, {1, 0, false, 3835, 2388}}, c(6711, 2388), 1, []Change{c(6711, 2388)}},
		{"again the next day", []rewrite{{1, 0, false, 1000, 600}, {1, 1, false, 600, 300}}, c(1000, 300), 1, []Change{c(1000, 600), c(600, 300)}},
		{"grown between", []rewrite{{1, 0, false, 10_000, 6000}, {1, 1, false, 9000, 5000}}, c(13_000, 5000), 1, []Change{c(10_000, 6000), c(9000, 5000)}},
		{"shrunk between", []rewrite{{1, 0, false, 10_000, 6000}, {1, 0, false, 3000, 2000}}, c(7000, 2000), 1, nil},
		{"three, and another between", []rewrite{{1, 0, false, 1000, 800}, {2, 0, false, 500, 400}, {1, 0, false, 800, 500}, {1, 0, false, 500, 400}}, c(1500, 800), 2, nil},
		{"done again after an undo", []rewrite{{1, 0, true, 1000, 600}, {1, 1, false, 1000, 500}}, c(1000, 500), 1, []Change{{}, c(1000, 500)}},
		{"the last one undone", []rewrite{{1, 0, false, 1000, 600}, {1, 1, true, 600, 300}}, c(1000, 600), 1, []Change{c(1000, 600), {}}},
		{"the first not noted", []rewrite{{1, 0, false, 0, 0}, {1, 0, false, 600, 300}}, c(600, 300), 1, nil},
		{"the last not noted", []rewrite{{1, 0, false, 600, 300}, {1, 0, false, 0, 0}}, c(600, 300), 1, nil},
		{"all undone", []rewrite{{1, 0, true, 600, 300}}, Change{}, 0, []Change{{}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := New(Prices{}, true, made)
			for _, x := range tc.rewrites {
				s := Session{Agent: "pi", Log: x.log, Time: made.AddDate(0, 0, x.day).UnixMilli(), Undone: x.undone, Tokens: compress.NewChange(x.before, x.after)}
				if x.before > 0 {
					s.Counted = "noted by the rewrite"
				}
				s.Bytes = compress.NewChange(10*x.before, 10*x.after)
				r.AddRewrite(s, nil)
			}
			r.Finish()
			if r.Total.Tokens != tc.total || r.Agents[0].Tokens != tc.total || r.Total.Logs != tc.logs {
				t.Errorf("total %+v of %d logs, of the agent %+v; want %+v of %d", r.Total.Tokens, r.Total.Logs, r.Agents[0].Tokens, tc.total, tc.logs)
			}
			var saved int64
			for i, d := range r.Days {
				saved += d.Tokens.Saved
				if tc.days != nil && d.Tokens != tc.days[i] {
					t.Errorf("%s: %+v, want %+v", d.Name, d.Tokens, tc.days[i])
				}
			}
			if saved != tc.total.Saved {
				t.Errorf("the days saved %d, want %d", saved, tc.total.Saved)
			}
		})
	}
}
