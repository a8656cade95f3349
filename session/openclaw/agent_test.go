package openclaw

import (
	"os"
	"path/filepath"
	"testing"

	"sessc/session"
)

// Two programs share the format: a log is pi's where a line, or the folder that
// pi names after the header, says so.
func TestWhoseLog(t *testing.T) {
	const header = `{"type":"session","version":3,"id":"6f0c1d2e","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/home/dev/app"}` + "\n"
	const prompt = `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"hello"}}` + "\n"
	for _, tc := range []struct {
		name, folder, more, want string
	}{
		{"an agent's folder", "agents/main/sessions", "", "openclaw"},
		{"pi's folder of the directory", "--home-dev-app--", "", "pi"},
		{"pi's folder of another directory", "--home-dev-shop--", "", "openclaw"},
		{"a folder of pi's own", ".pi/agent/sessions/--home-dev-shop--", "", "pi"},
		{"a folder that is named like pi's own", "x.pi/agent/sessions/--home-dev-shop--", "", "openclaw"},
		{"a line of pi", "elsewhere", `{"type":"usage","id":"a2","parentId":"a1","timestamp":"2026-03-01T10:00:02.000Z","kind":"x"}` + "\n", "pi"},
		{"a line of both", "elsewhere", `{"type":"session_info","id":"a2","parentId":"a1","timestamp":"2026-03-01T10:00:02.000Z","name":"pi"}` + "\n", "openclaw"},
		{"a prompt that names such a line", "elsewhere", `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"user","content":"{\"type\":\"usage\"}"}}` + "\n", "openclaw"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tc.folder, "2026_6f0c1d2e.jsonl")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, header+prompt+tc.more)
			s, err := session.Open(path, []session.Format{Format{}}, session.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := s.AgentName(); got != tc.want {
				t.Errorf("the log is %s's, want %s", got, tc.want)
			}
		})
	}
}
