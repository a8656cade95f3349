package summarize

import (
	"strings"
	"sync"
)

// An argRule says how a flag of a program carries a secret.
type argRule struct {
	glued bool   // -pX
	apart bool   // -p X
	in    string // where in the value the secret begins: behind ":" of user:X; "" for all of it
	verb  string // a word that has to stand before it: docker login -p, but not docker run -p
}

var (
	glued   = argRule{glued: true}
	apart   = argRule{apart: true}
	both    = argRule{glued: true, apart: true}
	userArg = argRule{glued: true, apart: true, in: ":"}
	login   = argRule{apart: true, verb: "login"}
)

// argRules are the flags of programs that carry secrets and have no telling
// name of their own.
var argRules = sync.OnceValue(func() map[string]argRule {
	t := map[string]argRule{}
	add := func(flags, programs string, r argRule) {
		for fl := range strings.FieldsSeq(flags) {
			for p := range strings.FieldsSeq(programs) {
				t[fl+" "+p] = r
			}
		}
	}
	add("p", "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlsh mysqlpump mycli mariadb mariadb-dump mariadb-admin 7z 7za 7zz rar unrar", glued)
	add("p", "sshpass mongo mongosh mongodump mongorestore mongoexport mongoimport psexec rdesktop cqlsh useradd usermod twine cf argocd rabbitmqadmin plink pscp", both)
	add("hp", "rar", glued)
	add("p", "docker podman nerdctl buildah helm oras crane skopeo oc az", login)
	add("u user U proxy-user", "curl", userArg)
	add("u user", "wget lftp httpx", userArg)
	add("a auth", "http https xh httpie", userArg)
	add("src-creds dest-creds creds", "skopeo podman buildah", userArg)
	add("a", "redis-cli", both)
	add("pass passin passout", "openssl", argRule{apart: true, in: "pass:"})
	add("k", "openssl", apart)
	add("w", "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapmodrdn", both)
	add("s", "ldappasswd", both)
	add("P", "sqlcmd bcp osql isql zip unzip ipmitool freebcp tsql", both)
	add("N P", "ssh-keygen", apart)
	add("U", "smbclient rpcclient net smbmap", argRule{apart: true, in: "%"})
	add("A X", "snmpwalk snmpget snmpset snmptrap", apart)
	add("b body", "gh", argRule{apart: true, verb: "secret"})
	add("k api-key", "dotnet nuget", apart)
	add("b cookie", "curl", argRule{apart: true, in: "="})
	add("oauth2-bearer", "curl", apart)
	add("String", "ConvertTo-SecureString", apart)
	return t
})

// argFlags are the flags of argRules, so that others cost one look-up.
var argFlags = sync.OnceValue(func() map[string]bool {
	t := map[string]bool{}
	for k := range argRules() {
		fl, _, _ := strings.Cut(k, " ")
		t[fl] = true
	}
	return t
})

// longestCommand bounds how far the program is looked for before its flag.
const longestCommand = 300

// flag finds `--password value`, `curl -u user:password`, `mysql -pvalue`; i
// is at the first dash.
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
	dashes := name - i
	if dashes > 2 || end == name {
		return span{}, false
	}
	if m, ok := f.programFlag(i, name, end, dashes); ok {
		return m, true
	}
	if s[name:end] == "S" || s[name:end] == "password-stdin" || s[name:end] == "stdin" || s[name:end] == "with-token" {
		return f.hereString(end)
	}
	if end >= len(s) || s[end] != ' ' {
		return span{}, false
	}
	kind := keyKind(s[name:end])
	if kind == noKey || kind > tokenKey && kind != weakPassKey {
		return span{}, false
	}
	from, to, quoted := operand(s, end+1)
	if from >= to {
		return span{}, false
	}
	v := s[from:to]
	if kind == weakPassKey {
		kind = passKey
	}
	if tagAt(v) > 0 || !secretValue(kind, v, quoted, false) && !(quoted && kind == passKey && strings.Contains(v, " ") && passphrase(v)) {
		return span{}, false
	}
	return span{from, to, kind.tag()}, true
}

