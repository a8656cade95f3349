package summarize

import "strings"

// pair looks at the separator s[i:j] (":", "=" or a full-width colon): a URL
// with userinfo, a bot token, or a key that announces a secret value.
func (f *finder) pair(i, j int) (span, bool) {
	s := f.s
	if s[i] == ':' {
		if strings.HasPrefix(s[i:], "://") {
			return f.userinfo(i + 3)
		}
		if m, ok := f.telegram(i); ok {
			return m, true
		}
	}
	if i > 0 && (s[i-1] == '=' || s[i-1] == ':') {
		return span{}, false // the rest of := or ==, seen at its first byte
	}
	if s[i] == '=' && i > 0 && (s[i-1] == '!' || strings.HasPrefix(s[i:], "==")) {
		return span{}, false // a comparison
	}
	key := keyBefore(s, i)
	kind := keyKind(key)
	switch {
	case kind != noKey:
	case s[i] == '=' && queryKey(s, i-len(key)):
		kind = queryKind(key)
	default:
		kind = f.borrowed(key, i)
	}
	if kind == noKey {
		return f.otherPair(key, i, j)
	}
	for j < len(s) && (s[j] == '=' || s[j] == ':' || s[j] == '>') {
		j++
	}
	switch kind {
	case cookieKey:
		return f.cookie(j, strings.HasPrefix(strings.ToLower(key), "set"))
	case authKey:
		if m, ok := f.authorization(j); ok {
			return m, true
		}
		kind = tokenKey
	}
	if kind == phraseKey {
		k, _ := gap(s, j)
		for k < len(s) && strings.IndexByte("\"'`\\*", s[k]) >= 0 {
			k++
		}
		if end := seedEnd(s, k); end > k {
			return span{k, end, kind.tag()}, true
		}
		return span{}, false
	}
	// NAME=value as in a shell or an env file may hold any byte up to a space.
	env := s[i] == '=' && j == i+1 && (i == 0 || s[i-1] != ' ') && key == strings.ToUpper(key)
	// "NAME=" joined with something; in a shell with what stands right behind it, as in sh -c 'NAME='X' ./run'.
	if _, at := quoteAt(s, j); s[i] == '=' && at > j && i > len(key) && strings.HasSuffix(s[:i-len(key)], s[j:at]) && (at == len(s) || class[s[at]]&alnumByte == 0) {
		return span{}, false
	}
	from, to, quoted := valueAt(s, j, env, s[i] == '=' && queryKey(s, i-len(key)))
	if from < 0 {
		return f.list(kind, j)
	}
	if kind == sigKey && strings.EqualFold(key, "signature") && !queryKey(s, i-len(key)) {
		return span{}, false // of a method, of a thought
	}
	v := s[from:to]
	if n := tagAt(s[from:]); n > 0 && (!quoted || n == len(v)) {
		return span{}, false
	}
	if quoted {
		if strings.ContainsAny(v, "\r\n") || strings.Contains(v, `\n`) {
			v = unbroken(v)
		}
		// "X" + and a second literal on the next line
		for n := 0; n < 8; n++ {
			f2, t2, ok := nextLiteral(s, to)
			if !ok {
				break
			}
			v, to = v+s[f2:t2], t2
		}
	}
	if !quoted && to < len(s) && s[to] == '#' && !secretValue(kind, v, quoted, env) {
		// Not the fragment of a URL: a sign of the password.
		to = wordEnd(s, from, env, false)
		if n := strings.IndexByte(s[from:to], '&'); n >= 0 {
			to = from + n
		}
		v = s[from:to]
	}
	if !secretValue(kind, v, quoted, env) {
		return span{}, false
	}
	// A call or an index makes the value an expression.
	if !quoted && !env && (to < len(s) && s[to] == '(' || strings.Contains(v, "[")) {
		return span{}, false
	}
	name := kind.tag()
	if m, ok := f.token(from); ok && m.from == from { // the value says more than the key
		name, to = m.name, max(to, m.to)
	}
	return span{from, to, name}, true
}

