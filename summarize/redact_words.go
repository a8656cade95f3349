package summarize

import (
	"encoding/base64"
	"slices"
	"strings"
	"sync"
)

// A cue is a word that may announce a secret without a separator behind it:
// "the password is X", "password X", <password>X</password>, | password | X |,
// setPassword("X"), IDENTIFIED BY 'X'. Nearly all words of a log are no cues,
// so that the walker looks up the last three letters of a word in a table
// before it looks at anything else.

// cueEnds are the ends of the words that are looked at.
var cueEnds = sync.OnceValue(func() *[1 << 15]bool {
	var t [1 << 15]bool
	for w := range strings.FieldsSeq(`password passwords passwd pwd pass passphrase passcode
		secret secrets token tokens key keys apikey apitoken passwort kennwort senha clave mdp passe
		wachtwoord senord senordet haslo heslo parola sifre salasana adgangskode passord contrase has jelsz khu ifre sandi
		credential credentials creds login logins log account auth basicauth
		pin otp totp psk mnemonic phrase words seed code codes cookie
		identified echo printf htpasswd sqlplus impdp expdp obscure community requirepass masterauth
		wpa_passphrase use user convertto config basic pypi pat alias values assword username lines bearer api wifi wlan zugangsdaten credenciales identifiants credenciais credenziali sign authenticate secreto segreto segredo jeton chiffrement cifratura criptografia`) {
		if len(w) >= 3 {
			t[tail(w, len(w))] = true
		}
	}
	return &t
})

// tail packs the last three letters before end, whatever their case.
func tail(s string, end int) uint16 {
	return uint16(s[end-3]&31)<<10 | uint16(s[end-2]&31)<<5 | uint16(s[end-1]&31)
}

// isCue reports whether the word s[i:end] has to be looked at.
func isCue(s string, i, end int) bool {
	if end-i < 3 {
		return end-i == 2 && s[i]|0x20 == 'p' && s[i+1]|0x20 == 'w'
	}
	return cueEnds()[tail(s, end)]
}

// word looks for a secret that the word s[i:end] announces.
func (f *finder) word(i, end int) (span, bool) {
	s := f.s
	low := strings.ToLower(s[max(i, end-24):end])
	if end < len(s) && (s[end] == ':' || s[end] == '=') && !loginWords()[low] && !loginWords()[low[1:]] {
		return span{}, false // pair
	}
	if c, ok := wordRules()[low]; ok {
		if m, ok := c(f, i, end); ok {
			return m, true
		}
	}
	if end-i > 2 && i > 0 && s[i-1] == '\\' { // \npassword, still escaped
		if c, ok := wordRules()[low[1:]]; ok {
			if m, ok := c(f, i+1, end); ok {
				return m, true
			}
		}
	}
	name := nameBefore(s, end)
	kind := keyKind(name)
	if kind == noKey && strings.HasSuffix(low, "s") {
		kind = keyKind(strings.TrimRight(name, "sS"))
		if kind == weakPassKey {
			kind = noKey
		}
	}
	if kind == noKey && end < len(s) && s[end] >= 0x80 { // contraseña, hasło
		for _, k := range wideKeys {
			if n := wideSplit(k); n > 0 && strings.HasSuffix(low, k[:n]) && strings.HasPrefix(s[end:], k[n:]) {
				kind, end = passKey, end+len(k)-n
				break
			}
		}
	}
	switch kind {
	case noKey, authKey, cookieKey, sigKey, weakKey:
		if kind != authKey && kind != cookieKey {
			return span{}, false
		}
		kind = tokenKey
	}
	return f.announced(kind, name, end)
}

// wideSplit is where the first byte beyond ASCII of a key stands, 0 when it
// begins with one.
func wideSplit(k string) int {
	for n := range len(k) {
		if k[n] >= 0x80 {
			return n
		}
	}
	return 0
}

