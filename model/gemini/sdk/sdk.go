// Package sdk asks Google's Gemini models through their Go SDK, of which it is
// the only importer, and is itself linked into the program sessc-gemini alone. What the SDK would do unasked stands behind a transport
// of our own: the key goes into a header instead of the URL, errors come back at
// once and with what the service said, models do not think, and parts of an
// answer that the SDK would stumble over are taken out.
package sdk

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
	"sync/atomic"
	"time"

	"github.com/google/generative-ai-go/genai"
	"google.golang.org/api/option"

	"sessc/model"
)

// Client is one model. It implements [model.Asker].
type Client struct {
	name     string
	endpoint string
	key      string
	lane     *lane

	once   sync.Once
	client *genai.Client
	err    error
}

// New returns a client for a model behind an endpoint, which [model.Endpoint]
// has checked. It connects to nothing.
func New(endpoint, name, key string) *Client {
	return &Client{name: name, endpoint: endpoint, key: key, lane: &lane{key: key, thinking: thinking(name), next: model.HTTPClient().Transport}}
}

// thinking is what turns a model's thoughts off, or down as far as it goes; nil
// for models that have none.
func thinking(name string) map[string]any {
	switch name = strings.TrimPrefix(name, "models/"); {
	case strings.HasPrefix(name, "gemini-2.5"):
		return map[string]any{"thinkingBudget": 0}
	case strings.HasPrefix(name, "gemini-1"), strings.HasPrefix(name, "gemini-2.0"), !strings.HasPrefix(name, "gemini"):
		return nil
	}
	return map[string]any{"thinkingLevel": "MINIMAL"}
}

// open makes the SDK's client, once in a process: closing it leaves goroutines
// behind. The key that it is told is a made-up one, so that it looks for no
// other; ours goes on in the transport.
func (c *Client) open() (*genai.Client, error) {
	c.once.Do(func() {
		// Not the context of the first question, which ends before the last one.
		hc := model.HTTPClient()
		hc.Transport = c.lane
		c.client, c.err = genai.NewClient(context.Background(),
			option.WithHTTPClient(hc), option.WithAPIKey("unused"), option.WithEndpoint(c.endpoint))
		if c.err != nil {
			c.err = &model.Error{Kind: model.Denied, Text: model.Excerpt(c.err.Error())}
		}
	})
	return c.client, c.err
}

// Ask implements [model.Asker]. A model that refuses the setting for thoughts is
// asked once more without it, and never with it again.
func (c *Client) Ask(ctx context.Context, r model.Request) (model.Answer, error) {
	a, err := c.ask(ctx, r)
	var e *model.Error
	if errors.As(err, &e) && e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Text), "think") && c.lane.mute.CompareAndSwap(false, true) {
		return c.ask(ctx, r)
	}
	return a, err
}

func (c *Client) ask(ctx context.Context, r model.Request) (a model.Answer, err error) {
	client, err := c.open()
	if err != nil {
		return a, err
	}
	// The SDK panics on parts that it does not know.
	defer func() {
		if v := recover(); v != nil {
			err = &model.Error{Kind: model.Garbled, Text: model.Excerpt(fmt.Sprint("the SDK: ", v))}
		}
	}()
	m := client.GenerativeModel(c.name)
	m.SystemInstruction = genai.NewUserContent(genai.Text(r.System))
	m.SetTemperature(0)
	m.SetMaxOutputTokens(int32(r.Limit))
	if len(r.Fields) > 0 {
		m.ResponseMIMEType = "application/json"
		m.ResponseSchema = schema(r.Fields)
	}
	note := &note{}
	resp, err := m.GenerateContent(context.WithValue(ctx, noteKey{}, note), genai.Text(r.Prompt))
	a = model.Answer{In: note.in, Out: note.out, Model: note.version}
	if err != nil {
		return a, c.failure(ctx, err)
	}
	return answerIn(resp, a)
}

func schema(fields []model.Field) *genai.Schema {
	s := &genai.Schema{Type: genai.TypeObject, Properties: map[string]*genai.Schema{}}
	for _, f := range fields {
		of := &genai.Schema{Type: genai.TypeString}
		if f.List {
			of = &genai.Schema{Type: genai.TypeArray, Items: of}
		}
		s.Properties[f.Name], s.Required = of, append(s.Required, f.Name)
	}
	return s
}

// answerIn reads what the SDK makes of an answer; most of what can be missing
// in one is no error to it.
func answerIn(resp *genai.GenerateContentResponse, a model.Answer) (model.Answer, error) {
	if resp == nil || len(resp.Candidates) == 0 {
		if resp != nil && resp.PromptFeedback != nil {
			return a, &model.Error{Kind: model.Refused, Text: "the prompt was blocked"}
		}
		return a, &model.Error{Kind: model.Garbled, Text: "no candidates"}
	}
	first := resp.Candidates[0]
	if first.Content != nil {
		for _, p := range first.Content.Parts {
			if t, ok := p.(genai.Text); ok {
				a.Text += string(t)
			}
		}
	}
	switch first.FinishReason {
	case genai.FinishReasonUnspecified, genai.FinishReasonStop, genai.FinishReasonMaxTokens:
		// One that was cut off is for its reader to judge.
	default:
		return a, &model.Error{Kind: model.Refused, Text: "finished by " + first.FinishReason.String()}
	}
	if strings.TrimSpace(a.Text) == "" {
		return a, &model.Error{Kind: model.Empty, Text: "finished by " + first.FinishReason.String()}
	}
	return a, nil
}

