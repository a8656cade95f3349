package summarize

import (
	"strings"
)

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
