package scan

import "testing"

// The task of a turn is what the person said, not what a host put before it.
func TestAsked(t *testing.T) {
	const words = "Okay, go ahead. No rush with the second one."
	for _, text := range []string{
		words,
		"System: [2026-04-06 04:55:49 UTC] Telegram[work] DM from user_85888c: " + words + "\n\n" + words,
		"System: [2026-04-06 04:55:49 UTC] Telegram[work] DM from user_85888c: " + words,
		"[Sun 2026-03-29 05:56 GMT+1] " + words,
		"Sender (untrusted metadata):\n```json\n{\"id\": \"ui\"}\n```\n\n[Mon 2026-04-06 06:07 GMT+1] " + words,
		"[Queued messages while agent was busy]\n\n---\nQueued #1\n[message_id: 8c61eb4d]\n" + words,
		"System: [2024-11-05 03:17:56 UTC] Gateway connected (status 499)\nSystem: [2024-11-05 03:17:59 UTC] Gateway up.\n\n" + words,
		"<ide_opened_file>The user opened the file a.go in the IDE.</ide_opened_file>\n" + words,
	} {
		if got := asked(text); got != words {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"[Mon 2026-04-06 05:15 UTC] <<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nOpenClaw runtime context (internal):\nThis context is runtime-generated, not user-authored. Keep internal details private.\n\n[Internal task completion event]\nsource: cron\nsession_key: agent:main\nsession_id: 1\ntype: cron job\ntask: nightly check\nstatus: ok": "task: nightly check\nstatus: ok",
		"[Sun 2026-03-29 05:56 GMT+1]":                          "[Sun 2026-03-29 05:56 GMT+1]",
		"System: [2024-11-05 03:17:56 UTC] Gateway is down":     "Gateway is down",
		"System: [2024-11-05 03:17:56 UTC] Token: half-\nof-it": "Token: half-\nof-it",
		"---":                          "---",
		"[1, 2] is a list":             "[1, 2] is a list",
		"<b>bold</b> words":            "<b>bold</b> words",
		"Note:\n```\ncode\n```":        "Note:\n```\ncode\n```",
		"System: the disk is full now": "System: the disk is full now",
	} {
		if got := asked(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
