// Package redacttest makes texts with secrets in them, and texts that only
// look so, for the tests of the redactor and of what stands behind it. The
// secrets are drawn when a test runs: no file of this repository holds
// anything that looks like one.
package redacttest

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

//go:embed contexts.txt
var contexts string

//go:embed lookalikes.txt
var lookAlikes string

// A Context is a text that gives a secret away by what stands around it. In
// its template «kind:length» stands for a secret, ␊ for a line end and ␉ for a
// tab.
type Context struct {
	Kind     string // the heading in contexts.txt
	Template string
	// Known marks a context that nobody can tell from harmless text by rules:
	// its secret is expected to stay. The README counts these.
	Known bool
}

// Contexts are the contexts of contexts.txt.
func Contexts() []Context {
	var all []Context
	kind := ""
	for line := range strings.Lines(contexts) {
		line = strings.TrimSuffix(line, "\n")
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			kind = heading
			continue
		}
		template, known := strings.CutPrefix(line, "known: ")
		all = append(all, Context{kind, template, known})
	}
	return all
}

// LookAlikes are texts without any secret: lookalikes.txt. What Make draws for
// them are ids, hashes and the like.
func LookAlikes() []Context {
	var all []Context
	for line := range strings.Lines(lookAlikes) {
		all = append(all, Context{Kind: "look-alikes", Template: strings.TrimSuffix(line, "\n")})
	}
	return all
}

// Make draws the secrets of c.
func (c Context) Make(intn func(int) int) (text string, drawn []string) {
	text = strings.NewReplacer("␊", "\n", "␉", "\t").Replace(c.Template)
	text = placeholder.ReplaceAllStringFunc(text, func(p string) string {
		s := draw(strings.Trim(p, "«»"), intn)
		drawn = append(drawn, s)
		return s
	})
	return text, drawn
}

var placeholder = regexp.MustCompile(`«[a-z0-9:]+»`)

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	alnums = lowers + uppers + digits
)

var sets = map[string]string{
	"alnum": alnums,
	"url":   alnums + "-_",
	"b64":   alnums + "+/",
	"b64u":  alnums + "-~",
	"hex":   digits + "abcdef",
	"b32":   uppers + "234567",
	"cap":   uppers + digits,
	"low":   lowers,
	"lowd":  lowers + digits,
	"dig":   digits,
	"dig9":  "123456789",
}

// What passwords and recovery phrases are made of.
var plain = strings.Fields("amber anchor autumn bishop bottle bridge butter candle canyon carbon castle cherry coffee copper cotton dragon ember falcon forest garden ginger glacier harbor hunter jungle kitten lemon magnet maple meadow mirror monkey nectar orange pepper planet pocket purple rabbit raven river rocket saddle salmon shadow silver spider summer sunset thunder tiger timber tulip turtle velvet violet walnut willow winter yellow zebra")

// draw makes a secret: of a named kind, or of so many bytes of a set.
func draw(kind string, intn func(int) int) string {
	word := func() string { return plain[intn(len(plain))] }
	title := func() string { w := word(); return strings.ToUpper(w[:1]) + w[1:] }
	of := func(set string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = set[intn(len(set))]
		}
		return string(b)
	}
	// In a run of a machine's bytes there is a letter and a digit, and its
	// ends are no punctuation.
	run := func(name string, n int) string {
		set := sets[name]
		if set == "" {
			panic("no set " + name)
		}
		for {
			s := of(set, n)
			if n > 4 && strings.ContainsAny(set, digits) && !strings.ContainsAny(s, digits) || strings.Trim(s, "+/-_~") != s {
				continue
			}
			return s
		}
	}
	switch kind {
	case "pw", "pw1", "pw2": // hunter2Blue!
		s := word() + strconv.Itoa(1+intn(9)) + title()
		switch intn(3) {
		case 0:
			return s + of("!?", 1)
		case 1:
			return title() + of("#+^!", 1) + strconv.Itoa(10+intn(90)) + word()
		}
		return s
	case "low": // hunter42
		return word() + strconv.Itoa(10+intn(990))
	case "two":
		return word() + " " + word() + strconv.Itoa(10+intn(90)) + of("!?", 1)
	case "num":
		return of("123456789", 6)
	case "seed":
		var w []string
		for range 12 {
			w = append(w, word())
		}
		return strings.Join(w, " ")
	case "up":
		return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s:%s%d", word(), title(), 10+intn(990)))
	case "key":
		return run("alnum", 32)
	case "tok":
		return run("url", 36)
	case "hex", "hex40", "hex64":
		n, err := strconv.Atoi(kind[3:])
		if err != nil {
			n = 32
		}
		return run("hex", n)
	case "uuid":
		h := of(sets["hex"], 32)
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
	case "word":
		return word()
	}
	set, length, _ := strings.Cut(kind, ":")
	n, err := strconv.Atoi(length)
	if err != nil {
		panic("no kind of secret: " + kind)
	}
	return run(set, n)
}

// Forms are the forms in which a log may hold text: as it is, a piece of JSON
// that was written once and twice, and such JSON whole.
func Forms(text string) []string {
	once := strconv.Quote(text)
	once = once[1 : len(once)-1]
	twice := strconv.Quote(once)
	whole := object(text)
	return []string{text, once, twice[1 : len(twice)-1], whole, object(whole)}
}

func object(text string) string {
	j, err := json.Marshal(map[string]string{"out": text})
	if err != nil {
		panic(err) // a map of strings
	}
	return string(j)
}

// Leaked returns a piece of a secret that text still holds: eight bytes, more
// of one that is made of words, or all of a shorter secret.
func Leaked(text string, secrets []string) string {
	for _, s := range secrets {
		n := min(8, len(s))
		if strings.Contains(s, " ") {
			n = min(20, len(s))
		}
		for i := range len(s) - n + 1 {
			if strings.Contains(text, s[i:i+n]) {
				return s[i : i+n]
			}
		}
	}
	return ""
}
