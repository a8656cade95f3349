package cli

import (
	"fmt"
	"slices"
	"strings"

	"sessc/compress"
	"sessc/config"
	"sessc/report"
)

// describe writes the report on one session for people.
func describe(b *strings.Builder, shown string, r *compress.Report, dry bool) {
	fmt.Fprintf(b, "%s\n", shown)
	fmt.Fprintf(b, "  %s session %s", r.Agent, r.Session)
	if r.Model != "" {
		fmt.Fprintf(b, ", %s", r.Model)
	}
	fmt.Fprintf(b, ", %s\n", lines(r.Lines))
	rows := [][]string{
		{"", right("before"), right("after"), right("saved"), ""},
		amounts("context tokens", r.Context, counted(r)),
		amounts("file bytes", r.File, ""),
	}
	if r.Disk != nil && r.Disk.Bytes > 0 {
		rows = append(rows, []string{"disk weight", "", "", right(comma(r.Disk.Bytes)), fmt.Sprintf("bytes of the file that no client reads again, %s whole: no context", plural(r.Disk.Lines, "line", "lines"))})
	}
	if r.Recorded > 0 {
		rows = append(rows, []string{"recorded context", right(comma(r.Recorded)), "", "", "tokens, as the log states it, with system prompt and tools"})
	}
	table(b, "  ", rows)
	fmt.Fprintf(b, "  tokens are %s\n", r.Counting.Method)
	where(b, r)
	layers(b, r)
	lifecycles(b, r)
	if note := whyUnchanged(r, dry); note != "" {
		fmt.Fprintf(b, "  %s\n", note)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "  note: %s\n", n)
	}
}

func lines(l compress.Lines) string {
	s := plural(l.All, "line", "lines")
	if l.Damaged > 0 {
		s += ", " + comma(l.Damaged) + " damaged"
	}
	if l.Unknown > 0 {
		s += ", " + comma(l.Unknown) + " of unknown type"
	}
	return s
}

// counted is the word that stands beside a figure of tokens.
func counted(r *compress.Report) string {
	if strings.HasPrefix(r.Counting.Method, "estimated") {
		return "estimated"
	}
	return "counted"
}

// countedBy is the word for figures that a tokenizer gave, "" the estimate.
func countedBy(tokenizer string) string {
	if tokenizer == "" {
		return "estimated"
	}
	return "counted"
}

// amounts is a row of before, after and the share that is saved.
func amounts(name string, c compress.Change, remark string) []string {
	return []string{name, right(comma(c.Before)), right(comma(c.After)), right(share(c.Before-c.After, c.Before)), remark}
}

// where writes what the context consists of.
func where(b *strings.Builder, r *compress.Report) {
	total := int64(r.Where.Total())
	if total == 0 {
		return
	}
	row := func(name string, n int) []string {
		return []string{name, right(comma(n)), right(share(int64(n), total))}
	}
	fmt.Fprintln(b, "  where the tokens are")
	table(b, "    ", [][]string{
		row("human", r.Where.Human),
		row("assistant text", r.Where.Assistant),
		row("thinking", r.Where.Thinking),
		row("tool arguments", r.Where.Arguments),
		row("tool results", r.Where.Results),
		row("events", r.Where.Events),
	})
	fmt.Fprintf(b, "    of these in finished sub-tasks: %s (%s)\n", comma(r.Finished.Own), share(int64(r.Finished.Own), total))
	if r.Finished.Members > 0 {
		fmt.Fprintf(b, "    masks of %s tokens replace %s, the work around sub-tasks included\n", comma(r.Finished.Masks), comma(r.Finished.Members))
	}
}

// layers writes how large the context is after each layer, and would be after
// those that were not asked for.
func layers(b *strings.Builder, r *compress.Report) {
	if r.Context.Before == 0 || len(r.Layers) == 0 {
		return
	}
	rows := [][]string{{"now", right(comma(r.Context.Before)), "", ""}}
	shown := int64(0) // what the last row comes to
	for n, l := range r.Layers {
		saved := r.Context.Before - l.After + l.TooLittle
		if !l.Asked && saved == shown {
			continue
		}
		shown = saved
		name, remark := "+ "+l.Name, ""
		if n == 0 {
			name = "after " + l.Name
		}
		switch {
		case l.TooLittle > 0 && l.Asked:
			remark = fmt.Sprintf("would save %s, less than --min-saving", comma(l.TooLittle))
		case l.TooLittle > 0:
			remark = fmt.Sprintf("not asked for (--layers); would save %s, less than --min-saving", comma(l.TooLittle))
		case !l.Asked:
			remark = "not asked for (--layers)"
		}
		rows = append(rows, []string{name, right(comma(l.After)), right(share(r.Context.Before-l.After, r.Context.Before)), remark})
	}
	fmt.Fprintln(b, "  context tokens by layer")
	table(b, "    ", rows)
}

// hope says what a run with more layers would save where this one changes
// nothing, "" for nothing. It names those of the run that would save most, if
// that is more than what was asked for would.
func hope(r *compress.Report) string {
	best, most, little := -1, int64(0), false
	for n, l := range r.Layers {
		saved := r.Context.Before - l.After + l.TooLittle
		if saved <= most {
			continue
		}
		best, most, little = n, saved, l.TooLittle > 0
		if l.Asked {
			best = -1
		}
	}
	if best < 0 {
		return ""
	}
	hint := fmt.Sprintf("; --layers %s would save %s context tokens", strings.Join(namedWith(r, best), ","), comma(most))
	if little {
		hint += ", less than --min-saving"
	}
	return hint
}

