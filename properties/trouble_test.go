package properties_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sessc/compress"
	"sessc/mask"
	"sessc/scripts/gen/genlog"
)

// trouble is one thing that real logs do, and what shows that sessc bears it.
// Rows have the numbers of the list of troubles; 0a to 0c are the findings
// before it: the database, the live log, the foreign index.
type trouble struct {
	row string
	in  string // the target by its name; "" is the first
	log string // a fixture by its base name; "" when right makes its own
	// set are options beyond those of all machines.
	set func(o *compress.Options)
	// elsewhere names tests that show the row, or a part of it: package.Test,
	// or a script below fixtures/cli.
	elsewhere []string
	// right holds what came out to the right behaviour. With a log the run is
	// done, and every promise was checked; without one the trial is empty.
	right func(c *trial)
}

func keepNone(o *compress.Options) { o.Lifecycles.KeepLast = 0 }

var troubles = []trouble{
	{row: "0a", elsewhere: []string{"session/openclaw.TestWarnOfDatabase", "session/openclaw.TestSkipName", "fixtures/cli/trouble.txtar"}, right: databaseBeside},
	{row: "0b", elsewhere: []string{"writer.TestAgentLock", "writer.TestStaleLockIsTakenOver", "writer.TestRefusals", "session/openclaw.TestLockFile", "session/openclaw.TestPiProcess"}, right: agentLock},
	{row: "0c", right: foreignIndex},
	{row: "1", log: "torn-tail", right: tornTail},
	{row: "1", right: tornCompletion},
	{row: "1", set: keepNone, right: wholeTail},
	{row: "1", in: claudeCode, set: keepNone, right: wholeTail},
	{row: "2", log: "fused-lines", right: fusedLines},
	{row: "2", right: fragmentInside},
	{row: "3", log: "nul-line", right: nulLine},
	{row: "4", log: "04-spliced-records", right: splicedRecords},
	{row: "5", log: "05-lone-surrogate", right: loneSurrogate},
	{row: "6", log: "separators", right: separators},
	{row: "7", log: "bom", right: byteOrderMark},
	{row: "8", log: "crlf-blank", right: lineEnds},
	{row: "9", elsewhere: []string{"session/openclaw.TestHugeLine", "session/linescan.TestHugeLines", "session/openclaw.TestIndexMemory"}, right: longLine},
	{row: "11", log: "header-only", elsewhere: []string{"fixtures/cli/trouble.txtar", "fixtures/cli/badinput.txtar"}, right: leftAlone},
	{row: "12", log: "12-assistant-last", set: keepNone, right: assistantLast},
	{row: "13", log: "dangling-parent", right: danglingParent},
	{row: "13", in: claudeCode, log: "dangling-parent", right: breakBetween},
	{row: "13", in: claudeCode, log: "13-dangling-parents", right: breaksInside},
	{row: "14", log: "duplicate-id", elsewhere: []string{"lifecycle.TestRingBesideThePath"}, right: duplicateID},
	{row: "14", in: claudeCode, log: "14-uuid-twice", right: uuidTwice},
	{row: "14", in: claudeCode, log: "14-uuid-ring", right: uuidRing},
	{row: "14", in: claudeCode, log: "parent-cycle", right: parentRing},
	{row: "15", in: claudeCode, log: "client-2.1.39", set: keepNone, right: snapshotsName},
	{row: "16", log: "metadata", right: notesBetween},
	{row: "16", in: claudeCode, log: "16-progress-forks", right: progressForks},
	{row: "17", log: "17-compaction-siblings", right: compactionSiblings},
	{row: "18", log: "18-result-on-sibling", right: resultOnSibling},
	{row: "18", log: "branches", elsewhere: []string{"scan.TestFind"}, right: completionOnSibling},
	{row: "19", log: "19-call-ids", elsewhere: []string{"session/openclaw.TestPairs"}, right: callIDsTwice},
	{row: "20", log: "20-aborted-call", right: abortedCalls},
	{row: "20", log: "missing-results", right: missingResults},
	{row: "21", log: "21-orphan-result", right: orphanResults},
	{row: "21", log: "compaction-inside", right: orphanBehindCompaction},
	{row: "22", log: "thinking-parallel", elsewhere: []string{"session.TestWorse"}, right: pairsStay},
	{row: "23", log: "thinking-parallel", set: keepNone, right: signedReasoning},
	{row: "23", in: claudeCode, log: "thinking-parallel", set: keepNone, right: splitMessages},
	{row: "24", log: "nested", right: childLogsBeside},
	{row: "24", in: claudeCode, log: "with-subagents", set: keepNone, right: subagentFolder},
	{row: "24", in: claudeCode, log: "with-agents-beside", set: keepNone, right: subagentFolder},
	{row: "25", log: "wave-humans", elsewhere: []string{"session/openclaw.TestPlan"}, right: nativeIDs},
	{row: "26", log: "open-only", right: neverEnded},
	{row: "26", log: "26-progress-no-end", right: progressIsNoEnd},
	{row: "27", log: "duplicates", elsewhere: []string{"scan.TestFind"}, right: copiesGoTogether},
	{row: "28", log: "28-timeout-then-done", right: lastEndDecides},
	{row: "29", log: "29-half-done-success", right: halfDone},
	{row: "29", log: "reopened", right: reopened},
	{row: "30", log: "unknown-run", set: keepNone, right: unknownRun},
	{row: "31", log: "31-refused-then-again", right: refusedThenAgain},
	{row: "31", log: "spawn-errors", right: spawnErrors},
	{row: "32", log: "32-same-label", elsewhere: []string{"lifecycle.TestLeftAlone"}, right: sameLabel},
	{row: "33", log: "wave-six", right: outOfOrder},
	{row: "34", log: "open-only", right: acknowledgement},
	{row: "34b", in: claudeCode, log: "background", set: keepNone, right: noticeFrames},
	{row: "34b", in: claudeCode, log: "notification-forms", right: noticeFrames},
	{row: "35", log: "decoys", elsewhere: []string{"properties.TestQuotedMarkers"}, right: decoys},
	{row: "36", in: claudeCode, log: "36-streamed-copies", right: streamedCopies},
	{row: "37", log: "37-second-header", right: secondHeaderStays},
	{row: "38", elsewhere: []string{"restore.TestForkedLog", "restore.TestMovedAndCopiedLogs"}, right: forkInTwoFiles},
	{row: "38", in: claudeCode, right: backgroundFork},
	{row: "39", log: "39-scripts", elsewhere: []string{"tokens.TestEstimateError", "mask.TestCut"}, right: scripts},
	{row: "39", log: "languages", right: languages},
	{row: "40", log: "odd-clocks", right: oddClocks},
	{row: "41", log: "41-many-compactions", right: manyCompactions},
	{row: "42", elsewhere: []string{"compress.TestKilledAtEveryStep", "writer.TestCommit", "writer.TestEveryCallFails"}},
	{row: "43", elsewhere: []string{"compress.TestTwoProcesses", "writer.TestTwoCommits", "writer.TestDraft"}},
	{row: "44", elsewhere: []string{"writer.TestDiskFull", "compress.TestArchiveIsFull"}},
	{row: "45", elsewhere: []string{"writer.TestLateWriter"}, right: appendedMeanwhile},
	{row: "46", elsewhere: []string{"writer.TestSymlinkStays", "batch.TestFind", "fixtures/cli/trouble.txtar", "fixtures/cli/folder.txtar"}, right: links},
	{row: "47", elsewhere: []string{"writer.TestOwnerIsKept", "writer.TestPermissions", "archive.TestModes"}, right: modes},
	{row: "48", elsewhere: []string{"fixtures/cli/compress.txtar"}, right: timeStays},
	{row: "49", elsewhere: []string{"compress.TestSpoiledArchiveLeavesTheLog", "archive.TestPutFaults", "restore.TestFixturesComeBack"}, right: archiveFirst},
	{row: "51", log: "51-rule-inside", right: ruleInside},
	{row: "51", log: "wave-humans", right: constraintsStay},
	{row: "52", log: "52-established-fact", right: establishedFact},
	{row: "53", log: "53-plan-carried-out", right: planCarriedOut},
	{row: "54", log: "54-upbeat-report", right: upbeatReport},
	{row: "55", elsewhere: []string{"properties.TestInjectedOrders", "properties.TestForgedEnvelopes"}},
	{row: "56", elsewhere: []string{"properties.TestSecrets", "properties.TestErrorsKeepSecrets", "properties.TestLookAlikes"}},
	{row: "57", right: prefixStays},
	{row: "58", log: "compaction", right: foreignCompaction},
	{row: "58", right: compactionOverMasks},
}

