package summarize

import (
	"strings"
)

// form says how a value stands behind its cue, which decides how much the
// value itself has to tell.
type form uint8

const (
	isForm      form = iota // the password is X
	bareForm                // password X
	quotedForm              // password "X"
	literalForm             // setPassword("X"), <password>X</password>: there is nothing but a value
)

// told returns the span of the value s[from:to] if it is a secret.
func (f *finder) told(kind kind, from, to int, fm form) (span, bool) {
	s := f.s
	if from >= to || to-from > longestValue || s[from] == '*' || fm < quotedForm && to < len(s) && (s[to] == '(' || s[to] == '[') || tagAt(s[from:]) > 0 || !spoken(kind, unpadded(s[from:to]), fm, clauseEnds(s, to)) {
		return span{}, false
	}
	name := kind.tag()
	if m, ok := f.token(from); ok && m.from == from {
		name, to = m.name, max(to, m.to)
	}
	return span{from, to, name}, true
}

// unpadded is v without the padding of base64.
func unpadded(v string) string {
	if len(v) < 20 {
		return v
	}
	return strings.TrimRight(v, "=")
}

// clauseEnds reports whether nothing that belongs to the same phrase follows.
func clauseEnds(s string, i int) bool {
	for i < len(s) && strings.IndexByte(")`'\"*_", s[i]) >= 0 {
		i++
	}
	rest := s[i:]
	switch {
	case rest == "", strings.IndexByte("\n\r,;.!?|<\\}]", rest[0]) >= 0, rest[0] >= 0x80:
		return true
	}
	for _, w := range []string{" and ", " for ", " on ", " until ", " now", " but ", " (", " - ", " |", " which ", "  "} {
		if strings.HasPrefix(rest, w) {
			return true
		}
	}
	return false
}

// spoken decides whether v, found without a separator behind a cue of kind k,
// is a secret.
func spoken(k kind, v string, fm form, ends bool) bool {
	if len(v) < 4 || placeholder(v) || reference(v) {
		return false
	}
	if k == codeKey {
		return codeValue(v) && (ends || fm >= quotedForm)
	}
	if strings.ContainsAny(v, " \t\r\n") {
		return fm >= quotedForm && k == passKey && passphrase(v) || phraseKey == k && seedPhrase(v)
	}
	switch k {
	case phraseKey:
		return false
	case tokenKey:
		if fm == bareForm && len(v) < 20 {
			return false
		}
		return randomText(v) && len(v) >= 16 && !strings.ContainsAny(v, "(){}[]$") ||
			strongPass(v) && (fm == literalForm || fm == isForm && ends) && len(v) >= 8
	}
	if strongPass(v) {
		return true
	}
	// hunter42 is a word with a number: a password only where nothing else
	// can stand.
	switch fm {
	case literalForm, quotedForm:
		return numberedWord(v)
	case isForm:
		return ends && numberedWord(v) && !technical()[strings.TrimRight(strings.ToLower(v), digitBytes)]
	}
	return false
}

// Words with numbers that a password is hashed or encoded with, or has.
var technical = words("base sha md utf oauth argon pbkdf aes rsa step v version level chapter ipv http es hs rs bcrypt scrypt ntlm kerberos option case test phase part python node go java web")

// numberedWord is a word of four letters or more with a number behind it.
func numberedWord(v string) bool {
	letters := strings.TrimRight(v, digitBytes)
	n := len(v) - len(letters)
	return n >= 1 && n <= 4 && len(letters) >= 4 && strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == "" && (n >= 2 || wordCaps(letters) == 0)
}

// codeValue reports whether v is a recovery code: letters and digits, in
// groups. Codes of digits alone are numbers like any other.
func codeValue(v string) bool {
	st := statsOf(v)
	return len(v) >= 8 && len(v) <= 40 && st.digits > 0 && st.lower+st.upper > 1 && st.other == 0 && st.symbols == strings.Count(v, "-") && (st.symbols > 0 || !wordish(v))
}

