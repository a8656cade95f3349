package summarize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prose is what a report says about itself. Every string is a span of the
// redacted report with white space folded to single spaces, a whole sentence
// or list item; one that is longer than its limit ends in "…".
type Prose struct {
	Conclusion string                              // what came out; "" when no sentence says anything
	Tried      []string                            // what was tried and given up or replaced
	Remember   []string                            // standing constraints first, then exact facts
	Open       []string                            // what the report marks as unresolved and does not settle later
	Errors     []string                            // error lines of a section that tells errors
	Left       struct{ Tried, Remember, Open int } // what the lists had no place for
}

// after adds what an earlier report of the same work said. Its conclusion is one
// fact of many then; what it left open, the later one may have done.
func (p Prose) after(earlier Prose) Prose {
	set := settingsOf(p.Remember)
	if earlier.Conclusion != "" {
		p.Remember = append(p.Remember, "earlier: "+earlier.Conclusion)
	}
	for _, item := range earlier.Remember {
		if key := settingOf(item); key == "" || !set[key] {
			p.Remember = append(p.Remember, item)
		}
	}
	p.Tried, p.Errors = slices.Concat(earlier.Tried, p.Tried), slices.Concat(earlier.Errors, p.Errors)
	p.Left.Tried += earlier.Left.Tried
	p.Left.Remember += earlier.Left.Remember
	p.Left.Open += earlier.Left.Open + len(earlier.Open)
	return p
}

const (
	itemWidth       = 200 // of a list item, in grapheme clusters
	triedWidth      = 400 // of one that says at its end what came of it
	conclusionWidth = 300
	listLimit       = 24 // items a list keeps, the first
)

// FromReport reads the final report of a piece of work: markdown, lists,
// headings or plain text, in English, Portuguese, Chinese or a mixture. It
// follows headings, labels and the words that mark results, failed attempts,
// constraints and open points, and invents nothing. It does not judge whether
// the report is true: a result comes from events, never from here. Advice and
// next steps are not open work. Of code fences only error lines are read, and tables
// are not.
func FromReport(report string) Prose {
	report = Redact(strings.ToValidUTF8(unixLines(report), "\uFFFD"))
	units := unitsOf(report)
	p := Prose{Conclusion: strings.TrimRight(conclusionOf(units), ":：")}
	undone := notDone.MatchString(report)
	var constraints, facts, leaning []string
	type openPoint struct {
		text string
		unit int
		sent int
	}
	var open []openPoint
	for i, u := range units {
		if u.in == adviceSection || u.text == "" {
			continue
		}
		if u.in == errorSection {
			if errs := u.errorLines(); len(errs) > 0 {
				p.Errors = append(p.Errors, errs...)
				if u.errs || u.item {
					continue
				}
			}
		}
		if u.fact && u.in != openSection && u.in != triedSection {
			facts = append(facts, u.text)
			continue
		}
		whole := func(in section) bool { return u.in == in && u.item }
		switch {
		case whole(triedSection) && !(wentWell.MatchString(u.text) && !badEnd.MatchString(u.text)):
			p.Tried = append(p.Tried, u.text)
			continue
		case whole(openSection):
			if !nothingOpen.MatchString(u.text) && !settled.MatchString(u.text) || unresolved.MatchString(u.text) {
				open = append(open, openPoint{u.text, i, len(u.sentences)})
			}
			continue
		}
		for k, s := range u.sentences {
			if announces(s) || greeting.MatchString(s) || plan.MatchString(s) {
				continue
			}
			switch {
			case gaveUp(s):
				p.Tried = append(p.Tried, s)
			case (unresolved.MatchString(s) || u.in != causeSection && standsBadly(s)) && !nothingOpen.MatchString(s) && !startsAsNote(s), u.in == openSection && k == 0 && pending(s):
				open = append(open, openPoint{s, i, k})
			case constraint.MatchString(s) && !noConstraint.MatchString(s):
				if dangling().MatchString(s) && !(k > 0 && len(constraints) > 0 && constraints[len(constraints)-1] == u.sentences[k-1]) {
					leaning = append(leaning, s) // on a sentence that is not shown before it
					continue
				}
				constraints = append(constraints, s)
			case u.in == rememberSection && (u.item || len(u.sentences) == 1):
				if statesFact(s) {
					facts = append(facts, s)
				} else if !narration.MatchString(s) {
					constraints = append(constraints, s)
				}
			case statesFact(s), located().MatchString(s) && len(strings.Fields(s)) > 5, k == 0 && u.item && !undone && fileRemark().MatchString(s):
				facts = append(facts, s)
			}
		}
	}
	ends := endsOf(units)
	for _, o := range open {
		if !settledLater(o.text, ends, o.unit, o.sent) {
			p.Open = append(p.Open, o.text)
		}
	}
	p.Tried, p.Left.Tried = tidy(p.Tried, p.Conclusion, triedWidth)
	p.Remember, p.Left.Remember = tidy(slices.Concat(constraints, facts, leaning), p.Conclusion, itemWidth)
	p.Open, p.Left.Open = tidy(p.Open, p.Conclusion, itemWidth)
	p.Errors, _ = tidy(p.Errors, "", itemWidth)
	p.Conclusion = clip(p.Conclusion, conclusionWidth)
	return p
}

