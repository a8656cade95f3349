package batch

import "sync"

// quota bounds how many sessions of a run are done. One that is begun holds a
// place until it is known whether it was: so never more are done than the bound
// says, and which ones does not depend on how many are worked on at once. A nil
// quota has no bound.
type quota struct {
	mu    sync.Mutex
	known sync.Cond // of one more session
	left  int       // sessions that may still be done
	begun int       // that may turn out to be done
}

// newQuota lets n sessions be done, any number for 0.
func newQuota(n int) *quota {
	if n <= 0 {
		return nil
	}
	q := &quota{left: n}
	q.known.L = &q.mu
	return q
}

// take begins a session, unless no more are to be done. It waits while that
// depends on those which were begun.
func (q *quota) take() bool {
	if q == nil {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.left > 0 && q.begun == q.left {
		q.known.Wait()
	}
	if q.left == 0 {
		return false
	}
	q.begun++
	return true
}

// give ends a session that take began.
func (q *quota) give(done bool) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.begun--
	if done {
		q.left--
	}
	q.known.Signal()
}