// several finds the values behind a key in the plural: one, or more with commas
// between them, each of which has to look like a secret. tokens=4096 is none.
func (f *finder) several(key string, from int) (span, bool) {
	kind := keyKind(key[:len(key)-1])
	if kind != passKey && kind != tokenKey {
		return span{}, false
	}
	s := f.s
	for from < len(s) && (s[from] == '"' || s[from] == '\'') {
		from++
	}
	to := from
	for to < len(s) && strings.IndexByte(" \t\r\n\"'`;()[]{}<>\\", s[to]) < 0 {
		to++
	}
	to = from + len(strings.TrimRight(s[from:to], ".,:"))
	for item := range strings.SplitSeq(s[from:to], ",") {
		if len(item) < 8 || !hasDigit(item) || !hasLetter(item) || strings.ContainsAny(item, "=/") || !secretValue(kind, item, false, false) {
			return span{}, false
		}
	}
	return span{from, to, kind.tag()}, true
}

// otherPair looks at the separators behind names that are no key's.
func (f *finder) otherPair(key string, i, j int) (span, bool) {
	s := f.s
	if strings.HasSuffix(key, "s") || strings.HasSuffix(key, "S") { // tokens: ["X", "Y"]
		k, _ := gap(s, j)
		if k < len(s) && s[k] == '[' {
			if kind := keyKind(key[:len(key)-1]); kind == passKey || kind == tokenKey {
				return f.list(kind, k)
			}
		}
		if m, ok := f.several(key, k); ok { // passwords=X,Y
			return m, true
		}
	}
	if s[i] != ':' {
		return span{}, false
	}
	switch {
	case len(key) == 0:
		return span{}, false
	case len(key) < 10 && strings.HasSuffix(key, " key") && article(key, len(key)-3): // here is the key: X
		from, to, _ := valueAt(s, j, false, false)
		if from < 0 || to-from < 24 || tagAt(s[from:]) > 0 || !mixedCase(s[from:to]) || !randomText(s[from:to]) || strings.ContainsAny(s[from:to], "/.:") {
			return span{}, false
		}
		return span{from, to, "key"}, true
	case len(key) == 1:
		if key == "p" && i > 1 && s[i-2] == '/' && strings.Contains(lineBefore(s, i), "rdp") {
			if from, to, quoted := operand(s, j); from < to && commandValue(s[from:to], quoted) {
				return span{from, to, "password"}, true
			}
		}
		return f.jwk(key, i, j)
	case key == "auth":
		return f.dockerAuth(j)
	case key == "thin":
		return f.userSlash(i)
	case key == "Private-Lines":
		return f.putty(j)
	case strings.HasSuffix(key, "assword"): // expect "assword:"; send "X\r"
		line := s[j:min(len(s), j+60)]
		n := strings.Index(line, "send ")
		if n < 0 {
			return span{}, false
		}
		from, to, ok := quoted(s, j+n+5)
		if !ok {
			return span{}, false
		}
		if n := strings.IndexByte(s[from:to], '\\'); n >= 0 {
			to = from + n
		}
		if !commandValue(s[from:to], true) {
			return span{}, false
		}
		return span{from, to, "password"}, true
	case key[0] >= '0' && key[0] <= '9' && strings.Trim(key, digitBytes) == "":
		return f.pgpass(i, len(key))
	case len(key) == 34 && strings.HasPrefix(key, "AC") && strings.Trim(key[2:], "0123456789abcdef") == "":
		if end := runTo(s, j, 40, hexByte); end-j == 32 { // an account of Twilio and its token
			return span{i - len(key), end, "token"}, true
		}
	case strings.HasPrefix(s[j:], "APA91b"):
		if end := runTo(s, j, longestToken, urlByte); end-j > 100 {
			return span{i - len(key), end, "google-key"}, true
		}
	}
	return f.userAt(i, j)
}

