// Package genlog writes made-up session logs of coding agents together with the truth about them.
//
// A Script is a neutral list of steps: a human says something, the agent works with tools, a sub-task is
// spawned, its completion arrives, the history is compacted. An Emitter turns steps into the lines of one
// agent's format; Play drives the two and keeps the books that become the Truth: which lifecycles there are, how
// each ended, which entries belong to it, which words a human typed. The same seed gives the same bytes on every
// machine. Mutate damages a finished log in seeded ways.
//
// The package knows nothing of how sessc reads logs and imports none of its packages, so that a test that
// compares the two compares independent work. It does not write files; the callers do.
package genlog

//go:generate go test . -run Fixtures -update
