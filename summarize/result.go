package summarize

import (
	"fmt"
	"slices"
	"strings"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/session"
)

// Bounds of the line that stands for a tool result, in tokens.
const (
	resultShare  = 4
	resultMinCap = 60
	resultMaxCap = 800
	// resultErrors is how many error lines it may show, the newest.
	resultErrors = 12
)

// resultCap returns how many tokens the line may take that stands for the
// given number of context tokens.
func resultCap(replaced int) int {
	return min(max(resultMinCap, replaced/resultShare), resultMaxCap)
}

// result collects what the record of one tool call could say: what it was
// about, how it ended, and the exact facts of what is cleared.
func (b *recorder) result(l *lifecycle.Lifecycle) (mask.Record, error) {
	a, err := b.s.Action(&b.s.Calls[l.Call])
	if err != nil {
		return mask.Record{}, err
	}
	one := []session.Action{a}
	clean(one)
	facts := FromActions(one, b.s.Cwd)
	r := mask.Record{
		Brief: true, Task: Name(l, nameWidth(l)), Result: mask.ResultDone,
		Spent: mask.Spent{Tokens: l.Own},
	}
	if l.State == lifecycle.Failed {
		r.Result = mask.ResultFailed
	}
	if a.Exit > 0 {
		r.Task += fmt.Sprintf(" (exit %d)", a.Exit)
	}
	if n := len(facts.Errors); n > 0 {
		r.Errors = facts.Errors[max(0, n-resultErrors):]
	}
	told := strings.Join(append(r.Errors, r.Task), "\n")
	found := b.unseen(exactOutput(clipMiddle(one[0].Output, 2*outputLimit)))
	r.Remember = joined(slices.DeleteFunc(found, func(f string) bool { return holds(told, f) || toldAsError(facts.Errors, f) }))
	return r, nil
}

// cleared is the mask of one tool call: the record stands in the place of its
// result, else of the first of its long arguments.
func cleared(s *session.Session, l *lifecycle.Lifecycle, r mask.Record) session.Put {
	text := mask.Render(r)
	put := session.Put{Key: l.Key, Call: l.Call, Ref: r.Ref}
	if l.Clear {
		put.Text, text = text, ""
	}
	for _, a := range l.Args {
		if text == "" {
			text = mask.Cleared(a.Tokens, a.SHA256, r.Ref)
		}
		put.Args = append(put.Args, session.Arg{Path: a.Path, Text: text})
		text = ""
	}
	return put
}
