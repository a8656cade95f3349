package summarize

import (
	"math"
	"strings"
	"sync"
)

// kind is what a key's name says about its value.
type kind uint8

const (
	noKey     kind = iota
	passKey        // a password: chosen by people, short values count
	tokenKey       // made by a machine: the value has to look so
	weakKey        // some FOO_KEY: the value alone has to convince
	sigKey         // the signature of a pre-signed URL
	authKey        // an Authorization header
	cookieKey      // a Cookie or Set-Cookie header

	// Names that have other meanings as well: the value has to look like it.
	weakPassKey // pass, pw, clave
	codeKey     // a recovery code
	phraseKey   // a wallet's recovery phrase
)

func (k kind) tag() string {
	switch k {
	case passKey:
		return "password"
	case weakKey:
		return "key"
	case sigKey:
		return "signature"
	case authKey:
		return "authorization"
	case weakPassKey:
		return "password"
	case codeKey:
		return "code"
	case phraseKey:
		return "seed-phrase"
	}
	return "token"
}

// Key names with letters beyond ASCII, in lower case; those that begin a
// sentence also with a capital where that changes their first byte.
var wideKeys = strings.Fields("密码 密碼 口令 密钥 密鑰 令牌 私钥 パスワード 暗証番号 비밀번호 암호 пароль Пароль пароля паролем סיסמה סיסמא รหัสผ่าน पासवर्ड contraseña hasło hasłem jelszó şifre lösenord lösenordet khẩu المرور токен Токен токена トークン 토큰 シークレット 秘钥 金鑰 секрет Секрет")

// tokenWide are those of them that name what a machine makes.
var tokenWide = words("密钥 密鑰 令牌 私钥 токен Токен токена トークン 토큰 シークレット 秘钥 金鑰 секрет Секрет")

// wideLead are the first two bytes of the wide keys.
var wideLead = sync.OnceValue(func() map[uint16]bool {
	t := map[uint16]bool{}
	for _, k := range wideKeys {
		if k[0] >= 0x80 {
			t[uint16(k[0])<<8|uint16(k[1])] = true
		}
	}
	return t
})

// wideKind is keyKind for a name that holds letters beyond ASCII.
func wideKind(key string) kind {
	low := strings.ToLower(strings.TrimRight(key, "」』”’»"))
	for _, k := range wideKeys {
		if strings.HasSuffix(low, k) {
			if tokenWide()[k] {
				return tokenKey
			}
			return passKey
		}
	}
	return noKey
}

var (
	passWords  = words("password passwd pwd passphrase passcode senha credential credentials passwort kennwort mdp motdepasse wachtwoord losenord haslo heslo parola sifre salasana adgangskode passord jelszo storepass keypass psk presharedkey requirepass masterauth sshpass wpapsk sandi")
	weakWords  = words("pass pw clave passe")
	tokenWords = words("secret secreto segreto segredo jeton token pat apikey accesskey secretkey privatekey accountkey subscriptionkey instrumentationkey sharedkey sharedaccesskey authkey authtoken accesstoken refreshtoken clientsecret apitoken apisecret bottoken signingkey encryptionkey")
	beforeKey  = words("api access private secret auth signing encryption account master admin service storage shared app client deploy license jwt hmac subscription webhook server instrumentation host deployment integration ingest write read bot machine wallet goog functions preshared pre wifi fi wlan wpa wpa2 wpa3 wep")
	codeBefore = words("recovery backup security scratch")
	// A token that counts, pages or marks text is none.
	tokenNot   = words("next page continuation cursor start end eos bos pad unk sep mask cls stop special first last per max min total input output prompt completion cached new cancel current prev previous")
	qualifiers = words("prod production dev development test testing stage staging base value raw plain plaintext old new current main live primary secondary local default root admin pypi corp")
)

// keyEnding reports whether the last three letters of a name are those of a
// word that keyKind knows.
func keyEnding(key string) bool {
	end := len(key)
	for end > 0 && (key[end-1] >= '0' && key[end-1] <= '9' || key[end-1] == '_' || key[end-1] == '-' || key[end-1] == '.') {
		end--
	}
	if end < 3 {
		return end == 2 && strings.EqualFold(key[:2], "pw")
	}
	t := tail(key, end)
	return keyEnds()[t] || key[end-2]|0x20 == 'p' && key[end-1]|0x20 == 'w' || strings.HasSuffix(key, "id") || strings.HasSuffix(key, "ID")
}

var keyEnds = sync.OnceValue(func() *[1 << 15]bool {
	var t [1 << 15]bool
	for _, set := range []func() map[string]bool{passWords, tokenWords, weakWords, qualifiers, words("key authorization auth cookie sig signature phrase mnemonic words code codes seed token secret")} {
		for w := range set() {
			if len(w) > 2 {
				t[tail(w, len(w))] = true
			}
		}
	}
	return &t
})

