package jsonwalk

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape appends to dst the text that raw, the bytes between the quotes of a JSON string, stands
// for, and returns the longer slice. It decodes as encoding/json does: a surrogate without its
// partner and each byte of ill-formed UTF-8 become U+FFFD. Escapes that encoding/json would refuse
// (`\x`, `\u12`, a backslash at the end) become U+FFFD too, since a log may hold them; a raw control
// character or quote is copied.
func Unescape(dst, raw []byte) []byte {
	valid := utf8.Valid(raw) // then what stands between escapes, which are ASCII, is valid too
	for {
		n := bytes.IndexByte(raw, '\\')
		switch {
		case n < 0 && valid:
			return append(dst, raw...)
		case n < 0:
			return appendValid(dst, raw)
		case valid:
			dst = append(dst, raw[:n]...)
		default:
			dst = appendValid(dst, raw[:n])
		}
		raw = raw[n+1:]
		if len(raw) == 0 {
			return utf8.AppendRune(dst, utf8.RuneError)
		}
		b := raw[0]
		switch b {
		case '"', '\\', '/':
		case 'b':
			b = '\b'
		case 'f':
			b = '\f'
		case 'n':
			b = '\n'
		case 'r':
			b = '\r'
		case 't':
			b = '\t'
		case 'u':
			r, size := unit(raw)
			if utf16.IsSurrogate(r) {
				r, size = pair(r, raw, size)
			}
			dst = utf8.AppendRune(dst, r)
			raw = raw[size:]
			continue
		default:
			// Only the backslash is bad; the byte after it may begin a longer character.
			dst = utf8.AppendRune(dst, utf8.RuneError)
			continue
		}
		dst = append(dst, b)
		raw = raw[1:]
	}
}

// unit reads the code unit of "uXXXX" at the start of raw and returns how many bytes it takes: five,
// or one ("u" alone, as U+FFFD) where four hex digits do not follow.
func unit(raw []byte) (r rune, size int) {
	if len(raw) < 5 {
		return utf8.RuneError, 1
	}
	for _, b := range raw[1:5] {
		switch {
		case digit(b):
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			return utf8.RuneError, 1
		}
		r = r<<4 | rune(b)
	}
	return r, 5
}

// pair joins the surrogate r with the escape that follows it. If the two make no character, r alone
// becomes U+FFFD and what follows is read anew.
func pair(r rune, raw []byte, size int) (rune, int) {
	if next := raw[size:]; len(next) > 1 && next[0] == '\\' && next[1] == 'u' {
		low, n := unit(next[1:])
		if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
			return full, size + 1 + n
		}
	}
	return utf8.RuneError, size
}

// appendValid appends text with each byte of ill-formed UTF-8 replaced by U+FFFD.
func appendValid(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}
