package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
)

// layerSet is a choice of layers that is measured.
type layerSet struct {
	name   string
	layers []lifecycle.Kind
}

var layerSets = []layerSet{
	{"tasks", []lifecycle.Kind{lifecycle.Task}},
	{"turns", []lifecycle.Kind{lifecycle.Turn}},
	{"results", []lifecycle.Kind{lifecycle.Result}},
	{"tasks,turns", []lifecycle.Kind{lifecycle.Task, lifecycle.Turn}},
	{"all", lifecycle.Kinds},
}

// layered is what one set of layers does to one log.
type layered struct {
	report *compress.Report // of the real run
	left   compress.Where   // what the context consists of afterwards
	kept   retention
}

// measureSets runs every set of layers on a log.
func (b *bench) measureSets(ctx context.Context, l logFile) (map[string]layered, error) {
	all := map[string]layered{}
	for _, set := range layerSets {
		m, err := b.measureSet(ctx, l, set.layers)
		if err != nil {
			return nil, fmt.Errorf("layers %s: %w", set.name, err)
		}
		all[set.name] = m
	}
	return all, nil
}

func (b *bench) measureSet(ctx context.Context, l logFile, layers []lifecycle.Kind) (layered, error) {
	var m layered
	b.runs++
	dir := filepath.Join(b.dir, fmt.Sprintf("log%d", b.runs))
	path, err := l.copyTo(dir)
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(dir)
	arch, err := archive.Open(dir+".archive", true)
	if err != nil {
		return m, err
	}
	defer arch.Close()
	o := b.options(arch)
	o.Layers = layers
	if m.report, m.kept, err = b.compressed(ctx, l, path, o, arch); err != nil {
		return m, err
	}
	o.DryRun = true
	again, err := compress.Run(ctx, path, o)
	if err != nil {
		return m, err
	}
	if again.Changed {
		return m, fmt.Errorf("a second run would change the log again")
	}
	m.left = again.Where
	return m, nil
}

// big is the size of a context, in tokens, from which on a log counts for the goals of the layers.
const big = 20_000

// sampled are the rows of the samples that sets of layers were measured on.
func (s *set) sampled() []*row {
	var rows []*row
	for i := range s.rows {
		if s.rows[i].sets != nil {
			rows = append(rows, &s.rows[i])
		}
	}
	return rows
}

// layerTokens shows the context after each set of layers.
func (s *set) layerTokens() string {
	var rows [][]string
	shares := map[string][]float64{}
	for _, r := range s.sampled() {
		before := r.sets["all"].report.Context.Before
		cells := []string{r.name, number(before)}
		for _, set := range layerSets {
			after := r.sets[set.name].report.Context.After
			cells = append(cells, number(after), percent(before-after, before))
			if before >= big {
				shares[set.name] = append(shares[set.name], 100*float64(before-after)/float64(before))
			}
		}
		rows = append(rows, cells)
	}
	cells := []string{fmt.Sprintf("**median of %d logs of at least %s tokens**", len(shares["all"]), number(big)), ""}
	heads := []string{"log", "context before"}
	for _, set := range layerSets {
		cells = append(cells, "", median(shares[set.name]))
		heads = append(heads, set.name, "fewer %")
	}
	return table(heads, append(rows, cells))
}

// layerRest shows what is left after all layers, in parts of the context before.
func (s *set) layerRest() string {
	var rows [][]string
	for _, r := range s.sampled() {
		m := r.sets["all"]
		before := m.report.Context.Before
		part := func(n int) string { return percent(int64(n), before) }
		w := m.left
		rows = append(rows, []string{
			r.name, number(m.report.Context.After), part(m.report.Finished.Masks), part(w.Human), part(w.Assistant), part(w.Thinking),
			part(w.Arguments), part(w.Results), part(w.Events),
		})
	}
	return table([]string{"log", "tokens left", "masks %", "human %", "assistant text %", "reasoning %", "arguments %", "results, masks among them %", "events %"}, rows)
}

