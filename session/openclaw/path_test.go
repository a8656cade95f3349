package openclaw

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"sessc/session"
)

// TestActivePath follows section 4 of the formats page: which entry is the
// leaf, what hangs above it, and what of that is sent.
func TestActivePath(t *testing.T) {
	rows := []struct {
		name                string
		log                 func(l *logFile)
		leaf, chain, active string
	}{
		{"header only", func(l *logFile) {}, "", "", ""},
		{"a straight line", func(l *logFile) { l.user("a", "x").agent("b", "y", 0).user("c", "z") }, "c", "a b c", "a b c"},
		{"metadata is in the chain alone", func(l *logFile) {
			l.add("model_change", "m", o{"provider": "p", "modelId": "q"}).user("a", "x").add("custom", "c", o{"customType": "x"}).agent("b", "y", 0).
				add("label", "d", o{"targetId": "a"})
		}, "d", "m a c b d", "a b"},
		{"an abandoned branch", func(l *logFile) { l.user("a", "x").agent("b", "y", 0).user("c", "z").at("b").user("d", "w") }, "d", "a b d", "a b d"},
		{"an unknown type is the last entry, as for pi", func(l *logFile) { l.user("a", "x").add("weather", "w", nil) }, "w", "a w", "a"},
		{"an unknown type where OpenClaw wrote", func(l *logFile) {
			l.user("a", "x").add("custom", "s", o{"appendMode": "side"}).at("a").add("weather", "w", nil)
		}, "a", "a", "a"},
		{"a side append", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).add("message", "s", o{"appendMode": "side", "message": o{"role": "user", "content": "aside"}})
		}, "b", "a b", "a b"},
		{"what hangs below a side append", func(l *logFile) {
			l.user("a", "x").add("custom", "s", o{"appendMode": "side"}).agent("b", "y", 0)
		}, "b", "a s b", "a b"},
		{"leaf moved back", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).user("c", "z").add("leaf", "l", o{"targetId": "b"})
		}, "b", "a b", "a b"},
		{"leaf moved and gone on", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).user("c", "z").add("leaf", "l", o{"targetId": "a"}).at("a").user("d", "w")
		}, "d", "a d", "a d"},
		{"leaf moved twice", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).add("leaf", "l", o{"targetId": "a"}).add("leaf", "k", o{"targetId": "b"})
		}, "b", "a b", "a b"},
		{"leaf moved to an id that comes twice", func(l *logFile) {
			l.user("a", "x").agent("b", "one", 0).at("a").agent("b", "two", 0).user("c", "z").add("leaf", "l", o{"targetId": "b"})
		}, "b", "a b", "a b"},
		{"leaf moved to nowhere", func(l *logFile) { l.user("a", "x").add("leaf", "l", o{"targetId": "nobody"}) }, "a", "a", "a"},
		{"leaf before the first entry", func(l *logFile) { l.user("a", "x").add("leaf", "l", o{"targetId": nil}) }, "", "", ""},
		{"leaf before the first entry, then a new start", func(l *logFile) {
			l.user("a", "x").add("leaf", "l", o{"targetId": nil}).at("").user("b", "y")
		}, "b", "b", "b"},
		{"a missing parent ends the walk", func(l *logFile) { l.user("a", "x").at("gone").agent("b", "y", 0).user("c", "z") }, "c", "b c", "b c"},
		{"two roots", func(l *logFile) { l.user("a", "x").agent("b", "y", 0).at("").user("c", "z").agent("d", "w", 0) }, "d", "c d", "c d"},
		{"a parent that comes later", func(l *logFile) { l.at("b").user("a", "x").at("").user("b", "y").at("a").user("c", "z") }, "c", "b a c", "b a c"},
		{"a ring", func(l *logFile) { l.at("b").user("a", "x").at("a").user("b", "y") }, "b", "a b", "a b"},
		{"its own parent", func(l *logFile) { l.user("a", "x").at("b").user("b", "y") }, "b", "b", "b"},
		{"a ring by an id that comes twice", func(l *logFile) { l.user("a", "x").agent("b", "y", 0).user("c", "z").agent("a", "w", 0) }, "a", "b c a", "b c a"},
		{"an id that comes twice, without a ring", func(l *logFile) {
			l.user("a", "x").agent("b", "one", 0).at("a").agent("b", "two", 0).user("c", "z")
		}, "c", "a b c", "a b c"},
		{"lines without an id", func(l *logFile) {
			l.user("a", "x")
			l.raw(`{"type":"message","parentId":"a","message":{"role":"user","content":"stray"}}`)
		}, "a", "a", "a"},
		{"a second header", func(l *logFile) {
			l.user("a", "x")
			l.raw(`{"type":"session","version":3,"id":"s2","parentId":"a"}`)
		}, "a", "a", "a"},
		{"damage in the middle", func(l *logFile) {
			l.user("a", "x")
			l.raw(`{"type":"message","id":"b","parentId":"a","mess`)
			l.at("b").user("c", "z")
		}, "c", "c", "c"},

		{"compaction", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).user("c", "z").agent("d", "w", 0).add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "c"}).user("e", "v")
		}, "e", "a b c d k e", "k c d e"},
		{"compaction that keeps nothing it names", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "gone"}).user("e", "v")
		}, "e", "a b k e", "k e"},
		{"compaction that keeps from another branch", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).at("a").agent("c", "z", 0).add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "b"})
		}, "k", "a c k", "k"},
		{"compaction that keeps from itself on", func(l *logFile) {
			l.user("a", "x").add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "k"}).user("e", "v")
		}, "e", "a k e", "k e"},
		{"compaction kept from a line of metadata", func(l *logFile) {
			l.user("a", "x").add("custom", "m", nil).user("c", "z").add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "m"})
		}, "k", "a m c k", "k c"},
		{"two compactions", func(l *logFile) {
			l.user("a", "x").add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "a"}).user("b", "y").agent("c", "z", 0).
				add("compaction", "m", o{"summary": "t", "firstKeptEntryId": "c"}).user("d", "w")
		}, "d", "a k b c m d", "m c d"},
		{"an older compaction in the kept range", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "b"}).user("c", "z").
				add("compaction", "m", o{"summary": "t", "firstKeptEntryId": "b"}).user("d", "w")
		}, "d", "a b k c m d", "m b c d"},
		{"a compaction tried twice", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "b"}).
				at("b").add("compaction", "m", o{"summary": "t", "firstKeptEntryId": "a"}).user("d", "w")
		}, "d", "a b m d", "m a b d"},
		{"reset", func(l *logFile) { l.user("a", "x").add("reset", "k", nil).user("b", "y") }, "b", "a k b", "b"},
		{"reset that keeps", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).add("reset", "k", o{"firstKeptEntryId": "b"}).user("c", "z")
		}, "c", "a b k c", "b c"},
		{"branch summary", func(l *logFile) {
			l.user("a", "x").user("b", "y").at("a").add("branch_summary", "s", o{"fromId": "b", "summary": "was there"}).agent("c", "z", 0)
		}, "c", "a s c", "a s c"},
		{"custom messages, shown or not", func(l *logFile) {
			l.user("a", "x").add("custom_message", "n", o{"customType": "y", "content": "note", "display": false}).add("custom_message", "p", o{"content": "shown", "display": true})
		}, "p", "a n p", "a n p"},
		{"a command kept out of the context", func(l *logFile) {
			l.user("a", "x").message("b", o{"role": "bashExecution", "command": "ls", "output": "f", "excludeFromContext": true}).
				message("c", o{"role": "bashExecution", "command": "ls", "output": "f"})
		}, "c", "a b c", "a c"},
		{"messages without a role", func(l *logFile) { l.user("a", "x").message("b", o{"content": "who"}).user("c", "z") }, "c", "a b c", "a c"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			l := newLog(t)
			r.log(l)
			s := l.index()
			leaf := ""
			if s.Leaf >= 0 {
				leaf = s.IDOf(s.Leaf)
			}
			if leaf != r.leaf {
				t.Errorf("leaf %q, want %q", leaf, r.leaf)
			}
			if got := ids(s, s.Chain); got != r.chain {
				t.Errorf("chain %q, want %q", got, r.chain)
			}
			if got := ids(s, s.Active); got != r.active {
				t.Errorf("active %q, want %q", got, r.active)
			}
			if r.name == "leaf moved to an id that comes twice" && s.Leaf != s.Lookup("b")[1] {
				t.Error("the leaf is the first entry with the id")
			}
			checkTree(t, s)
		})
	}
}

