package claudecode

import (
	"testing"

	"sessc/session"
)

// TestUserKind checks whose words a user-role line holds.
func TestUserKind(t *testing.T) {
	const notice = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>x</result>\n</task-notification>"
	rows := []struct {
		name    string
		content any
		extra   more
		want    session.Kind
	}{
		{"typed", "fix the build", nil, session.Human},
		{"typed blocks", []more{{"type": "text", "text": "fix the build"}}, nil, session.Human},
		{"a picture", []more{{"type": "image", "source": more{"type": "base64", "media_type": "image/png", "data": "AAAA"}}}, nil, session.Human},
		{"a typed slash command", "<command-name>/review</command-name>\n<command-message>review</command-message>\n<command-args>the parser, please</command-args>", nil, session.Human},
		{"a slash command of old versions", "<command-message>orchestrator is running</command-message>\n<command-name>/orchestrator</command-name>", nil, session.Human},
		{"a typed shell command", "<bash-input>git status</bash-input>", nil, session.Human},
		{"output of a shell command", "<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>", nil, session.HostEvent},
		{"output of a local command", "<local-command-stdout>Set model</local-command-stdout>", nil, session.HostEvent},
		{"words behind the output", "<local-command-stdout>Set model</local-command-stdout> and now?", nil, session.Human},
		{"words between two ends", "<bash-stdout>x</bash-stdout> mine </bash-stdout>", nil, session.Human},
		{"a caveat", "<local-command-caveat>Caveat</local-command-caveat>", more{"isMeta": true}, session.HostEvent},
		{"injected text", "Base directory for this skill", more{"isMeta": true}, session.HostEvent},
		{"a reminder", "<system-reminder>\nbe brief\n</system-reminder>", nil, session.HostEvent},
		{"a quoted reminder", "why does it say <system-reminder>x</system-reminder>", nil, session.Human},
		{"interrupted", "[Request interrupted by user]", nil, session.HostEvent},
		{"interrupted, blocks", []more{{"type": "text", "text": "[Request interrupted by user for tool use]"}}, nil, session.HostEvent},
		{"words behind an interruption", "[Request interrupted by user] why?", nil, session.Human},
		{"a notification", notice, more{"origin": more{"kind": "task-notification"}, "promptSource": "system"}, session.HostEvent},
		{"a notification of old versions", notice, nil, session.HostEvent},
		{"with the old tail", notice + "\nFull transcript available at: /tmp/x y/a.output", nil, session.HostEvent},
		{"with words behind it", notice + "\nwhat is this?", nil, session.Human},
		{"with words before it", "what is this? " + notice, nil, session.Human},
		{"pasted by a person", notice, more{"origin": more{"kind": "human"}}, session.Human},
		{"from a chat channel", "<channel>hello</channel>", more{"origin": more{"kind": "channel", "server": "x"}, "isMeta": true}, session.Human},
		{"from the program's own queue", "go on", more{"origin": more{"kind": "auto-continuation"}}, session.HostEvent},
		{"a summary", "This session is being continued", more{"isCompactSummary": true}, session.Summary},
		{"a tool result", []more{{"type": "tool_result", "tool_use_id": "t1", "content": "x"}}, nil, session.Result},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := (&script{}).user("u1", "", r.content, r.extra).index(t)
			if got := s.Entries[0].Kind; got != r.want {
				t.Errorf("%s, want %s", got, r.want)
			}
		})
	}
}

// TestAttachmentKind checks what attachments are, and that what is sent for
// them is what counts.
func TestAttachmentKind(t *testing.T) {
	said := []more{{"content": "<system-reminder>\nword word word\n</system-reminder>"}}
	rows := []struct {
		name string
		att  more
		line more
		want session.Kind
		sent bool
	}{
		{"context", more{"type": "date", "date": "x"}, more{"rendered": said}, session.HostEvent, true},
		{"context that is not sent", more{"type": "session_context"}, nil, session.Meta, false},
		{"sent in a human turn only", more{"type": "date"}, more{"renderedInHumanTurn": said}, session.HostEvent, true},
		{"a queued prompt", more{"type": "queued_command", "prompt": "also this", "commandMode": "prompt"}, more{"rendered": said}, session.Human, true},
		{"a queued prompt that is rendered again", more{"type": "queued_command", "prompt": "also this", "commandMode": "prompt"}, nil, session.Human, true},
		{"a queued prompt with a picture", more{"type": "queued_command", "prompt": []more{{"type": "text", "text": "this"}, {"type": "image", "source": more{"data": "AAAA"}}}}, nil, session.Human, true},
		{"a queued shell command", more{"type": "queued_command", "prompt": "ls", "commandMode": "bash"}, nil, session.Human, true},
		{"a queued notification", more{"type": "queued_command", "prompt": "<task-notification>", "commandMode": "task-notification"}, more{"rendered": said}, session.HostEvent, true},
		{"a queued notification by its origin", more{"type": "queued_command", "prompt": "x", "origin": more{"kind": "task-notification"}}, nil, session.HostEvent, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			o := envelopeOf("attachment", "x1", "")
			o["attachment"] = r.att
			s := (&script{}).rec(o, []more{r.line}).index(t)
			e := &s.Entries[0]
			if e.Kind != r.want || (e.Tokens() > 0) != r.sent {
				t.Errorf("%s of %d tokens, want %s", e.Kind, e.Tokens(), r.want)
			}
			c, err := s.Content(0)
			if err != nil || (len(c.Text()) > 0) != r.sent {
				t.Errorf("content %q, %v", c.Text(), err)
			}
		})
	}
}