// pending is true for the words of a section of open points that neither lead
// to others, nor say that nothing is open, nor set a rule.
func pending(s string) bool {
	return !nothingOpen.MatchString(s) && !settled.MatchString(s) && !toReader.MatchString(s) && !constraint.MatchString(s)
}

// errorLines returns what a unit in a section of errors tells exactly: a line
// that a program printed, in a fence, in backticks or as a list item.
func (u *unit) errorLines() []string {
	if u.errs {
		return []string{u.text}
	}
	var lines []string
	for i, span := range strings.Split(u.text, "`") {
		if i%2 == 1 && strings.Contains(span, " ") && errorLineOf(span, true) {
			lines = append(lines, span)
		}
	}
	if len(lines) == 0 && u.item && errorLineOf(u.text, false) {
		lines = append(lines, u.text)
	}
	return lines
}

// tidy drops repetitions and what the conclusion says already, and counts what
// there is no place for.
func tidy(items []string, conclusion string, width int) (out []string, left int) {
	for _, s := range items {
		s = strings.TrimSpace(s)
		if s == "" || s == conclusion || strings.Contains(conclusion, s) && len(s) > 10 {
			continue
		}
		s = clip(s, width)
		switch {
		case slices.Contains(out, s):
		case len(out) < listLimit:
			out = append(out, s)
		default:
			left++
		}
	}
	return out, left
}

// standsBadly is true for a sentence that says of the work, as it is now, that it
// stands badly.
func standsBadly(s string) bool {
	return standing.MatchString(s) && !elsewhen.MatchString(s) && !settled.MatchString(s)
}

// announces is true for a sentence that only leads to what follows it.
func announces(s string) bool {
	return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") || !hasWords(s)
}

func hasWords(s string) bool {
	n := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			n += 2
		} else if unicode.IsLetter(r) {
			n++
		}
	}
	return n >= 4
}

func gaveUp(s string) bool {
	return givenUp.MatchString(s) || trial.MatchString(s) && badEnd.MatchString(s)
}

func statesFact(s string) bool { return settingCue().MatchString(s) || exactCue.MatchString(s) }

func startsAsNote(s string) bool {
	return constraint.MatchString(s) && (strings.HasPrefix(strings.ToLower(s), "note") || strings.HasPrefix(s, "注意") || strings.HasPrefix(strings.ToLower(s), "import"))
}

