package local

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sessc/model"
	"sessc/model/fakes"
)

var question = model.Request{
	System: "Answer.", Prompt: `{"report":"The gate is open."}`, Limit: 100,
	Fields: []model.Field{{Name: "conclusion"}, {Name: "open", List: true}},
}

func TestFaults(t *testing.T) {
	for _, tc := range []struct {
		fault fakes.Fault
		kind  model.Kind // "" answers
		text  string     // in the answer or the error
	}{
		{fakes.None, "", "The gate is open"},
		{fakes.Unknown, model.Denied, "2 models, name one of them with --model local:NAME (other/cached, tiny)"},
		{fakes.BadKey, model.Denied, "Invalid API Key"},
		{fakes.BadRequest, model.Refused, "context length exceeded"},
		{fakes.TooMany, model.Busy, "Loading model"},
		{fakes.Loading, model.Busy, "Loading model"},
		{fakes.Broken, model.Busy, "Loading model"},
		{fakes.Drop, model.Unreachable, "EOF"},
		{fakes.DropHalf, model.Unreachable, "unexpected EOF"},
		{fakes.HTML, model.Garbled, "Bad gateway"},
		{fakes.Truncated, model.Garbled, "chatcmpl-1"},
		{fakes.EmptyBody, model.Garbled, ""},
		{fakes.ErrorIn200, model.Garbled, "out of memory"},
		{fakes.Nothing, model.Garbled, "no choices"},
		{fakes.NoContent, model.Empty, "finished by length"},
		{fakes.Refusal, model.Refused, ""},
		{fakes.Redirect, model.Denied, ""},
		{fakes.Thinking, "", "<think>"}, // read by package summarize
		{fakes.CutOff, "", "{"},
		{fakes.Prose, "", "The task is done."},
	} {
		t.Run(string(tc.fault), func(t *testing.T) {
			s := fakes.MLX(t, func(c fakes.Call) fakes.Reply {
				return fakes.Reply{Text: fakes.Honest(c.Prompt), Fault: tc.fault, After: "7"}
			})
			a, err := New(s.URL, "").Ask(context.Background(), question)
			if model.KindOf(err) != tc.kind || (err != nil) != (tc.kind != "") {
				t.Fatalf("%v, want kind %q", err, tc.kind)
			}
			if err != nil && !strings.Contains(err.Error(), tc.text) || err == nil && !strings.Contains(a.Text, tc.text) {
				t.Errorf("%q %v, want %q", a.Text, err, tc.text)
			}
			var e *model.Error
			if errors.As(err, &e) && e.Kind == model.Busy && e.After != 7*time.Second {
				t.Errorf("to wait %v", e.After)
			}
			if err == nil && (a.In == 0 || a.Out == 0) {
				t.Errorf("usage %+v", a)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	s := fakes.MLX(t, fakes.Always)
	for _, name := range []string{"", "tiny"} {
		if _, err := New(s.URL, name).Ask(context.Background(), question); err != nil {
			t.Fatal(err)
		}
	}
	calls := s.Calls()
	if calls[0].Model != "default_model" || calls[1].Model != "tiny" || calls[0].System != "Answer." || calls[0].Prompt != question.Prompt || calls[0].Limit != 100 {
		t.Errorf("%+v", calls)
	}
	var body map[string]any
	if err := json.Unmarshal(calls[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	if body["stream"] != false || body["temperature"] != 0.0 || body["response_format"] == nil || body["chat_template_kwargs"] == nil {
		t.Errorf("%s", calls[0].Body)
	}
	if calls[0].Header.Get("Authorization") != "" {
		t.Error("a key was sent")
	}
}

// serve is a server of another kind than mlx_lm.
func serve(t *testing.T, h http.HandlerFunc) string {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func say(w http.ResponseWriter, content string) {
	_, _ = io.WriteString(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":`+content+`}}]}`)
}

// A server that will not have the extras is asked without them from then on.
func TestBare(t *testing.T) {
	asked := 0
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		b, _ := io.ReadAll(r.Body)
		if strings.Contains(string(b), "response_format") {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"error":{"message":"'response_format.type' must be 'text'"}}`)
			return
		}
		say(w, `"yes"`)
	})
	c := New(url, "m")
	for range 3 {
		if a, err := c.Ask(context.Background(), question); err != nil || a.Text != "yes" {
			t.Fatal(a, err)
		}
	}
	if asked != 4 {
		t.Errorf("asked %d times, want 4", asked)
	}
}

// A server with one model of another name is asked for that one.
func TestOnly(t *testing.T) {
	var names []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/models" {
			_, _ = io.WriteString(w, `{"data":[{"id":"qwen3:4b"}]}`)
			return
		}
		var q struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&q)
		names = append(names, q.Model)
		if q.Model != "qwen3:4b" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"message":"model 'default_model' not found"}}`)
			return
		}
		say(w, `[{"type":"text","text":"ye"},{"type":"text","text":"s"}]`)
	})
	c := New(url, "")
	for range 2 {
		if a, err := c.Ask(context.Background(), question); err != nil || a.Text != "yes" {
			t.Fatal(a, err)
		}
	}
	if strings.Join(names, " ") != "default_model qwen3:4b qwen3:4b" {
		t.Errorf("asked for %q", names)
	}
}

func TestNobodyThere(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	if _, err := New(srv.URL, "").Ask(context.Background(), question); model.KindOf(err) != model.Unreachable || !absent(err) {
		t.Errorf("%v", err)
	}
	s := fakes.MLX(t, func(fakes.Call) fakes.Reply { return fakes.Reply{Fault: fakes.Slow} })
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := New(s.URL, "").Ask(ctx, question); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// absent reports whether an error says that nothing listens.
func absent(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && e.Absent
}