// words are the words of a list, which becomes a set at its first use.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			m[w] = true
		}
		return m
	})
}

// keyKind classifies a key by its last words: DB_PASSWORD, clientSecret and
// x-api-key count, passwordField, token_url and max_tokens do not.
func keyKind(key string) kind {
	if len(key) < 2 {
		return noKey
	}
	for i := len(key); i > 0; i-- {
		if key[i-1] >= 0x80 {
			if k := wideKind(key); k != noKey {
				return k
			}
			key = key[i:] // 我的password
			break
		}
	}
	if len(key) < 2 {
		return noKey
	}
	// Most separators in a log stand after names that cannot matter.
	if !keyEnding(key) {
		return noKey
	}
	low := strings.ToLower(key)
	w := splitName(key)
	for len(w) > 1 && (qualifiers()[w[len(w)-1]] || strings.Trim(w[len(w)-1], digitBytes) == "") {
		w = w[:len(w)-1]
	}
	last, prev := w[len(w)-1], ""
	if len(w) > 1 {
		prev = w[len(w)-2]
	}
	if last == "phrase" && (prev == "seed" || prev == "recovery" || prev == "secret" || prev == "mnemonic") || last == "mnemonic" || last == "words" && prev == "12" || last == "words" && prev == "24" {
		return phraseKey
	}
	switch {
	case (last == "code" || last == "codes") && codeBefore()[prev]:
		return codeKey
	case last == "seed" && (prev == "otp" || prev == "totp" || prev == "mfa" || prev == "2fa" || prev == "hd" || prev == "wallet"):
		return tokenKey
	case weakWords()[last] && (last != "pass" || prev == ""):
		return weakPassKey
	case passWords()[last], last == "pass" && prev != "", strings.HasSuffix(last, "password"), strings.HasSuffix(last, "passwd"):
		return passKey
	case last == "token" && tokenNot()[prev]:
		return noKey
	case tokenWords()[last], last == "key" && beforeKey()[prev], last == "id" && prev == "secret" && len(w) > 2,
		strings.HasSuffix(last, "secret"), strings.HasSuffix(last, "apikey"), len(last) > 6 && strings.HasSuffix(last, "token"):
		return tokenKey
	case last == "authorization", last == "auth" && (prev != "" || key[0] == '_'):
		return authKey
	case last == "cookie":
		return cookieKey
	case low == "sig", low == "signature", last == "signature" && (prev == "amz" || prev == "goog"):
		return sigKey
	case last == "key" && key == strings.ToUpper(key):
		return weakKey
	}
	return noKey
}

// splitName cuts a name at _ - . spaces and at camelCase, in lower case.
func splitName(key string) []string {
	var w []string
	from := 0
	cut := func(to int) {
		if to > from {
			w = append(w, strings.ToLower(key[from:to]))
		}
	}
	for i := range len(key) {
		c := key[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ':
			cut(i)
			from = i + 1
		case c >= 'A' && c <= 'Z' && i > from && key[i-1] >= 'a' && key[i-1] <= 'z':
			cut(i)
			from = i
		}
	}
	cut(len(key))
	if w == nil {
		return []string{""}
	}
	return w
}

// secretValue decides whether v, found behind a key of kind k, is a secret.
func secretValue(k kind, v string, quoted, env bool) bool {
	if len(v) < 4 || len(v) > longestValue || placeholder(v) || reference(v) {
		return false
	}
	if strings.ContainsAny(v, " \t") {
		return k == phraseKey && seedPhrase(v) || k == passKey && quoted && passphrase(v)
	}
	st := statsOf(v)
	letters := st.upper + st.lower
	switch k {
	case passKey:
		if letters+st.digits == 0 || !quoted && !env && constant(v) {
			return false
		}
		if st.digits == len(v) {
			return len(v) >= 6
		}
		if letters == 0 && strings.Trim(v, digitBytes+".") == "" {
			return false // a version, an object id
		}
		if st.digits == 0 {
			if st.symbols > st.under { // punctuation that no name has
				return len(v) >= 6 && !identifier(v)
			}
			if neutral()[strings.ToLower(v)] || st.under > 0 {
				return false
			}
			return env && len(v) >= 6 || quoted && (len(v) >= 12 || st.upper > 1 && st.lower > 1 && len(v) >= 8 && st.upper != wordCaps(v))
		}
		return len(v) >= 5 && (quoted || env || !wordish(v) || st.symbols == 0 && len(v) >= 6)
	case weakPassKey:
		for _, n := range []string{"Test", "Example", "Benchmark", "Fuzz"} {
			if strings.HasPrefix(v, n) { // PASS: TestX
				return false
			}
		}
		return strongPass(v) || numberedWord(v) && (quoted || len(v) > len(strings.TrimRight(v, digitBytes))+1)
	case codeKey:
		return codeValue(v)
	case phraseKey:
		return false
	case sigKey:
		return len(v) >= 26 && st.digits > 0 && (strings.Contains(v, "%") || randomText(v))
	case weakKey:
		return env && len(v) >= 24 && st.upper > 1 && st.lower > 1 && st.digits > 1 && !strings.Contains(v, "-") && entropy(v) >= 3.5
	}
	if letters == 0 || wordish(v) {
		return false
	}
	// A name that ends like its key is a variable: testRSA2048PrivateKey.
	if name := strings.TrimRight(v, digitBytes); st.symbols == 0 && len(v) < 40 {
		for _, n := range []string{"Key", "Token", "Secret", "Password"} {
			if strings.HasSuffix(name, n) {
				return false
			}
		}
	}
	for _, n := range []string{"_key", "_token", "_secret", "_password"} {
		if strings.HasSuffix(v, n) {
			return false
		}
	}
	if constant(v) {
		return false
	}
	if st.digits == 0 {
		return len(v) >= 24 && st.upper > 3 && st.lower > 3 && !camelCase(v) && entropy(v) >= 3.8
	}
	return len(v) >= 8 && st.distinct >= 6 && (len(v) < 16 && entropy(v) >= 2.5 || entropy(v) >= 3)
}

