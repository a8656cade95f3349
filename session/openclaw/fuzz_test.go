package openclaw

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sessc/session"
)

// gapPattern is what may stand around announcements, written down a second
// time: the reader's own idea of an envelope is what is tested.
var gapPattern = regexp.MustCompile(`^(?:[\s\v\x{85}\p{Z}]|\[[^\]\n]{10,80}\] |System: [^\n]*(?:\n|$)|System: \[[^\]\n]*\] |\[Inter-session message\] [^\n]*(?:\n|$)|` +
	`This content was routed by OpenClaw[^\n]*(?:\n|$)|<<<(?:BEGIN|END)_OPENCLAW_INTERNAL_CONTEXT>>>|OpenClaw runtime context \(internal\):\n|` +
	`This context is runtime-generated[^\n]*(?:\n|$)|\[Queued announce messages while agent was busy\]|---\n|Queued #\d+\n|` +
	`\[Queue overflow\][^\n]*(?:\n|$)|Summary:[^\n]*(?:\n|$)|- [^\n]*(?:\n|$))*$`)

func FuzzCompletions(f *testing.F) {
	const ok = "completed successfully"
	for _, s := range []string{
		"", "hello", "\v", stamp + genA("a", ok, report, childA), genB("cron job", "n", "failed: x\ny", report),
		noticeC + blockC("subagent task", childA, "a\nstatus: b", ok, report) + eventJoin + blockC("subagent task", childB, "b", "timed out", noOutput),
		wrapped(blockC("subagent task", childA, "a", ok, "x\n"+childEnd+"\n"+childBegin)), header + blockD(childA, "a", ok, ""), blockD(childA, "a", ok, "<b>") + "\nhi",
		queuedTitle + "\n---\nQueued #1\n" + genA("a", ok, report, childA) + "\n\n---\nQueued #2\n" + genA("b", ok, noOutput, childB),
		"System: [2026-03-31 08:39:10 UTC] Exec completed (a, code 0)\n\n[cron:1 x] y", "A b \"\" just completed successfully.\n\nFindings:\n\nStats: \n\n" + instructA,
	} {
		f.Add(s, childA, "subagent_announce")
		f.Add(s, "", "")
	}
	f.Fuzz(func(t *testing.T, text, key, tool string) {
		prov := provenance{"inter_session", key, tool}
		p := parse(text)
		// What is accounted for lies in order and within the text, and what
		// lies between announcements is nothing but envelopes.
		at := 0
		for _, part := range p.parts {
			if part.at < at || part.end < part.at || part.end > p.pos || p.pos > len(text) {
				t.Fatalf("part %d-%d after %d, read to %d of %d", part.at, part.end, at, p.pos, len(text))
			}
			if p.whole() && !gapPattern.MatchString(text[at:part.at]) {
				t.Fatalf("unaccounted %q", text[at:part.at])
			}
			at = part.end
			if r := part.ev.report; part.event && (r.Off < int64(part.at) || r.End() > int64(part.end)) {
				t.Fatalf("report %+v outside of part %d-%d", r, part.at, part.end)
			}
		}
		if p.whole() && !gapPattern.MatchString(text[at:]) {
			t.Fatalf("unaccounted %q", text[at:])
		}
		for _, ev := range completions(parse(text), prov) {
			if ev.Whole != p.whole() || ev.Kind != session.Completion {
				t.Fatalf("event %+v", ev)
			}
			if strings.ContainsAny(ev.Error, "\n\r") || len(ev.Error) > 500 || len(ev.Label) > 400 || ev.Runtime < -1 || ev.Tokens < -1 {
				t.Fatalf("event %+v", ev)
			}
			reportText(text, ev)
		}
		isHostText(parse(text), prov)
		if isHostText(parse(text), provenance{}) && !p.whole() {
			t.Fatal("a text with unknown parts is the program's")
		}
		// Words behind a text are never taken for the program's.
		if typed := text + "\n\nand now, dear agent?"; len(p.parts) > 0 && p.parts[0].event && parse(typed).whole() && !strings.Contains(text, "[cron:") {
			t.Fatalf("typed words are consumed: %q", typed)
		}
	})
}

func FuzzReceipt(f *testing.F) {
	f.Add(toolSpawn, `{"status":"accepted","childSessionKey":"a"}`, "x", false)
	f.Add(toolSend, ``, `{"status":"ok","reply":"\u00e9"}`, false)
	f.Add("subagents", `{"action":"kill","status":"ok","labels":[1,"a"],"active":[{"key":"k"}],"pending":["p"]}`, `{"ids":["x"]}`, true)
	f.Fuzz(func(t *testing.T, tool, details, text string, flag bool) {
		ev := receipt(tool, []byte(details), []byte(text), flag, flag)
		if ev.Report.Off < 0 || ev.Report.Len < 0 || ev.Report.End() > int64(len(text)) {
			t.Fatalf("report %+v of %d bytes", ev.Report, len(text))
		}
		reportText(text, ev)
		touched, killed, _ := steered(tool, []byte(text), []byte(details), nil)
		for _, k := range killed {
			if !slices.Contains(touched, k) {
				t.Fatalf("%q was ended but not touched: %q", k, touched)
			}
		}
		spawnArgs([]byte(text))
	})
}
