package openclaw

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// lockStale is the age from which OpenClaw itself ignores a lock file whose
// owner it cannot see (formats page, section 3).
const lockStale = 30 * time.Minute

// Live implements [session.Format]: OpenClaw's lock file, or a pi process that
// works in the folder of the session. pi takes no lock of any kind.
func (Format) Live(s *session.Session) string {
	if why := lockHeld(s.Path+".lock", time.Now()); why != "" {
		return why
	}
	if s.Cwd == "" {
		return ""
	}
	return piIn(s.Cwd)
}

func lockHeld(path string, now time.Time) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	pid := gjson.GetBytes(b, "pid").Int()
	if pid > 0 {
		if alive(int(pid)) {
			return fmt.Sprintf("%s is held by process %d", filepath.Base(path), pid)
		}
		return ""
	}
	if fi, err := os.Stat(path); err == nil && now.Sub(fi.ModTime()) < lockStale {
		return filepath.Base(path) + " exists and names no process"
	}
	return ""
}

// piIn looks for a pi process with the given working directory. Only Linux
// shows one; elsewhere the quiet period has to do.
func piIn(cwd string) string {
	procs, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return ""
	}
	for _, p := range procs {
		if to, err := os.Readlink(p); err != nil || to != cwd {
			continue
		}
		b, err := os.ReadFile(filepath.Join(filepath.Dir(p), "cmdline"))
		if err == nil && isPi(strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")) {
			return "pi (process " + filepath.Base(filepath.Dir(p)) + ") runs in " + cwd
		}
	}
	return ""
}

// isPi recognises pi's command line: it renames itself to "pi", and its
// script is the package's cli.js.
func isPi(args []string) bool {
	for n, a := range args {
		if n < 2 && filepath.Base(a) == "pi" || n < 3 && strings.Contains(a, "pi-coding-agent") {
			return true
		}
	}
	return false
}

// LockFile implements [session.Format]. OpenClaw takes a lock beside each log
// of its own; pi has none, and lists every file in its folders.
func (Format) LockFile(s *session.Session) (string, []byte) {
	if !inOpenClaw(s.Path) {
		return "", nil
	}
	b, err := json.Marshal(map[string]any{"pid": os.Getpid(), "createdAt": time.Now().UTC().Format(time.RFC3339Nano)})
	if err != nil {
		return "", nil
	}
	return s.Path + ".lock", b
}

// inOpenClaw reports whether a log lies in agents/<agent>/sessions.
func inOpenClaw(path string) bool {
	dir := filepath.Dir(path)
	return filepath.Base(dir) == "sessions" && filepath.Base(filepath.Dir(filepath.Dir(dir))) == "agents"
}

// Warn implements [session.Format]. OpenClaw of 2026.8 and later keeps its
// history in a database; a log that still lies beside it is an archive or
// waits to be imported, and changing it in place helps nobody.
func (Format) Warn(s *session.Session) (notes []string, block string) {
	if !inOpenClaw(s.Path) {
		return nil, ""
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(s.Path), "..", "agent", "openclaw-agent.sqlite")); err == nil {
		return nil, "this OpenClaw keeps its history in openclaw-agent.sqlite and does not read this file; write a copy with --output"
	}
	return nil, ""
}
