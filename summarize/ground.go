package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sessc/mask"
)

// ground is the text that a model was told, prepared for the question whether
// words of its answer stand in it.
type ground struct {
	text    string          // white space folded
	low     string          // in lower case
	numbers map[string]bool // thousands separators removed
	trusted string          // what people and agents said and did, in lower case
	report  string          // of that, what was reported
	success bool            // the work ended well
}

func newGround(d brief, success bool) *ground {
	g := &ground{text: foldSpace(plain(d.all())), numbers: map[string]bool{}, success: success}
	g.low, g.trusted, g.report = strings.ToLower(g.text), strings.ToLower(foldSpace(plain(d.trusted()))), strings.ToLower(foldSpace(plain(d.Report)))
	for _, n := range numbersIn(withoutSeparators(g.text)) {
		g.numbers[n] = true
	}
	return g
}

// keep returns the answer without the sentences that the ground does not bear,
// and how many sentences there were and were dropped.
func (g *ground) keep(p Prose) (kept Prose, all, dropped int) {
	text := func(s string) string {
		var good []string
		for _, sentence := range sentencesOf(s) {
			all++
			if g.bears(sentence) {
				good = append(good, sentence)
			} else {
				dropped++
			}
		}
		return strings.Join(good, " ")
	}
	items := func(list []string) (good []string) {
		for _, item := range list {
			if item = text(item); item != "" {
				good = append(good, item)
			}
		}
		return good
	}
	kept = Prose{Conclusion: text(p.Conclusion), Tried: items(p.Tried), Remember: items(p.Remember), Open: items(p.Open)}
	return kept, all, dropped
}

// bears reports whether a sentence may stand in a record. Every path,
// identifier, number, URL, command, name and quoted text in it has to stand in
// what the model was told. Most of its words have to come from people or
// agents, not from the output of tools, and its exact words too where it is a
// rule: so an order that a tool printed does not become one. A claim of
// success in unfinished work has to be the report's own. What looks like a
// role, a mask of ours or an order to the model itself goes whatever it says.
func (g *ground) bears(sentence string) bool {
	s := plain(sentence)
	if strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) == "" {
		return false
	}
	if toModel().MatchString(s) || orderToModel().MatchString(s) || strings.Contains(s, tagOpen) || mask.Normalise(mask.Record{Task: s}).Task != foldSpace(s) {
		return false
	}
	for _, q := range quotesIn(sentence) {
		if !strings.Contains(g.low, strings.ToLower(foldSpace(plain(q)))) {
			return false
		}
	}
	rule := constraint.MatchString(s) || toReader.MatchString(s)
	for _, w := range exactWords(s) {
		if !g.has(w) || rule && !strings.Contains(g.trusted, strings.ToLower(w)) {
			return false
		}
	}
	if text, ok := errorText(s); ok && !strings.Contains(g.low, strings.ToLower(text)) {
		return false
	}
	switch {
	case !g.success && claimsSuccess(s):
		return share(s, g.report) >= 0.6
	case rule:
		return share(s, g.trusted) >= 0.6
	}
	return share(s, g.trusted) >= 0.4
}

// toModel matches what is said to or of a model.
var toModel = lazy(`(?i)\bas an ai\b|\byou are (?:now )?an?\b`)

// claimsSuccess is true for a sentence that reports a good end and no bad one.
func claimsSuccess(s string) bool {
	return (outcome.MatchString(s) || wentWell.MatchString(s) || contentless.MatchString(s)) &&
		!badEnd.MatchString(s) && !givenUp.MatchString(s) && !unresolved.MatchString(s)
}

// has reports whether an exact word stands in the ground as a whole.
func (g *ground) has(w string) bool {
	if isNumber(w) {
		return g.numbers[w]
	}
	if digits, ok := numerals[strings.ToLower(w)]; ok {
		return g.numbers[digits] || holds(g.low, strings.ToLower(w))
	}
	if n := len(w) - len(strings.TrimLeft(w, "0123456789.")); n > 0 && isLetters(strings.TrimPrefix(w[n:], "-")) && g.numbers[w[:n]] {
		return true // "5-minute" where the ground says "5 minutes"
	}
	if exactCase(w) {
		return holds(g.text, w)
	}
	return holds(g.low, strings.ToLower(w))
}

// exactCase is true for words in which the case of a letter carries meaning.
func exactCase(w string) bool { return strings.ContainsAny(w, "/\\._=:@#-") || innerCapital(w) }

