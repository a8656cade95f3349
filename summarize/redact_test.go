package summarize

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	alnums = lowers + uppers + digits
	urls   = alnums + "-_"
	b64s   = alnums + "+/"
	hexes  = digits + "abcdef"
)

// gen makes the bodies of planted secrets at run time, so that no file of this
// repository holds anything that looks like one.
type gen struct{ r *rand.Rand }

func (g gen) s(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[g.r.IntN(len(set))]
	}
	return string(b)
}

// w is a run of n bytes that begins and ends with letters or digits.
func (g gen) w(n int) string { return g.s(alnums, 1) + g.s(urls, n-2) + g.s(alnums, 1) }

// planted is a secret in its carrier: text holds secret, which has to vanish.
type planted struct{ text, secret string }

var bare = map[string]func(g gen) string{
	"github classic": func(g gen) string { return "ghp_" + g.s(alnums, 36) },
	"github oauth":   func(g gen) string { return "gho_" + g.s(alnums, 36) },
	"github server":  func(g gen) string { return "ghs_" + g.s(alnums, 36) },
	"github fine":    func(g gen) string { return "github_pat_" + g.s(alnums, 22) + "_" + g.s(alnums, 59) },
	"gitlab":         func(g gen) string { return "glpat-" + g.w(20) },
	"aws key id":     func(g gen) string { return "AKIA" + g.s(uppers+"234567", 16) },
	"aws session id": func(g gen) string { return "ASIA" + g.s(uppers+"234567", 16) },
	"google key":     func(g gen) string { return "AIza" + g.w(35) },
	"google oauth":   func(g gen) string { return "ya29." + g.w(60) },
	"google client":  func(g gen) string { return "GOCSPX-" + g.w(28) },
	"slack bot":      func(g gen) string { return "xoxb-" + g.s(digits, 12) + "-" + g.s(digits, 12) + "-" + g.s(alnums, 24) },
	"slack user":     func(g gen) string { return "xoxp-" + g.s(digits, 12) + "-" + g.s(digits, 12) + "-" + g.s(hexes, 32) },
	"slack app": func(g gen) string {
		return "xapp-1-A" + g.s(uppers+digits, 10) + "-" + g.s(digits, 13) + "-" + g.s(hexes, 64)
	},
	"stripe live":        func(g gen) string { return "sk_live_" + g.s(alnums, 24) },
	"stripe restricted":  func(g gen) string { return "rk_live_" + g.s(alnums, 24) },
	"stripe webhook":     func(g gen) string { return "whsec_" + g.s(alnums, 32) },
	"openai old":         func(g gen) string { return "sk-" + g.s(alnums, 48) },
	"openai project":     func(g gen) string { return "sk-proj-" + g.w(74) },
	"openai long":        func(g gen) string { return "sk-proj-" + g.w(156) },
	"anthropic":          func(g gen) string { return "sk-ant-api03-" + g.w(93) },
	"openrouter":         func(g gen) string { return "sk-or-v1-" + g.s(hexes, 64) },
	"npm":                func(g gen) string { return "npm_" + g.s(alnums, 36) },
	"pypi":               func(g gen) string { return "pypi-AgEIcHlwaS5vcmc" + g.w(100) },
	"hugging face":       func(g gen) string { return "hf_" + g.s(alnums, 34) },
	"groq":               func(g gen) string { return "gsk_" + g.s(alnums, 52) },
	"telegram":           func(g gen) string { return g.s("123456789", 10) + ":AA" + g.s(urls, 32) + g.s(alnums, 1) },
	"discord":            func(g gen) string { return "MT" + g.s(alnums, 22) + "." + g.s(alnums, 6) + "." + g.w(38) },
	"sendgrid":           func(g gen) string { return "SG." + g.w(22) + "." + g.w(43) },
	"twilio":             func(g gen) string { return "SK" + g.s(hexes, 32) },
	"mailgun":            func(g gen) string { return "key-" + g.s(hexes, 32) },
	"digitalocean":       func(g gen) string { return "dop_v1_" + g.s(hexes, 64) },
	"shopify":            func(g gen) string { return "shpat_" + g.s(hexes, 32) },
	"docker hub":         func(g gen) string { return "dckr_pat_" + g.w(27) },
	"vault":              func(g gen) string { return "hvs." + g.w(90) },
	"grafana":            func(g gen) string { return "glsa_" + g.s(alnums, 32) + "_" + g.s(hexes, 8) },
	"databricks":         func(g gen) string { return "dapi" + g.s(hexes, 32) },
	"age":                func(g gen) string { return "AGE-SECRET-KEY-1" + g.s(uppers+digits, 58) },
	"json web token":     func(g gen) string { return "eyJhbGciOiJIUzI1NiJ9.eyJ" + g.s(alnums, 60) + "." + g.w(43) },
	"json web token rsa": func(g gen) string { return "eyJ" + g.s(alnums, 33) + ".eyJ" + g.s(alnums, 120) + "." + g.w(342) },
}