// unconcerned are rows that nothing of today's sessc can meet, and why.
var unconcerned = map[string]string{
	"10":  "Codex: `compacted` lines with a history of their own; no reader of Codex yet. The kin in OpenClaw's format is row 41",
	"34c": "PicoClaw: `[SubTurn Result]` and `[System: async:spawn]`; no reader of PicoClaw yet",
	"50":  "PicoClaw: skip and count in meta.json; no reader of PicoClaw yet, and its Caps will refuse until the counts are written",
}

// rows are the numbers of the list.
func rows() []string {
	all := []string{"0a", "0b", "0c"}
	for n := 1; n <= 58; n++ {
		if all = append(all, fmt.Sprint(n)); n == 34 {
			all = append(all, "34b", "34c")
		}
	}
	return all
}

// TestTrouble shows every row of the list of troubles that concerns what is
// built.
func TestTrouble(t *testing.T) {
	logs := map[*target]map[string]specimen{}
	for n := range targets {
		tg := &targets[n]
		logs[tg] = map[string]specimen{}
		for _, sp := range fixturesOf(t, tg) {
			logs[tg][sp.name] = sp
		}
	}
	for _, tr := range troubles {
		name := tr.row
		if tr.in != "" {
			name += "/" + tr.in
		}
		if tr.log != "" {
			name += "/" + tr.log
		}
		if tr.right == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tg := tr.target(t)
			sp, ok := logs[tg][tr.log]
			if !ok && tr.log != "" {
				t.Fatalf("no fixture %s", tr.log)
			}
			if tr.log == "" {
				sp = logs[tg]["demo"]
				sp.name = "row-" + tr.row
			}
			sp.ownSession()
			c := &trial{desk: newDesk(t, tg, &sp, tr.set)}
			if tr.log != "" {
				c.outcome = c.examine(thorough)
			}
			tr.right(c)
		})
	}
	t.Logf("%d cases; %d of %d rows concern no format that is read", len(troubles), len(unconcerned), len(rows()))
}

