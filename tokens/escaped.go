package tokens

import (
	"bytes"
	"unicode/utf8"
)

// EstimateEscaped returns what Estimate returns for the decoded form of raw, the
// bytes between the quotes of a JSON string, without allocating.
//
// Decoded means as encoding/json does it: a lone surrogate and each byte that is
// not UTF-8 become U+FFFD. Bytes that JSON does not allow in a string (a bare control
// character, an unknown or cut-off escape) count as they stand.
func EstimateEscaped(raw []byte) int {
	var m meter
	valid := utf8.Valid(raw)
	if valid && bytes.IndexByte(raw, '\\') < 0 {
		feed(&m, raw)
		return m.tokens()
	}
	var buf [4096]byte
	n := 0
	for len(raw) > 0 {
		if n > len(buf)-utf8.UTFMax {
			feed(&m, buf[:n])
			n = 0
		}
		if raw[0] == '\\' {
			r, size := unescape(raw)
			n += utf8.EncodeRune(buf[n:], r)
			raw = raw[size:]
			continue
		}
		if !valid && raw[0] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(raw)
			n += utf8.EncodeRune(buf[n:], r)
			raw = raw[size:]
			continue
		}
		plain := buf[n:]
		if len(plain) > len(raw) {
			plain = plain[:len(raw)]
		}
		i := 0
		if valid {
			if i = bytes.IndexByte(raw[:len(plain)], '\\'); i < 0 {
				i = len(plain)
			}
			copy(plain, raw[:i])
		} else {
			for i < len(plain) && raw[i] != '\\' && raw[i] < utf8.RuneSelf {
				plain[i] = raw[i]
				i++
			}
		}
		n += i
		raw = raw[i:]
	}
	feed(&m, buf[:n])
	return m.tokens()
}

// unescape decodes the escape that raw starts with and returns the rune and the
// bytes it took. What is no escape is a plain backslash.
func unescape(raw []byte) (rune, int) {
	if len(raw) < 2 {
		return '\\', 1
	}
	switch raw[1] {
	case '"', '\\', '/':
		return rune(raw[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, ok := hex4(raw)
		switch {
		case !ok:
			return '\\', 1
		case r >= 0xD800 && r < 0xDC00:
			if low, ok := hex4(raw[6:]); ok && low >= 0xDC00 && low < 0xE000 {
				return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), 12
			}
			return utf8.RuneError, 6
		case r >= 0xDC00 && r < 0xE000:
			return utf8.RuneError, 6
		}
		return r, 6
	}
	return '\\', 1
}

// hex4 reads \uXXXX from the start of raw.
func hex4(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, b := range raw[2:6] {
		switch {
		case b >= '0' && b <= '9':
			b -= '0'
		case b >= 'a' && b <= 'f':
			b -= 'a' - 10
		case b >= 'A' && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}
