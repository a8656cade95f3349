// Command sessc compresses the session logs of coding agents, offline. It only
// connects package cli to the process; everything else is in the packages.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"sessc/cli"
	"sessc/writer"
)

func main() { os.Exit(run(nil)) }

// run runs the command line and returns the exit code. trace is told each step
// of a rewrite before it is taken; only tests set it.
func run(trace func(step string)) int {
	runtime.MemProfileRate = 0 // nobody asks for a profile, which would take more than a megabyte
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	p := &cli.Process{
		Args: os.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(), Now: time.Now, Trace: trace,
	}
	err := cli.Run(ctx, p)
	if err != nil {
		p.Complain(err)
	}
	return exitCode(err)
}

// exitCode maps an error to the codes that every help text lists.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, cli.ErrUsage):
		return 2
	case errors.Is(err, cli.ErrBatch):
		return 3
	case errors.Is(err, writer.ErrRefused), errors.Is(err, writer.ErrLate):
		return 4
	}
	return 1
}