// hereString finds the secret of `sudo -S ls <<< X`.
func (f *finder) hereString(end int) (span, bool) {
	s := f.s
	line := s[end:min(len(s), end+longestCommand)]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	n := strings.Index(line, "<<<")
	if n < 0 {
		return span{}, false
	}
	j := end + n + 3
	for j < len(s) && s[j] == ' ' {
		j++
	}
	from, to, quoted := operand(s, j)
	if from >= to || !commandValue(s[from:to], quoted) {
		return span{}, false
	}
	return span{from, to, "password"}, true
}

// secureString finds the literal of ConvertTo-SecureString "X".
func (f *finder) secureString(end int) (span, bool) {
	const rest = "-SecureString "
	s := f.s
	if len(s)-end < len(rest) || !strings.EqualFold(s[end:end+len(rest)], rest) {
		return span{}, false
	}
	from, to, ok := quoted(s, end+len(rest))
	if !ok || !commandValue(s[from:to], true) {
		return span{}, false
	}
	return span{from, to, "password"}, true
}

// httpBasic finds the password of `poetry config http-basic.repo user X`.
func (f *finder) httpBasic(i, end int) (span, bool) {
	s := f.s
	if !strings.HasSuffix(s[:i], "http-") || end >= len(s) || s[end] != '.' {
		return span{}, false
	}
	return f.positional(wordEnd(s, end, true, false), 1, "")
}

// bundleConfig finds the password of `bundle config host user:X`.
func (f *finder) bundleConfig(i, end int) (span, bool) {
	s := f.s
	if !strings.HasSuffix(s[:i], "bundle ") {
		return span{}, false
	}
	from := wordEnd(s, min(len(s), end+1), true, false) + 1
	to := wordEnd(s, min(len(s), from), true, false)
	if from >= to {
		return span{}, false
	}
	colon := strings.IndexByte(s[from:to], ':')
	if colon < 1 || !commandValue(s[from+colon+1:to], false) {
		return span{}, false
	}
	return span{from + colon + 1, to, "password"}, true
}

// operand returns the bounds of the command line argument at i.
func operand(s string, i int) (from, to int, quoted bool) {
	if q, at := quoteAt(s, i); q != "" {
		n := strings.Index(s[at:min(len(s), at+512)], q)
		if n < 0 {
			return i, i, false
		}
		return at, at + n, true
	}
	return i, wordEnd(s, i, true, false), false
}

// programFlag looks at a flag whose meaning depends on the program.
func (f *finder) programFlag(i, name, end, dashes int) (span, bool) {
	s := f.s
	flags := s[name:end]
	// -pX is the flag p with X glued to it.
	r, ok := argRule{}, false
	isGlued := false
	if argFlags()[flags] {
		r, ok = ruleBefore(s, i, flags)
		ok = ok && r.apart && end < len(s) && (s[end] == ' ' || s[end] == '=')
	}
	if !ok && dashes == 1 {
		for n := 1; n <= 2 && n <= len(flags) && !ok; n++ {
			if argFlags()[flags[:n]] {
				r, ok = ruleBefore(s, i, flags[:n])
				ok = ok && r.glued
				isGlued = ok
				if ok {
					end = name + n
				}
			}
		}
	}
	if !ok {
		return span{}, false
	}
	at := end
	if !isGlued {
		at++
	}
	from, to, quoted := operand(s, at)
	if from >= to {
		return span{}, false
	}
	if r.in != "" {
		n := strings.Index(s[from:to], r.in)
		if n < 0 && r.in == ":" && strings.Contains(lineBefore(s, i), "lftp") {
			n = strings.Index(s[from:to], ",")
		}
		if n < 0 || n == 0 && r.in == ":" {
			return span{}, false
		}
		if r.in == "=" {
			if !sessionValue(s[from:from+n], s[from+n+1:to]) {
				return span{}, false
			}
			return span{from + n + 1, to, "cookie"}, true
		}
		from += n + len(r.in)
	}
	v := s[from:to]
	if !commandValue(v, quoted) {
		return span{}, false
	}
	m := span{from, to, "password"}
	if t, ok := f.token(from); ok && t.from == from {
		m.name, m.to = t.name, max(m.to, t.to)
	}
	return m, true
}

