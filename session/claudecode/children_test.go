package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sessc/scan"
	"sessc/session"
)

// worked is the log of a sub-agent that ran twice: it wrote a.txt, and later
// b.txt.
func worked() []byte {
	aside := more{"isSidechain": true, "agentId": "g1"}
	write := func(l *script, id, parent, call, path string, at int) {
		l.call(id, parent, "m"+id, call, "Write", more{"file_path": path, "content": "x"}, aside, more{"at": at})
		l.result("r"+id, id, call, "File created successfully at: "+path, aside, more{"at": at + 1}, more{"toolUseResult": more{"type": "create", "filePath": path}})
	}
	l := (&script{}).user("k1", "", "do", aside)
	write(l, "k2", "k1", "c1", "a.txt", 3)
	l.user("k3", "rk2", "more", aside, more{"at": 60})
	write(l, "k4", "k3", "c2", "b.txt", 61)
	return l.bytes()
}

// runs is a session whose agent g1 ran twice, the second time by a message.
func runs() *script {
	return asks("Agent", scanTask).result("r1", "a1", "t1", launchText("g1"), launched("g1")).text("b1", "r1", "m2", "waiting", more{"at": 4}).
		user("n1", "b1", noticeOf("g1", "t1", "completed", "a.txt is written."), more{"origin": more{"kind": "task-notification"}, "at": 30}).
		call("a2", "n1", "m3", "t2", "SendMessage", more{"to": "g1", "message": "and b.txt"}, more{"at": 50}).
		result("r2", "a2", "t2", `{"success":true,"resumedAgentId":"g1"}`, more{"at": 51}).
		user("n2", "r2", noticeOf("g1", "t2", "completed", "b.txt is written."), more{"origin": more{"kind": "task-notification"}, "at": 90})
}

// TestRelated checks where the log of a sub-agent is found, and that each run
// gets what was done in it.
func TestRelated(t *testing.T) {
	files := func(names ...string) map[string][]byte {
		all := map[string][]byte{}
		for _, n := range names {
			all[n] = worked()
			if strings.HasSuffix(n, ".json") {
				all[n] = []byte(`{"agentType":"Explore","toolUseId":"t1"}`)
			}
		}
		return all
	}
	sync := asks("Task", scanTask).result("r1", "a1", "t1", "ok", more{"toolUseResult": more{"content": []more{{"type": "text", "text": "ok"}}, "totalDurationMs": 1}}, more{"at": 99})
	rows := []struct {
		name  string
		log   *script
		files map[string][]byte
		want  string // per lifecycle: the files that were written
	}{
		{"in the session's folder", runs(), files(sessionID + "/subagents/agent-g1.jsonl"), "a.txt; b.txt"},
		{"beside the session", runs(), files("agent-g1.jsonl"), "a.txt; b.txt"},
		{"nowhere", runs(), nil, "none; none"},
		{"of another agent", runs(), files("agent-g2.jsonl"), "none; none"},
		{"by the sidecar", sync, files(sessionID+"/subagents/agent-g7.jsonl", sessionID+"/subagents/agent-g7.meta.json"), "a.txt b.txt"},
		{"a sidecar without its log", sync, files(sessionID + "/subagents/agent-g7.meta.json"), "none"},
		{"a name that leads away", asks("Task", scanTask).result("r1", "a1", "t1", "ok", completed("../agent-g1", "ok")), files("agent-g1.jsonl"), "none"},
		{"inside the log", asks("Task", scanTask).
			user("s1", "", scanTask["prompt"], more{"isSidechain": true}).
			call("s2", "s1", "m8", "c1", "Edit", more{"file_path": "c.txt", "old_string": "a", "new_string": "b"}, more{"isSidechain": true}).
			result("s3", "s2", "c1", "The file c.txt has been updated.", more{"isSidechain": true}).
			user("z1", "", "another prompt", more{"isSidechain": true}).
			call("z2", "z1", "m7", "c2", "Edit", more{"file_path": "z.txt"}, more{"isSidechain": true}).
			result("r1", "a1", "t1", "ok", more{"toolUseResult": more{"content": []more{{"type": "text", "text": "ok"}}, "totalDurationMs": 1}}), nil, "c.txt"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range r.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := indexedAs(t, r.log.bytes(), filepath.Join(dir, sessionID+".jsonl"))
			var all []string
			for _, l := range scan.Find(s) {
				ev := s.Events[l.Final]
				ev.Child = l.Child
				all = append(all, writtenBy(t, s, ev))
			}
			if got := strings.Join(all, "; "); got != r.want {
				t.Errorf("wrote %s, want %s", got, r.want)
			}
		})
	}
}

func writtenBy(t *testing.T, s *session.Session, ev session.Event) string {
	t.Helper()
	children := Format{}.Related(s, ev)
	if len(children) == 0 {
		return "none"
	}
	var paths []string
	for _, c := range children {
		actions, err := c.Actions()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range actions {
			if !a.Done || a.Op == session.OpWrite && !a.Created {
				t.Errorf("action %+v", a)
			}
			paths = append(paths, a.Paths...)
		}
	}
	return strings.Join(paths, " ")
}

// TestChildIsRead checks that the log of a sub-agent reads as a conversation
// of its own, by the way that Related uses, and is refused otherwise.
func TestChildIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent-g1.jsonl")
	if err := os.WriteFile(path, worked(), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := session.Open(path, []session.Format{Format{child: true}}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := idsOf(c, c.Active); got != "k1 k2 rk2 k3 k4 rk4" || len(c.Events) != 0 {
		t.Errorf("active path %s, %d events", got, len(c.Events))
	}
	if _, err := session.Open(path, []session.Format{Format{}}, session.Settings{}); err == nil {
		t.Error("the log of a sub-agent was opened as a session")
	}
}
