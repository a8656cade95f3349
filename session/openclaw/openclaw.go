// Package openclaw reads and plans rewrites of session logs that pi and
// OpenClaw write as JSONL of version 3 (pi to 1.6.0; OpenClaw 2026.1 to
// 2026.7, and what later versions keep as import input and archives).
//
// It knows what a line means, which lines the programs would send, how a
// sub-task begins and ends in them, and which shapes they accept in the place
// of one. It does not decide what is masked and writes no file.
package openclaw

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// envelope is the key of our marker on a line. Both programs keep unknown
// fields of a line as they are (pi 0.73.1 and 1.6.0, OpenClaw 2026.7.35).
const envelope = "sessc"

// Format is the JSONL log of pi and OpenClaw.
type Format struct{}

// Name implements [session.Format].
func (Format) Name() string { return "openclaw" }

// piAgent is the other program that writes these logs.
const piAgent = "pi"

// Agents implements [session.Shared].
func (f Format) Agents() []string { return []string{f.Name(), piAgent} }

// Caps implements [session.Format].
func (Format) Caps() session.Caps {
	return session.Caps{Replace: true, Texts: true}
}

// Reader implements [session.Format].
func (Format) Reader(set session.Settings) session.Reader { return newReader(set) }

// Recognise implements [session.Format]. A log of pi or OpenClaw begins with a
// session header; only version 3 is written by today's programs, and loading
// an older file makes them rewrite it with fresh ids, so that sessc must not
// touch one before that.
func (f Format) Recognise(head []byte, name string) session.Recognition {
	head = jsonwalk.TrimBOM(head)
	line := firstLine(head)
	if !gjson.ValidBytes(line) {
		return session.Recognition{}
	}
	h := gjson.ParseBytes(line)
	if h.Get("type").String() != "session" || h.Get("id").Type != gjson.String || !h.Get("timestamp").Exists() {
		return session.Recognition{}
	}
	return session.Recognition{Confidence: session.Sure, Refuse: f.refuse(h, name)}
}

func (f Format) refuse(h gjson.Result, name string) error {
	if why := f.SkipName(name); why != "" && f.LogName(name) {
		return errors.New("its name says that it is " + why)
	}
	v := h.Get("version")
	switch {
	case !v.Exists() || v.Type == gjson.Number && v.Num < 3:
		return errors.New("it is of version 2 or older; open it once in pi or OpenClaw, which rewrites it as version 3")
	case v.Type != gjson.Number || v.Num > 3:
		return fmt.Errorf("it is of version %s, this sessc knows up to version 3; look for a newer sessc", v.Raw)
	}
	return nil
}

// firstLine returns the first line that is not blank.
func firstLine(head []byte) []byte {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line
		}
		head = rest
	}
	return nil
}

// LogName implements [session.Format].
func (Format) LogName(name string) bool { return strings.HasSuffix(name, ".jsonl") }

// SkipName implements [session.Format] (formats page, section 2).
func (Format) SkipName(name string) string {
	switch {
	case strings.HasSuffix(name, ".trajectory.jsonl"):
		return "a trajectory, a run trace and no conversation"
	case strings.Contains(name, ".checkpoint."):
		return "a checkpoint, a copy from before a compaction"
	case strings.Contains(name, ".jsonl.corrupt-"):
		return "a copy of a log whose header was unreadable"
	}
	return ""
}

// DefaultDirs implements [session.Format].
func (Format) DefaultDirs(getenv func(string) string) []string {
	var dirs []string
	for _, at := range []struct{ env, home, below string }{
		{"OPENCLAW_STATE_DIR", ".openclaw", "agents/*/sessions"},
		{"PI_CODING_AGENT_DIR", ".pi/agent", "sessions/*"},
	} {
		root := getenv(at.env)
		if home := getenv("HOME"); root == "" && home != "" {
			root = filepath.Join(home, at.home)
		}
		if root != "" {
			dirs = append(dirs, filepath.Join(root, at.below))
		}
	}
	return dirs
}
