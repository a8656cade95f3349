package claudecode

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// receipt reads the result of a call that starts an agent. structured is
// toolUseResult (nil when the line has none), text the decoded result, denial
// the line's toolDenialKind. Whether the agent ran at once or still runs is
// told by the result alone: the client decides by itself what goes into the
// background (formats page, section 5).
func receipt(structured []byte, text string, failed bool, denial string) session.Event {
	ev := session.Event{Kind: session.Unclear, Runtime: -1, Tokens: -1}
	d := parsed(structured)
	status := d.Get("status").String()
	switch {
	case refused(d, text, denial):
		ev.Error = "refused or interrupted by the user"
	case failed || d.Type == gjson.String && strings.HasPrefix(d.Str, "Error: "):
		failure(&ev, text)
	case status == statusLaunched || d.Get("isAsync").Bool():
		accepted(&ev, d.Get("agentId").String())
	case status == "completed" || status == "" && d.Get("totalDurationMs").Exists():
		finished(&ev, d, text)
	case status != "":
		ev.Error = "its launch is of a kind that is not understood: " + session.ErrorText(status)
	case strings.HasPrefix(text, asyncHead):
		accepted(&ev, agentIn(text))
	case strings.Contains(text, handBack) || agentIn(text) != "":
		finished(&ev, d, text)
	default:
		ev.Error = "its result is of a form that is not understood"
	}
	return ev
}

const (
	statusLaunched = "async_launched"

	asyncHead = "Async agent launched successfully."
	handBack  = "[Subagent hand-back]"
)

func accepted(ev *session.Event, agent string) {
	if agent == "" {
		ev.Error = "it was launched without an agent id"
		return
	}
	ev.Kind, ev.Child = session.Accepted, agent
}

// refused reports that a person said no, or pressed the key that interrupts:
// whether the agent had done something by then is not known.
func refused(d gjson.Result, text, denial string) bool {
	return d.Type == gjson.String && d.Str == "User rejected tool use" || denial == "user-rejected" ||
		slices.ContainsFunc(refusals, func(head string) bool { return strings.HasPrefix(text, head) })
}

// refusals are how a result begins that says that the person refused the call,
// or interrupted it.
var refusals = []string{"The user doesn't want to ", "[Request interrupted by user"}

// failure reads an error. An agent that died had started; every other error
// says that none did: an unknown type, bad arguments, no worktree, a rule that
// forbids the call.
func failure(ev *session.Event, text string) {
	ev.Kind, ev.Outcome, ev.Error = session.SpawnError, session.OutcomeFailed, session.ErrorText(untagged(text))
	if strings.HasPrefix(text, "Agent terminated early") {
		ev.Kind = session.Inline
	}
}

func untagged(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "<tool_use_error>")
	return strings.TrimSuffix(text, "</tool_use_error>")
}

// finished reads the result of an agent that ran at once.
func finished(ev *session.Event, d gjson.Result, text string) {
	ev.Kind, ev.Outcome = session.Inline, session.OutcomeOK
	if ev.Child = d.Get("agentId").String(); ev.Child == "" {
		ev.Child = agentIn(text)
	}
	if v := d.Get("totalTokens"); v.Type == gjson.Number && v.Int() >= 0 {
		ev.Tokens = v.Int()
	}
	if v := d.Get("totalDurationMs"); v.Type == gjson.Number && v.Int() >= 0 {
		ev.Runtime = v.Int()
	}
	if v := d.Get("status"); !v.Exists() && ev.Tokens < 0 {
		ev.Tokens, ev.Runtime = usageOf(text)
	}
	ev.Suspect = suspicion(reportOf(d, text), ev.Tokens, ev.Runtime)
}

// reportOf is what an agent that ran at once said: the structured copy where
// there is one, since it has no frame, else the text without the frames that
// are known.
func reportOf(d gjson.Result, text string) string {
	var parts []string
	for _, b := range d.Get("content").Array() {
		if t := b.Get("text"); t.Type == gjson.String && !strings.HasPrefix(t.Str, "<tools-used-before-summary>") {
			parts = append(parts, t.Str)
		}
	}
	if len(parts) > 0 {
		return strings.ToValidUTF8(strings.TrimSpace(strings.Join(parts, "\n")), "\uFFFD")
	}
	return strings.TrimSpace(unframed(text))
}

// unframed takes off what the client puts around a report: a paragraph before
// it, and the agent's id and what it cost behind it. The report itself is
// indented by two spaces in versions that put a paragraph before it.
func unframed(text string) string {
	if _, rest, ok := strings.Cut(text, handBack); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		var lines []string
		for line := range strings.Lines(rest) {
			if !strings.HasPrefix(line, "  ") && strings.TrimSpace(line) != "" {
				break
			}
			lines = append(lines, strings.TrimPrefix(line, "  "))
		}
		return strings.Join(lines, "")
	}
	if at := strings.LastIndex(text, "agentId: "); at >= 0 && (at == 0 || text[at-1] == '\n') {
		text = text[:at]
	}
	return text
}

// agentIn finds the agent's id in the words of a result: on a line that begins
// with its label and holds at most a note in brackets besides, the last one.
func agentIn(text string) string {
	id := ""
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "agentId: ")
		if !ok {
			continue
		}
		word, note, _ := strings.Cut(strings.TrimRight(rest, "\r\n"), " ")
		if word != "" && strings.Trim(word, idLetters) == "" && (note == "" || note[0] == '(') {
			id = word
		}
	}
	return id
}

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-@"

// parsed is a value as JSON, or nothing where it is none. Its strings are parts
// of b.
func parsed(b []byte) gjson.Result {
	if !gjson.ValidBytes(b) {
		return gjson.Result{}
	}
	return gjson.Parse(session.View(b))
}

// tagged is the value of the first tag of a name, "" where there is none.
func tagged(text, name string) string {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	if !ok {
		return ""
	}
	v, _, ok := strings.Cut(rest, "</"+name+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(v)
}
