package summarize

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"sessc/mask"
	"sessc/model"
	"sessc/tokens"
)

// script is a model that gives its answers one after another, and then fails.
type script struct {
	mu      sync.Mutex
	answers []any // a text or an error
	asked   []model.Request
}

func (s *script) Ask(_ context.Context, r model.Request) (model.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	if len(s.answers) == 0 {
		return model.Answer{}, errors.New("the script is at its end")
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	if err, ok := next.(error); ok {
		return model.Answer{}, err
	}
	return model.Answer{Text: next.(string), In: 100, Out: 10}, nil
}

// shelf is a memory in memory.
type shelf struct {
	mu   sync.Mutex
	kept map[[32]byte]string
}

func (s *shelf) Answer(_ context.Context, key [32]byte) (string, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.kept[key]
	return text, ok, nil
}

func (s *shelf) KeepAnswer(_ context.Context, key [32]byte, _, _, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[[32]byte]string{}
	}
	s.kept[key] = text
	return nil
}

var oldRecord = mask.Record{
	Origin: mask.OriginAgent, Task: "Implement idle timeout for the MLX server", Result: mask.ResultSuccess,
	Conclusion: "Added a 5-minute idle timer to MlxServerManager; the server unloads when no request arrives.",
	Changed:    []string{"src/services/mlx_server.py"}, Errors: []string{"E TimeoutError: worker 7 did not answer"},
	Remember: []string{"Version 1.26.8 is required.", "src/services/mlx_idle.toml PORT=5433"}, Ref: "3f9a1c20be77",
}

const (
	good    = `{"conclusion":"The server unloads after 5 idle minutes.","tried_and_failed":["threading.Timer had a race condition."],"must_remember":["The MLX server must only be reloaded by a worker request."],"open":["Tests for the unload path are not written yet."]}`
	short   = `{"conclusion":"The server unloads when no request arrives."}`
	invents = `{"conclusion":"Moved the server to Kubernetes with 12 replicas."}`
)

var long = `{"conclusion":"` + strings.Repeat("The server unloads when no request arrives. ", 80) + `"}`