// commandValue decides whether an argument is a secret when its place says
// that it is one: anything but variables, numbers of ports, and placeholders.
func commandValue(v string, quoted bool) bool {
	if len(v) < 4 || tagAt(v) > 0 || urlPlaceholder(v) || strings.ContainsAny(v, "$<>{}") && !strongPass(strings.Trim(v, "$")) {
		return false
	}
	if !quoted && strings.ContainsAny(v, " ") || strings.HasPrefix(v, "-") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") {
		return false
	}
	st := statsOf(v)
	if st.digits == len(v)-st.symbols && st.digits > 0 { // ports, ids
		return st.symbols == 0 && st.digits >= 6
	}
	return st.digits > 0 && st.lower+st.upper > 0 || st.upper+st.lower > 0 && st.symbols > st.under || quoted && len(v) >= 8 && !neutral()[strings.ToLower(v)]
}

// lineBefore is what stands on the line before i, at most longestCommand bytes.
func lineBefore(s string, i int) string {
	line := s[max(0, i-longestCommand):i]
	return line[strings.LastIndexByte(line, '\n')+1:]
}

// ruleBefore finds the rule for a flag at i by the program that stands before
// it in the same simple command.
func ruleBefore(s string, i int, flag string) (argRule, bool) {
	line := lineBefore(s, i)
	if cut := strings.LastIndexAny(line, "|;"); cut >= 0 {
		line = line[cut+1:]
	}
	end := len(line)
	for end > 0 {
		for end > 0 && class[line[end-1]]&urlByte == 0 {
			end--
		}
		from := end
		for from > 0 && class[line[from-1]]&urlByte != 0 {
			from--
		}
		if from == end {
			break
		}
		w := line[from:end]
		r, ok := argRules()[flag+" "+w]
		if !ok && from > 0 && line[from-1] == '\\' && len(w) > 1 { // \nmysql
			r, ok = argRules()[flag+" "+w[1:]]
		}
		if ok && (r.verb == "" || strings.Contains(line[end:], r.verb)) {
			return r, true
		}
		end = from
	}
	return argRule{}, false
}

// wordRules look at words behind which a secret stands in its own way.
var wordRules func() map[string]func(f *finder, i, end int) (span, bool)

func init() { wordRules = sync.OnceValue(listWordRules) } // the rules call what looks them up

func listWordRules() map[string]func(f *finder, i, end int) (span, bool) {
	positional := func(skip int, verb string) func(f *finder, i, end int) (span, bool) {
		return func(f *finder, i, end int) (span, bool) { return f.positional(end, skip, verb) }
	}
	rules := map[string]func(f *finder, i, end int) (span, bool){
		"htpasswd":       positional(2, "-"),
		"wpa_passphrase": positional(1, ""),
		"obscure":        positional(0, ""),
		"requirepass":    positional(0, ""),
		"masterauth":     positional(0, ""),
		"community":      positional(0, ""),
		"sqlplus":        func(f *finder, i, end int) (span, bool) { return f.userSlash(end) },
		"impdp":          func(f *finder, i, end int) (span, bool) { return f.userSlash(end) },
		"expdp":          func(f *finder, i, end int) (span, bool) { return f.userSlash(end) },
		"echo":           func(f *finder, i, end int) (span, bool) { return f.piped(end) },
		"printf":         func(f *finder, i, end int) (span, bool) { return f.piped(end) },
		"identified":     func(f *finder, i, end int) (span, bool) { return f.identified(end) },
		"convertto":      func(f *finder, i, end int) (span, bool) { return f.secureString(end) },
		"alias": func(f *finder, i, end int) (span, bool) {
			if !strings.HasSuffix(lineBefore(f.s, i), "mc ") {
				return span{}, false
			}
			return f.positional(end, 4, "")
		},
		"basic":        func(f *finder, i, end int) (span, bool) { return f.httpBasic(i, end) },
		"api":          func(f *finder, i, end int) (span, bool) { return f.api(i, end) },
		"chiffrement":  func(f *finder, i, end int) (span, bool) { return f.api(i, end) },
		"cifratura":    func(f *finder, i, end int) (span, bool) { return f.api(i, end) },
		"criptografia": func(f *finder, i, end int) (span, bool) { return f.api(i, end) },
		"wlan":         func(f *finder, i, end int) (span, bool) { return f.api(i, end) },
		"wifi":         func(f *finder, i, end int) (span, bool) { return f.api(i, end) },
		"config":       func(f *finder, i, end int) (span, bool) { return f.bundleConfig(i, end) },
		"use":          func(f *finder, i, end int) (span, bool) { return f.netUse(i, end) },
		"user":         func(f *finder, i, end int) (span, bool) { return f.netUser(i, end) },
	}
	for w := range loginWords() {
		rules[w] = func(f *finder, i, end int) (span, bool) { return f.login(w, i, end) }
	}
	return rules
}

