// Package claudecode reads and plans rewrites of the session logs of Claude
// Code (versions 1.0 to 2.1.3xx): JSON lines that form a tree by uuid and
// parentUuid, in which one model message takes several lines.
//
// It knows what a line means, which lines the client sends when the session is
// resumed, how a sub-task begins and ends in them, and which bytes of a line
// the client lets one change. What the client does was measured with version
// 2.1.328 in print mode (formats page claude-code, sections 4 and 6). It does
// not decide what is masked, writes no file, and never touches the log of a
// sub-agent.
package claudecode

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// envelope is the key of our marker on a line. The client keeps unknown keys
// of a line and sends none of them (formats page, section 6).
const envelope = "sessc"

// Format is the log of Claude Code.
type Format struct {
	// child is set to read the log of a sub-agent, whose lines all stand
	// aside in the eyes of the main conversation.
	child bool
}

// Name implements [session.Format].
func (Format) Name() string { return "claude-code" }

// Caps implements [session.Format]. The entries of a task are never replaced by
// others: ids of calls and lines are what notifications, messages to agents and
// sidecar files refer to.
func (Format) Caps() session.Caps {
	return session.Caps{Replace: true, InPlace: true, Texts: true, Disk: true}
}

// Reader implements [session.Format].
func (f Format) Reader(set session.Settings) session.Reader { return newReader(set, f.child) }

// Recognise implements [session.Format]. There is no header: the lines
// themselves tell. A conversation line has a uuid, names a parent, and holds a
// message with a content; the lines of Qwen Code look alike but hold parts.
func (f Format) Recognise(head []byte, name string) session.Recognition {
	var seen evidence
	head = jsonwalk.TrimBOM(head)
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		seen.add(line)
		head = rest
	}
	switch {
	case seen.foreign > 0 || seen.lines+seen.records == 0:
		return session.Recognition{}
	case seen.lines == 0:
		return session.Recognition{Confidence: session.Maybe}
	}
	v := session.Recognition{Confidence: session.Sure}
	if f.child {
		return v
	}
	switch why := f.SkipName(name); {
	case why != "" && f.LogName(name):
		v.Refuse = errors.New("its name says that it is " + why)
	case seen.children == seen.lines:
		v.Refuse = errors.New("all its lines are those of a sub-agent; its log is never changed, name the session that started it")
	}
	return v
}

// evidence counts what the first lines of a file say about who wrote them.
type evidence struct {
	lines    int // of a conversation
	children int // of them, those of a sub-agent
	records  int // that stand beside one
	foreign  int // that another program writes
}

// add looks at the keys of one line. The last line of the head may be cut:
// what stands before the cut counts.
func (v *evidence) add(line []byte) {
	var c jsonwalk.Cursor
	c.Reset(line)
	if c.Kind() != jsonwalk.Object || !c.Enter() {
		return
	}
	var typ string
	var place, aside, agent, content, parts, payload, session bool
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			t, _ := c.Text()
			typ = string(t)
		case "uuid", "parentUuid":
			place = true
		case "isSidechain":
			place = true
			aside, _ = c.Bool()
		case "agentId":
			agent = c.Kind() == jsonwalk.String
		case "sessionId":
			session = c.Kind() == jsonwalk.String
		case "systemPayload":
			payload = true
		case "message":
			for key := range c.Members {
				content = content || string(key) == "content"
				parts = parts || string(key) == "parts"
			}
		}
	}
	switch {
	case parts || payload:
		v.foreign++
	case typ == "user" || typ == "assistant" || typ == "" && c.Err() != nil:
		if place && content {
			v.lines++
			if aside && agent {
				v.children++
			}
		}
	case records[typ] && (session || typ == "summary" || typ == "file-history-snapshot"):
		v.records++
	}
}

// LogName implements [session.Format].
func (Format) LogName(name string) bool { return strings.HasSuffix(name, ".jsonl") }

// SkipName implements [session.Format] (formats page, section 1).
func (Format) SkipName(name string) string {
	switch {
	case strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl"):
		return "the log of a sub-agent, which is never changed"
	case name == "history.jsonl":
		return "the history of prompts and no conversation"
	case name == "journal.jsonl":
		return "the journal of a workflow and no conversation"
	}
	return ""
}

// DefaultDirs implements [session.Format]: a folder for each working
// directory.
func (Format) DefaultDirs(getenv func(string) string) []string {
	root := configDir(getenv)
	if root == "" {
		return nil
	}
	return []string{filepath.Join(root, "projects", "*")}
}

// configDir is where the client keeps all that is its own, "" if unknown.
func configDir(getenv func(string) string) string {
	if root := getenv("CLAUDE_CONFIG_DIR"); root != "" {
		return root
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".claude")
	}
	return ""
}

// LockFile implements [session.Format]: the client has no lock.
func (Format) LockFile(*session.Session) (string, []byte) { return "", nil }

// Repoint implements [session.Format]. No line names a mask as one of several:
// a masked line keeps its uuid and stands for itself alone.
func (Format) Repoint(raw []byte, _ map[string]string) ([]byte, string) { return raw, "" }

// Warn implements [session.Format]. The client looks a session up by its id in
// the folders of all projects, so a copy there is a second candidate (measured
// with 2.1.328).
func (Format) Warn(s *session.Session) (notes []string, block string) {
	dir := filepath.Dir(s.Path)
	projects := filepath.Dir(dir)
	if filepath.Base(projects) != "projects" {
		return nil, ""
	}
	copies, err := filepath.Glob(filepath.Join(globQuote(projects), "*", globQuote(filepath.Base(s.Path))))
	own, statErr := os.Stat(s.Path)
	if err != nil || statErr != nil {
		return nil, ""
	}
	for _, path := range copies {
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() && !os.SameFile(fi, own) {
			notes = append(notes, "another log of this session lies in "+filepath.Dir(path)+"; the client may resume that one")
		}
	}
	return notes, ""
}

// globQuote makes a path match itself alone.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