// numerals are the words for numbers that count things in a claim. "One" is an
// article as well, and is none of them.
var numerals = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60",
	"hundred": "100", "thousand": "1000", "dois": "2", "duas": "2", "três": "3", "quatro": "4", "cinco": "5", "sete": "7",
	"oito": "8", "nove": "9", "dez": "10",
}

// exactWords returns the words of a sentence that are exact: wrong as soon as
// a letter is.
func exactWords(s string) []string {
	var words []string
	first := true
	for w := range strings.FieldsFuncSeq(withoutSeparators(s), breaksToken) {
		w = strings.TrimRight(strings.TrimLeft(w, "*~+"), ".:!?*~…")
		w, _ = strings.CutSuffix(w, "'s")
		if w == "" {
			continue
		}
		if isExact(w, first) {
			words = append(words, strings.Trim(w, "’'"))
		}
		first = false
	}
	return words
}

// isExact judges one word; the first of a sentence has a capital anyway.
func isExact(w string, first bool) bool {
	if _, ok := numerals[strings.ToLower(w)]; ok || programs()[w] && !everyday()[w] {
		return true
	}
	r, n := utf8.DecodeRuneInString(w)
	switch {
	case abbreviations()[strings.ToLower(w)+"."]:
		return false
	case hasDigit(w), strings.ContainsAny(w, "/\\_=@#$%"), innerCapital(w), len(w) > 2 && w[0] == '-' && w[1] != ' ':
		return true
	case strings.ContainsAny(strings.Trim(w, ".:"), ".:"):
		return true
	case unicode.IsUpper(r) && !first && len(w) > n:
		return true // a name
	}
	return false
}

// everyday are programs whose names are words as well.
var everyday = words("go make find cat head tail service at bun deno node python java swift dart mix rake bundle flutter helm poetry claude codex")

// innerCapital is true for camelCase, PascalCase, and words all in capitals.
func innerCapital(w string) bool {
	for i, r := range w {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

func isNumber(w string) bool {
	return w != "" && strings.Trim(w, "0123456789.") == "" && hasDigit(w)
}

// numbersIn returns the numbers of a text, those in words too, so that 5 is
// found in "5-minute" and in "5s".
func numbersIn(s string) []string {
	var found []string
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && (isDigit(s[end]) || s[end] == '.' && end+1 < len(s) && isDigit(s[end+1])) {
			end++
		}
		found = append(found, s[i:end])
		i = end
	}
	return found
}

// withoutSeparators takes the commas out of numbers such as 1,340.
func withoutSeparators(s string) string {
	if !strings.Contains(s, ",") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == ',' && i > 0 && isDigit(s[i-1]) && len(s) > i+3 && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) && (len(s) == i+4 || !isDigit(s[i+4])) {
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// quotesIn returns what stands in a sentence within backticks or double quotes
// of either kind.
func quotesIn(s string) []string {
	var found []string
	for _, q := range [][2]string{{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"「", "」"}} {
		rest := s
		for {
			_, after, ok := strings.Cut(rest, q[0])
			if !ok {
				break
			}
			inside, behind, ok := strings.Cut(after, q[1])
			if !ok {
				break
			}
			if inside != "" {
				found = append(found, strings.TrimRight(inside, ".,!?"))
			}
			rest = behind
		}
	}
	return found
}

// errorText is what a sentence quotes of an error without quotation marks:
// "... with TypeError: x is undefined".
func errorText(s string) (string, bool) {
	low := strings.ToLower(s)
	for _, mark := range []string{"error: ", "exception: ", "fatal: ", "panic: "} {
		if i := strings.Index(low, mark); i >= 0 {
			text, _, _ := strings.Cut(s[i+len(mark):], " - ")
			return strings.TrimRight(foldSpace(text), ".!?,;"), true
		}
	}
	return "", false
}

// share is how much of a sentence's telling words stand in a text, from 0 to
// 1; words count as the same when they begin alike. A sentence without telling
// words says nothing.
func share(s, text string) float64 {
	all := telling(s)
	if len(all) == 0 {
		return 0
	}
	said := 0
	for w := range all {
		if strings.Contains(text, stem(w)) {
			said++
		}
	}
	return float64(said) / float64(len(all))
}

// stem is the beginning of a word, five letters at most.
func stem(w string) string {
	n := 0
	for i := range w {
		if n == 5 {
			return w[:i]
		}
		n++
	}
	return w
}
