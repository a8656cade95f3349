package jsonwalk

import (
	"bytes"
	"encoding/json"
)

// Quote writes a JSON string as agents write it, with <, > and & as they are.
// The only error of Encode concerns values that JSON cannot hold, and a string
// is not one.
func Quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Decode reads a string as it stands in a line, with its quotes, and as the
// index decodes it, so that ranges within a text mean the same to both; "" for
// a value of another kind.
func Decode(raw string) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	return string(Unescape(nil, []byte(raw[1:len(raw)-1])))
}

// TrimBOM is a line without the byte order mark that a first line may have.
func TrimBOM(line []byte) []byte { return bytes.TrimPrefix(line, []byte("\ufeff")) }
