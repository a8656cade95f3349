package summarize

import (
	"slices"
	"strings"

	"sessc/mask"
	"sessc/tokens"
)

// merged puts a model's words into a record that code made, in at most room
// tokens (file lists not counted). Result, task, files, errors, budget and ref
// stay as they are, and so do a field's own words where the model has none for
// it. Whatever exact fact the old words show and the new ones do not is kept
// among those to remember. When the room is too small the model's words go,
// the least telling first; in the end the record is the old one, and ok is
// false.
func merged(old mask.Record, p Prose, room int) (r mask.Record, ok bool) {
	if old.Conclusion == "" && old.Origin != mask.OriginAgent {
		p.Conclusion = "" // the answer itself stands right below
	}
	p.Tried, p.Remember, p.Open = distinct(p.Tried, p.Conclusion), distinct(p.Remember, p.Conclusion), distinct(p.Open, p.Conclusion)
	for p.Conclusion != "" || len(p.Tried)+len(p.Remember)+len(p.Open) > 0 {
		r := redacted(joinedWith(old, p))
		if proseCost(r) <= room {
			return r, true
		}
		switch {
		case len(p.Remember) > 0:
			p.Remember = p.Remember[:len(p.Remember)-1]
		case len(p.Open) > 0:
			p.Open = p.Open[:len(p.Open)-1]
		case len(p.Tried) > 0:
			p.Tried = p.Tried[:len(p.Tried)-1]
		default:
			s := sentencesOf(p.Conclusion)
			p.Conclusion = strings.Join(s[:max(0, len(s)-1)], " ")
		}
	}
	return old, false
}

// joinedWith is a record with the words of a model and the facts of the old ones.
func joinedWith(old mask.Record, p Prose) mask.Record {
	r := old
	if p.Conclusion != "" {
		r.Conclusion = p.Conclusion
	}
	if len(p.Tried) > 0 {
		r.Tried = p.Tried
	}
	if len(p.Open) > 0 {
		r.Open = p.Open
	}
	var sentences, facts []string
	for _, item := range old.Remember {
		if isSentence(item) {
			sentences = append(sentences, item)
		} else {
			facts = append(facts, item)
		}
	}
	if len(p.Remember) > 0 {
		sentences = p.Remember
	}
	r.Remember = slices.Concat(sentences, facts)
	// An old sentence with a number or a name that is nowhere else stays.
	r.Tried = carried(r, r.Tried, old.Tried)
	r.Open = carried(r, r.Open, old.Open)
	r.Remember = carried(r, r.Remember, slices.Concat(sentencesOf(old.Conclusion), old.Remember))
	r.Remember = append(r.Remember, joined(missing(old, r))...)
	return r
}

// carried is a list of a record with those of other items whose exact words the
// record does not show.
func carried(r mask.Record, list, items []string) []string {
	shown := withoutSeparators(plain(strings.Join(proseLines(r), "\n")))
	list = slices.Clone(list)
	for _, item := range items {
		if slices.ContainsFunc(exactWords(plain(item)), func(w string) bool { return !holds(shown, w) }) {
			list = append(list, item)
		}
	}
	return list
}

// missing are the exact facts that one record shows and another does not.
func missing(old, r mask.Record) []string {
	shown := plain(strings.Join(proseLines(r), "\n"))
	var lost []string
	for _, f := range Exact(strings.Join(proseLines(old), "\n")) {
		if !holds(shown, plain(f)) {
			lost = append(lost, plain(f))
		}
	}
	return lost
}

// proseLines are the four fields that a model may write, line by line.
func proseLines(r mask.Record) []string {
	return slices.Concat([]string{r.Conclusion}, r.Tried, r.Remember, r.Open)
}

// isSentence tells a sentence of the report from facts: those are single words,
// commands and error lines.
func isSentence(item string) bool {
	return strings.Contains(item, " ") && !isCommand(item) && !errorLineOf(item, false) &&
		slices.ContainsFunc(strings.Fields(item), func(w string) bool { return isProse(w) })
}

// isProse is true for a word that no fact is made of.
func isProse(w string) bool {
	return !strings.ContainsAny(w, "/._=:-0123456789`") && len(w) > 2 || len(w) > 3 && strings.Trim(w, ".,;:") == w[:len(w)-1] && hasLetter(w) && !hasDigit(w)
}

// distinct drops what is said before.
func distinct(items []string, conclusion string) []string {
	kept, _ := tidy(items, conclusion, itemWidth)
	return kept
}

// proseCost is what a mask costs without its file lists, in tokens.
func proseCost(r mask.Record) int {
	r.Added, r.Changed, r.Deleted = nil, nil, nil
	r.Omitted.Added, r.Omitted.Changed, r.Omitted.Deleted = 0, 0, 0
	return tokens.EstimateString(mask.Render(r))
}