// wide looks at a byte that may begin a key word in another script.
func (f *finder) wide(i int) (span, bool) {
	s := f.s
	for _, k := range wideKeys {
		if k[0] == s[i] && strings.HasPrefix(s[i:], k) {
			kind := passKey
			if tokenWide()[k] {
				kind = tokenKey
			}
			return f.announced(kind, k, i+len(k))
		}
	}
	return span{}, false
}

// announced looks for the value of a cue that ends at end.
func (f *finder) announced(kind kind, name string, end int) (span, bool) {
	s := f.s
	if m, ok := f.before(kind, end-len(name)); ok {
		return m, true
	}
	if m, ok := f.orderedBefore(kind, end-len(name)); ok || end >= len(s) {
		return m, ok
	}
	switch s[end] {
	case ':', '=':
		return span{}, false // pair
	case ',', ')':
		if m, ok := f.inserted(kind, end); ok {
			return m, true
		}
	case '>', '<':
		return f.element(kind, end)
	case '(':
		return f.argument(kind, end)
	}
	if _, at := quoteAt(s, end); at > end && at < len(s) && s[at] == '>' {
		return f.element(kind, at) // name="password">X<
	}
	if m, ok := f.literal(kind, name, end); ok {
		return m, true
	}
	if m, ok := f.column(kind, name, end); ok {
		return m, true
	}
	if m, ok := f.ordered(kind, name, end); ok {
		return m, true
	}
	return f.sentence(kind, name, end)
}

// before finds a secret that is told before its cue, which begins at i: "X is
// the password", "I used X as the password".
func (f *finder) before(kind kind, i int) (span, bool) {
	s := f.s
	if kind != passKey && kind != tokenKey || i <= 0 {
		return span{}, false
	}
	for _, w := range []string{" as the ", " as a ", " as my ", " as ", " is the ", " is my ", " is your ", " als "} {
		if i <= len(w)+4 || !strings.HasSuffix(s[:i], w) || kind == tokenKey && !strings.HasSuffix(w, "the ") && !strings.HasSuffix(w, "my ") {
			continue
		}
		to := i - len(w)
		for to > 0 && strings.IndexByte("`\"'*", s[to-1]) >= 0 {
			to--
		}
		from := to
		for from > f.start && to-from < 80 && s[from-1] > ' ' && s[from-1] < 0x80 && strings.IndexByte("`\"'*(\\", s[from-1]) < 0 {
			from--
		}
		if kind == tokenKey {
			return f.value(kind, from, to, false)
		}
		return f.told(kind, from, to, bareForm)
	}
	return span{}, false
}

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