// Secrets that only their surroundings give away.
var inContext = map[string]func(g gen) planted{
	"aws secret beside its id": func(g gen) planted {
		k := "a1B" + g.s(b64s, 36) + "z"
		return planted{"AKIA" + g.s(uppers+"234567", 16) + "\n" + k + "\n", k}
	},
	"aws secret by name": func(g gen) planted {
		k := "a1B" + g.s(b64s, 36) + "z"
		return planted{"aws_secret_access_key = " + k, k}
	},
	"slack webhook": func(g gen) planted {
		k := "T" + g.s(uppers, 8) + "/B" + g.s(uppers+digits, 8) + "/" + g.s(alnums, 24)
		return planted{"https://hooks.slack.com/services/" + k, k}
	},
	"discord webhook": func(g gen) planted {
		k := g.s(digits, 18) + "/" + g.w(68)
		return planted{"curl https://discord.com/api/webhooks/" + k, k}
	},
	"azure account": func(g gen) planted {
		k := g.s(b64s, 86) + "=="
		return planted{"DefaultEndpointsProtocol=https;AccountName=st1;AccountKey=" + k + ";EndpointSuffix=core.windows.net", k}
	},
	"azure signature": func(g gen) planted {
		k := g.s(alnums, 20) + "%2B" + g.s(alnums, 21) + "%3D"
		return planted{"https://st1.blob.core.windows.net/c/b?sv=2024-11-04&se=2026-01-01&sig=" + k, k}
	},
	"pem": func(g gen) planted {
		k := g.s(b64s, 64) + "\n" + g.s(b64s, 64) + "\n" + g.s(b64s, 40)
		return planted{"-----BEGIN " + "RSA PRIVATE KEY-----\n" + k + "\n-----END RSA PRIVATE KEY-----\n", k}
	},
	"pem on one line": func(g gen) planted {
		k := g.s(b64s, 64) + `\n` + g.s(b64s, 64)
		return planted{`{"key":"-----BEGIN ` + `PRIVATE KEY-----\n` + k + `\n-----END PRIVATE KEY-----\n"}`, k}
	},
	"pem cut off": func(g gen) planted {
		k := g.s(b64s, 64) + "\n" + g.s(b64s, 64)
		return planted{"-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + k + "\n[output truncated]", k}
	},
	"pgp": func(g gen) planted {
		k := "lQdGBF" + g.s(b64s, 58) + "\n" + g.s(b64s, 64)
		return planted{"-----BEGIN " + "PGP PRIVATE KEY BLOCK-----\n\n" + k + "\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----", k}
	},
	"bearer header": func(g gen) planted { k := g.w(40); return planted{"Authorization: Bearer " + k, k} },
	"bearer in curl": func(g gen) planted {
		k := g.w(32)
		return planted{`curl -H "Authorization: Bearer ` + k + `" https://h/x`, k}
	},
	"bearer alone":   func(g gen) planted { k := g.w(40); return planted{"send Bearer " + k + " with it", k} },
	"basic header":   func(g gen) planted { k := g.s(b64s, 27) + "="; return planted{"authorization: Basic " + k, k} },
	"token header":   func(g gen) planted { k := g.s(hexes, 40); return planted{`"Authorization": "token ` + k + `"`, k} },
	"api key header": func(g gen) planted { k := g.s(alnums, 32); return planted{"X-Api-Key: " + k, k} },
	"private token":  func(g gen) planted { k := g.w(26); return planted{"PRIVATE-TOKEN: " + k, k} },
	"postgres url": func(g gen) planted {
		k := "p4" + g.s(lowers, 6)
		return planted{"postgres://app:" + k + "@db:5432/x", k}
	},
	"redis url":     func(g gen) planted { k := g.w(20); return planted{"redis://:" + k + "@cache:6379/0", k} },
	"amqp at sign":  func(g gen) planted { k := "a@" + g.s(alnums, 9); return planted{"amqp://u:" + k + "@mq/v", k} },
	"git url token": func(g gen) planted { k := g.s(hexes, 40); return planted{"https://" + k + "@git.host/x.git", k} },
	"set cookie":    func(g gen) planted { k := g.w(40); return planted{"Set-Cookie: sid=" + k + "; Path=/; HttpOnly", k} },
	"cookie":        func(g gen) planted { k := g.w(40); return planted{"Cookie: theme=dark; session=" + k, k} },
	"password yaml": func(g gen) planted { k := g.s(lowers, 6) + "2"; return planted{"password: " + k, k} },
	"password json": func(g gen) planted {
		k := g.s(alnums, 8) + "!9"
		return planted{`{"user":"a","password":"` + k + `"}`, k}
	},
	"password escaped": func(g gen) planted { k := g.s(alnums, 8) + "7"; return planted{`{\"password\":\"` + k + `\"}`, k} },
	"password twice": func(g gen) planted {
		k := g.s(alnums, 8) + "7"
		return planted{`{\\\"password\\\": \\\"` + k + `\\\"}`, k}
	},
	"password env": func(g gen) planted {
		k := g.s(alnums, 6) + "&,;" + g.s(digits, 3)
		return planted{"export DB_PASSWORD=" + k + "\n", k}
	},
	"password words":   func(g gen) planted { k := g.s(lowers, 16); return planted{"MYSQL_ROOT_PASSWORD=" + k, k} },
	"password flag":    func(g gen) planted { k := g.s(lowers, 6) + "42"; return planted{"tool --password " + k + " run", k} },
	"password of curl": func(g gen) planted { k := g.s(lowers, 6) + "42"; return planted{"curl -u bob:" + k + " https://h", k} },
	"password chinese": func(g gen) planted { k := g.s(lowers, 6) + "42"; return planted{"数据库密码：" + k + "。", k} },
	"password senha":   func(g gen) planted { k := g.s(lowers, 6) + "42"; return planted{"a senha: " + k, k} },
	"password bold":    func(g gen) planted { k := g.s(lowers, 6) + "42"; return planted{"**Password:** `" + k + "`", k} },
	"password next line": func(g gen) planted {
		k := g.s(alnums, 8) + "7"
		return planted{"\"password\":\n    \"" + k + "\"", k}
	},
	"secret yaml block": func(g gen) planted {
		k := g.s(alnums, 40) + "7"
		return planted{"client_secret: >-\n  " + k + "\n", k}
	},
	"secret camel": func(g gen) planted { k := g.s(alnums, 31) + "4"; return planted{"clientSecret: '" + k + "',", k} },
	"secret code":  func(g gen) planted { k := g.s(alnums, 31) + "4"; return planted{`const apiKey := "` + k + `"`, k} },
	"secret index": func(g gen) planted {
		k := g.s(alnums, 31) + "4"
		return planted{`os.environ["API_TOKEN"] = "` + k + `"`, k}
	},
	"secret hash": func(g gen) planted { k := g.s(hexes, 32); return planted{"TWILIO_AUTH_TOKEN=" + k, k} },
	"secret uuid": func(g gen) planted {
		k := g.s(hexes, 8) + "-" + g.s(hexes, 4) + "-4" + g.s(hexes, 3) + "-a" + g.s(hexes, 3) + "-" + g.s(hexes, 12)
		return planted{"HEROKU_API_KEY=" + k, k}
	},
	"secret query": func(g gen) planted {
		k := g.s(alnums, 24) + "4"
		return planted{"https://h/x?access_token=" + k + "&page=2", k}
	},
	"secret two words": func(g gen) planted { k := g.s(alnums, 24) + "4"; return planted{"API key: " + k, k} },
	"secret toml":      func(g gen) planted { k := g.s(alnums, 49) + "4"; return planted{"secret_key_base = '" + k + "'", k} },
	"npmrc":            func(g gen) planted { k := g.s(alnums, 35) + "4"; return planted{"//registry/:_authToken=" + k, k} },
	"named key":        func(g gen) planted { k := "aB1" + g.s(alnums, 30) + "2"; return planted{"MAPS_KEY=" + k, k} },
}

// Carriers for secrets that have a shape of their own.
var carriers = map[string]func(s string) string{
	"alone":    func(s string) string { return s },
	"prose":    func(s string) string { return "I used " + s + ", which works." },
	"json":     func(s string) string { return `{"v":"` + s + `"}` },
	"escaped":  func(s string) string { return `{\"v\":\"` + s + `\"}` },
	"newline":  func(s string) string { return `out:\n` + s + `\nend` },
	"env":      func(s string) string { return "export X=" + s + "\n" },
	"chinese":  func(s string) string { return "令牌是" + s + "，请保密" },
	"markdown": func(s string) string { return "- `" + s + "`\n- next" },
	"wrapped":  func(s string) string { return "> " + s[:len(s)/2] + "\n> " + s[len(s)/2:] + "\n" },
}

// leaked returns the longest piece of 8 bytes of secret that text still holds.
func leaked(text, secret string) string {
	n := min(8, len(secret))
	for i := 0; i+n <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+n]) {
			return secret[i : i+n]
		}
	}
	return ""
}

