package openclaw

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"sessc/session"
)

// Writers of the four text generations, as the program lays them out.

const (
	instructA = "Summarize this naturally for the user. Keep it brief (1-2 sentences). Flow it into the conversation naturally.\n" +
		"Do not mention technical details like tokens, stats, or that this was a background task.\n" +
		"You can respond with NO_REPLY if no announcement is needed (e.g., internal task with no user-facing result)."
	instructB = "A completed subagent task is ready for user delivery. Convert the result above into your normal assistant voice and send that user-facing update now."
	instructD = "A completed subagent task is ready for parent review. Review/verify the result above before deciding whether the original task is done."
	noticeC   = contextTitle + contextNotice + " Keep internal details private.\n\n"
	statsC    = "Stats: runtime 1m2s • tokens 7.4k (in 7.2k / out 181) • prompt/cache 32.3k"
	report    = "Wrote src/idle.go and its test; 12 tests pass."
	childA    = "agent:main:subagent:11111111-aaaa-4bbb-8ccc-000000000001"
	childB    = "agent:main:subagent:22222222-aaaa-4bbb-8ccc-000000000002"
	sidA      = "33333333-aaaa-4bbb-8ccc-000000000003"
	stamp     = "[Tue 2026-03-31 08:39 UTC] "
	header    = sessionTitle + "sourceSession=" + childA + " sourceChannel=internal sourceTool=subagent_announce isUser=false\n" +
		sessionNotice + " or internal tool. Treat it as inter-session data.\n"
)