// loginWords are the words that a name and a password may follow.
var loginWords = words("sign authenticate login logins log credentials credential creds account auth basicauth setbasicauth withbasicauth httpbasicauth pscredential password pass zugangsdaten credenciales identifiants credenciais credenziali")

// positional takes the argument behind skip others, flags not counted.
func (f *finder) positional(i, skip int, verb string) (span, bool) {
	s := f.s
	if i >= len(s) || s[i] != ' ' {
		return span{}, false
	}
	flagged := verb == ""
	for n := 0; n < 8; n++ {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		if i >= len(s) || s[i] == '\n' {
			return span{}, false
		}
		if s[i] == '-' {
			e := wordEnd(s, i, true, false)
			if strings.Contains(s[i:e], "n") && verb != "" { // htpasswd -n has no file
				skip--
			}
			flagged = flagged || strings.Contains(s[i:e], "b")
			i = e
			continue
		}
		from, to, quoted := operand(s, i)
		if from >= to {
			return span{}, false
		}
		if skip > 0 {
			skip--
			i = to
			if quoted {
				i++
			}
			continue
		}
		if !flagged || !commandValue(s[from:to], quoted) {
			return span{}, false
		}
		if to < len(s) && !quoted && s[to] == '(' {
			return span{}, false
		}
		return span{from, to, "password"}, true
	}
	return span{}, false
}

// userSlash finds the password of `sqlplus user/X@db`.
func (f *finder) userSlash(i int) (span, bool) {
	s := f.s
	end := wordEnd(s, min(len(s), i+1), true, false)
	if i >= len(s) || s[i] != ' ' && s[i] != ':' || end <= i+1 {
		return span{}, false
	}
	slash := strings.IndexByte(s[i+1:end], '/')
	at := strings.IndexByte(s[i+1:end], '@')
	if slash < 1 || at < slash || !commandValue(s[i+2+slash:i+1+at], false) {
		return span{}, false
	}
	return span{i + 2 + slash, i + 1 + at, "password"}, true
}

// consumers read a secret from their input.
var consumers = []string{"sudo -S", "sudo chpasswd", "chpasswd", "passwd --stdin", "--password-stdin", "--with-token", "smbpasswd", "base64 -d", "base64 --decode", "cryptsetup", "--passphrase-fd", "-pass stdin"}

// piped finds what echo or printf hands to a program that reads a secret.
func (f *finder) piped(i int) (span, bool) {
	s := f.s
	end := strings.IndexByte(s[i:min(len(s), i+longestCommand)], '\n')
	if end < 0 {
		end = min(len(s), i+longestCommand)
	} else {
		end += i
	}
	bar := strings.IndexByte(s[i:end], '|')
	if bar < 0 {
		return span{}, false
	}
	reads := ""
	for _, c := range consumers {
		if strings.Contains(s[i+bar:end], c) {
			reads = c
			break
		}
	}
	if reads == "" {
		return span{}, false
	}
	bar += i
	for i < bar {
		for i < bar && s[i] == ' ' {
			i++
		}
		from, to, quoted := operand(s, i)
		if to > bar || from >= to {
			return span{}, false
		}
		i = to
		if quoted {
			i++
			if q, at := quoteAt(s, to); q != "" {
				i = at
			}
		}
		v := s[from:to]
		if v[0] == '-' || strings.HasPrefix(v, "%s") {
			continue
		}
		if n := strings.IndexAny(v, "\\\n"); n > 0 { // printf "X\nX\n"
			if rest := strings.TrimLeft(v[n:], "\\\n"); len(rest) < 2 {
				to = from + n
			}
			v = v[:n]
		}
		if strings.HasPrefix(reads, "base64") {
			if !userPass(v) {
				return span{}, false
			}
			return span{from, to, "basic-auth"}, true
		}
		if strings.Contains(reads, "chpasswd") {
			n := strings.IndexByte(v, ':')
			if n < 0 {
				return span{}, false
			}
			from, v = from+n+1, v[n+1:]
		}
		if !commandValue(v, quoted) || wordish(v) && !hasDigit(v) {
			return span{}, false
		}
		return span{from, to, "password"}, true
	}
	return span{}, false
}

