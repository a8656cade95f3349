package genlog

import "strings"

func (e *openclaw) Compact(c Compact, keep string) string {
	e.t.pass(9000, 40_000)
	before := e.ctx + e.pending
	kept := 0
	if at, ok := e.at[keep]; ok {
		kept = max(0, before-at[0]-at[1])
	} else {
		keep = e.t.hex(8) // names no entry: nothing from before is kept
	}
	e.ctx, e.pending = 0, e.base+int(float64(estimate(c.Summary))*e.model.factor)+kept
	id := e.entry("compaction", field{"summary", c.Summary}, field{"firstKeptEntryId", keep}, field{"tokensBefore", before},
		field{"details", obj{{"readFiles", list{"README.md"}}, {"modifiedFiles", list{}}}}, field{"fromHook", false})
	e.keeps[id] = keep
	if e.streaming {
		clear(e.at)
	}
	return id
}

func (e *openclaw) Rewind(to, summary string) string {
	from := e.cur
	e.cur = to
	if at, ok := e.at[to]; ok {
		e.ctx, e.pending = at[0], at[1]
	}
	if summary == "" {
		return ""
	}
	e.t.pass(4000, 20_000)
	e.add(summary)
	return e.entry("branch_summary", field{"fromId", from}, field{"summary", summary}, field{"details", obj{{"readFiles", list{}}, {"modifiedFiles", list{}}}})
}

// Meta knows: custom, prompt-error, model, thinking, label, info, leaf, side, mirror, mirror-path, opaque, usage,
// bash, error-turn.
func (e *openclaw) Meta(m Meta, target string) string {
	e.t.pass(5, 900)
	switch m.Kind {
	case "custom":
		return e.tail("custom", obj{{"customType", "openclaw.cache-ttl"}, {"data", obj{{"timestamp", e.t.millis()}, {"provider", e.model.provider}, {"modelId", e.model.id}}}})
	case "prompt-error":
		return e.tail("custom", obj{{"customType", "openclaw:prompt-error"}, {"data", obj{{"timestamp", e.t.millis()}, {"runId", e.t.uuid()},
			{"sessionId", e.s.ID}, {"provider", e.model.provider}, {"model", e.model.id}, {"api", e.model.api}, {"error", m.Text}}}})
	case "model":
		if m.Text != "" {
			for _, k := range models {
				if k.id == m.Text {
					e.model = k
				}
			}
		}
		return e.entry("model_change", field{"provider", e.model.provider}, field{"modelId", e.model.id})
	case "thinking":
		return e.entry("thinking_level_change", field{"thinkingLevel", m.Text})
	case "label":
		return e.entry("label", field{"targetId", target}, field{"label", m.Text})
	case "info":
		return e.entry("session_info", field{"name", m.Text})
	case "leaf":
		id := e.entry("leaf", field{"targetId", target})
		if at, ok := e.at[target]; ok {
			e.ctx, e.pending = at[0], at[1]
		}
		e.cur = target
		return id
	case "side":
		here := e.cur
		at := e.at[here]
		id := e.entry("custom", field{"customType", "openclaw.side-note"}, field{"data", obj{{"text", m.Text}}}, field{"appendMode", "side"})
		e.side[id] = true
		e.cur, e.at[here] = here, at
		return id
	case "mirror", "mirror-path":
		here, ctx, pending, model := e.cur, e.ctx, e.pending, e.model
		e.model = modelMirror
		id := e.turn(list{text(m.Text)}, noUsage, "stop", field{"idempotencyKey", e.t.uuid()})
		e.model, e.ctx, e.pending = model, ctx, pending
		if m.Kind == "mirror" {
			e.cur = here
			return id
		}
		e.add(m.Text)
		e.at[id] = [2]int{e.ctx, e.pending}
		return id
	case "opaque":
		return e.entry("host_note", field{"note", m.Text}, field{"weight", 1.5e3})
	case "usage":
		return e.entry("usage", field{"kind", "summary"}, field{"provider", e.model.provider}, field{"model", e.model.id}, field{"usage", noUsage})
	case "bash":
		command, output, _ := strings.Cut(m.Text, "\n")
		e.add(m.Text)
		return e.message(obj{{"role", "bashExecution"}, {"command", command}, {"output", output}, {"exitCode", 0}, {"cancelled", false},
			{"truncated", false}, {"timestamp", e.t.millis()}})
	case "error-turn":
		return e.turn(list{}, noUsage, "error", field{"errorMessage", m.Text})
	}
	panic("genlog: no meta line of kind " + m.Kind)
}

// modelMirror marks copies of delivered texts; their API field is this one whatever model answered.
var modelMirror = model{api: "openai-responses", provider: "openclaw", id: "delivery-mirror", factor: 1}

// Path follows the parents from the last written entry, as pi does; side appends at the very end are not scripted.
func (e *openclaw) Path() (string, func(string) bool, func(string) bool) {
	if e.streaming {
		all := func(string) bool { return true }
		return e.cur, all, all
	}
	on := map[string]bool{}
	var path []string
	for id := e.cur; id != "" && !on[id]; {
		on[id] = true
		path = append(path, id)
		p, ok := e.parents[id]
		if !ok {
			break
		}
		id = p
	}
	// The last compaction on the path decides: its kept range starts at the entry it names.
	ctx := on
	for i, id := range path {
		keep, isCompaction := e.keeps[id]
		if !isCompaction {
			continue
		}
		ctx = map[string]bool{}
		for _, after := range path[:i+1] {
			ctx[after] = true
		}
		for j := i + 1; j < len(path); j++ {
			if path[j] == keep {
				for _, kept := range path[i+1 : j+1] {
					ctx[kept] = true
				}
			}
		}
		break
	}
	return e.cur, func(id string) bool { return on[id] }, func(id string) bool { return ctx[id] }
}
