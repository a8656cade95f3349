package openclaw

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"sessc/session"
)

const (
	childKey = "agent:main:subagent:1111"
	childID  = "aaaa-1111"
)

// childLog is the transcript of a child that wrote one file.
func childLog(t *testing.T, file string) []byte {
	return newLog(t).user("u1", "[Subagent Context] do it").agent("a1", "", 0, callOf("c1", "write", o{"path": file, "content": "x"})).
		result("r1", "c1", "write", "ok").at("u1").agent("off", "", 0, callOf("c2", "write", o{"path": "off-the-path", "content": "x"})).
		at("r1").agent("a2", "done", 0).bytes()
}

// openedIn writes the orchestrator's log into a folder and opens it.
func openedIn(t *testing.T, dir string, log []byte) *session.Session {
	t.Helper()
	path := filepath.Join(dir, "main.jsonl")
	writeFile(t, path, string(log))
	s, err := session.Open(path, []session.Format{Format{}}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func packed(t *testing.T, b []byte) string {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRelated(t *testing.T) {
	const index = `{"` + childKey + `":{"sessionId":"` + childID + `"},"other":{"sessionId":"zzzz"}}`
	byKey := session.Event{Child: childKey}
	rows := []struct {
		name  string
		files map[string]string // below the state folder; "LOG" is a child's log that wrote a file of its own name
		of    session.Event
		want  string // path of the child's log, "" for none
	}{
		{"nothing lies there", nil, byKey, ""},
		{"by the index", map[string]string{"agents/main/sessions/sessions.json": index, "agents/main/sessions/" + childID + ".jsonl": "LOG"}, byKey, "agents/main/sessions/" + childID + ".jsonl"},
		{"by the session id of the completion", map[string]string{"agents/main/sessions/" + childID + ".jsonl": "LOG"}, session.Event{Session: childID}, "agents/main/sessions/" + childID + ".jsonl"},
		{"no such key in the index", map[string]string{"agents/main/sessions/sessions.json": index, "agents/main/sessions/" + childID + ".jsonl": "LOG"}, session.Event{Child: "agent:main:subagent:2222"}, ""},
		{"a damaged index", map[string]string{"agents/main/sessions/sessions.json": index[:20], "agents/main/sessions/" + childID + ".jsonl": "LOG"}, byKey, ""},
		{"a file that the index names", map[string]string{
			"agents/main/sessions/sessions.json": `{"` + childKey + `":{"sessionId":"` + childID + `","sessionFile":"topic-7.jsonl"}}`, "agents/main/sessions/topic-7.jsonl": "LOG", "agents/main/sessions/" + childID + ".jsonl": "LOG",
		}, byKey, "agents/main/sessions/topic-7.jsonl"},
		{"a file that the index names and that is gone", map[string]string{
			"agents/main/sessions/sessions.json": `{"` + childKey + `":{"sessionId":"` + childID + `","sessionFile":"/gone/topic-7.jsonl"}}`, "agents/main/sessions/" + childID + ".jsonl": "LOG",
		}, byKey, "agents/main/sessions/" + childID + ".jsonl"},
		{"the live one before archives", map[string]string{
			"agents/main/sessions/" + childID + ".jsonl.reset.2026-04-01T04-14-35.711Z": "LOG", "agents/main/sessions/" + childID + ".jsonl": "LOG",
		}, session.Event{Session: childID}, "agents/main/sessions/" + childID + ".jsonl"},
		{"the youngest archive, of either kind", map[string]string{
			"agents/main/sessions/" + childID + ".jsonl.reset.2026-04-01T04-14-35.711Z": "LOG", "agents/main/sessions/" + childID + ".jsonl.deleted.2026-04-03T04-14-35.711Z": "LOG",
		}, session.Event{Session: childID}, "agents/main/sessions/" + childID + ".jsonl.deleted.2026-04-03T04-14-35.711Z"},
		{"a packed archive", map[string]string{"agents/main/sessions/" + childID + ".jsonl.deleted.2026-04-01T04-14-35.711Z.zst": "ZST"}, session.Event{Session: childID},
			"agents/main/sessions/" + childID + ".jsonl.deleted.2026-04-01T04-14-35.711Z.zst"},
		{"cold storage", map[string]string{"agents/main/sessions/cold/" + childID + ".jsonl.zst": "ZST"}, session.Event{Session: childID}, "agents/main/sessions/cold/" + childID + ".jsonl.zst"},
		{"backups and locks are none", map[string]string{
			"agents/main/sessions/" + childID + ".jsonl.bak.177": "LOG", "agents/main/sessions/" + childID + ".jsonl.lock": "{}", "agents/main/sessions/" + childID + ".trajectory.jsonl": "LOG",
		}, session.Event{Session: childID}, ""},
		{"another agent's folder", map[string]string{
			"agents/coder/sessions/sessions.json": `{"agent:coder:subagent:3":{"sessionId":"cccc"}}`, "agents/coder/sessions/cccc.jsonl": "LOG",
		}, session.Event{Child: "agent:coder:subagent:3"}, "agents/coder/sessions/cccc.jsonl"},
		{"an agent whose name leads out", map[string]string{"secret/sessions/sessions.json": `{"agent:../secret:subagent:3":{"sessionId":"cccc"}}`, "secret/sessions/cccc.jsonl": "LOG"},
			session.Event{Child: "agent:../secret:subagent:3"}, ""},
		{"an agent named ..", map[string]string{"sessions/sessions.json": `{"agent:..:subagent:3":{"sessionId":"cccc"}}`, "sessions/cccc.jsonl": "LOG"}, session.Event{Child: "agent:..:subagent:3"}, ""},
		{"a session id that leads out", map[string]string{"agents/main/cccc.jsonl": "LOG"}, session.Event{Session: "../cccc"}, ""},
		{"an index that leads out by an id", map[string]string{"agents/main/sessions/sessions.json": `{"` + childKey + `":{"sessionId":"../../cccc"}}`, "agents/cccc.jsonl": "LOG"}, byKey, ""},
		{"an index that leads out by a file", map[string]string{"agents/main/sessions/sessions.json": `{"` + childKey + `":{"sessionId":"x","sessionFile":"../cccc.jsonl"}}`, "agents/main/cccc.jsonl": "LOG"}, byKey, ""},
		{"the orchestrator itself", map[string]string{"agents/main/sessions/sessions.json": `{"` + childKey + `":{"sessionId":"s1","sessionFile":"main.jsonl"}}`}, byKey, ""},
		{"the orchestrator's file under another id", map[string]string{"agents/main/sessions/sessions.json": `{"` + childKey + `":{"sessionId":"x","sessionFile":"main.jsonl"}}`}, byKey, ""},
		{"a folder of that name", map[string]string{"agents/main/sessions/" + childID + ".jsonl/x": "LOG"}, session.Event{Session: childID}, ""},
		{"an event that names nobody", map[string]string{"agents/main/sessions/sessions.json": `{"":{"sessionId":"` + childID + `"}}`, "agents/main/sessions/" + childID + ".jsonl": "LOG"}, session.Event{}, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			state := t.TempDir()
			for name, content := range r.files {
				content = strings.Replace(content, "LOG", string(childLog(t, filepath.Base(name))), 1)
				if content == "ZST" {
					content = packed(t, childLog(t, filepath.Base(name)))
				}
				writeFile(t, filepath.Join(state, filepath.FromSlash(name)), content)
			}
			s := openedIn(t, filepath.Join(state, "agents", "main", "sessions"), newLog(t).user("u1", "x").bytes())
			found := Format{}.Related(s, r.of)
			if r.want == "" {
				if len(found) != 0 {
					t.Errorf("found %s", found[0].Path)
				}
				return
			}
			want := filepath.Join(state, filepath.FromSlash(r.want))
			if len(found) != 1 || found[0].Path != want {
				t.Fatalf("found %+v, want %s", found, want)
			}
			done, err := found[0].Actions()
			if err != nil || len(done) != 1 || done[0].Op != session.OpWrite || len(done[0].Paths) != 1 || done[0].Paths[0] != filepath.Base(want) || !done[0].Done {
				t.Errorf("actions %+v, %v", done, err)
			}
		})
	}
}

// TestDamagedChild reads what is left of a child's log, and says so where
// nothing is.
func TestDamagedChild(t *testing.T) {
	good := childLog(t, "f.go")
	torn := good[:bytes.LastIndexByte(good[:len(good)-1], '\n')+30]
	holed := bytes.Replace(good, []byte("\n"), []byte("\n\x00\x00\n"), 1)
	rows := []struct {
		name, file, content string
		actions             int
		want                string // part of the error
	}{
		{"torn", childID + ".jsonl", string(torn), 1, ""},
		{"a damaged line", childID + ".jsonl", string(holed), 1, ""},
		{"header only", childID + ".jsonl", headerLine + "\n", 0, ""},
		{"empty", childID + ".jsonl", "", 0, "the file is empty"},
		{"noise", childID + ".jsonl", "\x00\x01\x02", 0, "no known agent"},
		{"of an older version", childID + ".jsonl", `{"type":"session","id":"x","timestamp":"2026-03-01T10:00:00Z"}` + "\n", 0, "version 2 or older"},
		{"packed, cut", childID + ".jsonl.deleted.1.zst", packed(t, good)[:60], 0, "unpack"},
		{"packed noise", childID + ".jsonl.deleted.1.zst", packed(t, []byte("noise")), 0, "no known agent"},
		{"not packed at all", childID + ".jsonl.deleted.1.zst", string(good), 0, "unpack"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, r.file), r.content)
			s := openedIn(t, dir, newLog(t).user("u1", "x").bytes())
			found := Format{}.Related(s, session.Event{Session: childID})
			if len(found) != 1 {
				t.Fatalf("found %+v", found)
			}
			done, err := found[0].Actions()
			if len(done) != r.actions || (err == nil) != (r.want == "") || err != nil && (!strings.Contains(err.Error(), r.want) || !strings.Contains(err.Error(), r.file)) {
				t.Errorf("%d actions, error %v, want %d and %q", len(done), err, r.actions, r.want)
			}
			if b, err := os.ReadFile(filepath.Join(dir, r.file)); err != nil || string(b) != r.content {
				t.Error("the child's log was changed")
			}
		})
	}
}