// failure turns an error of the SDK into one of ours. Its text may hold the URL.
func (c *Client) failure(ctx context.Context, err error) error {
	var ours *model.Error
	var blocked *genai.BlockedError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &blocked):
		return &model.Error{Kind: model.Refused, Text: "blocked by a filter"}
	}
	return &model.Error{Kind: model.Garbled, Text: model.Excerpt(model.Hide(err.Error(), c.key))}
}

// note is what the transport sees of an answer and the SDK does not pass on.
type note struct {
	in, out int
	version string
}

type noteKey struct{}

// lane is the transport under the SDK.
type lane struct {
	key      string
	thinking map[string]any
	mute     atomic.Bool // the model will not have the setting
	next     http.RoundTripper
}

// RoundTrip sends a request and returns an answer of status 200 that the SDK can
// read, or an error of ours.
func (l *lane) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	query := q.URL.Query()
	query.Del("key")
	q.URL.RawQuery = query.Encode()
	q.Header.Set("X-Goog-Api-Key", l.key)
	if err := l.settle(q); err != nil {
		return nil, err
	}
	resp, err := l.next.RoundTrip(q)
	if err != nil {
		if ctx := q.Context().Err(); ctx != nil {
			return nil, ctx
		}
		return nil, model.ConnectionError(err, model.Hide(err.Error(), l.key))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, model.MaxBody))
	if resp.StatusCode != http.StatusOK {
		return nil, l.refusal(resp, body)
	}
	if err != nil {
		if ctx := q.Context().Err(); ctx != nil {
			return nil, ctx
		}
		return nil, model.ConnectionError(err, model.Hide(err.Error(), l.key))
	}
	n, _ := q.Context().Value(noteKey{}).(*note)
	if body, err = readable(body, n); err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// settle adds the setting for thoughts, which the SDK does not know.
func (l *lane) settle(q *http.Request) error {
	if q.Body == nil || l.thinking == nil || l.mute.Load() {
		return nil
	}
	sent, err := io.ReadAll(q.Body)
	if err != nil {
		return err
	}
	var top map[string]json.RawMessage
	var generation map[string]any
	if json.Unmarshal(sent, &top) == nil && json.Unmarshal(top["generationConfig"], &generation) == nil {
		generation["thinkingConfig"] = l.thinking
		if top["generationConfig"], err = json.Marshal(generation); err != nil {
			return err
		}
		if sent, err = json.Marshal(top); err != nil {
			return err
		}
	}
	q.Body, q.ContentLength, q.GetBody = io.NopCloser(bytes.NewReader(sent)), int64(len(sent)), nil
	return nil
}

// refusal reads an answer with another status than 200.
func (l *lane) refusal(resp *http.Response, body []byte) error {
	var said struct {
		Error struct {
			Message string
			Details []struct {
				Reason     string
				RetryDelay string
				Violations []struct{ QuotaID string }
			}
		}
	}
	text := string(body)
	if json.Unmarshal(body, &said) == nil && said.Error.Message != "" {
		text = said.Error.Message
	}
	e := model.StatusError(resp.StatusCode, resp.Header, model.Hide(text, l.key))
	for _, d := range said.Error.Details {
		if strings.HasPrefix(d.Reason, "API_KEY") {
			e.Kind = model.Denied // with status 400
		}
		if after, err := time.ParseDuration(d.RetryDelay); err == nil && e.After == 0 {
			e.After = after
		}
		for _, v := range d.Violations {
			if strings.Contains(v.QuotaID, "PerDay") {
				e.Kind = model.Denied // until tomorrow
			}
		}
	}
	return e
}

// readable takes out of an answer what the SDK cannot read or tells no more:
// parts without text, and thoughts. What it counts goes into the note.
func readable(body []byte, n *note) ([]byte, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, &model.Error{Kind: model.Garbled, Text: model.Excerpt(string(body))}
	}
	if raw, ok := top["error"]; ok {
		return nil, &model.Error{Kind: model.Garbled, Text: model.Excerpt(string(raw))}
	}
	var usage struct {
		Prompt   int `json:"promptTokenCount"`
		Answer   int `json:"candidatesTokenCount"`
		Thoughts int `json:"thoughtsTokenCount"`
	}
	// What is missing or odd in them counts as not told.
	_ = json.Unmarshal(top["usageMetadata"], &usage)
	if n != nil {
		n.in, n.out = usage.Prompt, usage.Answer+usage.Thoughts
		_ = json.Unmarshal(top["modelVersion"], &n.version)
	}
	var candidates []map[string]json.RawMessage
	if json.Unmarshal(top["candidates"], &candidates) != nil {
		return body, nil
	}
	for _, c := range candidates {
		var content map[string]json.RawMessage
		var parts []map[string]json.RawMessage
		if json.Unmarshal(c["content"], &content) != nil || json.Unmarshal(content["parts"], &parts) != nil {
			continue
		}
		kept := []map[string]json.RawMessage{}
		for _, p := range parts {
			if text, ok := p["text"]; ok && string(p["thought"]) != "true" {
				kept = append(kept, map[string]json.RawMessage{"text": text})
			}
		}
		content["parts"] = encoded(kept)
		c["content"] = encoded(content)
	}
	top["candidates"] = encoded(candidates)
	return encoded(top), nil
}

// encoded is the JSON of what came from JSON.
func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // raw messages that were read before
	}
	return b
}