// ownSession gives a log a session id that nobody runs an agent with: real
// runs are refused while somebody on the machine tries one on the fixture.
func (sp *specimen) ownSession() {
	was, truth := sp.truth.SessionID, *sp.truth
	if len(was) < 8 {
		return
	}
	truth.SessionID = "7e570000" + was[8:]
	own := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(was), []byte(truth.SessionID)) }
	sp.truth, sp.data = &truth, own(sp.data)
	files := map[string][]byte{}
	for name, b := range sp.files {
		files[name] = own(b)
	}
	sp.files = files
}

// target is the format that the case is of.
func (tr *trouble) target(tb testing.TB) *target {
	tb.Helper()
	n := 0
	if tr.in != "" {
		n = slices.IndexFunc(targets, func(tg target) bool { return tg.name == tr.in })
	}
	if n < 0 {
		tb.Fatalf("row %s: there is no format %s", tr.row, tr.in)
	}
	return &targets[n]
}

// TestTroubleList: every row of the list is shown or explained; what
// the table names is there; every log of fixtures/trouble has its case.
func TestTroubleList(t *testing.T) {
	shown := map[string]bool{}
	used := map[string]bool{}
	for _, tr := range troubles {
		shown[tr.row], used[tr.log] = true, true
		if tr.right == nil && len(tr.elsewhere) == 0 {
			t.Errorf("row %s shows nothing", tr.row)
		}
		if n, _, ok := strings.Cut(tr.log, "-"); ok && regexp.MustCompile(`^[0-9]+$`).MatchString(n) && strings.TrimLeft(n, "0") != tr.row {
			t.Errorf("row %s is shown by %s", tr.row, tr.log)
		}
		for _, test := range tr.elsewhere {
			if !exists(t, test) {
				t.Errorf("row %s: there is no test %s", tr.row, test)
			}
		}
		if unconcerned[tr.row] != "" {
			t.Errorf("row %s is shown, and said not to concern sessc", tr.row)
		}
	}
	for _, row := range rows() {
		if !shown[row] && unconcerned[row] == "" {
			t.Errorf("row %s has no case and no reason", row)
		}
	}
	all := rows()
	for row := range unconcerned {
		if !slices.Contains(all, row) {
			t.Errorf("the list has no row %s", row)
		}
	}
	for row := range shown {
		if !slices.Contains(all, row) {
			t.Errorf("the list has no row %s", row)
		}
	}
	for _, p := range allPlots() {
		if !used[p.name] {
			t.Errorf("%s is no case of any row", p.name)
		}
	}
}

// exists reports whether a test or a script is there.
func exists(tb testing.TB, name string) bool {
	tb.Helper()
	if strings.HasSuffix(name, ".txtar") {
		_, err := os.Stat("../" + name)
		return err == nil
	}
	dir, test, _ := strings.Cut(name, ".")
	files, err := filepath.Glob("../" + dir + "/*_test.go")
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range files {
		if bytes.Contains(fileOf(tb, f), []byte("\nfunc "+test+"(t ")) {
			return true
		}
	}
	return false
}

