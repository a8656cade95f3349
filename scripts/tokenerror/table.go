package main

import (
	"fmt"
	"io"

	"sessc/tokens"
)

func printTexts(w io.Writer, logs []*log) {
	fmt.Fprint(w, "| log | kind | bytes | bytes per token | o200k | estimate | error |\n|---|---|--:|--:|--:|--:|--:|\n")
	row := func(name, kind string, c count) {
		if c.exact == 0 {
			return
		}
		fmt.Fprintf(w, "| %s | %s | %d | %.2f | %d | %d | %s |\n", name, kind,
			c.bytes, float64(c.bytes)/float64(c.exact), c.exact, c.estimate, off(c.estimate, c.exact))
	}
	var total [kinds]count
	for _, l := range logs {
		var sum count
		for k, c := range l.byKind {
			row(l.name, kindNames[k], c)
			sum.add(c)
			total[k].add(c)
		}
		row(l.name, "all", sum)
	}
	if len(logs) > 1 {
		var sum count
		for k, c := range total {
			row("all", kindNames[k], c)
			sum.add(c)
		}
		row("all", "all", sum)
	}
	for _, l := range logs {
		if l.images > 0 || l.bad > 0 {
			fmt.Fprintf(w, "\n%s: %d images not counted, %d lines not read.\n", l.name, l.images, l.bad)
		}
	}
}

// printPairs fits a factor on the first half of a log's usable pairs and measures it
// on the second half, which took no part in the fit.
func printPairs(w io.Writer, logs []*log) {
	fmt.Fprint(w, "\n| log | model (default factor) | count | pairs (usable) | dropped: usage / model / compaction / image | factor, all pairs | second half: provider tokens | error of the count | with the default | with the first half's factor |\n|---|---|---|--:|---|--:|--:|--:|--:|--:|\n")
	for _, l := range logs {
		obs, d := l.observations()
		if len(obs) == 0 {
			continue
		}
		model := obs[len(obs)-1].model
		family, def := tokens.Family(model)
		for _, c := range []struct {
			name string
			of   func(count) int
		}{
			{"class table", func(c count) int { return c.estimate }},
			{"o200k", func(c count) int { return c.exact }},
		} {
			var usable []tokens.Pair
			for _, o := range obs {
				if p := o.pair(c.of(o.text)); p.Usable() {
					usable = append(usable, p)
				}
			}
			all := tokens.Calibrate(usable, def)
			first, second := usable[:len(usable)/2], usable[len(usable)/2:]
			fitted := tokens.Calibrate(first, def)
			used, estimated := 0, 0
			for _, p := range second {
				used += p.Used
				estimated += p.Estimated
			}
			fmt.Fprintf(w, "| %s | %s: %s (%.2f) | %s | %d (%d) | %d / %d / %d / %d | %.3f %s | %d | %s | %s | %s (%.3f) |\n",
				l.name, family, model, def, c.name, len(obs), len(usable), d.usage, d.model, d.boundary, d.image,
				all.Value, all.Method, used,
				off(estimated, used), off(tokens.Factor{Value: def}.Apply(estimated), used), off(fitted.Apply(estimated), used), fitted.Value)
		}
	}
}

func off(got, want int) string {
	if want == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*float64(got-want)/float64(want))
}
