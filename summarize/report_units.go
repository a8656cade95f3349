package summarize

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// section says what a heading or a label announces.
type section uint8

const (
	noSection section = iota
	resultSection
	summarySection
	triedSection
	rememberSection
	openSection
	errorSection     // errors on the way
	causeSection     // what was wrong, background
	doneSection      // what was changed
	adviceSection    // next steps, suggestions: never facts of a finished task
	processSection   // what was done, in order
	recommendSection // what to choose: the answer of a comparison, advice in others
	otherSection     // goals, usage, anything else with a heading
)

// unit is a paragraph, a list item or a single line of a report. Its text is a
// span of the report with white space folded.
type unit struct {
	text      string
	sentences []string
	in        section
	item      bool // of a list
	fact      bool // one key with its value
	heading   bool // a heading within a list item or a quotation: no sentence
	labelled  bool // its result has the label on its line
	overall   bool // and that says that it is the one of all
	errs      bool // an error line of a code fence in a section of errors
}

// blockErrors is how many lines of a block of code in a section of errors count
// where none of them looks like an error.
const blockErrors = 3

// printed is the first line of a block that may hold what a program printed: one
// of code holds what somebody wrote.
var printed = lazy("^\\s*(?:```|~~~)\\s*(?i:|text|txt|console|shell|sh|bash|zsh|output|log|plaintext|terminal)\\s*$")

// sample matches a line that leads to what might be printed, or should.
var sample = anyOf(`\b(?:examples?|samples?|e\.g\.|formats?|looks? like|expect(?:s|ed)?|should|would|will|new|wanted|instead)\b`, `\b(?:exemplos?|formato|esperad[oa]|deveria)\b`, `例如|示例|格式|期望|应该`)

// lastOf is the last line that is not blank.
func lastOf(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}

// errorBlock returns the error lines of the block of code that lines begin with,
// as far as skip marks it. A section of errors quotes errors: where no line
// looks like one, the first ones are meant. In others only a line counts that can
// be nothing else.
func errorBlock(lines []string, skip []bool, in section) []string {
	var all, known []string
	quotes := in == errorSection
	if in == triedSection || in == adviceSection {
		return nil
	}
	for i := 0; i < len(lines) && skip[i]; i++ {
		line := strings.TrimSpace(lines[i])
		if line == "" || fenceLine().MatchString(line) {
			continue
		}
		all = append(all, line)
		if errorLineOf(line, quotes) {
			known = append(known, line)
		}
	}
	if len(known) > 0 || !quotes {
		return known
	}
	return all[:min(len(all), blockErrors)]
}

