package batch

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sessc/session/formats"
	"sessc/writer"
)

// An agent that starts behind the first look, which many logs share, is seen by
// the last one.
func TestLateAgentIsSeen(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl")
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("logs/a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := bytes.Cut(b, []byte("\n"))
	_, after, found := bytes.Cut(head, []byte(`"cwd":"`))
	end := bytes.IndexByte(after, '"')
	if !found || end < 0 {
		t.Fatalf("no working directory in %s", head)
	}
	head = bytes.Replace(head, after[:end], []byte(dir), 1)
	w.write("logs/a.jsonl", append(append(head, '\n'), rest...))
	w.options.Trace = func(step string) {
		if step != "prove restore" {
			return
		}
		pi := exec.Command("sleep", "60")
		pi.Args[0] = "pi"
		if err := pi.Start(); err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() {
			pi.Process.Kill()
			pi.Wait()
		})
	}
	f := Finder{Formats: formats.All}
	seen := 0
	j := &Job{Targets: f.Find([]string{"logs"}, false), Options: w.options, Workers: 1, Done: func(o Outcome) error {
		seen++
		if !errors.Is(o.Err, writer.ErrRefused) || !strings.Contains(o.Err.Error(), "pi (process ") {
			t.Errorf("%v", o.Err)
		}
		return nil
	}}
	if _, err := j.Run(t.Context()); err != nil || seen != 1 {
		t.Errorf("%d sessions, %v", seen, err)
	}
}
