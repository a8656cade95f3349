package compress

import (
	"fmt"
	"strconv"
	"strings"

	"sessc/lifecycle"
	"sessc/session"
)

// oddities are remarks on what was wrong with a log before sessc came. All of
// it stays as it is; a person may want to know where it stands.
func oddities(s *session.Session, found []lifecycle.Lifecycle) []string {
	var damaged, orphans, unanswered, strays []int32
	for i := range s.Entries {
		if s.Entries[i].Kind == session.Damaged {
			damaged = append(damaged, int32(i))
		}
	}
	answers := map[int32]bool{}
	for _, c := range s.Calls {
		switch {
		case s.Position(c.Entry) < 0: // the result is sent without it
		case c.Result < 0 || s.Position(c.Result) < 0:
			unanswered = once(unanswered, c.Entry)
		default:
			answers[c.Result] = true
		}
	}
	for _, i := range s.Active {
		if s.Entries[i].Kind == session.Result && !answers[i] {
			orphans = append(orphans, i)
		}
	}
	matched := map[int]bool{}
	for n := range found {
		for _, e := range found[n].Events {
			matched[e] = true
		}
	}
	for e := range s.Events {
		if ev := &s.Events[e]; ev.Kind == session.Completion && !matched[e] && s.Position(ev.Entry) >= 0 {
			strays = once(strays, ev.Entry)
		}
	}
	var notes []string
	for _, o := range []struct {
		at         []int32
		one, other string
	}{
		{damaged, "cannot be read and stays as it is", "cannot be read and stay as they are"},
		{unanswered, "holds a call without a result", "hold calls without a result"},
		{orphans, "holds a result without a call", "hold results without a call"},
		{strays, "tells the end of work that no spawn in this log can be matched with", "tell the end of work that no spawn in this log can be matched with"},
	} {
		switch len(o.at) {
		case 0:
		case 1:
			notes = append(notes, linesOf(s, o.at)+" "+o.one)
		default:
			notes = append(notes, linesOf(s, o.at)+" "+o.other)
		}
	}
	return notes
}

// once adds an entry unless it was the last one added.
func once(list []int32, i int32) []int32 {
	if n := len(list); n > 0 && list[n-1] == i {
		return list
	}
	return append(list, i)
}

// mostLines is how many lines are named before the rest is only counted.
const mostLines = 8

// linesOf names the lines of entries.
func linesOf(s *session.Session, at []int32) string {
	lines := make([]int, len(at))
	for n, i := range at {
		lines[n] = s.LineOf(i)
	}
	return NameLines(lines)
}

// NameLines names lines by their numbers: "line 7", "lines 3, 9"; of many only
// the first.
func NameLines(lines []int) string {
	word := "lines "
	if len(lines) == 1 {
		word = "line "
	}
	var named []string
	for n, l := range lines {
		if n == mostLines {
			named = append(named, fmt.Sprintf("%d more", len(lines)-n))
			break
		}
		named = append(named, strconv.Itoa(l))
	}
	return word + strings.Join(named, ", ")
}