var curly = []struct{ open, close string }{
	{"“", "”"}, {"‘", "’"}, {"„", "“"}, {"«", "»"}, {"‹", "›"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {"**", "**"}, {"__", "__"}, {"<b>", "</b>"}, {"<code>", "</code>"}, {"<strong>", "</strong>"}, {"&quot;", "&quot;"}, {"&#34;", "&#34;"}, {"&#39;", "&#39;"},
}

// quoted returns the bounds of a value in quotes of any kind at i, on one line.
func quoted(s string, i int) (from, to int, ok bool) {
	if i >= len(s) {
		return 0, 0, false
	}
	closing := ""
	if q, at := quoteAt(s, i); q != "" {
		closing, from = q, at
		if strings.HasPrefix(s[at:], "``") { // a fence of its own
			return 0, 0, false
		}
		if s[at-1] == '`' && at < len(s) && s[at] == '`' {
			closing, from = "``", at+1
		}
	} else {
		for _, c := range curly {
			if c.open[0] == s[i] && strings.HasPrefix(s[i:], c.open) {
				closing, from = c.close, i+len(c.open)
				for from < len(s) && (s[from] == ' ' || s[from] == '`') || strings.HasPrefix(s[min(from, len(s)):], "\u00a0") {
					if s[from] == '`' {
						closing = "`"
					}
					from++
				}
				break
			}
		}
	}
	if closing == "" {
		return 0, 0, false
	}
	n := strings.Index(s[from:min(len(s), from+longestQuote)], closing)
	if n <= 0 {
		return 0, 0, false
	}
	to = from + n
	for to > from && s[to-1] == ' ' {
		to--
	}
	if strings.IndexByte(s[from:to], '\n') >= 0 {
		return 0, 0, false
	}
	return from, to, true
}

// longestQuote bounds how far the end of a quoted value is looked for.
const longestQuote = 400

// element looks for the text of an XML element or the value of an attribute
// that is named like a secret; i is at ">" or "<".
func (f *finder) element(kind kind, i int) (span, bool) {
	s := f.s
	if s[i] == '<' { // <key>password</key><string>X</string>
		end := strings.IndexByte(s[i:min(len(s), i+40)], '>')
		if end < 0 || !strings.HasPrefix(s[i:], "</") {
			return span{}, false
		}
		j, _ := gap(s, i+end+1)
		open := strings.IndexByte(s[j:min(len(s), j+40)], '>')
		if open < 0 || s[j] != '<' || s[j+1] == '/' {
			return span{}, false
		}
		i = j + open
	}
	from, _ := gap(s, i+1)
	if strings.HasPrefix(s[from:], "<![CDATA[") {
		from += len("<![CDATA[")
	}
	n := strings.IndexAny(s[from:min(len(s), from+longestQuote)], "<]")
	if n <= 0 {
		return span{}, false
	}
	v := strings.TrimRight(s[from:from+n], " \t\r\n")
	if !secretValue(kind, v, true, false) {
		return span{}, false
	}
	return f.told(kind, from, from+len(v), literalForm)
}

// argument looks at the first argument of a call: setPassword("X").
func (f *finder) argument(kind kind, i int) (span, bool) {
	j, _ := gap(f.s, i+1)
	from, to, ok := quoted(f.s, j)
	if !ok || kind == weakPassKey {
		return span{}, false
	}
	if kind != passKey && !randomText(f.s[from:to]) {
		return span{}, false
	}
	return f.told(kind, from, to, literalForm)
}

// literal looks for the string literal that follows a quoted name:
// Setenv("NAME", "X"), fill('#password', 'X'), Label('Password').fill('X'),
// "name": "password", "value": "X" is for pair.
func (f *finder) literal(kind kind, name string, end int) (span, bool) {
	s := f.s
	j := end
	if j < len(s) && s[j] == ']' {
		j++
	}
	q, at := quoteAt(s, j)
	if q == "" {
		return span{}, false
	}
	j = at
	fm := bareForm // a list of names
	if j < len(s) && s[j] == ']' {
		j++
	}
	switch {
	case j < len(s) && (s[j] == ',' || s[j] == ' ') && kind != weakPassKey:
		if name == strings.ToUpper(name) || strings.Contains(name, "#") || strings.HasPrefix(s[end:], "]") {
			fm = literalForm
		}
		j++
	case strings.HasPrefix(s[j:], ")).") || strings.HasPrefix(s[j:], ")."):
		if s[j+1] == ')' {
			j++
		}
		// one call behind: .fill("X"), .send_keys("X"), .type("X")
		e := run(s, j+2, wordByte)
		if e == j+2 || e >= len(s) || s[e] != '(' || !fills()[strings.ToLower(s[j+2:e])] {
			return span{}, false
		}
		fm, j = literalForm, e+1
	default:
		return span{}, false
	}
	j, lines := gap(s, j)
	if lines > 0 {
		return span{}, false
	}
	if strings.HasPrefix(s[j:], "is ") { // "password" is "X"
		j += 3
	}
	from, to, ok := quoted(s, j)
	if !ok {
		return span{}, false
	}
	v := s[from:to]
	if strings.HasPrefix(strings.ToLower(v), "bearer ") || strings.HasPrefix(strings.ToLower(v), "basic ") {
		return span{}, false // bearer
	}
	return f.told(kind, from, to, fm)
}

// fills are the methods that type into a field.
var fills = words("fill type send_keys sendkeys typetext setvalue inputtext input")

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

// column looks for the cells below or beside a cell that is named like a
// secret: tables of markdown, of database shells, with tabs or commas. All of
// them are put into f.ahead.
func (f *finder) column(kind kind, name string, end int) (span, bool) {
	s := f.s
	if kind == codeKey || kind == phraseKey {
		return span{}, false
	}
	from := max(0, end-longestRow)
	for {
		_, behind := lineBreak(s, from, end)
		if behind < 0 {
			break
		}
		from = behind
	}
	// In a JSON string the row begins behind its quote.
	if q := strings.LastIndexByte(s[from:end], '"'); q > 0 {
		if strings.HasSuffix(strings.TrimRight(s[from:from+q], " \\"), ":") {
			from += q + 1
		}
	}
	to, next := lineBreak(s, end, min(len(s), end+longestRow))
	if next < 0 {
		to, next = min(len(s), end+longestRow), len(s)
	}
	row := s[from:to]
	sep := ""
	switch rest := strings.TrimLeft(s[end:to], "*`_\"' "); {
	case strings.HasPrefix(rest, "|"):
		sep = "|"
	case row[0] != '\t' && strings.Contains(row, "\t") && (end == to || s[end] == '\t') && (end-len(name) == from || s[end-len(name)-1] == '\t'):
		sep = "\t"
	case row[0] != '\\' && strings.Contains(row, `\t`) && (end == to || s[end] == '\\'):
		sep = "\\" + "t"
		if strings.Contains(row, `\\t`) {
			sep = `\\t`
		}
	case rest == "" && strings.Contains(row, "|"):
		sep = "|"
	case strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ";") || rest == "" && strings.ContainsAny(row, ",;"):
		sep = ","
		if !strings.Contains(row, ",") {
			sep = ";"
		}
		// Words may stand before the header: it begins behind the last space.
		from += strings.LastIndexByte(s[from:end], ' ') + 1
		row = s[from:to]
		if !strings.Contains(row, sep) || strings.ContainsAny(row, " ({[=") || sep == "," && strings.Contains(row, ";") {
			return span{}, false // a list in code or prose
		}
	case (rest == "" || strings.HasPrefix(s[end:to], "  ")) && strings.Contains(row, "  ") && header(row) == strings.ToUpper(header(row)):
		from = to - len(header(row))
		sep = "  "
		if from > end-len(name) { // the name stands before a colon
			return span{}, false
		}
	default:
		return span{}, false
	}
	if sep == "|" { // the cell beside it
		if n := strings.IndexByte(s[end:to], '|'); n >= 0 {
			if m, ok := f.cell(kind, end+n+1, to, sep); ok {
				return m, true
			}
		}
	}
	at := strings.Count(s[from:end], sep)
	if sep == "  " {
		at = len(fieldsBefore(s[from:end])) - 1
	}
	first := span{}
	for rows := 0; rows < mostRows && next < len(s); rows++ {
		from = next
		to, next = lineBreak(s, from, min(len(s), from+longestRow))
		if next < 0 {
			to, next = min(len(s), from+longestRow), len(s)
		}
		line := s[from:to]
		if sep == "," || sep == ";" {
			if strings.Count(line, sep) != strings.Count(row, sep) {
				break
			}
		} else if !strings.Contains(line, sep) && !strings.HasPrefix(line, "+-") && !strings.HasPrefix(line, "-") {
			break
		}
		c := from
		if sep == "  " {
			c = from + fieldAt(line, at)
		} else {
			for range at {
				n := strings.Index(s[c:to], sep)
				if n < 0 {
					c = to
					break
				}
				c += n + len(sep)
			}
		}
		m, ok := f.cell(kind, c, to, sep)
		if !ok {
			continue
		}
		if first.to == 0 {
			first = m
		} else {
			f.later(m)
		}
	}
	return first, first.to > 0
}

