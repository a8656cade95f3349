package properties_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"sessc/compress"
	"sessc/scripts/gen/genlog"
	"sessc/summarize"
	"sessc/summarize/redacttest"
)

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit  = "0123456789"
	hexes  = "0123456789abcdef"
	alnum  = lower + upper + digit
	urlish = alnum + "-_"
	base64 = alnum + "+/"
)

// dice draws strings.
type dice struct{ *rand.Rand }

// newDice keeps its numbers apart from those of the generator, which would
// draw the same ids.
func newDice(seed int64) dice { return dice{rand.New(rand.NewSource(seed ^ 0x7ea5e))} }

func (d dice) of(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[d.Intn(len(set))]
	}
	return string(b)
}

// mixed is of, with a letter and a digit in it for sure.
func (d dice) mixed(set string, n int) string {
	return d.of("abcdef", 1) + d.of(set, n-2) + d.of(digit, 1)
}

// shape makes one kind of secret: the text that gives it away, and the parts
// of it that nobody may see.
type shape struct {
	name string
	bare bool // the secret is one word that shows what it is by itself
	make func(d dice) (text string, secrets []string)
}

// word is a shape with a fixed beginning.
func word(name, prefix string, set string, n int) shape {
	return shape{name, true, func(d dice) (string, []string) { s := d.mixed(set, n); return prefix + s, []string{s} }}
}

// behind is a secret that only the words before and behind it give away.
func behind(name, before, after, set string, n int) shape {
	return shape{name, false, func(d dice) (string, []string) {
		s := d.mixed(set, n)
		return before + s + after, []string{s}
	}}
}

// shapes are the kinds of secrets that are planted. Beginnings are put
// together from parts, so that no scanner takes this file for a leak.
var shapes = []shape{
	word("github token", "gh"+"p_", alnum, 36),
	word("github fine-grained", "github"+"_pat_", alnum, 82),
	word("gitlab token", "gl"+"pat-", urlish, 20),
	word("openai key", "sk"+"-proj-", urlish, 74),
	word("old openai key", "s"+"k-", alnum, 48),
	word("anthropic key", "sk-ant"+"-api03-", urlish, 93),
	word("openrouter key", "sk-or"+"-v1-", hexes, 64),
	word("google key", "AI"+"zaSy", urlish, 33),
	word("slack bot", "xox"+"b-123456789012-123456789012-", alnum, 24),
	word("stripe live", "sk"+"_live_", alnum, 24),
	word("stripe webhook", "wh"+"sec_", alnum, 32),
	word("npm token", "np"+"m_", alnum, 36),
	word("pypi token", "py"+"pi-AgEIcHlwaS5vcmc", urlish, 100),
	word("hugging face", "h"+"f_", alnum, 34),
	word("groq key", "gs"+"k_", alnum, 52),
	{"sendgrid", true, func(d dice) (string, []string) {
		s := d.mixed(urlish, 43)
		return "S" + "G." + d.mixed(urlish, 22) + "." + s, []string{s}
	}},
	word("digitalocean", "do"+"p_v1_", hexes, 64),
	word("shopify", "shp"+"at_", hexes, 32),
	word("docker hub", "dckr"+"_pat_", urlish, 27),
	word("vault token", "hv"+"s.", urlish, 90),
	word("databricks", "da"+"pi", hexes, 32),
	word("json web token", "ey"+"JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.", urlish, 43),
	behind("password in a url", "postgres://app:", "@db.internal:5432/shop", alnum, 14),
	behind("redis url", "redis://:", "@cache:6379/0", alnum, 20),
	behind("bearer", "Authorization: Bearer ", "", urlish, 40),
	behind("basic", "Authorization: Basic ", "=", base64, 27),
	behind("api key header", "X-Api-Key: ", "", alnum, 32),
	behind("environment", "export DB_PASSWORD=", "\n", alnum, 16),
	behind("secret of a client", "client_secret: '", "'", alnum, 32),
	behind("json password", `{"user":"app","password":"`, `"}`, alnum, 12),
	behind("aws secret", "aws_secret_access_key = ", "\n", base64, 40),
	behind("cookie", "Set-Cookie: sid=", "; Path=/; HttpOnly", urlish, 40),
	behind("azure account", "DefaultEndpointsProtocol=https;AccountName=st1;AccountKey=", "==;EndpointSuffix=core.windows.net", base64, 86),
	behind("curl user", "curl -u deploy:", " https://git.internal/x", alnum, 14),
	behind("query", "https://api.internal/v1/items?access_token=", "&page=2", alnum, 32),
	behind("senha", "a senha: ", "", lower+digit, 12),
	behind("密码", "数据库密码：", "。", lower+digit, 12),
	{"private key", false, func(d dice) (string, []string) {
		k := d.of(base64, 64)
		return "-----BEGIN " + "RSA PRIVATE KEY-----\n" + d.of(base64, 64) + "\n" + k + "\n" + d.of(base64, 40) + "\n-----END RSA PRIVATE KEY-----", []string{k}
	}},
	{"private key cut off", false, func(d dice) (string, []string) {
		k := d.of(base64, 64)
		return "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + d.of(base64, 64) + "\n" + k, []string{k}
	}},
}

