//go:build unix

package main

import (
	"fmt"
	"runtime"
	"strings"
)

// goal is one line of the table: a figure, what it should be, and what it was made of.
type goal struct {
	what, log string
	made      string  // the measured values behind the figure
	value     float64 // the figure
	unit      string
	atMost    bool    // the figure should be small
	must      float64 // 0: no goal, the figure is shown for information
	good      float64 // 0: no better goal
}

func (g *goal) reaches(limit float64) bool {
	if g.atMost {
		return g.value <= limit
	}
	return g.value >= limit
}

// verdict says what is demanded and whether it is so.
func (g *goal) verdict(limit float64) string {
	if limit == 0 {
		return "-"
	}
	sign, answer := "at least", "no"
	if g.atMost {
		sign = "at most"
	}
	if g.reaches(limit) {
		answer = "yes"
	}
	return fmt.Sprintf("%s %s: %s", sign, figure(limit), answer)
}

// goals makes the lines of the table. Those of a log come for each log.
func (b *bench) goals() []goal {
	var all []goal
	for _, l := range b.logs {
		wc, scan, dry := key("wc", l), key("scan", l), key("dry run", l)
		all = append(all,
			goal{what: "scan, as a part of the speed of `wc -l`", log: name(l), made: b.speeds(l, "wc -l", wc, "scan", scan),
				value: b.got.ratio(wc, scan), must: 1.0 / 5, good: 1.0 / 3},
			goal{what: "whole dry run", log: name(l), made: fmt.Sprintf("%.2f s", b.got.seconds(dry)),
				value: l.mb / b.got.seconds(dry), unit: "MB per CPU s", must: 150, good: 400},
			goal{what: "peak memory of a dry run", log: name(l), made: fmt.Sprintf("%s lines", count(l.lines)),
				value: b.got.megabytes(dry), unit: "MB", atMost: true, must: 64 + 0.03*l.mb})
	}
	s := b.small()
	return append(all,
		goal{what: "scan, times the speed of jq at the same job", log: name(s), made: b.speeds(s, "jq", "jq", "scan", key("scan", s)),
			value: b.got.ratio("jq", key("scan", s)), unit: "x", must: 15},
		goal{what: "`sessc version`, times a hello-world in Go", made: b.times("version", "version", "hello-world", "hello"),
			value: b.got.ratio("version", "hello"), unit: "x", atMost: true, must: 5},
		goal{what: "`expand` of one mask, times `version`", log: name(s), made: b.times("expand", "expand", "version", "version"),
			value: b.got.ratio("expand", "version"), unit: "x", atMost: true, must: 10},
		goal{what: "`restore`, as a part of the speed of `cp` and `sha256sum`", log: name(s),
			made:  fmt.Sprintf("cp %.2f s, sha256sum %.2f s, restore %.2f s", b.got.seconds("cp"), b.got.seconds("sha256sum"), b.got.seconds("restore")),
			value: 1 / b.got.ratio("restore", "cp", "sha256sum"), must: 0.5},
		goal{what: "compress, archive and replace", log: name(s), made: fmt.Sprintf("%.2f s, peak %.0f MB", b.got.seconds("compress"), b.got.megabytes("compress")),
			value: s.mb / b.got.seconds("compress"), unit: "MB per CPU s"},
		goal{what: "archive every entry of the log, with the search index", log: name(s), made: fmt.Sprintf("%.2f s, peak %.0f MB", b.got.seconds("put"), b.got.megabytes("put")),
			value: s.mb / b.got.seconds("put"), unit: "MB per CPU s"},
	)
}

// speeds shows two programs that read the same log.
func (b *bench) speeds(l log, x, xKey, y, yKey string) string {
	return fmt.Sprintf("%s %s, %s %s MB per CPU s", x, figure(l.mb/b.got.seconds(xKey)), y, figure(l.mb/b.got.seconds(yKey)))
}

// times shows two programs that do little.
func (b *bench) times(x, xKey, y, yKey string) string {
	return fmt.Sprintf("%s %.1f ms, %s %.1f ms", x, 1000*b.got.seconds(xKey), y, 1000*b.got.seconds(yKey))
}

func name(l log) string {
	if l.agent != openClaw {
		return fmt.Sprintf("%.0f MB of %s", l.mb, l.agent)
	}
	return fmt.Sprintf("%.0f MB", l.mb)
}

// report is the text between the marks of the page.
func (b *bench) report() string {
	var t strings.Builder
	fmt.Fprintf(&t, "%d cores, %s/%s, %s, median of %d rounds. The logs are OpenClaw's where nothing else stands. One of 100 MB has about %s lines.\n\n",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), b.rounds, count(int(100*float64(b.small().lines)/b.small().mb)))
	t.WriteString("| what | log | measured | figure | goal | better goal |\n| --- | --- | --- | --: | --- | --- |\n")
	for _, g := range b.goals() {
		fmt.Fprintf(&t, "| %s | %s | %s | %s | %s | %s |\n", g.what, g.log, g.made, strings.TrimSpace(figure(g.value)+" "+g.unit), g.verdict(g.must), g.verdict(g.good))
	}
	return t.String()
}

// figure shows a number with about three digits.
func figure(v float64) string {
	switch {
	case v >= 100:
		return count(int(v + 0.5))
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// count shows a whole number with a comma every three digits.
func count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

const (
	tableOpen = "<!-- measured: speed -->\n"
	tableEnd  = "<!-- end -->"
)

// replaceTable puts text between the marks of the page. They differ from those of scripts/results, whose parts can be
// made again bit for bit and are compared by CI.
func replaceTable(page, text string) (string, error) {
	before, rest, found := strings.Cut(page, tableOpen)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		return "", fmt.Errorf("no place for the table: it wants a line %q and one %q", strings.TrimSpace(tableOpen), tableEnd)
	}
	return before + tableOpen + strings.TrimRight(text, "\n") + "\n" + tableEnd + after, nil
}
