//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sessc/scripts/gen/genlog"
)

// crowd is a folder of many logs, no two alike and all long at rest, beside a
// home and an archive of its own.
type crowd struct {
	t       *testing.T
	dir     string
	program string
	old     map[string][]byte // what each log was, by name
	new     map[string][]byte // what each becomes
	took    time.Duration     // of a run over all of them
}

// newCrowd makes n logs and finds out, in a folder aside, what becomes of each.
func newCrowd(t *testing.T, n int) *crowd {
	t.Helper()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{t: t, dir: dir, program: filepath.Join(dir, "sessc"), old: map[string][]byte{}, new: map[string][]byte{}}
	if err := os.Symlink(exe, c.program); err != nil {
		t.Fatal(err)
	}
	for seed := range int64(n) {
		o, err := genlog.Play(genlog.Random(seed+1, false), "openclaw", seed+1)
		if err != nil {
			t.Fatal(err)
		}
		c.old[fmt.Sprintf("%03d.jsonl", seed)] = o.Log
	}
	for _, folder := range []string{"logs", "aside"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		for name := range c.old {
			c.reset(folder, name)
		}
	}
	begun := time.Now()
	c.must("compress", "--archive", filepath.Join(dir, "archive-aside"), "aside")
	c.took = time.Since(begun)
	for name := range c.old {
		c.new[name] = c.read("aside", name)
	}
	if n := len(c.changing()); n < len(c.old)/2 {
		t.Fatalf("only %d of %d logs can be compressed", n, len(c.old))
	}
	return c
}

// reset makes a log what it was.
func (c *crowd) reset(folder, name string) {
	c.t.Helper()
	path, at := filepath.Join(c.dir, folder, name), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, c.old[name], 0o600), os.Chtimes(path, at, at)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crowd) read(folder, name string) []byte {
	c.t.Helper()
	return read(c.t, filepath.Join(c.dir, folder, name))
}

