package fakes

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// MLX starts a fake of mlx_lm.server: it knows exact paths only, wants a
// Content-Length, ignores what it does not know (response_format too), takes
// "default_model" and "tiny" for its model and answers any other name with 404
// and an error that is a string, and has null for an empty content.
func MLX(t Cleaner, answer func(c Call) Reply) *Server {
	s := &Server{answer: answer}
	return s.serve(t, "/v1", s.mlx)
}

func (s *Server) mlx(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && r.RequestURI == "/health":
		write(w, http.StatusOK, map[string]any{"status": "ok"})
		return
	case r.Method == http.MethodGet && r.RequestURI == "/v1/models":
		write(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{"id": "other/cached"}, map[string]any{"id": "tiny"}}})
		return
	case r.Method != http.MethodPost || r.RequestURI != "/v1/chat/completions" && r.RequestURI != "/chat/completions":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "Not Found")
		return
	case r.ContentLength < 0:
		write(w, http.StatusLengthRequired, map[string]any{"error": "Content-Length is required"})
		return
	}
	body := readAll(r)
	var q struct {
		Model    string `json:"model"`
		Messages []struct{ Role, Content string }
		Max      int `json:"max_tokens"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		write(w, http.StatusBadRequest, map[string]any{"error": "Invalid JSON in request body: " + err.Error()})
		return
	}
	c := Call{Model: q.Model, Limit: q.Max, Header: r.Header, URL: r.URL.String(), Body: body}
	for _, m := range q.Messages {
		if m.Role == "system" {
			c.System = m.Content
		} else {
			c.Prompt = m.Content
		}
	}
	if q.Model != "" && q.Model != "default_model" && q.Model != "tiny" {
		write(w, http.StatusNotFound, map[string]any{"error": "Repository Not Found for url: https://huggingface.co/api/models/" + q.Model})
		return
	}
	c, reply := s.called(c)
	if s.common(w, r, reply.Fault) {
		return
	}
	text := any(reply.Text)
	finish, reasoning := "stop", ""
	switch reply.Fault {
	case Unknown:
		write(w, http.StatusNotFound, map[string]any{"error": "Failed to load model"})
		return
	case BadKey:
		write(w, http.StatusUnauthorized, map[string]any{"error": map[string]any{"message": "Invalid API Key", "type": "authentication_error"}})
		return
	case BadRequest:
		write(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": "context length exceeded", "code": 400}})
		return
	case TooMany, Loading, Broken:
		status := map[Fault]int{TooMany: http.StatusTooManyRequests, Loading: http.StatusServiceUnavailable, Broken: http.StatusInternalServerError}[reply.Fault]
		if reply.After != "" {
			w.Header().Set("Retry-After", reply.After)
		}
		write(w, status, map[string]any{"error": map[string]any{"message": "Loading model", "code": status}})
		return
	case Truncated:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"chatcmpl-1","choices":[{"finish_reason":"stop","mess`)
		return
	case ErrorIn200:
		write(w, http.StatusOK, map[string]any{"error": "out of memory"})
		return
	case Nothing:
		write(w, http.StatusOK, map[string]any{"id": "chatcmpl-1", "choices": []any{}})
		return
	case NoContent, Blocked:
		text, finish, reasoning = nil, "length", "First I look at the task and then"
	case Thinking, OddPart:
		text = "<think>First I look at the task " + reply.Text
	case CutOff, OddCall:
		text, finish = reply.Text[:len(reply.Text)/2], "length"
	case Prose:
		text = "The task is done."
	case WrongForm:
		text = `{"summary":"done"}`
	case Refusal:
		text, finish = "", "content_filter"
	}
	m := map[string]any{"role": "assistant", "content": text}
	if reasoning != "" {
		m["reasoning"] = reasoning
	}
	write(w, http.StatusOK, map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", c.N), "system_fingerprint": "0.32.0", "object": "chat.completion", "model": q.Model, "created": 1796000000,
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": m}},
		"usage":   map[string]any{"prompt_tokens": len(body) / 4, "completion_tokens": len(reply.Text) / 4, "total_tokens": (len(body) + len(reply.Text)) / 4, "prompt_tokens_details": map[string]any{"cached_tokens": 0}},
	})
}
