package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/session"
)

// entries is how long the made-up sessions are: entries 0 to 19 follow one
// another on the active path, a second apart. Entries 20 to 29 are an
// abandoned branch below entry 5, entries 30 to 39 one below entry 22.
const entries = 40

func newSession(events []session.Event) *session.Session {
	s := &session.Session{}
	b := session.NewBuilder(s)
	for i := range int32(entries) {
		e := session.Entry{Parent: i - 1, Time: int64(i+1) * 1000, Said: 10, Kind: session.HostEvent}
		switch i {
		case 20:
			e.Parent = 5
		case 30:
			e.Parent = 22
		}
		b.Add(e)
	}
	for i := range int32(20) {
		s.Chain = append(s.Chain, i)
	}
	s.Active, s.Leaf = s.Chain, 19
	for _, ev := range events {
		if ev.Runtime = -1; ev.Tokens == 0 {
			ev.Tokens = -1
		}
		s.Events = append(s.Events, ev)
	}
	b.Freeze()
	return s
}

// Events of a child k: its call is k, its key key-k, its run run-k, and it is
// called label-k where nothing else is said.
func spawn(at int32, k string) session.Event {
	return session.Event{Kind: session.Spawn, Entry: at, Call: k, Label: "label-" + k}
}

func called(label string, ev session.Event) session.Event { ev.Label = label; return ev }

func accepted(at int32, k string) session.Event {
	return session.Event{Kind: session.Accepted, Entry: at, Call: k, Child: "key-" + k, Run: "run-" + k}
}

func spent(n int64, ev session.Event) session.Event { ev.Tokens = n; return ev }

func words(n int64, ev session.Event) session.Event { ev.Report.Len = n; return ev }

func declined(at int32, k string) session.Event {
	return session.Event{Kind: session.SpawnError, Entry: at, Call: k, Error: "forbidden", Outcome: session.OutcomeFailed}
}

func inline(at int32, k string, o session.Outcome) session.Event {
	return session.Event{Kind: session.Inline, Entry: at, Call: k, Outcome: o}
}

func ended(at int32, k string, o session.Outcome) session.Event {
	return session.Event{Kind: session.Completion, Entry: at, Child: "key-" + k, Outcome: o, Whole: true}
}

func done(at int32, k string) session.Event { return ended(at, k, session.OutcomeOK) }

// labelled is a completion that names nothing but a label.
func labelled(at int32, label string) session.Event {
	return session.Event{Kind: session.Completion, Entry: at, Label: label, Outcome: session.OutcomeOK, Whole: true}
}

func about(kind session.EventKind, at int32, name string) session.Event {
	return session.Event{Kind: kind, Entry: at, Child: name}
}

func child(key string, ev session.Event) session.Event { ev.Child = key; return ev }

func run(id string, ev session.Event) session.Event { ev.Run = id; return ev }

func inner(id string, ev session.Event) session.Event { ev.Session = id; return ev }

func suspect(ev session.Event) session.Event { ev.Suspect = "no result"; return ev }

// line writes a lifecycle: its key and state, its completions, in brackets
// the entry that decides, and what else is known.
func line(s *session.Session, l *lifecycle.Lifecycle) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", l.Key, l.State)
	for _, i := range l.Completions {
		fmt.Fprintf(&b, " %d", i)
	}
	if l.Final >= 0 {
		fmt.Fprintf(&b, " (%d)", s.Events[l.Final].Entry)
		for _, n := range l.Earlier {
			fmt.Fprintf(&b, " after %d", s.Events[n].Entry)
		}
	}
	for n, i := range l.Touches {
		if n == 0 {
			b.WriteString(" touched")
		}
		fmt.Fprintf(&b, " %d", i)
	}
	if l.Outer != "" {
		b.WriteString(" in " + l.Outer)
	}
	if l.Ambiguous != "" {
		b.WriteString(" ambiguous")
	}
	return b.String()
}