// userAt finds the password of user:X@host without a scheme, as in
// root:X@tcp(db:3306)/shop.
func (f *finder) userAt(i, j int) (span, bool) {
	s := f.s
	if j >= len(s) || s[j] <= ' ' || class[s[i-1]]&wordByte == 0 {
		return span{}, false
	}
	end := j
	for end < len(s) && end-j < 80 && s[end] > ' ' && s[end] < 0x80 && strings.IndexByte("@/\\\"'`<>(){}[],;:", s[end]) < 0 {
		end++
	}
	if end >= len(s) || s[end] != '@' || end-j < 4 {
		return span{}, false
	}
	v, rest := s[j:end], s[end+1:]
	dsn := strings.HasPrefix(rest, "tcp(") || strings.HasPrefix(rest, "unix(")
	if rest == "" || class[rest[0]]&alnumByte == 0 || strings.HasPrefix(rest, "sha256") || urlPlaceholder(v) || tagAt(v) > 0 || !dsn && !strongPass(v) {
		return span{}, false
	}
	return span{j, end, "password"}, true
}

// pgpass finds the password of host:port:database:user:X, a line of .pgpass;
// i is behind the port.
func (f *finder) pgpass(i, port int) (span, bool) {
	s := f.s
	host := i - port - 1
	if port < 3 || port > 5 || host < 2 || s[host] != ':' || class[s[host-1]]&urlByte == 0 {
		return span{}, false
	}
	from := i
	for range 2 { // database and user
		e := from + 1
		if strings.Trim(s[e:min(len(s), e+4)], "0123456789abcdef:") == "" {
			return span{}, false // an address of IPv6
		}
		for e < len(s) && e-from < 64 && (class[s[e]]&urlByte != 0 || s[e] == '*') {
			e++
		}
		if e == from+1 || e >= len(s) || s[e] != ':' {
			return span{}, false
		}
		from = e
	}
	from++
	to := wordEnd(s, from, true, false)
	if from >= to || tagAt(s[from:]) > 0 || !strongPass(s[from:to]) && !numberedWord(s[from:to]) {
		return span{}, false
	}
	return span{from, to, "password"}, true
}

// jwk finds the private members of a JSON web key.
func (f *finder) jwk(key string, i, j int) (span, bool) {
	s := f.s
	if strings.IndexByte("dkpq", key[0]) < 0 || !strings.Contains(s[max(0, i-1000):i], "kty") {
		return span{}, false
	}
	j, _ = gap(s, j)
	from, to, ok := quoted(s, j)
	if !ok {
		end := runTo(s, min(len(s), j+1), longestValue, urlByte) // a long one of RSA
		from, to = min(len(s), j+1), end
	}
	if to-from < 40 || !randomText(s[from:to]) {
		return span{}, false
	}
	return span{from, to, "private-key"}, true
}

// putty takes the private lines of a PuTTY key file and the sum behind them.
func (f *finder) putty(j int) (span, bool) {
	s := f.s
	_, from := lineBreak(s, j, min(len(s), j+20))
	if from < 0 {
		return span{}, false
	}
	end := from
	for {
		e := runTo(s, end, longestToken, base64Byte)
		if e-end < 16 {
			break
		}
		end = e
		_, next := lineBreak(s, end, min(len(s), end+8))
		if next < 0 {
			break
		}
		if strings.HasPrefix(s[next:], "Private-MAC: ") {
			end = run(s, next+len("Private-MAC: "), hexByte)
			break
		}
		if runTo(s, next, longestToken, base64Byte)-next < 16 {
			break
		}
		end = next
	}
	if end-from < 40 {
		return span{}, false
	}
	return span{from, end, "private-key"}, true
}

// queryKind classifies the names that mean a secret in a query only.
func queryKind(key string) kind {
	switch strings.ToLower(key) {
	case "key", "code", "auth", "hmac", "jwt", "session", "sid", "ticket", "assertion":
		return tokenKey
	case "signature":
		return sigKey
	}
	return noKey
}