const digitBytes = "0123456789"

// Words that stand where a secret would, in schemas, forms and messages.
var neutral = words("string text required optional null none nil true false password passwd hidden invalid missing secret token changed unchanged wrong correct empty undefined object number boolean varchar default disabled enabled prompt masked encrypted hashed username user admin test unset provided needed incorrect expired valid confirm forgot reset inherit ignore input")

var placeholderParts = []string{"your", "example", "changeme", "change_me", "change-me", "placeholder", "redacted", "dummy", "sample", "insert", "replace", "my-secret", "my_secret", "todo", "fake", "test-token", "some-", "some_", "secret-key", "api-key", "api_key", "_here", "-here"}

// placeholder reports whether v stands for a secret instead of being one.
func placeholder(v string) bool {
	if v == "" {
		return true
	}
	if strings.ContainsAny(v, "<>{}") || strings.Contains(v, "...") || strings.Contains(v, "…") || strings.Contains(v, "***") || strings.Contains(v, "•") {
		return true
	}
	switch v[0] {
	case '$':
		// $VAR and $1 stand for something; $2b$ begins a password hash, and
		// "$" may begin a password.
		return len(v) > 1 && (class[v[1]]&alnumByte != 0) && strings.Trim(v[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
	case '%':
		return len(v) > 2 && v[len(v)-1] == '%'
	}
	low := strings.ToLower(v)
	if strings.Contains(low, "xxxx") && (len(v) < 32 || len(strings.ReplaceAll(low, "x", "")) < len(v)/2) {
		return true // in a long random token four of them also stand by chance
	}
	if strings.Contains(low, "example") || strings.Contains(low, "redacted") || strings.Contains(low, "1234567890abcdef") || strings.Contains(low, "abcdefghij") {
		return true
	}
	if statsOf(low).distinct <= 2 {
		return true
	}
	// In long random text a short word can occur by chance.
	if len(v) >= 32 && !wordish(v) {
		return false
	}
	for _, p := range placeholderParts {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

func urlPlaceholder(v string) bool {
	switch strings.ToLower(v) {
	case "pass", "password", "passwd", "pwd", "pw", "secret", "token", "senha", "密码":
		return true
	}
	for _, verb := range []string{"%s", "%v", "%d", "%q", "%["} {
		if strings.Contains(v, verb) {
			return true
		}
	}
	return placeholder(v) || v[0] == '$' || v[0] == '%' && v[len(v)-1] == '%' || v[0] == ':'
}

var referenceStarts = []string{"env:", "os.", "process.", "import.meta", "getenv", "env.", "config.", "cfg.", "self.", "this.", "settings.", "secrets.", "vault:", "op://", "arn:", "projects/", "sha256", "sha1", "sha384", "sha512", "md5", "!ref", "@", "{{", "http://", "https://", "file:", "urn:"}

// reference reports whether v says where a value is, instead of being it:
// code, paths, checksums, addresses.
func reference(v string) bool {
	low := strings.ToLower(v)
	if strings.HasPrefix(low, "sha256~") {
		return false // a token of OpenShift
	}
	if n := strings.TrimPrefix(strings.TrimLeft(low, "-"), "0x"); len(n) <= 16 && len(n) < len(low) && strings.Trim(n, "0123456789abcdef") == "" {
		return true // a number
	}
	if (v[0] == '!' || v[0] == '&') && identifier(v[1:]) { // a YAML tag, an address
		return true
	}
	if v[0] == '$' && strings.Contains(v, "/") && identifier(v[1:]) { // $HOME/key
		return true
	}
	for _, p := range referenceStarts {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	if strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "~/") || len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/') {
		return true
	}
	if strings.Contains(v, "://") || strings.HasSuffix(v, "()") {
		return true
	}
	// A path has a first slash and words between slashes, or an extension.
	if slash := strings.Count(v, "/"); slash > 0 {
		if v[0] == '/' && (wordish(strings.ReplaceAll(v, "/", "-")) || !mixedCase(v)) {
			return true
		}
		if wordish(strings.ReplaceAll(v, "/", "-")) {
			return true
		}
	}
	if dot := strings.LastIndexByte(v, '.'); dot > 0 && len(v)-dot >= 3 && len(v)-dot <= 6 && strings.Trim(v[dot+1:], "abcdefghijklmnopqrstuvwxyz") == "" && wordish(v[:dot]) {
		return true
	}
	return false
}

// identifier reports whether v is made of names: a.b, some_name, some-name.
func identifier(v string) bool {
	return strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.-/0123456789:") == ""
}

// wordish reports whether v is made of words and short numbers, as names,
// versions and model names are: gpt-4o-mini, access_token_v2, 2026-03-05.
func wordish(v string) bool {
	from := 0
	segs := 0
	for i := 0; i <= len(v); i++ {
		if i < len(v) && strings.IndexByte("-_./:@", v[i]) < 0 {
			continue
		}
		if seg := v[from:i]; seg != "" {
			segs++
			if !wordSegment(seg) {
				return false
			}
		}
		from = i + 1
	}
	return segs > 0
}

func wordSegment(seg string) bool {
	st := statsOf(seg)
	switch {
	case st.other > 0 || st.symbols > 0:
		return false
	case st.digits == len(seg):
		return len(seg) <= 8
	case st.digits == 0:
		return len(seg) <= 14 && (st.upper == 0 || st.lower == 0 || st.upper == wordCaps(seg))
	}
	// v2, 4o, utf8, sha256, Config2
	letters := strings.TrimRight(seg, digitBytes)
	return len(seg) <= 4 || len(seg)-len(letters) <= 3 && !hasDigit(letters) && len(letters) <= 12 && (!mixedCase(letters) || wordCaps(letters) == statsOf(letters).upper)
}

// camelCase reports whether the capitals of v, which has no digits, begin
// words, as in a name; acronyms may be among them.
func camelCase(v string) bool { return 2*wordCaps(v) >= statsOf(v).upper }

// constant reports whether v is the name of a constant: NL80211_ATTR_COOKIE.
func constant(v string) bool {
	st := statsOf(v)
	return st.lower == 0 && st.upper > 0 && strings.Contains(v, "_") && st.symbols == st.under && longestPart(v) < 20
}

// longestPart is the length of the longest part of v between "_", "-", "." and "/".
func longestPart(v string) (n int) {
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == '/' }) {
		n = max(n, len(part))
	}
	return n
}

// wordCaps counts the capitals that begin a word of three letters or more.
func wordCaps(s string) (n int) {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			j := i + 1
			for j < len(s) && s[j] >= 'a' && s[j] <= 'z' {
				j++
			}
			if j-i >= 3 {
				n++
			}
		}
	}
	return n
}

