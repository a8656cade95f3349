package claudecode

import (
	"bytes"
	"strings"
	"testing"
)

// TestCheck spoils a rewritten log in each way that the check is there for.
func TestCheck(t *testing.T) {
	l := asks("Agent", scanTask).result("r1", "a1", "t1", launchText("g1"), launched("g1")).text("b1", "r1", "m2", "waiting").
		told("n1", "b1", noticeOf("g1", "t1", "completed", "All found.")).text("b2", "n1", "m3", "end").
		system("c1", "", "compact_boundary", more{"logicalParentUuid": "b2", "compactMetadata": keeps("b1", "n1")}).
		user("c2", "c1", "summary", more{"isCompactSummary": true}).text("b3", "c2", "m4", "five")
	log := l.bytes()
	before := indexed(t, log)
	if worse := (Format{}).Check(Format{}.Facts(before), indexed(t, log)); worse != nil {
		t.Fatalf("the same log is worse: %q", worse)
	}
	rows := []struct{ name, old, new, want string }{
		{"a notification loses its frame", "<task-notification>", "<notification>", "notifications of ended tasks"},
		{"a notification changes its status", "<status>completed</status>", "<status>failed</status>", "notifications of ended tasks"},
		{"a launch is said to be complete", `"status":"async_launched"`, `"status":"completed"`, "launches in the background"},
		{"a line of work that others hang on is lost", l.lines[3] + "\n", "", "the order of what is sent changed"},
		{"a prompt is lost", l.lines[7] + "\n", "", "is not what it was"},
		{"a line gets another uuid", `"uuid":"b2"`, `"uuid":"b9"`, "is not what it was"},
		{"a line gets another parent", `"parentUuid":"n1"`, `"parentUuid":"b1"`, "hangs on another one"},
		{"a line gets another time", "10:00:05.000Z", "10:00:06.000Z", "is not what it was"},
		{"a call gets another id", `"id":"t1"`, `"id":"t2"`, "is not what it was"},
		{"a call gets another tool", `"name":"Agent"`, `"name":"Task"`, "is not what it was"},
		{"a content block gets a key", `{"text":"five"`, `{"sessc":{},"text":"five"`, "content blocks with a key of ours"},
		{"a prompt becomes blank", `"content":"summary"`, `"content":""`, "entries without any text"},
		{"a kept message is lost", `"uuids":["b1","n1"]`, `"uuids":["b1","gone"]`, "kept messages of compactions"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			spoilt := bytes.Replace(log, []byte(r.old), []byte(r.new), 1)
			if bytes.Equal(spoilt, log) {
				t.Fatal("the row changes nothing")
			}
			worse := strings.Join(Format{}.Check(Format{}.Facts(before), indexed(t, spoilt)), "; ")
			if !strings.Contains(worse, r.want) {
				t.Errorf("found %q, want %q", worse, r.want)
			}
		})
	}
}