// plantable are the shapes, and behind them the contexts in which the redactor is
// tried by itself, but for those that it is known to miss.
var plantable = func() []shape {
	all := slices.Clone(shapes)
	for _, c := range redacttest.Contexts() {
		if !c.Known {
			all = append(all, shape{c.Template, false, func(d dice) (string, []string) {
				text, secrets := c.Make(d.Intn)
				// A shorter one stands in a log by chance.
				return text, slices.DeleteFunc(secrets, func(s string) bool { return len(s) < window })
			}})
		}
	}
	return all
}()

// secretsPlanted is how many secrets the suite plants at least, in CI 2,000.
// Many of them stand in lifecycles that are left alone or in words that no
// record keeps; of the others, an eighth of all at least must stand in masks as
// tags.
func secretsPlanted(t *testing.T) int { return int(10 * generated(t)) }

// TestSecrets plants secrets in all that a record is made of. None may reach a
// mask, the JSON of a report, or the text of an error.
func TestSecrets(t *testing.T) {
	if len(plantable) < 800 {
		t.Fatalf("%d shapes, want at least 800", len(plantable))
	}
	from := seed(t)
	var reached, tags atomic.Int64
	for n := range targets {
		tg := &targets[n]
		t.Run(tg.name, func(t *testing.T) {
			for planted, i := 0, from+3000; planted < secretsPlanted(t); i++ {
				b := &burglar{garden: newGarden(i), dice: newDice(i)}
				b.bury(int(i-from) + planted)
				planted += len(b.secrets)
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					t.Parallel()
					sp := b.grow(t, tg, i)
					d := newDesk(t, tg, &sp, rotated(i))
					b.breakBlocks(d)
					tags.Add(int64(b.search(d)))
					reached.Add(int64(len(b.secrets)))
				})
			}
		})
	}
	t.Logf("%d secrets of %d shapes planted, %d tags in masks", reached.Load(), len(plantable), tags.Load())
	if reached.Load() < int64(secretsPlanted(t)) || tags.Load() < int64(secretsPlanted(t)/8) {
		t.Error("too few: the suite attacks nothing")
	}
}

// burglar is a garden with secrets in it.
type burglar struct {
	*garden
	dice
	secrets []secret
}

type secret struct {
	shape, place, text string
	bodies             []string
}

// next makes the next secret, in turns over all shapes, as it is or as it
// stands in JSON.
func (b *burglar) next(n int, place string, bare bool) secret {
	of := plantable
	if bare {
		of = slices.DeleteFunc(slices.Clone(shapes), func(s shape) bool { return !s.bare })
	}
	s := of[(n+len(b.secrets))%len(of)]
	text, bodies := s.make(b.dice)
	if !bare && b.Intn(3) == 0 {
		j, err := json.Marshal(map[string]string{"out": text})
		if err != nil {
			panic(err) // a map of strings
		}
		text, place = string(j), place+", escaped"
	}
	b.secrets = append(b.secrets, secret{s.name, place, text, bodies})
	return b.secrets[len(b.secrets)-1]
}