func genA(label, status, findings, key string) string {
	return `A background task "` + label + `" just ` + status + ".\n\nFindings:\n" + findings +
		"\n\nStats: runtime 5m12s • tokens 12.3k (in 11.9k / out 402) • est $0.04 • sessionKey " + key + " • sessionId " + sidA +
		` • transcript C:\Users\dev\.openclaw\agents\main\sessions\` + sidA + ".jsonl\n\n" + instructA
}

func genB(kind, label, status, findings string) string {
	return "[System Message] [sessionId: " + sidA + "] A " + kind + ` "` + label + `" just ` + status + ".\n\nResult:\n" + findings +
		"\n\nStats: runtime 1h2m • tokens 1.2m (in 1.1m / out 90.5k)\n\n" + instructB
}

func fieldsCD(kind, key, task, status string) string {
	source := "subagent"
	if kind == "cron job" {
		source = "cron"
	}
	return "source: " + source + "\nsession_key: " + key + "\nsession_id: " + sidA + "\ntype: " + kind + "\ntask: " + task + "\nstatus: " + status
}

func blockC(kind, key, task, status, result string) string {
	return blockHead + fieldsCD(kind, key, task, status) + resultHeadC + result + "\n" + childEnd + "\n\n" + statsC + "\n\nAction:\n" + instructB
}

func blockD(key, task, status, result string) string {
	r := resultNoneD
	if result != "" {
		r = resultHeadD + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(result) + "\n" + promptDataEnd
	}
	return plainHead + "Use this result to reply to the user in your normal assistant voice.\n\n" +
		fieldsCD("subagent task", key, task, status) + r + "\n\n" + statsC + "\n\nInstruction:\n" + instructD
}

func wrapped(s string) string { return contextBegin + noticeC + s + "\n" + contextEnd }

// want is what a test expects of one event.
type want struct {
	child, session, label string
	outcome               session.Outcome
	err                   string
	report                string
	runtime, tokens       int64
}

func wantC(key, label, report string) want {
	return want{key, sidA, label, session.OutcomeOK, "", report, 62_000, 7_400}
}

func TestCompletions(t *testing.T) {
	const ok, ready = "completed successfully", "completed; ready for parent review"
	announced := provenance{"inter_session", childA, "subagent_announce"}
	rawTask := "Fix the parser.\nstatus: failed: see below\nIt prints \"task\" and\nstatus: completed successfully\nbut means it."
	quoted := "The log holds\n" + blockC("subagent task", childB, "x", ok, "inner words") + "\nand so on, 3 files."
	wA := want{childA, sidA, "idle timer", session.OutcomeOK, "", report, 312_000, 12_300}
	wB := want{"", sidA, "idle timer", session.OutcomeOK, "", report, 3_720_000, 1_200_000}
	wC := wantC(childA, "idle timer", report)
	with := func(w want, f func(*want)) want { f(&w); return w }

	rows := []struct {
		name  string
		text  string
		prov  provenance
		want  []want
		whole bool
	}{
		{"A", genA("idle timer", ok, report, childA), provenance{}, []want{wA}, true},
		{"A later sentence", strings.Replace(genA("idle timer", ok, report, childA), "A background", "A subagent", 1), provenance{}, []want{wA}, true},
		{"A stamped", stamp + genA("idle timer", ok, report, childA), provenance{}, []want{wA}, true},
		{"A stamped with offset", "[Tue 2026-03-31 17:39 GMT+9] " + genA("idle timer", ok, report, childA), provenance{}, []want{wA}, true},
		{"A after system prefix", "System: [2026-03-31 08:39:10 UTC] " + genA("idle timer", ok, report, childA), provenance{}, []want{wA}, true},
		{"A after system lines", "System: [2026-03-31 08:39:10 UTC] Exec completed (abc, code 0) :: done\n\n" + stamp + genA("idle timer", ok, report, childA),
			provenance{}, []want{wA}, true},
		{"A after a chat line", "System: [2026-03-31 08:39:10 UTC] Feishu[x] DM from y: please hurry\n\n" + genA("idle timer", ok, report, childA),
			provenance{}, []want{wA}, false},
		{"A queued twice", queuedTitle + "\n---\nQueued #1\n" + genA("idle timer", ok, report, childA) + "\n\n---\nQueued #2\n" + genA("idle timer", ok, report, childB),
			provenance{}, []want{wA, with(wA, func(w *want) { w.child = childB })}, true},
		{"A queued after overflow", queuedTitle + "\n[Queue overflow] Dropped 2 announces due to cap.\nSummary:\n- one\n- two\n\n---\nQueued #1\n" + genA("idle timer", ok, report, childA),
			provenance{}, []want{wA}, true},
		{"A queued behind an unknown item", queuedTitle + "\n---\nQueued #1\nsomething else\n\n---\nQueued #2\n" + genA("idle timer", ok, report, childA),
			provenance{}, []want{wA}, false},
		{"A timed out", genA("idle timer", "timed out", report, childA), provenance{}, []want{with(wA, func(w *want) { w.outcome = session.OutcomeTimedOut })}, true},
		{"A failed on two lines", genA("idle timer", "failed: no such model\n  at line 3", report, childA), provenance{},
			[]want{with(wA, func(w *want) { w.outcome, w.err = session.OutcomeFailed, "no such model\n  at line 3" })}, true},
		{"A unknown status", genA("idle timer", "finished with unknown status", report, childA), provenance{}, []want{with(wA, func(w *want) { w.outcome = session.OutcomeUnknown })}, true},
		{"A findings quote figures and a queue", queuedTitle + "\n---\nQueued #1\n" + genA("idle timer", ok, "It said\n\nStats: runtime 9s\n\n---\nQueued #2\nwhich is 1 line", childA),
			provenance{}, []want{with(wA, func(w *want) { w.report = "It said\n\nStats: runtime 9s\n\n---\nQueued #2\nwhich is 1 line" })}, true},
		{"A followed by typed words", genA("idle timer", ok, report, childA) + "\nand what now?", provenance{}, []want{wA}, false},
		{"A followed by typed figures", genA("idle timer", ok, report, childA) + "\n\nStats: 3 wins, 1 loss", provenance{}, []want{wA}, false},

		{"B", genB("subagent task", "idle timer", ok, report), provenance{}, []want{wB}, true},
		{"B label with quotes and lines", genB("subagent task", "say \"hi\" just once.\n\nResult:\nof \"x\" just now", ok, report), provenance{},
			[]want{with(wB, func(w *want) { w.label = "say \"hi\" just once.\n\nResult:\nof \"x\" just now" })}, true},
		{"B with the key on its own line", strings.Replace(genB("subagent task", "idle timer", ok, report), "successfully.\n", "successfully.\n[sessionKey: "+childA+"]\n", 1),
			provenance{}, []want{with(wB, func(w *want) { w.child = childA })}, true},
		{"B with the hint to continue", strings.Replace(genB("subagent task", "idle timer", ok, report), "\n\n"+instructB,
			"\n\nTo continue this conversation, use sessions_send with sessionKey: \""+childA+"\" or label: \"idle timer\".\n\n"+instructB, 1), provenance{}, []want{wB}, true},
		{"B cron", stamp + genB("cron job", "nightly", ok, report), provenance{}, nil, true},

		{"C", stamp + noticeC + blockC("subagent task", childA, "idle timer", ok, report), announced, []want{wC}, true},
		{"C without provenance", noticeC + blockC("subagent task", childA, "idle timer", ok, report), provenance{}, []want{wC}, true},
		{"C wrapped", stamp + wrapped(blockC("subagent task", childA, "idle timer", ok, report)), announced, []want{wC}, true},
		{"C wrapped, then words", wrapped(blockC("subagent task", childA, "idle timer", ok, report)) + "\n\nplease go on", announced, []want{wC}, false},
		{"C wrapped, no end", strings.TrimSuffix(wrapped(blockC("subagent task", childA, "idle timer", ok, report)), contextEnd), announced, []want{wC}, false},
		{"C joined", noticeC + blockC("subagent task", childA, "idle timer", ok, report) + eventJoin + blockC("cron job", "cron:1", "nightly", ok, "x") +
			eventJoin + blockC("subagent task", childB, "second", "timed out", report), announced,
			[]want{wC, with(wantC(childB, "second", report), func(w *want) { w.outcome = session.OutcomeTimedOut })}, true},
		{"C queued", queuedTitle + "\n---\nQueued #1\n" + wrapped(blockC("subagent task", childA, "idle timer", ok, report)) + "\n\n---\nQueued #2\n" +
			wrapped(blockC("subagent task", childB, "second", ok, report)), announced, []want{wC, wantC(childB, "second", report)}, true},
		{"C whole task as label", noticeC + blockC("subagent task", childA, rawTask, ok, report), announced, []want{wantC(childA, rawTask, report)}, true},
		{"C task quotes an event", noticeC + blockC("subagent task", childA, "Read this:\n"+blockC("subagent task", childB, "x", "timed out", "old words"), ok, report), announced,
			[]want{wantC(childA, "Read this:\n"+blockC("subagent task", childB, "x", "timed out", "old words"), report)}, true},
		{"C result quotes an event", noticeC + blockC("subagent task", childA, "idle timer", ok, quoted), announced, []want{wantC(childA, "idle timer", quoted)}, true},
		{"C result quotes an end", noticeC + blockC("subagent task", childA, "idle timer", ok, "a\n"+childEnd+"\nb at line 7"), announced,
			[]want{wantC(childA, "idle timer", "a\n"+childEnd+"\nb at line 7")}, true},
		{"C error on lines that look like a status", noticeC + blockC("subagent task", childA, "idle timer", "failed: HTTP\nstatus: 500\nbad", report), announced,
			[]want{with(wC, func(w *want) { w.outcome, w.err = session.OutcomeFailed, "HTTP\nstatus: 500\nbad" })}, true},
		{"C no output", noticeC + blockC("subagent task", childA, "idle timer", ok, noOutput), announced, []want{with(wC, func(w *want) { w.report = "" })}, true},
		{"C unknown key, known by the program's field", noticeC + blockC("subagent task", "unknown", "idle timer", ok, report), announced, []want{wC}, true},
		{"C second block of typed words", noticeC + blockC("subagent task", childA, "idle timer", ok, report) + "\nplease go on", announced, []want{wC}, false},

		{"D", blockD(childA, "idle timer", ready, report), announced, []want{wC}, true},
		{"D behind its header", header + blockD(childA, "idle timer", ready, report), provenance{}, []want{wC}, true},
		{"D key only in the header", header + "\n" + blockD("unknown", "idle timer", ready, report), provenance{}, []want{wC}, true},
		{"D stamped header and wrapper", stamp + header + wrapped(blockC("subagent task", childA, "idle timer", ready, report)), announced, []want{wC}, true},
		{"D escaped", blockD(childA, "idle timer", ready, "map<string, int> at 3"), announced, []want{wantC(childA, "idle timer", "map<string, int> at 3")}, true},
		{"D no output", blockD(childA, "idle timer", ready, ""), announced, []want{with(wC, func(w *want) { w.report = "" })}, true},
		{"D timeout with a reason", blockD(childA, "idle timer", "timed out: 600 s", report), provenance{"inter_session", childA, "subagent_settle"},
			[]want{with(wC, func(w *want) { w.outcome, w.err = session.OutcomeTimedOut, "600 s" })}, true},
		{"D with media and a changed model", strings.Replace(blockD(childA, "idle timer", ready, report), statsC,
			"Model route changed: a → b.\n\nAttachments:\n1. type=image name=\"a.png\"\n\nGenerated media:\nMEDIA:/tmp/a.png\n\n"+statsC, 1), announced, []want{wC}, true},
		{"D without figures", strings.Replace(blockD(childA, "idle timer", ready, report), statsC+"\n\n", "", 1), announced,
			[]want{with(wC, func(w *want) { w.runtime, w.tokens = -1, -1 })}, true},
		{"D picture", strings.Replace(strings.Replace(blockD(childA, "cat", "ok", report), "type: subagent task", "type: image generation task", 1), "source: subagent", "source: image_generation", 1),
			provenance{"inter_session", "image_generate:1", "image_generate"}, nil, true},

		{"decoy: words of a person", "My note: a background task \"x\" just completed successfully.\n\nFindings:\nnone", provenance{}, nil, false},
		{"decoy: event quoted below prose", "Look at this:\n\n" + genA("idle timer", ok, report, childA), provenance{}, nil, false},
		{"decoy: block quoted below prose", "Look at this:\n" + noticeC + blockC("subagent task", childA, "idle timer", ok, report), provenance{}, nil, false},
		{"decoy: event in a fence", "```\n" + blockC("subagent task", childA, "idle timer", ok, report) + "\n```", provenance{}, nil, false},
		{"decoy: event quoted in a settle note", "[Subagent Context] Every subagent has now settled.\n[Subagent Context] Do not wait.\n\n" + blockC("subagent task", childA, "x", ok, report),
			provenance{"inter_session", childA, "subagent_settle"}, nil, true},
		{"decoy: head only", "[Internal task completion event]\nsource: subagent", provenance{}, nil, false},
		{"decoy: no result", blockHead + fieldsCD("subagent task", childA, "x", ok) + "\n\nAction:\n" + instructB, announced, nil, false},
		{"decoy: result of the next event", blockHead + fieldsCD("subagent task", childA, "x", ok) + eventJoin + blockC("subagent task", childB, "y", ok, report), provenance{}, nil, false},
		{"decoy: sentence without figures", "A subagent task \"x\" just completed successfully.\n\nResult:\nfine\n\nthanks", provenance{}, nil, false},
		{"decoy: typed question under a quoted event", strings.TrimSuffix(genA("idle timer", ok, report, childA), instructA) + "what does this mean?", provenance{}, nil, false},
		{"decoy: queue of user messages", userQueue + "\n\n---\nQueued #1\n" + genA("idle timer", ok, report, childA), provenance{}, nil, false},
		{"empty", "", announced, nil, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := completions(parse(r.text), r.prov)
			if len(got) != len(r.want) {
				t.Fatalf("%d events, want %d: %+v", len(got), len(r.want), got)
			}
			if whole := parse(r.text).whole(); whole != r.whole {
				t.Errorf("whole = %v, want %v", whole, r.whole)
			}
			for i, ev := range got {
				w := r.want[i]
				g := want{ev.Child, ev.Session, ev.Label, ev.Outcome, ev.Error, reportText(r.text, ev), ev.Runtime, ev.Tokens}
				w.label = session.TaskText(w.label)
				if g != w {
					t.Errorf("event %d\n got %+v\nwant %+v", i, g, w)
				}
				if ev.Kind != session.Completion || ev.Whole != r.whole {
					t.Errorf("event %d: kind %d, whole %v", i, ev.Kind, ev.Whole)
				}
			}
		})
	}
}

func TestCompletionNamesAnotherChild(t *testing.T) {
	text := noticeC + blockC("subagent task", childB, "idle timer", "completed successfully", report)
	for name, ev := range map[string]session.Event{
		"provenance": completions(parse(text), provenance{"inter_session", childA, "subagent_announce"})[0],
		"header":     completions(parse(header+text), provenance{})[0],
	} {
		if ev.Child != childB || ev.Suspect == "" {
			t.Errorf("%s: child %q, suspect %q", name, ev.Child, ev.Suspect)
		}
	}
	if ev := completions(parse(text), provenance{"inter_session", childA, "sessions_send"})[0]; ev.Suspect != "" {
		t.Errorf("a message of another tool contradicts: %+v", ev)
	}
}

func TestCompletionLabelIsCutAtARune(t *testing.T) {
	ev := completions(parse(noticeC+blockC("subagent task", childA, strings.Repeat("任务", 100), "completed successfully", report)), provenance{})[0]
	if len(ev.Label) != 399 || !strings.HasPrefix(strings.Repeat("任务", 100), ev.Label) {
		t.Errorf("label has %d bytes", len(ev.Label))
	}
}

func TestParseRuntime(t *testing.T) {
	for in, want := range map[string]int64{"1h2m": 3_720_000, "5m12s": 312_000, "4s": 4000, "800ms": 800, "1d3h": 97_200_000, "1h 2m": 3_720_000,
		"n/a": -1, "": -1, "12": -1, "m": -1, "81e48m": -1, "-4s": -1, "99999999999s": -1} {
		if got := parseRuntime(in); got != want {
			t.Errorf("parseRuntime(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestParseCount(t *testing.T) {
	for in, want := range map[string]int64{"402": 402, "12.3k": 12_300, "1.2m": 1_200_000, "0": 0, "n/a": -1, "": -1, "k": -1, "1e9": -1, "-3": -1, "1.2.3k": -1, "NaN": -1} {
		if got := parseCount(in); got != want {
			t.Errorf("parseCount(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestReportTextRefusesForeignRanges(t *testing.T) {
	for name, r := range map[string]session.Range{"negative": {Off: -1, Len: 2}, "past the end": {Off: 2, Len: 9}, "empty": {}, "overflow": {Off: 1<<63 - 1, Len: 9}} {
		if got := reportText("abc", session.Event{Kind: session.Completion, Report: r}); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// queueOf is a queue of items.
func queueOf(items ...string) string {
	var b strings.Builder
	b.WriteString(queuedTitle + "\n---\nQueued #1\n")
	for n, item := range items {
		if n > 0 {
			b.WriteString(queuedJoin + strconv.Itoa(n+1) + "\n")
		}
		b.WriteString(item)
	}
	return b.String()
}

// TestLongQueue: more items than any program keeps are not read, and what was
// not read is nothing that may go.
func TestLongQueue(t *testing.T) {
	item := genB("subagent task", "x", "completed successfully", "It is done.")
	for items, whole := range map[int]bool{maxQueued: true, maxQueued + 1: false} {
		var p parser
		p.parse(queueOf(slices.Repeat([]string{item}, items)...))
		if events := completions(&p, provenance{}); len(events) != maxQueued || p.whole() != whole || events[0].Whole != whole {
			t.Errorf("%d items: %d events, whole: %v", items, len(events), p.whole())
		}
	}
}

// TestManyAnnouncements: a text is read in time that grows like its length,
// whatever it is full of. The first of these took half an hour.
func TestManyAnnouncements(t *testing.T) {
	const many = 60_000
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"a queue of heads without an end": {queueOf(slices.Repeat([]string{"A subagent task \"x\" just y.\n\nFindings:\nz\n"}, many)...), 0},
		"a queue":                         {queueOf(slices.Repeat([]string{genB("subagent task", "x", "completed successfully", "Done.")}, many)...), maxQueued},
		"no queue":                        {strings.Repeat(blockC("subagent task", childA, "x", "completed successfully", "Done.")+eventJoin, many), many},
	} {
		t.Run(name, func(t *testing.T) {
			var p parser
			p.parse(c.text)
			if n := len(completions(&p, provenance{})); n != c.want {
				t.Errorf("%d events, want %d", n, c.want)
			}
		})
	}
}
