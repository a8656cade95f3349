// Package local asks models that run behind the HTTP form that OpenAI made
// common: mlx_lm.server, llama.cpp, Ollama, LM Studio, vLLM. It takes the
// differences between them on itself and sends no key.
package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"sessc/model"
)

// DefaultEndpoint is where mlx_lm.server and llama.cpp listen.
const DefaultEndpoint = "http://127.0.0.1:8080/v1"

// loaded is what mlx_lm.server calls the model it was started with; any other
// name makes it load, and if need be download, that one. llama.cpp takes any
// name for the model that it has.
const loaded = "default_model"

// Client is one server. It implements [model.Asker].
type Client struct {
	base string
	http *http.Client

	mu    sync.Mutex
	name  string // of the model, as it is asked for
	named bool   // by the user
	bare  bool   // the server will not have a schema or template settings
}

// New returns a client for the server at an endpoint, which [model.Endpoint]
// has checked. An empty name is the model that the server has loaded.
func New(endpoint, name string) *Client {
	c := &Client{base: endpoint, http: model.HTTPClient(), name: name, named: name != ""}
	if !c.named {
		c.name = loaded
	}
	return c
}

// Ask implements [model.Asker]. A server that refuses a request for its extras
// is asked once more without them, and never with them again; one that does
// not know the model of no name is asked for the only one that it lists.
func (c *Client) Ask(ctx context.Context, r model.Request) (model.Answer, error) {
	name, bare := c.state()
	a, err := c.ask(ctx, r, name, bare)
	var e *model.Error
	if !errors.As(err, &e) {
		return a, err
	}
	if !c.named && name == loaded && (e.Status == http.StatusNotFound || e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Text), "model")) {
		if name, err = c.only(ctx); err != nil {
			return a, err
		}
		if a, err = c.ask(ctx, r, name, bare); err == nil || !errors.As(err, &e) {
			return a, err
		}
	}
	if !bare && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) {
		plain, again := c.ask(ctx, r, name, true)
		if again == nil {
			c.mu.Lock()
			c.bare = true
			c.mu.Unlock()
		}
		return plain, again
	}
	return a, err
}

func (c *Client) state() (name string, bare bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name, c.bare
}

// only settles on the one model that the server lists.
func (c *Client) only(ctx context.Context) (string, error) {
	names, err := c.Models(ctx)
	if err != nil {
		return "", err
	}
	if len(names) != 1 {
		return "", &model.Error{Kind: model.Denied, Status: http.StatusNotFound,
			Text: fmt.Sprintf("the server has %d models, name one of them with --model local:NAME (%s)", len(names), model.Excerpt(strings.Join(names, ", ")))}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name = names[0]
	return c.name, nil
}

// Models lists the models that the server offers. Not all servers have loaded
// them, and none says which one it has.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	body, err := c.do(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, &model.Error{Kind: model.Garbled, Text: "the list of models: " + model.Excerpt(string(body))}
	}
	names := make([]string, 0, len(list.Data))
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names, nil
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model       string         `json:"model"`
	Messages    []message      `json:"messages"`
	MaxTokens   int            `json:"max_tokens"`
	Temperature float64        `json:"temperature"`
	Stream      bool           `json:"stream"`
	Format      map[string]any `json:"response_format,omitempty"`
	Template    map[string]any `json:"chat_template_kwargs,omitempty"`
}

// reply is an answer of any of the servers. What may have several types stays
// raw.
type reply struct {
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Finish  string `json:"finish_reason"`
		Message struct {
			Content json.RawMessage `json:"content"`
			Refusal string          `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}

func (c *Client) ask(ctx context.Context, r model.Request, name string, bare bool) (model.Answer, error) {
	q := request{Model: name, Messages: []message{{"system", r.System}, {"user", r.Prompt}}, MaxTokens: r.Limit}
	if !bare {
		q.Template = map[string]any{"enable_thinking": false}
		if len(r.Fields) > 0 {
			// LM Studio takes no other kind, mlx_lm.server ignores it.
			q.Format = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": model.Schema(r.Fields)}}
		}
	}
	// In one piece and of known length: mlx_lm.server takes no chunks.
	sent, err := json.Marshal(q)
	if err != nil {
		return model.Answer{}, fmt.Errorf("encode the request: %w", err)
	}
	body, err := c.do(ctx, http.MethodPost, "/chat/completions", sent)
	if err != nil {
		return model.Answer{}, err
	}
	return answerIn(body)
}

// answerIn reads a body that came with status 200.
func answerIn(body []byte) (model.Answer, error) {
	var got reply
	if err := json.Unmarshal(body, &got); err != nil {
		return model.Answer{}, &model.Error{Kind: model.Garbled, Text: model.Excerpt(string(body))}
	}
	a := model.Answer{In: got.Usage.Prompt, Out: got.Usage.Completion, Model: got.Model}
	if len(got.Choices) == 0 {
		text := "no choices"
		if len(got.Error) > 0 {
			text = errorText(body)
		}
		return a, &model.Error{Kind: model.Garbled, Text: model.Excerpt(text)}
	}
	first := &got.Choices[0]
	a.Text = textOf(first.Message.Content)
	switch {
	case first.Message.Refusal != "", first.Finish == "content_filter":
		return a, &model.Error{Kind: model.Refused, Text: model.Excerpt(first.Message.Refusal)}
	case strings.TrimSpace(a.Text) == "":
		return a, &model.Error{Kind: model.Empty, Text: "finished by " + model.Excerpt(first.Finish)}
	}
	return a, nil
}

// textOf reads a content: a text, a list of parts, or nothing.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil {
		for _, p := range parts {
			text += p.Text
		}
	}
	return text
}

// do sends one request and returns the body of an answer with status 200.
func (c *Client) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	q, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, &model.Error{Kind: model.Denied, Text: err.Error()}
	}
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(q)
	if err != nil {
		return nil, broken(ctx, err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, model.MaxBody))
	if resp.StatusCode != http.StatusOK {
		return nil, model.StatusError(resp.StatusCode, resp.Header, errorText(got))
	}
	if err != nil {
		return nil, broken(ctx, err)
	}
	return got, nil
}

// broken is the error of a connection that could not be made or broke off.
func broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return model.ConnectionError(err, err.Error())
}

// errorText is what a server says of an error, in any of the three forms:
// {"error": "text"}, {"error": {"message": "text"}}, or no JSON at all.
func errorText(body []byte) string {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &e) == nil && len(e.Error) > 0 {
		var text string
		if json.Unmarshal(e.Error, &text) == nil {
			return text
		}
		var object struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(e.Error, &object) == nil && object.Message != "" {
			return object.Message
		}
	}
	return string(body)
}