// TestUnsure marks what no mask may touch, because its place is not certain.
func TestUnsure(t *testing.T) {
	rows := []struct {
		name   string
		log    func(l *logFile)
		unsure string
	}{
		{"nothing odd", func(l *logFile) { l.user("a", "x").agent("b", "y", 0).at("a").user("c", "z") }, ""},
		{"an id twice, and what hangs below it", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).at("a").agent("b", "z", 0).user("c", "w").user("d", "v")
		}, "b b c"},
		{"a ring and what leads into it", func(l *logFile) { l.at("b").user("a", "x").user("b", "y").user("c", "z").at("").user("d", "w") }, "a b c"},
		{"what a context_edit shows otherwise", func(l *logFile) {
			l.user("a", "x").agent("b", "y", 0).add("context_edit", "e", o{"targetId": "b", "replacement": nil})
		}, "b"},
		{"a missing parent is no doubt", func(l *logFile) { l.at("gone").user("a", "x") }, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			l := newLog(t)
			r.log(l)
			s := l.index()
			var unsure []int32
			for i := range s.Entries {
				if s.Entries[i].Is(session.Unsure) {
					unsure = append(unsure, int32(i))
				}
			}
			if got := ids(s, unsure); got != r.unsure {
				t.Errorf("unsure %q, want %q", got, r.unsure)
			}
		})
	}
}

