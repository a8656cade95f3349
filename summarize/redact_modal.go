package summarize

import (
	"strings"
	"sync"
)

// Sentences of order hold a modal verb between the name of a secret and its
// value: "the API key must be X", "das Passwort muss X sein", "X has to stay
// the password of the relay", "the password must be long, e.g. X". Such
// sentences are the ones that are kept longest, so that all of their forms are
// looked at: in both orders, with adverbs, and in the languages of the cues.

// modalVerbs begin the words between a name and its value.
var modalVerbs = words(`must should shall ought has have had needs need may might can cannot can't could will would won't mustn't shouldn't
	stays remains equals always never hat dev'essere обязательно
	muss muß müssen mussten soll sollen sollte sollten darf dürfen bleibt lautet
	debe deben debería deberá tiene tienen ha hay
	doit doivent devra devrait faut
	deve devem deverá deveria devono dovrebbe tem têm precisa
	moet moeten dient hoort mag blijft
	должен должна должно должны надо нужно
	musi powinno powinien powinna måste ska skall skal må pitää täytyy musí malı`)

// modalWords may stand between a modal verb and the value.
var modalWords = words(`be been being to of set reset equal equals match matches matching remain stay keep kept have read only always never not now still also
	exactly literally precisely strictly just simply actually permanently currently therefore then again anything nothing else but other than except
	changed change updated rotated switched restored from back as sent entered typed written spelled passed provided supplied given used use identical fixed at
	called required forever initially temporarily this supposed expected meant going continue ever better either
	immer jetzt nur genau stets weiterhin unbedingt exakt nicht gleich auf gesetzt sein bleiben lauten heißen heissen wieder nun auch zu werden als
	ser siempre ahora estar permanecer seguir siendo igual a que solo sólo únicamente exactamente no puesta en
	être toujours rester égal égale à maintenant exactement seulement uniquement valoir de pas ne
	sempre agora ficar somente exatamente não continuar sendo definida definido como em
	essere rimanere restare uguale ora solamente esattamente non impostata impostato su
	zijn altijd blijven gelijk aan nu precies alleen te worden niet ingesteld op
	быть всегда равен равна равным теперь только остаться оставаться именно не
	być zawsze równe vara alltid være olla aina být vždy olmalı`)

// modalRuns are words of scripts without spaces, and phrases that count as one
// word. Those with an order in them count as verbs.
var (
	modalRuns = strings.Fields(`必须 必須 应该 應該 应当 應當 应 應 只能 一定 需要 务必 總是 总是 始终 始終 永远 永遠 保持 设置为 設置為 设为 設為 设成 改为 改為 改成 等于 等於 使用 现在 現在 改 ，
		是 为 為 要 需 用 不能 不得 更改 为止 到
		は 必ず 常に を に が 絶対に 반드시 항상 는 은 이 가 를 을 ： :`)
	modalPhrases = []string{"the string ", "the value ", "the literal ", "the following ", "the text ", "the exact ", "a value of ", "die zeichenkette ", "den wert ", "el valor ", "la valeur ", "o valor ", "il valore ", "de waarde "}
)

// modalStarts are verbs of more than one word.
var modalStarts = []string{"is to ", "are to ", "is required ", "are required ", "is supposed ", "is meant ", "is expected ", "is going ", "is always ", "are always ", "is never ", "is hereby ", "ist immer ", "ist stets ", "es siempre ", "est toujours ", "è sempre ", "é sempre ", "is altijd "}

// modalBe are verbs that unlisted words may stand before: must under all
// circumstances be X.
var modalBe = words("be stay remain equal match sein bleiben lauten ser être rester essere rimanere zijn blijven быть")

var modalRunsBy = sync.OnceValue(func() *[256][]string {
	var t [256][]string
	for _, r := range modalRuns {
		t[r[0]] = append(t[r[0]], r)
	}
	return &t
})

// modalRun is the length of the word of modalRuns that s begins with.
func modalRun(s string) (n int) {
	if s == "" {
		return 0
	}
	for _, r := range modalRunsBy()[s[0]] {
		if len(r) > n && strings.HasPrefix(s, r) {
			n = len(r)
		}
	}
	return n
}

