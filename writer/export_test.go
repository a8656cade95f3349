package writer

// What tests that run the whole line need of the disk that fails.
var (
	Fails  = fails
	Errnos = errnos
)

// Calls counts the calls to the disk, by operation.
func (f *faults) Calls() map[string]int { return f.calls }
