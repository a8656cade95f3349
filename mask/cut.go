package mask

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// maxCut bounds the bytes of one text that cut looks at: far more than any cap can hold, and it keeps the work small
// when a tool printed one line of many megabytes.
const maxCut = 64 << 10

// cut shortens s until ok accepts it and marks the place with an ellipsis. It prefers the end of a sentence, then that
// of a clause, then a space, when that keeps at least half of what could stand; otherwise any space, where a name, a path
// or a number would be torn, and else between two grapheme clusters, so that no emoji, no flag and no accent is torn. A text
// that ok accepts comes back unchanged; when nothing fits the ellipsis alone is left. s must be clean, the result is too.
func cut(s string, ok func(string) bool) string {
	if ok(s) {
		return s
	}
	body := s
	if len(body) > maxCut {
		body = strings.ToValidUTF8(body[:maxCut], "")
	}
	body = strings.TrimRightFunc(strings.TrimSuffix(body, ellipsis), unicode.IsSpace)
	end := func(n int, gap string) string {
		return clean(strings.TrimRightFunc(body[:n], unicode.IsSpace) + gap + ellipsis)
	}

	ends := graphemeEnds(body)
	i := largest(len(ends), func(k int) bool { return ok(end(ends[k-1], "")) })
	if i == 0 {
		return ellipsis
	}
	limit := ends[i-1]
	for _, borders := range [][]int{sentenceEnds(body), clauseEnds(body), spaceEnds(body)} {
		for k := sort.SearchInts(borders, limit+1) - 1; k >= 0 && borders[k]*2 >= limit; k-- {
			if t := end(borders[k], " "); ok(t) {
				return t
			}
		}
	}
	if n := strings.LastIndexByte(body[:limit], ' '); n > 0 && tears(body, limit) {
		if t := end(n, " "); ok(t) {
			return t
		}
	}
	return end(limit, "")
}

// endWords is the least of words that cutMiddle leaves on each side.
const endWords = 4

// A negation turns over what a sentence says, and a turn begins what came of a trial (en, pt, zh).
var (
	negation = lazy(`(?i)\b(?:not|no|never|none|nor|without|only|except|unless|until|fail\w*|crash\w*|reject\w*|refus\w*|revert\w*|drop\w*|não|nem|nunca|nada|sem|exceto|falh\w*)\b|\bsó(?:\W|$)|n[’']t\b|[不没未无非只失败]`)
	turn     = lazy(`(?i)\b(?:but|however|although|instead|mas|porém)\b|[但却]`)
)

// cutMiddle shortens s until ok accepts it, and keeps both its ends: what was tried says at its end what came of it, and
// an error why. It takes as many words from the one as from the other, and leaves nothing out that may turn over what is
// left; where it cannot, fits is false. s must be clean, the result is too.
func cutMiddle(s string, ok func(string) bool) (short string, fits bool) {
	if len(s) > maxCut || strings.Contains(s, ellipsis) {
		return "", false
	}
	spaces := spaceEnds(s)
	n := largest(len(spaces)/2, func(n int) bool { return ok(ends(s, spaces, n)) })
	if n >= endWords && !negation().MatchString(s[spaces[n-1]:spaces[len(spaces)-1-n]]) {
		return ends(s, spaces, n), true
	}
	// All from the first such word on, and as much before it as there is room for.
	for n := len(spaces) / 2; n >= endWords; n-- {
		rest := s[spaces[n-1]:]
		from := len(s)
		for _, at := range [][]int{negation().FindStringIndex(rest), turn().FindStringIndex(rest)} {
			if at != nil {
				from = min(from, spaces[n-1]+at[0])
			}
		}
		if from == len(s) {
			continue
		}
		if i := strings.LastIndexByte(s[:from], ' '); i > spaces[n-1] { // n't stands within a word
			from = i
		} else {
			continue // nothing is left out
		}
		if short = clean(s[:spaces[n-1]] + gap + strings.TrimSpace(s[from:])); ok(short) {
			return short, true
		}
	}
	return "", false
}

// cutInside is cutMiddle where that can be, else cut.
func cutInside(s string, ok func(string) bool) string {
	if ok(s) {
		return s
	}
	if short, fits := cutMiddle(s, ok); fits {
		return short
	}
	return cut(s, ok)
}

// ends are the first n words of a text and its last n.
func ends(s string, spaces []int, n int) string {
	return clean(s[:spaces[n-1]] + gap + strings.TrimSpace(s[spaces[len(spaces)-1-n]:]))
}

// gap stands where cutMiddle left something out.
const gap = " " + ellipsis + " "