// bury puts a secret into every place of every child.
func (b *burglar) bury(n int) {
	for _, c := range b.children {
		c.Task = "Deploy with " + b.next(n, "task", false).text + "\n" + c.Task
		if b.Intn(3) == 0 {
			c.Task = strings.Repeat("部署", 55+b.Intn(12)) + b.next(n, "cut task", true).text + "\n" + c.Task
		}
		c.Report = "## Result\nDeployed with " + b.next(n, "report", false).text + "\n\n" + c.Report + "\n\nRemember: " + b.next(n, "report's end", false).text
		if b.Intn(4) == 0 {
			c.Label = strings.Join(strings.Fields("deploy "+b.next(n, "label", true).text), " ")
		}
		if c.Refusal != "" {
			c.Refusal += ": " + b.next(n, "refusal", false).text
		}
	}
	for at, st := range b.script.Steps {
		if done, ok := st.(genlog.Completion); ok {
			done.Endings = slices.Clone(done.Endings)
			for m := range done.Endings {
				if e := &done.Endings[m]; e.Error != "" {
					// The index keeps the beginning of a long error: some are
					// cut in the middle of the secret.
					e.Error = strings.Repeat("401 ", 1+b.Intn(2)*(105+b.Intn(12))) + b.next(n, "error", true).text
				}
			}
			b.script.Steps[at] = done
		}
	}
	b.afterCompletions(func() genlog.Step {
		return genlog.Agent{Text: "I use " + b.next(n, "narration", false).text, Calls: []genlog.Call{
			{Tool: "exec", Command: "run '" + b.next(n, "command", false).text + "'", Output: "error: refused " + b.next(n, "output", false).text, Exit: 1},
			{Tool: "write", Path: "conf/" + b.next(n, "file name", true).text + ".json", Content: b.next(n, "content", false).text},
			{Tool: "read", Path: "conf/a.json", Err: "cannot open " + b.next(n, "tool error", true).text},
		}}
	})
}

// breakBlocks cuts messages in two blocks in the middle of a secret: what a
// reader joins again shows it with a line end inside.
func (b *burglar) breakBlocks(d *desk) {
	var out []byte
	for _, raw := range split(d.sp.data) {
		out = append(out, b.broken(raw)...)
	}
	d.sp.data = out
	d.write(d.path, out)
}

func (b *burglar) broken(raw []byte) []byte {
	var line map[string]any
	if json.Unmarshal(raw, &line) != nil || b.Intn(5) > 0 {
		return raw
	}
	m, ok := line["message"].(map[string]any)
	if !ok || m["role"] == "assistant" {
		return raw
	}
	blocks, ok := m["content"].([]any)
	if !ok || len(blocks) != 1 {
		return raw
	}
	only, ok := blocks[0].(map[string]any)
	text, isText := only["text"].(string)
	if !ok || !isText {
		return raw
	}
	for _, s := range b.secrets {
		// Only what is one word with a known beginning can be told from two
		// other words, and only while it is too short for a whole one.
		at := strings.Index(text, s.text)
		if at < 0 || len(s.bodies) != 1 || !strings.HasSuffix(s.text, s.bodies[0]) || len(s.bodies[0]) < 30 || strings.ContainsAny(s.text, " .:=\n") {
			continue
		}
		half := at + len(s.text) - len(s.bodies[0]) + 10
		m["content"] = []any{map[string]any{"type": "text", "text": text[:half]}, map[string]any{"type": "text", "text": text[half:]}}
		j, err := json.Marshal(line)
		if err != nil {
			return raw
		}
		return append(j, '\n')
	}
	return raw
}