// borrowed is the kind of a key that only says "value": what stands before it
// names it, as in "name": "DB_PASSWORD", "value": "X" or password: str = "X".
func (f *finder) borrowed(key string, i int) kind {
	s := f.s
	j := 0
	switch {
	case strings.EqualFold(key, "value"), strings.EqualFold(key, "default"):
		j = strings.LastIndex(s[max(0, i-20):i], key) + max(0, i-20)
	case strings.EqualFold(key, "str"), strings.EqualFold(key, "string"):
		if s[i] != '=' {
			return noKey
		}
		j = strings.LastIndex(s[max(0, i-20):i], key) + max(0, i-20)
		for j > 0 && strings.IndexByte(" &:*", s[j-1]) >= 0 {
			j--
		}
		return keyKind(nameBefore(s, j))
	default:
		return noKey
	}
	for n := 0; n < 40 && j > 0; n++ {
		c := s[j-1]
		switch {
		case strings.IndexByte(" \t\r\n\"'{,:=>(\\", c) >= 0:
			j--
		case c == 'n' && j > 1 && s[j-2] == '\\':
			j -= 2
		default:
			k := keyKind(nameBefore(s, j))
			if k == noKey && strings.Contains(s[max(0, j-80):j], "sensitive") && strings.Contains(s[max(0, j-80):j], ": true") {
				return tokenKey
			}
			if k == authKey || k == cookieKey {
				return tokenKey
			}
			return k
		}
	}
	return noKey
}

// dockerAuth finds the base64 of user:password behind "auth".
func (f *finder) dockerAuth(j int) (span, bool) {
	from, to, quoted := valueAt(f.s, j, false, false)
	if from < 0 || !quoted || !userPass(f.s[from:to]) {
		return span{}, false
	}
	return span{from, to, "basic-auth"}, true
}

// list takes the literals of a list: tokens: ["X", "Y"].
func (f *finder) list(kind kind, j int) (span, bool) {
	s := f.s
	j, _ = gap(s, j)
	if j >= len(s) || s[j] != '[' {
		return span{}, false
	}
	first := span{}
	for n := 0; n < 40; n++ {
		j, _ = gap(s, j+1)
		from, to, ok := quoted(s, j)
		if !ok {
			break
		}
		if tagAt(s[from:]) == 0 && secretValue(kind, s[from:to], true, false) {
			if m := (span{from, to, kind.tag()}); first.to == 0 {
				first = m
			} else {
				f.later(m)
			}
		}
		_, j = quoteAt(s, to)
		if j >= len(s) || s[j] != ',' {
			break
		}
	}
	return first, first.to > 0
}

// unbroken is a quoted value without the line breaks in it.
func unbroken(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); {
		if k, lines := gap(v, i); lines > 0 {
			i = k
			continue
		}
		if v[i] != '\\' {
			b.WriteByte(v[i])
		}
		i++
	}
	return b.String()
}

// nextLiteral returns the bounds of a literal on the next line that is joined
// to the one that ends at i.
func nextLiteral(s string, i int) (from, to int, ok bool) {
	q, at := quoteAt(s, i)
	if q == "" {
		return 0, 0, false
	}
	for at < len(s) && strings.IndexByte(" +.", s[at]) >= 0 {
		at++
	}
	if at < len(s) && s[at] == '\\' && strings.HasPrefix(s[at:], "\\\n") {
		at++
	}
	for strings.HasPrefix(s[at:], `\\`) {
		at++
	}
	k, lines := gap(s, at)
	if lines != 1 {
		return 0, 0, false
	}
	for k < len(s) && strings.IndexByte(" +.", s[k]) >= 0 {
		k++
	}
	if !strings.HasPrefix(s[k:], q) {
		return 0, 0, false
	}
	k += len(q)
	n := strings.Index(s[k:min(len(s), k+longestQuote)], q)
	if n < 8 || strings.ContainsAny(s[k:k+n], " \n") {
		return 0, 0, false
	}
	return k, k + n, true
}

// percentSeparator is the length of a "=" or ":" in a text that stands in a
// URL, with the quote before it.
func percentSeparator(s string) int {
	if len(s) >= 3 && s[1] == '3' && (s[2]|0x20 == 'd' || s[2]|0x20 == 'a') {
		return 3
	}
	return 0
}

