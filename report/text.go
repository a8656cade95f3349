package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/rivo/uniseg"

	"sessc/lifecycle"
)

// JSON writes the whole report as one object on one line.
func (r *Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // paths may hold "&"
	return enc.Encode(r)
}

// CSV writes one row a session, with a header, as RFC 4180 has it. Figures that
// are not known are empty.
func (r *Report) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	header := []string{
		"path", "agent", "session", "model", "time", "changed", "tokens_before", "tokens_after", "tokens_saved", "tokens_saved_percent",
		"bytes_before", "bytes_after", "bytes_saved", "lifecycles", "compacted",
	}
	for _, k := range lifecycle.Kinds {
		header = append(header, "saved_by_"+k.Layer())
	}
	rows := [][]string{append(header, "money_per_turn", "payback_turns", "refusal", "undone")}
	for _, s := range r.Sessions {
		tokens := []string{"", "", "", ""}
		if s.Counted != "" {
			tokens = []string{number(s.Tokens.Before), number(s.Tokens.After), number(s.Tokens.Saved), strconv.FormatFloat(s.Tokens.Part, 'f', 1, 64)}
		}
		row := []string{harmless(s.Path), harmless(s.Agent), harmless(s.ID), harmless(s.Model), time.UnixMilli(s.Time).UTC().Format(time.RFC3339), strconv.FormatBool(s.Changed)}
		row = append(row, tokens...)
		row = append(row, number(s.Bytes.Before), number(s.Bytes.After), number(s.Bytes.Saved), strconv.Itoa(s.States.Found), strconv.Itoa(s.States.Compacted))
		for _, k := range lifecycle.Kinds {
			row = append(row, savedBy(s.Layers, k.Layer()))
		}
		row = append(row, r.cash(s.Money), turns(s.Payback), harmless(s.Refusal), strconv.FormatBool(s.Undone))
		rows = append(rows, row)
	}
	return c.WriteAll(rows)
}

// savedBy is what a layer saves, "" for one that was not asked for.
func savedBy(layers []Layer, name string) string {
	for _, l := range layers {
		if l.Name == name && l.Asked {
			return number(l.Saved)
		}
	}
	return ""
}

// harmless keeps a spreadsheet from taking text of a log for a formula.
func harmless(s string) string {
	s = plain(s)
	if s != "" && strings.ContainsRune("=+-@\t", rune(s[0])) {
		return "'" + s
	}
	return s
}

// plain leaves no line ends in either: every value here is one line.
func plain(s string) string { return Clean(s, "") }

