package gemini

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"sessc/model"
)

// child is a program that was started.
type child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  beginning     // on stderr
	lines chan []byte   // for its stdin
	ready chan struct{} // closed once it has greeted
	gone  chan struct{} // closed once it has ended
	err   error         // why it is gone

	mu   sync.Mutex
	last int64 // the newest question
	open map[int64]chan reply
}

// start starts the program. Its environment is that of sessc, which may name a
// proxy, with the chosen key in the place of all keys.
func (c *Client) start() (*child, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	ch := &child{
		cmd: exec.Command(path, c.endpoint, c.name), lines: make(chan []byte),
		ready: make(chan struct{}), gone: make(chan struct{}), open: map[int64]chan reply{},
	}
	ch.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, KeyVariable+"=") || strings.HasPrefix(v, "GOOGLE_API_KEY=")
	}), KeyVariable+"="+c.key)
	ch.cmd.Stderr = &ch.said
	ch.cmd.WaitDelay = c.parting
	if ch.stdin, err = ch.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := ch.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := ch.cmd.Start(); err != nil {
		return nil, err
	}
	go ch.write()
	go func() {
		why := c.listen(ch, stdout)
		if why == nil {
			ch.dismiss(c.parting) // it says no more, and may not have ended
		} else {
			ch.kill()
		}
		if err := ch.cmd.Wait(); why == nil {
			why = &model.Error{Kind: model.Unreachable, Text: fmt.Sprintf("%s ended by itself (%s)", Program, ending(err))}
		}
		if text := strings.TrimSpace(string(ch.said)); text != "" {
			why.Text += ": " + text
		}
		why.Text = model.Excerpt(model.Hide(why.Text, c.key))
		ch.err = c.ended(why)
		close(ch.gone)
	}()
	return ch, nil
}

// ending says how a program ended.
func ending(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// kill ends the program at once. One that has ended is no matter.
func (ch *child) kill() { _ = ch.cmd.Process.Kill() }

// dismiss tells the program to end, and makes it after a while.
func (ch *child) dismiss(parting time.Duration) {
	_ = ch.stdin.Close() // it may have been closed by the program's end
	late := time.AfterFunc(parting, ch.kill)
	go func() {
		<-ch.gone
		late.Stop()
	}()
}

// write brings lines to the program, one after the other: a question waits for
// one that does not read only as long as its context allows.
func (ch *child) write() {
	for {
		select {
		case b := <-ch.lines:
			_, err := ch.stdin.Write(b)
			if errors.Is(err, os.ErrClosed) {
				return // it was dismissed
			}
			if err != nil {
				ch.kill() // it reads no more
				return
			}
		case <-ch.gone:
			return
		}
	}
}

// listen hands out what the program says until it says no more. The error is
// something that it should not have said, or that it said nothing.
func (c *Client) listen(ch *child, stdout io.Reader) *model.Error {
	lines := bufio.NewReaderSize(stdout, 64<<10)
	late := time.AfterFunc(c.patience, ch.kill)
	b, err := readLine(lines)
	if !late.Stop() {
		return &model.Error{Kind: model.Unreachable, Text: fmt.Sprintf("%s was started and said nothing within %v", Program, c.patience)}
	}
	var hello greeting
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil, json.Unmarshal(b, &hello) != nil, hello.Protocol != protocol:
		return &model.Error{Kind: model.Denied, Text: ch.cmd.Path + " is of another version than sessc; install both anew"}
	}
	close(ch.ready)
	for {
		if b, err = readLine(lines); errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
			return nil
		}
		var r reply
		if err == nil {
			err = json.Unmarshal(b, &r)
		}
		if err == nil && r.ID == 0 {
			err = errors.New("a line without an id")
		}
		if err != nil {
			return &model.Error{Kind: model.Garbled, Text: fmt.Sprintf("%s said what is no answer: %v", Program, err)}
		}
		c.answered()
		if r.Error != nil {
			r.Error.Text = model.Hide(r.Error.Text, c.key)
		}
		if to := ch.take(r.ID); to != nil { // else nobody waits any more
			to <- r
		}
	}
}

// take removes a question from those that are open.
func (ch *child) take(id int64) chan reply {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	to := ch.open[id]
	delete(ch.open, id)
	return to
}

func (ch *child) ask(ctx context.Context, r model.Request) (model.Answer, error) {
	select {
	case <-ch.ready:
	case <-ch.gone:
		return model.Answer{}, ch.err
	case <-ctx.Done():
		return model.Answer{}, ctx.Err()
	}
	to := make(chan reply, 1)
	ch.mu.Lock()
	ch.last++
	id := ch.last
	ch.open[id] = to
	ch.mu.Unlock()
	select {
	case ch.lines <- line(question{ID: id, Request: &r}):
	case <-ch.gone:
		return model.Answer{}, ch.err
	case <-ctx.Done():
		ch.take(id)
		return model.Answer{}, ctx.Err()
	}
	select {
	case got := <-to:
		return got.result()
	case <-ch.gone:
		select {
		case got := <-to: // its last words
			return got.result()
		default:
			return model.Answer{}, ch.err
		}
	case <-ctx.Done():
		if ch.take(id) != nil {
			// Not in the way of the caller, whose time is over.
			go func() {
				select {
				case ch.lines <- line(question{Cancel: id}):
				case <-ch.gone:
				}
			}()
		}
		return model.Answer{}, ctx.Err()
	}
}

func (r reply) result() (model.Answer, error) {
	if r.Error != nil {
		return r.Answer, r.Error
	}
	return r.Answer, nil
}

// beginning keeps the first bytes that are written to it.
type beginning []byte

func (b *beginning) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), 4096-len(*b))]...)
	return len(p), nil
}