// percentPair is pair for text that stands in a URL: password%3DX%26.
func (f *finder) percentPair(i, j int) (span, bool) {
	s := f.s
	k := i
	for strings.HasSuffix(s[:k], "%22") || strings.HasSuffix(s[:k], "%27") || strings.HasSuffix(s[:k], "%20") {
		k -= 3
	}
	name := keyBefore(s, k)
	if n := len(name); n > 2 && k-n > 0 && s[k-n-1] == '%' { // %26password: two hex digits belong to the escape
		name = name[2:]
	}
	kind := keyKind(name)
	if kind == noKey || kind >= authKey && kind != weakPassKey {
		return span{}, false
	}
	for strings.HasPrefix(s[j:], "%22") || strings.HasPrefix(s[j:], "%20") || strings.HasPrefix(s[j:], "%27") {
		j += 3
	}
	end := j
	for end < len(s) && end-j < longestValue && strings.IndexByte(" \t\r\n\"'`\\<>&", s[end]) < 0 {
		if rest := s[end:]; strings.HasPrefix(rest, "%2") && len(rest) > 2 && strings.IndexByte("026c7C", rest[2]) >= 0 || strings.HasPrefix(rest, "%7D") || strings.HasPrefix(rest, "%0A") || strings.HasPrefix(rest, "%3B") {
			break
		}
		end++
	}
	if tagAt(s[j:]) > 0 || !secretValue(kind, s[j:end], false, false) {
		return span{}, false
	}
	return span{j, end, kind.tag()}, true
}

func queryKey(s string, at int) bool { return at > 0 && (s[at-1] == '&' || s[at-1] == '?') }

// keyBefore returns the name that ends before the separator at i, without
// quotes (escaped or not), markdown emphasis and index brackets. Names of two
// words ("API key") are returned whole.
func keyBefore(s string, i int) string {
	j := i
	for n := 0; j > 0 && n < 40; n++ {
		if s[j-1] == ']' {
			// A tag of ours is no name.
			if at := strings.LastIndex(s[max(0, j-64):j], tagOpen); at >= 0 && tagAt(s[max(0, j-64)+at:]) == min(64, j)-at {
				return ""
			}
		}
		if strings.IndexByte(" \t\"'`*]?!\\", s[j-1]) >= 0 {
			j--
		} else if s[j-1] == ';' && strings.HasSuffix(s[:j], "&quot;") {
			j -= len("&quot;")
		} else {
			break
		}
	}
	return nameBefore(s, j)
}

// secondWords are words that say little without the word before them.
var secondWords = words("key code codes phrase seed secret words")

// nameBefore returns the name that ends at j. Names of two words ("API key")
// are returned whole.
func nameBefore(s string, j int) string {
	from := keyStart(s, j)
	if from == j {
		return ""
	}
	if from > 0 && s[from-1] == '\\' && j-from > 2 && strings.IndexByte("nrt", s[from]) >= 0 {
		from++ // the letter of an escaped line end
	}
	if from > 1 && s[from-1] == ' ' && j-from <= 6 && secondWords()[strings.ToLower(s[from:j])] {
		if p := keyStart(s, from-1); p < from-1 {
			from = p
		}
	}
	if j-from == 5 && strings.EqualFold(s[from:j], "passe") && strings.HasSuffix(strings.ToLower(s[max(0, from-7):from]), "mot de ") {
		from -= 7
	}
	return s[from:j]
}

// keyStart returns where the name that ends at end begins: letters of any
// script, digits and the signs that names hold.
func keyStart(s string, end int) int {
	i := end
	for i > 0 && end-i < 64 && (class[s[i-1]]&(urlByte) != 0 || s[i-1] == '.' || s[i-1] >= 0x80) {
		i--
	}
	for i < end && s[i] == '-' { // a command line flag
		i++
	}
	return i
}

