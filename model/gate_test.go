package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// engine answers by a function, with the number of the call from 1.
type engine func(ctx context.Context, n int) (Answer, error)

type counted struct {
	engine
	n atomic.Int64
}

func (c *counted) Ask(ctx context.Context, _ Request) (Answer, error) {
	return c.engine(ctx, int(c.n.Add(1)))
}

// gateOf has no waits but remembers them.
func gateOf(l Limits, e engine) (*Gate, *counted, *[]time.Duration) {
	c := &counted{engine: e}
	g := NewGate(c, l)
	var mu sync.Mutex
	var waits []time.Duration
	g.wait = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		waits = append(waits, d)
		return ctx.Err()
	}
	return g, c, &waits
}

func fine(context.Context, int) (Answer, error) { return Answer{Text: "ok", In: 1000, Out: 100}, nil }

func failing(k Kind) engine {
	return func(context.Context, int) (Answer, error) { return Answer{}, &Error{Kind: k} }
}

func TestTries(t *testing.T) {
	for _, tc := range []struct {
		kind  Kind
		calls int
		gone  bool // after this one request
	}{
		{Unreachable, 3, false}, {TimedOut, 3, false}, {Busy, 3, false}, {Garbled, 3, false},
		{Denied, 1, true}, {Refused, 1, false}, {Empty, 1, false},
	} {
		g, c, _ := gateOf(Limits{}, failing(tc.kind))
		_, err := g.Ask(context.Background(), Request{})
		if KindOf(err) != tc.kind || int(c.n.Load()) != tc.calls || (g.GivenUp() != nil) != tc.gone {
			t.Errorf("%s: %v after %d calls, given up: %v", tc.kind, err, c.n.Load(), g.GivenUp())
		}
	}
}

// Where nothing listens one call is enough, unless the engine answered before.
func TestNobodyThere(t *testing.T) {
	nobody := &Error{Kind: Unreachable, Absent: true}
	g, c, waits := gateOf(Limits{}, func(context.Context, int) (Answer, error) { return Answer{}, nobody })
	for range 3 {
		if _, err := g.Ask(context.Background(), Request{}); KindOf(err) != Unreachable {
			t.Error(err)
		}
	}
	if c.n.Load() != 1 || len(*waits) != 0 || g.GivenUp() == nil {
		t.Errorf("%d calls, waits %v, given up: %v", c.n.Load(), *waits, g.GivenUp())
	}
	g, c, _ = gateOf(Limits{}, func(_ context.Context, n int) (Answer, error) {
		if n == 2 || n == 3 {
			return Answer{}, nobody
		}
		return Answer{Text: "ok"}, nil
	})
	for range 2 {
		if _, err := g.Ask(context.Background(), Request{}); err != nil {
			t.Error(err)
		}
	}
	if c.n.Load() != 4 || g.GivenUp() != nil {
		t.Errorf("a server that starts again: %d calls, given up: %v", c.n.Load(), g.GivenUp())
	}
}

func TestWaits(t *testing.T) {
	g, _, waits := gateOf(Limits{Tries: 7}, func(_ context.Context, n int) (Answer, error) {
		switch n {
		case 1:
			return Answer{}, &Error{Kind: Busy}
		case 2:
			return Answer{}, &Error{Kind: Busy, After: time.Second} // less than it would be anyway
		case 3:
			return Answer{}, &Error{Kind: Busy, After: time.Minute}
		case 4:
			return Answer{}, &Error{Kind: Busy, After: longestWait}
		case 5, 6:
			return Answer{}, &Error{Kind: Busy}
		}
		return Answer{Text: "ok"}, nil
	})
	if _, err := g.Ask(context.Background(), Request{}); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{firstWait, 4 * firstWait, time.Minute, longestWait, mostWait, mostWait}; fmt.Sprint(*waits) != fmt.Sprint(want) {
		t.Errorf("waits %v, want %v", *waits, want)
	}
	if s := g.Spent(); s.Calls != 7 || s.Failed != 6 {
		t.Errorf("%+v", s)
	}
}

// An engine that wants to be left alone for long is not asked again, and not
// before it said: the run goes on without it.
func TestLongWait(t *testing.T) {
	g, c, waits := gateOf(Limits{}, func(context.Context, int) (Answer, error) {
		return Answer{}, &Error{Kind: Busy, After: longestWait + time.Second}
	})
	for range 2 * giveUpAfter {
		_, _ = g.Ask(context.Background(), Request{})
	}
	if c.n.Load() != giveUpAfter || len(*waits) != 0 || g.GivenUp() == nil {
		t.Errorf("%d calls, waits %v, given up: %v", c.n.Load(), *waits, g.GivenUp())
	}
}

