package summarize

import (
	"slices"
	"strings"

	"sessc/session"
	"sessc/tokens"
)

const (
	// factAim is about how many tokens of facts are joined to one list item.
	factAim = 30
	// orderLimit is how many exact facts of the agent's own words are looked
	// at, the first.
	orderLimit = 200
)

// remember joins what must be remembered, most telling first: sentences of the
// report, then exact facts, those that later entries mention before the
// others. The facts come from the report and the tool calls, and then from the
// orders: in real logs most exact facts of a sub-task stand in its task text
// alone. Of these, what an earlier record of the session shows is left out,
// since the tasks of one project name the same files again and again. What
// another field says already, which shown may add to, or a longer fact holds,
// is left out as well, and so is a folder that a path leads through.
func (b *recorder) remember(p Prose, errs []string, facts Facts, report, orders string, shown ...string) []string {
	told := plain(strings.Join(slices.Concat([]string{p.Conclusion}, p.Tried, p.Open, facts.Added, facts.Changed, facts.Deleted, shown), "\n"))
	var sentences, found []string
	for _, item := range p.Remember {
		bare := plain(item)
		if !saysSomething(bare) || toldAsError(errs, bare) {
			continue
		}
		if !strings.ContainsAny(bare, " ，。！？；、") { // no sentence
			found = append(found, bare)
			continue
		}
		if key, value, ok := keyValueLine(item); ok {
			item = key + ": " + value // as the facts spell it
		}
		sentences = append(sentences, item)
		told += "\n" + plain(item)
	}
	found = slices.Concat(found, Exact(report), facts.Exact)
	ordered := Exact(orders)
	set := settingsOf(found)
	for _, f := range ordered[:min(len(ordered), orderLimit)] {
		// What was done decides about a value, and not what was asked for.
		if key := settingOf(f); !b.visible[f] && (key == "" || !set[key]) {
			found = append(found, f)
		}
	}
	var first, rest []string
	for i, f := range found {
		longer := func(g string) bool { return len(g) > len(f) && (holds(g, f) || leadsThrough(g, f)) }
		switch {
		case holds(told, f), leadsThrough(told, f), toldAsError(errs, f), slices.Contains(found[:i], f), slices.ContainsFunc(found, longer):
		case b.mentioned(f):
			first = append(first, f)
		default:
			rest = append(rest, f)
		}
	}
	return slices.Concat(sentences, joined(folded(first)), joined(folded(rest)))
}

// settingOf is the key of a fact that gives one a value, in lower case, "" for
// others: the label of a sentence is none.
func settingOf(fact string) string {
	key, _, ok := keyValueLine(fact)
	if pair := strings.TrimLeft(fact, "-"); !ok && isPair(pair) {
		key, _, _ = strings.Cut(pair, "=")
	}
	return strings.ToLower(key)
}

func settingsOf(facts []string) map[string]bool {
	keys := map[string]bool{}
	for _, f := range facts {
		if key := settingOf(f); key != "" {
			keys[key] = true
		}
	}
	return keys
}

// toldAsError reports whether one of the error lines says a text already; both
// may have been cut at their end.
func toldAsError(errs []string, text string) bool {
	text = plain(strings.TrimSuffix(text, "…"))
	return slices.ContainsFunc(errs, func(e string) bool {
		e = plain(strings.TrimSuffix(e, "…"))
		return holds(e, text) || len(e) > len(text)/2 && strings.HasPrefix(text, e)
	})
}

// unlabelled takes bold labels off the beginning of items where they only say
// what the field's own label says: "**Still open**: ...".
func unlabelled(p Prose) Prose {
	for _, list := range []struct {
		items []string
		in    section
	}{{p.Tried, triedSection}, {p.Remember, rememberSection}, {p.Open, openSection}} {
		for i, item := range list.items {
			rest, bold := strings.CutPrefix(item, "**")
			label, rest, closed := strings.Cut(rest, "**")
			rest = strings.TrimLeft(rest, ":： ")
			if bold && closed && rest != "" && sectionOf(strings.TrimRight(label, ":：")) == list.in {
				list.items[i] = rest
			}
		}
	}
	return p
}

// unmarked takes the marks of emphasis off the sentences of a report: they are
// no words, and a mask is no page.
func unmarked(p Prose) Prose {
	p.Conclusion = unbold(p.Conclusion)
	for _, items := range [][]string{p.Tried, p.Remember, p.Open} {
		for i := range items {
			items[i] = unbold(items[i])
		}
	}
	return p
}

