package summarize

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// tagOpen begins every tag that Redact writes; a name and "]" follow.
const tagOpen = "[secret:"

// Redact returns s with every secret that it recognises replaced by a stable
// tag such as [secret:github-token]. The text has to be decoded, but values
// that are still JSON-escaped inside it, or wrapped over line ends, are found
// as well. Hashes, uuids, ids, checksums, paths and placeholders stay. Where
// only a part is secret (the password of a URL, the value after a key) only
// that part is replaced. Redact(Redact(s)) == Redact(s).
//
// It does not find what only sense would tell from prose, such as a password
// that is a plain word; redacttest lists what is known to be missed.
func Redact(s string) string {
	// A replacement can complete another secret around it (a password that
	// holds a token). Every round leaves fewer bytes outside of tags, so the
	// loop ends; clean text takes one round and no allocation.
	for {
		t := redactOnce(s)
		if t == s {
			return s
		}
		s = t
	}
}

// HasSecret reports whether Redact would change s.
func HasSecret(s string) bool {
	f, _ := newFinder(s)
	_, ok := f.next(0)
	return ok
}

func redactOnce(s string) string {
	f, at := newFinder(s)
	m, ok := f.next(0)
	if !ok {
		return s
	}
	in := func(i int) int { // an offset of the finder's text, in s
		if at == nil {
			return i
		}
		return at[i]
	}
	var b strings.Builder
	b.Grow(len(s))
	last := 0
	for ok {
		b.WriteString(s[in(last):in(m.from)])
		b.WriteString(tagOpen)
		b.WriteString(m.name)
		b.WriteByte(']')
		last = m.to
		m, ok = f.next(last)
	}
	b.WriteString(s[in(last):])
	return b.String()
}

// newFinder returns a finder for s, which reads signs that JSON has written as
// \u003c as they are, and nothing that nobody sees. Where that is another text
// than s, at holds the offset in s of each of its bytes.
func newFinder(s string) (f finder, at []int) {
	if !strings.Contains(s, `\u`) && strings.IndexFunc(s, unseen) < 0 {
		return finder{s: s}, nil
	}
	b := make([]byte, 0, len(s))
	at = make([]int, 0, len(s)+1)
	for i, n := 0, 0; i < len(s); i += n {
		c, size := utf8.DecodeRuneInString(s[i:])
		if n = size; c == '\\' {
			if e, length := escaped(s[i:]); length > 0 {
				if n = length; e > 0 {
					b, at = append(b, e), append(at, i)
				}
				continue
			}
		}
		if !unseen(c) {
			for k := i; k < i+n; k++ {
				b, at = append(b, s[k]), append(at, k)
			}
		}
	}
	return finder{s: string(b)}, append(at, len(s))
}

// escaped reads the escape \uXXXX, with any number of backslashes, of a
// printable sign of ASCII at the beginning of s, or of one that nobody sees,
// which is read as nothing, sign 0. Quotes and backslashes are left, since they
// mean something else bare.
func escaped(s string) (sign byte, n int) {
	for n < len(s) && n < 16 && s[n] == '\\' {
		n++
	}
	if len(s) < n+5 || s[n] != 'u' {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[n+1:n+5], 16, 16)
	switch {
	case err != nil:
		return 0, 0
	case unseen(rune(v)):
		return 0, n + 5
	case v < 0x20 || v > 0x7e || v == '"' || v == '\\':
		return 0, 0
	}
	return byte(v), n + 5
}