// conclusionOf picks the sentence that says what came out. A result that the
// report names so wins; otherwise the best of all sentences, early ones first.
func conclusionOf(units []unit) string {
	for _, in := range []section{resultSection, summarySection} {
		first, named := "", ""
		for _, u := range units {
			if u.in != in {
				continue
			}
			switch s := firstReal(u); {
			case s == "":
			case u.overall:
				return s
			case named == "" && (u.labelled || judged.MatchString(s)):
				named = s
			case first == "" && !figureLine().MatchString(s):
				first = s
			}
		}
		if named != "" {
			return named
		}
		recommended := slices.ContainsFunc(units, func(u unit) bool { return u.in == recommendSection })
		if first != "" && (outcome.MatchString(first) || !recommended) {
			return first
		}
	}
	best, bestScore := "", 0.0
	first := true
	cause := causeBeforeDone(units)
	done := false // the section that says what was done has had its say
	for i, u := range units {
		switch u.in {
		case adviceSection, triedSection, rememberSection, errorSection:
			continue
		case causeSection:
			if cause >= 0 {
				continue
			}
		}
		if u.fact || u.heading {
			continue
		}
		for k, s := range u.sentences {
			if !hasWords(s) || greeting.MatchString(s) || plan.MatchString(s) || announces(s) && !leads(u, s) {
				continue
			}
			score := 0.1
			switch {
			case contentless.MatchString(s):
				score = 1
			default:
				looked := looking.MatchString(s)
				if outcome.MatchString(s) && !looked {
					score += 3
				}
				if looked && statesNothing(s) {
					score--
				} else if first && !u.item {
					score += 2
					first = false
				}
				switch {
				case standsBadly(s):
					score += 2.5
				case gaveUp(s):
					score -= 3
				case unresolved.MatchString(s):
					score--
				}
				if located().MatchString(s) && !u.item && !looked {
					score += 2.2
				}
				if constraint.MatchString(s) && !first {
					score -= 1.5
				}
				if tellsCause.MatchString(s) {
					score -= 2.5
				}
			}
			switch {
			case cause >= 0 && i > cause && u.in == doneSection && !done:
				score = max(score, 3)
				done = true
			case u.in == recommendSection && k == 0:
				score = max(score, 2.5)
			case u.item:
				score -= 2.5
			}
			if u.in != recommendSection && (toReader.MatchString(s) || tooShort(s)) {
				score -= 2
			}
			if dangling().MatchString(s) {
				score -= 1.5
			}
			if u.in == openSection || u.in == otherSection || u.in == causeSection {
				score--
			}
			if best == "" || score > bestScore {
				best, bestScore = s, score
			}
		}
	}
	if best == "" { // facts alone, one word, or what is no sentence
		i := max(0, slices.IndexFunc(units, func(u unit) bool { return !u.heading && !u.errs }))
		if i < len(units) {
			best = units[i].text
		}
	}
	return best
}

// failure matches what says that something went wrong or was not finished, and
// noFailure what only says that nothing did.
var (
	failure = anyOf(
		`\b(?:wrong|errors?|fail(?:s|ed|ing|ure)?|missing|stopped|killed|abort(?:s|ed|ing)?|interrupted|incomplete|unfinished|partial(?:ly)?|so far|half|unable|could not|couldn't|cannot|can't|not able|impossible|blocked|crash(?:es|ed)?|gave up|timed out|timeout|ran out|broken)\b`,
		`não consegui`, `não foi possível`, `\b(?:falh(?:a|ou)|erros?|faltou|parou|interrompid[oa]|abortad[oa]|incomplet[oa]|parcial(?:mente)?)\b`,
		`失败|无法|错误|报错|未能|中断|超时|停止|没有通过|部分完成`)
	noFailure = anyOf(`\b(?:no|without|zero|0)(?: \w+)? (?:errors?|failures?|failed|timeouts?)\b`, `\bpassed\b`, `\bso(?: that)? [^.,;]{1,60}\b(?:cannot|can't|never)\b`, `\b(?:sem|nenhuma?) (?:erros?|falhas?)\b`, `(?:没有|无)(?:任何)?(?:错误|报错|失败)`)
)

// tellsFailure is true for a sentence that may conclude work that did not end
// well: it says that something went wrong.
func tellsFailure(s string) bool {
	return (failure.MatchString(s) || badEnd.MatchString(s) || givenUp.MatchString(s) || unresolved.MatchString(s)) &&
		!noFailure.MatchString(s) && !(contentless.MatchString(s) || wentWell.MatchString(s) && !badEnd.MatchString(s))
}