func TestFind(t *testing.T) {
	const (
		ok       = session.OutcomeOK
		failed   = session.OutcomeFailed
		timedOut = session.OutcomeTimedOut
		unknown  = session.OutcomeUnknown
		killed   = session.OutcomeKilled
	)
	for _, c := range []struct {
		name   string
		events []session.Event
		want   string // a line per lifecycle, joined by ", "
	}{
		{"nothing", nil, ""},
		{"accepted", []session.Event{spawn(1, "a"), accepted(2, "a")}, "a running"},
		{"no result", []session.Event{spawn(1, "a")}, "a unknown"},
		{"an unclear result", []session.Event{spawn(1, "a"), about(session.Unclear, 2, "")}, "a unknown"},
		{"refused", []session.Event{spawn(1, "a"), declined(2, "a")}, "a spawn failed (2)"},
		{"refused, yet the child finished", []session.Event{spawn(1, "a"), child("key-a", declined(2, "a")), done(4, "a")}, "a done 4 (4)"},
		{"inline", []session.Event{spawn(1, "a"), inline(2, "a", ok)}, "a done 2 (2)"},
		{"inline failed", []session.Event{spawn(1, "a"), inline(2, "a", failed)}, "a failed 2 (2)"},
		{"inline suspect", []session.Event{spawn(1, "a"), suspect(inline(2, "a", ok))}, "a suspect 2 (2)"},
		{"done", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a")}, "a done 4 (4)"},
		{"failed", []session.Event{spawn(1, "a"), accepted(2, "a"), ended(4, "a", failed)}, "a failed 4 (4)"},
		{"timed out", []session.Event{spawn(1, "a"), accepted(2, "a"), ended(4, "a", timedOut)}, "a timed out 4 (4)"},
		{"killed, as a completion says", []session.Event{spawn(1, "a"), accepted(2, "a"), ended(4, "a", killed)}, "a killed 4 (4)"},
		{"unknown status", []session.Event{spawn(1, "a"), accepted(2, "a"), ended(4, "a", unknown)}, "a unknown 4 (4)"},
		{"suspect", []session.Event{spawn(1, "a"), accepted(2, "a"), suspect(done(4, "a"))}, "a suspect 4 (4)"},

		{"an end of other words decides", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), words(9, done(6, "a")), words(9, done(8, "a"))}, "a done 4 6 8 (6) after 4"},
		{"a copy of an end before the last", []session.Event{spawn(1, "a"), accepted(2, "a"), words(5, done(4, "a")), words(9, done(6, "a")), words(5, done(8, "a"))}, "a done 4 6 8 (6) after 4"},
		{"a time-out, success, and the time-out again", []session.Event{spawn(1, "a"), accepted(2, "a"), words(5, ended(4, "a", timedOut)), words(9, done(6, "a")), words(5, ended(8, "a", timedOut))}, "a done 4 6 8 (6) after 4"},
		{"a copy does not end what goes on", []session.Event{spawn(1, "a"), accepted(2, "a"), words(5, done(4, "a")), about(session.Activity, 6, "key-a"), words(5, done(8, "a"))}, "a running 4 8 (4) touched 6"},
		{"nor does one in other words", []session.Event{spawn(1, "a"), accepted(2, "a"), spent(7, words(5, done(4, "a"))), about(session.Activity, 6, "key-a"), spent(7, words(9, done(8, "a")))}, "a running 4 8 (4) touched 6"},
		{"other figures do", []session.Event{spawn(1, "a"), accepted(2, "a"), spent(7, words(5, done(4, "a"))), about(session.Activity, 6, "key-a"), spent(8, words(5, done(8, "a")))}, "a done 4 8 (8) after 4 touched 6"},
		{"went on, then killed", []session.Event{spawn(1, "a"), accepted(2, "a"), words(5, done(4, "a")), about(session.Activity, 6, "key-a"), about(session.Killed, 8, "key-a")}, "a killed 4 8 (8) after 4 touched 6"},
		{"copies: the first decides", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), done(6, "a"), done(8, "a")}, "a done 4 6 8 (4)"},
		{"a time-out, then success", []session.Event{spawn(1, "a"), accepted(2, "a"), ended(4, "a", timedOut), done(6, "a")}, "a done 4 6 (6) after 4"},
		{"success, then failure", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), ended(6, "a", failed)}, "a failed 4 6 (6) after 4"},
		{"success, then a status that says nothing", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), ended(6, "a", unknown)}, "a done 4 6 (4)"},
		{"a status that says nothing, then success", []session.Event{spawn(1, "a"), accepted(2, "a"), ended(4, "a", unknown), done(6, "a")}, "a done 4 6 (6) after 4"},
		{"suspect, then success", []session.Event{spawn(1, "a"), accepted(2, "a"), suspect(done(4, "a")), done(6, "a")}, "a done 4 6 (6) after 4"},
		{"success, then a copy that contradicts itself", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), suspect(done(6, "a"))}, "a suspect 4 6 (6) after 4"},

		{"out of order", []session.Event{spawn(1, "a"), spawn(1, "b"), spawn(1, "c"), accepted(2, "a"), accepted(3, "b"), accepted(4, "c"), done(6, "c"), done(7, "a"), ended(9, "b", failed)},
			"a done 7 (7), b failed 9 (9), c done 6 (6)"},
		{"two ends in one entry", []session.Event{spawn(1, "a"), accepted(2, "a"), spawn(3, "b"), accepted(4, "b"), done(6, "a"), done(6, "b")}, "a done 6 (6), b done 6 (6)"},
		{"an unknown run", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "x")}, "a running"},
		{"a completion before its spawn", []session.Event{done(0, "a"), spawn(1, "a"), accepted(2, "a")}, "a running"},
		{"an acknowledgement is no completion", []session.Event{spawn(1, "a"), accepted(2, "a"), about(session.Touch, 4, "key-a")}, "a running touched 4"},

		{"a message from the child re-opens", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), about(session.Activity, 6, "key-a")}, "a running 4 (4) touched 6"},
		{"and a second end closes again", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), about(session.Activity, 6, "key-a"), done(8, "a")}, "a done 4 8 (8) after 4 touched 6"},
		{"a message before the end changes nothing", []session.Event{spawn(1, "a"), accepted(2, "a"), about(session.Activity, 3, "key-a"), done(4, "a")}, "a done 4 (4) touched 3"},
		{"refused, yet the child is at work", []session.Event{spawn(1, "a"), child("key-a", declined(2, "a")), about(session.Activity, 4, "key-a")}, "a running (2) touched 4"},
		{"a question after the end changes nothing", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), about(session.Touch, 6, "key-a")}, "a done 4 (4) touched 6"},
		{"a re-run is a lifecycle of its own", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), spawn(6, "b"), child("key-a", accepted(7, "b")), about(session.Activity, 8, "key-a"), done(9, "a")},
			"a done 4 (4), b done 9 (9) touched 8"},
		{"two open runs of one child", []session.Event{spawn(1, "a"), accepted(2, "a"), spawn(3, "b"), child("key-a", accepted(4, "b")), done(6, "a")},
			"a running ambiguous, b done 6 (6) ambiguous"},
		{"told apart by their runs", []session.Event{spawn(1, "a"), accepted(2, "a"), spawn(3, "b"), child("key-a", accepted(4, "b")), run("run-a", done(6, "a"))},
			"a done 6 (6), b running"},

		{"of which the later one has ended", []session.Event{spawn(1, "a"), accepted(2, "a"), spawn(3, "b"), child("key-a", accepted(4, "b")), run("run-b", done(6, "a")), done(8, "a")},
			"a done 8 (8), b done 6 (6)"},

		{"killed by key", []session.Event{spawn(1, "a"), accepted(2, "a"), about(session.Killed, 4, "key-a")}, "a killed 4 (4)"},
		{"killed by run", []session.Event{spawn(1, "a"), accepted(2, "a"), about(session.Killed, 4, "run-a")}, "a killed 4 (4)"},
		{"killed by label", []session.Event{spawn(1, "a"), accepted(2, "a"), about(session.Killed, 4, "label-a")}, "a killed 4 (4)"},
		{"killed when it was done", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), about(session.Killed, 6, "key-a")}, "a done 4 (4)"},
		{"killed, then announced", []session.Event{spawn(1, "a"), accepted(2, "a"), about(session.Killed, 4, "key-a"), ended(6, "a", killed)}, "a killed 4 6 (4)"},
		{"killed by a label that two open ones have", []session.Event{called("x", spawn(1, "a")), accepted(2, "a"), called("x", spawn(3, "b")), accepted(4, "b"), about(session.Killed, 6, "x")},
			"a running ambiguous, b running ambiguous"},
		{"killed by a label that one open one has", []session.Event{called("x", spawn(1, "a")), accepted(2, "a"), done(3, "a"), called("x", spawn(4, "b")), accepted(5, "b"), about(session.Killed, 6, "x")},
			"a done 3 (3), b killed 6 (6)"},
		{"an unknown name", []session.Event{spawn(1, "a"), accepted(2, "a"), about(session.Killed, 4, "key-x"), about(session.Touch, 5, "x"), about(session.Activity, 6, "")}, "a running"},
		{"asked about by label", []session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), about(session.Touch, 6, "label-a")}, "a done 4 (4) touched 6"},
		{"asked about by a label that two have had", []session.Event{called("x", spawn(1, "a")), accepted(2, "a"), called("x", spawn(3, "b")), accepted(4, "b"), done(5, "a"), done(6, "b"), about(session.Touch, 7, "x")},
			"a done 5 (5), b done 6 (6)"},

		{"by label", []session.Event{spawn(1, "a"), accepted(2, "a"), labelled(4, "label-a")}, "a done 4 (4)"},
		{"by label, another has ended", []session.Event{called("x", spawn(1, "a")), accepted(2, "a"), labelled(3, "x"), called("x", spawn(4, "b")), accepted(5, "b"), labelled(6, "x")},
			"a done 3 (3), b done 6 (6)"},
		{"by label, two are open", []session.Event{called("x", spawn(1, "a")), accepted(2, "a"), called("x", spawn(3, "b")), accepted(4, "b"), labelled(6, "x")},
			"a running ambiguous, b running ambiguous"},
		{"ambiguous for good, though a key ends one", []session.Event{called("x", spawn(1, "a")), accepted(2, "a"), called("x", spawn(3, "b")), accepted(4, "b"), labelled(6, "x"), done(7, "a")},
			"a done 7 (7) ambiguous, b running ambiguous"},
		{"by label, spawned later", []session.Event{labelled(1, "label-a"), spawn(2, "a"), accepted(3, "a")}, "a running"},
		{"by label, refused", []session.Event{spawn(1, "a"), declined(2, "a"), labelled(4, "label-a")}, "a spawn failed (2)"},
		{"a key that fits nothing is not helped by the label", []session.Event{spawn(1, "a"), accepted(2, "a"), called("label-a", done(4, "x"))}, "a running"},
		{"without a label the task is its name", []session.Event{{Kind: session.Spawn, Entry: 1, Call: "a", Task: "Count the words"}, accepted(2, "a"), labelled(4, "Count the words")}, "a done 4 (4)"},
		{"no label, no name", []session.Event{called("", spawn(1, "a")), accepted(2, "a"), labelled(4, "")}, "a running"},
		{"a copy by the child's session id", []session.Event{called("x", spawn(1, "a")), accepted(2, "a"), inner("i", labelled(4, "x")), called("x", spawn(5, "b")), accepted(6, "b"), inner("i", labelled(7, "x"))},
			"a done 4 7 (4), b running"},

		{"a call id twice on one branch", []session.Event{spawn(1, "a"), accepted(2, "a"), spawn(4, "a"), run("run-b", child("key-b", accepted(5, "a"))), done(6, "b")},
			"a running ambiguous, a done 6 (6) ambiguous"},
		{"a call id twice in one message", []session.Event{spawn(1, "a"), spawn(1, "a"), accepted(2, "a")}, "a unknown ambiguous, a running ambiguous"},
		{"a call id three times", []session.Event{spawn(1, "a"), accepted(2, "a"), spawn(4, "a"), accepted(5, "a"), spawn(7, "a"), accepted(8, "a")},
			"a running ambiguous, a running ambiguous, a running ambiguous"},
		{"a call id twice on an abandoned branch", []session.Event{spawn(21, "a"), accepted(22, "a"), spawn(33, "a"), accepted(34, "a"), spawn(26, "a"), accepted(27, "a")},
			"a running ambiguous, a running ambiguous, a running ambiguous"},
		{"a call id on two branches", []session.Event{spawn(6, "a"), accepted(7, "a"), spawn(20, "a"), accepted(21, "a"), done(9, "a")}, "a done 9 (9), a running"},
		{"a call without an id", []session.Event{spawn(1, ""), accepted(2, "")}, " unknown ambiguous"},
		{"a run id twice", []session.Event{spawn(1, "a"), accepted(2, "a"), spawn(3, "b"), run("run-a", accepted(4, "b"))}, "a running ambiguous, b running ambiguous"},
		{"a run id on two branches", []session.Event{spawn(6, "a"), accepted(7, "a"), spawn(20, "b"), run("run-a", accepted(21, "b"))}, "a running, b running"},
		{"two results of one call: the first counts", []session.Event{spawn(1, "a"), declined(2, "a"), accepted(3, "a")}, "a spawn failed (2)"},

		{"a receipt on another branch", []session.Event{spawn(6, "a"), accepted(20, "a")}, "a unknown"},
		{"a completion on an abandoned branch", []session.Event{spawn(1, "a"), accepted(2, "a"), done(21, "a")}, "a running"},
		{"all on an abandoned branch", []session.Event{spawn(20, "a"), accepted(21, "a"), done(24, "a")}, "a done 24 (24)"},
		{"on a branch of a branch", []session.Event{spawn(21, "a"), accepted(22, "a"), done(33, "a")}, "a done 33 (33)"},
		{"on two branches of a branch", []session.Event{spawn(23, "a"), accepted(24, "a"), done(33, "a")}, "a running"},
		{"abandoned, and ended on the path", []session.Event{spawn(20, "a"), accepted(21, "a"), done(9, "a")}, "a running"},

		{"nested", []session.Event{spawn(1, "a"), child("k", accepted(2, "a")), spawn(3, "b"), child("k:subagent:1", accepted(4, "b")), spawn(5, "c"), child("k:subagent:1:subagent:2", accepted(6, "c")), spawn(7, "d"), child("kk", accepted(8, "d"))},
			"a running, b running in a, c running in b, d running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := range c.events {
				if c.events[n].Kind == session.Unclear {
					c.events[n].Call = "a"
				}
			}
			s := newSession(c.events)
			var got []string
			for _, l := range scan.Find(s) {
				got = append(got, line(s, &l))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, ", "), c.want)
			}
		})
	}
}

