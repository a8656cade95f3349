package openclaw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sessc/session"
)

// o is a JSON object with its keys in order of the alphabet, which is as good
// as any: no reader may depend on the order.
type o map[string]any

// logFile collects the lines of a made-up log. Entries hang below the one that
// was added last, at a minute's distance.
type logFile struct {
	t     testing.TB
	b     bytes.Buffer
	last  string
	clock time.Time
	end   string
}

const headerLine = `{"type":"session","version":3,"id":"s1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/home/dev/app"}`

func newLog(t testing.TB) *logFile {
	l := &logFile{t: t, clock: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), end: "\n"}
	l.raw(headerLine)
	return l
}

func (l *logFile) raw(line string) { l.b.WriteString(line + l.end) }

// add writes an entry. Fields given override those that it sets itself.
func (l *logFile) add(typ, id string, more o) *logFile {
	l.t.Helper()
	l.clock = l.clock.Add(time.Minute)
	e := o{"type": typ, "id": id, "parentId": nil, "timestamp": l.clock.Format("2006-01-02T15:04:05.000Z")}
	if l.last != "" {
		e["parentId"] = l.last
	}
	for k, v := range more {
		e[k] = v
	}
	line, err := json.Marshal(e)
	if err != nil {
		l.t.Fatal(err)
	}
	l.raw(string(line))
	l.last = id
	return l
}

// at makes the next entry hang below an earlier one.
func (l *logFile) at(id string) *logFile {
	l.last = id
	return l
}

func (l *logFile) message(id string, m o) *logFile {
	l.t.Helper()
	if _, ok := m["timestamp"]; !ok {
		m["timestamp"] = l.clock.Add(time.Minute).UnixMilli()
	}
	return l.add("message", id, o{"message": m})
}

func (l *logFile) user(id, text string) *logFile {
	return l.message(id, o{"role": "user", "content": []o{{"type": "text", "text": text}}})
}

// agent writes an assistant message; a context size of 0 gives it no usage.
func (l *logFile) agent(id, text string, size int, calls ...o) *logFile {
	content := []o{}
	if text != "" {
		content = append(content, o{"type": "text", "text": text})
	}
	stop := "stop"
	if len(calls) > 0 {
		content, stop = append(content, calls...), "toolUse"
	}
	return l.message(id, o{
		"role": "assistant", "content": content, "api": "openai-completions", "provider": "local", "model": "m1", "stopReason": stop,
		"usage": o{"input": size, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": size},
	})
}

func (l *logFile) result(id, call, tool, text string) *logFile {
	return l.message(id, o{"role": "toolResult", "toolCallId": call, "toolName": tool, "content": []o{{"type": "text", "text": text}}, "isError": false})
}

func (l *logFile) accepted(id, call string) *logFile {
	return l.message(id, o{
		"role": "toolResult", "toolCallId": call, "toolName": toolSpawn, "isError": false,
		"content": []o{{"type": "text", "text": `{"status":"accepted"}`}},
		"details": o{"status": "accepted", "childSessionKey": "agent:main:subagent:" + call, "runId": "run-" + call},
	})
}

func (l *logFile) completion(id, call, text string) *logFile {
	key := "agent:main:subagent:" + call
	return l.message(id, o{
		"role": "user", "content": []o{{"type": "text", "text": noticeC + blockC("subagent task", key, "task "+call, "completed successfully", text)}},
		"provenance": o{"kind": "inter_session", "sourceSessionKey": key, "sourceTool": "subagent_announce"},
	})
}

func callOf(id, tool string, args o) o {
	return o{"type": "toolCall", "id": id, "name": tool, "arguments": args}
}

func spawnCall(id string) o {
	return callOf(id, toolSpawn, o{"task": "Do what is needed for " + id + ".\nThen report.", "label": "task " + id, "mode": "run"})
}

func (l *logFile) bytes() []byte { return bytes.Clone(l.b.Bytes()) }

func (l *logFile) index() *session.Session { return indexed(l.t, l.bytes()) }

// indexed reads a log of this format, whatever it holds.
func indexed(t testing.TB, log []byte) *session.Session {
	t.Helper()
	s, err := session.Index(bytes.NewReader(log), int64(len(log)), "/logs/x.jsonl", Format{}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ids names entries as a reader of a test wants to see them.
func ids(s *session.Session, entries []int32) string {
	var names []string
	for _, i := range entries {
		name := s.IDOf(i)
		if name == "" {
			name = fmt.Sprintf("line%d", s.LineOf(i))
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// entryOf is the index of the only entry with an id.
func entryOf(t testing.TB, s *session.Session, id string) int32 {
	t.Helper()
	found := s.Lookup(id)
	if len(found) != 1 {
		t.Fatalf("%d entries have the id %s", len(found), id)
	}
	return found[0]
}

func entriesOf(t testing.TB, s *session.Session, names string) []int32 {
	var all []int32
	for _, id := range strings.Fields(names) {
		all = append(all, entryOf(t, s, id))
	}
	return all
}

// fixtureLogs are the logs of the repository, by their path below it.
func fixtureLogs(t testing.TB) map[string][]byte {
	t.Helper()
	logs := map[string][]byte{}
	root := filepath.Join("..", "..", "fixtures", "openclaw")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, ".jsonl") {
			return err
		}
		logs[strings.TrimPrefix(path, root+string(filepath.Separator))], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(logs) < 40 {
		t.Fatalf("only %d fixtures", len(logs))
	}
	return logs
}

// A notice with something else beside its text is no plain notice: a mask of
// the text would take the rest along.
func TestNoticeWithMoreThanText(t *testing.T) {
	key := "agent:main:subagent:c1"
	text := o{"type": "text", "text": noticeC + blockC("subagent task", key, "task c1", "completed successfully", report)}
	for name, tc := range map[string]struct {
		beside o
		want   session.Kind
	}{
		"text":    {o{"type": "text", "text": ""}, session.HostEvent},
		"picture": {o{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}, session.Human},
		"unknown": {o{"type": "audio", "data": "AAAA"}, session.Human},
	} {
		s := newLog(t).message("n", o{
			"role": "user", "content": []o{text, tc.beside},
			"provenance": o{"kind": "inter_session", "sourceSessionKey": key, "sourceTool": "subagent_announce"},
		}).index()
		if got := s.Entries[entryOf(t, s, "n")].Kind; got != tc.want {
			t.Errorf("%s: kind %v, want %v", name, got, tc.want)
		}
	}
}

// parse reads the text of a message.
func parse(text string) *parser {
	p := &parser{}
	p.parse(text)
	return p
}