// search runs the line and looks for secrets in all that it says. It returns
// how many tags stand where secrets were.
func (b *burglar) search(d *desk) int {
	d.tb.Helper()
	rep, err := d.run("one", nil)
	if err != nil {
		d.wrong("%v", err)
		b.leak(d, "the error", err.Error())
		return 0
	}
	o := &outcome{before: d.sp.data, after: d.log(), rep: rep, was: d.tg.read(d.sp.data)}
	o.now = d.tg.read(o.after)
	tags := 0
	for _, n := range o.masks() {
		said := o.ours(d.tg, n)
		tags += strings.Count(said, "[secret:")
		b.leak(d, fmt.Sprintf("the mask in line %d", n+1), said)
	}
	b.leak(d, "the report", strings.Join(stringsOf(d, rep), "\n"))
	// A run that fails has to say why, and may not say too much.
	for _, fail := range []func(o *compress.Options){
		func(o *compress.Options) { o.Output = d.path },
		func(o *compress.Options) { o.Tokenizer = "none" },
		func(o *compress.Options) { o.MinAge = 1 << 62 },
	} {
		d.write(d.path, d.sp.data)
		if _, err := d.run("one", fail); err == nil {
			d.wrong("a run that must fail did not")
		} else {
			b.leak(d, "an error", err.Error())
		}
	}
	return tags
}

// stringsOf are all strings of a report's JSON, decoded.
func stringsOf(d *desk, rep *compress.Report) []string {
	var v any
	if err := json.Unmarshal([]byte(jsonOf(d.tb, rep)), &v); err != nil {
		d.tb.Fatal(err)
	}
	var all []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return all
}

// window is the length of a piece of a secret that may not be seen, in bytes.
const window = 8

// leak looks for pieces of the secrets in a text.
func (b *burglar) leak(d *desk, where, text string) {
	d.tb.Helper()
	for _, s := range b.secrets {
		if piece := redacttest.Leaked(text, s.bodies); piece != "" {
			at := strings.Index(text, piece)
			from, to := max(0, at-60), min(len(text), at+60)
			d.wrong("%s shows a %s planted in a %s: …%s…", where, s.shape, s.place, text[from:to])
		}
	}
}

// TestErrorsKeepSecrets damages logs with secrets in them, so that all kinds
// of errors come up.
func TestErrorsKeepSecrets(t *testing.T) {
	from := seed(t)
	for n := range targets {
		tg := &targets[n]
		for i := range int64(60) {
			t.Run(fmt.Sprintf("%s/%d", tg.name, from+i), func(t *testing.T) {
				t.Parallel()
				b := &burglar{garden: newGarden(from + 4000 + i), dice: newDice(from + i)}
				b.bury(int(i))
				sp := b.grow(t, tg, from+4000+i)
				var how string
				sp.data, how = genlog.Mutate(from+i, sp.data)
				sp.name += "-" + how
				b.secrets = slices.DeleteFunc(b.secrets, func(s secret) bool { return !stands(sp.data, s) })
				d := newDesk(t, tg, &sp, rotated(i))
				rep, err := d.run("one", nil)
				if err != nil {
					b.leak(d, "an error", err.Error())
				} else {
					b.leak(d, "the report", strings.Join(stringsOf(d, rep), "\n"))
				}
			})
		}
	}
}

// stands reports whether damage has left a secret whole: half of one has no
// shape any more.
func stands(log []byte, s secret) bool {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s.text) != nil {
		return false
	}
	return bytes.Contains(log, bytes.Trim(b.Bytes(), "\"\n"))
}