// mostModal bounds how many words may stand between a verb and a value, and
// longestModal how far a name, a verb and a value may be apart, in bytes.
const (
	mostModal    = 10
	longestModal = 100
)

// modalWord returns the word of prose at i, in lower case; "" when what stands
// there is no word or more than one.
func modalWord(s string, i int) string {
	end := i
	for end < len(s) && end-i < 40 && (class[s[end]]&wordByte != 0 || s[end] >= 0x80 && modalRun(s[end:]) == 0 || s[end] == '\'') {
		end++
	}
	if end == i || end < len(s) && strings.IndexByte(" \t:=,\n", s[end]) < 0 && s[end] < 0x80 && s[end] != '\\' {
		return ""
	}
	return strings.ToLower(s[i:end])
}

// modalVerb returns where the value behind the verb at j begins, -1 when there
// is no verb.
func (f *finder) modalVerb(j int) int {
	s := f.s
	verb := false
	for range mostModal {
		for j < len(s) && (s[j] == ' ' || s[j] == '\t' || verb && (s[j] == ':' || s[j] == '=')) {
			j++
		}
		if j >= len(s) {
			break
		}
		if verb {
			if n := tagAt(s[j:]); n > 0 { // from X to Y, X is hidden
				for j += n; j < len(s) && strings.IndexByte("!?`\"'*", s[j]) >= 0; {
					j++
				}
				for _, w := range []string{" or ", " and ", " nor ", " oder ", " und ", " o ", " ou ", " y ", " et "} {
					if strings.HasPrefix(s[j:], w) {
						j += len(w)
					}
				}
				continue
			}
			if n := modalPhrase(s[j:]); n > 0 {
				j += n
				continue
			}
		}
		if !verb && s[j]|0x20 >= 'a' {
			n := 0
			for _, p := range modalStarts {
				if len(s)-j > len(p) && strings.EqualFold(s[j:j+len(p)], p) {
					n = len(p)
				}
			}
			if n > 0 {
				verb = true
				j += n
				continue
			}
		}
		if n := modalDash(s[j:]); n > 0 && verb {
			j += n
			continue
		}
		if n := modalRun(s[j:]); n > 0 && s[j] >= 0x80 {
			verb = true
			j += n
			continue
		}
		w := modalWord(s, j)
		if w == "" || !modalVerbs()[w] && !(verb && modalWords()[w]) {
			if verb && (s[j] == ',' || w != "" && !strings.HasSuffix(w, "ly")) {
				if n := modalAside(s, j); n > 0 {
					j = n
					continue
				}
				break
			}
			if !verb || w == "" {
				break
			}
		}
		verb = true
		j += len(w)
		if j > len(s) { // lower case can be longer
			return -1
		}
	}
	if !verb || j >= len(s) {
		return -1
	}
	return j
}

// modalDash is the length of the dash or arrow that s begins with.
func modalDash(s string) int {
	for _, d := range []string{"— ", "– ", "- ", "→ ", "-> ", "=> "} {
		if strings.HasPrefix(s, d) {
			return len(d)
		}
	}
	return 0
}

// modalAside returns the offset behind a verb of modalBe that a few words at j
// lead to, or -1.
func modalAside(s string, j int) int {
	for range 5 {
		for j < len(s) && (s[j] == ' ' || s[j] == ',') {
			j++
		}
		w := modalWord(s, j)
		if w == "" || hasDigit(w) || modalBreak()[w] || len(w) > len(s)-j {
			return -1
		}
		j += len(w)
		if modalBe()[w] {
			return j
		}
	}
	return -1
}

// modalPhrase is the length of the phrase that s begins with.
func modalPhrase(s string) int {
	for _, p := range modalPhrases {
		if len(s) > len(p) && strings.EqualFold(s[:len(p)], p) {
			return len(p)
		}
	}
	return 0
}