func TestGivingUp(t *testing.T) {
	g, c, _ := gateOf(Limits{Tries: 2}, failing(Unreachable))
	for range 20 {
		if _, err := g.Ask(context.Background(), Request{}); err == nil {
			t.Fatal("no error")
		}
	}
	if _, err := g.Ask(context.Background(), Request{}); !errors.Is(err, ErrLimit) || c.n.Load() != 2*giveUpAfter {
		t.Errorf("%v after %d calls", err, c.n.Load())
	}
	// One that gets through starts the count anew.
	g, _, _ = gateOf(Limits{Tries: 1}, func(_ context.Context, n int) (Answer, error) {
		if n%giveUpAfter == 0 {
			return Answer{Text: "ok"}, nil
		}
		return Answer{}, &Error{Kind: Busy}
	})
	for range 50 {
		if _, err := g.Ask(context.Background(), Request{}); errors.Is(err, ErrLimit) {
			t.Fatal(err)
		}
	}
}

func TestLimits(t *testing.T) {
	ask := func(g *Gate) error {
		_, err := g.Ask(context.Background(), Request{Prompt: strings.Repeat("word ", 1000), Limit: 100})
		return err
	}
	g, c, _ := gateOf(Limits{MaxCalls: 3}, fine)
	var err error
	for range 5 {
		err = errors.Join(err, ask(g))
	}
	if !errors.Is(err, ErrLimit) || c.n.Load() != 3 {
		t.Errorf("%v after %d calls", err, c.n.Load())
	}
	// Further tries are calls as well.
	g, c, _ = gateOf(Limits{MaxCalls: 2}, failing(Busy))
	if err := ask(g); !errors.Is(err, ErrLimit) || c.n.Load() != 2 {
		t.Errorf("%v after %d calls", err, c.n.Load())
	}
	// A call costs $0.0011; what the next could cost is held back before.
	price := Price{In: 1, Out: 1}
	g, c, _ = gateOf(Limits{MaxCost: 0.0035, Price: price, Concurrency: 8}, fine)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { _ = ask(g) })
	}
	wg.Wait()
	if s := g.Spent(); s.Cost > 0.0035 || s.Calls < 2 || c.n.Load() != int64(s.Calls) {
		t.Errorf("%+v", s)
	}
}

// A call whose cost nobody tells counts with the most that it could have cost,
// since it may have been answered and charged.
func TestUnknownCost(t *testing.T) {
	for name, tc := range map[string]struct {
		err   error
		calls int // of $1 at most, where $2 are allowed
	}{
		"timed out":           {&Error{Kind: TimedOut}, 2},
		"timed out elsewhere": {&Error{Kind: TimedOut, Status: 408}, 2},
		"deadline":            {context.DeadlineExceeded, 2},
		"broke off":           {&Error{Kind: Unreachable}, 2},
		"no protocol":         {&Error{Kind: Garbled}, 2},
		"blocked":             {&Error{Kind: Refused}, 2},
		"no word":             {&Error{Kind: Empty}, 2},
		"stopped":             {context.Canceled, 2},
		"nobody there":        {&Error{Kind: Unreachable, Absent: true}, 1}, // given up
		"busy":                {&Error{Kind: Busy, Status: 503}, 15},        // given up
		"refused":             {&Error{Kind: Refused, Status: 400}, 20},
		"denied":              {&Error{Kind: Denied}, 1}, // given up
	} {
		t.Run(name, func(t *testing.T) {
			g, c, _ := gateOf(Limits{MaxCost: 2, Price: Price{Out: 1e6}}, func(context.Context, int) (Answer, error) { return Answer{}, tc.err })
			var err error
			for range 20 {
				_, err = g.Ask(context.Background(), Request{Limit: 1})
			}
			s := g.Spent()
			if int(c.n.Load()) != tc.calls || s.Cost != 0 || (s.Unsure == 2) != (tc.calls == 2) {
				t.Errorf("%d calls, want %d; %+v", c.n.Load(), tc.calls, s)
			}
			if tc.calls == 2 && (!errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "may have cost $2")) {
				t.Errorf("%v", err)
			}
		})
	}
	// The input of one that timed out is counted as cost, and no second time.
	g, _, _ := gateOf(Limits{Price: Price{In: 1e6, Out: 1e6}, Tries: 1}, failing(TimedOut))
	_, _ = g.Ask(context.Background(), Request{Prompt: "word", Limit: 10})
	if s := g.Spent(); s.Cost != float64(s.In) || s.In == 0 || s.Unsure != 10 {
		t.Errorf("%+v", s)
	}
	// What a failed call says of itself is known.
	g, _, _ = gateOf(Limits{Price: Price{In: 1e6, Out: 1e6}, Tries: 1}, func(context.Context, int) (Answer, error) {
		return Answer{In: 3, Out: 2}, &Error{Kind: Empty}
	})
	_, _ = g.Ask(context.Background(), Request{Limit: 10})
	if s := g.Spent(); s.Cost != 5 || s.Unsure != 0 {
		t.Errorf("%+v", s)
	}
}