// TestEvents checks that every event is matched to at most one lifecycle, and
// which ones are matched to none.
func TestEvents(t *testing.T) {
	s := newSession([]session.Event{
		spawn(1, "a"), accepted(2, "a"), declined(3, "a"), about(session.Touch, 4, "key-a"), about(session.Touch, 4, "key-x"),
		done(5, "a"), done(6, "x"), about(session.Killed, 7, "key-a"), done(8, "a"),
	})
	found := scan.Find(s)
	if len(found) != 1 {
		t.Fatalf("%d lifecycles, want 1", len(found))
	}
	if got, want := fmt.Sprint(found[0].Events), "[0 1 3 5 7 8]"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
}

func TestUnsureEntriesEndABranch(t *testing.T) {
	s := newSession([]session.Event{spawn(20, "a"), accepted(21, "a"), done(24, "a")})
	s.Entries[23].Flags |= session.Unsure
	if got := scan.Find(s)[0].State; got != lifecycle.Running {
		t.Errorf("%s: a completion below an ambiguous entry was matched", got)
	}
}

func TestCosts(t *testing.T) {
	for _, c := range []struct {
		name             string
		started, ended   int64 // entry times, unix ms
		runtime, tokens  int64
		took, spent, own int64
	}{
		{"the clock", 1000, 61_000, 30_000, 500, 60_000, 500, 30},
		{"the same moment", 1000, 1000, 30_000, -1, 0, -1, 30},
		{"a clock that runs backwards", 5000, 1000, -1, -1, -1, -1, 30},
		{"backwards, with the program's figure", 5000, 1000, 30_000, -1, 30_000, -1, 30},
		{"no time at the spawn", 0, 61_000, 30_000, 7, 30_000, 7, 30},
		{"no time at the completion", 1000, 0, -1, 0, -1, 0, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession([]session.Event{spawn(1, "a"), accepted(2, "a"), done(4, "a"), spawn(10, "b"), accepted(11, "b")})
			s.Entries[1].Time, s.Entries[4].Time = c.started, c.ended
			s.Events[2].Runtime, s.Events[2].Tokens = c.runtime, c.tokens
			found := scan.Find(s)
			l := found[0]
			if l.Took != c.took || l.Spent != c.spent || int64(l.Own) != c.own {
				t.Errorf("took %d ms, %d tokens, own %d; want %d, %d, %d", l.Took, l.Spent, l.Own, c.took, c.spent, c.own)
			}
			if l.Started != c.started || l.Ended != c.ended {
				t.Errorf("from %d to %d, want %d to %d", l.Started, l.Ended, c.started, c.ended)
			}
			if open := found[1]; open.Took != -1 || open.Spent != -1 || open.Ended != 0 {
				t.Errorf("one that runs took %d ms and %d tokens and ended at %d", open.Took, open.Spent, open.Ended)
			}
		})
	}
	t.Run("off the path nothing is paid", func(t *testing.T) {
		s := newSession([]session.Event{spawn(20, "a"), accepted(21, "a"), done(24, "a")})
		if got := scan.Find(s)[0].Own; got != 0 {
			t.Errorf("own %d, want 0", got)
		}
	})
	t.Run("an entry with two roles is paid once", func(t *testing.T) {
		s := newSession([]session.Event{spawn(1, "a"), inline(2, "a", session.OutcomeOK)})
		if got := scan.Find(s)[0].Own; got != 20 {
			t.Errorf("own %d, want 20", got)
		}
	})
}

