package scan_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/session"
	"sessc/session/openclaw"
)

// A work script is a log in words, one for each line but calls, which take two
// (the call, and its result):
//
//	human event text error     a prompt, a scheduled run, an answer, a failed turn
//	read:F write:F edit:F      calls about file F; write:F# has a text of 500 tokens
//	whole:F                    a read of all of F: read:F reads a part
//	test commit sh:C           commands: tests that pass, a commit, C
//	bad                        a command that fails
//	serve:H poll:H end:H       a command that is left running, and what asks about it
//	ask spawn                  a call that asks a person, one that starts a sub-task
//	signed+X                   signed reasoning before call X
//
// A "." behind a call makes its result short, "=" the same as any other such.
type worker struct {
	lines []string
	ids   map[string]string // id -> word
	n     int
}

func (w *worker) line(word string, v map[string]any) {
	w.n++
	id := fmt.Sprintf("e%d", w.n)
	v["id"], v["parentId"], v["timestamp"] = id, fmt.Sprintf("e%d", w.n-1), fmt.Sprintf("2026-05-01T10:%02d:%02d.000Z", w.n/60, w.n%60)
	if w.n == 1 {
		v["parentId"] = nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.lines = append(w.lines, string(b))
	w.ids[id] = word
}

func (w *worker) message(word string, m map[string]any) {
	w.line(word, map[string]any{"type": "message", "message": m})
}

func (w *worker) word(word string) {
	text := func(s string) []any { return []any{map[string]any{"type": "text", "text": s}} }
	assistant := map[string]any{"role": "assistant", "provider": "p", "model": "m", "stopReason": "stop"}
	switch word {
	case "human":
		w.message(word, map[string]any{"role": "user", "content": text("Please go on with the work.")})
		return
	case "event":
		w.message(word, map[string]any{"role": "user", "content": text("[cron:1234 weather] Tell me the weather.")})
		return
	case "text":
		assistant["content"] = text("It is done.")
		w.message(word, assistant)
		return
	case "error":
		assistant["content"], assistant["stopReason"] = []any{}, "error"
		w.message(word, assistant)
		return
	}
	name, signed := strings.CutPrefix(word, "signed+")
	name, short := strings.CutSuffix(name, ".")
	name, same := strings.CutSuffix(name, "=")
	kind, of, _ := strings.Cut(name, ":")
	tool, args, details := "exec", map[string]any{}, map[string]any{"status": "completed", "exitCode": 0}
	switch kind {
	case "read", "edit", "whole":
		tool, args["path"], details = kind, of, nil
		if kind == "whole" {
			tool = "read"
		} else {
			args["offset"] = w.n
		}
	case "write":
		of, long := strings.CutSuffix(of, "#")
		tool, args["path"], args["content"], details = kind, of, "text", nil
		if long {
			args["content"] = strings.Repeat("a line of the file\n", 120)
		}
	case "test":
		args["command"] = "go test ./..."
	case "commit":
		args["command"] = "git commit -m done"
	case "sh":
		args["command"] = strings.ReplaceAll(of, "_", " ")
	case "bad":
		args["command"], details = "make", map[string]any{"status": "completed", "exitCode": 2}
	case "serve":
		args["command"], details = "serve", map[string]any{"status": "running", "sessionId": of}
	case "poll", "end":
		tool, details = "process", map[string]any{"status": map[string]string{"poll": "running", "end": "completed"}[kind], "sessionId": of}
	case "ask":
		tool, details = "ask_user", nil
	case "spawn":
		tool, args["task"], details = "sessions_spawn", "Do it", map[string]any{"status": "accepted", "childSessionKey": "agent:main:subagent:a", "runId": "r"}
	default:
		panic("no such word: " + word)
	}
	id := fmt.Sprintf("call-%d", w.n)
	var content []any
	if signed {
		content = append(content, map[string]any{"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"})
	}
	assistant["content"], assistant["stopReason"] = append(content, map[string]any{"type": "toolCall", "id": id, "name": tool, "arguments": args}), "toolUse"
	w.message(word, assistant)
	out := fmt.Sprintf("%d: ", w.n) + strings.Repeat("some output of the tool, and more of it; ", 20)
	if short {
		out = "ok"
	}
	if same {
		out = strings.Repeat("the very same output as another time; ", 20)
	}
	w.message("result of "+word, map[string]any{"role": "toolResult", "toolCallId": id, "toolName": tool, "content": text(out), "isError": false, "details": details})
}

// work plays a script and returns the session, and the words of its entries.
func work(t *testing.T, script string) (*session.Session, func(i int32) string) {
	t.Helper()
	s, word, _ := workOnDisk(t, script)
	return s, word
}

// readsAt counts the reads of a log by where they begin.
type readsAt struct {
	*strings.Reader
	at map[int64]int
}

func (r readsAt) ReadAt(p []byte, off int64) (int, error) {
	r.at[off]++
	return r.Reader.ReadAt(p, off)
}

// workOnDisk is work with the reads of the log.
func workOnDisk(t *testing.T, script string) (*session.Session, func(i int32) string, readsAt) {
	t.Helper()
	w := &worker{ids: map[string]string{}}
	for _, word := range strings.Fields(script) {
		w.word(word)
	}
	log := `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n" + strings.Join(w.lines, "\n") + "\n"
	disk := readsAt{strings.NewReader(log), map[int64]int{}}
	s, err := session.Index(disk, int64(len(log)), "s.jsonl", openclaw.Format{}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s, func(i int32) string { return w.ids[s.IDOf(i)] }, disk
}

// found runs a source and selects.
func found(t *testing.T, s *session.Session, k lifecycle.Kind, o lifecycle.Options) ([]lifecycle.Lifecycle, lifecycle.Selection) {
	t.Helper()
	tasks := scan.Find(s)
	sel := lifecycle.Select(s, tasks, o)
	work := scan.ReadWork(s)
	free := lifecycle.NewFree(s, tasks, &sel, work.Cleared(), o)
	all := work.Find(k, free, o)
	return all, free.Select(all)
}

// many is a script of n times some words.
func many(n int, words string) string { return strings.Repeat(words+" ", n) }

func TestTurns(t *testing.T) {
	usual := lifecycle.Options{KeepTurns: 2, KeepCalls: 20}
	later := " human text human text"
	for _, c := range []struct {
		name, script string
		o            lifecycle.Options
		want         []string // first and last word of each part that goes
		left         []lifecycle.Reason
	}{
		{"a finished turn", "human sh:ls read:a text" + later, usual, []string{"sh:ls .. result of read:a"}, nil},
		{"its answer in two messages", "human sh:ls text text" + later, usual, []string{"sh:ls .. result of sh:ls"}, nil},
		{"words on the way", "human text sh:ls text" + later, usual, []string{"text .. result of sh:ls"}, nil},
		{"a scheduled run", "event sh:ls text" + later, usual, []string{"sh:ls .. result of sh:ls"}, nil},
		{"no work", "human text" + later, usual, nil, nil},
		{"among the newest", "human sh:ls text human text", usual, nil, []lifecycle.Reason{lifecycle.AmongTurns}},
		{"none is kept", "human sh:ls text human text", lifecycle.Options{}, []string{"sh:ls .. result of sh:ls"}, nil},
		{"an error at its end", "human sh:ls error" + later, usual, nil, []lifecycle.Reason{lifecycle.NotFinished}},
		{"no answer", "human sh:ls" + later, usual, nil, []lifecycle.Reason{lifecycle.NotFinished}},
		{"an open sub-task", "human sh:ls spawn text" + later, usual, nil, []lifecycle.Reason{lifecycle.NotFinished}},
		{"a process that runs", "human sh:ls serve:h read:a poll:h sh:pwd text" + later, usual,
			[]string{"sh:ls .. result of sh:ls", "read:a .. result of read:a", "sh:pwd .. result of sh:pwd"}, nil},
		{"a process that ended later", "human sh:ls serve:h text human end:h text" + later, usual,
			[]string{"sh:ls .. result of serve:h", "end:h .. result of end:h"}, nil},
		{"a person was asked", "human sh:ls ask sh:pwd text" + later, usual,
			[]string{"sh:ls .. result of sh:ls", "sh:pwd .. result of sh:pwd"}, nil},
		{"signed reasoning of an old turn", "human signed+sh:ls text" + later, usual, []string{"signed+sh:ls .. result of signed+sh:ls"}, nil},
		{"a long turn is cut at finished steps", "human " + many(11, "sh:ls") + "test " + many(11, "sh:ls") + "commit sh:ls text" + later, usual,
			[]string{"sh:ls .. result of test", "sh:ls .. result of commit", "sh:ls .. result of sh:ls"}, nil},
		{"a failing test is no step", "human " + many(12, "sh:ls") + "bad " + many(12, "sh:ls") + "text" + later, usual,
			[]string{"sh:ls .. result of sh:ls"}, nil},
		{"one prompt", "human " + many(13, "sh:ls") + "edit:a " + many(25, "sh:ls"), usual,
			[]string{"sh:ls .. result of edit:a"}, []lifecycle.Reason{lifecycle.NotFinished}},
		{"one prompt, the file is edited again", "human " + many(13, "sh:ls") + "edit:a " + many(25, "sh:ls") + "edit:a", usual,
			nil, []lifecycle.Reason{lifecycle.NotFinished}},
		{"one prompt, too short", "human test " + many(18, "sh:ls"), usual, nil, []lifecycle.Reason{lifecycle.NotFinished}},
		{"one prompt with signed reasoning", "human " + many(13, "sh:ls") + "commit " + many(25, "signed+sh:ls"), usual,
			nil, []lifecycle.Reason{lifecycle.SignedTurn, lifecycle.NotFinished}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, word := work(t, c.script)
			all, sel := found(t, s, lifecycle.Turn, c.o)
			var got []string
			for _, w := range sel.Waves {
				m := all[w.Lifecycles[0]].Members
				got = append(got, word(m[0])+" .. "+word(m[len(m)-1]))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q goes, want %q", got, c.want)
			}
			var left []lifecycle.Reason
			for _, l := range sel.Left {
				left = append(left, l.Reason)
			}
			if !slices.Equal(left, c.left) {
				t.Errorf("left alone: %q, want %q", left, c.left)
			}
		})
	}
}

// TestTurnOfManyRuns: what is looked up for a turn is looked up once, and not
// for each part of it. Memory tells: that of a turn of twice the length is
// twice as much.
func TestTurnOfManyRuns(t *testing.T) {
	allocated := func(n int) uint64 {
		var words strings.Builder
		for k := range n {
			fmt.Fprintf(&words, "edit:%d ask ", k)
		}
		s, _ := work(t, "human "+words.String()+"text human text human text")
		sel := lifecycle.Selection{}
		w, free := scan.ReadWork(s), lifecycle.NewFree(s, nil, &sel, nil, lifecycle.Options{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		all := w.Find(lifecycle.Turn, free, lifecycle.Options{})
		runtime.ReadMemStats(&after)
		if len(all) != n {
			t.Fatalf("%d parts, want %d", len(all), n)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if one, two := allocated(500), allocated(1000); two > 3*one {
		t.Errorf("%d bytes for 500 parts, %d for 1000", one, two)
	}
}

// TestPromptOnce: a prompt may be long, and is read once for all parts of its
// turn, and once more to see whether it is sound.
func TestPromptOnce(t *testing.T) {
	s, _, disk := workOnDisk(t, "human "+many(20, "sh:ls ask")+"text human text human text")
	sel := lifecycle.Selection{}
	w, free := scan.ReadWork(s), lifecycle.NewFree(s, nil, &sel, nil, lifecycle.Options{})
	prompt := s.Entries[s.Active[0]].Off
	disk.at[prompt] = 0
	if all := w.Find(lifecycle.Turn, free, lifecycle.Options{}); len(all) != 20 || disk.at[prompt] > 2 {
		t.Errorf("%d reads of the prompt for %d parts", disk.at[prompt], len(all))
	}
}

// TestTaskHasNoCall: 0 is a call, and not that of a task.
func TestTaskHasNoCall(t *testing.T) {
	s, _ := work(t, "human spawn")
	if tasks := scan.Find(s); len(tasks) != 1 || tasks[0].Call != -1 {
		t.Errorf("%+v", tasks)
	}
}

func TestResults(t *testing.T) {
	usual := lifecycle.Options{KeepResults: 2}
	later := " sh:one sh:two text"
	for _, c := range []struct {
		name, script string
		o            lifecycle.Options
		want         []string // calls that are cleared; "args of" where their arguments are
	}{
		{"old results", "human sh:a sh:b" + later, usual, []string{"sh:a", "sh:b"}},
		{"none is kept", "human sh:a text", lifecycle.Options{}, []string{"sh:a"}},
		{"no answer yet", "human sh:a", lifecycle.Options{}, nil},
		{"short ones", "human sh:a. sh:b" + later, usual, []string{"sh:b"}},
		{"a read stays", "human read:a" + later, usual, nil},
		{"of a file that is read whole again", "human read:a whole:a" + later, usual, []string{"read:a"}},
		{"of a file of which another part is read", "human read:a read:a" + later, usual, nil},
		{"of a file that is written later", "human whole:a edit:a." + later, usual, []string{"whole:a"}},
		{"of a file that was written before", "human edit:a. whole:a" + later, usual, nil},
		{"of a file that a command overwrites", "human whole:/w/a sh:tee_/w/a." + later, usual, []string{"whole:/w/a"}},
		{"of a file that a command copies to, or into", "human whole:/w/a sh:cp_b_/w/a." + later, usual, nil},
		{"of a file of that name in another folder", "human whole:/w/a sh:tee_a." + later, usual, nil},
		{"of a file that a command shows", "human whole:/w/a sh:grep_x_/w/a_2>/dev/null." + later, usual, nil},
		{"the same result again", "human read:a= read:b=" + later, usual, []string{"read:a="}},
		{"a long argument", "human write:a#." + later, usual, []string{"args of write:a#."}},
		{"a long argument and a long result", "human write:a#" + later, usual, []string{"write:a#", "args of write:a#"}},
		{"of a message with signed reasoning", "human signed+write:a#" + later, usual, []string{"signed+write:a#"}},
		{"what a person answered", "human ask sh:a" + later, usual, []string{"sh:a"}},
		{"of a sub-task", "human spawn sh:a" + later, usual, []string{"sh:a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, word := work(t, c.script)
			all, sel := found(t, s, lifecycle.Result, c.o)
			var got []string
			for _, w := range sel.Waves {
				l := &all[w.Lifecycles[0]]
				if l.Clear {
					got = append(got, word(l.Spawn))
				}
				if len(l.Args) > 0 {
					got = append(got, "args of "+word(l.Spawn))
				}
				if w.Pieces[0].Stay != true {
					t.Errorf("%s does not stay", word(l.Spawn))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q is cleared, want %q", got, c.want)
			}
		})
	}
}
