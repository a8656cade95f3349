package model

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sessc/tokens"
)

// ErrLimit is wrapped when a call was not made: the limits of the run forbid
// it, or the engine was given up.
var ErrLimit = errors.New("not asked")

// Price is what tokens cost, in dollars for a million of them.
type Price struct{ In, Out float64 }

// Of is the cost of tokens, in dollars.
func (p Price) Of(in, out int64) float64 {
	return (p.In*float64(in) + p.Out*float64(out)) / 1e6
}

// Limits bound what a run asks. The zero value of a field sets no limit, but
// for those that say otherwise.
type Limits struct {
	Concurrency int           // calls at one time; 0 means 1
	PerMinute   int           // calls begun in a minute, evenly spread
	MaxCalls    int           // calls in all, further tries included
	MaxCost     float64       // dollars; what a call could cost at most is held back while it runs, and for good when nobody says what it did
	Price       Price         // of the model
	Timeout     time.Duration // of one try; 0 means 2 minutes
	Tries       int           // of one request; 0 means 3
}

// Spent is what a run has asked so far.
type Spent struct {
	Calls   int   // requests sent, further tries included
	Failed  int   // of these
	In, Out int64 // tokens, by the engine's count, else estimated
	Cost    float64
	// Unsure is what calls that timed out or broke off may have cost beyond
	// Cost, at most, in dollars: the engine may have answered and charged them.
	Unsure float64
}

// Gate is an engine behind limits. All sessions of a run share one. It tries
// again what may pass, and gives the engine up where further calls are in
// vain: after a denial, at the first try where nothing listens and nothing
// ever answered, or after [giveUpAfter] requests in a row that no try brought
// through.
type Gate struct {
	engine Asker
	limits Limits
	// Told, when set before the first call, hears what was spent after each
	// try. It must not block.
	Told func(Spent)

	places chan struct{}
	wait   func(ctx context.Context, d time.Duration) error // time.After, but for tests

	mu       sync.Mutex
	spent    Spent
	held     float64 // dollars that the calls under way could cost
	next     time.Time
	failures int   // requests in a row that failed
	answered bool  // the engine has been there
	gone     error // why the engine was given up
}

// giveUpAfter is how many requests in a row may fail, each after all its tries.
const giveUpAfter = 5

// Waits between tries: each is four times the one before, or what the engine
// asks for where that is longer. A request that is to wait longer than
// longestWait fails at once: the run goes on without it.
const (
	firstWait   = 500 * time.Millisecond
	mostWait    = 30 * time.Second
	longestWait = 2 * time.Minute
)

// NewGate puts an engine behind limits.
func NewGate(engine Asker, l Limits) *Gate {
	if l.Concurrency < 1 {
		l.Concurrency = 1
	}
	if l.Timeout <= 0 {
		l.Timeout = 2 * time.Minute
	}
	if l.Tries < 1 {
		l.Tries = 3
	}
	return &Gate{engine: engine, limits: l, places: make(chan struct{}, l.Concurrency), wait: pause}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Spent is what was asked so far.
func (g *Gate) Spent() Spent {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.spent
}

// GivenUp says why no further call is made, nil while calls are.
func (g *Gate) GivenUp() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gone
}

// Ask implements [Asker].
func (g *Gate) Ask(ctx context.Context, r Request) (Answer, error) {
	select {
	case g.places <- struct{}{}:
		defer func() { <-g.places }()
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	wait := firstWait
	for try := 1; ; try++ {
		a, err := g.try(ctx, r)
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrLimit) {
			return a, err
		}
		var e *Error
		if !errors.As(err, &e) {
			return a, err
		}
		if try == g.limits.Tries || !e.Kind.passes() || g.nobody(e) || e.After > longestWait {
			g.judge(e)
			return a, err
		}
		if err := g.wait(ctx, max(wait, e.After)); err != nil {
			return a, err
		}
		wait = min(wait*4, mostWait)
	}
}

