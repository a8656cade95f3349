package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const (
	runUUID   = "11111111-1111-4111-8111-111111111111"
	childUUID = "22222222-2222-4222-8222-222222222222"
	sessUUID  = "33333333-3333-4333-8333-333333333333"
)

// A log of one sub-task. Counted by hand, entries e2 to e7 go:
//
//	e2  url https://x.example/t/1, file a/export.go (arguments)
//	e3  host ids: child, run
//	e4  command "go test ./a", file /w/a/new.go
//	e5  error "--- FAIL: TestX (0.01s)", key limit=5 (output)
//	e6  file /w/a/new.go again
//	e7  file a/export.go again, id 4f2a9c1, error "Error: boom at line 3", key retries=3 (report); host ids: child again, session
//
// which makes file 2, command 1, error 2, id 1, url 1, keyvalue 2 = 9 facts, and 3 host ids.
var original = []string{
	`{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T08:00:00.000Z","cwd":"/w"}`,
	`{"type":"message","id":"e1","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"Please fix the export."}]}}`,
	`{"type":"message","id":"e2","parentId":"e1","message":{"role":"assistant","content":[{"type":"text","text":"I delegate."},{"type":"toolCall","id":"c1","name":"sessions_spawn","arguments":{"task":"Fix a/export.go, see https://x.example/t/1.","label":"export"}}],"usage":{"totalTokens":900}}}`,
	`{"type":"message","id":"e3","parentId":"e2","message":{"role":"toolResult","toolCallId":"c1","toolName":"sessions_spawn","content":[{"type":"text","text":"{\"status\":\"accepted\",\"childSessionKey\":\"agent:main:subagent:` + childUUID + `\",\"runId\":\"` + runUUID + `\"}"}],"isError":false}}`,
	`{"type":"message","id":"e4","parentId":"e3","message":{"role":"assistant","content":[{"type":"toolCall","id":"c2","name":"exec","arguments":{"command":"go test ./a"}},{"type":"toolCall","id":"c3","name":"write","arguments":{"path":"/w/a/new.go","content":"package a"}}]}}`,
	`{"type":"message","id":"e5","parentId":"e4","message":{"role":"toolResult","toolCallId":"c2","toolName":"exec","content":[{"type":"text","text":"--- FAIL: TestX (0.01s)\nlimit=5"}],"isError":false}}`,
	`{"type":"message","id":"e6","parentId":"e5","message":{"role":"toolResult","toolCallId":"c3","toolName":"write","content":[{"type":"text","text":"Successfully wrote 9 bytes to /w/a/new.go"}],"isError":false}}`,
	`{"type":"message","id":"e7","parentId":"e6","message":{"role":"user","content":[{"type":"text","text":"[Internal task completion event]\nsource: subagent\nsession_key: agent:main:subagent:` + childUUID + `\nsession_id: ` + sessUUID + `\ntask: export\nstatus: completed successfully\n\nFixed a/export.go; commit 4f2a9c1.\nError: boom at line 3\n` + "`retries=3`" + `"}]}}`,
	`{"type":"message","id":"e8","parentId":"e7","message":{"role":"assistant","content":[{"type":"text","text":"Done, it is commit 4f2a9c1."}],"usage":{"totalTokens":2000}}}`,
}

// The compressed log: e2 is written anew, e7's id carries the record, e8 got another number in its usage. By hand:
// visible are both files (a/new.go names /w/a/new.go), the error boom and retries=3: 4. The commit stands in e8 only:
// kept 1. The command, the FAIL line, the url and limit=5 are in neither: 4.
var compressed = []string{
	original[0], original[1],
	`{"type":"message","id":"e2","parentId":"e1","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"sessions_spawn","arguments":{"task":"Fix the export"}}]},"sessc":{"v":1}}`,
	`{"type":"message","id":"e7","parentId":"e2","message":{"role":"toolResult","toolCallId":"c1","toolName":"sessions_spawn","content":[{"type":"text","text":"task: Fix the export\nresult: success\nfiles+: a/new.go\nfiles~: a/{export,import}.go\nerrors: \"Error: boom at line 3\"\nmust_remember: retries=3\n"}]},"sessc":{"v":1}}`,
	strings.Replace(original[8], "2000", "1200", 1),
}