// alike are words that look random and are no secrets: they are facts, and a
// mask without them is worth less.
var alike = []struct {
	name string
	make func(d dice) string
}{
	{"commit", func(d dice) string { return "commit " + d.of(hexes, 40) }},
	{"short commit", func(d dice) string { return "Committed as " + d.of(hexes, 7) + "." }},
	{"sha256", func(d dice) string { return "sha256:" + d.of(hexes, 64) }},
	{"checksum line", func(d dice) string { return d.of(hexes, 64) + "  dist/app.tar.gz" }},
	{"md5", func(d dice) string { return "md5sum = " + d.of(hexes, 32) }},
	{"uuid", func(d dice) string { return "run id " + uuid(d) }},
	{"session key", func(d dice) string { return "agent:main:subagent:" + uuid(d) }},
	{"call id", func(d dice) string { return "toolu_01" + d.of(alnum, 22) }},
	{"request id", func(d dice) string { return `{"request_id":"req_` + d.of(alnum, 24) + `"}` }},
	{"response id", func(d dice) string { return "resp_" + d.of(alnum, 20) }},
	{"lock file", func(d dice) string { return "integrity sha512-" + d.of(base64, 86) + "==" }},
	{"image digest", func(d dice) string { return "FROM alpine@sha256:" + d.of(hexes, 64) }},
	{"go.sum", func(d dice) string { return "example.org/mod v1.2.3 h1:" + d.of(base64, 43) + "=" }},
	{"etag", func(d dice) string { return `ETag: "` + d.of(hexes, 32) + `"` }},
	{"pod", func(d dice) string { return "pod/shop-" + d.of(hexes, 9) + "-" + d.of(lower, 5) + " is Running" }},
	{"ulid", func(d dice) string { return "01J" + d.of(upper+digit, 23) }},
	{"address", func(d dice) string { return "panic at 0x" + d.of(hexes, 12) }},
	{"base64 of code", func(d dice) string { return "data:text/javascript;base64," + d.of(base64, 120) + "==" }},
	{"picture", func(d dice) string { return "iVBORw0KGgoAAAANSUhEUg" + d.of(base64, 100) }},
	{"path", func(d dice) string { return "/var/cache/build/" + d.of(hexes, 32) + "/out.o" }},
	{"trace id", func(d dice) string { return "traceparent: 00-" + d.of(hexes, 32) + "-" + d.of(hexes, 16) + "-01" }},
	{"amount of tokens", func(d dice) string { return "max_tokens=" + d.of("123456789", 5) }},
	{"key of a table", func(d dice) string { return "primary key: " + d.of(lower, 8) + "_id" }},
	{"place of a secret", func(d dice) string { return "reads the password from ${DB_PASSWORD_" + d.of(upper, 4) + "}" }},
	{"migration", func(d dice) string { return "20260" + d.of("123456789", 1) + "14_add_" + d.of(lower, 9) + ".sql" }},
}

func init() {
	for _, c := range redacttest.LookAlikes() {
		alike = append(alike, struct {
			name string
			make func(d dice) string
		}{c.Template, func(d dice) string { text, _ := c.Make(d.Intn); return text }})
	}
}

func uuid(d dice) string {
	return d.of(hexes, 8) + "-" + d.of(hexes, 4) + "-4" + d.of(hexes, 3) + "-a" + d.of(hexes, 3) + "-" + d.of(hexes, 12)
}

// TestLookAlikes plants two thousand words that are no secrets into reports and
// tool output. At most one in a hundred may be taken for one.
func TestLookAlikes(t *testing.T) {
	const planted = 2000
	from := seed(t)
	d := newDice(from)
	hidden, direct := 0, 0
	for i := range planted {
		s := alike[i%len(alike)].make(d)
		if got := summarize.Redact(s); got != s {
			direct++
			t.Logf("%s: %q became %q", alike[i%len(alike)].name, s, got)
		}
	}
	seen := 0
	for n := range targets {
		tg := &targets[n]
		for i := from + 5000; seen < planted; i++ {
			g := newGarden(i)
			of := newDice(i)
			next := func() string { seen++; return alike[seen%len(alike)].make(of) }
			for _, c := range g.children {
				c.Report = "## Result\nIt is done: " + next() + "\n\n- " + next() + "\n- " + next() + "\n\n" + c.Report
			}
			g.afterCompletions(func() genlog.Step {
				return genlog.Agent{Calls: []genlog.Call{
					{Tool: "exec", Command: "check " + next(), Output: "error: " + next() + "\n" + next(), Exit: 1},
				}}
			})
			sp := g.grow(t, tg, i)
			k := newDesk(t, tg, &sp, nil)
			if _, err := k.run("one", nil); err != nil {
				t.Fatal(err)
			}
			for _, r := range tg.read(k.log()).lines {
				if text := strings.Join(append(slices.Clone(tg.masks(&r)), r.args...), "\n"); r.marked && strings.Contains(text, "[secret:") {
					hidden += strings.Count(text, "[secret:")
					t.Logf("%s: %s", sp.name, text)
				}
			}
		}
	}
	t.Logf("%d of %d look-alikes redacted by themselves, %d in masks of logs that hold %d", direct, planted, hidden, seen)
	if 100*direct > planted || 100*hidden > seen {
		t.Error("more than 1 % of the look-alikes are taken for secrets")
	}
}