// ordered looks behind a cue for a verb and a value.
func (f *finder) ordered(kind kind, name string, end int) (span, bool) {
	s := f.s
	if kind == codeKey || kind == phraseKey {
		return span{}, false
	}
	j := end
	for n := 0; n < 3 && j < len(s) && strings.IndexByte("*`_\"'\\", s[j]) >= 0; n++ {
		j++
	}
	k := j
	for k < len(s) && s[k] == ' ' {
		k++
	}
	if k+1 < len(s) && s[k] == '(' { // never change the password (X)
		from, to, ok := quoted(s, k+1)
		if !ok {
			from, to = k+1, wordEnd(s, k+1, false, false)
		}
		if (ok || strings.HasPrefix(strings.TrimLeft(s[to:min(len(s), to+3)], "!?"), ")")) && striking(s[from:to]) && k > j {
			if m, ok := f.value(kind, from, to, ok); ok {
				return m, true
			}
		}
		n := strings.IndexByte(s[k:min(len(s), k+40)], ')')
		if n < 0 {
			return span{}, false
		}
		j = k + n + 1
	} else if k < len(s) && s[k] == ',' { // the password, as agreed, must
		n := strings.IndexByte(s[k+1:min(len(s), k+60)], ',')
		if n < 0 {
			return span{}, false
		}
		j = k + n + 2
	}
	for k = j; k < len(s) && strings.IndexByte(" |*`", s[k]) >= 0; { // the next cell
		k++
	}
	at := f.modalVerb(k + modalDash(s[k:]))
	clause := false // the password that we use
	for n := 0; at < 0 && n < 7; n++ {
		for j < len(s) && s[j] == ' ' {
			j++
		}
		to := j
		for to < len(s) && to-j < 40 && (class[s[to]]&urlByte != 0 || s[to] >= 0x80 || strings.IndexByte(".@/'", s[to]) >= 0) {
			to++
		}
		if to > j && to < len(s) && s[to] == ',' && n > 0 { // for prod, also used in CI, must
			if c := strings.IndexByte(s[to+1:min(len(s), to+60)], ','); c >= 0 {
				if at = f.modalVerb(to + c + 2); at >= 0 {
					break
				}
			}
		}
		if to == j || to >= len(s) || s[to] != ' ' || s[to-1] == '.' {
			return span{}, false
		}
		w := strings.ToLower(s[j:to])
		if n == 0 && !leadWords()[w] {
			clause = modalClause()[w]
		}
		if clause && n > 0 && w == "is" {
			at = to + 1
			break
		}
		if n == 0 && !leadWords()[w] && !modalLead()[w] && !clause || modalBreak()[w] {
			return span{}, false
		}
		j = to
		at = f.modalVerb(j)
	}
	if at < 0 {
		return span{}, false
	}
	return f.demanded(kind, name, at)
}

var (
	// modalLead may stand behind a name as well as leadWords.
	modalLead   = words("used at by api доступа with d'api d’api dell'api chez sur pour per voor van bij naar auf bei à")
	modalClause = words("that which we you they i everyone everybody")
	// modalBreak are words behind which something else is talked about.
	modalBreak = words("is was are were and but then so if when because while id ids ist war und aber es y pero est et mais e ma é en maar")
	// pairNames are the names of what has a user's name and a password.
	pairNames = words("credential credentials creds login logins zugangsdaten credenciales identifiants credenciais credenziali")
)

