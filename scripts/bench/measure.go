//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// cost is what one run of a program took.
type cost struct {
	cpu  time.Duration
	peak int64 // resident memory, bytes
}

// measure runs a program with its output into a file, or nowhere when out is "". sessc finds no settings and no
// archive of the user: its environment is that of bench itself without them.
//
// The kernel hands a process's peak memory on to the programs that it starts, so bench itself must stay smaller than
// what it measures: it reads no log, and leaves that to children.
func (b *bench) measure(ctx context.Context, out string, program string, args ...string) (cost, error) {
	c := exec.CommandContext(ctx, program, args...)
	home := filepath.Join(b.work, "home")
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SESSC_") })
	c.Env = append(c.Env, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
	var said bytes.Buffer
	c.Stderr = &said
	if out != "" {
		f, err := os.Create(out)
		if err != nil {
			return cost{}, err
		}
		defer f.Close()
		c.Stdout = f
	}
	if err := c.Run(); err != nil {
		return cost{}, fmt.Errorf("%s %q: %w: %s", filepath.Base(program), args, err, bytes.TrimSpace(said.Bytes()))
	}
	use, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, fmt.Errorf("%s: the system tells no resource usage", filepath.Base(program))
	}
	peak := int64(use.Maxrss)
	if runtime.GOOS != "darwin" { // there in bytes, elsewhere in KB
		peak *= 1024
	}
	return cost{c.ProcessState.UserTime() + c.ProcessState.SystemTime(), peak}, nil
}

// samples are the costs of each program, one a round.
type samples map[string][]cost

// seconds is the median processor time.
func (s samples) seconds(name string) float64 {
	return median(s.each(name, func(c cost) float64 { return c.cpu.Seconds() }))
}

// megabytes is the median peak memory in 10^6 bytes.
func (s samples) megabytes(name string) float64 {
	return median(s.each(name, func(c cost) float64 { return float64(c.peak) / 1e6 }))
}

func (s samples) each(name string, f func(cost) float64) []float64 {
	var v []float64
	for _, c := range s[name] {
		v = append(v, f(c))
	}
	return v
}

// ratio is the median over the rounds of how many times the processor time of the second program the first one took.
func (s samples) ratio(name string, to ...string) float64 {
	var v []float64
	for n, c := range s[name] {
		var sum time.Duration
		for _, t := range to {
			sum += s[t][n].cpu
		}
		v = append(v, c.cpu.Seconds()/sum.Seconds())
	}
	return median(v)
}

// median is 0 for no values.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}
