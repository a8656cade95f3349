//go:build samples

package claudecode

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/session"
)

// TestSamples compares the figures of the sample logs with those of their
// table, and holds a rewrite of each to what a rewrite in place promises. The
// folder of samples is no part of the repository; where it is missing, the
// test fails.
func TestSamples(t *testing.T) {
	dir := os.Getenv("SESSC_SAMPLES")
	if dir == "" {
		t.Fatal("SESSC_SAMPLES does not name the folder of sample logs")
	}
	rows := []struct {
		glob string
		// Calls that start an agent, those in the background, refused or failed
		// ones; notifications that end a run; runs by a message; lines; calls, and
		// as many results, that the client 2.1.328 sends when it resumes the log.
		calls, background, failed, ended, again, lines, sent int
	}{
		{"claude-code/async-launch-2.1.29/*.jsonl", 1, 1, 0, 1, 0, 591, 16},
		{"claude-code/sync-boundary-2.1.39/*.jsonl", 1, 0, 0, 0, 0, 1512, 81},
		{"claude-code/generated/g3/*.jsonl", 3, 2, 1, 3, 1, 65, 10},
		{"claude-code/generated/g4/*.jsonl", 6, 1, 2, 1, 0, 80, 0},
		// Eight are errors, one in the background is told to have failed.
		{"claude-code/generated/g9/*.jsonl", 60, 9, 9, 9, 0, 358, 80},
		{"mit/claude-1.0.108/*.jsonl", 3, 0, 1, 0, 0, 53, 13},
	}
	for _, r := range rows {
		t.Run(r.glob, func(t *testing.T) {
			paths, err := filepath.Glob(filepath.Join(dir, r.glob))
			if err != nil || len(paths) != 1 {
				t.Fatalf("%d files, %v", len(paths), err)
			}
			log, err := os.ReadFile(paths[0])
			if err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(paths[0], []session.Format{Format{}}, session.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			calls, background, failed, again, ended := 0, 0, 0, 0, 0
			for _, l := range scan.Find(s) {
				tool := ""
				for _, c := range s.CallsOf(l.Spawn) {
					if s.Str(c.ID) == l.Key {
						tool = s.Str(c.Name)
					}
				}
				if tool == toolMessage {
					again++
				} else {
					calls++
				}
				for _, e := range l.Events {
					switch ev := &s.Events[e]; {
					case ev.Kind == session.Accepted && tool != toolMessage:
						background++
					case ev.Kind == session.Completion:
						ended++
					}
				}
				if l.State == lifecycle.SpawnFailed || l.State == lifecycle.Failed {
					failed++
				}
				if !l.State.Finished() {
					t.Errorf("sub-task %s is %s: %s", l.Key, l.State, l.Why)
				}
			}
			sent := 0
			for _, c := range s.Calls {
				if s.Position(c.Entry) >= 0 {
					if sent++; c.Result < 0 || s.Position(c.Result) < 0 {
						t.Errorf("call %s is sent without a result", s.Str(c.ID))
					}
				}
			}
			got := fmt.Sprint(calls, background, failed, ended, again, s.Lines, sent)
			if want := fmt.Sprint(r.calls, r.background, r.failed, r.ended, r.again, r.lines, r.sent); got != want {
				t.Errorf("calls, background, failed, ended, again, lines, sent: %s, want %s", got, want)
			}
			if n := s.Count(session.Damaged) + s.Count(session.Opaque); n > 0 {
				t.Errorf("%d lines are damaged or of an unknown type", n)
			}
			rewriteSample(t, s, log)
		})
	}
}

// rewriteSample masks all that is finished and costs context.
func rewriteSample(t *testing.T, s *session.Session, log []byte) {
	t.Helper()
	var pieces []session.Piece
	for _, p := range piecesOf(s) {
		sent := true
		for _, i := range p.Members {
			sent = sent && s.Position(i) >= 0
		}
		if sent {
			pieces = append(pieces, p)
		}
	}
	plan, err := Format{}.Plan(s, pieces, terms)
	if err != nil {
		t.Fatal(err)
	}
	spliced, err := session.Splice(bytes.NewReader(log), int64(len(log)), plan.Edits)
	if err != nil {
		t.Fatal(err)
	}
	after, err := session.Index(spliced, spliced.Size(), s.Path, Format{}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	// Masks of the same size for all may be larger than what they replace.
	if worse := after.Format.Check(s.Format.Facts(s), after); worse != nil {
		t.Errorf("worse: %q", worse)
	}
	for _, l := range scan.Find(after) {
		if s.Position(l.Spawn) >= 0 {
			t.Errorf("a second run would find %s", l.Key)
		}
	}
}
