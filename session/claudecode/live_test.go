//go:build unix

package claudecode

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLive checks which signs of a client make a session live.
func TestLive(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	state := func(pid int, id string) string {
		return fmt.Sprintf(`{"pid":%d,"sessionId":%q,"cwd":"/x","status":"busy"}`, pid, id)
	}
	other := strings.Replace(sessionID, "1", "2", 1)
	rows := []struct {
		name, file, content string
		elsewhere           bool // the log lies outside of the configuration's folder, which the environment names
		want                string
	}{
		{"no client", "", "", false, ""},
		{"open", "77.json", state(os.Getpid(), sessionID), false, fmt.Sprintf("Claude Code (process %d) has this session open", os.Getpid())},
		{"another session", "77.json", state(os.Getpid(), other), false, ""},
		{"left behind", "77.json", state(gone.ProcessState.Pid(), sessionID), false, ""},
		{"a key is not read", "77.ab.key", state(os.Getpid(), sessionID), false, ""},
		{"a key that ends like a state", "77.ab.key.json", state(os.Getpid(), sessionID), false, ""},
		{"no JSON", "77.json", "{", false, ""},
		{"no process", "77.json", state(0, sessionID), false, ""},
		{"by the environment", "77.json", state(os.Getpid(), sessionID), true, fmt.Sprintf("Claude Code (process %d) has this session open", os.Getpid())},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			config, path := t.TempDir(), filepath.Join(t.TempDir(), sessionID+".jsonl")
			t.Setenv("HOME", t.TempDir())
			t.Setenv("CLAUDE_CONFIG_DIR", "")
			if r.elsewhere {
				t.Setenv("CLAUDE_CONFIG_DIR", config)
			} else {
				path = filepath.Join(config, "projects", "-x", sessionID+".jsonl")
			}
			if r.file != "" {
				if err := os.MkdirAll(filepath.Join(config, "sessions"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(config, "sessions", r.file), []byte(r.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := indexedAs(t, (&script{}).user("u1", "", "x").bytes(), path)
			if got := (Format{}).Live(s, nil); got != r.want {
				t.Errorf("%q, want %q", got, r.want)
			}
			if path, content := (Format{}).LockFile(s); path != "" || content != nil {
				t.Errorf("a lock file %s", path)
			}
		})
	}
}

// TestStarted checks which command lines are those of a client of the session.
func TestStarted(t *testing.T) {
	rows := []struct {
		name string
		args []string
		want bool
	}{
		{"resumed", []string{"/usr/bin/claude", "--resume", sessionID}, true},
		{"resumed, a script", []string{"node", "/opt/claude-code/cli.js", "--resume=" + sessionID}, true},
		{"another session", []string{"claude", "--resume", "x"}, false},
		{"an editor", []string{"vi", sessionID + ".jsonl"}, false},
		{"a script with flags", []string{"node", "--no-warnings", "/opt/claude-code/cli.js", "-r", sessionID}, true},
		{"another script", []string{"node", "x.js", "/opt/claude-code/" + sessionID}, false},
		{"sessc itself", []string{"sessc", "compress", "/srv/claude-code/projects/-x/" + sessionID + ".jsonl"}, false},
		{"nothing", []string{""}, false},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if got := namesSession(r.args, sessionID); got != r.want {
				t.Errorf("%v", got)
			}
		})
	}
}