var (
	fenceLine   = lazy("^\\s*(```|~~~)")
	headingLine = lazy(`^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
	boldLine    = lazy(`^\s*\*\*([^*]+)\*\*[:：]?\s*$`)
	listMarker  = lazy(`^\s*(?:[-*+•‣◦·–]|\(?\d{1,3}[.)、]|[①-⑳])\s+`)
	quoteMarker = lazy(`^\s*(?:>\s?)+`)
	checkbox    = lazy(`^\[[ xX]\]\s+`)
	innerHead   = lazy(`^#{1,6}\s+`)
	numbered    = lazy(`^\s*\d{1,2}[.)]\s`)
	ruleLine    = lazy(`^\s*([-*_=]\s*){3,}$`)
)

// unitsOf cuts a report into units. Code fences and tables are left out: their
// words are data, not statements.
func unitsOf(report string) []unit {
	lines := strings.Split(report, "\n")
	skip := fenced(lines)
	var units []unit
	heading, label := noSection, noSection
	outer, aside := noSection, false // the section around numbered headings
	inLabel := false
	var open []string // lines of the unit that is being read
	var cur unit
	flush := func() {
		if len(open) > 0 {
			units = append(units, finish(cur, open))
		}
		open, cur = nil, unit{}
	}
	start := func(u unit, line string) {
		flush()
		u.in = heading
		if inLabel {
			u.in = label
		}
		cur, open = u, []string{line}
	}
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if skip[i] || strings.HasPrefix(trimmed, "|") || ruleLine().MatchString(line) {
			flush()
			if skip[i] && (i == 0 || !skip[i-1]) {
				in := heading
				if inLabel {
					in = label
				}
				if in != errorSection && (!printed().MatchString(line) || i > 0 && sample.MatchString(lastOf(lines[:i]))) {
					continue
				}
				for _, line := range errorBlock(lines[i:], skip[i:], in) {
					units = append(units, unit{errs: true, in: errorSection, text: foldSpace(line)})
				}
			}
			continue
		}
		if trimmed == "" {
			flush()
			continue
		}
		m := headingLine().FindStringSubmatch(line)
		if bold := boldLine().FindStringSubmatch(line); m == nil && bold != nil && len(bold[1]) < 80 {
			m = bold
		}
		if m != nil {
			flush()
			number := numbered().FindString(m[1])
			if in := sectionOf(m[1]); number == "" {
				heading, outer = in, in
				aside = notMeant.MatchString(m[1])
			} else if heading = in; in == otherSection && outer == adviceSection {
				heading = outer
			}
			inLabel = false
			if says(m[1]) && !(number != "" && (aside || outer == adviceSection || outer == triedSection)) {
				start(unit{fact: number != ""}, m[1][len(number):])
				flush()
			}
			continue
		}
		if m := listMarker().FindString(line); m != "" {
			text := strings.TrimLeft(line[len(m):], " \t")
			text = text[len(checkbox().FindString(text)):]
			start(unit{item: true}, text)
			continue
		}
		if isLabel(trimmed) {
			flush()
			label, inLabel = sectionOf(trimmed), true
			if label == otherSection {
				switch heading {
				case causeSection, errorSection, openSection, triedSection: // it only leads on
					label = heading
				}
			}
			continue
		}
		if m := quoteMarker().FindString(line); m != "" {
			start(unit{}, line[len(m):])
			flush()
			continue
		}
		if lead := leadingMark(trimmed); lead > 0 { // an emoji makes a line an item
			start(unit{item: false}, trimmed)
			continue
		}
		if isFactLine(trimmed) {
			start(unit{fact: true}, trimmed)
			flush()
			continue
		}
		if cur.item && (line[0] == ' ' || line[0] == '\t') || len(open) > 0 && !cur.item {
			open = append(open, line) // goes on
			continue
		}
		if len(units) > 0 && inLabel && (cur.item || units[len(units)-1].item) {
			inLabel = false // a paragraph behind the list of a label
		}
		start(unit{}, trimmed)
	}
	flush()
	return units
}

// fenced marks the lines of code fences. A fence that never closes marks only
// its own line: reports get cut, and their words must not be lost with it.
func fenced(lines []string) []bool {
	skip := make([]bool, len(lines))
	from, mark := -1, ""
	for i, line := range lines {
		m := fenceLine().FindStringSubmatch(line)
		switch {
		case m == nil:
		case from < 0:
			from, mark = i, m[1]
			skip[i] = true
		case m[1] == mark:
			for j := from; j <= i; j++ {
				skip[j] = true
			}
			from = -1
		}
	}
	return skip
}

// isLabel is true for a short line that announces what follows.
func isLabel(line string) bool {
	if !strings.HasSuffix(line, ":") && !strings.HasSuffix(line, "：") && !strings.HasSuffix(line, ":**") && !strings.HasSuffix(line, "：**") {
		return false
	}
	return utf8.RuneCountInString(line) <= 60 && !strings.Contains(line, ". ") && !strings.Contains(line, "。")
}

// isFactLine is true for NAME=value and "name: value" on a line of their own.
func isFactLine(line string) bool {
	if !strings.ContainsAny(line, " \t") && isPair(line) {
		return true
	}
	key, _, ok := keyValueLine(line)
	return ok && !factStop()[strings.ToLower(strings.TrimSpace(key))]
}

// Keys whose values are no facts to remember: file lists and counts are told
// elsewhere, and labels of statements are no keys.
var factStop = sync.OnceValue(func() map[string]bool {
	m := words("created modified changed added deleted removed updated file files tests test passed failed skipped duration time elapsed status result summary conclusion verdict error todo note arquivo arquivos testes status resultado resumo 文件 测试 状态 结果 总结 错误 新增 修改 删除")()
	for _, k := range []string{"new file", "files changed", "files created", "files modified", "修改文件", "新增文件", "ficheiros criados"} {
		m[k] = true
	}
	return m
})

var overall = lazy(`(?i)final|overall`)

