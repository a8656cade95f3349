package openclaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// lockStale is the age from which OpenClaw itself ignores a lock file whose
// owner it cannot see (formats page, section 3).
const lockStale = 30 * time.Minute

// Live implements [session.Format]: OpenClaw's lock file, or a pi process that
// works in the folder of the session or names it. pi takes no lock of any kind.
func (Format) Live(s *session.Session, running *session.Processes) string {
	if path := lockPath(s.Path); path != "" {
		if why := lockHeld(path, time.Now()); why != "" {
			return why
		}
	}
	return piAt(s, running)
}

// lockPath is where the lock of a log lies, "" where its name would be longer
// than file systems allow: then nobody has one.
func lockPath(log string) string {
	if path := log + ".lock"; len(filepath.Base(path)) <= 255 {
		return path
	}
	return ""
}

// lockHeld says by whom a lock file is held. One that cannot be read, or that
// names no process, counts until it is stale.
func lockHeld(path string, now time.Time) string {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	name := filepath.Base(path)
	if err != nil {
		return fmt.Sprintf("%s cannot be looked at (%v)", name, err)
	}
	var b []byte
	if fi.Mode().IsRegular() { // to open a pipe would wait for its writer
		b, err = os.ReadFile(path)
	}
	if err == nil {
		if pid := gjson.GetBytes(b, "pid").Int(); pid > 0 && pid <= math.MaxInt32 {
			started := gjson.GetBytes(b, "starttime")
			if ticks, known := startOf(int(pid)); !session.Alive(int(pid)) || known && started.Type == gjson.Number && started.Int() != ticks {
				return ""
			}
			return fmt.Sprintf("%s is held by process %d", name, pid)
		}
	}
	if now.Sub(fi.ModTime()) < lockStale {
		return name + " exists and names no process"
	}
	return ""
}

// startOf is when a process started, in the kernel's ticks since boot, as
// OpenClaw writes it into its locks: another process that got the number of a
// dead one has another. known is false where the system does not show it.
func startOf(pid int) (ticks int64, known bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// The second field, in parentheses, may hold anything.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return 0, false
	}
	ticks, err = strconv.ParseInt(fields[19], 10, 64) // the 22nd of all
	return ticks, err == nil
}

// piAt looks for a pi process that has the session's working directory, or
// whose command line names the session. Only Linux shows them; elsewhere the
// quiet period has to do.
func piAt(s *session.Session, running *session.Processes) string {
	cwd := s.Cwd
	if real, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = real
	}
	for _, p := range running.List() {
		if !isPi(p.Args) {
			continue
		}
		at := p.Dir()
		if at == cwd && cwd != "" {
			return "pi (process " + p.ID + ") runs in " + cwd
		}
		for _, a := range p.Args[1:] {
			if namesSession(a, at, s) {
				return "pi (process " + p.ID + ") was started with this session"
			}
		}
	}
	return ""
}

// namesSession reports whether an argument of a process that works in dir
// names the session: its file, however it is written, or its id. Another file
// of the same name or id, such as a copy, is another session.
func namesSession(arg, dir string, s *session.Session) bool {
	if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
		arg = value
	}
	if !strings.ContainsRune(arg, filepath.Separator) && !strings.HasSuffix(arg, ".jsonl") {
		return s.ID != "" && arg == s.ID
	}
	if !filepath.IsAbs(arg) {
		arg = filepath.Join(dir, arg)
	}
	named, err := os.Stat(arg)
	if err != nil {
		return false
	}
	own, err := os.Stat(s.Path)
	return err == nil && os.SameFile(named, own)
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
	path := lockPath(s.Path)
	if path == "" || !inOpenClaw(s.Path) {
		return "", nil
	}
	lock := map[string]any{"pid": os.Getpid(), "createdAt": time.Now().UTC().Format(time.RFC3339Nano)}
	if started, known := startOf(os.Getpid()); known {
		lock["starttime"] = started
	}
	b, err := json.Marshal(lock)
	if err != nil {
		return "", nil
	}
	return path, b
}

// inOpenClaw reports whether a log lies in agents/<agent>/sessions.
func inOpenClaw(path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	dir := filepath.Dir(abs)
	return filepath.Base(dir) == "sessions" && filepath.Base(filepath.Dir(filepath.Dir(dir))) == "agents"
}

// Warn implements [session.Format]. OpenClaw of 2026.8 and later keeps its
// history in a database; a log that still lies beside it is an archive or
// waits to be imported, and changing it in place helps nobody. The plug-in
// lossless-claw follows each log by its size and an offset; it takes a log that
// shrank for a new one and imports lines twice (its issues 276, 277, 705).
func (Format) Warn(s *session.Session) (notes []string, block string) {
	if !inOpenClaw(s.Path) {
		return nil, ""
	}
	agent := filepath.Join(filepath.Dir(s.Path), "..")
	if _, err := os.Stat(filepath.Join(agent, "..", "..", "lcm.db")); err == nil {
		notes = append(notes, "lossless-claw follows this log in its own lcm.db and may import lines again after a rewrite; sessc leaves lcm.db alone")
	}
	if _, err := os.Stat(filepath.Join(agent, "agent", "openclaw-agent.sqlite")); err == nil {
		block = "this OpenClaw keeps its history in openclaw-agent.sqlite and does not read this file; write a copy with --output"
	}
	return notes, block
}
