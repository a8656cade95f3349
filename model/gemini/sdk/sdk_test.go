package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"sessc/model"
	"sessc/model/fakes"
	"sessc/model/gemini"
)

// key is made up, and of no key's form.
const key = "key-of-the-test-0123456789"

var question = model.Request{
	System: "Answer.", Prompt: `{"report":"The gate is open."}`, Limit: 100,
	Fields: []model.Field{{Name: "conclusion"}, {Name: "open", List: true}},
}

func TestFaults(t *testing.T) {
	for _, tc := range []struct {
		fault fakes.Fault
		kind  model.Kind // "" answers
		text  string     // in the answer or the error
		calls int
	}{
		{fakes.None, "", "The gate is open", 1},
		{fakes.Unknown, model.Denied, "is not found", 1},
		{fakes.BadKey, model.Denied, "leaked", 1},
		{fakes.BadRequest, model.Refused, "Thinking level", 2}, // once without the setting
		{fakes.TooMany, model.Busy, "current quota", 1},
		{fakes.Loading, model.Busy, "overloaded", 1}, // the SDK alone would go on for ten minutes
		{fakes.Broken, model.Busy, "internal error", 1},
		{fakes.Drop, model.Unreachable, "EOF", 1},
		{fakes.DropHalf, model.Unreachable, "unexpected EOF", 1},
		{fakes.HTML, model.Garbled, "Bad gateway", 1},
		{fakes.Truncated, model.Garbled, "candidates", 1},
		{fakes.EmptyBody, model.Garbled, "", 1},
		{fakes.ErrorIn200, model.Garbled, "out of memory", 1},
		{fakes.Nothing, model.Garbled, "no candidates", 1},
		{fakes.NoContent, model.Empty, "MaxTokens", 1},
		{fakes.Refusal, model.Refused, "", 1},
		{fakes.Blocked, model.Refused, "", 1},
		{fakes.Redirect, model.Denied, "", 1},
		{fakes.Thinking, model.Empty, "Stop", 1},
		{fakes.CutOff, "", "{", 1},
		{fakes.Prose, "", "The task is done.", 1},
		{fakes.OddPart, "", "The gate is open", 1},
		{fakes.OddCall, "", "The gate is open", 1},
	} {
		t.Run(string(tc.fault), func(t *testing.T) {
			t.Parallel()
			s := fakes.Gemini(t, key, func(c fakes.Call) fakes.Reply {
				return fakes.Reply{Text: fakes.Honest(c.Prompt), Fault: tc.fault, After: "7"}
			})
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			a, err := New(s.URL, gemini.DefaultModel, key).Ask(ctx, question)
			if model.KindOf(err) != tc.kind || (err != nil) != (tc.kind != "") {
				t.Fatalf("%v, want kind %q", err, tc.kind)
			}
			if err != nil && !strings.Contains(err.Error(), tc.text) || err == nil && !strings.Contains(a.Text, tc.text) {
				t.Errorf("%q %v, want %q", a.Text, err, tc.text)
			}
			if n := len(s.Calls()); n != tc.calls {
				t.Errorf("%d calls, want %d", n, tc.calls)
			}
			var e *model.Error
			if errors.As(err, &e) && (tc.fault == fakes.TooMany || tc.fault == fakes.Loading) && e.After != 7*time.Second {
				t.Errorf("to wait %v", e.After)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the error shows the key: %v", err)
			}
			if err == nil && (a.In == 0 || a.Out < 3 || a.Model != gemini.DefaultModel) {
				t.Errorf("usage %+v", a)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	for name, want := range map[string]string{
		gemini.DefaultModel: `{"thinkingLevel":"MINIMAL"}`, "gemini-2.5-flash-lite": `{"thinkingBudget":0}`, "gemini-2.0-flash-lite": "null", "gemini-flash-lite-latest": `{"thinkingLevel":"MINIMAL"}`,
	} {
		s := fakes.Gemini(t, key, fakes.Always)
		if _, err := New(s.URL, name, key).Ask(context.Background(), question); err != nil {
			t.Fatal(err)
		}
		c := s.Calls()[0]
		var body struct{ GenerationConfig map[string]any }
		if err := json.Unmarshal(c.Body, &body); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(body.GenerationConfig["thinkingConfig"])
		if err != nil || string(got) != want {
			t.Errorf("%s: thinkingConfig %s, want %s", name, got, want)
		}
		g := body.GenerationConfig
		if c.System != "Answer." || c.Prompt != question.Prompt || c.Limit != 100 || g["responseMimeType"] != "application/json" || g["responseSchema"] == nil || g["temperature"] != 0.0 {
			t.Errorf("%s", c.Body)
		}
		if strings.Contains(c.URL, "key") || strings.Contains(c.URL, "unused") || strings.Contains(string(c.Body), key) {
			t.Errorf("key in %s", c.URL)
		}
	}
}

func TestKey(t *testing.T) {
	s := fakes.Gemini(t, key, fakes.Always)
	_, err := New(s.URL, gemini.DefaultModel, "wrong-"+key).Ask(context.Background(), question)
	if model.KindOf(err) != model.Denied || strings.Contains(err.Error(), key) {
		t.Errorf("%v", err)
	}
	// The SDK's own errors hold the URL, and with it a key that stands there.
	srv := httptest.NewServer(nil)
	srv.Close()
	_, err = New(srv.URL, gemini.DefaultModel, key).Ask(context.Background(), question)
	if model.KindOf(err) != model.Unreachable || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "unused") {
		t.Errorf("%v", err)
	}
	slow := fakes.Gemini(t, key, func(fakes.Call) fakes.Reply { return fakes.Reply{Fault: fakes.Slow} })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err = New(slow.URL, gemini.DefaultModel, key).Ask(ctx, question); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// One client serves all questions, from any number of goroutines.
func TestManyQuestions(t *testing.T) {
	s := fakes.Gemini(t, key, fakes.Always)
	c := New(s.URL, gemini.DefaultModel, key)
	if _, err := c.Ask(context.Background(), question); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				if _, err := c.Ask(context.Background(), question); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := runtime.NumGoroutine(); n > before+60 {
		t.Errorf("%d goroutines before, %d after", before, n)
	}
}
