package openclaw

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sessc/session"
)

func TestRecognise(t *testing.T) {
	const rest = `"id":"s1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/home/dev/app"}`
	v3 := `{"type":"session","version":3,` + rest + "\n"
	rows := []struct {
		name, file, head string
		sure             bool
		refuse           string // part of the reason, "" for none
	}{
		{"version 3", "x.jsonl", v3, true, ""},
		{"more lines behind", "x.jsonl", v3 + `{"type":"message"` + "\n", true, ""},
		{"other order of keys", "x.jsonl", `{"timestamp":"2026-03-01T10:00:00Z","id":"s1","version":3,"type":"session"}`, true, ""},
		{"a byte order mark", "x.jsonl", "\ufeff" + v3, true, ""},
		{"CRLF", "x.jsonl", strings.Replace(v3, "\n", "\r\n", 1), true, ""},
		{"blank lines first", "x.jsonl", "\n \r\n\n" + v3, true, ""},
		{"no line end", "x.jsonl", strings.TrimSpace(v3), true, ""},
		{"a fork", "x.jsonl", `{"type":"session","version":3,"parentSession":"/logs/y.jsonl",` + rest, true, ""},
		{"version 1", "x.jsonl", `{"type":"session",` + rest, true, "version 2 or older"},
		{"version 2", "x.jsonl", `{"type":"session","version":2,` + rest, true, "version 2 or older"},
		{"version 4", "x.jsonl", `{"type":"session","version":4,` + rest, true, "of version 4"},
		{"version 3.5", "x.jsonl", `{"type":"session","version":3.5,` + rest, true, "of version 3.5"},
		{"version as text", "x.jsonl", `{"type":"session","version":"3",` + rest, true, `of version "3"`},
		{"version null", "x.jsonl", `{"type":"session","version":null,` + rest, true, "of version null"},
		{"a checkpoint", "a.checkpoint.6f0c.jsonl", v3, true, "a checkpoint"},
		{"a corrupt copy", "a.jsonl.corrupt-2026-01-01T00-00-00.000Z-1a2b3c4d.jsonl", v3, true, "header was unreadable"},
		{"a trajectory with a session header", "a.trajectory.jsonl", v3, true, "a trajectory"},
		{"an archive that is named", "a.jsonl.deleted.2026-04-01T04-14-35.711Z", v3, true, ""},

		{"a trajectory", "a.trajectory.jsonl", `{"traceSchema":"openclaw-trajectory","schemaVersion":1,"type":"session.started","sessionId":"s1"}`, false, ""},
		{"no header", "x.jsonl", `{"type":"message","id":"a","parentId":null,"timestamp":"2026-03-01T10:00:00Z","message":{}}`, false, ""},
		{"header without an id", "x.jsonl", `{"type":"session","version":3,"timestamp":"2026-03-01T10:00:00Z"}`, false, ""},
		{"header with a number as id", "x.jsonl", `{"type":"session","version":3,"id":7,"timestamp":"2026-03-01T10:00:00Z"}`, false, ""},
		{"header without a stamp", "x.jsonl", `{"type":"session","version":3,"id":"s1"}`, false, ""},
		{"Claude Code", "x.jsonl", `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/x","sessionId":"s1","version":"2.1.0","type":"user","message":{"role":"user","content":"hi"},"uuid":"u","timestamp":"2026-03-01T10:00:00.000Z"}`, false, ""},
		{"Claude Code, summary first", "x.jsonl", `{"type":"summary","summary":"x","leafUuid":"u"}`, false, ""},
		{"Codex", "rollout-x.jsonl", `{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"s1","cwd":"/x"}}`, false, ""},
		{"Codex, old", "rollout-x.jsonl", `{"id":"s1","timestamp":"2026-03-01T10:00:00.000Z","instructions":null}`, false, ""},
		{"Gemini CLI", "x.jsonl", `{"sessionId":"s1","projectHash":"h","startTime":"2026-03-01T10:00:00.000Z","lastUpdated":"x","kind":"main"}`, false, ""},
		{"PicoClaw", "x.jsonl", `{"role":"user","content":"hi"}`, false, ""},
		{"an array", "x.jsonl", `[{"type":"session"}]`, false, ""},
		{"a header that is cut", "x.jsonl", v3[:40], false, ""},
		{"a header longer than the head", "x.jsonl", `{"type":"session","version":3,"x":"` + strings.Repeat("x", 64<<10-35), false, ""},
		{"binary", "x.jsonl", "\x7fELF\x00\x01\n{", false, ""},
		{"nothing", "x.jsonl", "", false, ""},
		{"only blank lines", "x.jsonl", "\n\n  \n", false, ""},
		{"only a byte order mark", "x.jsonl", "\ufeff", false, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := Format{}.Recognise([]byte(r.head), r.file)
			if sure := got.Confidence == session.Sure; sure != r.sure || !sure && got.Confidence != session.No {
				t.Fatalf("confidence %d, want sure %v", got.Confidence, r.sure)
			}
			if (got.Refuse != nil) != (r.refuse != "") || got.Refuse != nil && !strings.Contains(got.Refuse.Error(), r.refuse) {
				t.Errorf("refused because %v, want %q", got.Refuse, r.refuse)
			}
		})
	}
}

func TestSkipName(t *testing.T) {
	rows := map[string]string{
		"0f3c.jsonl":                     "",
		"0f3c-topic-42.jsonl":            "",
		"2026-03-01T10-00-00_0f3c.jsonl": "",
		"0f3c.trajectory.jsonl":          "trajectory",
		"0f3c.checkpoint.77aa.jsonl":     "checkpoint",
		"0f3c.jsonl.corrupt-2026-04-01T04-14-35.711Z-1a2b3c4d.jsonl": "unreadable",
		"0f3c.jsonl.reset.2026-04-01T04-14-35.711Z":                  "ending",
		"0f3c.jsonl.deleted.2026-04-01T04-14-35.711Z":                "ending",
		"0f3c.jsonl.bak.1776000000":                                  "ending",
		"0f3c.jsonl.bak-17-1776000000000":                            "ending",
		"0f3c.jsonl.lock":                                            "ending",
		"sessions.json":                                              "ending",
		"":                                                           "ending",
	}
	for name, want := range rows {
		got := Format{}.SkipName(name)
		if got == "" && !(Format{}).LogName(name) {
			got = "its ending"
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s is skipped because of %q, want %q", name, got, want)
		}
	}
}

func TestDefaultDirs(t *testing.T) {
	rows := []struct {
		name string
		env  map[string]string
		want []string
	}{
		{"home", map[string]string{"HOME": "/h"}, []string{"/h/.openclaw/agents/*/sessions", "/h/.pi/agent/sessions/*"}},
		{"moved", map[string]string{"HOME": "/h", "OPENCLAW_STATE_DIR": "/o", "PI_CODING_AGENT_DIR": "/p"}, []string{"/o/agents/*/sessions", "/p/sessions/*"}},
		{"no home, one moved", map[string]string{"PI_CODING_AGENT_DIR": "/p"}, []string{"/p/sessions/*"}},
		{"nothing known", nil, nil},
	}
	for _, r := range rows {
		got := Format{}.DefaultDirs(func(k string) string { return r.env[k] })
		for n := range r.want {
			r.want[n] = filepath.FromSlash(r.want[n])
		}
		if !slices.Equal(got, r.want) {
			t.Errorf("%s: %q, want %q", r.name, got, r.want)
		}
	}
}