func TestUnpack(t *testing.T) {
	stream := packed(t, make([]byte, 1000))
	if b, err := unpack(strings.NewReader(stream), 1000); err != nil || len(b) != 1000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, err := unpack(strings.NewReader(stream), 999); err == nil || !strings.Contains(err.Error(), "more than 999 bytes") {
		t.Errorf("a stream beyond the limit: %v", err)
	}
}

// TestResolveChildren gives completions that name a session id alone the key
// of the child, where the index knows it.
func TestResolveChildren(t *testing.T) {
	const childID = sidA
	text := genB("subagent task", "a", "completed successfully", report)
	log := newLog(t).user("u1", "x").agent("a1", "", 0, spawnCall("c1")).accepted("r1", "c1").user("e1", text).agent("a2", "done", 0).bytes()
	rows := []struct{ name, index, want string }{
		{"known", `{"` + childKey + `":{"sessionId":"` + childID + `"}}`, childKey},
		{"two keys of one session", `{"` + childKey + `":{"sessionId":"` + childID + `"},"second":{"sessionId":"` + childID + `"}}`, childKey},
		{"unknown", `{"` + childKey + `":{"sessionId":"zzzz"}}`, ""},
		{"no index", "", ""},
		{"an index that is no object", `["` + childID + `"]`, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			dir := t.TempDir()
			if r.index != "" {
				writeFile(t, filepath.Join(dir, "sessions.json"), r.index)
			}
			s := openedIn(t, dir, log)
			found := 0
			for _, ev := range s.Events {
				if ev.Kind == session.Completion {
					found++
					if ev.Session != childID || ev.Child != r.want {
						t.Errorf("completion of session %q, child %q, want %q", ev.Session, ev.Child, r.want)
					}
				}
			}
			if found != 1 {
				t.Fatalf("%d completions", found)
			}
		})
	}
}
