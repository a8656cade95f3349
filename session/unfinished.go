package session

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Unfinished says in a few words why a child's last words are not those of
// finished work, "" if they may be: a stub without any fact, words that break
// off, a plan. Agents of all kinds were seen to announce success with such.
func Unfinished(report string) string {
	plan := planReason(report)
	if plan == "" && narrow(report) && !hasFact(report) {
		return "result is a stub"
	}
	return plan
}

// stubWidth is the width below which a result without any fact says nothing,
// in columns: a Chinese character says about as much as three Latin letters.
const stubWidth = 40

func narrow(s string) bool {
	if len(s) >= utf8.UTFMax*stubWidth {
		return false
	}
	n := 0
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n += 3
		} else {
			n++
		}
		if n >= stubWidth {
			return false
		}
	}
	return true
}

// factPattern matches a number, a path, an identifier or a quotation.
var factPattern = Lazy("[0-9/\\\\_=@#`\"“「]|[A-Za-z]\\.[A-Za-z]|[a-z][A-Z]")

func hasFact(s string) bool { return factPattern().MatchString(s) }

var (
	truncatedPattern = Lazy(`(?i)[(\[…]{0,2}truncated[)\]]?[.…]{0,3}$`)
	conditionPattern = Lazy(`(?i)[?？]|\b(?:if|once|when|unless|until|after you|se|quando|caso|assim que)\b|如果|若|等你|等您|之后再`)
	planPattern      = Lazy(`(?i)^(?:` + strings.Join([]string{
		`(?:now,? |next,? |first,? |then,? |so,? |ok(?:ay)?,? )?let me (?:now |first |also |try |start|begin|check|look|read|run|create|write|fix|update|verify|continue|proceed|examine|explore|search|investigate|use|get|do|see|analy[sz]e|implement|open|find|test|add)`,
		`(?:now,? |next,? |first,? |then,? |so,? )?(?:i['’]ll|i will|i['’]m going to|i am going to|we['’]ll|we will) (?:now |first |next |then |also )?(?:start|begin|continue|proceed|check|look|read|run|search|try|examine|inspect|investigate|fetch|explore|go ahead|create|write|update|implement|fix|analy[sz]e)`,
		`(?:next|now|first),? (?:i['’]ll|i will|i['’]m going to|let['’]s) `,
		`i['’]ll start by`, `let['’]s (?:start|begin|now|first|check|look)\b`,
		`(?:agora,? |primeiro,? |em seguida,? |a seguir,? |depois,? )?(?:eu )?vou (?:agora |primeiro |começar|iniciar|continuar|verificar|analisar|executar|ler|procurar|buscar|criar|escrever|checar|prosseguir)`,
		`(?:agora,? |primeiro,? |em seguida,? |a seguir,? )vou `,
		`deixe[- ]me (?:verificar|ver|começar|analisar|agora|primeiro|ler|executar)`, `vamos (?:começar|agora|verificar)`,
		`(?:现在|接下来|首先|下一步|然后)?[，,]?(?:让我|我先|我现在|我将(?:先|首先|开始|继续)|我会(?:先|首先|开始|继续)|我要先|我来)(?:[^知]|$)`,
		`(?:接下来|首先|下一步)[，,]?(?:我|让我们)`,
	}, "|") + `)`)
)

// brokenSigns and brokenWords are what a line that breaks off ends with.
var (
	brokenSigns = []string{",", "，", "、", "(", "（", "["}
	brokenWords = []string{"and", "or", "but", "the", "an", "with", "because", "which", "from", "ou", "mas", "para", "com", "porque", "um", "uma", "及", "和", "因为", "但是"}
)

// tailSize is more bytes than truncatedPattern can match: it looks at the end of
// a text, and would search all of it for its beginning.
const tailSize = 32

func tail(s string) string { return s[max(0, len(s)-tailSize):] }

