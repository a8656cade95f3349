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
