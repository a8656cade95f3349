package claudecode

import (
	"bytes"
	"slices"
	"strings"

	"sessc/session"
)

// hostOrigins are the origins of user-role lines that no person stands behind
// (type files of 2.1.328). Any other origin, such as a chat channel, brings
// typed words.
var hostOrigins = map[string]bool{noticeMode: true, "coordinator": true, "auto-continuation": true, "cron": true, "hook": true}

// userKind tells what a user-role line is: tool results, words of the program,
// or a person's words, which is what it is taken for in doubt. It returns the
// decoded text.
func (r *reader) userKind() (session.Kind, string) {
	f, m := &r.f, &r.f.msg
	if len(m.results) > 0 {
		return session.Result, ""
	}
	text := r.decode(m.texts)
	switch {
	case f.summary:
		return session.Summary, text
	case hostOrigins[string(f.origin)], string(f.source) == "system":
		return session.HostEvent, text
	case len(f.origin) > 0:
		return session.Human, text
	case f.meta:
		return session.HostEvent, text
	case len(f.source) > 0:
		return session.Human, text // versions that know the source of a prompt write no notices without
	case m.pictures == 0 && written(text):
		return session.HostEvent, text
	}
	return session.Human, text
}

// spoken reports whether a line of results may hold words of a person: text
// beside the results, or the reason for which the person refused a call.
func (r *reader) spoken() bool {
	f, m := &r.f, &r.f.msg
	if len(m.results) == 0 {
		return false
	}
	for _, res := range m.results {
		for _, text := range res.texts {
			if slices.ContainsFunc(refusals, func(head string) bool { return bytes.HasPrefix(text, []byte(head)) }) {
				return true
			}
		}
	}
	return len(m.texts) > 0 || len(f.denial) > 0 || string(f.result) == `"User rejected tool use"`
}

// frames are the tags around what the client itself writes in a user's line:
// the output of commands, reminders and notices. A command that the person
// typed, in <command-name> or <bash-input>, is the person's.
var frames = []string{
	"local-command-stdout", "local-command-stderr", "local-command-caveat",
	"bash-stdout", "bash-stderr", "system-reminder",
}

// written reports whether all of a text is of a form that only the client
// writes.
func written(text string) bool {
	text = strings.TrimSpace(text)
	switch text {
	case "[Request interrupted by user]", "[Request interrupted by user for tool use]":
		return true
	}
	if n, ok := parseNotice(text); ok && n.whole {
		return true
	}
	for text != "" {
		rest, ok := cutFrame(text)
		if !ok {
			return false
		}
		text = strings.TrimSpace(rest)
		if text == "" {
			return true
		}
	}
	return false
}

// cutFrame takes a frame off the beginning of a text. The text must not hold a
// second end of the same frame: what lies between would pass as the client's.
func cutFrame(text string) (rest string, ok bool) {
	for _, name := range frames {
		body, ok := strings.CutPrefix(text, "<"+name+">")
		if !ok {
			continue
		}
		end := "</" + name + ">"
		if strings.Count(body, end) != 1 {
			return "", false
		}
		_, rest, _ = strings.Cut(body, end)
		return rest, true
	}
	return "", false
}
