//go:build unix

package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed job.jq
var jqJob string

// bench is one run: built programs, logs, and what was measured so far.
type bench struct {
	settings
	work string // folder of all that is thrown away
	self string // this program, which runs the jobs
	logs []log
	got  samples
}

// log is a generated session log.
type log struct {
	agent string // whose format it has, as scripts/gen calls it
	path  string
	mb    float64 // 10^6 bytes
	lines int
}

// small is the log that copies are made of.
func (b *bench) small() log { return b.logs[0] }

func (b *bench) bin(name string) string { return filepath.Join(b.work, name) }

// hello is the smallest program that prints something, to compare the start of sessc with.
const hello = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello, world\") }\n"

// newBench builds the programs and the logs.
func newBench(ctx context.Context, s settings) (*bench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(s.dir, "work-")
	if err != nil {
		return nil, err
	}
	b := &bench{settings: s, work: work, self: self, got: samples{}}
	if err := b.prepare(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(work))
	}
	return b, nil
}

func (b *bench) prepare(ctx context.Context) error {
	source := b.bin("hello.go")
	if err := os.WriteFile(source, []byte(hello), 0o644); err != nil {
		return err
	}
	for _, p := range []struct{ name, of string }{{"sessc", "."}, {"gen", "./scripts/gen"}, {"hello", source}} {
		c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.bin(p.name), p.of)
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", p.name, err, out)
		}
	}
	for _, l := range []struct {
		agent string
		mb    int
	}{{openClaw, b.size}, {openClaw, b.settings.big}, {"claude-code", b.size}} {
		if l.mb == 0 {
			continue
		}
		made, err := b.generate(ctx, b.dir, l.agent, l.mb)
		if err != nil {
			return err
		}
		b.logs = append(b.logs, made)
	}
	return b.compareJobs(ctx)
}

// openClaw is the format of the logs that most is measured with.
const openClaw = "openclaw"

// generate returns the log of a format and a size, made now unless an earlier run left it.
func (b *bench) generate(ctx context.Context, dir, agent string, mb int) (log, error) {
	l := log{agent: agent, path: filepath.Join(dir, agent, fmt.Sprintf("size-%d-%d.jsonl", mb, b.seed))}
	if _, err := os.Stat(l.path); err != nil {
		// Into the work folder first: a run that is stopped leaves no half log.
		if _, err := b.measure(ctx, "", b.bin("gen"), "-format", agent, "-seed", fmt.Sprint(b.seed), "-size", fmt.Sprint(mb), "-out", b.work); err != nil {
			return l, err
		}
		if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
			return l, err
		}
		if err := os.Rename(b.bin(filepath.Base(l.path)), l.path); err != nil {
			return l, err
		}
	}
	fi, err := os.Stat(l.path)
	if err != nil {
		return l, err
	}
	l.mb = float64(fi.Size()) / 1e6
	found, err := b.counts(ctx, l.path)
	if err != nil {
		return l, err
	}
	l.lines = found.lines
	return l, nil
}

// counts runs the scan once and returns what it found.
func (b *bench) counts(ctx context.Context, path string) (n counts, err error) {
	out := b.bin("counts")
	if _, err := b.measure(ctx, out, b.self, jobFlag, "scan", path); err != nil {
		return n, err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return n, err
	}
	_, err = fmt.Sscan(string(text), &n.lines, &n.calls, &n.usages, &n.spawns, &n.receipts, &n.ends)
	return n, err
}

// compareJobs makes sure that jq does the job that the scan is compared with: both must find the same lines, calls,
// usages, and sub-tasks in a log of 2 MB.
func (b *bench) compareJobs(ctx context.Context) error {
	l, err := b.generate(ctx, b.work, openClaw, 2)
	if err != nil {
		return err
	}
	want, err := b.counts(ctx, l.path)
	if err != nil {
		return err
	}
	out := b.bin("jq.out")
	if _, err := b.measure(ctx, out, "jq", "-c", jqJob, l.path); err != nil {
		return err
	}
	got, err := countRows(out)
	if err != nil {
		return err
	}
	if !got.same(want) || want.ends == 0 {
		return fmt.Errorf("jq and sessc do not do the same job: they found %+v and %+v", got, want)
	}
	return nil
}

// countRows counts what jq found.
func countRows(path string) (n counts, err error) {
	f, err := os.Open(path)
	if err != nil {
		return n, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row []any
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil || len(row) != 12 {
			return n, fmt.Errorf("jq printed %q: %w", lines.Text(), err)
		}
		list := func(at int) int { return len(row[at].([]any)) }
		n.lines++
		n.calls += list(5) / 2
		if used, ok := row[8].(float64); ok && used > 0 {
			n.usages++
		}
		n.spawns += list(9)
		n.receipts += list(10)
		n.ends += list(11)
	}
	return n, lines.Err()
}