func TestState(t *testing.T) {
	l := newLog(t)
	l.add("model_change", "m", o{"provider": "p", "modelId": "one"}).add("thinking_level_change", "e", o{"thinkingLevel": "low"}).user("a", "x")
	if s := l.index(); s.Model != "p/one" || s.Effort != "low" || s.Recorded != 0 {
		t.Errorf("before a turn: %q %q %d", s.Model, s.Effort, s.Recorded)
	}
	l.agent("b", "y", 1200).add("thinking_level_change", "f", o{"thinkingLevel": "high"})
	if s := l.index(); s.Model != "local/m1" || s.Effort != "high" || s.Recorded != 1200 {
		t.Errorf("behind a turn: %q %q %d", s.Model, s.Effort, s.Recorded)
	}
	l.add("model_change", "n", o{"provider": "p", "modelId": "two"})
	if s := l.index(); s.Model != "p/two" {
		t.Errorf("behind a change: %q", s.Model)
	}
	l.message("r", o{"role": "assistant", "provider": "openclaw", "model": "delivery-mirror", "content": []o{}, "usage": o{"input": 0}})
	if s := l.index(); s.Model != "openclaw/delivery-mirror" || s.Recorded != 1200 || s.Entries[entryOf(t, s, "r")].Kind != session.Mirror {
		t.Errorf("behind a mirror: %q %d", s.Model, s.Recorded)
	}
	l.add("compaction", "k", o{"summary": "s", "firstKeptEntryId": "a"})
	if s := l.index(); s.Recorded != 0 {
		t.Errorf("behind a compaction %d tokens are recorded", s.Recorded)
	}
	l.at("a").add("custom", "c", nil)
	if s := l.index(); s.Model != "p/one" || s.Effort != "low" {
		t.Errorf("on an older branch: %q %q", s.Model, s.Effort)
	}
	s := l.index()
	if s.ID != "s1" || s.Cwd != "/home/dev/app" || s.Version != "3" {
		t.Errorf("header: %q %q %q", s.ID, s.Cwd, s.Version)
	}
}

