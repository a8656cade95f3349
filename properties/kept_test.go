package properties_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"sessc/compress"
)

// kept: every line that no mask replaced is there, byte for byte and in order.
// A line may only have got another pointer or a lower figure of usage.
func (d *desk) kept(o *outcome) {
	d.tb.Helper()
	was, now := o.was.lines, o.now.lines
	j := 0
	weight := compress.Weight{}
	defer func() {
		if r := o.rep.Disk; r != nil && (r.Lines != weight.Lines || r.Bytes < weight.Bytes) || r == nil && weight.Lines > 0 {
			d.wrong("disk weight of %+v went, the report says %+v", weight, r)
		}
	}()
	for i := range was {
		switch {
		case j < len(now) && bytes.Equal(was[i].raw, now[j].raw):
			if o.touched[i] {
				d.wrong("line %d is said to be replaced and still stands", i+1)
			}
			j++
		case o.touched[i]:
			if j < len(now) && now[j].marked && !was[i].marked && now[j].id == was[i].id {
				j++
			}
		case j < len(now) && d.relinked(was[i].raw, now[j].raw):
			j++
		case d.weighs(o, i):
			weight.Lines++
			weight.Bytes += int64(len(was[i].raw))
		default:
			got := "nothing"
			if j < len(now) {
				got = short(now[j].raw)
			}
			d.wrong("line %d is no mask's and changed:\n%s\n%s", i+1, short(was[i].raw), got)
			return
		}
	}
	if j < len(now) {
		d.wrong("line %d of the new log comes from nowhere: %s", j+1, short(now[j].raw))
	}
}

// weighs reports whether a line of the original may go as disk weight.
func (d *desk) weighs(o *outcome, n int) bool {
	return o.rep.Disk != nil && slices.Contains(d.tg.ballast, objectOf(bytes.TrimSpace(o.was.lines[n].raw)).str("type"))
}

func short(b []byte) string {
	if len(b) > 600 {
		return string(b[:600]) + "…"
	}
	return string(b)
}

// relinked reports whether two lines are the same bytes but for values under
// the format's pointer keys and its one figure, which may only be lowered.
func (d *desk) relinked(was, now []byte) bool {
	a, okA := cut(was)
	b, okB := cut(now)
	if !okA || !okB {
		return false
	}
	// A figure that was missing may have been put in.
	for n := range b {
		if !slices.Contains(d.tg.figures, b[n].path) {
			continue
		}
		parent := b[n].path[:strings.LastIndexByte(b[n].path, '.')]
		if !b[n].key && len(b) == len(a)+2 && n > 1 && b[n-2].path == parent {
			b = slices.Delete(slices.Clone(b), n-1, n+1)
			b[n-1].raw = bytes.TrimPrefix(b[n-1].raw, []byte(","))
			break
		}
	}
	if len(a) != len(b) {
		return false
	}
	for n := range a {
		x, y := a[n], b[n]
		switch {
		case bytes.Equal(x.raw, y.raw) && x.path == y.path:
		case x.path != y.path || x.key || y.key:
			return false
		case slices.Contains(d.tg.figures, x.path):
			var p, q float64
			if json.Unmarshal(y.value, &q) != nil || q < 0 || q == 0 && len(d.tg.figures) == 1 {
				return false
			}
			// What is no figure counts as none, so that any is lower.
			if json.Unmarshal(x.value, &p) == nil && p > 0 && q >= p {
				return false
			}
		case !slices.Contains(d.tg.pointers, x.path):
			return false
		}
	}
	return true
}

// token is one token of a JSON text with the bytes since the token before.
type token struct {
	raw   []byte
	value []byte // the token alone
	path  string // keys joined by dots
	key   bool
}

// cut splits a line into tokens that together are the line.
func cut(raw []byte) ([]token, bool) {
	type level struct {
		key    string
		object bool
		name   bool // a key comes next
	}
	var all []token
	var stack []level
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	path := func() string {
		var parts []string
		for _, l := range stack {
			if l.object {
				parts = append(parts, l.key)
			} else {
				parts = append(parts, "#")
			}
		}
		return strings.Join(parts, ".")
	}
	last := int64(0)
	for {
		tok, err := dec.Token()
		if err != nil {
			all = append(all, token{raw: raw[last:]})
			return all, err.Error() == "EOF"
		}
		end := dec.InputOffset()
		t := token{raw: raw[last:end], value: bytes.TrimLeft(raw[last:end], " \t\r\n,:")}
		last = end
		top := len(stack) - 1
		if top >= 0 && stack[top].object && stack[top].name {
			if s, ok := tok.(string); ok {
				stack[top].key, stack[top].name = s, false
				t.path, t.key = path(), true
				all = append(all, t)
				continue
			}
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			t.path = path()
			stack = append(stack, level{object: tok == json.Delim('{'), name: true})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:top]
			t.path = path()
			if top--; top >= 0 {
				stack[top].name = true
			}
		default:
			t.path = path()
			if top >= 0 {
				stack[top].name = true
			}
		}
		all = append(all, t)
	}
}