// trial is a desk and what the run made of its log.
type trial struct {
	*desk
	*outcome
}

// life is a lifecycle of the truth, by its place.
func (c *trial) life(n int) *genlog.Lifecycle { return &c.sp.truth.Lifecycles[n] }

// line is the line of an entry in the original, from 0.
func (c *trial) line(id string) int {
	c.tb.Helper()
	n := slices.IndexFunc(c.was.lines, func(r row) bool { return r.id == id })
	if n < 0 {
		c.tb.Fatalf("no line has the id %q", id)
	}
	return n
}

// stay: entries stand in the new log, byte for byte.
func (c *trial) stay(ids ...string) {
	c.tb.Helper()
	for _, id := range ids {
		if raw := c.was.lines[c.line(id)].raw; !c.stands(raw) {
			c.wrong("the line of %s changed: %s", id, short(raw))
		}
	}
}

// stands reports whether the new log holds a line as it is.
func (c *trial) stands(raw []byte) bool {
	return slices.ContainsFunc(c.now.lines, func(r row) bool { return bytes.Equal(r.raw, raw) })
}

// untouched: all entries of a lifecycle stand as they were.
func (c *trial) untouched(l *genlog.Lifecycle) {
	c.tb.Helper()
	c.stay(l.SpawnEntry)
	if l.ReceiptEntry != "" {
		c.stay(l.ReceiptEntry)
	}
	c.stay(l.CompletionEntries...)
}

// task is the task of the report that a lifecycle of the truth became.
func (c *trial) task(l *genlog.Lifecycle) *compress.Task {
	c.tb.Helper()
	at := c.line(l.SpawnEntry) + 1
	for n := range c.rep.Tasks {
		if c.rep.Tasks[n].Line == at {
			return &c.rep.Tasks[n]
		}
	}
	c.tb.Fatalf("%s of line %d was not compacted: %s", l.Label, at, jsonOf(c.tb, c.rep.Left))
	return nil
}

// record is the record that stands for a lifecycle.
func (c *trial) record(l *genlog.Lifecycle) mask.Record {
	c.tb.Helper()
	r, err := mask.Parse(c.task(l).Mask)
	if err != nil {
		c.tb.Fatal(err)
	}
	return r
}

// left: a lifecycle is left alone, for a reason.
func (c *trial) left(l *genlog.Lifecycle, reason string) compress.LeftOut {
	c.tb.Helper()
	at := c.line(l.SpawnEntry) + 1
	for _, out := range c.rep.Left {
		if out.Line == at {
			if !strings.HasPrefix(out.Reason, reason) {
				c.wrong("line %d is left alone: %s; want %s", at, out.Reason, reason)
			}
			c.untouched(l)
			return out
		}
	}
	c.wrong("line %d is not left alone", at)
	return compress.LeftOut{}
}

// isLeft reports whether a lifecycle is left alone.
func (c *trial) isLeft(l *genlog.Lifecycle) bool {
	at := c.line(l.SpawnEntry) + 1
	return slices.ContainsFunc(c.rep.Left, func(out compress.LeftOut) bool { return out.Line == at })
}

// says: a remark of the report holds a text.
func (c *trial) says(text string) {
	c.tb.Helper()
	if !slices.ContainsFunc(c.rep.Notes, func(n string) bool { return strings.Contains(n, text) }) {
		c.wrong("no note says %q: %q", text, c.rep.Notes)
	}
}

// compacted: so many lifecycles were found, so many compacted.
func (c *trial) compacted(found, done int) {
	c.tb.Helper()
	if c.rep.States.Found != found || len(c.rep.Tasks) != done {
		c.wrong("%d lifecycles found and %d compacted, want %d and %d", c.rep.States.Found, len(c.rep.Tasks), found, done)
	}
}

// maskLines are the raw lines of the masks.
func (c *trial) maskLines() [][]byte {
	var all [][]byte
	for _, n := range c.masks() {
		all = append(all, c.now.lines[n].raw)
	}
	return all
}

func has(items []string, text string) bool {
	return slices.ContainsFunc(items, func(s string) bool { return strings.Contains(s, text) })
}

func unmarshal(tb testing.TB, raw []byte, v any) {
	tb.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		tb.Fatal(err)
	}
}

// field reads a key of a line.
func field(tb testing.TB, raw []byte, key string) string {
	tb.Helper()
	var o object
	unmarshal(tb, raw, &o)
	return o.str(key)
}
