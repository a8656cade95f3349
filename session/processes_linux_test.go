package session

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// A list serves for a moment; without one every look is a new one.
func TestProcesses(t *testing.T) {
	sees := func(p *Processes, id string) bool {
		return slices.ContainsFunc(p.List(), func(p Process) bool { return p.ID == id })
	}
	self := Process{ID: fmt.Sprint(os.Getpid())}
	if dir, err := os.Getwd(); err != nil || self.Dir() != dir {
		t.Errorf("works in %q, %v", self.Dir(), err)
	}
	listed := &Processes{}
	if !sees(listed, self.ID) {
		t.Fatal("does not see itself")
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	id := fmt.Sprint(cmd.Process.Pid)
	if !sees(nil, id) {
		t.Error("a look without a list does not see a new process")
	}
	listed.made = listed.made.Add(-processesFor)
	if !sees(listed, id) {
		t.Error("an old list is not made anew")
	}
	for _, p := range listed.List() {
		if p.ID == id && !slices.Equal(p.Args, []string{"sleep", "60"}) {
			t.Errorf("command line %q", p.Args)
		}
	}
}

// TestCommandLine: a process that is about to run a program shows no command
// line for a moment.
func TestCommandLine(t *testing.T) {
	for _, r := range []struct {
		name      string
		empty     int // reads before there is one
		program   bool
		want      string
		wantReads int
	}{
		{"at once", 0, true, "x", 1},
		{"about to run", 2, true, "x", 3},
		{"gone, or the kernel's", 9, false, "", 1},
		{"one that hides it", 9, true, "", commandLineReads},
	} {
		reads := 0
		b, err := commandLine(func() ([]byte, error) {
			if reads++; reads > r.empty {
				return []byte("x"), nil
			}
			return nil, nil
		}, func() bool { return r.program })
		if string(b) != r.want || reads != r.wantReads || err != nil {
			t.Errorf("%s: %q after %d reads, %v", r.name, b, reads, err)
		}
	}
}