func TestEscalate(t *testing.T) {
	busy := &model.Error{Kind: model.Busy, Status: 503}
	for _, tc := range []struct {
		name     string
		answers  []any
		level    string
		asked    int
		failures map[string]int
	}{
		{"a good answer", []any{good}, LevelNormal, 1, nil},
		{"a bad one, repaired", []any{"It works.", good}, LevelNormal, 2, nil},
		{"cut off, repaired", []any{good[:60], good}, LevelNormal, 2, nil},
		{"not repaired", []any{"It works.", "Sure.", short}, LevelAggressive, 3, map[string]int{Unreadable: 1}},
		{"an error", []any{busy, short}, LevelAggressive, 2, map[string]int{"busy": 1}},
		{"a timeout", []any{&model.Error{Kind: model.TimedOut}, short}, LevelAggressive, 2, map[string]int{"timed out": 1}},
		{"a refusal", []any{&model.Error{Kind: model.Refused}, short}, LevelAggressive, 2, map[string]int{"refused": 1}},
		{"an empty answer", []any{`{"conclusion":""}`, short}, LevelAggressive, 2, map[string]int{"empty": 1}},
		{"an error of another sort", []any{errors.New("x"), short}, LevelAggressive, 2, map[string]int{"unreachable": 1}},
		{"too long", []any{long, short}, LevelAggressive, 2, map[string]int{TooLong: 1}},
		{"not in the source", []any{invents, short}, LevelAggressive, 2, map[string]int{Ungrounded: 1}},
		{"the repair fails", []any{"It works.", busy, short}, LevelAggressive, 3, map[string]int{"busy": 1}},
		{"both levels", []any{invents, busy}, LevelRecord, 2, map[string]int{Ungrounded: 1, "busy": 1}},
		{"a limit", []any{fmt.Errorf("%w: enough", model.ErrLimit)}, LevelRecord, 1, map[string]int{NotAsked: 1}},
		{"a limit on the second", []any{invents, fmt.Errorf("%w: enough", model.ErrLimit)}, LevelRecord, 2, map[string]int{Ungrounded: 1, NotAsked: 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := &script{answers: slices.Clone(tc.answers)}
			memory := &shelf{}
			run := func(m model.Asker) (mask.Record, string, *retelling) {
				rt := &retelling{author: &Author{Name: "test", Model: m, Memory: memory}, told: Told{Failures: map[string]int{}}}
				r, level, err := rt.escalate(context.Background(), question{old: oldRecord, brief: groundBrief, room: 300})
				if err != nil {
					t.Fatal(err)
				}
				return r, level, rt
			}
			r, level, rt := run(m)
			want := tc.failures
			if want == nil {
				want = map[string]int{}
			}
			if level != tc.level || len(m.asked) != tc.asked || !reflect.DeepEqual(rt.told.Failures, want) {
				t.Errorf("level %s, want %s; asked %d, want %d; failures %v, want %v", level, tc.level, len(m.asked), tc.asked, rt.told.Failures, want)
			}
			if lost := missing(oldRecord, r); len(lost) > 0 {
				t.Errorf("facts lost: %q", lost)
			}
			if level == LevelRecord && !reflect.DeepEqual(r, oldRecord) {
				t.Errorf("another record:\n%+v", r)
			}
			if got, err := mask.Parse(mask.Render(r)); err != nil || !reflect.DeepEqual(got, mask.Normalise(r)) {
				t.Errorf("the mask does not parse: %v", err)
			}
			// What was answered is not asked again, and comes out the same.
			again := &script{}
			for _, a := range tc.answers {
				if err, ok := a.(error); ok {
					again.answers = append(again.answers, err)
				}
			}
			r2, level2, _ := run(again)
			if !reflect.DeepEqual(r, r2) || level != level2 || len(again.asked) != len(tc.answers)-len(memory.kept) {
				t.Errorf("second run: level %s after %d questions, %d answers were kept", level2, len(again.asked), len(memory.kept))
			}
		})
	}
}

