// Package gemini asks Google's Gemini models through a second program,
// sessc-gemini, which alone holds their SDK. What a program links in registers
// itself before main, so that the SDK in sessc would cost every command time
// and memory; and a program that reads logs needs no client of a cloud in it.
//
// [Client] is the end in sessc, [Serve] the one in sessc-gemini, wire.go what
// they say to each other.
package gemini

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"sessc/model"
)

const (
	// DefaultModel is the newest stable Flash-Lite, of July 2026. It has a name
	// with a version, and not the alias that moves on, so that prices, kept
	// answers and words do not change unnoticed.
	DefaultModel = "gemini-3.5-flash-lite"
	// DefaultEndpoint is the service itself.
	DefaultEndpoint = "https://generativelanguage.googleapis.com"
	// Program is the name of the program that asks.
	Program = "sessc-gemini"
	// KeyVariable is where the program finds the key: command lines are seen by
	// other users.
	KeyVariable = "GEMINI_API_KEY"
)

// Find returns where the program is: beside sessc, else in PATH.
func Find() (string, error) {
	name := Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if own, err := os.Executable(); err == nil {
		if own, err = filepath.EvalSymlinks(own); err == nil {
			if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), name)); err == nil {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("--model gemini needs the program %s beside sessc or in PATH: a release has both; in a clone run go install . ./model/gemini/sessc-gemini", Program)
	}
	return path, nil
}

// Client is one model. It implements [model.Asker]. The program is started by
// the first question, and once more when it ended unasked.
type Client struct {
	endpoint, name, key string
	patience            time.Duration // with a program that was started and says nothing
	parting             time.Duration // how long it may take to end when it is told to

	mu     sync.Mutex
	child  *child // that runs, nil none
	deaths int    // in a row, without an answer between them
	over   error  // why none is started again
}

// New returns a client for a model behind an endpoint, which [model.Endpoint]
// has checked. It starts nothing.
func New(endpoint, name, key string) *Client {
	return &Client{endpoint: endpoint, name: name, key: key, patience: 30 * time.Second, parting: 5 * time.Second}
}

// Ask implements [model.Asker].
func (c *Client) Ask(ctx context.Context, r model.Request) (model.Answer, error) {
	if err := ctx.Err(); err != nil {
		return model.Answer{}, err
	}
	child, err := c.running()
	if err != nil {
		return model.Answer{}, err
	}
	return child.ask(ctx, r)
}

// Close ends the program, and the questions that are still open. It waits until
// the program is gone.
func (c *Client) Close() {
	c.mu.Lock()
	if c.over == nil {
		c.over = &model.Error{Kind: model.Denied, Text: Program + " was ended"}
	}
	child := c.child
	c.mu.Unlock()
	if child != nil {
		child.dismiss(c.parting)
		<-child.gone
	}
}

// running returns the program, started if need be.
func (c *Client) running() (*child, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.child != nil || c.over != nil {
		return c.child, c.over
	}
	child, err := c.start()
	if err != nil {
		c.over = &model.Error{Kind: model.Denied, Text: model.Excerpt(err.Error())}
		return nil, c.over
	}
	c.child = child
	return child, nil
}

// answered notes that the program works.
func (c *Client) answered() {
	c.mu.Lock()
	c.deaths = 0
	c.mu.Unlock()
}

// ended notes that the program is gone, for which why is the error of all that
// is open. One that ends twice in a row would do so again: it is given up.
func (c *Client) ended(why *model.Error) *model.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.child = nil
	c.deaths++
	if c.deaths > 1 {
		why.Kind = model.Denied
	}
	if c.over == nil && why.Kind == model.Denied {
		c.over = why
	}
	return why
}