// ofAccount matches a statement about an account.
var ofAccount = anyOf(`\b(?:user|role|login|create|alter|grant)\b`)

// identified finds the literal of IDENTIFIED [WITH plugin] BY 'X'.
func (f *finder) identified(i int) (span, bool) {
	s := f.s
	line := s[i:min(len(s), i+80)]
	n := strings.Index(strings.ToUpper(line), " BY ")
	if n < 0 || strings.IndexByte(line[:n], '\n') >= 0 {
		return span{}, false
	}
	if before := s[max(0, i-longestCommand):i]; strings.HasPrefix(line[n:], " by ") && !ofAccount.MatchString(before[strings.LastIndexByte(before, '\n')+1:]) {
		return span{}, false // "revision identified by"
	}
	from, to, ok := quoted(s, i+n+4)
	if !ok || s[from-1] == '`' || !commandValue(s[from:to], true) {
		return span{}, false
	}
	return span{from, to, "password"}, true
}

// netUse finds the password of `net use Z: \\srv\share X /user:name`.
func (f *finder) netUse(i, end int) (span, bool) {
	s := f.s
	if !strings.HasSuffix(strings.ToLower(s[max(0, i-4):i]), "net ") {
		return span{}, false
	}
	return f.windowsArgs(end, "\\")
}

// netUser finds the password of `net user name X /add`.
func (f *finder) netUser(i, end int) (span, bool) {
	s := f.s
	if !strings.HasSuffix(strings.ToLower(s[max(0, i-4):i]), "net ") {
		return span{}, false
	}
	return f.windowsArgs(end, "")
}

// windowsArgs takes the first strong word behind the share or the name.
func (f *finder) windowsArgs(i int, behind string) (span, bool) {
	s := f.s
	seen := behind == ""
	for n := 0; n < 6; n++ {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		from := i
		for i < len(s) && s[i] > ' ' && i-from < longestCommand {
			i++
		}
		if i == from {
			return span{}, false
		}
		v := strings.Trim(s[from:i], "\"'")
		if n := strings.IndexAny(v, "\"'`"); n > 0 && !strings.HasPrefix(v, "\\") { // the end of what the command stands in
			v = strings.TrimRight(v[:n], "\\")
		}
		if behind != "" && strings.Contains(v, behind) && !strings.HasPrefix(v, "/") {
			seen = true
			continue
		}
		if n > 0 && seen && !strings.ContainsAny(v, "/:\\") && (strongPass(v) || numberedWord(v)) && tagAt(v) == 0 {
			at := strings.Index(s[from:], v) + from
			return span{at, at + len(v), "password"}, true
		}
	}
	return span{}, false
}