// unbold takes away the stars of bold words, all of them or, where one of the
// pairs may be something else (2**8, a/**/b), none.
func unbold(s string) string {
	parts := strings.Split(s, "**")
	if len(parts)%2 == 0 {
		return s
	}
	for i := 1; i < len(parts); i += 2 {
		before, word, after := parts[i-1], parts[i], parts[i+1]
		if word == "" || strings.TrimSpace(word) != word || strings.ContainsAny(word[:1]+word[len(word)-1:], "/*") {
			return s
		}
		if before != "" && (inWord(before[len(before)-1]) || before[len(before)-1] == '/') || after != "" && (inWord(after[0]) || after[0] == '/') {
			return s
		}
	}
	return strings.Join(parts, "")
}

// plain takes the marks of emphasis and code away, and writes colons in one way.
func plain(s string) string { return plainly.Replace(s) }

var plainly = strings.NewReplacer("**", "", "`", "", "： ", ": ", "：", ": ")

// holds reports whether a text names a fact as a whole: not within a longer
// word, and not as a folder of a longer path.
func holds(text, fact string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], fact)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(fact)
		if (from == 0 || !inWord(text[from-1])) && (to == len(text) || !inWord(text[to]) && text[to] != '/') {
			return true
		}
		at = from + 1
	}
}

func inWord(c byte) bool { return class[c]&alnumByte != 0 || c == '_' || c == '-' }

// joint stands between facts that were joined: a reader has to see two.
const joint = ", "

// joined puts facts of one word together to fewer list items, since the marks
// around an item cost about as much as a short fact. Facts of several words,
// such as commands and error lines, stay by themselves and come last: they
// take the most room.
func joined(facts []string) []string {
	var items, lines []string
	for _, f := range facts {
		last := len(items) - 1
		switch {
		case strings.Contains(f, " "):
			lines = append(lines, f)
		case last >= 0 && tokens.EstimateString(items[last])+tokens.EstimateString(f) <= factAim:
			items[last] += joint + f
		default:
			items = append(items, f)
		}
	}
	return append(items, lines...)
}

// orders returns what the agent itself said of a lifecycle: the text arguments
// of its spawning call and of its messages to the child, and its words in the
// members. A message that several lifecycles share is read for the first.
func (b *recorder) orders(n int) (string, error) {
	l := &b.all[n]
	var text strings.Builder
	if call := spawnCall(b.s, l); call >= 0 {
		a, err := b.s.Action(&b.s.Calls[call])
		if err != nil {
			return "", err
		}
		text.WriteString(a.Input)
	}
	for _, n := range l.Events {
		call := int32(-1)
		if ev := &b.s.Events[n]; ev.Kind == session.Activity { // the child has got it
			call = b.s.Answers(ev.Entry)
		}
		if call < 0 {
			continue
		}
		a, err := b.s.Action(&b.s.Calls[call])
		if err != nil {
			return "", err
		}
		text.WriteString(a.Input)
	}
	for _, i := range append([]int32{l.Spawn}, b.sel.Work[n]...) {
		if b.read[i] || b.s.Entries[i].Kind != session.Assistant {
			continue
		}
		b.read[i] = true
		c, err := b.s.Content(i)
		if err != nil {
			return "", err
		}
		text.WriteString(c.Text())
		text.WriteByte('\n')
	}
	return text.String(), nil
}

// note keeps what a record shows, for the records that follow.
func (b *recorder) note(items []string) {
	for _, item := range items {
		b.visible[item] = true
		for _, f := range unfolded(item) {
			b.visible[f] = true
			for word := range strings.FieldsSeq(f) {
				b.visible[strings.TrimSuffix(word, ",")] = true
			}
		}
	}
}

// mentioned reports whether the entries behind the masks name a fact.
func (b *recorder) mentioned(fact string) bool {
	if len(fact) < 4 || b.later == "" {
		return false
	}
	known, ok := b.asked[fact]
	if !ok {
		known = strings.Contains(b.later, fact)
		b.asked[fact] = known
	}
	return known
}

// mentionsAny reports whether the entries behind the masks name a list item or
// one of the facts that were joined to it.
func (b *recorder) mentionsAny(item string) bool {
	words := strings.Fields(strings.Join(unfolded(item), " "))
	return b.mentioned(item) || slices.ContainsFunc(words, func(w string) bool {
		return strings.ContainsAny(w, "/._=:-0123456789") && b.mentioned(strings.TrimRight(w, ".,:;"))
	})
}
