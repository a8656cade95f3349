package cli

import (
	"runtime/debug"

	"sessc/batch"
)

// Memory that a run over a log takes, in bytes: for the program itself, and for
// each byte of the log. An index has about 150 bytes a line; lines of real logs
// have two or three thousand.
const (
	ownMemory    = 46_000_000
	memoryOfByte = 0.03
)

// memoryOfSession is what a run keeps of each of many sessions, in bytes.
const memoryOfSession = 4000

// limitMemory makes the garbage collector keep to what a run needs that works
// on so many sessions at a time, while an index that takes half of it is made
// of pieces that grow. It is no bound: a log of short lines takes more memory,
// and more time to collect.
func (p *Process) limitMemory(workers int, targets ...batch.Target) {
	if p.Getenv("GOMEMLIMIT") != "" {
		return
	}
	var largest int64
	for _, t := range targets {
		largest = max(largest, t.Source.Size)
	}
	at := min(workers, len(targets))
	debug.SetMemoryLimit(ownMemory + int64(memoryOfByte*float64(largest))*int64(at) + memoryOfSession*int64(len(targets)))
}