// A run without calls says what it would ask, and takes what it knows.
func TestDryRun(t *testing.T) {
	memory := &shelf{}
	rt := &retelling{author: &Author{Name: "test", Memory: memory}, told: Told{Failures: map[string]int{}}}
	q := question{old: oldRecord, brief: groundBrief, room: 300}
	if _, level, err := rt.escalate(context.Background(), q); err != nil || level != LevelRecord {
		t.Fatal(level, err)
	}
	if rt.told.Needed != 1 || rt.told.InTokens < 300 || rt.told.OutTokens < 100 || len(rt.told.Failures) != 0 {
		t.Errorf("%+v", rt.told)
	}
	rt.author.Model = &script{answers: []any{good}}
	if _, _, err := rt.escalate(context.Background(), q); err != nil {
		t.Fatal(err)
	}
	rt.author.Model = nil
	if _, level, err := rt.escalate(context.Background(), q); err != nil || level != LevelNormal || rt.told.Needed != 1 {
		t.Errorf("level %s, error %v, %+v", level, err, rt.told)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	rt := &retelling{author: &Author{Model: stopper{cancel}}, told: Told{Failures: map[string]int{}}}
	if _, _, err := rt.escalate(ctx, question{old: oldRecord, brief: groundBrief, room: 300}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type stopper struct{ stop context.CancelFunc }

func (s stopper) Ask(ctx context.Context, _ model.Request) (model.Answer, error) {
	s.stop()
	return model.Answer{}, ctx.Err()
}

func TestMerged(t *testing.T) {
	answer, err := readAnswer(good)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("all", func(t *testing.T) {
		r, ok := merged(oldRecord, answer, 300)
		if !ok || r.Conclusion != answer.Conclusion || !reflect.DeepEqual(r.Tried, answer.Tried) || !reflect.DeepEqual(r.Open, answer.Open) || r.Remember[0] != answer.Remember[0] {
			t.Errorf("%v %+v", ok, r)
		}
		r.Conclusion, r.Tried, r.Remember, r.Open = oldRecord.Conclusion, oldRecord.Tried, oldRecord.Remember, oldRecord.Open
		if !reflect.DeepEqual(r, oldRecord) {
			t.Errorf("another field was changed: %+v", r)
		}
	})
	for room := 0; room < 320; room += 7 {
		r, ok := merged(oldRecord, answer, room)
		if lost := missing(oldRecord, r); len(lost) > 0 {
			t.Errorf("room %d: lost %q", room, lost)
		}
		if ok && proseCost(r) > room {
			t.Errorf("room %d: the mask takes %d", room, proseCost(r))
		}
		if !ok && !reflect.DeepEqual(r, oldRecord) {
			t.Errorf("room %d: not the old record", room)
		}
	}
	t.Run("a list without an answer stays", func(t *testing.T) {
		old := oldRecord
		old.Tried, old.Open = []string{"the old way failed"}, []string{"one thing is open"}
		r, _ := merged(old, Prose{Conclusion: "The server unloads."}, 300)
		if !reflect.DeepEqual(r.Tried, old.Tried) || !reflect.DeepEqual(r.Open, old.Open) || !slices.Contains(r.Remember, "Version 1.26.8 is required.") {
			t.Errorf("%+v", r)
		}
	})
	t.Run("a turn gets no conclusion", func(t *testing.T) {
		old := oldRecord
		old.Origin, old.Conclusion = mask.OriginUser, ""
		if r, _ := merged(old, answer, 300); r.Conclusion != "" || len(r.Tried) == 0 {
			t.Errorf("%+v", r)
		}
	})
}

func TestBounding(t *testing.T) {
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("line %d says nothing of note here", i))
	}
	lines[250] = "Error: disk full on node-3"
	got := bounding(strings.Join(lines, "\n"), 200)
	for _, want := range []string{"line 0 ", "line 499 ", "Error: disk full on node-3", leftOut} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if len(got) > 1200 {
		t.Errorf("%d bytes", len(got))
	}
	if s := "short"; bounding(s, 10) != s {
		t.Error("a short text was changed")
	}
	for _, line := range []string{
		strings.Repeat("部署", 5000), strings.Repeat("🎉", 5000), strings.Repeat("e\u0301\u0302", 5000),
		strings.Repeat("deploy ", 5000), strings.Repeat("deed", 5000),
	} {
		for _, room := range []int{0, 1, 100} {
			if got := bounding(line, room); tokens.EstimateString(got) > max(room, 1) {
				t.Errorf("%q...: %d tokens of one line in a room of %d", line[:12], tokens.EstimateString(got), room)
			}
			if got := bounding(line+"\nsee "+line, room); room == 100 && (tokens.EstimateString(got) > room || !strings.HasPrefix(got, line[:6])) {
				t.Errorf("%q...: %q of two lines in a room of %d", line[:12], got, room)
			}
		}
	}
}

// A brief fits whatever its report is written in.
func TestBriefFits(t *testing.T) {
	for _, sign := range []string{"部", "🎉", "\u0001", `"`, "e\u0301", "deed", "x ", "x\n"} {
		d := brief{Report: told(strings.Repeat(sign, 20000), reportRoom), Said: told(strings.Repeat(sign, 20000), saidRoom)}
		text, err := d.quoted()
		if err != nil || tokens.EstimateString(text) > brieflyCap {
			t.Errorf("%q: %d tokens, %v", sign, tokens.EstimateString(text), err)
		}
	}
}

// A secret with an invisible character in it, or at the place of a cut, does not
// reach a request.
func TestToldHidesSecrets(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("aB3", 12)
	for room := 5; room < 200; room += 3 {
		text := strings.Repeat("deploy with care\n", 20) + token[:9] + "\u200b" + token[9:] + strings.Repeat("\nand a bit more", 20)
		if got := told(text, room); strings.Contains(got, token[4:20]) || strings.Contains(got, "\u200b") {
			t.Fatalf("room %d: %s", room, got)
		}
	}
}