// later puts m in its place among the secrets that are still to come.
func (f *finder) later(m span) {
	n := len(f.ahead)
	for n > 0 && f.ahead[n-1].from > m.from {
		n--
	}
	f.ahead = slices.Insert(f.ahead, n, m)
}

// inserted finds the value of a column in INSERT INTO t (a, password) VALUES
// ('x', 'X'); end is behind the column's name.
func (f *finder) inserted(kind kind, end int) (span, bool) {
	s := f.s
	open := strings.LastIndexByte(s[max(0, end-longestRow):end], '(')
	if open < 0 {
		return span{}, false
	}
	open += max(0, end-longestRow)
	closing := strings.IndexByte(s[end:min(len(s), end+longestRow)], ')')
	if closing < 0 {
		return span{}, false
	}
	j, _ := gap(s, end+closing+1)
	if len(s)-j < 6 || !strings.EqualFold(s[j:j+6], "values") {
		return span{}, false
	}
	j, _ = gap(s, j+6)
	if j >= len(s) || s[j] != '(' {
		return span{}, false
	}
	at := strings.Count(s[open:end], ",")
	for n := 0; n <= at; n++ {
		j, _ = gap(s, j+1)
		from, to, ok := quoted(s, j)
		if n == at {
			if !ok || strings.ContainsAny(s[from:to], "$?:") && !strongPass(s[from:to]) {
				return span{}, false
			}
			return f.told(kind, from, to, literalForm)
		}
		if ok {
			_, j = quoteAt(s, to)
		}
		for j < len(s) && strings.IndexByte(",)\n", s[j]) < 0 {
			j++
		}
		if j >= len(s) || s[j] != ',' {
			return span{}, false
		}
	}
	return span{}, false
}

