package summarize

import (
	"strings"
	"sync"
)

// sentence looks for a value behind a cue in prose or in a command: password
// X, the password is X, the password of the server is X.
func (f *finder) sentence(kind kind, name string, end int) (span, bool) {
	s := f.s
	j := end
	// The end of what the cue stands in: `password`, **password**, "password".
	for n := 0; n < 3 && j < len(s) && strings.IndexByte("*`_\"'", s[j]) >= 0; n++ {
		j++
	}
	if j >= len(s) {
		return span{}, false
	}
	if s[j] != ' ' && s[j] != '\t' && s[j] != ',' && s[j] < 0x80 {
		return span{}, false
	}
	if s[j] == ',' { // the password, X, has to be rotated
		from, to := j+2, wordEnd(s, min(len(s), j+2), false, false)
		rest := strings.TrimLeft(s[min(to, len(s)):min(len(s), to+3)], "!?")
		if kind == passKey && article(s, end-len(name)) && to > from && strings.HasPrefix(rest, ",") {
			return f.told(kind, from, to, bareForm)
		}
		return span{}, false
	}
	verb := strings.EqualFold(name, "pass") // pass X to Y
	fm, from := bareForm, false
	for n := 0; n < 12 && j < len(s); n++ {
		for j < len(s) && (s[j] == ' ' || s[j] == '\t') {
			j++
		}
		if j >= len(s) || s[j] == '\n' {
			return span{}, false
		}
		if at, to, ok := quoted(s, j); ok {
			if fm != isForm && n > 0 && !from {
				return span{}, false // a Go field's tag, the next argument
			}
			return f.told(kind, at, to, quotedForm)
		}
		if s[j] == '(' {
			j++
			if from, to, ok := quoted(s, j); ok && n == 0 {
				return f.told(kind, from, to, quotedForm)
			}
			// a remark: (temporary): X
			c := strings.IndexByte(s[j:min(len(s), j+30)], ')')
			if c < 0 {
				return span{}, false
			}
			j += c + 1
			if j < len(s) && s[j] == ':' {
				fm, j = isForm, j+1
			}
			continue
		}
		if t := tagAt(s[j:]); t > 0 { // from X to Y, X is hidden
			j += t
			for j < len(s) && strings.IndexByte("!?", s[j]) >= 0 {
				j++
			}
			continue
		}
		if w := connector(s[j:]); w > 0 && (n > 0 || s[j] != '=' && s[j] != ':' || strings.HasPrefix(s[j:], "=>")) {
			j += w
			if !verb || !strings.HasSuffix(s[:j], "to") {
				fm = isForm
			}
			if k, lines := gap(s, j); lines > 0 { // the password is:\n\n```\nX
				if from, to, ok := nextLine(s, k, lines); ok {
					return f.told(kind, from, to, isForm)
				}
				return span{}, false
			}
			if j < len(s) && s[j] >= 0x80 || kind == phraseKey {
				if k, _ := gap(s, j); seedEnd(s, k) > k {
					return f.told(kind, k, seedEnd(s, k), isForm)
				}
			}
			continue
		}
		to := wordEnd(s, j, false, false)
		if to == j && s[j] < 0x80 {
			return span{}, false
		}
		if m, ok := f.told(kind, j, to, fm); ok && (fm == isForm || n == 0 || from) {
			return m, true
		}
		if n == 0 && fm == bareForm && to == j+1 && s[j] >= '0' && s[j] <= '9' && to < len(s) && s[to] == ' ' {
			// password 0 X, secret 5 X: how a router has encoded it
			return f.told(passKey, to+1, wordEnd(s, to+1, true, false), bareForm)
		}
		if fm == bareForm && n == 0 && (kind == passKey || kind == weakPassKey) && userBefore(s, end-len(name)) && numberedWord(s[j:to]) && clauseEnds(s, to) {
			return f.told(kind, j, to, isForm)
		}
		// Words of any script are passed over, values are ASCII.
		for to < len(s) && to-j < 40 && (s[to] >= 0x80 || class[s[to]]&wordByte != 0) {
			to++
		}
		if fm == isForm && n > 0 && !filler()[strings.ToLower(s[j:to])] {
			return span{}, false
		}
		// A preposition may lead to where the secret belongs, a verb to it.
		if n == 0 && fm == bareForm && s[j] < 0x80 && !leadWords()[strings.ToLower(s[j:to])] {
			return span{}, false
		}
		from = strings.EqualFold(s[j:to], "from") || s[j] >= 0x80
		j = to
		if j < len(s) && s[j] == '\'' { // bob's
			j++
		}
		if j < len(s) && (s[j] == ':' || s[j] == '=') { // password for bob: X
			fm, j = isForm, j+1
			continue
		}
		if j < len(s) && strings.IndexByte(".;!?,)", s[j]) >= 0 {
			return span{}, false
		}
	}
	return span{}, false
}