func TestPairs(t *testing.T) {
	read := func(id string) o { return callOf(id, "read", o{"path": "f"}) }
	rows := []struct {
		name string
		log  func(l *logFile)
		want string // call>result, in file order
	}{
		{"one", func(l *logFile) { l.agent("a", "", 0, read("c")).result("r", "c", "read", "x") }, "c>r"},
		{"parallel, in another order", func(l *logFile) {
			l.agent("a", "", 0, read("c"), read("d")).result("r", "d", "read", "x").result("q", "c", "read", "y")
		}, "c>q d>r"},
		{"metadata in between", func(l *logFile) {
			l.agent("a", "", 0, read("c")).add("custom", "m", nil).add("weather", "w", nil).result("r", "c", "read", "x")
		}, "c>r"},
		{"an id used again in a later turn", func(l *logFile) {
			l.agent("a", "", 0, read("c")).result("r", "c", "read", "x").agent("b", "", 0, read("c")).result("q", "c", "read", "y")
		}, "c>r c>q"},
		{"an id used again, the first never answered", func(l *logFile) {
			l.agent("a", "", 0, read("c")).agent("b", "", 0, read("c")).result("q", "c", "read", "y")
		}, "c>- c>q"},
		{"an id twice in one message", func(l *logFile) {
			l.agent("a", "", 0, read("c"), read("c")).result("r", "c", "read", "x").result("q", "c", "read", "y")
		}, "c>r c>q"},
		{"the first result is kept", func(l *logFile) {
			l.agent("a", "", 0, read("c")).result("r", "c", "read", "x").result("q", "c", "read", "y")
		}, "c>r"},
		{"a result behind a person's words is not taken", func(l *logFile) {
			l.agent("a", "", 0, read("c")).user("u", "wait").result("r", "c", "read", "x")
		}, "c>-"},
		{"a result behind another turn is not taken", func(l *logFile) {
			l.agent("a", "", 0, read("c")).agent("b", "hm", 0).result("r", "c", "read", "x")
		}, "c>-"},
		{"results on two branches", func(l *logFile) {
			l.agent("a", "", 0, read("c"), read("d")).result("r", "c", "read", "x").at("a").result("q", "d", "read", "y")
		}, "c>r d>q"},
		{"a result without a call", func(l *logFile) { l.user("a", "x").result("r", "c", "read", "x") }, ""},
		{"a result in a ring", func(l *logFile) { l.at("q").result("r", "c", "read", "x").result("q", "c", "read", "x") }, ""},
		{"no id", func(l *logFile) { l.agent("a", "", 0, read("")).result("r", "", "read", "x") }, ">r"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			l := newLog(t)
			r.log(l)
			s := l.index()
			var got []string
			for _, c := range s.Calls {
				result := "-"
				if c.Result >= 0 {
					result = s.IDOf(c.Result)
				}
				got = append(got, s.Str(c.ID)+">"+result)
			}
			if strings.Join(got, " ") != r.want {
				t.Errorf("calls %q, want %q", got, r.want)
			}
			checkTree(t, s)
		})
	}
}

// TestLongRuns reads shapes on which a careless walk takes quadratic time.
func TestLongRuns(t *testing.T) {
	const lines = 100_000
	shapes := map[string]func(n int) string{
		"results in a row": func(n int) string {
			return fmt.Sprintf(`{"type":"message","id":"%d","parentId":"%d","message":{"role":"toolResult","toolCallId":"c%d"}}`, n, n-1, n)
		},
		"one ring": func(n int) string {
			return fmt.Sprintf(`{"type":"message","id":"%d","parentId":"%d","message":{"role":"user"}}`, n, (n+1)%lines)
		},
		"one id": func(n int) string {
			return `{"type":"message","id":"x","parentId":"x","message":{"role":"toolResult"}}`
		},
		"one root": func(n int) string {
			return fmt.Sprintf(`{"type":"compaction","id":"%d","firstKeptEntryId":"%d"}`, n, n-1)
		},
	}
	for name, line := range shapes {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			b.WriteString(headerLine + "\n")
			for n := range lines {
				b.WriteString(line(n) + "\n")
			}
			from := time.Now()
			if s := indexed(t, b.Bytes()); len(s.Entries) != lines+1 {
				t.Errorf("%d entries", len(s.Entries))
			}
			if took := time.Since(from); took > 8*time.Second {
				t.Errorf("it took %v, where a second is plenty", took)
			}
		})
	}
}

// vast is a log with one line of more than 64 MB in it, which is not in
// memory.
type vast struct{ head, tail []byte }

const vastLine = 65 << 20

func (v vast) size() int64 { return int64(len(v.head) + vastLine + len(v.tail)) }

func (v vast) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		switch at := off + int64(n); {
		case at < int64(len(v.head)):
			n += copy(p[n:], v.head[at:])
		case at < int64(len(v.head)+vastLine):
			end := min(len(p), n+len(v.head)+vastLine-int(at))
			for ; n < end; n++ {
				p[n] = 'x'
			}
		case at < v.size():
			n += copy(p[n:], v.tail[at-int64(len(v.head))-vastLine:])
		default:
			return n, io.EOF
		}
	}
	return n, nil
}

func TestHugeLine(t *testing.T) {
	head := newLog(t).user("a", "x").bytes()
	tail := "\n" + `{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"y"}}` + "\n"
	v := vast{append(head, `{"type":"message","id":"h","parentId":"a","message":{"role":"toolResult","content":"`...), []byte(tail)}
	s, err := session.Index(v, v.size(), "x.jsonl", Format{}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if e := s.Entries[2]; e.Kind != session.Opaque || int64(e.Len) < vastLine || s.IDOf(2) != "" {
		t.Errorf("huge line %+v", e)
	}
	if got := ids(s, s.Active); got != "a b" {
		t.Errorf("active %q", got)
	}
}
