package main

import (
	"fmt"
	"sort"
	"strings"

	"sessc/compress"
	"sessc/tokens"
)

// set is all that was measured, samples first.
type set struct{ rows []row }

func (s *set) add(r row) { s.rows = append(s.rows, r) }

// group is a part of the set that gets a sum of its own.
type group struct {
	name string
	has  func(r *row) bool
}

var groups = []group{
	{"all OpenClaw and pi samples", func(r *row) bool { return r.sample && !r.claude }},
	{"all Claude Code samples", func(r *row) bool { return r.sample && r.claude }},
	{"all OpenClaw and pi fixtures", func(r *row) bool { return !r.sample && !r.claude }},
	{"all Claude Code fixtures", func(r *row) bool { return !r.sample && r.claude }},
}

// changed lists the rows of a group in which something was compacted.
func (s *set) changed(has func(r *row) bool) []*row {
	var found []*row
	for i := range s.rows {
		if r := &s.rows[i]; r.report != nil && r.report.Changed && has(r) {
			found = append(found, r)
		}
	}
	return found
}

// sum adds up rows.
type sum struct {
	states               compress.States
	before, after        int64
	own, replaced, masks int
	total                tally
	kinds, sources       map[string]tally
	files                trail
}

func sumOf(rows []*row) sum {
	t := sum{kinds: map[string]tally{}, sources: map[string]tally{}}
	for _, r := range rows {
		t.before += r.report.Context.Before
		t.after += r.report.Context.After
		t.own += r.report.Finished.Own
		t.replaced += r.report.Finished.Members
		t.masks += r.report.Finished.Masks
		a, b := &t.states, r.report.States
		a.Found += b.Found
		a.Done += b.Done
		a.Failed += b.Failed
		a.TimedOut += b.TimedOut
		a.Killed += b.Killed
		a.SpawnFailed += b.SpawnFailed
		a.Open += b.Open
		a.Compacted += b.Compacted
		t.total = t.total.plus(r.kept.Total)
		for k, v := range r.kept.Kinds {
			t.kinds[k] = t.kinds[k].plus(v)
		}
		for k, v := range r.kept.Sources {
			t.sources[k] = t.sources[k].plus(v)
		}
		t.files = t.files.plus(r.kept.Files)
	}
	return t
}

// table writes a Markdown table; every column but the first is a number unless its head ends in a space.
func table(heads []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	rules, shown := make([]string, len(heads)), make([]string, len(heads))
	for i, h := range heads {
		shown[i] = strings.TrimSpace(h)
		rules[i] = "--:"
		if i == 0 || strings.HasSuffix(h, " ") {
			rules[i] = "---"
		}
	}
	line(shown)
	line(rules)
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// percent is n of the whole, with one decimal.
func percent[N int | int64](n, of N) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
}

func number[N int | int64](n N) string {
	d := fmt.Sprint(n)
	for i := len(d) - 3; i > 0 && d[i-1] != '-'; i -= 3 {
		d = d[:i] + "," + d[i:]
	}
	return d
}

// goal compares the sums with what sessc is meant to reach inside finished lifecycles.
func (s *set) goal() string {
	rows := [][]string{{"goal", "", "", "", "90.0 or more", "", "90.0 or more", "", "0", "100.0"}}
	for _, g := range groups {
		t := sumOf(s.changed(g.has))
		rows = append(rows, []string{
			g.name, number(t.states.Compacted), number(t.replaced), number(t.masks), percent(t.replaced-t.masks, t.replaced),
			number(t.total.Facts), percent(t.total.Visible, t.total.Facts), percent(t.total.Visible+t.total.Kept, t.total.Facts),
			number(t.total.Lost), percent(t.files.Both, t.files.Touched),
		})
	}
	return table([]string{"", "lifecycles compacted", "tokens replaced", "tokens put", "fewer tokens %", "exact facts", "visible in masks %",
		"with those in kept lines %", "lost", "files listed %"}, rows)
}

func (s *set) lifecycles() string {
	var rows [][]string
	cells := func(name string, st compress.States, small, why string) []string {
		return []string{name, number(st.Found), number(st.Done), number(st.Failed), number(st.TimedOut), number(st.Killed),
			number(st.SpawnFailed), number(st.Open), number(st.Compacted), small, why}
	}
	var refused []string
	for _, g := range groups {
		var read []*row
		small := 0
		for i := range s.rows {
			r := &s.rows[i]
			switch {
			case !g.has(r):
				continue
			case r.report == nil:
				refused = append(refused, "`"+r.name+"`")
				continue
			}
			read = append(read, r)
			small += r.small
			rows = append(rows, cells(r.name, r.report.States, number(r.small), reasons(r.report.Left)))
		}
		rows = append(rows, cells("**"+g.name+"**", sumOf(read).states, number(small), ""))
	}
	text := table([]string{"log", "found", "done", "failed", "timed out", "killed", "spawn failed", "open", "compacted",
		"left by the default --min-saving", "left alone otherwise "}, rows)
	if len(refused) > 0 {
		text += "\nNo session logs that sessc reads, left alone: " + strings.Join(refused, ", ") + ".\n"
	}
	return text
}

