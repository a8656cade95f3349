package genlog

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

type claudeLine struct {
	Type    string  `json:"type"`
	UUID    string  `json:"uuid"`
	Parent  *string `json:"parentUuid"`
	Logical string  `json:"logicalParentUuid"`
	Message *struct {
		ID      string          `json:"id"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Attachment *struct{ Prompt string } `json:"attachment"`
	raw        []byte
}

// readClaude decodes every line of a log with encoding/json.
func readClaude(t *testing.T, log []byte) (all []claudeLine, byID map[string]claudeLine) {
	t.Helper()
	byID = map[string]claudeLine{}
	for i, raw := range bytes.Split(bytes.TrimSuffix(log, []byte("\n")), []byte("\n")) {
		var l claudeLine
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatalf("line %d: %v\n%.200s", i+1, err, raw)
		}
		l.raw = raw
		if _, twice := byID[l.UUID]; twice && l.UUID != "" {
			t.Fatalf("line %d: uuid %s a second time", i+1, l.UUID)
		}
		if l.UUID != "" {
			byID[l.UUID] = l
		}
		all = append(all, l)
	}
	return all, byID
}

// said is all text of a line, decoded, whatever it stands in.
func said(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return b.String()
}

// checkClaude holds a truth against the log that it is of.
func checkClaude(t *testing.T, out Output) {
	t.Helper()
	all, byID := readClaude(t, out.Log)
	tr := out.Truth
	if tr.Lines != len(all) || tr.Bytes != int64(len(out.Log)) {
		t.Errorf("truth counts %d lines, %d bytes; the log has %d and %d", tr.Lines, tr.Bytes, len(all), len(out.Log))
	}
	last := ""
	results := map[string][]string{} // of calls, by the line of the call
	for _, l := range all {
		if l.Parent != nil {
			if _, ok := byID[*l.Parent]; !ok {
				t.Errorf("line %s: parent %s is missing", l.UUID, *l.Parent)
			}
			if l.Type == "user" && bytes.Contains(l.raw, []byte(`"tool_use_id"`)) {
				results[*l.Parent] = append(results[*l.Parent], l.UUID)
			}
		}
		if (l.Type == "user" || l.Type == "assistant") && !bytes.Contains(l.raw, []byte(`"isSidechain":true`)) {
			last = l.UUID
		}
	}
	if tr.Leaf != last {
		t.Errorf("leaf %s, want %s", tr.Leaf, last)
	}
	onPath := map[string]bool{}
	for id := tr.Leaf; id != "" && !onPath[id]; {
		l := byID[id]
		onPath[id] = true
		if id = l.Logical; l.Parent != nil {
			id = *l.Parent
		}
	}
	for _, l := range all { // the other lines of each message, with their results
		if m := l.Message; m != nil && m.ID != "" {
			for _, o := range all {
				if onPath[l.UUID] && o.Message != nil && o.Message.ID == m.ID {
					onPath[o.UUID] = true
					for _, r := range results[o.UUID] {
						onPath[r] = true
					}
				}
			}
		}
	}
	for _, h := range tr.Humans {
		if l, ok := byID[h.Entry]; !ok || l.Type == "assistant" || !strings.Contains(said(l.raw), h.Text) {
			t.Errorf("human text %.40q does not stand in line %s", h.Text, h.Entry)
		}
		if h.OnActivePath != onPath[h.Entry] {
			t.Errorf("human line %s: on path %v, truth %v", h.Entry, onPath[h.Entry], h.OnActivePath)
		}
	}
	for _, l := range tr.Lifecycles {
		if l.Nested {
			if !bytes.Contains(out.Files[l.Log], []byte(l.CallID)) {
				t.Errorf("nested call %s does not stand in %s", l.CallID, l.Log)
			}
			continue
		}
		if !bytes.Contains(byID[l.SpawnEntry].raw, []byte(`"id":"`+l.CallID+`","name":"`+l.Tool+`"`)) {
			t.Errorf("%s: line %s does not hold the call", l.CallID, l.SpawnEntry)
		}
		if l.OnActivePath != onPath[l.SpawnEntry] {
			t.Errorf("%s: on path %v, truth %v", l.CallID, onPath[l.SpawnEntry], l.OnActivePath)
		}
		if l.ReceiptEntry != "" && !bytes.Contains(byID[l.ReceiptEntry].raw, []byte(`"tool_use_id":"`+l.CallID+`"`)) {
			t.Errorf("%s: line %s is not its result", l.CallID, l.ReceiptEntry)
		}
		words := said(byID[l.ReceiptEntry].raw)
		for _, id := range l.CompletionEntries {
			if !bytes.Contains(byID[id].raw, []byte(l.ChildKey)) {
				t.Errorf("%s: notification %s does not name %s", l.CallID, id, l.ChildKey)
			}
			words += strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(said(byID[id].raw))
		}
		if l.State == Done && !strings.Contains(words, l.Result) {
			t.Errorf("%s: the result stands in none of its lines", l.CallID)
		}
		if l.State == Done && !l.Inline && len(l.CompletionEntries) == 0 {
			t.Errorf("%s: done without a notification", l.CallID)
		}
	}
}

// TestClaudeSpans looks for what the worlds of a Claude Code log have to hold.
func TestClaudeSpans(t *testing.T) {
	want := map[string]int{
		`"async_launched"`: 0, `"status":"completed","prompt"`: 0, `"resumedAgentId"`: 0, `"name":"TaskStop"`: 0, `"name":"TaskOutput"`: 0, `"queued_command"`: 0,
		`"commandMode":"prompt"`: 0, `"renderedInHumanTurn"`: 0, `"operation":"enqueue"`: 0, `"type":"progress"`: 0, `"type":"attachment"`: 0, `"compact_boundary"`: 0,
		`"preservedMessages"`: 0, `"isSidechain":true`: 0, `"backgroundTaskId"`: 0, `Agent terminated early`: 0, `InputValidationError`: 0, `"toolDenialKind":"rule"`: 0,
		`[Request interrupted by user`: 0, `"type":"last-prompt"`: 0, `"signature"`: 0, `"version":"1.0.108"`: 0, `"version":"2.1.39"`: 0, `"version":"2.1.328"`: 0,
		`"isApiErrorMessage"`: 0, `<synthetic>`: 0, `"tool_use_id"`: 0,
	}
	for seed := int64(1); seed <= 200; seed++ {
		out, err := Play(Random(seed, true), "claude-code", seed)
		if err != nil {
			t.Fatal(err)
		}
		for w := range want {
			want[w] += bytes.Count(out.Log, []byte(w))
		}
	}
	for w, n := range want {
		if n < 5 {
			t.Errorf("%s stands %d times in 200 logs", w, n)
		}
	}
}
