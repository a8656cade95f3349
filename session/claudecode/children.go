package claudecode

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// Related implements [session.Format]: the log of a sub-agent, in the folder
// of its session, or beside it in versions until about 2.0.x, or inside it in
// those before. It is only read.
func (f Format) Related(s *session.Session, of session.Event) []session.Child {
	p := s.Private.(*private)
	agent := of.Child
	if agent == "" {
		agent = of.Session
	}
	call := of.Call
	if of.Kind == session.Completion {
		call = of.Run
	}
	folder := filepath.Join(strings.TrimSuffix(s.Path, ".jsonl"), "subagents")
	if agent == "" && call != "" {
		agent = agentByCall(folder, call)
	}
	w := windowOf(s, of, agent)
	if session.PlainName(agent) {
		for _, dir := range []string{folder, filepath.Dir(s.Path)} {
			path := filepath.Join(dir, "agent-"+agent+".jsonl")
			if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
				return []session.Child{{Path: path, Actions: func() ([]session.Action, error) { return actionsOf(path, w) }}}
			}
		}
	}
	if lines := p.inside(s, call); len(lines) > 0 {
		return []session.Child{{Path: s.Path, Actions: func() ([]session.Action, error) { return actionsInside(s, lines) }}}
	}
	return nil
}

// maxSidecar bounds how much of a sidecar file is read; real ones hold a few
// hundred bytes.
const maxSidecar = 64 << 10

// agentByCall finds the agent that a call started, by the sidecar files beside
// the agents' logs.
func agentByCall(folder, call string) string {
	files, err := filepath.Glob(filepath.Join(globQuote(folder), "agent-*.meta.json"))
	if err != nil {
		return ""
	}
	for _, path := range files {
		if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxSidecar {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil || !gjson.ValidBytes(b) || gjson.GetBytes(b, "toolUseId").String() != call {
			continue
		}
		return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "agent-"), ".meta.json")
	}
	return ""
}

// window is the time of one run of an agent, in unix ms; 0 is open.
type window struct{ after, until int64 }

// windowOf finds when a run took place: an agent that runs again goes on in
// the same log.
func windowOf(s *session.Session, of session.Event, agent string) (w window) {
	if of.Kind != session.Completion && of.Kind != session.Inline && of.Kind != session.Killed {
		return w
	}
	w.until = s.Entries[of.Entry].Time
	for n := range s.Events {
		ev := &s.Events[n]
		ends := ev.Kind == session.Completion && ev.Session == agent || ev.Kind == session.Inline && ev.Child == agent || ev.Kind == session.Killed && ev.Child == agent
		if ends && agent != "" && ev.Entry < of.Entry && (ev.Run == "" || ev.Run != of.Run) {
			w.after = max(w.after, s.Entries[ev.Entry].Time)
		}
	}
	return w
}

func (w window) holds(at int64) bool {
	return at == 0 || at > w.after && (w.until == 0 || at <= w.until)
}

// actionsOf reads what an agent did in one run.
func actionsOf(path string, w window) ([]session.Action, error) {
	c, err := session.Open(path, []session.Format{Format{child: true}}, session.Settings{})
	if err != nil {
		return nil, fmt.Errorf("%s: read sub-agent log: %w", path, err)
	}
	defer c.Close()
	return actionsIn(c, w)
}

func actionsIn(c *session.Session, w window) ([]session.Action, error) {
	var done []session.Action
	for n := range c.Calls {
		if !w.holds(c.Entries[c.Calls[n].Entry].Time) {
			continue
		}
		a, err := c.Action(&c.Calls[n])
		if err != nil {
			return nil, err
		}
		done = append(done, a)
	}
	return done, nil
}

// inside lists the lines of an agent that stand inside the log. No line names
// the agent: the first of them repeats the prompt, and comes behind the call.
func (p *private) inside(s *session.Session, call string) []int32 {
	if len(p.sides) == 0 || call == "" {
		return nil
	}
	for n := range s.Calls {
		c := &s.Calls[n]
		if s.Str(c.ID) != call {
			continue
		}
		raw, err := s.Raw(c.Entry)
		if err != nil {
			return nil
		}
		prompt := gjson.GetBytes(jsonwalk.TrimBOM(raw), fmt.Sprintf("message.content.%d.input.prompt", c.Block))
		return p.below(s, c.Entry, hashText(jsonwalk.Decode(prompt.Raw)))
	}
	return nil
}

func (p *private) below(s *session.Session, after int32, task uint64) []int32 {
	for _, first := range p.sides {
		if first.entry < after || first.task != task {
			continue
		}
		of := map[int32]bool{first.entry: true}
		lines := []int32{first.entry}
		for _, i := range p.members {
			if i > first.entry && of[s.Entries[i].Parent] {
				of[i] = true
				lines = append(lines, i)
			}
		}
		return lines
	}
	return nil
}

// actionsInside reads what an agent did from its lines inside a log.
func actionsInside(s *session.Session, lines []int32) ([]session.Action, error) {
	var log bytes.Buffer
	for _, i := range lines {
		raw, err := s.Raw(i)
		if err != nil {
			return nil, err
		}
		log.Write(bytes.TrimRight(jsonwalk.TrimBOM(raw), "\r\n"))
		log.WriteByte('\n')
	}
	c, err := session.Index(bytes.NewReader(log.Bytes()), int64(log.Len()), s.Path, Format{child: true}, session.Settings{})
	if err != nil {
		return nil, fmt.Errorf("%s: read the lines of a sub-agent: %w", s.Path, err)
	}
	return actionsIn(c, window{})
}