// tears reports whether a cut at a place of s falls inside a word that says something exact, such as a path, a setting or
// an identifier: half of it can be another one.
func tears(s string, at int) bool {
	from, to := strings.LastIndexByte(s[:at], ' ')+1, len(s)
	if i := strings.IndexByte(s[at:], ' '); i >= 0 {
		to = at + i
	}
	word := s[from:to]
	return from < at && at < to && strings.ContainsAny(strings.TrimRight(word, ".,:;"), "/\\._=:-0123456789") &&
		strings.IndexFunc(word, func(c rune) bool { return c >= utf8.RuneSelf }) < 0
}

// cutCall shortens a call of a tool, a command or a path until ok accepts it, so that what stands can never pass for
// another one: it ends before a word and a space, and the ellipsis behind them shows that it went on. A first argument
// that does not fit loses its leading folders instead. s must be clean, the result is too.
func cutCall(s string, ok func(string) bool) string {
	if ok(s) {
		return s
	}
	body := strings.TrimRight(strings.TrimSuffix(s[:min(len(s), maxCut)], ellipsis), " ")
	tool, rest, _ := strings.Cut(body, " ")
	for n := len(body); ; {
		n = strings.LastIndexByte(body[:n], ' ')
		if n <= len(tool) {
			break
		}
		if t := clean(strings.TrimRight(body[:n], " |&;") + " " + ellipsis); ok(t) {
			return t
		}
	}
	argument, _, more := strings.Cut(rest, " ")
	for i := range len(argument) {
		if argument[i] != '/' && argument[i] != '\\' {
			continue
		}
		t := tool + " " + ellipsis + argument[i:]
		if more {
			t += " " + ellipsis
		}
		if t = clean(t); ok(t) {
			return t
		}
	}
	if t := clean(tool + " " + ellipsis); rest != "" && ok(t) {
		return t
	}
	return cut(s, ok)
}

// largest returns the largest k in 1..n that ok accepts, 0 when there is none. ok should turn from true to false
// once; where a tokenizer is not that regular the result is still one that ok accepted.
func largest(n int, ok func(k int) bool) int {
	lo, hi := 0, n
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if ok(mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// graphemeEnds returns the byte offsets at which a grapheme cluster of s ends.
func graphemeEnds(s string) []int {
	var ends []int
	for state, rest := -1, s; rest != ""; {
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		ends = append(ends, len(s)-len(rest))
	}
	return ends
}

// sentenceEnds returns the byte offsets at which a sentence of s ends, the spaces after it not counted.
func sentenceEnds(s string) []int {
	var ends []int
	for state, rest := -1, s; rest != ""; {
		var one string
		start := len(s) - len(rest)
		one, rest, state = uniseg.FirstSentenceInString(rest, state)
		end := start + len(strings.TrimRightFunc(one, unicode.IsSpace))
		last, _ := utf8.DecodeLastRuneInString(s[:end])
		if last < utf8.RuneSelf && (rest != "" && end == start+len(one) || strings.HasSuffix(strings.TrimRight(s[:end], ".!?"), " ")) {
			continue // a dot inside a word, such as a path, or one that stands alone
		}
		// The text may itself be the beginning of something longer: its last piece counts only when it is closed.
		if rest != "" || unicode.Is(unicode.Sentence_Terminal, last) {
			ends = append(ends, end)
		}
	}
	return ends
}

// clauseEnds returns the byte offsets in s at which a clause ends: before a mark with a space or another script behind
// it, a bracket, a dash, and the words that begin a reason or an addition.
func clauseEnds(s string) []int {
	var ends []int
	for i, c := range s {
		switch rest := s[i:]; c {
		case ',', ';', ':', '，', '；', '：', '、':
			if len(rest) > 1 && (rest[1] == ' ' || utf8.RuneLen(c) > 1 || rest[1] >= utf8.RuneSelf) {
				ends = append(ends, i)
			}
		case ' ':
			if i > 0 && strings.IndexByte(",;:", s[i-1]) >= 0 {
				continue // the mark was such a place
			}
			for _, w := range []string{" (", " - ", " – ", " — ", " because ", " since ", " so that ", " porque ", " depois que ", " and ", " instead of "} {
				if strings.HasPrefix(rest, w) {
					ends = append(ends, i)
					break
				}
			}
		}
	}
	return ends
}

// spaceEnds returns the byte offsets in s before which a word has ended, without those inside a word.
func spaceEnds(s string) []int {
	var ends []int
	for i, c := range s {
		if unicode.IsSpace(c) {
			ends = append(ends, i)
		}
	}
	return append(ends, len(s))
}
