package summarize

import (
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
