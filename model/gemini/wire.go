package gemini

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"sessc/model"
)

// protocol is the number of the form below. Each change of it, or of what the
// types of package model in it mean, takes the next one.
const protocol = 1

// Both programs write one JSON object a line. The first one of sessc-gemini is
// its greeting; then sessc writes questions and sessc-gemini replies, which
// come in any order. The end of sessc's lines is the end of sessc-gemini.

// greeting says who talks.
type greeting struct {
	Protocol int `json:"sessc-gemini"`
}

// question is a request, or takes one back: nobody waits for its answer.
type question struct {
	ID      int64          `json:"id,omitempty"`
	Request *model.Request `json:"request,omitempty"`
	Cancel  int64          `json:"cancel,omitempty"`
}

// reply is what came of a question. A failure may have an answer beside it, for
// the tokens that it cost.
type reply struct {
	ID     int64        `json:"id"`
	Answer model.Answer `json:"answer"`
	Error  *model.Error `json:"error,omitempty"`
}

// longest bounds a line, in bytes: an answer of [model.MaxBody] with all its
// signs escaped, and room.
const longest = 16 << 20

// line is v as one line.
func line(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and numbers
	}
	return append(b, '\n')
}

// readLine returns the next line, without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var all []byte
	for {
		part, err := r.ReadSlice('\n')
		all = append(all, part...)
		switch {
		case err == nil:
			return all[:len(all)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(all) > longest:
			return nil, fmt.Errorf("a line of more than %d bytes", longest)
		}
	}
}

// Serve answers the questions in the lines of in, all of them at once, until in
// ends, and takes back what is still open then. An error is a line that makes
// no sense.
func Serve(in io.Reader, out io.Writer, engine model.Asker) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex
	open := map[int64]context.CancelFunc{}
	say := func(v any) {
		b := line(v)
		mu.Lock()
		defer mu.Unlock()
		if _, err := out.Write(b); err != nil {
			cancel() // nobody reads it: no more money for it
		}
	}
	say(greeting{protocol})
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		b, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var q question
		if err := json.Unmarshal(b, &q); err != nil || q.Request == nil && q.Cancel == 0 {
			return fmt.Errorf("a line that is no question: %s", model.Excerpt(string(b)))
		}
		if q.Cancel != 0 {
			mu.Lock()
			if stop := open[q.Cancel]; stop != nil {
				stop()
			}
			mu.Unlock()
			continue
		}
		one, stop := context.WithCancel(ctx)
		mu.Lock()
		open[q.ID] = stop
		mu.Unlock()
		go func() {
			r := answer(one, engine, *q.Request)
			r.ID = q.ID
			mu.Lock()
			delete(open, q.ID)
			mu.Unlock()
			if one.Err() == nil { // else nobody waits for it
				say(r)
			}
			stop()
		}()
	}
}

// answer asks the engine. A panic in it is the failure of one question.
func answer(ctx context.Context, engine model.Asker, q model.Request) (r reply) {
	defer func() {
		if v := recover(); v != nil {
			r.Error = &model.Error{Kind: model.Garbled, Text: model.Excerpt(fmt.Sprint("panic: ", v))}
		}
	}()
	a, err := engine.Ask(ctx, q)
	r.Answer = a
	if err != nil && !errors.As(err, &r.Error) {
		r.Error = &model.Error{Kind: model.Garbled, Text: model.Excerpt(err.Error())}
	}
	return r
}