// failureOf picks the last sentence of a report that says what went wrong in
// the end, of those that no list of its prose holds, or "".
func failureOf(report string, p Prose) string {
	last := ""
	for _, u := range unitsOf(Redact(strings.ToValidUTF8(unixLines(report), "\uFFFD"))) {
		if u.fact || u.heading || u.errs || u.in == adviceSection || u.in == triedSection {
			continue
		}
		for _, s := range u.sentences {
			listed := slices.ContainsFunc(slices.Concat(p.Tried, p.Open, p.Remember, p.Errors), func(item string) bool { return strings.Contains(item, strings.TrimSpace(s)) })
			if !listed && !gaveUp(s) && hasWords(s) && failure.MatchString(s) && outcome.MatchString(s) && tellsFailure(s) && !announces(s) && !plan.MatchString(s) && !toReader.MatchString(s) {
				last = s
			}
		}
	}
	return clip(strings.TrimSpace(last), conclusionWidth)
}

// causeBeforeDone returns the first unit under a heading that announces a
// cause, where a later heading announces what was done about it; otherwise -1.
func causeBeforeDone(units []unit) int {
	cause := -1
	for i, u := range units {
		switch {
		case u.in == causeSection && cause < 0:
			cause = i
		case u.in == doneSection && cause >= 0:
			return cause
		}
	}
	return -1
}

// statesNothing is true for a sentence that ends where it began: what was
// looked at, and not what was seen there.
func statesNothing(s string) bool {
	return !outcome.MatchString(s) && !statesFact(s) && !found.MatchString(s)
}

// leads is true for a sentence that announces a list and says what came out as
// well: "Fixed all test files to use the new theme:".
func leads(u unit, s string) bool {
	return !u.item && hasWords(s) && outcome.MatchString(s) && len(strings.Fields(s)) >= 5
}

// tooShort is true for exclamations; a sentence of a result has three words.
func tooShort(s string) bool {
	return len(strings.Fields(s)) < 3 && utf8.RuneCountInString(s) == len(s)
}

func firstReal(u unit) string {
	if u.heading {
		return ""
	}
	for _, s := range u.sentences {
		if (!announces(s) || leads(u, s)) && !greeting.MatchString(s) && !plan.MatchString(s) && !contentless.MatchString(s) {
			return s
		}
	}
	return ""
}

// end is a sentence that says that something is done, by its place in a report
// and with the words that tell what.
type end struct {
	unit, sentence int
	words          map[string]bool
}

// endsOf are the sentences of a report that settle something.
func endsOf(units []unit) (ends []end) {
	for i := range units {
		if units[i].in == adviceSection {
			continue
		}
		for k, s := range units[i].sentences {
			if settled.MatchString(s) && !unresolved.MatchString(s) {
				ends = append(ends, end{i, k, telling(s)})
			}
		}
	}
	return ends
}

// settledLater looks for a later sentence that says the same thing is done: it
// has a settling word and shares most of the telling words of the open point.
func settledLater(point string, ends []end, at, sentence int) bool {
	want := telling(point)
	if len(want) == 0 {
		return false
	}
	for _, e := range ends {
		if e.unit < at || e.unit == at && e.sentence <= sentence {
			continue
		}
		shared := 0
		for w := range want {
			if e.words[w] {
				shared++
			}
		}
		if shared >= 2 && shared*2 >= len(want) || shared == len(want) {
			return true
		}
	}
	return false
}

var stopWords = words("the and for are was were not yet with that this from has have had but its into also still been now will can could a an is it in on to of be as by or at uma para com não que ainda dos das foi ser está por sem mais agora work works working done todo remaining")

// telling returns the words of s that carry its subject: words of three bytes
// or more, and pairs of Han characters.
func telling(s string) map[string]bool {
	m := map[string]bool{}
	var prev rune
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		prev = 0
		ascii := strings.Builder{}
		for _, r := range w {
			if unicode.Is(unicode.Han, r) {
				if prev != 0 {
					m[string([]rune{prev, r})] = true
				}
				prev = r
			} else {
				prev = 0
				ascii.WriteRune(r)
			}
		}
		if a := ascii.String(); utf8.RuneCountInString(a) >= 3 && !stopWords()[a] {
			m[a] = true
		}
	}
	for _, noise := range []string{"完成", "尚未", "暂未", "未完", "已完", "现已", "还没", "没有"} {
		delete(m, noise)
	}
	return m
}