// demanded finds the value behind the words of an order, which end at j.
func (f *finder) demanded(kind kind, name string, j int) (span, bool) {
	s := f.s
	if k, lines := gap(s, j); lines > 0 {
		if from, to, ok := nextLine(s, k, lines); ok {
			return f.value(kind, from, to, true)
		}
		return span{}, false
	}
	if strings.HasPrefix(s[j:], "is ") { // the password you need is X
		j += 3
	}
	for j < len(s) && s[j] == '(' {
		j++
	}
	if j >= len(s) {
		return span{}, false
	}
	from, to, ok := quoted(s, j)
	if !ok {
		from, to = j, wordEnd(s, j, false, false)
	}
	parts := splitName(name)
	pair := pairNames()[parts[len(parts)-1]]
	if pair {
		if n := strings.IndexAny(s[from:to], "/:"); n > 1 && n < 40 && identifier(s[from:from+n]) {
			if m, ok := f.value(passKey, from+n+1, to, ok); ok {
				return m, true
			}
		}
	}
	if m, done := f.value(kind, from, to, ok); done {
		return m, true
	}
	if pair && to > from && to-from < 40 {
		if m, ok := f.second(to, ok); ok {
			return m, true
		}
	}
	// must be at least 32 characters, e.g. X
	rest := s[j:min(len(s), j+longestModal)]
	if n := strings.IndexAny(rest, "\n;"); n >= 0 {
		rest = rest[:n]
	}
	low := asciiLower(rest)
	for _, w := range instances {
		n := strings.Index(low, w)
		if n < 0 {
			continue
		}
		k := j + n + len(w)
		for k < len(s) && strings.IndexByte(" ,:(", s[k]) >= 0 {
			k++
		}
		from, to, ok := quoted(s, k)
		if !ok {
			from, to = k, wordEnd(s, min(k, len(s)), false, false)
		}
		if from < to && striking(s[from:to]) {
			return f.value(kind, from, to, ok)
		}
	}
	return span{}, false
}

// instances lead to one value of many.
var instances = []string{"e.g.", "for example", "for instance", "such as", " like ", "i.e.", "namely", "z.b.", "z. b.", "zum beispiel", "etwa ", "por ejemplo", "p. ej.", "par exemple", "por exemplo", "ad esempio", "bijvoorbeeld", "bijv.", "например", "例如", "比如", "例えば", "たとえば", "예를 들어", "it is ", "it's ", "currently ", ": ", " - ", "— ", "– "}

// asciiLower lowers the letters of ASCII alone, so that offsets stay.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// second finds the password behind a user's name that ends at i.
func (f *finder) second(i int, inQuotes bool) (span, bool) {
	s := f.s
	if inQuotes {
		if _, at := quoteAt(s, i); at > i {
			i = at
		}
	}
	for _, sep := range []string{" and ", " & ", " / ", "/", ", ", " with ", " und ", " mit ", " y ", " con ", " et ", " avec ", " e ", " com ", " en ", " met ", " и ", " 和 ", "和", " と ", " 및 "} {
		if !strings.HasPrefix(s[i:], sep) {
			continue
		}
		j := i + len(sep)
		for _, w := range []string{"the ", "password ", "passwort ", "pw ", "pass "} {
			if len(s)-j > len(w) && strings.EqualFold(s[j:j+len(w)], w) {
				j += len(w)
			}
		}
		from, to, ok := quoted(s, j)
		if !ok {
			from, to = j, wordEnd(s, min(j, len(s)), false, false)
		}
		return f.value(passKey, from, to, ok)
	}
	return span{}, false
}

// value returns the span of s[from:to] if it is a secret where a sentence
// demands one.
func (f *finder) value(kind kind, from, to int, inQuotes bool) (span, bool) {
	s := f.s
	if from >= to || to-from > longestValue || from < f.start || s[from] == '*' || tagAt(s[from:]) > 0 || !inQuotes && to < len(s) && (s[to] == '(' || s[to] == '[') {
		return span{}, false
	}
	v := strings.TrimRight(s[from:to], "=")
	if v == "" || technicalName(v) || nameOf(v) || kind == tokenKey && manyWords(v) {
		return span{}, false
	}
	fm := isForm
	if inQuotes && kind != tokenKey {
		fm = quotedForm
	}
	if !spoken(kind, v, fm, true) {
		return span{}, false
	}
	name := kind.tag()
	if m, ok := f.token(from); ok && m.from == from {
		name, to = m.name, max(to, m.to)
	}
	return span{from, to, name}, true
}

// striking reports whether v is not just a word with numbers.
func striking(v string) bool {
	st := statsOf(v)
	return st.upper > 0 && st.lower > 0 && st.digits > 0 || st.symbols > st.under || len(v) >= 16 && randomText(v)
}