// nextLine returns the bounds of a value that stands alone on the line at k,
// also in a fence.
func nextLine(s string, k, lines int) (from, to int, ok bool) {
	if lines > 3 {
		return 0, 0, false
	}
	if strings.HasPrefix(s[k:], "```") {
		k += 3
		k = run(s, k, wordByte)
		j, n := gap(s, k)
		if n != 1 {
			return 0, 0, false
		}
		k = j
	}
	if from, to, ok := quoted(s, k); ok {
		return from, to, true
	}
	end := wordEnd(s, k, true, false)
	for to = end; to < len(s) && strings.IndexByte("!?", s[to]) >= 0; {
		to++
	}
	if to == k || !(to == len(s) || strings.IndexByte("\n\r\\.\"'`", s[to]) >= 0) {
		return 0, 0, false
	}
	return k, end, true
}

// connectors lead from a cue to its value.
var connectors = []string{
	"is ", "was ", "are ", "be ", "to ", "should be ", "is:", "are:", "has been reset to ", "=> ", "-> ", "→ ", "- ", "– ", "— ", "= ", ": ", "typed ", "entered ", "used ",
	"ist ", "lautet ", "auf ", "est ", "es ", "è ", "é ", "är ", "er ", "je ", "to jest ", "là ", "adalah ", "olan ",
	"是", "为", "為", "は", "는 ", "은 ", "：", "»: ", "с",
}

var connectorsBy = sync.OnceValue(func() *[256][]string {
	var t [256][]string
	for _, c := range connectors {
		t[c[0]] = append(t[c[0]], c)
	}
	return &t
})

// connector returns the length of the connector at the beginning of s.
func connector(s string) int {
	first := s[0]
	if first >= 'A' && first <= 'Z' {
		first += 'a' - 'A'
	}
	for _, c := range connectorsBy()[first] {
		if len(s) >= len(c) && strings.EqualFold(s[:len(c)], c) {
			return len(strings.TrimRight(c, " "))
		}
	}
	return 0
}

// filler may stand between "is" and a value.
var filler = words("now still currently just simply always actually set reset changed probably really only jetzt nun maintenant ahora agora ora")

// leadWords may stand behind a cue whose value is still to come.
var leadWords = words("for of to on in from and wurde wird should has will was der des für fuer von vom zum de da du del do di dla pro do от для к till för al la le el has i have that the user's root admin")

// userBefore reports whether the line names a user shortly before i.
func userBefore(s string, i int) bool {
	line := strings.ToLower(s[max(0, i-60):max(0, i)])
	return strings.Contains(line, "user") || strings.Contains(line, "login") || strings.Contains(line, "machine ")
}

// article reports whether the word before i points at one thing.
func article(s string, i int) bool {
	for _, w := range []string{"the ", "my ", "your ", "his ", "her ", "our ", "its ", "their "} {
		if i >= len(w) && strings.EqualFold(s[i-len(w):i], w) {
			return true
		}
	}
	return false
}