// planReason says why a report's last words are not those of finished work.
// Reports that end in a list, a table or without a full stop are common and
// are left alone.
func planReason(report string) string {
	report = strings.TrimSpace(report)
	if end := tail(report); strings.Contains(strings.ToLower(end), "truncated") && truncatedPattern().MatchString(end) {
		return ""
	}
	last := strings.TrimSpace(report[strings.LastIndexByte(report, '\n')+1:])
	if fences(report)%2 == 1 {
		return "result ends inside a code block"
	}
	if strings.HasPrefix(last, "```") || strings.HasPrefix(last, "~~~") {
		return ""
	}
	last = strings.TrimRight(last, "*_ ")
	if strings.HasSuffix(last, ":") || strings.HasSuffix(last, "：") {
		return "result ends with a colon"
	}
	if listItem(last) {
		return ""
	}
	if breaksOff(last) {
		return "result ends in mid-sentence"
	}
	s := lastSentence(last)
	if mayPlan(s) && planPattern().MatchString(s) && !conditionPattern().MatchString(s) {
		return "result ends like a plan"
	}
	return ""
}

// fences counts the lines that begin or end a block of code.
func fences(report string) int {
	if !strings.Contains(report, "```") && !strings.Contains(report, "~~~") {
		return 0
	}
	n := 0
	for line := range strings.Lines(report) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			n++
		}
	}
	return n
}

// listItem reports whether a line begins with the mark of a list, a quotation
// or a table, or with a number of up to three digits.
func listItem(line string) bool {
	if r, _ := utf8.DecodeRuneInString(line); strings.ContainsRune("-*+•|>", r) {
		return true
	}
	digits := 0
	for digits < len(line) && line[digits]-'0' <= 9 {
		digits++
	}
	rest := line[digits:]
	return digits >= 1 && digits <= 3 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// breaksOff reports whether a line ends in the middle of a sentence.
func breaksOff(line string) bool {
	for _, sign := range brokenSigns {
		if strings.HasSuffix(line, sign) {
			return true
		}
	}
	return slices.Contains(brokenWords, line[strings.LastIndexAny(line, " \t\n\f\r")+1:])
}

// mayPlan reports whether a sentence begins like one that planPattern matches,
// in any case; the few letters outside of ASCII that fold to one of it count. It
// rules out most by two bytes, where the expression takes a thousand times as
// long.
func mayPlan(s string) bool {
	if len(s) < 2 {
		return false
	}
	if s[0] >= utf8.RuneSelf || s[1] >= utf8.RuneSelf {
		return true
	}
	head := string([]byte{s[0] | 0x20, s[1] | 0x20}) // upper case to lower; no sign of planHeads has that bit cleared
	return strings.Contains(planHeads, head)
}

// planHeads are what planPattern can begin with, two bytes and a bar each.
const planHeads = "|le|no|ne|fi|th|so|ok|i'|i |we|ag|pr|em|a |de|eu|vo|va|"

// lastSentence returns the last sentence of a line, without its own end.
func lastSentence(line string) string {
	line = strings.TrimRight(line, ".!…。！ ")
	for end := len(line); ; {
		if end = lastMark(line[:end]); end < 0 {
			break
		}
		mark, n := utf8.DecodeRuneInString(line[end:])
		rest := line[end+n:]
		if strings.ContainsRune("。！？", mark) {
			line = rest
			break
		}
		// A full stop ends a sentence where white space follows it.
		rest = strings.TrimLeft(rest, "\"')*_")
		if next := strings.TrimLeft(rest, " \t\n\f\r"); len(next) < len(rest) {
			line = next
			break
		}
	}
	return strings.TrimLeft(line, "*_ \"'“")
}

// lastMark is where the last sign that may end a sentence stands, -1 without one.
func lastMark(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		switch b := s[i]; {
		case b == '.' || b == '!' || b == '?':
			return i
		case b >= utf8.RuneSelf && utf8.RuneStart(b):
			if r, _ := utf8.DecodeRuneInString(s[i:]); strings.ContainsRune("…。！？", r) {
				return i
			}
		}
	}
	return -1
}

// Lazy compiles an expression at its first use: all of them at start-up would
// take longer than a small command itself.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