// starts is how often the start of a program is measured in a round, since one start is too short to measure.
const starts = 20

// round measures everything once.
func (b *bench) round(ctx context.Context) error {
	for _, l := range b.logs {
		if err := b.reading(ctx, l); err != nil {
			return err
		}
	}
	if err := b.add(ctx, 1, "jq", "", "jq", "-c", jqJob, b.small().path); err != nil {
		return err
	}
	return b.writing(ctx, b.small())
}

// reading measures what only reads a log.
func (b *bench) reading(ctx context.Context, l log) error {
	for _, p := range [][]string{
		{"wc", "wc", "-l", l.path},
		{"scan", b.self, jobFlag, "scan", l.path},
		{"dry run", b.bin("sessc"), "compress", "--dry-run", "--quiet", "--min-saving", "0", l.path},
	} {
		if err := b.add(ctx, 1, key(p[0], l), "", p[1], p[2:]...); err != nil {
			return err
		}
	}
	return nil
}

// key tells the samples of one log from those of another.
func key(name string, l log) string { return name + " " + l.path }

// writing measures the way of one log there and back, and the start of programs.
func (b *bench) writing(ctx context.Context, l log) error {
	dir, err := os.MkdirTemp(b.work, "round-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	sessc, archive := b.bin("sessc"), []string{"--archive", at("archive")}
	quiet := append([]string{"--quiet", "--min-age", "0"}, archive...)
	if err := b.add(ctx, 1, "cp", "", "cp", l.path, at("log.jsonl")); err != nil {
		return err
	}
	if err := b.add(ctx, 1, "sha256sum", at("before"), "sha256sum", at("log.jsonl")); err != nil {
		return err
	}
	args := append([]string{"compress", "--json", "--min-saving", "0", "--min-age", "0"}, archive...)
	if err := b.add(ctx, 1, "compress", at("report"), sessc, append(args, at("log.jsonl"))...); err != nil {
		return err
	}
	ref, err := firstRef(at("report"))
	if err != nil {
		return fmt.Errorf("%s: %w; try another -seed", l.path, err)
	}
	for _, p := range [][]string{{"hello", b.bin("hello")}, {"version", sessc, "version"}, append(append([]string{"expand", sessc, "expand"}, archive...), ref)} {
		if err := b.add(ctx, starts, p[0], "", p[1], p[2:]...); err != nil {
			return err
		}
	}
	if err := b.add(ctx, 1, "restore", "", sessc, append(append([]string{"restore"}, quiet...), at("log.jsonl"))...); err != nil {
		return err
	}
	if err := b.sameSum(ctx, at("before"), at("after"), at("log.jsonl")); err != nil {
		return err
	}
	return b.add(ctx, 1, "put", "", b.self, jobFlag, "put", at("log.jsonl"), at("whole"))
}

// add measures a program a number of times and keeps the mean as the sample of this round.
func (b *bench) add(ctx context.Context, times int, name, out, program string, args ...string) error {
	var sum cost
	for range times {
		c, err := b.measure(ctx, out, program, args...)
		if err != nil {
			return err
		}
		sum.cpu += c.cpu
		sum.peak = max(sum.peak, c.peak)
	}
	sum.cpu /= time.Duration(times)
	b.got[name] = append(b.got[name], sum)
	return nil
}

// firstRef reads a compress report and returns the ref of the first sub-task in it.
func firstRef(report string) (string, error) {
	text, err := os.ReadFile(report)
	if err != nil {
		return "", err
	}
	var r struct {
		Compacted []struct {
			Ref string `json:"ref"`
		} `json:"compacted"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return "", err
	}
	if len(r.Compacted) == 0 {
		return "", errors.New("nothing in it can be compressed, so nothing can be measured")
	}
	return r.Compacted[0].Ref, nil
}

// sameSum compares a file with what sha256sum printed for it earlier.
func (b *bench) sameSum(ctx context.Context, before, after, path string) error {
	if _, err := b.measure(ctx, after, "sha256sum", path); err != nil {
		return err
	}
	was, err := os.ReadFile(before)
	if err != nil {
		return err
	}
	is, err := os.ReadFile(after)
	if err != nil {
		return err
	}
	if string(was) != string(is) {
		return fmt.Errorf("restore did not give the log back: %s and %s", strings.TrimSpace(string(was)), strings.TrimSpace(string(is)))
	}
	return nil
}