// longestRow and mostRows bound how much of a table is looked at.
const (
	longestRow = 400
	mostRows   = 60
)

// lineBreak finds the first line end in s[i:end], as it is or escaped, and
// what comes behind it; -1 when there is none.
func lineBreak(s string, i, end int) (at, behind int) {
	for ; i < end; i++ {
		switch s[i] {
		case '\n':
			return i, i + 1
		case '\\':
			k := i
			for k < end && k-i < 4 && s[k] == '\\' {
				k++
			}
			if k < end && s[k] == 'n' {
				return i, k + 1
			}
			i = k - 1
		}
	}
	return -1, -1
}

// header is a row without the words before a colon.
func header(row string) string { return row[strings.LastIndex(row, ": ")+1:] }

// fieldsBefore are the fields of a row whose columns are lined up by spaces.
func fieldsBefore(s string) []string { return strings.Fields(strings.ReplaceAll(s, "  ", "\t")) }

// fieldAt is the offset of field n of a row lined up by spaces.
func fieldAt(s string, n int) int {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	for ; n > 0 && i < len(s); n-- {
		e := strings.Index(s[i:], "  ")
		if e < 0 {
			return len(s)
		}
		i += e
		for i < len(s) && s[i] == ' ' {
			i++
		}
	}
	return i
}

// cell looks at the cell of a table that begins at i.
func (f *finder) cell(kind kind, i, end int, sep string) (span, bool) {
	s := f.s
	for i < end && strings.IndexByte(" *`\"'_", s[i]) >= 0 {
		i++
	}
	to := i
	for to < end && s[to] != ' ' && s[to] != '\r' && s[to] != '\\' && strings.IndexByte("*`\"'", s[to]) < 0 && !strings.HasPrefix(s[to:end], sep) {
		to++
	}
	rest := strings.TrimLeft(s[to:end], " *`\"'\r\\}]")
	if rest != "" && !strings.HasPrefix(s[to:end], sep) && !strings.HasPrefix(rest, strings.TrimSpace(sep)) {
		return span{}, false // more than one word
	}
	return f.told(kind, i, to, literalForm)
}

// userPass reports whether v is the base64 of a name and a password.
func userPass(v string) bool {
	if len(v) < 8 || len(v) > 400 {
		return false
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil {
		return false
	}
	colon := false
	for i, c := range b {
		if c < 0x20 || c > 0x7e {
			return false
		}
		colon = colon || c == ':' && i > 0 && i < len(b)-1
	}
	return colon
}
