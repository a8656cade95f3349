//go:build unix

// Command crowd measures a nightly run over thousands of sessions: the first one, a second one after a hundredth of the
// sessions has changed, and a third one after nothing has.
//
//	go run ./scripts/crowd                               10,000 sessions of 500 KB, 5 GB
//	go run ./scripts/crowd -sessions 200                 to see that all of it works
//	go run ./scripts/crowd -write                        put the table into docs/results.md
//
// It is run in the folder of the module and needs go. Logs and archive lie in a new folder below -dir, which is removed
// at the end. A figure is processor time of a whole process, the user's and the system's; the time on the clock stands
// beside it. Nothing here decides whether a test passes.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"sessc/scripts/gen/genlog"
)

// page holds the table between the marks of replaceTable.
const page = "docs/results.md"

// makeFlag makes the program write logs: the kernel hands a process's peak memory on to the programs that it starts, so
// what starts sessc must stay small.
const makeFlag = "-make"

// settings are the flags.
type settings struct {
	sessions, kb int // how many, and how large in 10^3 bytes
	distinct     int // logs that are made; the others are copies with another id
	dir          string
	write        bool
}

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crowd:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	making := len(args) > 1 && args[0] == makeFlag
	into := ""
	if making {
		into, args = args[1], args[2:]
	}
	fs := flag.NewFlagSet("crowd", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var s settings
	fs.IntVar(&s.sessions, "sessions", 10_000, "how many sessions")
	fs.IntVar(&s.kb, "kb", 500, "size of each in KB (10^3 bytes)")
	fs.IntVar(&s.distinct, "distinct", 50, "how many of them are made; the others are copies with ids of their own")
	fs.StringVar(&s.dir, "dir", os.TempDir(), "folder for a new folder with all that is made, which does not stay")
	fs.BoolVar(&s.write, "write", false, "write the table into "+page)
	if err := fs.Parse(args); err != nil {
		return err
	}
	if s.sessions < 1 || s.kb < 1 || s.distinct < 1 || fs.NArg() > 0 {
		return errors.New("counts and sizes are numbers from 1 on, and there are no further arguments")
	}
	s.distinct = min(s.distinct, s.sessions)
	if making {
		return makeLogs(into, s)
	}
	if _, err := os.Stat(page); err != nil {
		return fmt.Errorf("%w; run it in the folder of the module", err)
	}
	work, err := os.MkdirTemp(s.dir, "sessc-crowd-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	text, err := measure(ctx, work, s, stderr)
	if err != nil {
		return err
	}
	if !s.write {
		_, err := io.WriteString(stdout, text)
		return err
	}
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	now, err := replaceTable(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(now), 0o644)
}

// old is the time of all logs: long at rest.
var old = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// makeLogs writes the crowd, or, into a folder with a "+" behind its name, another log for every hundredth session.
func makeLogs(dir string, s settings) error {
	logs := make([][]byte, s.distinct)
	first, step := int64(1), 1
	if strings.HasSuffix(dir, "+") {
		// Later: other logs in the place of some.
		dir, first, step = strings.TrimSuffix(dir, "+"), 1_000_001, 100
	}
	for i := range logs {
		var b bytes.Buffer
		if _, err := genlog.Stream(&b, "openclaw", first+int64(i), int64(s.kb)*1000); err != nil {
			return err
		}
		logs[i] = b.Bytes()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for i := 0; i < s.sessions; i += step {
		head, rest, _ := bytes.Cut(logs[i/step%s.distinct], []byte("\n"))
		path := filepath.Join(dir, fmt.Sprintf("%06d.jsonl", i))
		b := append(own(head, i), rest...)
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, b, 0o600), os.Chtimes(path, old, old)); err != nil {
			return err
		}
	}
	return nil
}

// own gives a header an id of its own.
func own(head []byte, n int) []byte {
	before, rest, _ := bytes.Cut(head, []byte(`"id":"`))
	_, after, _ := bytes.Cut(rest, []byte(`"`))
	return fmt.Appendf(nil, "%s\"id\":\"%08x-crowd\"%s\n", before, n, after)
}

// cost is what one run took.
type cost struct {
	cpu, wall time.Duration
	peak      int64  // resident memory, bytes
	summary   string // the last line of the run
}