// valueAt finds the value that starts after a separator at j. from is -1 when
// there is none.
func valueAt(s string, j int, env, query bool) (from, to int, quoted bool) {
	for j < len(s) && (s[j] == ' ' || s[j] == '\t' || s[j] == '*' || s[j] == '_' && j+1 < len(s) && (s[j+1] == '_' || s[j+1] == ' ')) {
		j++
	}
	if !env {
		if j < len(s) && (s[j] >= 0x80 || s[j] == '<' || s[j] == '&' || s[j] == '`') {
			if f, t, ok := closedAt(s, j); ok {
				return f, t, true
			}
		}
	}
	// A value on the next line counts if it is quoted or a YAML block.
	k := j
	block := false
	if k < len(s) && (s[k] == '|' || s[k] == '>') {
		k++
		if k < len(s) && (s[k] == '-' || s[k] == '+') {
			k++
		}
		block = true
	}
	if n, lines := gap(s, k); lines > 0 {
		if q, _ := quoteAt(s, n); q == "" && !block {
			// On a line of its own, and not the beginning of something else.
			f, t, ok := nextLine(s, n, lines)
			if !ok || !strongPass(s[f:t]) {
				return -1, 0, false
			}
			return f, t, false
		}
		if q, _ := quoteAt(s, n); q != "" && strings.HasPrefix(s[n:], "```") {
			f, t, ok := nextLine(s, n, lines)
			if !ok {
				return -1, 0, false
			}
			return f, t, false
		}
		j = n
	}
	if q, at := quoteAt(s, j); q != "" {
		end := strings.Index(s[at:min(len(s), at+longestValue+1)], q)
		if end >= 0 && strings.Contains(s[at:at+end], "\n") && !strings.Contains(s[at:at+end], "\\\n") {
			// What looks like the opening quote was a closing one.
			if nl := strings.IndexByte(s[at:at+end], '\n'); strings.ContainsAny(s[at:at+nl], " ,()") || nl == 0 {
				return -1, 0, false
			}
		}
		if end < 0 {
			// Cut text has no closing quote; take the word.
			end = wordEnd(s, at, true, false) - at
		}
		return at, at + end, true
	}
	if j < len(s) && (s[j] == '[' || s[j] == '{') {
		return -1, 0, false
	}
	end := wordEnd(s, j, env, query)
	if end == j {
		return -1, 0, false
	}
	// A value that the terminal wrapped.
	if lineLen(s, j, end) >= 60 && end-j >= 20 {
		if n := pastBreak(s, end); n >= 0 {
			e := runTo(s, n, longestToken, base64Byte|urlByte)
			if part := s[n:e]; len(part) >= 4 && hasDigit(part) && mixedCase(part) && (e == len(s) || s[e] == '\n' || s[e] == '\r') {
				end = e
			}
		}
	}
	return j, end, false
}

// closedAt is quoted for all quotes but the plain ones, and for backticks.
func closedAt(s string, j int) (from, to int, ok bool) {
	from, to, ok = quoted(s, j)
	if ok && strings.ContainsAny(s[from:to], " \t") && !passphrase(s[from:to]) {
		return 0, 0, false
	}
	return from, to, ok
}

// longestValue bounds the value behind a key, in bytes: key files in base64 are
// about 3 KB.
const longestValue = 4 << 10

// quoteAt returns the quote at i with its backslashes, and the offset behind.
func quoteAt(s string, i int) (string, int) {
	j := i
	for j < len(s) && j-i < 32 && s[j] == '\\' {
		j++
	}
	if j < len(s) && (s[j] == '"' || s[j] == '\'' || s[j] == '`') {
		return s[i : j+1], j + 1
	}
	return "", i
}

func wordEnd(s string, i int, env, query bool) int {
	j := i
scan:
	for ; j < len(s) && j-i <= longestValue; j++ {
		switch c := s[j]; c {
		case ' ', '\t', '\n', '\r', '"', '\'', '`', '\\', '<', '>', '(':
			break scan
		case '&', '#':
			if query {
				break scan
			}
		case ',', ';', ')', ']', '}', '|':
			if !env {
				break scan
			}
		default:
			if c >= 0x80 { // full-width punctuation and prose
				break scan
			}
		}
	}
	for j > i && strings.IndexByte(".,;:!?)*", s[j-1]) >= 0 {
		j--
	}
	return j
}

