package fakes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
)

// Gemini starts a fake of the Gemini service: HTTP/1 REST with enums as
// integers when they are asked for so, as this SDK does. It takes one key, in
// the header alone, and knows any model named gemini-*.
func Gemini(t Cleaner, key string, answer func(c Call) Reply) *Server {
	s := &Server{answer: answer}
	return s.serve(t, "", func(w http.ResponseWriter, r *http.Request) { s.gemini(w, r, key) })
}

var generate = regexp.MustCompile(`^/v1beta/models/(gemini-[a-z0-9.-]+):generateContent$`)

// googleError is the form of the service's errors.
func googleError(w http.ResponseWriter, status int, word, message string, details ...any) {
	write(w, status, map[string]any{"error": map[string]any{"code": status, "message": message, "status": word, "details": details}})
}

func (s *Server) gemini(w http.ResponseWriter, r *http.Request, key string) {
	name := generate.FindStringSubmatch(r.URL.Path)
	switch {
	case r.Method != http.MethodPost || name == nil:
		googleError(w, http.StatusNotFound, "NOT_FOUND", r.URL.Path+" is not found for API version v1beta")
		return
	case r.URL.Query().Has("key"):
		googleError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "this fake takes no key in a URL")
		return
	case r.Header.Get("X-Goog-Api-Key") != key:
		googleError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
			map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"})
		return
	case r.URL.Query().Get("$alt") != "json;enum-encoding=int":
		googleError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "this fake speaks to an SDK that wants integers for enums")
		return
	}
	body := readAll(r)
	type content struct{ Parts []struct{ Text string } }
	var q struct {
		Contents          []content
		SystemInstruction content
		GenerationConfig  struct {
			MaxOutputTokens int
			ThinkingConfig  map[string]any
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		googleError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "Invalid JSON payload received: "+err.Error())
		return
	}
	c := Call{Model: name[1], Limit: q.GenerationConfig.MaxOutputTokens, Header: r.Header, URL: r.URL.String(), Body: body}
	for _, p := range q.SystemInstruction.Parts {
		c.System += p.Text
	}
	for _, m := range q.Contents {
		for _, p := range m.Parts {
			c.Prompt += p.Text
		}
	}
	c, reply := s.called(c)
	if s.common(w, r, reply.Fault) {
		return
	}
	parts := []any{map[string]any{"text": reply.Text, "thoughtSignature": "c2ln"}}
	finish := 1
	switch reply.Fault {
	case Unknown:
		googleError(w, http.StatusNotFound, "NOT_FOUND", "models/"+name[1]+" is not found")
		return
	case BadKey:
		googleError(w, http.StatusForbidden, "PERMISSION_DENIED", "Your API key was reported as leaked.")
		return
	case BadRequest:
		googleError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "Thinking level is not supported for this model.")
		return
	case TooMany:
		googleError(w, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "You exceeded your current quota.",
			map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": cmp.Or(reply.After, "7") + "s"})
		return
	case Loading:
		w.Header().Set("Retry-After", reply.After)
		googleError(w, http.StatusServiceUnavailable, "UNAVAILABLE", "The model is overloaded. Please try again later.")
		return
	case Broken:
		googleError(w, http.StatusInternalServerError, "INTERNAL", "An internal error has occurred.")
		return
	case Truncated:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"candidates":[{"content":{"parts":[{"te`)
		return
	case ErrorIn200:
		write(w, http.StatusOK, map[string]any{"error": map[string]any{"code": 500, "message": "out of memory"}})
		return
	case Nothing:
		write(w, http.StatusOK, map[string]any{"candidates": []any{}, "usageMetadata": map[string]any{"promptTokenCount": 40}})
		return
	case Blocked:
		write(w, http.StatusOK, map[string]any{"promptFeedback": map[string]any{"blockReason": 4}})
		return
	case NoContent:
		write(w, http.StatusOK, map[string]any{"candidates": []any{map[string]any{"finishReason": 2, "index": 0}}, "usageMetadata": map[string]any{"promptTokenCount": 40, "thoughtsTokenCount": 100, "totalTokenCount": 140}})
		return
	case Refusal:
		write(w, http.StatusOK, map[string]any{"candidates": []any{map[string]any{"finishReason": 3, "index": 0}}})
		return
	case Thinking:
		parts = []any{map[string]any{"text": "First I look at the task", "thought": true}}
	case CutOff:
		parts, finish = []any{map[string]any{"text": reply.Text[:len(reply.Text)/2]}}, 2
	case Prose:
		parts = []any{map[string]any{"text": "The task is done."}}
	case WrongForm:
		parts = []any{map[string]any{"text": `{"summary":"done"}`}}
	case OddPart:
		parts = append([]any{map[string]any{"thoughtSignature": "c2ln"}, map[string]any{"newKind": map[string]any{"x": 1}}}, parts...)
	case OddCall:
		parts = append([]any{map[string]any{"functionResponse": map[string]any{"name": "f", "response": map[string]any{}}}}, parts...)
	}
	write(w, http.StatusOK, map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"parts": parts, "role": "model"}, "finishReason": finish, "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": len(body) / 4, "candidatesTokenCount": len(reply.Text) / 4, "thoughtsTokenCount": 3, "totalTokenCount": (len(body)+len(reply.Text))/4 + 3, "serviceTier": 1},
		"modelVersion":  name[1], "responseId": fmt.Sprintf("r%d", c.N),
	})
}
