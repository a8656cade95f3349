package openclaw

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// receipt reads the result of a call that delegates work. details is the raw
// JSON of message.details (nil when absent), text the decoded text of the
// entry, isError the program's flag, extra whether the tool is one that the
// user named. The strings of the event are parts of details or text.
//
// OpenClaw flags neither a refusal nor a failed start as an error: the status
// in details decides, or, where details are absent, in the text read as JSON
// (formats page, section 6; 2026.1 to 2026.9).
func receipt(tool string, details, text []byte, isError bool, extra bool) session.Event {
	ev := session.Event{Runtime: -1, Tokens: -1}
	d := fieldsOf(details, text)
	v := receiptOf(d)
	if v.missing || v.status == "aborted" || noResult(d, text) {
		ev.Kind = session.Unclear
		return ev
	}
	if extra {
		ev.Kind, ev.Outcome = session.Inline, session.OutcomeOK
		ev.Report = trimmed(text)
		if isError {
			ev.Outcome, ev.Error = session.OutcomeFailed, session.ErrorText(session.View(text))
		}
		return ev
	}
	ev.Child = known(v.child)
	if tool == toolSend {
		ev.Child = known(v.session)
	}
	ev.Run = v.run
	ev.Error = session.ErrorText(v.err)
	switch s := v.status; {
	case s == "accepted":
		ev.Kind, ev.Error = session.Accepted, ""
	case tool == toolSend && s == "error":
		// The session was there: what failed is the work.
		ev.Kind, ev.Outcome = session.Inline, session.OutcomeFailed
	case s == "error" || s == "forbidden":
		ev.Kind, ev.Outcome = session.SpawnError, session.OutcomeFailed
		if ev.Error == "" {
			ev.Error = s
		}
	case tool == toolSend && s == "ok":
		ev.Kind, ev.Outcome, ev.Error = session.Inline, session.OutcomeOK, ""
		ev.Report = replyRange(text)
	case tool == toolSend && s == "timeout":
		ev.Kind, ev.Outcome = session.Inline, session.OutcomeTimedOut
	case s == "" && isError:
		// A validation error or the words of an exception: nothing was started.
		ev.Kind, ev.Outcome = session.SpawnError, session.OutcomeFailed
		if ev.Error == "" {
			ev.Error = session.ErrorText(session.View(text))
		}
	default:
		ev.Kind = session.Unclear
	}
	return ev
}

// receiptFields is what the object of a result says, read in one pass.
type receiptFields struct {
	child, session, run, err, status string
	missing                          bool // the result never came, says the repair pass
}

func receiptOf(o gjson.Result) receiptFields {
	var v [6]gjson.Result
	valuesOf(o, v[:], "childSessionKey", "sessionKey", "runId", "error", "status", "openclawSyntheticMissingToolResult")
	return receiptFields{v[0].String(), v[1].String(), v[2].String(), v[3].String(), v[4].String(), v[5].Bool()}
}

// noResult reports that a text only stands in for a result that never came: the
// note of the repair pass, or that of an aborted call.
func noResult(d gjson.Result, text []byte) bool {
	s := bytes.TrimSpace(text)
	if len(s) > longestNote {
		return bytes.HasPrefix(s, []byte(missingNote))
	}
	switch strings.ToLower(strings.TrimSuffix(string(s), ".")) {
	case "", "aborted", "operation aborted", "request was aborted", "tool call aborted", "no result provided":
		return !d.Exists()
	default:
		return bytes.HasPrefix(s, []byte(missingNote))
	}
}

// missingNote is what the repair pass writes; longestNote is longer than the
// notes of aborted calls.
const (
	missingNote = "[openclaw] missing tool result in session history"
	longestNote = 40
)

// fieldsOf returns the object that a result describes itself with.
func fieldsOf(details, text []byte) gjson.Result {
	for _, b := range [][]byte{details, text} {
		if gjson.ValidBytes(b) {
			if r := gjson.Parse(session.View(b)); r.IsObject() && r.Raw != "{}" {
				return r
			}
		}
	}
	return gjson.Result{}
}

// replyRange is where the reply of a session stands in a result's JSON text,
// without its quotation marks.
func replyRange(text []byte) session.Range {
	if !gjson.ValidBytes(text) {
		return session.Range{}
	}
	r := gjson.Get(session.View(text), "reply")
	if r.Type != gjson.String || r.Index <= 0 || len(r.Raw) < 2 {
		return session.Range{}
	}
	return session.Range{Off: int64(r.Index) + 1, Len: int64(len(r.Raw)) - 2}
}

func trimmed(text []byte) session.Range {
	s := session.View(text)
	off := len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	return session.Range{Off: int64(off), Len: int64(len(strings.TrimSpace(s)))}
}

// unquote decodes a JSON string.
func unquote(s string) (v string, ok bool) {
	return v, json.Unmarshal([]byte(s), &v) == nil
}

// spawnArgs reads what a delegation call asks for from its raw arguments. The
// names differ between sessions_spawn, sessions_send and the tools of
// extensions. The task is cut to 400 bytes.
func spawnArgs(args []byte) (label, task string) {
	a := fieldsOf(args, nil)
	if !a.Exists() && gjson.ValidBytes(args) {
		// Some providers hand the arguments over as one string.
		a = fieldsOf([]byte(gjson.Parse(session.View(args)).String()), nil)
	}
	var v [len(argNames)]gjson.Result
	valuesOf(a, v[:], argNames[:]...)
	return session.TaskText(firstText(v[:argTask])), session.TaskText(firstText(v[argTask:]))
}

// argNames are the names under which calls say how a sub-task is called, from
// argTask on what it is to do.
var argNames = [...]string{
	"label", "taskName", "name", "title",
	"task", "prompt", "message", "instructions", "description", "goal", "input", "query",
}

const argTask = 4

// valuesOf sets what an object has under each of the names. Of a key that is
// repeated the first one counts.
func valuesOf(o gjson.Result, values []gjson.Result, names ...string) {
	o.ForEach(func(key, v gjson.Result) bool {
		if n := slices.Index(names, key.Str); n >= 0 && !values[n].Exists() {
			values[n] = v
		}
		return true
	})
}

// firstText returns the first of the values that is a text and not blank.
func firstText(values []gjson.Result) string {
	for _, v := range values {
		if v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
			return v.Str
		}
	}
	return ""
}