// Clean makes text from a log or a file name safe to look at: control and
// formatting characters, which could move the cursor, recolour the screen or
// reverse the reading order, become U+FFFD, but for those to keep.
func Clean(s, keep string) string {
	return strings.Map(func(r rune) rune {
		if (unicode.IsControl(r) || bidi(r)) && !strings.ContainsRune(keep, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Cut shortens text to the width of at most n Latin letters. A Chinese character
// is as wide as two.
func Cut(s string, n int) string {
	if uniseg.StringWidth(s) <= n {
		return s
	}
	cut, width := 0, 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if width += g.Width(); width >= n {
			break
		}
		_, cut = g.Positions()
	}
	return s[:cut] + "…"
}

func bidi(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

func number(n int64) string { return strconv.FormatInt(n, 10) }

// turns is a payback, "" for never.
func turns(n int) string {
	if n < 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// cash is an amount of money, "" without a price.
func (r *Report) cash(m float64) string {
	if r.Prices.Input == 0 {
		return ""
	}
	return strconv.FormatFloat(m, 'f', 4, 64)
}

// mostRows is how many sessions a page lists before the rest is only counted.
const mostRows = 200

// Markdown writes the report as GitHub's Markdown: totals, groups, and the
// sessions that save most.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", r.title())
	fmt.Fprintf(&b, "%s\n\n", r.lead())
	b.WriteString("| | before | after | saved | |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, row := range []struct {
		name string
		c    Change
	}{{"context tokens", r.Total.Tokens}, {"file bytes", r.Total.Bytes}} {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.name, humanize.Comma(row.c.Before), humanize.Comma(row.c.After), humanize.Comma(row.c.Saved), Percent(row.c.Part))
	}
	if r.Prices.Input > 0 {
		fmt.Fprintf(&b, "\n%s\n", r.priced())
	}
	if r.Where.Total() > 0 {
		b.WriteString("\n## Where the tokens are\n\n| | tokens | |\n| --- | ---: | ---: |\n")
		for _, p := range parts(r.Where) {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", p.Name, humanize.Comma(int64(p.N)), Percent(p.Percent))
		}
	}
	if len(r.Layers) > 0 {
		b.WriteString("\n## By layer\n\n| layer | compacted | tokens saved | |\n| --- | ---: | ---: | --- |\n")
		for _, l := range r.Layers {
			count, note := humanize.Comma(int64(l.Compacted)), ""
			if !l.Asked {
				count, note = "", NotAsked
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l.Name, count, humanize.Comma(l.Saved), note)
		}
	}
	if r.States.Found > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n| state | |\n| --- | ---: |\n", Capital(r.FoundNoun()[1]))
		for _, p := range states(r.States) {
			fmt.Fprintf(&b, "| %s | %s |\n", p.Name, humanize.Comma(int64(p.N)))
		}
		fmt.Fprintf(&b, "| compacted | %s |\n", humanize.Comma(int64(r.States.Compacted)))
	}
	if len(r.Reasons) > 0 {
		b.WriteString("\n### Left alone\n\n| reason | | |\n| --- | ---: | --- |\n")
		for _, x := range r.Reasons {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", escape(x.Reason), humanize.Comma(int64(x.Count)), x.Noun())
		}
	}
	if len(r.Biggest) > 0 {
		b.WriteString("\n### The biggest that are compacted\n\n| tokens | | what | state | line | log |\n| ---: | --- | --- | --- | ---: | --- |\n")
		for _, l := range r.Biggest {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %s |\n", humanize.Comma(int64(l.Replaced)), l.Noun(), escape(l.Name), escape(l.State), l.Line, escape(l.Path))
		}
	}
	for _, g := range []struct {
		title string
		of    []Group
	}{{"By agent", r.Agents}, {"By day", r.Days}} {
		fmt.Fprintf(&b, "\n## %s\n\n| | %s | tokens before | after | saved | | bytes saved |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", g.title, r.unit(2))
		for _, x := range g.of {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", escape(x.Name), humanize.Comma(int64(x.Sessions)),
				humanize.Comma(x.Tokens.Before), humanize.Comma(x.Tokens.After), humanize.Comma(x.Tokens.Saved), Percent(x.Tokens.Part), humanize.Comma(x.Bytes.Saved))
		}
	}
	fmt.Fprintf(&b, "\n## %s\n\n| log | tokens before | after | saved | | turns to pay back |\n| --- | ---: | ---: | ---: | ---: | ---: |\n", r.unit(0))
	for i, s := range r.Sessions {
		if i == mostRows {
			fmt.Fprintf(&b, "\n%s more\n", humanize.Comma(int64(len(r.Sessions)-i)))
			break
		}
		if s.Undone {
			fmt.Fprintf(&b, "| %s | undone | | | | |\n", escape(s.Path))
			continue
		}
		if s.Counted == "" {
			fmt.Fprintf(&b, "| %s | not noted | | | | |\n", escape(s.Path))
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", escape(s.Path)+s.Held(), humanize.Comma(s.Tokens.Before), humanize.Comma(s.Tokens.After), humanize.Comma(s.Tokens.Saved), Percent(s.Tokens.Part), turns(s.Payback))
	}
	if len(r.Failures) > 0 {
		b.WriteString("\n## Failed\n\n")
		for _, f := range r.Failures {
			fmt.Fprintf(&b, "* %s: %s\n", escape(f.Path), escape(f.Error))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escape writes text so that Markdown shows it as it is.
func escape(s string) string {
	var b strings.Builder
	for _, r := range plain(s) {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|~&$@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// title names the report.
func (r *Report) title() string {
	if r.History {
		return "What sessc saved"
	}
	return "What sessc would save"
}

// unit is what a row is: as a heading, or in a sentence for so many of them.
func (r *Report) unit(n int) string {
	words := [3]string{"Sessions", "session", "sessions"}
	if r.History {
		words = [3]string{"Rewrites", "rewrite", "rewrites"}
	}
	return words[min(n, 2)]
}

// OfLogs says how many logs the rewrites of a history were of, where there are
// fewer: " of 2 logs".
func (r *Report) OfLogs() string {
	if n := r.Total.Logs; n > 0 && n < r.Total.Sessions {
		return " of " + humanize.Comma(int64(n)) + either(n, " log", " logs")
	}
	return ""
}

// lead is the report in one sentence.
func (r *Report) lead() string {
	t := r.Total
	if r.History {
		return fmt.Sprintf("%s %s%s took %s context tokens (%s) and %s file bytes off.",
			humanize.Comma(int64(t.Sessions)), r.unit(t.Sessions), r.OfLogs(), humanize.Comma(t.Tokens.Saved), Percent(t.Tokens.Part), humanize.Comma(t.Bytes.Saved)) + r.aside()
	}
	return fmt.Sprintf("%s of %s %s would change: %s fewer context tokens (%s), %s fewer file bytes. %s would be compacted.",
		humanize.Comma(int64(t.Changed)), humanize.Comma(int64(t.Sessions)), r.unit(t.Sessions), humanize.Comma(t.Tokens.Saved), Percent(t.Tokens.Part), humanize.Comma(t.Bytes.Saved), r.counted(t.Compacted)) + r.aside()
}

// aside is what the figures leave out, as a further sentence of the lead.
func (r *Report) aside() string {
	if a := r.Aside(); a != "" {
		return " " + Capital(a) + "."
	}
	return ""
}

// Aside says what the figures leave out, "" for nothing.
func (r *Report) Aside() string {
	switch t := r.Total; {
	case t.Undone > 0:
		return humanize.Comma(int64(t.Undone)) + " more " + either(t.Undone, "was undone by restore and counts as nothing", "were undone by restore and count as nothing")
	case t.Refused > 0:
		return humanize.Comma(int64(t.Refused)) + " would be refused or skipped now" + either(t.Refused, " and counts as it is", " and count as they are")
	}
	return ""
}

// either chooses between words for one and words for several.
func either(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Held stands behind the path of a session that a run now would not rewrite.
func (s Session) Held() string {
	if s.Refusal != "" {
		return " (would be refused or skipped now)"
	}
	return ""
}

// NotAsked stands beside the saving of a layer that was not asked for.
const NotAsked = "not asked for (--layers)"

// nouns are what lifecycles are called, by layer, of one and of several.
var nouns = map[string][2]string{"turns": {"turn", "turns"}, "results": {"tool result", "tool results"}}

// Mixed is what lifecycles of several layers are called, of one and of several.
var Mixed = [2]string{"piece of work", "pieces of work"}

// Noun is what lifecycles of a layer are called, of one and of several.
func Noun(layer string) [2]string {
	if n, ok := nouns[layer]; ok {
		return n
	}
	return [2]string{"sub-task", "sub-tasks"}
}

// Noun is what the lifecycles of a report are called, of one and of several.
func (r *Report) Noun() [2]string {
	asked := slices.Clone(r.layers)
	for _, l := range r.Layers {
		if l.Asked {
			asked = append(asked, l.Name)
		}
	}
	switch len(asked) {
	case 0:
		return Noun("")
	case 1:
		return Noun(asked[0])
	}
	return Mixed
}

// FoundNoun is what all lifecycles that were found are called: also those of
// layers that were not asked for are, to be left alone.
func (r *Report) FoundNoun() [2]string {
	called := r.Noun()
	for _, x := range r.Reasons {
		if Noun(x.Layer) != called {
			return Mixed
		}
	}
	return called
}

// Noun is what such a lifecycle is called.
func (l Lifecycle) Noun() string { return Noun(l.Layer)[0] }

// Noun is what lifecycles that are left alone for a reason are called.
func (r Reason) Noun() string { return Noun(r.Layer)[min(r.Count, 2)-1] }

// counted is a number of lifecycles.
func (r *Report) counted(n int) string {
	if n == 1 {
		return "1 " + r.Noun()[0]
	}
	return humanize.Comma(int64(n)) + " " + r.Noun()[1]
}

// Capital writes words as a heading or a sentence begins.
func Capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// priced says what the tokens are worth.
func (r *Report) priced() string {
	t := fmt.Sprintf("At %s per million input tokens, one turn of each session costs %s less.", money(r.Prices.Input), money(r.Total.Money))
	if r.Total.Payback > 0 {
		t += fmt.Sprintf(" A cache that still held the sessions is %s.", r.PaidBack())
	}
	return t
}

// PaidBack says when the break of a provider's cache is made up for: for one
// session it is a bound, for several only as long as they are taken together.
func (r *Report) PaidBack() string {
	n := r.Total.Payback
	turns := humanize.Comma(int64(n)) + either(n, " turn", " turns")
	if r.Total.Changed == 1 {
		return "paid back after at most " + turns
	}
	return "paid back, all together, after at most " + turns + " of each; one alone may take more"
}

func money(m float64) string {
	if m != 0 && m < 0.01 && m > -0.01 {
		return strconv.FormatFloat(m, 'g', 2, 64)
	}
	return strconv.FormatFloat(m, 'f', 2, 64)
}

// part is one piece of a whole.
type part struct {
	Name    string
	Class   string // of its colour
	N       int
	Percent float64
}

// parts are what a context consists of, in a fixed order.
func parts(w Where) []part {
	return shares([]part{
		{Name: "human", N: w.Human}, {Name: "assistant text", N: w.Assistant}, {Name: "thinking", N: w.Thinking},
		{Name: "tool arguments", N: w.Arguments}, {Name: "tool results", N: w.Results}, {Name: "events", N: w.Events},
	}, w.Total(), "w")
}

// states are how far sub-tasks have come, without those that no sub-task is in.
func states(s States) []part {
	all := shares([]part{
		{Name: "done", N: s.Done}, {Name: "failed", N: s.Failed}, {Name: "timed out", N: s.TimedOut},
		{Name: "killed", N: s.Killed}, {Name: "spawn failed", N: s.SpawnFailed}, {Name: "not finished", N: s.Open},
	}, s.Found, "s")
	var some []part
	for _, p := range all {
		if p.N > 0 {
			some = append(some, p)
		}
	}
	return some
}

func shares(all []part, total int, class string) []part {
	for i := range all {
		all[i].Class = class + strconv.Itoa(i+1)
		if total > 0 {
			all[i].Percent = 100 * float64(all[i].N) / float64(total)
		}
	}
	return all
}

// Percent writes a share with one digit behind the point.
func Percent(p float64) string { return strconv.FormatFloat(p, 'f', 1, 64) + " %" }