// namedWith are the layers of the run that a layer which was not asked for
// stands for: those that were, and those before it.
func namedWith(r *compress.Report, last int) []string {
	var names []string
	for n, l := range r.Layers {
		if l.Asked || n <= last {
			names = append(names, l.Name)
		}
	}
	if r.Disk != nil {
		names = append(names, config.DiskLayer)
	}
	return names
}

// lifecycles writes the sub-tasks, turns and results: how many there are in each state, those
// that are compacted, and the others by reason.
func lifecycles(b *strings.Builder, r *compress.Report) {
	if r.States.Found == 0 {
		return
	}
	var states []string
	for _, s := range []struct {
		n    int
		what string
	}{
		{r.States.Done, "done"}, {r.States.Failed, "failed"}, {r.States.TimedOut, "timed out"},
		{r.States.Killed, "killed"}, {r.States.SpawnFailed, "spawn failed"}, {r.States.Open, "not finished"},
	} {
		if s.n > 0 {
			states = append(states, comma(s.n)+" "+s.what)
		}
	}
	called := noun("tasks")
	if !onlyTasks(r) {
		called = mixed
	}
	fmt.Fprintf(b, "  %s: %s\n", plural(r.States.Found, called[0], called[1]), strings.Join(states, ", "))
	if len(r.Tasks) > 0 {
		fmt.Fprintf(b, "  compacted: %s\n", comma(len(r.Tasks)))
		rows := make([][]string, len(r.Tasks))
		for i, t := range r.Tasks {
			state := t.State
			if !onlyTasks(r) {
				state = noun(t.Layer)[0] + ", " + state
			}
			rows[i] = []string{fmt.Sprintf("line %d", t.Line), state, report.Cut(t.Name, nameCells), right(comma(t.Replaced)), "tokens", "sessc:" + t.Ref}
		}
		table(b, "    ", rows)
	}
	if len(r.Left) > 0 {
		fmt.Fprintf(b, "  left alone: %s\n", comma(len(r.Left)))
		var rows [][]string
		for _, g := range byReason(r.Left) {
			rows = append(rows, []string{right(comma(len(g.lines))), g.reason, "(" + compress.NameLines(g.lines) + ")"})
		}
		table(b, "    ", rows)
	}
}

// reasonGroup is the lifecycles that are left alone for one reason.
type reasonGroup struct {
	reason string // with its detail when it stands for one alone
	full   string // of the last one, with its detail
	lines  []int  // of the spawning calls
}

// byReason groups what is left alone, in the order in which reasons first occur.
func byReason(left []compress.LeftOut) []reasonGroup {
	var groups []reasonGroup
	for _, l := range left {
		reason, _, _ := strings.Cut(l.Reason, ": ")
		i := slices.IndexFunc(groups, func(g reasonGroup) bool { return g.reason == reason })
		if i < 0 {
			i = len(groups)
			groups = append(groups, reasonGroup{reason: reason})
		}
		groups[i].lines = append(groups[i].lines, l.Line)
		groups[i].full = l.Reason
	}
	for i := range groups {
		if len(groups[i].lines) == 1 {
			groups[i].reason = groups[i].full
		}
	}
	return groups
}

// whyUnchanged says plainly that a run changes nothing, and why.
func whyUnchanged(r *compress.Report, dry bool) string {
	if r.Changed {
		return ""
	}
	what := "nothing was changed"
	if dry {
		what = "nothing would change"
	}
	switch {
	case r.States.Found == 0 && onlyTasks(r):
		what += ": the log holds no delegated sub-task, or all are compacted already"
	case r.States.Found == 0:
		what += ": the log holds nothing to compact, or all is compacted already"
	case len(r.Left) == 1:
		what += ": the " + one(r.Left) + " is left alone, " + r.Left[0].Reason
	case len(r.Left) > 0:
		what += ": all " + many(r.Left) + " are left alone (" + summary(r.Left) + ")"
	}
	return what + hope(r)
}

// onlyTasks reports whether no layer but tasks was asked for.
func onlyTasks(r *compress.Report) bool {
	return !slices.ContainsFunc(r.Layers, func(l compress.Layer) bool { return l.Asked && l.Name != "tasks" })
}

// noun is what lifecycles of a layer are called, of one and of several.
func noun(layer string) [2]string { return report.Noun(layer) }

func one(left []compress.LeftOut) string { return noun(left[0].Layer)[0] }

// many is what some lifecycles are called, of several layers by one word.
func many(left []compress.LeftOut) string {
	if slices.ContainsFunc(left, func(l compress.LeftOut) bool { return l.Layer != left[0].Layer }) {
		return mixed[1]
	}
	return noun(left[0].Layer)[1]
}

// mixed is what lifecycles of several layers are called.
var mixed = report.Mixed

// summary lists the reasons for sub-tasks left alone, with their numbers.
func summary(left []compress.LeftOut) string {
	var parts []string
	for _, g := range byReason(left) {
		parts = append(parts, fmt.Sprintf("%s: %s", comma(len(g.lines)), g.reason))
	}
	return strings.Join(parts, "; ")
}

// showMasks writes every mask below what it replaces.
func showMasks(b *strings.Builder, r *compress.Report) {
	for _, t := range r.Tasks {
		word := "lines"
		if len(t.Entries) == 1 {
			word = "line"
		}
		fmt.Fprintf(b, "\n  %s %s (%s, about %s tokens) would become\n", word, ranges(t.Entries), t.Name, comma(t.Replaced))
		for l := range strings.Lines(t.Mask) {
			fmt.Fprintf(b, "    %s\n", strings.TrimRight(l, "\n"))
		}
	}
	if len(r.Tasks) > 0 {
		fmt.Fprintln(b)
	}
}