// changing are the names of the logs that compression changes.
func (c *crowd) changing() []string {
	var names []string
	for name, b := range c.old {
		if !bytes.Equal(b, c.new[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// command prepares a run; env are further variables.
func (c *crowd) command(env []string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd = exec.Command(c.program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, stdout, stderr
	cmd.Env = append([]string{"HOME=" + filepath.Join(c.dir, "home"), "SESSC_MIN_SAVING=0"}, env...)
	return cmd, stdout, stderr
}

// must runs sessc, which has to succeed.
func (c *crowd) must(args ...string) (stdout, stderr string) {
	c.t.Helper()
	cmd, out, talk := c.command(nil, args...)
	if err := cmd.Run(); err != nil {
		c.t.Fatalf("sessc %s: %v\n%s", strings.Join(args, " "), err, talk)
	}
	return out.String(), talk.String()
}

// whole demands that every log is exactly what it was or exactly what it
// becomes, and returns how many are new.
func (c *crowd) whole() (changed int) {
	c.t.Helper()
	for _, name := range c.changing() {
		switch got := c.read("logs", name); {
		case bytes.Equal(got, c.new[name]):
			changed++
		case !bytes.Equal(got, c.old[name]):
			c.t.Errorf("%s is neither the old log nor the new one", name)
		}
	}
	return changed
}

// A batch is killed at any moment, while an agent writes to one of its logs: every
// log is whole, the next run goes on, leaves no trace of the dead ones and the
// agent's log as it is, and each original can be brought back.
func TestKilledBatches(t *testing.T) {
	sessions, kills := 300, 20
	if testing.Short() {
		sessions, kills = 60, 5
	}
	c := newCrowd(t, sessions)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	busy := c.changing()[0]
	writer, err := os.OpenFile(filepath.Join(c.dir, "logs", busy), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	for killed := 0; killed < kills; {
		cmd, _, talk := c.command(nil, "compress", "logs")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		moment := time.AfterFunc(time.Duration(random.Int64N(int64(c.took)/5)), func() { cmd.Process.Kill() })
		err := cmd.Wait()
		if moment.Stop(); cmd.ProcessState.Exited() {
			if err != nil {
				t.Fatalf("%v\n%s", err, talk)
			}
			// It was done before: once more from the beginning.
			for name := range c.old {
				if name != busy {
					c.reset("logs", name)
				}
			}
			continue
		}
		killed++
		t.Logf("kill %d: %d of %d logs are new, the others as they were", killed, c.whole(), len(c.changing()))
	}

	want := len(c.changing())
	if runtime.GOOS == "linux" {
		want-- // elsewhere nobody sees who has a file open
	}
	_, talk := c.must("compress", "logs")
	if got := c.whole(); got != want {
		t.Errorf("%d logs are new after the last run, want %d\n%s", got, want, talk)
	}
	t.Logf("the last run: %s", talk[strings.LastIndex(strings.TrimSpace(talk), "\n")+1:])
	if runtime.GOOS == "linux" && !strings.Contains(talk, busy+": process ") {
		t.Errorf("the log in use is not named as skipped:\n%s", talk)
	}
	left, err := os.ReadDir(filepath.Join(c.dir, "logs"))
	if err != nil || len(left) != sessions {
		t.Errorf("%d files in the folder of %d logs, %v", len(left), sessions, err)
	}
	if status, _ := c.must("status", "--json"); strings.Contains(status, `"pending"`) {
		t.Errorf("rewrites are pending: %s", status)
	}
	writer.Close()
	for _, name := range c.changing()[1:11] {
		c.must("restore", filepath.Join("logs", name))
		if !bytes.Equal(c.read("logs", name), c.old[name]) {
			t.Errorf("%s is not restored", name)
		}
	}
}

// Processes that share the work do each session exactly once, also as an
// Indexed Job of Kubernetes starts them.
func TestShards(t *testing.T) {
	const shards = 4
	c := newCrowd(t, 60)
	type run struct {
		cmd          *exec.Cmd
		stdout, talk *bytes.Buffer
	}
	var runs []run
	for i := range shards {
		var r run
		if i%2 == 0 {
			r.cmd, r.stdout, r.talk = c.command(nil, "compress", "--shard", fmt.Sprintf("%d/%d", i+1, shards), "logs")
		} else {
			r.cmd, r.stdout, r.talk = c.command([]string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i)}, "compress", "--shard", fmt.Sprint(shards), "logs")
		}
		if err := r.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	done := map[string]int{}
	for i, r := range runs {
		if err := r.cmd.Wait(); err != nil {
			t.Errorf("shard %d: %v\n%s", i+1, err, r.talk)
		}
		own := regexp.MustCompile(`(?m)^logs/(.*\.jsonl)$`).FindAllStringSubmatch(r.stdout.String(), -1)
		if len(own) == 0 {
			t.Errorf("shard %d did nothing", i+1)
		}
		for _, m := range own {
			done[m[1]]++
		}
	}
	for name := range c.old {
		if done[name] != 1 {
			t.Errorf("%s was done by %d processes", name, done[name])
		}
	}
	if got, want := c.whole(), len(c.changing()); got != want {
		t.Errorf("%d of %d logs are new", got, want)
	}
	if _, talk := c.must("compress", "logs"); !strings.Contains(talk, fmt.Sprintf("unread=%d ", len(c.old))) {
		t.Errorf("a run for all does not know what the shards did: %s", talk)
	}
}

// A second run at the same archive ends at once and says who is at it; a run
// for one log does not mind.
func TestOneRunAtATime(t *testing.T) {
	c := newCrowd(t, 8)
	hold := filepath.Join(c.dir, "hold")
	cmd, _, talk := c.command([]string{"SESSC_TEST_HOLD=" + hold}, "compress", "logs")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(hold); err == nil {
			break
		}
		if time.Since(start) > time.Minute {
			cmd.Process.Kill()
			t.Fatalf("the first run does not come to its first step: %s", talk)
		}
	}
	for _, args := range [][]string{{"compress", "logs"}, {"compress", "--shard", "1/2", "logs"}} {
		second, _, said := c.command(nil, args...)
		if err := second.Run(); second.ProcessState.ExitCode() != 4 {
			t.Errorf("a second run ends with %v", err)
		}
		if want := fmt.Sprintf("another run is at it: process %d on ", cmd.Process.Pid); !strings.Contains(said.String(), want) || strings.Contains(said.String(), "claim") {
			t.Errorf("%q does not say %q, or the word of the code for it", said, want)
		}
	}
	c.must("compress", "--dry-run", "logs")
	c.must("compress", filepath.Join("aside", c.changing()[0]))
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, talk)
	}
	c.must("compress", "logs")
}

// The manifest in docs/ divides the work as the shards of one machine do: its
// arguments are run as Kubernetes would run them, one process an index.
func TestKubernetesManifest(t *testing.T) {
	manifest := string(read(t, "docs/kubernetes/indexed-job.yaml"))
	parts := regexp.MustCompile(`(?m)^ *completions: (\d+)$`).FindStringSubmatch(manifest)
	_, list, _ := strings.Cut(manifest, "args:\n")
	var args []string
	for line := range strings.Lines(list) {
		arg, isArg := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !isArg {
			break
		}
		args = append(args, arg)
	}
	if len(parts) != 2 || len(args) < 4 || !strings.Contains(strings.Join(args, " "), "--shard="+parts[1]) {
		t.Fatalf("completions %v and arguments %q do not go together", parts, args)
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	c := newCrowd(t, 40)
	total := 0
	for i := range n {
		index := strconv.Itoa(i)
		own := slices.Clone(args)
		for k := range own {
			own[k] = strings.NewReplacer("$(JOB_COMPLETION_INDEX)", index, "=/archive/", "="+c.dir+"/kept-", "/sessions", "logs").Replace(own[k])
		}
		cmd, _, talk := c.command([]string{"JOB_COMPLETION_INDEX=" + index}, own...)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%q: %v\n%s", own, err, talk)
		}
		m := regexp.MustCompile(`"msg":"summary","sessions":(\d+),`).FindStringSubmatch(talk.String())
		if m == nil {
			t.Fatalf("index %d says no summary: %s", i, talk)
		}
		done, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		total += done
	}
	if got, want := c.whole(), len(c.changing()); total != len(c.old) || got != want {
		t.Errorf("%d sessions were done for %d logs, %d of %d are new", total, len(c.old), got, want)
	}
}
