package cli

import (
	"os"
	"runtime/debug"
)

// Memory that a run over a log takes, in bytes: for the program itself, and for
// each byte of the log. An index has about 150 bytes a line; lines of real logs
// have two or three thousand.
const (
	ownMemory    = 46_000_000
	memoryOfByte = 0.03
)

// limitMemory makes the garbage collector keep to what a run over a log needs,
// while an index that takes half of it is made of pieces that grow. It is no
// bound: a log of short lines takes more memory, and more time to collect.
func (p *Process) limitMemory(path string) {
	fi, err := os.Stat(path)
	if err != nil || p.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(ownMemory + int64(memoryOfByte*float64(fi.Size())))
}