// strongPass reports whether v looks like a password and like nothing that
// prose and code are made of.
func strongPass(v string) bool {
	st := statsOf(v)
	letters := st.lower + st.upper
	if len(v) < 6 || len(v) > 200 || st.other > 0 || letters < 3 || placeholder(v) || reference(v) {
		return false
	}
	special := 0 // bytes that passwords have and names and paths have not
	for i := range len(v) - 1 {
		if strings.IndexByte("#$%^&*!~+", v[i]) >= 0 {
			special++
		}
	}
	if strings.ContainsAny(v, "(){}[]|<>\"'`\\=") || strings.Contains(v, "::") || strings.Contains(v, "->") {
		return false
	}
	if v[0] == '$' || v[0] == '%' || v[0] == '&' || strings.Contains(v, "${") {
		return false
	}
	if st.digits == 0 {
		return special > 0 && st.upper > 0 && st.lower > 3 && len(v) >= 8 && v[0] != '*' && v[0] != '#' && v[0] != '!' && !strings.ContainsAny(v, "./,:*&+")
	}
	if at := strings.IndexByte(v, '@'); at >= 0 && strings.Contains(v[at:], ".") {
		return false // an address
	}
	if strings.ContainsAny(v, "/.,:;") && special == 0 && (len(v) < 16 || !randomText(v) || !mixedCase(v)) {
		return false // a path, a selector, a time
	}
	if special == 0 && strings.Contains(v, "_") && (st.upper == 0 || st.lower == 0) && len(v) < 24 {
		return false // a name
	}
	if strings.Contains(v, "%s") || strings.Contains(v, "%d") || strings.Contains(v, "%v") || strings.Contains(v, "%q") {
		return false
	}
	return !wordish(v) && !wordish(strings.Trim(v, "#*!~+"))
}

// passphrase reports whether some words in quotes are a password and no
// message about one: they are few, and one has a number or a sign in it.
func passphrase(v string) bool {
	if strings.ContainsAny(v, "\r\n\t") || len(v) > 80 {
		return false
	}
	all := strings.Fields(v)
	if len(all) > 5 || strings.Join(all, " ") != v {
		return false
	}
	told := false
	for _, w := range all {
		if proseWords()[strings.ToLower(strings.Trim(w, ".,:;!?"))] {
			return false
		}
		told = told || strongPass(w) || numberedWord(strings.TrimRight(w, "!?#"))
	}
	return told
}

// proseWords stand in messages about passwords and hardly ever in passphrases.
var proseWords = words("a an the is are was be must may can not no at least of to in on for from with and or your my our this that it enter type please new old current password passwords passwort token key secret user username login required invalid wrong incorrect min max than more characters chars char digits digit len length see ask same as confirm repeat again step if when use")

// seedPhrase reports whether v is a wallet's recovery phrase: 12 words or
// more, all short and lower-case, as the word lists of BIP 39 have them.
func seedPhrase(v string) bool {
	all := strings.Fields(v)
	if len(all) < 12 || len(all) > 30 {
		return false
	}
	for _, w := range all {
		if len(w) < 3 || len(w) > 8 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" || proseWords()[w] {
			return false
		}
	}
	return true
}

// seedEnd returns the end of the run of short lower-case words at i.
func seedEnd(s string, i int) int {
	end, n := i, 0
	for n < 30 {
		e := end
		if n > 0 {
			for e < len(s) && e-end < 8 && (s[e] == ' ' || s[e] == '\n' || s[e] == ',') {
				e++
			}
			if e == end {
				break
			}
		}
		w := e
		for w < len(s) && s[w] >= 'a' && s[w] <= 'z' {
			w++
		}
		if w-e < 3 || w-e > 8 || proseWords()[s[e:w]] {
			break
		}
		end = w
		n++
	}
	if n < 12 {
		return i
	}
	return end
}

// gap returns the offset behind spaces, tabs and line ends at i, also escaped
// ones, and how many lines end there.
func gap(s string, i int) (j, lines int) {
	for j = i; j < len(s) && j-i < 200; {
		switch c := s[j]; {
		case c == ' ' || c == '\t':
			j++
		case c == '\n':
			lines++
			j++
		case c == '\r':
			j++
		case c == '\\':
			k := j
			for k < len(s) && k-j < 4 && s[k] == '\\' {
				k++
			}
			if k >= len(s) || strings.IndexByte("nrt", s[k]) < 0 {
				return j, lines
			}
			if s[k] == 'n' {
				lines++
			}
			j = k + 1
		default:
			return j, lines
		}
	}
	return j, lines
}