// TestWhy checks what is said of states that are not plain.
func TestWhy(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []session.Event
		want   string
	}{
		{"no result", []session.Event{spawn(1, "a")}, "its spawn has no result"},
		{"refused", []session.Event{spawn(1, "a"), declined(2, "a")}, "forbidden"},
		{"running", []session.Event{spawn(1, "a"), accepted(2, "a"), about(session.Activity, 3, "key-a")}, ""},
		{"re-opened", []session.Event{spawn(1, "a"), accepted(2, "a"), done(3, "a"), about(session.Activity, 4, "key-a")}, "its child went on after its end"},
		{"closed again", []session.Event{spawn(1, "a"), accepted(2, "a"), done(3, "a"), about(session.Activity, 4, "key-a"), done(5, "a")}, ""},
		{"unknown status", []session.Event{spawn(1, "a"), accepted(2, "a"), ended(3, "a", session.OutcomeUnknown)}, "its completion names no known status"},
		{"unknown status inline", []session.Event{spawn(1, "a"), inline(2, "a", session.OutcomeUnknown)}, "its completion names no known status"},
		{"suspect", []session.Event{spawn(1, "a"), accepted(2, "a"), suspect(done(3, "a"))}, "no result"},
		{"suspect, then killed", []session.Event{spawn(1, "a"), accepted(2, "a"), suspect(done(3, "a")), about(session.Killed, 4, "key-a")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := scan.Find(newSession(c.events))[0].Why; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
