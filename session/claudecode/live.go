package claudecode

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// Live implements [session.Format]: a running client writes, for itself, a
// file sessions/<pid>.json that names its session (2.1.328). One that was
// killed leaves its file behind, so the process has to live. Older clients
// write none; of them a command line may tell.
func (f Format) Live(s *session.Session, running *session.Processes) string {
	for _, dir := range configDirs(s.Path, os.Getenv) {
		if why := registered(filepath.Join(dir, "sessions"), s.ID); why != "" {
			return why
		}
	}
	return started(running, s.ID)
}

// configDirs are where the clients that may write a log keep their state: the
// folder above the log's projects folder, and the usual one, since folders may
// be links.
func configDirs(path string, getenv func(string) string) []string {
	var dirs []string
	if abs, err := filepath.Abs(path); err == nil {
		projects := filepath.Dir(filepath.Dir(abs))
		if filepath.Base(projects) == "projects" {
			dirs = append(dirs, filepath.Dir(projects))
		}
	}
	if dir := configDir(getenv); dir != "" && (len(dirs) == 0 || dirs[0] != dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// registered looks for a living client that names a session. Only the .json
// files are read: those with other endings beside them hold keys.
func registered(dir, id string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.Contains(name, ".key") || !e.Type().IsRegular() {
			continue
		}
		if fi, err := e.Info(); err != nil || fi.Size() > maxSidecar {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		pid := gjson.GetBytes(b, "pid").Int()
		if gjson.GetBytes(b, "sessionId").String() == id && pid > 0 && pid <= math.MaxInt32 && session.Alive(int(pid)) {
			return fmt.Sprintf("Claude Code (process %d) has this session open", pid)
		}
	}
	return ""
}

// started looks for a client whose command line names a session. Only Linux
// shows it.
func started(running *session.Processes, id string) string {
	if !isUUID(id) {
		return ""
	}
	for _, p := range running.List() {
		if namesSession(p.Args, id) {
			return "Claude Code (process " + p.ID + ") was started with this session"
		}
	}
	return ""
}

// namesSession reports whether a command line is that of a client of a session.
func namesSession(args []string, id string) bool {
	return isClient(args) && strings.Contains(strings.Join(args[1:], "\x00"), id)
}

// isClient recognises the client's command line: its own program, or a script
// of its package.
func isClient(args []string) bool {
	switch filepath.Base(args[0]) {
	case "claude":
		return true
	case "node", "bun":
	default:
		return false
	}
	for _, a := range args[1:] {
		if !strings.HasPrefix(a, "-") {
			return filepath.Base(a) == "claude" || strings.Contains(a, "claude-code")
		}
	}
	return false
}
