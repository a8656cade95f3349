// Package fakes holds servers for tests that speak the wire forms of the real
// engines, each with its quirks, and fail in all the ways in which those do.
// No part of the program imports it.
package fakes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Fault is a way in which an engine fails.
type Fault string

// The faults. Not every engine knows all of them; the others answer.
const (
	None       Fault = ""
	Unknown    Fault = "unknown model"
	BadKey     Fault = "bad key"
	BadRequest Fault = "bad request"
	TooMany    Fault = "too many requests"
	Loading    Fault = "loading"
	Broken     Fault = "internal error"
	Drop       Fault = "dropped connection"
	DropHalf   Fault = "dropped in the middle"
	Slow       Fault = "slow"
	HTML       Fault = "html"
	Truncated  Fault = "truncated body"
	EmptyBody  Fault = "empty body"
	ErrorIn200 Fault = "error with status 200"
	Nothing    Fault = "no choices"
	NoContent  Fault = "no content"
	Thinking   Fault = "all thoughts"
	CutOff     Fault = "cut off"
	Prose      Fault = "no JSON"
	WrongForm  Fault = "another JSON"
	Refusal    Fault = "refusal"
	Blocked    Fault = "blocked prompt"
	OddPart    Fault = "part of an unknown kind"
	OddCall    Fault = "part that breaks the SDK"
	Redirect   Fault = "redirect"
)

// Faults are all of them but for those that take long.
func Faults() []Fault {
	return []Fault{Unknown, BadKey, BadRequest, TooMany, Loading, Broken, Drop, DropHalf, HTML, Truncated, EmptyBody, ErrorIn200,
		Nothing, NoContent, Thinking, CutOff, Prose, WrongForm, Refusal, Blocked, OddPart, OddCall, Redirect}
}

// Passing are faults after which another request may be answered.
func Passing() []Fault {
	return slices.DeleteFunc(Faults(), func(f Fault) bool { return f == Unknown || f == BadKey || f == Redirect })
}

// Call is one question that a server was asked.
type Call struct {
	N      int // from 1
	Model  string
	System string
	Prompt string
	Limit  int
	Header http.Header
	URL    string // with its query
	Body   []byte
}

// Reply is what the server does with a call.
type Reply struct {
	Text  string
	Fault Fault
	After string // Retry-After, with a status that may pass
}

// Server is a running fake.
type Server struct {
	// URL is the endpoint to give to sessc.
	URL string

	answer func(c Call) Reply
	mu     sync.Mutex
	calls  []Call
	gate   chan struct{} // closed at the end: ends what is slow
}

// Calls are the questions so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Server) called(c Call) (Call, Reply) {
	s.mu.Lock()
	c.N = len(s.calls) + 1
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	return c, s.answer(c)
}

// Cleaner is the part of [testing.TB] that a server needs to end with its test.
type Cleaner interface{ Cleanup(func()) }

var _ Cleaner = testing.TB(nil)

func (s *Server) serve(t Cleaner, path string, h http.HandlerFunc) *Server {
	s.gate = make(chan struct{})
	srv := httptest.NewServer(h)
	s.URL = srv.URL + path
	t.Cleanup(func() { close(s.gate); srv.CloseClientConnections(); srv.Close() })
	return s
}

// common does the faults that are those of any HTTP server. It reports whether
// it did one.
func (s *Server) common(w http.ResponseWriter, r *http.Request, f Fault) bool {
	switch f {
	case Drop:
		panic(http.ErrAbortHandler)
	case DropHalf:
		w.Header().Set("Content-Length", "5000")
		fmt.Fprint(w, `{"id":"half`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case Slow:
		select {
		case <-s.gate:
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	case HTML:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><body>Bad gateway</body></html>")
	case EmptyBody:
	case Redirect:
		http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
	default:
		return false
	}
	return true
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that left is its own test
}

// readAll reads a request's body; nil when it broke off.
func readAll(r *http.Request) []byte {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil
	}
	return b
}

// Honest is an answer that says what the brief of a prompt says: its first
// sentences, one after the other, and nothing else.
func Honest(prompt string) string {
	var brief struct {
		Task, Report string
		Said         string `json:"agent_said"`
	}
	_ = json.NewDecoder(strings.NewReader(prompt)).Decode(&brief) // an odd prompt has an empty answer
	text := cmp.Or(brief.Report, brief.Said, brief.Task)
	var sentences []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "#*-`"))
		if s, _, ok := strings.Cut(line, ". "); ok {
			line = s + "."
		}
		if len(strings.Fields(line)) > 2 && !strings.ContainsAny(line, "[]<>") {
			sentences = append(sentences, line)
		}
	}
	answer := map[string]any{"conclusion": "", "tried_and_failed": []string{}, "must_remember": []string{}, "open": []string{}}
	if len(sentences) > 0 {
		answer["conclusion"] = sentences[0]
	}
	if len(sentences) > 1 {
		answer["must_remember"] = sentences[1:min(len(sentences), 3)]
	}
	b, err := json.Marshal(answer)
	if err != nil {
		panic(err) // a map of texts
	}
	return string(b)
}

// Always answers honestly.
func Always(c Call) Reply { return Reply{Text: Honest(c.Prompt)} }
