// Package model asks language models for short texts. It knows what a request,
// an answer and a failure are, and keeps calls within limits of number, rate,
// time and money; the engines stand in folders of their own, which only the
// command line imports.
//
// It does not know what is asked, does not read answers, and redacts nothing:
// package summarize does, before a request reaches it.
package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Asker is a model that can be asked: an engine, or one behind a [Gate].
type Asker interface {
	// Ask returns the model's answer, or an error that is or wraps an
	// [*Error], [ErrLimit] or the context's own. It may be called by several
	// goroutines.
	Ask(ctx context.Context, r Request) (Answer, error)
}

// Request is one question. The same System in all requests lets engines keep
// what they computed of it.
type Request struct {
	System string  // what the model is to do, with all its rules
	Prompt string  // the data to do it on
	Fields []Field // of the JSON object that is asked for, in order, all of them required
	Limit  int     // most tokens of the answer
}

// Field is one member of the object that a request asks for: a text, or a list
// of texts.
type Field struct {
	Name string
	List bool
}

// Answer is what a model said. In and Out are the tokens that the engine
// counted, those of its thoughts with Out; 0 when it tells none.
type Answer struct {
	Text    string
	In, Out int
	Model   string // the name that the engine gives itself, "" unknown
}

// Kind sorts failures by what can be done about them.
type Kind string

// The kinds of failure.
const (
	Unreachable Kind = "unreachable" // no connection, or it broke off: may pass
	TimedOut    Kind = "timed out"   // may pass
	Busy        Kind = "busy"        // too many requests, or the engine is loading: may pass
	Denied      Kind = "denied"      // bad key, unknown model, bad request: the next call fails as well
	Refused     Kind = "refused"     // the model or its filter will not answer this request
	Empty       Kind = "empty"       // an answer without a word, or cut off before the first one
	Garbled     Kind = "garbled"     // no answer in the engine's own protocol
)

// Error is a call that gave no answer. Its text holds no key and no more than
// the beginning of what the engine said.
type Error struct {
	Kind   Kind
	Status int           // of HTTP, 0 when there was none
	After  time.Duration // the engine asks to wait so long before the next try, 0 unknown
	Text   string
	// Absent: nothing listens at the endpoint. It is [Unreachable] then, and
	// another try helps only where a server is about to come back.
	Absent bool
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", e.Kind, e.Status, e.Text)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Text)
}

// KindOf is the kind of a failed call, "" when the error is of another sort.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// passes reports whether another try of the same request may succeed.
func (k Kind) passes() bool {
	return k == Unreachable || k == TimedOut || k == Busy || k == Garbled
}