// unseen reports whether a character is none that a reader sees, and none that
// he knows from another effect: a secret, or an order, may be hidden with it.
func unseen(c rune) bool {
	return c >= 0xAD && (c < 0x3200 || c > 0xD7FF) &&
		unicode.In(c, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// span is a secret: the bytes s[from:to] and the name for its tag.
type span struct {
	from, to int
	name     string
}

// finder walks a text once. Measuring showed that one pass over byte classes
// is faster than a strings.Contains for each of the prefixes, because the cost
// does not grow with the number of shapes.
type finder struct {
	s string
	// After an AWS access key id, the bare 40 characters of its secret key are
	// searched up to this offset; anywhere else they could be a hash.
	aws int
	// Where the search began: nothing before it can be a secret of this round.
	start int
	// Secrets that were seen before it was their turn: the cells of a table,
	// the elements of a list.
	ahead []span
}

// Byte classes, as bits so that shapes can name the bytes of their bodies.
const (
	hexByte    uint8 = 1 << iota // 0-9 a-f
	capByte                      // 0-9 A-Z
	alnumByte                    // 0-9 a-z A-Z
	urlByte                      // alnum _ -
	base64Byte                   // alnum + / =
	pathByte                     // alnum _ - / .
	wordByte                     // alnum _
	stopByte                     // a byte at which a secret may begin or be announced
)

var class = func() (t [256]uint8) {
	for c := range 256 {
		b := byte(c)
		digit, lower, upper := b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z'
		if digit || b >= 'a' && b <= 'f' {
			t[c] |= hexByte
		}
		if digit || upper {
			t[c] |= capByte
		}
		if digit || lower || upper {
			t[c] |= alnumByte | urlByte | base64Byte | pathByte | wordByte
		}
		switch b {
		case '_':
			t[c] |= urlByte | pathByte | wordByte
		case '-':
			t[c] |= urlByte | pathByte | stopByte
		case '+', '/':
			t[c] |= base64Byte
			if b == '/' {
				t[c] |= pathByte
			}
		case '.', '@':
			t[c] |= pathByte
		case '=':
			t[c] |= base64Byte | stopByte
		case ':', '\\', '[', '%', 0xEF, 0xE3, 0xE4, 0xE5, 0xE7, 0xE9, 0xEB, 0xEC, 0xED, 0xD0, 0xD1, 0xD7, 0xD9, 0xE0:
			t[c] |= stopByte
		}
	}
	return t
}()

// run returns the end of the bytes of set from i on.
func run(s string, i int, set uint8) int {
	for i < len(s) && class[s[i]]&set != 0 {
		i++
	}
	return i
}

// longestSecret bounds how far one place is looked at, so that text made of
// nothing but beginnings of secrets is not read once for each of them.
const longestSecret = 8 << 10

// runTo is run for at most n bytes.
func runTo(s string, i, n int, set uint8) int { return run(s[:min(len(s), i+n)], i, set) }

func (f *finder) next(i int) (span, bool) {
	s := f.s
	f.start = i
	for i < len(s) {
		if len(f.ahead) > 0 && i >= f.ahead[0].from {
			m := f.ahead[0]
			f.ahead = f.ahead[1:]
			if i == m.from {
				return m, true
			}
		}
		switch k := class[s[i]]; {
		case k&wordByte != 0:
			if m, ok := f.token(i); ok {
				return m, true
			}
			end := run(s, i+1, wordByte)
			if end < len(s) && (s[end] == '/' || s[end] == ':') {
				if m, ok := f.account(i, end); ok {
					return m, true
				}
			}
			if m, ok := f.oddToken(i, end); ok {
				return m, true
			}
			if isCue(s, i, end) {
				if m, ok := f.word(i, end); ok {
					return m, true
				}
			}
			i = end
		case k&stopByte != 0:
			m, skip, ok := f.stop(i)
			if ok {
				return m, true
			}
			i += skip
		default:
			i++
		}
	}
	return span{}, false
}

// stop looks at a byte that is no part of a word. Without a secret it says how
// many bytes to go on.
func (f *finder) stop(i int) (m span, skip int, ok bool) {
	s := f.s
	switch s[i] {
	case '=', ':':
		if m, ok = f.pair(i, i+1); !ok {
			m, ok = f.pairOrdered(i, i+1)
		}
	case 0xEF:
		if strings.HasPrefix(s[i:], "：") {
			m, ok = f.pair(i, i+len("："))
		}
	case '%':
		if n := percentSeparator(s[i:]); n > 0 {
			m, ok = f.percentPair(i, i+n)
		}
	case '-':
		if strings.HasPrefix(s[i:], "-----BEGIN ") {
			m, ok = f.pem(i)
		} else if strings.HasPrefix(s[i:], "---- BEGIN ") && (i == 0 || s[i-1] != '-') {
			m, ok = f.pem(i)
		} else if strings.HasPrefix(s[i:], "-") && (i == 0 || s[i-1] != '-') {
			m, ok = f.flag(i)
		}
	case '\\':
		// In text that is still escaped, \n and its kin glue a letter to the
		// word that follows; both readings are tried.
		if i+2 < len(s) && strings.IndexByte("nrt", s[i+1]) >= 0 && class[s[i+2]]&wordByte != 0 {
			m, ok = f.token(i + 1)
			if !ok {
				m, ok = f.token(i + 2)
			}
			if !ok {
				m, ok = f.oddToken(i+2, run(s, i+2, wordByte))
			}
		}
	case 0xE3, 0xE4, 0xE5, 0xE7, 0xE9, 0xEB, 0xEC, 0xED, 0xD0, 0xD1, 0xD7, 0xD9, 0xE0:
		// The first bytes of the key words of other scripts.
		if i+1 < len(s) && wideLead()[uint16(s[i])<<8|uint16(s[i+1])] {
			m, ok = f.wide(i)
		}
	case '[':
		if n := tagAt(s[i:]); n > 0 {
			return span{}, n, false
		}
	}
	return m, 1, ok
}

// tagAt returns the length of the tag of ours that s begins with, or 0. Only
// known names count, so that nobody can hide a secret in something like a tag.
func tagAt(s string) int {
	if !strings.HasPrefix(s, tagOpen) {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), 64)], ']')
	if end < 0 || !tagNames()[s[len(tagOpen):end]] {
		return 0
	}
	return end + 1
}

var tagNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{
		"jwt": true, "sendgrid-key": true, "discord-token": true, "telegram-token": true,
		"private-key": true, "azure-client-secret": true, "terraform-token": true, "airtable-token": true, "mailchimp-key": true, "aws-secret-key": true, "bearer": true, "basic-auth": true,
		"url-password": true, "cookie": true, "signature": true,
		"password": true, "token": true, "key": true, "authorization": true, "code": true, "seed-phrase": true,
	}
	for _, sh := range shapes {
		names[sh.name] = true
	}
	return names
})