// says reports whether a heading is more than one: it has its result behind it,
// or it is the head of a finding that names its place.
func says(heading string) bool {
	h := strings.TrimSpace(heading[leadingMark(heading):])
	if m := resultLabel().FindString(h); m != "" {
		return len(m) < len(h) && !summaryLabel.MatchString(m)
	}
	return numbered().MatchString(h) && located().MatchString(h) && len(strings.Fields(h)) > 4
}

func finish(u unit, lines []string) unit {
	text := foldSpace(strings.Join(lines, " "))
	text = strings.TrimSpace(text[leadingMark(text):])
	if m := innerHead().FindString(text); m != "" {
		u.heading = true
		text = text[len(m):]
	}
	if m := errorLabel().FindString(text); m != "" && len(m) < len(text) && !errorLineOf(text, false) {
		if said := strings.Trim(text[len(m):], " `*"); len(strings.Fields(said)) > 1 && !nothingOpen.MatchString(said) {
			u.errs, u.in, text = true, errorSection, said
		}
	}
	if m := resultLabel().FindString(text); m != "" && len(m) < len(text) {
		if rest := strings.TrimSpace(text[len(m):]); len(strings.Fields(rest)) > 2 || len(rest) > 20 { // else it says nothing alone
			text = rest
		}
		if summaryLabel.MatchString(m) {
			u.in = summarySection
		} else {
			u.in, u.labelled, u.overall = resultSection, true, overall().MatchString(m)
		}
	}
	if m := recommendLabel().FindString(text); m != "" && len(m) < len(text) {
		u.in = recommendSection
		text = strings.TrimSpace(text[len(m):])
	}
	if m := triedLabel().FindString(text); m != "" && len(m) < len(text) {
		u.in, u.item = triedSection, true
		text = strings.TrimSpace(text[len(m):])
	}
	u.text = text
	if u.item && isFactLine(text) {
		u.fact = true
	}
	u.sentences = sentencesOf(text)
	return u
}

// leadingMark returns the length of emoji and dingbats before the words.
func leadingMark(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		mark := unicode.Is(unicode.So, r) || r == 0xFE0F || r == 0x200D || r == 0x20E3 || unicode.Is(unicode.Sk, r) && r > 0x1F000
		if !mark && !(n > 0 && r == ' ') {
			break
		}
		n += size
	}
	return n
}

var abbreviations = words("e.g. i.e. etc. vs. cf. approx. no. dr. mr. ms. st. fig. eq. resp. incl. ex. p.ex. sr. sra. art. núm.")

// sentencesOf splits at . ! ? before a space and a new beginning, and at their
// full-width kin; not inside backticks, after abbreviations or list numbers.
func sentencesOf(text string) []string {
	var out []string
	from := 0
	run := 0 // behind the last run of stops that was looked at
	tick := false
	cut := func(to int) {
		if s := strings.TrimSpace(text[from:to]); s != "" {
			out = append(out, s)
		}
		from = to
	}
	for i, r := range text {
		switch r {
		case '`':
			tick = !tick && strings.IndexByte(text[i+1:], '`') >= 0
		case '。', '！', '？':
			if !tick {
				end := i + utf8.RuneLen(r)
				for _, q := range []string{"”", "」", "**", ")", "）"} {
					if strings.HasPrefix(text[end:], q) {
						end += len(q)
					}
				}
				if end > from {
					cut(end)
				}
			}
		case '.', '!', '?':
			if tick || i < from {
				continue
			}
			end := max(i+1, run)
			for end < len(text) && strings.IndexByte(`."!?)*'`, text[end]) >= 0 {
				end++
			}
			run = end
			if end >= len(text) || text[end] != ' ' {
				if end < len(text) && r != '.' {
					if next, _ := utf8.DecodeRuneInString(text[end:]); unicode.Is(unicode.Han, next) {
						cut(end)
					}
				}
				continue
			}
			next, _ := utf8.DecodeRuneInString(text[end+1:])
			word := text[strings.LastIndexByte(text[:i], ' ')+1 : i+1]
			if unicode.IsLower(next) || abbreviations()[strings.ToLower(word)] || len(word) == 2 && word[0] >= '0' && word[0] <= '9' && i-from < 4 {
				continue
			}
			cut(end)
		}
	}
	cut(len(text))
	return out
}