// technicalName reports whether v is made of the names of algorithms, formats
// and units: ed25519, secp256k1, RFC7519, 32bytes.
func technicalName(v string) bool {
	if len(v) > 24 {
		return false
	}
	low := strings.ToLower(v)
	letters := 0
	for i := 0; i < len(low); {
		if low[i] < 'a' || low[i] > 'z' {
			if low[i] >= 0x80 {
				return false
			}
			i++
			continue
		}
		e := i
		for e < len(low) && low[e] >= 'a' && low[e] <= 'z' {
			e++
		}
		if w := low[i:e]; !technical()[w] && !technicalParts()[w] {
			return false
		}
		letters += e - i
		i = e
	}
	return letters > 0
}

var technicalParts = words("ed x curve secp k r prime rfc iso id gcm cbc ctr ccm hmac ps ecdsa eddsa dsa ecdh dh nist p blake s xchacha chacha poly argonid i d b bytes byte bits bit chars char characters digits digit hex octets kb url urlsafe mb jwt jws jwe pkcs pem der pkce bearer proxy client server provider flow only plus min max len length days day hours hour h m weeks months and or to a z tls ssl ssh gpg pgp x509 fido webauthn u2f totp hotp cryptojs crypt sm gost whirlpool ripemd keccak shake cve latin windows cp ascii win linux amd arm api beta alpha rc")

// nameOf reports whether v is the name of a field or variable: password2,
// accessTokenV2, oldPassword12.
func nameOf(v string) bool {
	name := strings.TrimRight(strings.TrimRight(v, digitBytes), "Vv_-")
	if name == v || hasDigit(name) || strings.ContainsAny(name, "#$%^&*!~+") {
		return false
	}
	low := strings.ToLower(name)
	if neutral()[low] {
		return true
	}
	for _, w := range []string{"password", "passwd", "passwort", "token", "secret", "key", "username", "field", "column", "confirm"} {
		if strings.HasSuffix(low, w) {
			return true
		}
	}
	return false
}

// manyWords reports whether v is a name with a suffix that a machine made:
// ingress-tls-5d8f7b9c6.
func manyWords(v string) bool {
	n := 0
	for p := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' || r == '/' || r == '.' }) {
		if len(p) >= 3 && strings.Trim(p, "abcdefghijklmnopqrstuvwxyz") == "" {
			n++
		}
	}
	return n >= 2
}

// allRuns reports whether w is made of words of modalRuns.
func allRuns(w string) bool {
	n := 0
	for n < len(w) && w[n] >= 0x80 {
		k := modalRun(w[n:])
		if k == 0 {
			return false
		}
		n += k
	}
	return n > 0 && n == len(w)
}

// pairOrdered looks for an order behind the separator s[i:j] of a name:
// password: must be X.
func (f *finder) pairOrdered(i, j int) (span, bool) {
	s := f.s
	for j < len(s) && s[j] == ' ' {
		j++
	}
	if j >= len(s) || class[s[j]]&wordByte == 0 || s[j] <= '9' || !modalVerbs()[modalWord(s, j)] {
		return span{}, false
	}
	key := keyBefore(s, i)
	kind := keyKind(key)
	switch kind {
	case passKey, tokenKey, weakPassKey:
		if at := f.modalVerb(j); at >= 0 {
			return f.demanded(kind, key, at)
		}
	}
	return span{}, false
}

