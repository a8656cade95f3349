package claudecode

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"sessc/session/jsonwalk"
)

// rewrite collects the changes to one line. All bytes that it does not name
// stay as they are.
type rewrite struct {
	raw  []byte
	cuts []cut
	ref  string // the first mask in the line, "" when only figures change
}

// cut replaces a range of the line's bytes.
type cut struct {
	from, to int
	data     []byte
	ref      string
	disk     bool // what goes is never read again
}

func (w *rewrite) replace(from, to int, data []byte, ref string) {
	w.cuts = append(w.cuts, cut{from: from, to: to, data: data, ref: ref})
	if w.ref == "" {
		w.ref = ref
	}
}

// done returns the cuts in order, with the marker for a line that holds a
// mask: behind its last member, since programs look at how a line begins.
func (w *rewrite) done(generation int) []cut {
	cuts := slices.Clone(w.cuts)
	if end := bytes.LastIndexByte(w.raw, '}'); w.ref != "" && end > 0 {
		mark := fmt.Sprintf(`,%q:{"v":1,"ref":%s,"gen":%d}`, envelope, jsonwalk.Quote(w.ref), generation)
		cuts = append(cuts, cut{from: end, to: end, data: []byte(mark), ref: w.ref})
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return a.from - b.from })
	return cuts
}

// result is the line after its cuts.
func (w *rewrite) result(generation int) []byte {
	var out []byte
	at := 0
	for _, c := range w.done(generation) {
		out = append(append(out, w.raw[at:c.from]...), c.data...)
		at = c.to
	}
	return append(out, w.raw[at:]...)
}

// get finds a value by its path; Index is its place in the line.
func (w *rewrite) get(path string) gjson.Result { return gjson.Get(string(w.raw), path) }

// resultOf is the path of a call's result in the line, and whether it is the
// only result there.
func (w *rewrite) resultOf(call string) (path string, single bool) {
	results := 0
	for n, b := range w.get("message.content").Array() {
		if b.Get("type").String() != "tool_result" {
			continue
		}
		results++
		if b.Get("tool_use_id").String() == call {
			path = fmt.Sprintf("message.content.%d", n)
		}
	}
	return path, results == 1
}

// remove takes a member out of the line's object, with one of the commas
// around it.
func (w *rewrite) remove(key, ref string) {
	var c jsonwalk.Cursor
	skipped := len(w.raw) - len(jsonwalk.TrimBOM(w.raw))
	c.Reset(w.raw[skipped:])
	if !c.Enter() {
		return
	}
	first := true
	for {
		from := c.Offset()
		k, ok := c.Key()
		if !ok {
			return
		}
		_, to, found := c.Range()
		if string(k) == key && found {
			from, to = from+skipped, to+skipped
			if rest := bytes.TrimLeft(w.raw[to:], " \t\r\n"); first && len(rest) > 0 && rest[0] == ',' {
				to = len(w.raw) - len(rest) + 1
			}
			w.replace(from, to, nil, ref)
			return
		}
		c.Skip()
		first = false
	}
}

// inside finds where the words of an agent stand in a completion's line: in
// every string that holds a notification, or between the tags of a pull's
// output. The ranges are of raw bytes, within the quotes of JSON strings.
func (w *rewrite) inside() [][2]int {
	var found [][2]int
	add := func(v gjson.Result, off, end int64) {
		raw := v.Raw[1 : len(v.Raw)-1]
		from, to := escapedOffset(raw, int(off)), escapedOffset(raw, int(end))
		if at := w.start(v); at >= 0 && from >= 0 && to >= from {
			found = append(found, [2]int{at + 1 + from, at + 1 + to})
		}
	}
	var each func(v gjson.Result)
	each = func(v gjson.Result) {
		switch {
		case v.IsObject() || v.IsArray():
			v.ForEach(func(_, in gjson.Result) bool { each(in); return true })
		case v.Type == gjson.String && strings.Contains(v.Raw, "task-notification"):
			if n, ok := parseNotice(jsonwalk.Decode(v.Raw)); ok && n.hasResult {
				add(v, n.result.Off, n.result.End())
			}
		}
	}
	for _, key := range []string{"message", "attachment", "rendered", "renderedInHumanTurn"} {
		each(w.get(key))
	}
	if len(found) > 0 {
		return found
	}
	for n, b := range w.get("message.content").Array() {
		if b.Get("type").String() != "tool_result" {
			continue
		}
		at := fmt.Sprintf("message.content.%d.content", n)
		texts := []gjson.Result{w.get(at)}
		if texts[0].IsArray() {
			for k := range texts[0].Array() {
				texts = append(texts, w.get(fmt.Sprintf("%s.%d.text", at, k)))
			}
		}
		for _, v := range texts {
			if v.Type != gjson.String {
				continue
			}
			if p := parsePull(jsonwalk.Decode(v.Raw)); p.task != "" && p.output.Len > 0 {
				add(v, p.output.Off, p.output.End())
			}
		}
	}
	return found
}

// start is where a value stands in the line, or -1 if it is not known. The
// index of a member that was walked to may be that of the space before it.
func (w *rewrite) start(v gjson.Result) int {
	at := v.Index
	for at < len(w.raw) && strings.IndexByte(" \t\r\n", w.raw[at]) >= 0 {
		at++
	}
	if !bytes.HasPrefix(w.raw[at:], []byte(v.Raw)) {
		return -1
	}
	return at
}

// escapedOffset is the place in the raw bytes of a JSON string at which the
// given number of decoded bytes has passed, or -1 when that is inside a
// character.
func escapedOffset(raw string, decoded int) int {
	at := 0
	for at < len(raw) && decoded > 0 {
		if n := min(plainRun(raw[at:]), decoded); n > 0 {
			at, decoded = at+n, decoded-n
			continue
		}
		size := 1
		if raw[at] == '\\' {
			size = min(escapeSize(raw[at:]), len(raw)-at)
		} else if _, n := utf8.DecodeRuneInString(raw[at:]); n > 1 {
			size = n
		}
		decoded -= len(jsonwalk.Unescape(nil, []byte(raw[at:at+size])))
		at += size
	}
	if decoded != 0 {
		return -1
	}
	return at
}

// plainRun is how many bytes of a text stand for themselves.
func plainRun(raw string) int {
	for n := range len(raw) {
		if raw[n] == '\\' || raw[n] >= utf8.RuneSelf {
			return n
		}
	}
	return len(raw)
}

// escapeSize is how many bytes the escape at the beginning of a text takes: a
// surrogate pair is one.
func escapeSize(raw string) int {
	if len(raw) < 6 || raw[1] != 'u' {
		return 2
	}
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' && utf16.DecodeRune(unit(raw[2:6]), unit(raw[8:12])) != utf8.RuneError {
		return 12
	}
	return 6
}

// unit is the UTF-16 unit that four hex digits stand for.
func unit(hex string) rune {
	u, err := strconv.ParseUint(hex, 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(u)
}
