package compress_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/session"
	"sessc/session/formats"
)

// planCounter is a format that counts how often it is asked for a plan.
type planCounter struct {
	session.Format
	plans *int
}

func (f planCounter) Plan(s *session.Session, pieces []session.Piece, t session.PlanTerms) (*session.Plan, error) {
	*f.plans++
	return f.Format.Plan(s, pieces, t)
}

// numbered makes the lines of a log, each of which hangs on the one before.
type numbered struct {
	b bytes.Buffer
	n int
}

func (l *numbered) claude(typ, message string) {
	l.n++
	parent := "null"
	if l.n > 1 {
		parent = fmt.Sprintf(`"u%d"`, l.n-1)
	}
	fmt.Fprintf(&l.b, `{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/w","sessionId":"s","version":"2.1.39","type":%q,"message":%s,"uuid":"u%d","timestamp":"%s"}`+"\n",
		parent, typ, message, l.n, l.clock())
}

func (l *numbered) openclaw(typ, more string) {
	l.n++
	parent := "null"
	if l.n > 1 {
		parent = fmt.Sprintf(`"u%d"`, l.n-1)
	}
	fmt.Fprintf(&l.b, `{"type":%q,"id":"u%d","parentId":%s,"timestamp":"%s",%s}`+"\n", typ, l.n, parent, l.clock(), more)
}

func (l *numbered) clock() string {
	return time.Date(2026, 3, 1, 10, 0, l.n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
}

// claudeTurns are turns of two calls. within adds a line behind each call, and
// behind one behind the last result of each turn.
func claudeTurns(turns int, within, behind func(l *numbered)) []byte {
	l := &numbered{}
	out := strings.Repeat("some words of output that count ", 40)
	for k := range turns {
		l.claude("user", `{"role":"user","content":"do a part"}`)
		for n := range 2 {
			id := fmt.Sprintf("t%d-%d", k, n)
			l.claude("assistant", fmt.Sprintf(`{"id":"m%s","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"cat f"}}],"stop_reason":"tool_use"}`, id, id))
			if within != nil {
				within(l)
			}
			l.claude("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`, id, out))
		}
		if behind != nil {
			behind(l)
		}
		l.claude("assistant", fmt.Sprintf(`{"id":"z%d","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"It is done."}],"stop_reason":"end_turn"}`, k))
	}
	return l.b.Bytes()
}

// openclawTurns are turns of two calls. behind adds a line behind the last
// result of each.
func openclawTurns(turns int, behind func(l *numbered)) []byte {
	l := &numbered{}
	l.b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}` + "\n")
	out := strings.Repeat("some words of output that count ", 40)
	for k := range turns {
		l.openclaw("message", `"message":{"role":"user","content":[{"type":"text","text":"do a part"}]}`)
		for n := range 2 {
			id := fmt.Sprintf("t%d-%d", k, n)
			l.openclaw("message", fmt.Sprintf(`"message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":%q,"name":"exec","arguments":{"command":"cat f"}}],"stopReason":"toolUse"}`, id))
			l.openclaw("message", fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":%q,"toolName":"exec","content":[{"type":"text","text":%q}],"isError":false}`, id, out))
		}
		behind(l)
		l.openclaw("message", `"message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"It is done."}],"stopReason":"stop"}`)
	}
	return l.b.Bytes()
}

// TestPlans: all pieces that cannot be planned are found by one plan, or a few,
// and not by one for each of them.
func TestPlans(t *testing.T) {
	const turns = 20
	for name, log := range map[string][]byte{
		"claudecode, a reference that nobody understands": claudeTurns(turns, nil, func(l *numbered) {
			fmt.Fprintf(&l.b, `{"type":"tag","sessionId":"s","tag":"x","lineUuid":"u%d"}`+"\n", l.n-1)
		}),
		"claudecode, a line that cannot be hung anew": claudeTurns(turns, func(l *numbered) {
			fmt.Fprintf(&l.b, `{"type":"progress","progress":1,"progress":2,"sessionId":"s","parentUuid":"u%d","uuid":"p%d","timestamp":"%s"}`+"\n", l.n, l.n, l.clock())
		}, nil),
		"openclaw, a reference that cannot be moved": openclawTurns(turns, func(l *numbered) {
			l.openclaw("label", fmt.Sprintf(`"targetId":"u%d","label":"x","label":"y"`, l.n-2))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			plans := 0
			o := compress.Options{
				Formats: formats.All, Layers: []lifecycle.Kind{lifecycle.Turn}, DryRun: true, NoOutlook: true, Now: time.Now,
				Archive: func(bool) (*archive.Archive, error) { return nil, nil },
			}
			o.From(func(path string, set session.Settings) (*session.Session, error) {
				s, err := session.OpenReader(bytes.NewReader(log), int64(len(log)), path, formats.All, set)
				if err == nil {
					s.Format = planCounter{s.Format, &plans}
				}
				return s, err
			})
			report, err := compress.Run(t.Context(), "x.jsonl", o)
			if err != nil {
				t.Fatal(err)
			}
			unfit := 0
			for _, l := range report.Left {
				if strings.Contains(l.Reason, string(lifecycle.NoShape)) {
					unfit++
				}
			}
			if unfit < turns-1 || plans > 3 {
				t.Errorf("%d plans for %d pieces that cannot be planned", plans, unfit)
			}
		})
	}
}
