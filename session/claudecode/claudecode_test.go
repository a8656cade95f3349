package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sessc/session"
	"sessc/session/openclaw"
)

func TestRecognise(t *testing.T) {
	const uuid = sessionID + ".jsonl"
	chat := string((&script{}).user("u1", "", "hello").text("a1", "u1", "m1", "hi").bytes())
	child := string((&script{}).user("u1", "", "do", more{"isSidechain": true, "agentId": "a1"}).text("a1", "u1", "m1", "did", more{"isSidechain": true, "agentId": "a1"}).bytes())
	rows := []struct {
		name, head, file string
		want             session.Confidence
		refused          string
	}{
		{"a conversation", chat, uuid, session.Sure, ""},
		{"behind records", `{"type":"summary","summary":"x","leafUuid":"u1"}` + "\n" + chat, uuid, session.Sure, ""},
		{"with a byte order mark", "\ufeff" + chat, uuid, session.Sure, ""},
		{"behind damage", "{\"type\":\"us\n\x00\x00\n" + chat, uuid, session.Sure, ""},
		{"another file name", chat, "copy.jsonl", session.Sure, ""},
		{"cut within a first line", string((&script{}).user("u1", "", strings.Repeat("x", 500)).bytes()[:400]), uuid, session.Sure, ""},
		{"a sub-agent beside its session", chat, "agent-a1.jsonl", session.Sure, "a sub-agent"},
		{"a sub-agent under any name", child, uuid, session.Sure, "a sub-agent"},
		{"a sub-agent inside", child + chat, uuid, session.Sure, ""},
		{"records alone", `{"type":"file-history-snapshot","messageId":"x"}`, uuid, session.Maybe, ""},
		{"a queue alone", `{"type":"queue-operation","operation":"enqueue","sessionId":"x"}`, uuid, session.Maybe, ""},
		{"OpenClaw or pi", `{"type":"session","version":3,"id":"x","timestamp":"y"}` + "\n" + `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}`, uuid, session.No, ""},
		{"Codex", `{"timestamp":"x","type":"session_meta","payload":{"id":"x"}}`, uuid, session.No, ""},
		{"Gemini", `{"sessionId":"x","projectHash":"y"}` + "\n" + `{"id":"1","type":"user","content":"hello"}`, uuid, session.No, ""},
		{"Qwen", `{"uuid":"u1","parentUuid":null,"sessionId":"x","timestamp":"y","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}`, uuid, session.No, ""},
		{"Qwen, a record first", `{"uuid":"u1","parentUuid":null,"sessionId":"x","type":"system","subtype":"ui_telemetry","systemPayload":{}}`, uuid, session.No, ""},
		{"history of prompts", `{"display":"x","project":"y","timestamp":1}`, "history.jsonl", session.No, ""},
		{"nothing", "", uuid, session.No, ""},
		{"no JSON", "hello\nworld\n", uuid, session.No, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := Format{}.Recognise([]byte(r.head), r.file)
			if got.Confidence != r.want {
				t.Errorf("confidence %d, want %d", got.Confidence, r.want)
			}
			if why := got.Refuse; (why != nil) != (r.refused != "") || why != nil && !strings.Contains(why.Error(), r.refused) {
				t.Errorf("refused: %v", why)
			}
			if other := (openclaw.Format{}).Recognise([]byte(r.head), r.file); got.Confidence != session.No && other.Confidence != session.No {
				t.Error("OpenClaw's format claims it too")
			}
		})
	}
}

func TestSkipName(t *testing.T) {
	for name, skipped := range map[string]bool{
		sessionID + ".jsonl": false, "copy.jsonl": false,
		"agent-a1.jsonl": true, "history.jsonl": true, "journal.jsonl": true, "toolu_1.txt": true, "agent-a1.meta.json": true,
	} {
		if got := (Format{}).SkipName(name); (got != "" || !(Format{}).LogName(name)) != skipped {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestDefaultDirs(t *testing.T) {
	rows := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"home", map[string]string{"HOME": "/home/ana"}, "/home/ana/.claude/projects/*"},
		{"configured", map[string]string{"HOME": "/home/ana", "CLAUDE_CONFIG_DIR": "/srv/cc"}, "/srv/cc/projects/*"},
		{"neither", nil, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := Format{}.DefaultDirs(func(k string) string { return r.env[k] })
			if strings.Join(got, " ") != r.want {
				t.Errorf("%q, want %q", got, r.want)
			}
		})
	}
}

// TestWarn checks that a second log of a session under the same projects is
// named, and a link to the same one is not.
func TestWarn(t *testing.T) {
	root := t.TempDir()
	log := (&script{}).user("u1", "", "hello").bytes()
	paths := map[string]string{}
	for _, p := range []string{"-a", "-b[x]"} {
		dir := filepath.Join(root, "projects", p)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		paths[p] = filepath.Join(dir, sessionID+".jsonl")
	}
	if err := os.WriteFile(paths["-a"], log, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(paths["-a"], paths["-b[x]"]); err != nil {
		t.Fatal(err)
	}
	s := indexedAs(t, log, paths["-a"])
	if notes, block := (Format{}).Warn(s); len(notes) > 0 || block != "" {
		t.Errorf("a link to the log itself: %q, %q", notes, block)
	}
	if err := os.Remove(paths["-b[x]"]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths["-b[x]"], log, 0o600); err != nil {
		t.Fatal(err)
	}
	if notes, block := (Format{}).Warn(s); len(notes) != 1 || !strings.Contains(notes[0], "-b[x]") || block != "" {
		t.Errorf("a copy in another project: %q, %q", notes, block)
	}
	if notes, _ := (Format{}).Warn(indexedAs(t, log, filepath.Join(root, "x.jsonl"))); len(notes) > 0 {
		t.Errorf("outside of any projects: %q", notes)
	}
}