// Figures that no model can have used are not believed: the estimate counts, so
// that none of them makes room for more calls.
func TestAbsurdUsage(t *testing.T) {
	g, _, _ := gateOf(Limits{}, func(context.Context, int) (Answer, error) {
		return Answer{Text: "ok", In: -5_000_000_000_000, Out: 1_000_000_000_000_000_000}, nil
	})
	for range 3 {
		if _, err := g.Ask(context.Background(), Request{Prompt: "a question of some words"}); err != nil {
			t.Fatal(err)
		}
	}
	if s := g.Spent(); s.In <= 0 || s.In > 1000 || s.Out <= 0 || s.Out > 1000 {
		t.Errorf("%d tokens in, %d out", s.In, s.Out)
	}
}

func TestRate(t *testing.T) {
	g, _, waits := gateOf(Limits{PerMinute: 60}, fine)
	for range 4 {
		if _, err := g.Ask(context.Background(), Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(*waits) != 3 {
		t.Fatalf("waits %v", *waits)
	}
	for i, w := range *waits { // no time passes in between
		if want := time.Duration(i+1) * time.Second; w > want || w < want-500*time.Millisecond {
			t.Errorf("wait %d is %v, want about %v", i, w, want)
		}
	}
}

// A call that was given up while the rate made it wait was never made.
func TestStoppedWhileWaiting(t *testing.T) {
	nobody := &Error{Kind: Unreachable, Absent: true}
	g, c, _ := gateOf(Limits{PerMinute: 1, MaxCost: 1, Price: Price{Out: 1e6}}, func(context.Context, int) (Answer, error) { return Answer{}, nobody })
	g.next = time.Now().Add(time.Minute)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.try(ctx, Request{Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s := g.Spent(); s != (Spent{}) || g.held != 0 || c.n.Load() != 0 {
		t.Errorf("%+v, %g held back, %d calls", s, g.held, c.n.Load())
	}
	// The engine has not answered: the next call finds that it is not there.
	if _, err := g.Ask(context.Background(), Request{Limit: 1}); KindOf(err) != Unreachable || c.n.Load() != 1 || g.GivenUp() == nil {
		t.Errorf("%v after %d calls, given up: %v", err, c.n.Load(), g.GivenUp())
	}
}

func TestConcurrency(t *testing.T) {
	var now, most atomic.Int64
	g, _, _ := gateOf(Limits{Concurrency: 3}, func(context.Context, int) (Answer, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return Answer{Text: "ok"}, nil
	})
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() { _, _ = g.Ask(context.Background(), Request{}) })
	}
	wg.Wait()
	if most.Load() != 3 {
		t.Errorf("%d calls at one time", most.Load())
	}
}

func TestTimeout(t *testing.T) {
	slow := func(ctx context.Context, _ int) (Answer, error) {
		<-ctx.Done()
		return Answer{}, ctx.Err()
	}
	g, _, _ := gateOf(Limits{Timeout: 5 * time.Millisecond, Tries: 1}, slow)
	if _, err := g.Ask(context.Background(), Request{}); KindOf(err) != TimedOut {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	g, c, _ := gateOf(Limits{}, func(ctx context.Context, n int) (Answer, error) { cancel(); return slow(ctx, n) })
	if _, err := g.Ask(ctx, Request{}); !errors.Is(err, context.Canceled) || c.n.Load() != 1 {
		t.Errorf("%v after %d calls", err, c.n.Load())
	}
}