type stats struct {
	lower, upper, digits, symbols, under, other, distinct int
}

func statsOf(s string) (st stats) {
	var seen [256]bool
	for i := range len(s) {
		c := s[i]
		if !seen[c] {
			seen[c] = true
			st.distinct++
		}
		switch {
		case c >= 'a' && c <= 'z':
			st.lower++
		case c >= 'A' && c <= 'Z':
			st.upper++
		case c >= '0' && c <= '9':
			st.digits++
		case c >= 0x80:
			st.other++
		default:
			st.symbols++
			if c == '_' || c == '-' || c == '.' || c == '/' {
				st.under++
			}
		}
	}
	return st
}

func hasDigit(s string) bool  { return statsOf(s).digits > 0 }
func mixedCase(s string) bool { st := statsOf(s); return st.upper > 0 && st.lower > 0 }

// randomText reports whether a machine has made v: letters and digits mixed,
// no words.
func randomText(v string) bool {
	st := statsOf(v)
	if wordish(v) || st.distinct < 8 || st.lower+st.upper == 0 {
		return false
	}
	if constant(v) {
		return false
	}
	return (st.digits > 0 || st.upper > 3 && st.lower > 3 && !camelCase(v)) && entropy(v) >= 3
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var n [256]int
	for i := range len(s) {
		n[s[i]]++
	}
	h := 0.0
	for _, c := range n {
		if c > 0 {
			p := float64(c) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
