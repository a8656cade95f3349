package batch

// ahead is how many results may wait, for each worker, until those before them
// are there: it bounds their memory when one piece of work takes long.
const ahead = 16

// inOrder calls do for 0 to n-1, up to workers at once, and hands the results
// to done one at a time, in this order, on the caller's goroutine. Before each
// new one it asks more; when that is false, or done returns an error, nothing
// new is begun, and what was begun is finished. It returns how many were begun,
// and done's error.
func inOrder[T any](n, workers int, more func() bool, do func(i int) (T, error), done func(i int, v T, err error) error) (begun int, err error) {
	type result struct {
		v   T
		err error
	}
	queue := make(chan chan result, workers*ahead)
	stop := make(chan struct{})
	go func() {
		defer close(queue)
		free := make(chan struct{}, workers)
		for i := range n {
			select {
			case <-stop:
				return
			case free <- struct{}{}:
			}
			if !more() {
				return
			}
			r := make(chan result, 1)
			queue <- r
			go func() {
				defer func() { <-free }()
				v, err := do(i)
				r <- result{v, err}
			}()
		}
	}()
	for r := range queue {
		got := <-r
		if err == nil {
			if err = done(begun, got.v, got.err); err != nil {
				close(stop)
			}
		}
		begun++
	}
	return begun, err
}
