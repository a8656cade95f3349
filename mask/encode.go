package mask

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const (
	noneWord    = "none"      // stands for an empty value of a field that is always there
	ellipsis    = "…"         // ends a text that was cut
	moreHead    = "… +"       // begins the count of omitted items
	moreTail    = ", see ref" // ends it
	refScheme   = "sessc:"
	specialName = `,"{}` // with white space: what a bare file name must not contain
)

// quote puts s in double quotes. A backslash is doubled only where it would be read as an escape (before a backslash,
// a quote or the end), so that Windows paths and regular expressions keep their exact text.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\' && (i+1 == len(s) || s[i+1] == '\\' || s[i+1] == '"'):
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquote reads the quoted string at the start of s and returns it with what follows.
func unquote(s string) (text, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, errors.New("a quoted text is expected")
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			if b.Len() == 0 {
				return "", s, errors.New("empty quotes")
			}
			return b.String(), s[i+1:], nil
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"'):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", s, errors.New("a quote is not closed")
}

// encodeQuoted writes a single text that always stands in quotes.
func encodeQuoted(s string) string {
	if s == "" {
		return noneWord
	}
	return quote(s)
}

// encodeBare writes a single text that stands without quotes wherever that is unambiguous.
func encodeBare(s string) string {
	if s == noneWord || strings.HasPrefix(s, `"`) {
		return quote(s)
	}
	if s == "" {
		return noneWord
	}
	return s
}

// decodeText reads what encodeQuoted (bare false) or encodeBare (bare true) wrote.
func decodeText(v string, bare bool) (string, error) {
	if v == noneWord {
		return "", nil
	}
	if bare && !strings.HasPrefix(v, `"`) {
		if strings.TrimSpace(v) != v {
			return "", errors.New("spaces around the value")
		}
		return v, nil
	}
	text, rest, err := unquote(v)
	if err == nil && rest != "" {
		err = fmt.Errorf("text after the closing quote: %q", rest)
	}
	return text, err
}

// encodeList writes items, already encoded, and the count of omitted ones.
func encodeList(items []string, omitted int) string {
	s := strings.Join(items, ", ")
	if omitted > 0 {
		if s != "" {
			s += ", "
		}
		s += moreHead + strconv.Itoa(omitted) + moreTail
	}
	return s
}

func quoteAll(items []string) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = quote(it)
	}
	return out
}

// decodeList reads what encodeList wrote. Bare items are allowed only in file lists, where they may be folded.
func decodeList(v string, bare bool) (items []string, omitted int, err error) {
	seen := make(map[string]bool)
	for {
		if n, ok := strings.CutPrefix(v, moreHead); ok {
			omitted, err = decodeMore(n)
			return items, omitted, err
		}
		var got []string
		if bare && !strings.HasPrefix(v, `"`) {
			got, v, err = bareItem(v)
		} else {
			var one string
			one, v, err = unquote(v)
			got = []string{one}
		}
		if err != nil {
			return nil, 0, err
		}
		for _, it := range got {
			if seen[it] {
				return nil, 0, fmt.Errorf("%q stands twice in the list", it)
			}
			seen[it] = true
			items = append(items, it)
		}
		if v == "" {
			return items, 0, nil
		}
		rest, ok := strings.CutPrefix(v, ", ")
		if !ok {
			return nil, 0, fmt.Errorf("list items are not separated at %q", v)
		}
		v = rest
	}
}

func decodeMore(s string) (int, error) {
	digits, ok := strings.CutSuffix(s, moreTail)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n <= 0 || strconv.Itoa(n) != digits {
		return 0, fmt.Errorf("bad count of omitted items %q", moreHead+s)
	}
	return n, nil
}