// reasons counts why lifecycles were left alone, most frequent first. What is the case for one of them in
// particular (after the colon) is left out.
func reasons(left []compress.LeftOut) string {
	count := map[string]int{}
	for _, l := range left {
		reason, _, _ := strings.Cut(l.Reason, ":")
		count[reason]++
	}
	var names []string
	for r := range count {
		names = append(names, r)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := names[i], names[j]
		return count[a] > count[b] || count[a] == count[b] && a < b
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("%d %s", count[n], n)
	}
	return strings.Join(names, "; ")
}

func (s *set) tokens() string {
	return s.perLog([]string{"log", "context before", "after", "saved %", "own entries of finished lifecycles %",
		"with the work in between %", "replaced", "put", "fewer %"}, func(name string, t *sum) []string {
		return []string{name, number(t.before), number(t.after), percent(t.before-t.after, t.before),
			percent(int64(t.own), t.before), percent(int64(t.replaced), t.before), number(t.replaced), number(t.masks),
			percent(t.replaced-t.masks, t.replaced)}
	})
}

// sizes are the bounds of the size classes, in context tokens that a lifecycle replaces.
var sizes = []int{500, 1000, 2000, 4000}

// bySize shows how much a mask saves by how much its lifecycle held. Masks are counted here without the shortened
// call that stands above each.
func (s *set) bySize() string {
	type class struct{ count, replaced, mask int }
	classes := make([]class, len(sizes)+1)
	for _, r := range s.changed(func(*row) bool { return true }) {
		for _, t := range r.report.Tasks {
			at := 0
			for at < len(sizes) && t.Replaced >= sizes[at] {
				at++
			}
			c := &classes[at]
			c.count++
			c.replaced += t.Replaced
			c.mask += int(r.report.Counting.Factor * float64(tokens.EstimateString(t.Mask)))
		}
	}
	var rows [][]string
	for i, c := range classes {
		name := "below " + number(sizes[0])
		if i == len(sizes) {
			name = number(sizes[i-1]) + " and more"
		} else if i > 0 {
			name = number(sizes[i-1]) + " to " + number(sizes[i]-1)
		}
		mean := 0
		if c.count > 0 {
			mean = c.mask / c.count
		}
		rows = append(rows, []string{name, number(c.count), number(c.replaced), number(c.mask), number(mean), percent(c.replaced-c.mask, c.replaced)})
	}
	return table([]string{"tokens that a lifecycle holds", "lifecycles", "replaced", "masks", "mean mask", "fewer %"}, rows)
}

func (s *set) retention() string {
	return s.perLog([]string{"log", "exact facts", "visible", "kept only", "recoverable", "lost", "visible %", "visible or kept %"},
		func(name string, t *sum) []string { return t.total.cells(name) })
}

// perLog writes a row for each log in which something was compacted, and the sums.
func (s *set) perLog(heads []string, cells func(name string, t *sum) []string) string {
	var rows [][]string
	for _, g := range groups {
		changed := s.changed(g.has)
		for _, r := range changed {
			t := sumOf([]*row{r})
			rows = append(rows, cells(r.name, &t))
		}
		t := sumOf(changed)
		rows = append(rows, cells("**"+g.name+"**", &t))
	}
	return table(heads, rows)
}

func (t tally) cells(name string) []string {
	return []string{name, number(t.Facts), number(t.Visible), number(t.Kept), number(t.Recoverable), number(t.Lost),
		percent(t.Visible, t.Facts), percent(t.Visible+t.Kept, t.Facts)}
}

// The names that scripts/retention gives to kinds and sources of facts, in the order in which they are shown.
var (
	kinds   = []string{"file", "command", "error", "id", "url", "keyvalue", "host-id"}
	sources = []string{"report", "text", "arguments", "output", "file content"}
)

// facts breaks the facts of the samples and of the fixtures up by kind and by where they stood.
func (s *set) facts() string {
	var rows [][]string
	for _, g := range groups {
		t := sumOf(s.changed(g.has))
		for _, k := range kinds {
			name := k
			if k == "host-id" {
				name = "(host-id)"
			}
			rows = append(rows, append([]string{g.name}, t.kinds[k].cells(name)...))
		}
		for _, k := range sources {
			rows = append(rows, append([]string{g.name}, t.sources[k].cells("from "+k)...))
		}
	}
	return table([]string{"logs", "kind or source ", "exact facts", "visible", "kept only", "recoverable", "lost", "visible %", "visible or kept %"}, rows)
}

func (s *set) files() string {
	var rows [][]string
	for _, g := range []group{
		{"samples without child transcripts", func(r *row) bool { return r.sample && !r.children }},
		{"samples with child transcripts", func(r *row) bool { return r.sample && r.children }},
		{"fixtures without child transcripts", func(r *row) bool { return !r.sample && !r.children }},
		{"fixtures with child transcripts", func(r *row) bool { return !r.sample && r.children }},
	} {
		changed := s.changed(g.has)
		t := sumOf(changed)
		rows = append(rows, []string{g.name, number(len(changed)), number(t.files.Touched), number(t.files.Listed), number(t.files.Both),
			percent(t.files.Both, t.files.Touched), percent(t.files.Both, t.files.Listed), percent(t.files.SameSign, t.files.Both)})
	}
	return table([]string{"", "logs", "files touched", "listed in masks", "both", "recall %", "precision %", "same sign %"}, rows)
}
