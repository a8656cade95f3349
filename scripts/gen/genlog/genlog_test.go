package genlog

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

type logLine struct {
	Type     string          `json:"type"`
	ID       string          `json:"id"`
	ParentID *string         `json:"parentId"`
	Message  *messageFields  `json:"message"`
	Raw      json.RawMessage `json:"-"`
}
type messageFields struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"toolCallId"`
	Usage      *struct{ Input, Output, CacheRead, CacheWrite, TotalTokens int }
	Provenance *struct{ SourceSessionKey string }
}

// read decodes every line with encoding/json: the generator's own writer is what is under test.
func read(t *testing.T, log []byte) ([]logLine, map[string]logLine) {
	t.Helper()
	var all []logLine
	byID := map[string]logLine{}
	for i, l := range bytes.Split(bytes.TrimSuffix(log, []byte("\n")), []byte("\n")) {
		l = bytes.TrimSuffix(l, []byte("\r"))
		var e logLine
		if err := json.Unmarshal(l, &e); err != nil {
			t.Fatalf("line %d: %v\n%.200s", i+1, err, l)
		}
		e.Raw = l
		if _, twice := byID[e.ID]; twice {
			t.Fatalf("line %d: id %s a second time", i+1, e.ID)
		}
		byID[e.ID] = e
		all = append(all, e)
	}
	return all, byID
}

// body is all text of a message's content, decoded.
func body(t *testing.T, e logLine) string {
	t.Helper()
	if e.Message == nil {
		t.Fatalf("entry %s is no message", e.ID)
	}
	var s string
	if json.Unmarshal(e.Message.Content, &s) == nil {
		return s
	}
	var blocks []struct{ Text string }
	if err := json.Unmarshal(e.Message.Content, &blocks); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		s += b.Text
	}
	return s
}

func checkTruth(t *testing.T, out Output) {
	t.Helper()
	if out.Truth.Format == "claude-code" {
		checkClaude(t, out)
		return
	}
	all, byID := read(t, out.Log)
	tr := out.Truth
	if tr.Lines != len(all) || tr.Bytes != int64(len(out.Log)) {
		t.Errorf("truth counts %d lines, %d bytes; the log has %d and %d", tr.Lines, tr.Bytes, len(all), len(out.Log))
	}
	if all[0].ID != tr.SessionID {
		t.Errorf("header id %s, truth %s", all[0].ID, tr.SessionID)
	}
	onPath := map[string]bool{}
	for id := tr.Leaf; id != ""; {
		e, ok := byID[id]
		if !ok {
			t.Fatalf("active path: no entry %s", id)
		}
		onPath[id] = true
		id = ""
		if e.ParentID != nil {
			id = *e.ParentID
		}
	}
	for _, e := range all[1:] {
		if e.ParentID != nil {
			if _, ok := byID[*e.ParentID]; !ok {
				t.Errorf("entry %s: parent %s is missing", e.ID, *e.ParentID)
			}
		}
	}
	for _, h := range tr.Humans {
		e, ok := byID[h.Entry]
		if !ok || e.Message.Role != "user" || !strings.Contains(body(t, e), h.Text) {
			t.Errorf("human text %.40q does not stand in user entry %s", h.Text, h.Entry)
		}
		if h.OnActivePath != onPath[h.Entry] {
			t.Errorf("human entry %s: on path %v, truth %v", h.Entry, onPath[h.Entry], h.OnActivePath)
		}
	}
	for _, l := range tr.Lifecycles {
		if l.Nested {
			if !bytes.Contains(out.Files[l.Log], []byte(l.CallID)) {
				t.Errorf("nested call %s does not stand in %s", l.CallID, l.Log)
			}
			continue
		}
		checkLifecycle(t, l, byID, onPath)
	}
}

func checkLifecycle(t *testing.T, l Lifecycle, byID map[string]logLine, onPath map[string]bool) {
	t.Helper()
	if !bytes.Contains(byID[l.SpawnEntry].Raw, []byte(`"id":"`+l.CallID+`","name":"`+l.Tool+`"`)) {
		t.Errorf("%s: entry %s does not hold the call", l.CallID, l.SpawnEntry)
	}
	if l.OnActivePath != onPath[l.SpawnEntry] {
		t.Errorf("%s: on path %v, truth %v", l.CallID, onPath[l.SpawnEntry], l.OnActivePath)
	}
	if l.ReceiptEntry != "" {
		r := byID[l.ReceiptEntry]
		if r.Message == nil || r.Message.ToolCallID != l.CallID {
			t.Errorf("%s: receipt %s is not its result", l.CallID, l.ReceiptEntry)
		}
	}
	found := l.Result == "" || l.Inline
	for _, id := range l.CompletionEntries {
		e := byID[id]
		text := body(t, e)
		if e.Message.Role != "user" {
			t.Errorf("%s: completion %s has role %s", l.CallID, id, e.Message.Role)
		}
		key := l.ChildKey
		if l.Generation == "B" {
			key = l.ChildSessionID
		}
		if !strings.Contains(text, key) {
			t.Errorf("%s: completion %s does not name %s", l.CallID, id, key)
		}
		plain := strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(text)
		found = found || strings.Contains(plain, l.Result)
		if p := e.Message.Provenance; (l.Generation == "C" || l.Generation == "D") && p == nil {
			t.Errorf("%s: completion %s of generation %s has no provenance", l.CallID, id, l.Generation)
		}
	}
	if !found {
		t.Errorf("%s: the result stands in none of its completions", l.CallID)
	}
	if l.State == Done && !l.Inline && len(l.CompletionEntries) == 0 {
		t.Errorf("%s: done without a completion", l.CallID)
	}
	if l.Inline && l.State == Done && !bytes.Contains(byID[l.ReceiptEntry].Raw, []byte(firstLine(l.Result))) {
		t.Errorf("%s: inline result missing", l.CallID)
	}
	if l.State != Done || l.Reopened {
		return
	}
	for _, f := range l.Facts {
		if !strings.Contains(l.Result, f.Text) {
			t.Errorf("%s: fact %q does not stand in the result", l.CallID, f.Text)
		}
	}
}

func TestTruthOfRandomLogs(t *testing.T) {
	for _, format := range []string{"openclaw", "claude-code"} {
		t.Run(format, func(t *testing.T) {
			states, generations := map[State]int{}, map[string]int{}
			for seed := int64(1); seed <= 200; seed++ {
				out, err := Play(Random(seed, seed%10 == 0), format, seed)
				if err != nil {
					t.Fatal(err)
				}
				checkTruth(t, out)
				for _, l := range out.Truth.Lifecycles {
					states[l.State]++
					generations[l.Generation]++
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("lifecycles by state: %v; by generation: %v", states, generations)
			for _, s := range []State{Running, Done, Failed, TimedOut, Killed, SpawnFailed, Suspect, Unknown} {
				if states[s] == 0 && (s != TimedOut || format == "openclaw") { // Claude Code has no word for it
					t.Errorf("no lifecycle in 200 logs is %s", s)
				}
			}
			for _, g := range []string{"A", "B", "C", "D"} {
				if generations[g] == 0 {
					t.Errorf("no completion in 200 logs is of generation %s", g)
				}
			}
		})
	}
}

func TestTruthOfFixtures(t *testing.T) {
	for _, f := range Fixtures() {
		if f.Damage != nil {
			continue // the lines of these cannot be read; damage_test.go looks at them
		}
		t.Run(f.Folder()+"/"+f.Script.Name, func(t *testing.T) {
			out, err := Play(f.Script, f.Format, f.Seed)
			if err != nil {
				t.Fatal(err)
			}
			checkTruth(t, out)
		})
	}
}

func TestDeterministic(t *testing.T) {
	for _, format := range Formats() {
		play := func(seed int64) Output {
			out, err := Play(Random(seed, true), format, seed)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		a, b, c := play(7), play(7), play(8)
		if !bytes.Equal(a.Log, b.Log) || !bytes.Equal(a.Truth.JSON(), b.Truth.JSON()) {
			t.Errorf("%s: the same seed gave different bytes", format)
		}
		for name := range a.Files {
			if !bytes.Equal(a.Files[name], b.Files[name]) {
				t.Errorf("%s: %s differs between two runs", format, name)
			}
		}
		if bytes.Equal(a.Log, c.Log) {
			t.Errorf("%s: another seed gave the same bytes", format)
		}
	}
}

// TestUsage checks that recorded context sizes follow the text: calibration rests on their differences.
func TestUsage(t *testing.T) {
	out, err := Play(Random(3, false), "openclaw", 3)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := read(t, out.Log)
	last, seen := 0, 0
	for _, e := range all {
		if e.Message == nil || e.Message.Usage == nil || e.Message.Usage.TotalTokens == 0 {
			continue
		}
		u := e.Message.Usage
		if u.TotalTokens != u.Input+u.Output+u.CacheRead+u.CacheWrite {
			t.Fatalf("entry %s: total %d is not the sum of %+v", e.ID, u.TotalTokens, *u)
		}
		if last > 0 && u.CacheRead == last {
			seen++
		}
		last = u.TotalTokens
	}
	if seen < 10 {
		t.Errorf("only %d turns read what the turn before had in its context", seen)
	}
}

func TestStream(t *testing.T) {
	const size = 6 << 20
	var buf bytes.Buffer
	truth, err := Stream(&buf, "openclaw", 5, size)
	if err != nil {
		t.Fatal(err)
	}
	all, byID := read(t, buf.Bytes())
	if buf.Len() < size || int64(buf.Len()) != truth.Bytes || len(all) != truth.Lines {
		t.Errorf("%d bytes, %d lines; truth says %d, %d", buf.Len(), len(all), truth.Bytes, truth.Lines)
	}
	for _, l := range truth.Lifecycles {
		if _, ok := byID[l.SpawnEntry]; !ok {
			t.Fatalf("spawn entry %s is not in the log", l.SpawnEntry)
		}
	}
	if len(truth.Lifecycles) < 20 || len(truth.Compactions) == 0 {
		t.Errorf("%d lifecycles, %d compactions in %d bytes", len(truth.Lifecycles), len(truth.Compactions), buf.Len())
	}
	inContext := 0
	for _, l := range truth.Lifecycles {
		if l.InContext {
			inContext++
		}
	}
	if inContext == len(truth.Lifecycles) {
		t.Error("every lifecycle is said to be in the context although the history was compacted")
	}
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

func TestStreamMemory(t *testing.T) {
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) { streamMemory(t, format) })
	}
}

func streamMemory(t *testing.T, format string) {
	heap := func(size int64) uint64 {
		var m runtime.MemStats
		truth, err := Stream(&counter{}, format, 5, size)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(truth)
		return m.HeapAlloc
	}
	small, big := heap(2<<20), heap(24<<20)
	if big > small+8<<20 {
		t.Errorf("the heap grew from %d to %d bytes with the log", small, big)
	}
}

func TestUnknownFormat(t *testing.T) {
	if _, err := Play(Script{}, "nope", 1); err == nil || !strings.Contains(err.Error(), "openclaw") {
		t.Errorf("error %v does not name the known formats", err)
	}
}