// userinfo finds the password of scheme://user:password@host, i behind "//".
func (f *finder) userinfo(i int) (span, bool) {
	s := f.s
	end, at := i, -1
	for ; end < len(s) && end-i < 512; end++ {
		c := s[end]
		if c == '@' {
			at = end
		}
		if c <= ' ' || c >= 0x80 || strings.IndexByte("/\"'`<>\\,", c) >= 0 || (c == '?' || c == '#') && !rawPassword(s[i:end]) {
			break
		}
	}
	if at <= i {
		return span{}, false
	}
	colon := strings.IndexByte(s[i:at], ':')
	from := i
	if colon >= 0 {
		from = i + colon + 1
	}
	v := s[from:at]
	switch {
	case colon > 0 && v == s[i:from-1]: // guest:guest, what a server starts with
		return span{}, false
	case len(v) < 3 || tagAt(v) == len(v) || urlPlaceholder(v):
		return span{}, false
	case colon < 0 && (len(v) < 20 || !randomText(v)): // a user name alone
		return span{}, false
	}
	return span{from, at, "url-password"}, true
}

// rawPassword reports whether v, up to a "?" or "#" that should have been
// escaped, is user:password and not host:port.
func rawPassword(v string) bool {
	_, p, ok := strings.Cut(v, ":")
	return ok && strings.Trim(p, digitBytes) != ""
}

// telegram finds bot tokens: eight to ten digits, a colon, 35 bytes from "AA".
func (f *finder) telegram(i int) (span, bool) {
	s := f.s
	from := i
	for from > 0 && i-from < 11 && s[from-1] >= '0' && s[from-1] <= '9' {
		from--
	}
	if n := i - from; n < 8 || n > 10 || !strings.HasPrefix(s[i+1:], "AA") {
		return span{}, false
	}
	end := run(s, i+1, urlByte)
	if end-i-1 != 35 || !tokenBody(s[i+1:end], urlByte) {
		return span{}, false
	}
	return span{from, end, "telegram-token"}, true
}

var schemes = []string{"bearer ", "basic ", "token ", "apikey ", "digest ", "negotiate ", "bot ", "aws4-hmac-sha256 "}

func (f *finder) authorization(j int) (span, bool) {
	s := f.s
	for j < len(s) && strings.IndexByte(" \t\"'`\\*", s[j]) >= 0 {
		j++
	}
	for _, sch := range schemes {
		if len(s)-j <= len(sch) || !strings.EqualFold(s[j:j+len(sch)], sch) {
			continue
		}
		from := j + len(sch)
		end := runTo(s, from, longestSecret, base64Byte|pathByte)
		if sch == "digest " || sch == "aws4-hmac-sha256 " {
			end = from
			for end < len(s) && end-from < longestSecret && strings.IndexByte("\r\n'}", s[end]) < 0 {
				end++
			}
		}
		v := s[from:end]
		if len(v) < 8 || placeholder(v) || wordish(v) {
			return span{}, false
		}
		name := "bearer"
		if sch == "basic " {
			name = "basic-auth"
		}
		return span{from, end, name}, true
	}
	return span{}, false
}

// cookie takes the value of the first pair of a Set-Cookie header, or all of a
// Cookie header, when a pair in it looks like a session.
func (f *finder) cookie(j int, set bool) (span, bool) {
	s := f.s
	for j < len(s) && strings.IndexByte(" \t\"'`\\*", s[j]) >= 0 {
		j++
	}
	end := j
	for end < len(s) && end-j < longestValue && strings.IndexByte("\r\n\"'`\\", s[end]) < 0 {
		end++
	}
	line := s[j:end]
	if set {
		if k := strings.IndexByte(line, ';'); k >= 0 {
			line, end = line[:k], j+k
		}
		k := strings.IndexByte(line, '=')
		if k < 0 || !sessionValue(line[:k], line[k+1:]) {
			return span{}, false
		}
		return span{j + k + 1, end, "cookie"}, true
	}
	for p := range strings.SplitSeq(line, ";") {
		if name, v, ok := strings.Cut(strings.TrimSpace(p), "="); ok && sessionValue(name, v) {
			return span{j, end, "cookie"}, true
		}
	}
	return span{}, false
}

func sessionValue(name, v string) bool {
	if strings.ContainsAny(name, " \t") || placeholder(v) || tagAt(v) > 0 || len(v) < 8 {
		return false
	}
	return randomText(v) && len(v) >= 12
}