// login looks behind a word like login or credentials for a name and a
// password: admin / X, admin:X, ("admin", "X").
func (f *finder) login(w string, i, end int) (span, bool) {
	s := f.s
	j := end
	if (w == "log" || w == "sign") && !strings.HasPrefix(s[end:], " in") {
		return span{}, false
	}
	if s[i] == 'A' || s[i] == 'L' { // AUTH X of redis, AUTH PLAIN X of SMTP, LOGIN name X of IMAP
		if m, ok := f.protocol(i, end); ok {
			return m, true
		}
	}
	if j < len(s) && (s[j] == '(' || strings.HasPrefix(s[j:], "=(")) && w != "password" && w != "pass" {
		if s[j] == '=' {
			j++
		}
		for n := 0; n < 3; n++ {
			j, _ = gap(s, j+1)
			from, to, ok := quoted(s, j)
			if !ok {
				return span{}, false
			}
			if v := s[from:to]; tagAt(v) == 0 && !strings.Contains(v, "@") && (strongPass(v) || n > 0 && numberedWord(v)) && (w != "auth" || strongPass(v) || n > 0) {
				return span{from, to, "password"}, true
			}
			_, at := quoteAt(s, to)
			if at >= len(s) || s[at] != ',' {
				return span{}, false
			}
			j = at
		}
		return span{}, false
	}
	explicit := false
	if w == "password" || w == "pass" {
		// user/pass and username:password name the form of what follows.
		if i == 0 || s[i-1] != '/' && s[i-1] != ':' {
			return span{}, false
		}
		e := i - 1
		for e > 0 && class[s[e-1]]&wordByte != 0 {
			e--
		}
		if name := strings.ToLower(s[e : i-1]); name != "user" && name != "username" && name != "login" && name != "email" {
			return span{}, false
		}
		explicit = true
	}
	for n := 0; n < 6 && j < len(s); n++ {
		for j < len(s) && strings.IndexByte(" :=`\"'(*", s[j]) >= 0 {
			j++
		}
		from := j
		for j < len(s) && j-from < 80 && (class[s[j]]&urlByte != 0 || s[j] == '.' || s[j] == '@' || s[j] >= 0x80) {
			j++
		}
		if j == from || j >= len(s) {
			return span{}, false
		}
		name := s[from:j]
		sep := 0
		switch {
		case strings.HasPrefix(s[j:], " / "):
			sep = 3
		case (n > 0 || w == "authenticate") && s[j] == ' ' && w != "account" && w != "auth" && name == strings.ToLower(name):
			if m, ok := f.second(j, false); ok && striking(s[m.from:m.to]) { // log in with bob and X
				return m, true
			}
		}
		switch {
		case sep > 0:
		case s[j] == '/' && (explicit || accounts()[strings.ToLower(name)] || strings.Contains(name, "@")):
			sep = 1
		case s[j] == ':' && j+1 < len(s) && s[j+1] > ' ' && s[j+1] != '/':
			sep = 1
		}
		if sep > 0 {
			to := wordEnd(s, j+sep, true, false)
			v := s[min(len(s), j+sep):max(to, min(len(s), j+sep))]
			if v != "" && tagAt(v) == 0 && (strongPass(v) || (explicit || w != "auth" && accounts()[strings.ToLower(name)]) && numberedWord(v)) && !strings.Contains(v, "/") {
				return span{j + sep, to, "password"}, true
			}
		}
		if s[j] != ' ' {
			if explicit || s[j] != ':' && s[j] != '=' {
				return span{}, false
			}
		}
	}
	return span{}, false
}

// protocol finds the secret of a line that a client sends to a server.
func (f *finder) protocol(i, end int) (span, bool) {
	s := f.s
	args, at := make([]string, 0, 3), make([]int, 0, 3)
	for j := end; len(args) < 3 && j < len(s) && s[j] == ' '; {
		to := wordEnd(s, j+1, true, false)
		if to <= j+1 {
			break
		}
		args, at = append(args, s[j+1:to]), append(at, j+1)
		j = to
	}
	if len(args) == 0 {
		return span{}, false
	}
	last := len(args) - 1
	v := args[last]
	switch s[i:end] {
	case "AUTH":
		if last == 1 && (args[0] == "PLAIN" || args[0] == "LOGIN") && len(v) >= 8 && (userPass(v) || randomText(v)) ||
			strings.Contains(lineBefore(s, i), "redis") && commandValue(v, false) {
			return span{at[last], at[last] + len(v), "password"}, tagAt(s[at[last]:]) == 0
		}
	case "LOGIN":
		if last == 1 && (strongPass(v) || numberedWord(v)) && tagAt(v) == 0 {
			return span{at[last], at[last] + len(v), "password"}, true
		}
	}
	return span{}, false
}

// accounts are names that people log in with.
var accounts = words("admin administrator root user test tester guest deploy demo sa postgres mysql bob alice app dev support operator")