func TestRedactRecall(t *testing.T) {
	found, all := 0, 0
	for seed := range uint64(20) {
		g := gen{rand.New(rand.NewPCG(seed, 7))}
		check := func(name, text, secret string) {
			all++
			out := Redact(text)
			if piece := leaked(out, secret); piece != "" {
				t.Errorf("%s, seed %d: %q\n  left %q in %q", name, seed, text, piece, out)
				return
			}
			if !HasSecret(text) {
				t.Errorf("%s: HasSecret is false", name)
			}
			found++
		}
		for _, name := range sortedKeys(bare) {
			secret := bare[name](g)
			for _, c := range sortedKeys(carriers) {
				if c == "wrapped" && !wrappable(secret) {
					continue
				}
				check(name+" "+c, carriers[c](secret), secret)
			}
		}
		for _, name := range sortedKeys(inContext) {
			p := inContext[name](g)
			check(name, p.text, p.secret)
			check(name+" in prose", "see below\n\n"+p.text+"\n\nand more", p.secret)
		}
	}
	t.Logf("%d shapes, recall %d of %d = %.2f %%", len(bare)+len(inContext), found, all, 100*float64(found)/float64(all))
}

// wrappable is true for one run of bytes with digits in its second half:
// tokens with dots are not searched over line ends.
func wrappable(s string) bool {
	body := s[strings.LastIndexAny(s[:min(len(s), 16)], "_-")+1:]
	return !strings.ContainsAny(s, ".:") && len(s)/2-(len(s)-len(body)) >= 8 && hasDigit(s[len(s)/2:]) && !strings.HasPrefix(s, "AKIA") && !strings.HasPrefix(s, "ASIA")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	for i := range keys {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

// A program that cuts a long line leaves half a secret.
func TestRedactHalf(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(9, 9))}
	for _, kind := range []string{"github classic", "gitlab", "npm", "digitalocean", "hugging face"} {
		make, ok := bare[kind]
		if !ok {
			t.Fatalf("no %s", kind)
		}
		secret := make(g)
		for _, end := range []string{"…", "...", "… [truncated]"} {
			for n := len("github_pat_") + halfToken; n < len(secret); n++ {
				if got := Redact("401 " + secret[:n] + end); strings.Contains(got, secret[:n]) {
					t.Errorf("%s: %q", kind, got)
				}
			}
		}
	}
	if got := Redact("create user app identified by 's3" + "cr3tX9'"); strings.Contains(got, "X9") {
		t.Error(got)
	}
	for _, text := range []string{"Can't locate revision identified by '8f2c1a'", "see key-bindings... later", "re_exported_names… and hf_transfer...", "SKIPPED…", "glpat-tokens..."} {
		if got := Redact(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Signs that nobody sees, as they are or as JSON writes them, do not hide a secret, and
// stay where there is none.
func TestRedactUnseen(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(9, 9))}
	for _, sign := range []string{
		"\u200b", "\u200d", "\u00ad", "\u034f", "\u2060", "\u3164", "\ufe0f", "\ufeff", "\U000e0041", "\U000e0100", "\u200b\ufe0f", `\u200b`, `\\ufe0f`,
	} {
		secret := bare["github classic"](g)
		for _, at := range []int{1, 3, 4, 20, len(secret) - 1} {
			text := "see it: " + secret[:at] + sign + secret[at:] + " and go on"
			if got, want := Redact(text), "see it: [secret:github-token] and go on"; got != want {
				t.Errorf("%+q at %d: %+q", sign, at, got)
			}
		}
		if text := "build 12" + sign + " of main" + sign + "." + sign; Redact(text) != text {
			t.Errorf("%+q: %+q became %+q", sign, text, Redact(text))
		}
	}
}

func TestRedactForm(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(1, 1))}
	gh, pw := "ghp_"+g.s(alnums, 36), g.s(lowers, 6)+"42"
	key := g.s(alnums, 31) + "4"
	for _, c := range []struct{ name, in, want string }{
		{"token", "use " + gh + ".", "use [secret:github-token]."},
		{"same tag for the same kind", gh + " " + gh, "[secret:github-token] [secret:github-token]"},
		{"only the password of a url", "postgres://u:" + pw + "@h/d", "postgres://u:[secret:url-password]@h/d"},
		{"only the value", `{"password":"` + pw + `","n":1}`, `{"password":"[secret:password]","n":1}`},
		{"escapes stay whole", `{\"password\":\"` + pw + `\",\"n\":1}`, `{\"password\":\"[secret:password]\",\"n\":1}`},
		{"scheme stays", "Authorization: Bearer " + gh, "Authorization: Bearer [secret:bearer]"},
		{"a list of values", "api_keys=" + key + "," + key + "x9 port=80", "api_keys=[secret:token] port=80"},
		{"values in the plural", "DB_PASSWORDS: " + pw + "," + pw, "DB_PASSWORDS: [secret:password]"},
		{"figures in the plural", "max_tokens=4096 tokens: 12345678,87654321 keys=sort_key,group_key", "max_tokens=4096 tokens: 12345678,87654321 keys=sort_key,group_key"},
		{"tag of ours stays", "password: [secret:password]", "password: [secret:password]"},
		{"a tag that is not ours hides nothing", "password: \"[secret:" + pw + "]\"", "password: \"[secret:password]\""},
		{"nothing", "", ""},
	} {
		if got := Redact(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Text made of beginnings must not be read once for each of them.
func TestRedactHostileText(t *testing.T) {
	for _, part := range []string{"sk-", "M-", "eyJ-", "A_KEY=", "password=", "cookie:", "SG.", "-----BEGIN " + "PRIVATE KEY-----", "://", "Authorization: digest ", " -u a:b", "bearer ", "[secret:", "\\n", "ghp_a1B2\n",
		"| password |\n", "user,password\n", "the password ", "the password for ", "password is a1B2c3d4 ", "echo a1B2c3d4 | ", "tokens: [\"a1B2c3d4e5F6g7H8\",", "seed phrase amber ",
		"password, a) VALUES ('x', ", "login admin:a1B2c3d4 ", "mysql -pa1B2c3d4 ", " -p a1B2c3d4", "htpasswd -b ", "\"d\": \"kty", "密码", "password%3Da1B2c3d4", "LS0tLS1CRUdJTi", "Private-Lines: 9\n",
		"password: \"a1B2c3d4\" +\n\"a1B2c3d4e5\"", "auth(\"a\", ", "\\\\password\\\\", ":5432:a:b:a1B2c3d4", "value: ", "from a1B2c3d4 password "} {
		text := strings.Repeat(part, 100_000/len(part))
		start := time.Now()
		Redact(text)
		// Quadratic work would take minutes; the limit leaves room for a
		// loaded machine.
		took := time.Since(start)
		t.Logf("%-30q %v", part, took)
		if took > 10*time.Second {
			t.Errorf("%q: %v for %d bytes", part, took, len(text))
		}
	}
}

func FuzzRedact(f *testing.F) {
	g := gen{rand.New(rand.NewPCG(3, 3))}
	for _, name := range sortedKeys(bare) {
		f.Add(bare[name](g))
	}
	for _, name := range sortedKeys(inContext) {
		f.Add(inContext[name](g).text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Redact(s)
		if twice := Redact(once); twice != once {
			t.Fatalf("not idempotent:\n%q\n%q\n%q", s, once, twice)
		}
		if HasSecret(s) != (once != s) {
			t.Fatalf("HasSecret %v, changed %v", HasSecret(s), once != s)
		}
	})
}

// cleanText is prose, code, tool output and base64 without secrets.
func cleanText(size int) string {
	var b strings.Builder
	g := gen{rand.New(rand.NewPCG(5, 5))}
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "func handle%d(w http.ResponseWriter, r *http.Request) error {\n\treturn fmt.Errorf(\"%%s: %%w\", name, err)\n}\n", i)
		fmt.Fprintf(&b, "commit %s\nAuthor: someone\nmax_tokens: %d, key: value, path=/srv/app/%d.txt\n", g.s(hexes, 40), i, i)
		b.WriteString("The request was retried three times because the upstream closed the connection early; see the log.\n")
		fmt.Fprintf(&b, "{\"id\":\"%s\",\"type\":\"text\",\"data\":\"%s\"}\n", g.s(hexes, 12), g.s(b64s, 200))
		b.WriteString("测试全部通过，没有发现新的问题。\n")
	}
	return b.String()
}

func BenchmarkRedactClean(b *testing.B) {
	s := cleanText(1 << 20)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if Redact(s) != s {
			b.Fatal("clean text was changed")
		}
	}
}

// Four x in a row stand in a long random token by chance, and make a
// placeholder of a short one or of one that is mostly x.
func TestPlaceholderByChance(t *testing.T) {
	for v, want := range map[string]bool{
		"Qm4tZ8vKr2Lp9WcXxxXlE1nB7sHd5GyJfT3aRu": false,
		"Qm4txxxxZ8vKr2Lp":                       true,
		"Qm4xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxZ8v": true,
	} {
		if got := placeholder(v); got != want {
			t.Errorf("%s: %v, want %v", v, got, want)
		}
	}
}
