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
	key := keyBefore(s, i)
	kind := keyKind(key)
	if kind == noKey {
		return span{}, false
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
	// NAME=value as in a shell or an env file may hold any byte up to a space.
	env := s[i] == '=' && j == i+1 && (i == 0 || s[i-1] != ' ') && key == strings.ToUpper(key)
	if s[i] == '=' && j < len(s) && s[j] == '"' && i > len(key) && s[i-len(key)-1] == '"' {
		return span{}, false // "NAME=" joined with something
	}
	from, to, quoted := valueAt(s, j, env, s[i] == '=' && queryKey(s, i-len(key)))
	if from < 0 {
		return span{}, false
	}
	v := s[from:to]
	if n := tagAt(s[from:]); n > 0 && (!quoted || n == len(v)) {
		return span{}, false
	}
	if strings.ContainsAny(v, "\r\n") {
		v = strings.Join(strings.Fields(strings.ReplaceAll(v, "\\\n", "\n")), "")
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

func queryKey(s string, at int) bool { return at > 0 && (s[at-1] == '&' || s[at-1] == '?') }

// keyBefore returns the name that ends before the separator at i, without
// quotes (escaped or not), markdown emphasis and index brackets. Names of two
// words ("API key") are returned whole.
func keyBefore(s string, i int) string {
	j := i
	for n := 0; j > 0 && n < 12 && strings.IndexByte(" \t\"'`*]?!\\", s[j-1]) >= 0; n++ {
		j--
	}
	from := keyStart(s, j)
	if from == j {
		for _, k := range wideKeys {
			if strings.HasSuffix(s[:j], k) {
				return k
			}
		}
		return ""
	}
	if from > 1 && s[from-1] == ' ' && strings.EqualFold(s[from:j], "key") {
		if p := keyStart(s, from-1); p < from-1 {
			from = p
		}
	}
	return s[from:j]
}

func keyStart(s string, end int) int {
	i := end
	for i > 0 && end-i < 64 && (class[s[i-1]]&(urlByte) != 0 || s[i-1] == '.') {
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
	for j < len(s) && (s[j] == ' ' || s[j] == '\t' || s[j] == '*') {
		j++
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
	if n := pastBreak(s, k); n >= 0 {
		if q, _ := quoteAt(s, n); q == "" && !block {
			return -1, 0, false
		}
		j = n
	}
	if q, at := quoteAt(s, j); q != "" {
		end := strings.Index(s[at:min(len(s), at+longestValue+1)], q)
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

// longestValue bounds the value behind a key, in bytes: key files in base64 are
// about 3 KB.
const longestValue = 4 << 10

// quoteAt returns the quote at i with its backslashes, and the offset behind.
func quoteAt(s string, i int) (string, int) {
	j := i
	for j < len(s) && j-i < 8 && s[j] == '\\' {
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
		if c <= ' ' || c >= 0x80 || strings.IndexByte("/?#\"'`<>\\,", c) >= 0 {
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
	case len(v) < 3 || tagAt(v) == len(v) || urlPlaceholder(v):
		return span{}, false
	case colon < 0 && (len(v) < 20 || !randomText(v)): // a user name alone
		return span{}, false
	}
	return span{from, at, "url-password"}, true
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

var schemes = []string{"bearer ", "basic ", "token ", "apikey ", "digest ", "negotiate ", "bot "}

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
		if sch == "digest " {
			end = from
			for end < len(s) && end-from < longestSecret && strings.IndexByte("\r\n'", s[end]) < 0 {
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

// flag finds `--password value`, `curl -u user:password`; i is at the dash.
func (f *finder) flag(i int) (span, bool) {
	s := f.s
	if i > 0 && strings.IndexByte(" \t\n\"'`(", s[i-1]) < 0 {
		return span{}, false
	}
	name := i
	for name < len(s) && s[name] == '-' {
		name++
	}
	end := run(s, name, urlByte)
	if n := name - i; n > 2 || end == name || end >= len(s) || s[end] != ' ' {
		return span{}, false
	}
	from, quoted := end+1, false
	q, at := quoteAt(s, from)
	to := wordEnd(s, from, true, false)
	if q != "" {
		from, quoted = at, true
		n := strings.Index(s[at:min(len(s), at+512)], q)
		if n < 0 {
			return span{}, false
		}
		to = at + n
	}
	if from >= to {
		return span{}, false
	}
	v := s[from:to]
	if s[name:end] == "u" || s[name:end] == "user" {
		colon := strings.IndexByte(v, ':')
		if colon < 1 || strings.ContainsAny(v, " /") || !curlBefore(s[:i]) {
			return span{}, false
		}
		if v = v[colon+1:]; len(v) < 4 || urlPlaceholder(v) || tagAt(v) == len(v) {
			return span{}, false
		}
		return span{from + colon + 1, to, "password"}, true
	}
	kind := keyKind(s[name:end])
	if kind != passKey && kind != tokenKey || tagAt(v) == len(v) || !secretValue(kind, v, quoted, false) {
		return span{}, false
	}
	return span{from, to, kind.tag()}, true
}

// curlBefore keeps "docker run -u 1000:1000" and its like out.
func curlBefore(s string) bool {
	line := s[max(0, len(s)-longestSecret):]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return strings.Contains(line, "curl") || strings.Contains(line, "wget") || strings.Contains(line, "http")
}
