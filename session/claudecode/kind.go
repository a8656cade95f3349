package claudecode

import "sessc/session"

// kind sets what an entry is to the client. It returns its place in the tree,
// and the decoded text of a user's line.
func (r *reader) kind(e *session.Entry) (typ lineType, text string) {
	f := &r.f
	if f.aside && !r.child {
		e.Kind = session.Meta
		e.Flags |= session.Side
		return beside, ""
	}
	switch string(f.typ) {
	case "user":
		typ = user
		e.Kind, text = r.userKind()
		if e.Kind == session.Result && f.msg.failed() {
			e.Flags |= session.Failed
		}
	case "assistant":
		typ = assistant
		e.Kind = r.assistantKind(e)
	case "attachment":
		typ = attached
		e.Kind = f.att.kind(f.att.sent())
		if e.Kind == session.HostEvent && string(f.att.typ) != queued {
			e.Flags |= session.Quiet // it goes with the prompt or the result that it hangs on
		}
	case "system":
		typ, e.Kind = passing, session.Meta
		if string(f.subtype) == "compact_boundary" {
			e.Kind = session.Boundary
		}
	case "progress":
		typ, e.Kind = fleeting, session.Meta
		e.Flags |= session.Ballast // accepted without by 2.1.328: identical request (formats page, section 6)
	default:
		e.Kind = session.Opaque
		if records[string(f.typ)] {
			e.Kind = session.Meta
		}
	}
	if len(f.id) == 0 && typ != beside {
		// The client keeps lines by their uuid; without one they are not loaded.
		e.Kind = session.Meta
		return beside, ""
	}
	return typ, text
}

// failed reports whether any result of the line is flagged as an error.
func (m *message) failed() bool {
	for _, r := range m.results {
		if r.failed {
			return true
		}
	}
	return false
}

// synthetic is the model that the client names for answers of its own.
const synthetic = "<synthetic>"

// assistantKind tells turns of a model from what the client wrote in its
// place. An API error of the synthetic model is shown and not sent; one with
// the name of a real model is sent (measured with 2.1.328).
func (r *reader) assistantKind(e *session.Entry) session.Kind {
	m := &r.f.msg
	if m.signed {
		e.Flags |= session.Signed
	}
	switch {
	case r.f.apiError && string(m.model) == synthetic:
		return session.Meta
	case r.f.apiError || string(m.model) == synthetic:
		return session.Mirror
	}
	switch string(m.stop) {
	// Old versions write a line while its message is still coming, and leave
	// the reason open.
	case "", "end_turn", "tool_use", "stop_sequence", "max_tokens":
		e.Flags |= session.Ended
	}
	return session.Assistant
}

// sent is the content that the client sends for an attachment: the texts that
// it rendered when it wrote the line, or a queued prompt itself where it is to
// render again.
func (a *attachment) sent() *content {
	switch {
	case a.shown:
		return &a.rendered
	case a.shownTurn:
		return &a.inTurn
	case string(a.typ) == queued:
		return &a.prompt
	}
	return &content{}
}

// queued is the type of an attachment that holds what was put in the queue
// while the model worked: a person's prompt, or a notification.
const queued = "queued_command"

// noticeMode marks a queued command that a background task caused.
const noticeMode = "task-notification"

func (a *attachment) kind(sent *content) session.Kind {
	switch {
	case string(a.typ) == queued && !a.notice():
		return session.Human
	case len(sent.texts) > 0 || sent.pictures > 0:
		return session.HostEvent
	}
	return session.Meta
}

// notice reports whether the program put the command in the queue.
func (a *attachment) notice() bool {
	return string(a.mode) == noticeMode || hostOrigins[string(a.origin)]
}
