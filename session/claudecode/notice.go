package claudecode

import (
	"strconv"
	"strings"

	"sessc/session"
)

// notice is the notification that a background task has ended, or has
// something to say (formats page, section 5; 2.1.29 to 2.1.328):
//
//	<task-notification>
//	<task-id>…</task-id>
//	<tool-use-id>…</tool-use-id>      since some 2.1.3xx
//	<output-file>…</output-file>
//	<status>completed</status>
//	<summary>…</summary>
//	<result>…</result>                an agent's words
//	<usage>…</usage>
//	</task-notification>
//	Full transcript available at: …   until some 2.1.3xx
type notice struct {
	task, call, status, summary string
	result                      session.Range // inside <result>, within the text
	hasResult                   bool
	tokens, runtime             int64 // -1 unknown
	// whole is set when nothing but the notice stands in the text. When the
	// agent's words hold another notice, it cannot be told from two of them:
	// double is set then.
	whole, double bool
}

const (
	noticeOpen  = "<task-notification>"
	noticeClose = "</task-notification>"
	resultOpen  = "<result>"
	resultClose = "</result>"
)

// parseNotice reads the notice in a text: one at its beginning, or one that
// the client put into a reminder of its own. The agent's words inside may hold
// anything, also the ends of these tags: the fields before them count, and the
// last ends after them.
func parseNotice(text string) (n notice, ok bool) {
	n = notice{tokens: -1, runtime: -1}
	from := strings.Index(text, noticeOpen)
	to := strings.LastIndex(text, noticeClose)
	if from < 0 || to < from {
		return n, false
	}
	at := from + len(noticeOpen)
	for {
		at += len(text[at:to]) - len(strings.TrimLeft(text[at:to], " \t\r\n"))
		name, value, end := field(text[at:to])
		if name == "" {
			break
		}
		if name == "result" {
			close := strings.LastIndex(text[at:to], resultClose)
			begin := at + len(resultOpen)
			if close < 0 || at+close < begin {
				return n, false
			}
			n.hasResult = true
			n.result = session.Range{Off: int64(begin), Len: int64(at + close - begin)}
			at += close + len(resultClose)
			continue
		}
		n.set(name, value)
		at += end
	}
	inside := ""
	if n.hasResult {
		inside = text[n.result.Off:n.result.End()]
	}
	n.whole = strings.TrimSpace(text[:from]) == "" && at == to && noticeTail(text[to+len(noticeClose):])
	n.double = n.whole && strings.Contains(inside, noticeOpen)
	n.whole = n.whole && !n.double
	return n, n.task != ""
}

// field reads one tag and its value from the beginning of a text. Of a result
// only the name is read. The value ends at the first end of its tag.
func field(text string) (name, value string, end int) {
	if !strings.HasPrefix(text, "<") {
		return "", "", 0
	}
	n := strings.IndexByte(text, '>')
	if n < 2 || strings.Trim(text[1:n], "abcdefghijklmnopqrstuvwxyz_-") != "" {
		return "", "", 0
	}
	name = text[1:n]
	if name == "result" {
		return name, "", 0
	}
	close := "</" + name + ">"
	stop := strings.Index(text[n+1:], close)
	if stop < 0 {
		return "", "", 0
	}
	return name, text[n+1 : n+1+stop], n + 1 + stop + len(close)
}

// set takes in one field; the first of a name counts.
func (n *notice) set(name, value string) {
	first := func(to *string) {
		if *to == "" {
			*to = strings.TrimSpace(value)
		}
	}
	switch name {
	case "task-id":
		first(&n.task)
	case "tool-use-id":
		first(&n.call)
	case "status":
		first(&n.status)
	case "summary":
		first(&n.summary)
	case "usage":
		n.tokens, n.runtime = usageOf(value)
	}
}

// noticeTail reports whether what follows a notice is at most the line with
// which versions until some 2.1.3xx end it: where the output lies.
func noticeTail(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return true
	}
	words, path, ok := strings.Cut(text, ": ")
	if !ok || strings.ContainsAny(text, "\n\r") || strings.ContainsAny(path, " ") && !strings.HasSuffix(path, ".output") {
		return false
	}
	return strings.HasPrefix(words, "Full transcript available at") || strings.HasPrefix(words, "Read the output file to ")
}

// usageOf reads what a run cost, from tags (2.1.3xx) or from lines of the form
// "name: figure" (until some 2.1.3xx). A figure that is missing is -1.
func usageOf(text string) (tokens, runtime int64) {
	tokens, runtime = -1, -1
	for _, name := range []string{"subagent_tokens", "total_tokens"} {
		if v := figureOf(text, name); v >= 0 && tokens < 0 {
			tokens = v
		}
	}
	return tokens, figureOf(text, "duration_ms")
}

func figureOf(text, name string) int64 {
	rest := ""
	if _, after, ok := strings.Cut(text, "<"+name+">"); ok {
		rest = after
	} else if _, after, ok := strings.Cut(text, name+":"); ok {
		rest = strings.TrimLeft(after, " ")
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return -1
	}
	return v
}

// outcome maps the status of a notice or of a pull. It is unknown for one that
// says that the task still runs.
func outcome(status string) session.Outcome {
	switch status {
	case "completed":
		return session.OutcomeOK
	case "failed", "error":
		return session.OutcomeFailed
	case "killed", "stopped", "cancelled", "canceled":
		return session.OutcomeKilled
	case "timeout", "timed_out":
		return session.OutcomeTimedOut
	}
	return session.OutcomeUnknown
}
