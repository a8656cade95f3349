package batch

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

func always() bool { return true }

func TestInOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		var running, most atomic.Int32
		next := 0
		begun, err := inOrder(200, workers, always, func(i int) (int, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(time.Duration(i%5) * 100 * time.Microsecond)
			return i, nil
		}, func(i, v int, err error) error {
			if i != next || v != i || err != nil {
				t.Fatalf("result %d is %d, %v; expected %d", i, v, err, next)
			}
			next++
			return nil
		})
		if begun != 200 || next != 200 || err != nil || int(most.Load()) > workers {
			t.Errorf("%d workers: %d begun, %d done, %d at once, %v", workers, begun, next, most.Load(), err)
		}
	}
}

// One piece of work that takes long lets only a bounded number of results pile up.
func TestResultsAreBounded(t *testing.T) {
	var begun atomic.Int32
	release := make(chan struct{})
	time.AfterFunc(200*time.Millisecond, func() { close(release) })
	n, err := inOrder(10_000, 2, always, func(i int) (int32, error) {
		begun.Add(1)
		if i == 0 {
			<-release
			return begun.Load(), nil
		}
		return 0, nil
	}, func(i int, v int32, _ error) error {
		if i == 0 && v > 2*ahead+3 {
			t.Errorf("%d were begun while the first was at work", v)
		}
		return nil
	})
	if n != 10_000 || err != nil {
		t.Error(n, err)
	}
}

func TestNothingNewIsBegun(t *testing.T) {
	for name, stop := range map[string]func(i int) (more bool, err error){
		"no more": func(i int) (bool, error) { return i < 10, nil },
		"broken":  func(i int) (bool, error) { return true, map[bool]error{true: errors.New("broken")}[i == 10] },
	} {
		t.Run(name, func(t *testing.T) {
			var at, finished atomic.Int32
			begun, err := inOrder(1000, 3, func() bool {
				ok, _ := stop(int(at.Add(1)) - 1)
				return ok
			}, func(i int) (int, error) {
				time.Sleep(time.Millisecond)
				finished.Add(1)
				return i, nil
			}, func(i, _ int, _ error) error {
				_, err := stop(i)
				return err
			})
			if begun < 10 || begun > 10+3*ahead+4 || int(finished.Load()) != begun {
				t.Errorf("%d begun, %d finished", begun, finished.Load())
			}
			if (name == "broken") != (err != nil) {
				t.Error(err)
			}
		})
	}
}
