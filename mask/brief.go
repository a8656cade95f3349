package mask

import (
	"errors"
	"fmt"
	"strings"
)

// A brief record stands where a tool result or a long argument stood. It reads
//
//	[Cleared by sessc, this line is not the content: "exec go test ./...", failed, 4,812 tokens; errors: "..."; facts: "...", "...", … +3, see ref; ref: sessc:3f9a1c20be77]
//
// A list that shows nothing is left out, and one count stands for what both leave out.
// A model that copies it into a file by mistake copies a sentence that says so, never something that could pass for code
// or text. What stands in quotes are the words of others.
const (
	briefHead   = "[Cleared by sessc, this line is not the content: "
	briefErrors = "; errors: "
	briefFacts  = "; facts: "
	briefMore   = "; " + moreHead // what is left out where no facts are shown
	briefRef    = "; ref: "
	briefTail   = "]"
)

// Cleared is what stands in the place of a long argument of a call whose record stands elsewhere: how long it was, the
// beginning of its hash, and the reference.
func Cleared(size int, hash, ref string) string {
	return Render(Record{Brief: true, Task: "argument, sha256 " + hash, Result: ResultDone, Spent: Spent{Tokens: size}, Ref: ref})
}

// IsBrief reports whether a text is a brief record.
func IsBrief(s string) bool {
	if !strings.HasPrefix(s, briefHead) {
		return false
	}
	_, err := Parse(s)
	return err == nil
}

func renderBrief(r *Record) string {
	var b strings.Builder
	b.WriteString(briefHead + encodeQuoted(r.Task) + ", " + string(r.Result))
	if spent := encodeSpent(r.Spent); spent != "" {
		b.WriteString(", " + spent)
	}
	if len(r.Errors) > 0 {
		b.WriteString(briefErrors + encodeList(quoteAll(r.Errors), 0))
	}
	switch left := r.Omitted.Errors + r.Omitted.Remember; {
	case len(r.Remember) > 0:
		b.WriteString(briefFacts + encodeList(quoteAll(r.Remember), left))
	case left > 0:
		b.WriteString("; " + encodeList(nil, left))
	}
	ref := noneWord
	if r.Ref != "" {
		ref = refScheme + r.Ref
	}
	b.WriteString(briefRef + ref + briefTail)
	return b.String()
}

// parseBrief reads what follows the head of a brief record, from the left to the right.
func parseBrief(s string) (r Record, err error) {
	r = Record{Brief: true, Origin: OriginUnknown}
	if strings.IndexFunc(s, hidden) >= 0 {
		return r, errors.New("control character or foreign line break")
	}
	if rest, ok := strings.CutPrefix(s, noneWord); ok {
		s = rest
	} else if r.Task, s, err = unquote(s); err != nil {
		return r, fmt.Errorf("task: %w", err)
	}
	words, s, ok := cutAny(s, briefErrors, briefFacts, briefMore, briefRef)
	if !ok {
		return r, errors.New("the reference is missing")
	}
	result, spent, more := strings.Cut(strings.TrimPrefix(words, ", "), ", ")
	r.Result = Result(result)
	if err := oneOf(isResult(r.Result), result); err != nil || !strings.HasPrefix(words, ", ") {
		return r, fmt.Errorf("result: %q is not one of the fixed words", result)
	}
	if more {
		if r.Spent, err = decodeSpent(spent); err != nil || r.Spent.ToolCalls != 0 || r.Spent.Took != 0 {
			return r, fmt.Errorf("size: bad amount %q", spent)
		}
	}
	for _, list := range []struct {
		head    string
		items   *[]string
		omitted *int
	}{{briefErrors, &r.Errors, &r.Omitted.Errors}, {briefFacts, &r.Remember, &r.Omitted.Remember}} {
		if rest, ok := strings.CutPrefix(s, list.head); ok {
			if *list.items, *list.omitted, s, err = listBefore(rest); err != nil {
				return r, err
			}
		}
	}
	if strings.HasPrefix(s, briefMore) && len(r.Remember)+r.Omitted.Remember == 0 {
		if _, r.Omitted.Remember, s, err = listBefore(strings.TrimPrefix(s, "; ")); err != nil {
			return r, err
		}
	}
	ref, ok := strings.CutPrefix(s, briefRef)
	ref, closed := strings.CutSuffix(ref, briefTail)
	if !ok || !closed {
		return r, errors.New("the reference is missing")
	}
	if ref != noneWord {
		r.Ref, err = decodeRef(ref)
	}
	return r, err
}

// listBefore reads a list of quoted items that another part follows.
func listBefore(s string) (items []string, omitted int, rest string, err error) {
	end := 0
	for quoted := false; end < len(s) && (quoted || s[end] != ';'); end++ {
		switch {
		case s[end] == '"':
			quoted = !quoted
		case quoted && s[end] == '\\' && end+1 < len(s) && (s[end+1] == '\\' || s[end+1] == '"'):
			end++
		}
	}
	end = min(end, len(s))
	items, omitted, err = decodeList(s[:end], false)
	return items, omitted, s[end:], err
}

// cutAny splits s before the first of some separators.
func cutAny(s string, seps ...string) (before, rest string, found bool) {
	at := len(s)
	for _, sep := range seps {
		if i := strings.Index(s, sep); i >= 0 {
			at = min(at, i)
		}
	}
	return s[:at], s[at:], at < len(s)
}