// layerFacts shows what each set of layers retains.
func (s *set) layerFacts() string {
	var rows [][]string
	visible, named := []float64{}, []float64{}
	for _, r := range s.sampled() {
		for _, set := range layerSets {
			t, files := r.sets[set.name].kept.Total, r.sets[set.name].kept.Files
			seen := t.Visible + t.Kept
			rows = append(rows, []string{
				r.name, set.name, number(t.Facts), number(t.Visible), number(t.Kept), number(t.Named), number(t.Recoverable - t.Named), number(t.Lost),
				percent(seen, t.Facts), percent(seen+t.Named, t.Facts), percent(files.Both, files.Touched), percent(files.Both, files.Listed),
			})
			if set.name == "all" && t.Facts > 0 && r.sets["all"].report.Context.Before >= big {
				visible = append(visible, 100*float64(seen)/float64(t.Facts))
				named = append(named, 100*float64(seen+t.Named)/float64(t.Facts))
			}
		}
	}
	rows = append(rows, []string{"**median, large logs**", "all", "", "", "", "", "", "", median(visible), median(named), "", ""})
	return table([]string{"log", "layers ", "exact facts", "visible", "kept only", "named", "recoverable", "lost", "visible or kept %", "or named %", "files recall %", "precision %"}, rows)
}

// layerKinds breaks the facts of all layers up by kind and by where they stood.
func (s *set) layerKinds() string {
	byKind, bySource := map[string]tally{}, map[string]tally{}
	for _, r := range s.sampled() {
		for k, t := range r.sets["all"].kept.Kinds {
			byKind[k] = byKind[k].plus(t)
		}
		for k, t := range r.sets["all"].kept.Sources {
			bySource[k] = bySource[k].plus(t)
		}
	}
	var rows [][]string
	add := func(name string, t tally) {
		seen := t.Visible + t.Kept
		rows = append(rows, []string{name, number(t.Facts), number(t.Visible), number(t.Kept), number(t.Named), number(t.Recoverable - t.Named), number(t.Lost),
			percent(seen, t.Facts), percent(seen+t.Named, t.Facts)})
	}
	for _, k := range kinds {
		if k != "host-id" {
			add(k, byKind[k])
		}
	}
	for _, k := range sources {
		add("from "+k, bySource[k])
	}
	return table([]string{"kind or source", "exact facts", "visible", "kept only", "named", "recoverable", "lost", "visible or kept %", "or named %"}, rows)
}

// replayed is a part of the output of scripts/replay.
type replayed struct {
	Log    string `json:"log"`
	Cut    int    `json:"cut"`
	Lines  int    `json:"lines"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
	Total  struct {
		Refs    int `json:"references"`
		Visible int `json:"visible"`
		Named   int `json:"named"`
	} `json:"total"`
}

// replay runs scripts/replay on the samples that sessc reads.
func (b *bench) replay(ctx context.Context, rows []*row) (string, error) {
	var text [][]string
	for _, set := range []string{"tasks", "tasks,turns", "all"} {
		args := []string{"-sessc", b.sessc, "-layers", set}
		for _, r := range rows {
			args = append(args, r.path)
		}
		out, err := output(ctx, b.replayer, args...)
		if err != nil {
			return "", err
		}
		var all []replayed
		if err := json.Unmarshal(out, &all); err != nil {
			return "", err
		}
		refs, visible, named := 0, 0, 0
		for _, r := range all {
			t := r.Total
			if set == "all" {
				text = append(text, []string{r.Log, set, strconv.Itoa(r.Cut), number(r.Lines), number(r.Before), number(r.After), percent(r.Before-r.After, r.Before),
					number(t.Refs), percent(t.Visible, t.Refs), percent(t.Visible+t.Named, t.Refs)})
			}
			refs, visible, named = refs+t.Refs, visible+t.Visible, named+t.Named
		}
		text = append(text, []string{"**all logs and cuts**", set, "", "", "", "", "", number(refs), percent(visible, refs), percent(visible+named, refs)})
	}
	return table([]string{"log", "layers ", "cut at line", "of", "context at the cut", "after", "fewer %", "references", "visible %", "or named %"}, text), nil
}

// median is the middle of some figures, with one decimal.
func median(of []float64) string {
	if len(of) == 0 {
		return "-"
	}
	sorted := slices.Sorted(slices.Values(of))
	n := len(sorted)
	return fmt.Sprintf("%.1f", (sorted[(n-1)/2]+sorted[n/2])/2)
}