// try makes one call, if the limits allow it.
func (g *Gate) try(ctx context.Context, r Request) (Answer, error) {
	in := int64(tokens.EstimateString(r.System) + tokens.EstimateString(r.Prompt))
	most := g.limits.Price.Of(in, int64(r.Limit))
	delay, err := g.book(most)
	if err != nil {
		return Answer{}, err
	}
	if delay > 0 {
		if err := g.wait(ctx, delay); err != nil {
			g.unbook(most)
			return Answer{}, err
		}
	}
	within, cancel := context.WithTimeout(ctx, g.limits.Timeout)
	defer cancel()
	a, err := g.engine.Ask(within, r)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = &Error{Kind: TimedOut, Text: fmt.Sprintf("no answer within %v", g.limits.Timeout)}
	}
	g.settle(most, a, err, in)
	return a, err
}

// book takes a place for a call that costs at most so many dollars, and says
// how long the rate makes it wait.
func (g *Gate) book(most float64) (delay time.Duration, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch l := &g.limits; {
	case g.gone != nil:
		return 0, g.gone
	case l.MaxCalls > 0 && g.spent.Calls >= l.MaxCalls:
		return 0, fmt.Errorf("%w: %d calls were made, as many as allowed", ErrLimit, l.MaxCalls)
	case l.MaxCost > 0 && g.spent.Cost+g.spent.Unsure+g.held+most > l.MaxCost:
		why := ""
		if g.spent.Unsure > 0 {
			why = fmt.Sprintf(", since calls that timed out or broke off may have cost $%.4f", g.spent.Unsure)
		}
		return 0, fmt.Errorf("%w: the next call could bring the cost above $%g%s", ErrLimit, l.MaxCost, why)
	}
	g.held += most
	g.spent.Calls++
	if g.limits.PerMinute <= 0 {
		return 0, nil
	}
	now := time.Now()
	if g.next.Before(now) {
		g.next = now
	}
	delay = g.next.Sub(now)
	g.next = g.next.Add(time.Minute / time.Duration(g.limits.PerMinute))
	return delay, nil
}

// unbook gives back the place of a call that was not made.
func (g *Gate) unbook(most float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held -= most
	g.spent.Calls--
}

// settle replaces what was held back for a call by what it cost. Where nobody
// says what a call that failed cost, it may have been answered and charged: the
// most that it could cost stays held back.
func (g *Gate) settle(most float64, a Answer, err error, in int64) {
	g.mu.Lock()
	g.held -= most
	if err == nil {
		g.answered = true
	}
	if err == nil && a.Text != "" {
		g.failures = 0
	}
	if err != nil {
		g.spent.Failed++
	}
	a.In, a.Out = sane(a.In), sane(a.Out)
	told := a.In > 0 || a.Out > 0
	if !told && (err == nil || KindOf(err) == TimedOut) {
		a.In, a.Out = int(in), tokens.EstimateString(a.Text)
	}
	g.spent.In += int64(a.In)
	g.spent.Out += int64(a.Out)
	g.spent.Cost = g.limits.Price.Of(g.spent.In, g.spent.Out)
	if !told && err != nil && unsure(err) {
		g.spent.Unsure += max(0, most-g.limits.Price.Of(int64(a.In), int64(a.Out)))
	}
	spent := g.spent
	g.mu.Unlock()
	if g.Told != nil {
		g.Told(spent)
	}
}

// unsure reports whether a call that failed may have been charged: the engine
// had it, as far as anybody knows, and did not refuse it with a status.
func unsure(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return true // stopped on the way
	}
	return e.Kind == TimedOut || e.Status == 0 && e.Kind != Denied && !e.Absent
}

// nobody reports whether an error says that there is no engine. One that has
// answered before may be about to start again.
func (g *Gate) nobody(e *Error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return e.Absent && !g.answered
}

// judge gives the engine up where further calls are in vain.
func (g *Gate) judge(e *Error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.Kind == Refused || e.Kind == Empty {
		g.failures = 0 // it is this request alone: the engine works
		return
	}
	g.failures++
	if g.gone == nil && (e.Kind == Denied || e.Absent && !g.answered || g.failures >= giveUpAfter) {
		g.gone = fmt.Errorf("%w: the model was given up: %w", ErrLimit, e)
	}
}

// sane is a count of tokens that an engine gave, 0 for one that no model can
// have read or written.
func sane(n int) int {
	if n < 0 || n > 100_000_000 {
		return 0
	}
	return n
}
