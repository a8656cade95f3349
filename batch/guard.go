package batch

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// PanicError is a panic in the work on one session. What it says is one line;
// Stack goes with it to whoever has to mend it.
type PanicError struct {
	Path  string // as the user named it
	Value any
	Stack []string // where it happened, innermost call first
}

// Error implements error.
func (e *PanicError) Error() string {
	return fmt.Sprintf("%s: internal error: %v; please report this", e.Path, e.Value)
}

// Guard does the work on one session, unless its path came to nothing. A panic
// is that session's failure, a [*PanicError]: the log is the old or the new
// one, whole, and other sessions have nothing to do with it.
func Guard[T any](t Target, do func() (T, error)) (v T, err error) {
	if t.Err != nil {
		return v, t.Err
	}
	defer func() {
		if p := recover(); p != nil {
			var none T // what do had is not to be trusted
			v, err = none, &PanicError{Path: t.Shown, Value: p, Stack: panicked()}
		}
	}()
	return do()
}

// mostCalls is how many calls of a stack are kept: those that are further away
// tell nothing new.
const mostCalls = 50

// panicked are the calls that led to the panic which is being recovered from,
// as function, file and line. Unlike [runtime/debug.Stack] it has no addresses,
// so that the same fault reads the same each time, and no folders of the
// machine that sessc was built on.
func panicked() []string {
	pcs := make([]uintptr, mostCalls)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	var stack []string
	under := false // the runtime's own calls that carry the panic
	for {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			under = under || f.Function == "runtime.gopanic"
		case under:
			stack = append(stack, fmt.Sprintf("%s %s:%d", f.Function, filepath.Base(f.File), f.Line))
		}
		if !more {
			return stack
		}
	}
}