// measure makes the crowd, runs sessc three times, and returns the table.
func measure(ctx context.Context, work string, s settings, stderr io.Writer) (string, error) {
	sessc, logs := filepath.Join(work, "sessc"), filepath.Join(work, "logs")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", sessc, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build sessc: %w: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	flags := []string{fmt.Sprint("-sessions=", s.sessions), fmt.Sprint("-kb=", s.kb), fmt.Sprint("-distinct=", s.distinct)}
	var costs []cost
	for n, prepare := range []string{logs, logs + "+", ""} {
		if prepare != "" {
			if out, err := exec.CommandContext(ctx, self, append([]string{makeFlag, prepare}, flags...)...).CombinedOutput(); err != nil {
				return "", fmt.Errorf("make logs: %w: %s", err, out)
			}
		}
		fmt.Fprintf(stderr, "run %d of 3\n", n+1)
		c, err := one(ctx, sessc, work, logs)
		if err != nil {
			return "", err
		}
		costs = append(costs, c)
	}
	room, err := size(filepath.Join(work, "data"))
	if err != nil {
		return "", err
	}
	return table(s, costs, room), nil
}

// one is one run of sessc over the crowd.
func one(ctx context.Context, sessc, work, logs string) (cost, error) {
	c := exec.CommandContext(ctx, sessc, "compress", logs)
	c.Env = []string{"HOME=" + work, "XDG_DATA_HOME=" + filepath.Join(work, "data")}
	var said bytes.Buffer
	c.Stderr = &said
	begun := time.Now()
	if err := c.Run(); err != nil {
		return cost{}, fmt.Errorf("sessc: %w: %s", err, said.Bytes())
	}
	wall := time.Since(begun)
	use, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, errors.New("the system tells no resource usage")
	}
	peak := int64(use.Maxrss)
	if runtime.GOOS != "darwin" { // there in bytes, elsewhere in KB
		peak *= 1024
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return cost{c.ProcessState.UserTime() + c.ProcessState.SystemTime(), wall, peak, lines[len(lines)-1]}, nil
}

// size adds up the files below a folder.
func size(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			n += fi.Size()
		}
		return err
	})
	return n, err
}

// most is the share of the first run that the second one may take.
const most = 1.0 / 50

func table(s settings, costs []cost, room int64) string {
	var t strings.Builder
	mb := float64(s.sessions) * float64(s.kb) / 1000
	fmt.Fprintf(&t, "%d cores, %s/%s, %s. %d sessions of %d KB, %.1f GB; the archive takes %.0f MB afterwards.\n\n",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), s.sessions, s.kb, mb/1000, float64(room)/1e6)
	t.WriteString("| run | CPU s | on the clock | a session | peak memory | changed | read |\n| --- | --: | --: | --: | --: | --: | --: |\n")
	for n, c := range costs {
		name := []string{"first", "after 1 % of the sessions has changed", "after nothing has changed"}[n]
		all, unread := field(c.summary, "sessions"), field(c.summary, "unread")
		fmt.Fprintf(&t, "| %s | %.2f | %.1f s | %.2f ms | %.0f MB | %d | %d |\n", name, c.cpu.Seconds(), c.wall.Seconds(),
			1000*c.cpu.Seconds()/float64(s.sessions), float64(c.peak)/1e6, field(c.summary, "changed"), all-unread)
	}
	part := costs[1].cpu.Seconds() / costs[0].cpu.Seconds()
	answer := "no"
	if part <= most {
		answer = "yes"
	}
	fmt.Fprintf(&t, "\nFirst run: %.1f MB per CPU s. The second takes %.4f of its processor time; at most %.2f: %s.\n", mb/costs[0].cpu.Seconds(), part, most, answer)
	return t.String()
}

// field reads a figure of the summary line, -1 when it is not there.
func field(summary, name string) int {
	for _, f := range strings.Fields(summary) {
		var n int
		if value, ok := strings.CutPrefix(f, name+"="); ok {
			if _, err := fmt.Sscan(value, &n); err == nil {
				return n
			}
		}
	}
	return -1
}

const (
	tableOpen = "<!-- measured: crowd -->\n"
	tableEnd  = "<!-- end -->"
)

// replaceTable puts text between the marks of the page.
func replaceTable(page, text string) (string, error) {
	before, rest, found := strings.Cut(page, tableOpen)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		return "", fmt.Errorf("no place for the table: it wants a line %q and one %q", strings.TrimSpace(tableOpen), tableEnd)
	}
	return before + tableOpen + strings.TrimRight(text, "\n") + "\n" + tableEnd + after, nil
}
