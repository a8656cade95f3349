package mask

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Parse reads a text that Render wrote: Parse(Render(r)) equals Normalise(r). It is strict: an unknown, repeated or
// misplaced label, a missing field, text outside the frame, a word outside the fixed ones or a malformed list is an
// error that names the line (1 is the header). It does not clean values again, so what an older release wrote stays
// readable after the list of neutralised markers has grown.
func Parse(s string) (Record, error) {
	if body, ok := strings.CutPrefix(s, briefHead); ok {
		r, err := parseBrief(body)
		if err != nil {
			return Record{}, fmt.Errorf("mask line 1: %w", err)
		}
		return r, nil
	}
	r := Record{Origin: usualOrigin}
	lines := strings.Split(s, "\n")
	if lines[0] != header {
		return Record{}, errors.New("mask line 1: not the header of a mask; the archive has the record under the entry's ref")
	}
	last := len(lines) - 1
	if last == 0 || lines[last] != rule {
		return Record{}, fmt.Errorf("mask line %d: the closing rule is missing, text was cut or added; the archive has the record under the entry's ref", last+1)
	}
	next := 0
	for i, line := range lines[1:last] {
		n := i + 2
		if strings.IndexFunc(line, hidden) >= 0 {
			return Record{}, fmt.Errorf("mask line %d: control character or foreign line break", n)
		}
		label, v, ok := strings.Cut(line, ": ")
		at := slices.IndexFunc(fields, func(f field) bool { return f.label == label })
		switch {
		case !ok || at < 0:
			return Record{}, fmt.Errorf("mask line %d: unknown label in %q", n, line)
		case at < next:
			return Record{}, fmt.Errorf("mask line %d: %s is repeated or out of order", n, label)
		}
		if v == "" {
			return Record{}, fmt.Errorf("mask line %d: %s has no value", n, label)
		}
		if err := missing(fields[next:at]); err != nil {
			return Record{}, fmt.Errorf("mask line %d: %w", n, err)
		}
		if err := fields[at].decode(&r, v); err != nil {
			return Record{}, fmt.Errorf("mask line %d: %s: %w", n, label, err)
		}
		next = at + 1
	}
	if err := missing(fields[next:]); err != nil {
		return Record{}, fmt.Errorf("mask line %d: %w", last+1, err)
	}
	return r, nil
}

// missing reports the first field of fs that must always stand.
func missing(fs []field) error {
	for _, f := range fs {
		if f.always {
			return fmt.Errorf("field %s is missing", f.label)
		}
	}
	return nil
}

// hidden reports characters that a rendered line never holds.
func hidden(c rune) bool {
	return unicode.IsControl(c) || c == 0x2028 || c == 0x2029
}