func logOf(lines []string) *session { return parseLog([]byte(strings.Join(lines, "\n") + "\n")) }

func TestHandCounted(t *testing.T) {
	withoutOutput := append(append([]string{}, original[:5]...), original[6:]...)
	for _, c := range []struct {
		name     string
		restored *session
		want     tally
	}{
		// With the whole original restored nothing is lost.
		{"restored", logOf(original), tally{Facts: 9, Visible: 4, Kept: 1, Recoverable: 4, Named: 2, Lost: 0, Share: 4.0 / 9}},
		// A restored log without e5: its FAIL line and limit=5 are lost.
		{"restored in part", logOf(withoutOutput), tally{Facts: 9, Visible: 4, Kept: 1, Recoverable: 2, Named: 2, Lost: 2, Share: 4.0 / 9}},
		{"not restored", nil, tally{Facts: 9, Visible: 4, Kept: 1, Recoverable: 0, Lost: 4, Share: 4.0 / 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := measure(logOf(original), logOf(compressed), c.restored, "")
			if err != nil {
				t.Fatal(err)
			}
			if res.Total != c.want {
				t.Errorf("total %+v, want %+v\n%v", res.Total, c.want, res.Facts)
			}
			if res.Removed != 6 || res.Masks != 2 {
				t.Errorf("%d removed, %d masks; want 6 and 2", res.Removed, res.Masks)
			}
			counts := map[string][2]int{}
			for k, v := range res.Kinds {
				counts[k] = [2]int{v.Facts, v.Visible}
			}
			want := map[string][2]int{"file": {2, 2}, "command": {1, 0}, "error": {2, 1}, "id": {1, 0}, "url": {1, 0}, "keyvalue": {2, 1}, "host-id": {3, 0}}
			if !reflect.DeepEqual(counts, want) {
				t.Errorf("facts and visible by kind %v, want %v", counts, want)
			}
			// Best source of each: report 4 (export.go, commit, boom, retries), arguments 3 (url, command, new.go), output 2.
			for s, n := range map[string]int{"report": 4, "arguments": 3, "output": 2} {
				if res.Sources[s].Facts != n {
					t.Errorf("%d facts from %s, want %d", res.Sources[s].Facts, s, n)
				}
			}
		})
	}
}

// The masks list a/new.go, a/export.go and a/import.go. The removed calls wrote a/new.go only: recall 1/1, precision
// 1/3. The child edited a/export.go, deleted a/old.go and failed to edit a/b.go: 3 touched, 2 of them listed.
func TestArtifactTrail(t *testing.T) {
	dir := t.TempDir()
	child := `{"type":"session","version":3,"id":"` + sessUUID + `","cwd":"/w"}
{"type":"message","id":"1","parentId":null,"message":{"role":"assistant","content":[{"type":"toolCall","id":"k1","name":"edit","arguments":{"path":"a/export.go"}},{"type":"toolCall","id":"k2","name":"edit","arguments":{"path":"a/b.go"}},{"type":"toolCall","id":"k3","name":"exec","arguments":{"command":"cd /w && rm -f a/old.go"}}]}}
{"type":"message","id":"2","parentId":"1","message":{"role":"toolResult","toolCallId":"k2","toolName":"edit","content":[],"details":{"status":"error"},"isError":false}}
`
	write(t, filepath.Join(dir, sessUUID+".jsonl.deleted.2026-04-01T04-14-35.711Z"), child)
	write(t, filepath.Join(dir, runUUID+"0.jsonl"), child) // another session: not a child of this one
	for _, c := range []struct {
		name, dir                    string
		touched, listed, both, signs int
	}{
		{"own calls", "", 1, 3, 1, 1},
		{"with child", dir, 3, 3, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := measure(logOf(original), logOf(compressed), nil, c.dir)
			if err != nil {
				t.Fatal(err)
			}
			f := res.Files
			if f.Touched != c.touched || f.Listed != c.listed || f.Both != c.both || f.SameSign != c.signs {
				t.Errorf("touched %d listed %d both %d same sign %d, want %d %d %d %d (%+v)", f.Touched, f.Listed, f.Both, f.SameSign, c.touched, c.listed, c.both, c.signs, f)
			}
			if f.Recall != float64(c.both)/float64(c.touched) || f.Precision != float64(c.both)/float64(c.listed) {
				t.Errorf("recall %v precision %v", f.Recall, f.Precision)
			}
		})
	}
}