// orderedBefore finds a value that is told before its cue, which begins at i:
// X must be the password of the relay.
func (f *finder) orderedBefore(kind kind, i int) (span, bool) {
	s := f.s
	verb, article, others := false, false, 0
	k := i
	for n := 0; n < mostModal; n++ {
		for k > f.start && s[k-1] == ' ' {
			k--
		}
		from := k
		for from > f.start && k-from < 24 && (class[s[from-1]]&wordByte != 0 || s[from-1] >= 0x80 || s[from-1] == '\'') {
			from--
		}
		w := strings.ToLower(s[from:k])
		switch {
		case from == k || i-from > longestModal:
			n = mostModal
			continue
		case from > f.start && s[from-1] != ' ':
			n = mostModal
			continue
		case modalVerbs()[w], allRuns(w), (w == "as" || w == "is") && article && others < 2:
			verb = true
		case verb && modalWords()[w]:
		case !verb && !article && others == 0 && (modalLead()[w] || leadWords()[w] || modalBreak()[w] || w == "with") && w != "root" && w != "admin" && !modalWords()[w] && !modalArticles()[w]:
			n = mostModal
			continue
		case !verb && modalWords()[w] && w != "new":
		case !verb && modalArticles()[w]:
			article = true
		case !verb && !article && others < 2 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "":
			others++
		default:
			n = mostModal
			continue
		}
		k = from
	}
	if !verb || others > 0 && !article {
		return span{}, false
	}
	for k > f.start && strings.IndexByte("`\"'* \\", s[k-1]) >= 0 {
		k--
	}
	from := k
	for from > f.start && k-from < longestModal && s[from-1] > ' ' && s[from-1] < 0x80 && strings.IndexByte("`\"'*(\\", s[from-1]) < 0 {
		from--
	}
	return f.value(kind, from, k, false)
}

var modalArticles = words("the a an my your our his her its their new das der die den dem la el le les il lo o os as het mi su mon notre nosso unser")

// api looks at a word like API that makes the name of a secret out of a word
// for any key beside it: clé API, API-Schlüssel, APIキー.
func (f *finder) api(i, end int) (span, bool) {
	s := f.s
	rest := strings.TrimLeft(s[end:min(len(s), end+24)], " -")
	off := min(len(s), end+24) - end - len(rest)
	for _, w := range []string{"schlüssel", "Schlüssel", "sleutel", "nyckel", "nøkkel", "nøgle", "klucz", "klíč", "ключ", "キー", "鍵", "키", "金鑰", "金钥"} {
		if strings.HasPrefix(rest, w) {
			return f.announced(tokenKey, s[i:end+off+len(w)], end+off+len(w))
		}
	}
	before := strings.ToLower(s[max(0, i-24):i])
	before = strings.TrimRight(before, " '’`\"")
	for _, w := range []string{" für die", " for the", " for", " of the", " pour l", " para la", " para a", " per l", " для", " voor de", " de la", " de l", " della", " dell", " del", " de", " da", " do", " d", " di"} {
		if t, ok := strings.CutSuffix(before, w); ok {
			before = t
			break
		}
	}
	for _, w := range []string{" key", " schlüssel", " sleutel", "clé", "cle", "clave", "llave", "chave", "chiave", "ключ", "klucz", "klíč"} {
		if strings.HasSuffix(before, w) {
			return f.announced(tokenKey, s[i:end], end)
		}
	}
	return span{}, false
}

// account finds the password of admin/X and admin:X where a verb says that
// they are used; the name s[i:end] stands before a slash or a colon.
func (f *finder) account(i, end int) (span, bool) {
	s := f.s
	if end-i < 2 || end-i > 13 || !admins()[strings.ToLower(s[i:end])] {
		return span{}, false
	}
	k := i
	for k > 0 && strings.IndexByte("`\"'*\\", s[k-1]) >= 0 {
		k--
	}
	if k == 0 || s[k-1] != ' ' {
		return span{}, false
	}
	from := k - 1
	for from > 0 && k-from < 10 && class[s[from-1]]&wordByte != 0 {
		from--
	}
	if !uses()[strings.ToLower(s[from:k-1])] {
		return span{}, false
	}
	to := wordEnd(s, end+1, false, false)
	v := s[end+1 : max(to, end+1)]
	if !striking(v) || strings.ContainsAny(v, "/.") || s[end] == ':' && statsOf(v).symbols == 0 && len(v) < 10 {
		return span{}, false
	}
	return f.value(passKey, end+1, to, false)
}

var (
	admins = words("admin administrator root sa postgres deploy operator guest bob alice superuser sysadmin")
	uses   = words("use using with as be is are must mit com con avec met")
)