func TestFromText(t *testing.T) {
	for _, c := range []struct {
		name, in, source string
		want             []string
	}{
		{"nothing", "All good, see you at 3 p.m.", "text", nil},
		{"url keeps its query and loses the dot", "See https://a.example/x?y=1.", "text", []string{"url https://a.example/x?y=1"}},
		{"paths", "in ./cmd/x.go, C:\\work\\y.py and the Makefile", "text", []string{"file ./cmd/x.go", `file C:\work\y.py`, "file Makefile"}},
		{"ids", "commit 4f2a9c1 of 20260302, face, deadbee", "text", []string{"id 4f2a9c1"}},
		{"keys", "set KEEP_DAYS=14, not a == b, --port=8100", "text", []string{"keyvalue KEEP_DAYS=14", "keyvalue --port=8100"}},
		{"command in a report", "```\nmake test\n```\nMake sure it works.", "report", []string{"command make test"}},
		{"error in file content is no error", "raise ValueError(\"x\")", "file content", nil},
		{"escaped", "the tag &lt;b&gt; ValueError: no &lt;b&gt;", "report", []string{"error the tag <b> ValueError: no <b>"}},
		{"chinese", "错误: 会话 12 已过期", "output", []string{"error 错误: 会话 12 已过期"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range fromText(c.in, c.source) {
				got = append(got, f.Kind+" "+f.Text)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWordEdges(t *testing.T) {
	e := &entry{sent: "files~: src/{a,b}.go, lib/x.py, … +3, see ref\nmust_remember: \"/w/pkg/{one.go,sub/two.go}, x=1\"\ndata.go 14f2a9c1 retries=30\n"}
	h := newHaystack([]*entry{e})
	for _, c := range []struct {
		f    fact
		want bool
	}{
		{fact{Kind: "file", Text: "src/b.go"}, true},
		{fact{Kind: "file", Text: "/home/dev/src/b.go"}, true},
		{fact{Kind: "file", Text: "a.go"}, false},
		{fact{Kind: "file", Text: "/w/pkg/one.go"}, true},
		{fact{Kind: "file", Text: "pkg/sub/two.go"}, true},
		{fact{Kind: "file", Text: "/w/two.go"}, false},
		{fact{Kind: "file", Text: "/w/sub/two.go"}, false},
		{fact{Kind: "id", Text: "4f2a9c1"}, false},
		{fact{Kind: "keyvalue", Text: "retries=3"}, false},
		{fact{Kind: "keyvalue", Text: "retries=30"}, true},
	} {
		if got := h.has(c.f); got != c.want {
			t.Errorf("has(%+v) = %v, want %v", c.f, got, c.want)
		}
	}
}

func TestRunPrintsBoth(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	write(t, before, strings.Join(original, "\n"))
	write(t, after, strings.Join(compressed, "\n"))
	var out, table bytes.Buffer
	if err := run([]string{"-before", before, "-after", after, "-archive-restored", before, "-list"}, &out, &table); err != nil {
		t.Fatal(err)
	}
	var res result
	if err := json.Unmarshal(out.Bytes(), &res); err != nil {
		t.Fatal(err)
	}
	if res.Total.Facts != 9 || len(res.Facts) != 12 || !strings.Contains(table.String(), "recall 100.0 %") {
		t.Errorf("total %+v, %d facts listed, table:\n%s", res.Total, len(res.Facts), table.String())
	}
	// A log compared with itself has lost nothing, and nothing was there to lose.
	out.Reset()
	if err := run([]string{"-before", before, "-after", before}, &out, &table); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &res); err != nil || res.Removed != 0 || res.Total.Facts != 0 || res.Total.Share != 1 {
		t.Errorf("same log: %+v, %v", res, err)
	}
	if err := run([]string{"-before", before}, &out, &table); err == nil || !strings.Contains(err.Error(), "-after") {
		t.Errorf("error %v does not say what is missing", err)
	}
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}
