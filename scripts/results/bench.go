package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/config"
	"sessc/lifecycle"
	"sessc/session"
	"sessc/session/formats"
)

// bench is where logs are measured: a temporary folder and the programs that count independently.
type bench struct {
	dir        string
	retention  string // path of the built program
	tokenerror string
	replayer   string
	sessc      string
	defaults   *config.Config
	runs       int
}

// row is what was measured of one log.
type row struct {
	logFile
	refused string           // why sessc does not read it, "" if it does
	report  *compress.Report // of the real run
	small   int              // lifecycles that the default --min-saving leaves alone
	kept    retention
	sets    map[string]layered // by the name of the set of layers; of samples
}

// retention is the part of the output of scripts/retention that is shown.
type retention struct {
	Kinds   map[string]tally `json:"kinds"`
	Sources map[string]tally `json:"sources"`
	Total   tally            `json:"total"`
	Files   trail            `json:"files"`
}

type tally struct {
	Facts       int `json:"facts"`
	Visible     int `json:"visible"`
	Kept        int `json:"kept_only"`
	Recoverable int `json:"recoverable"`
	Named       int `json:"named"`
	Lost        int `json:"lost"`
}

func (t tally) plus(o tally) tally {
	return tally{t.Facts + o.Facts, t.Visible + o.Visible, t.Kept + o.Kept, t.Recoverable + o.Recoverable, t.Named + o.Named, t.Lost + o.Lost}
}

type trail struct {
	Touched  int `json:"touched"`
	Listed   int `json:"listed"`
	Both     int `json:"both"`
	SameSign int `json:"same_sign"`
}

func (t trail) plus(o trail) trail {
	return trail{t.Touched + o.Touched, t.Listed + o.Listed, t.Both + o.Both, t.SameSign + o.SameSign}
}

// spawnTools are the delegation tools of extensions that the fixtures use; no sample has a call of such a name.
var spawnTools = []string{"delegate_task", "subagent"}

func newBench(ctx context.Context, dir string) (*bench, error) {
	defaults, err := config.Load(func(string) string { return "" })
	if err != nil {
		return nil, err
	}
	b := &bench{
		dir: dir, defaults: defaults, retention: filepath.Join(dir, "retention"), tokenerror: filepath.Join(dir, "tokenerror"),
		replayer: filepath.Join(dir, "replay"), sessc: filepath.Join(dir, "sessc"),
	}
	for program, source := range map[string]string{
		b.retention: "./scripts/retention", b.tokenerror: "./scripts/tokenerror", b.replayer: "./scripts/replay", b.sessc: ".",
	} {
		if _, err := output(ctx, "go", "build", "-o", program, source); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// output runs a program and returns what it prints; its errors come with what it said.
func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(program), err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// options are those of a run that leaves nothing alone for being small or young.
func (b *bench) options(arch *archive.Archive) compress.Options {
	return compress.Options{
		Formats: formats.All, Settings: session.Settings{SpawnTools: spawnTools},
		Lifecycles: lifecycle.Options{
			KeepLast: b.defaults.KeepLast, KeepTurns: b.defaults.KeepTurns, KeepCalls: b.defaults.KeepCalls, KeepResults: b.defaults.KeepResults,
		},
		Archive: func(bool) (*archive.Archive, error) { return arch, nil },
		Now:     time.Now,
	}
}

// measure compresses a copy of a log and looks at what came of it.
func (b *bench) measure(ctx context.Context, l logFile) (row, error) {
	r := row{logFile: l}
	b.runs++
	dir := filepath.Join(b.dir, fmt.Sprintf("log%d", b.runs))
	path, err := l.copyTo(dir)
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	arch, err := archive.Open(dir+".archive", true)
	if err != nil {
		return r, err
	}
	defer arch.Close()

	o := b.options(arch)
	o.DryRun, o.MinSaving = true, b.defaults.MinSaving
	usual, err := compress.Run(ctx, path, o)
	if errors.Is(err, session.ErrNotSession) || errors.Is(err, session.ErrUnknown) || errors.Is(err, session.ErrEmpty) {
		r.refused = err.Error()
		return r, nil
	}
	if err != nil {
		return r, err
	}
	for _, left := range usual.Left {
		if left.Reason == string(lifecycle.SavesTooLittle) {
			r.small++
		}
	}
	o.MinSaving = 0
	if r.report, r.kept, err = b.compressed(ctx, l, path, o, arch); err != nil || !l.sample {
		return r, err
	}
	r.sets, err = b.measureSets(ctx, l)
	return r, err
}

// compressed runs sessc on a copy of a log, twice: to foretell and to do. It proves the way back and counts what is
// retained.
func (b *bench) compressed(ctx context.Context, l logFile, path string, o compress.Options, arch *archive.Archive) (*compress.Report, retention, error) {
	var kept retention
	o.DryRun = true
	dry, err := compress.Run(ctx, path, o)
	if err != nil {
		return nil, kept, err
	}
	o.DryRun = false
	report, err := compress.Run(ctx, path, o)
	if err != nil {
		return nil, kept, err
	}
	if err := same(dry, report); err != nil || !report.Changed {
		return report, kept, err
	}
	restored := path + ".restored"
	if err := restore(ctx, arch, report.Session, path, restored, l.path); err != nil {
		return nil, kept, err
	}
	kept, err = b.retained(ctx, l, path, restored)
	return report, kept, err
}

// same demands that a dry run foretold the real one.
func same(dry, real *compress.Report) error {
	a, err := json.Marshal(dry)
	if err != nil {
		return err
	}
	b, err := json.Marshal(real)
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("the dry run's report differs from the real one's:\n%s\n%s", a, b)
	}
	return nil
}

// restore writes the original as the archive gives it back and compares it with the log that was copied.
func restore(ctx context.Context, arch *archive.Archive, id, now, to, original string) error {
	past, err := arch.Generations(ctx, archive.Query{Session: id})
	if err != nil {
		return err
	}
	if len(past) != 1 {
		return fmt.Errorf("%d generations in the archive, want 1", len(past))
	}
	f, err := os.Open(now)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var back bytes.Buffer
	if err := arch.Original(ctx, past[0].ID, 0, f, info.Size(), &back); err != nil {
		return err
	}
	want, err := os.ReadFile(original)
	if err != nil {
		return err
	}
	if !bytes.Equal(back.Bytes(), want) {
		return errors.New("the archive does not give the original back")
	}
	return os.WriteFile(to, back.Bytes(), 0o600)
}

// retained counts the facts with the independent program.
func (b *bench) retained(ctx context.Context, l logFile, after, restored string) (retention, error) {
	args := []string{"-before", l.path, "-after", after, "-archive-restored", restored}
	if l.children {
		args = append(args, "-child", filepath.Dir(l.path))
	}
	var r retention
	out, err := output(ctx, b.retention, args...)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// tokenError is the output of scripts/tokenerror on the real logs.
func (b *bench) tokenError(ctx context.Context, samples string) (string, error) {
	logs, err := glob(samples, errorPatterns...)
	if err != nil {
		return "", err
	}
	out, err := output(ctx, b.tokenerror, logs...)
	return string(out), err
}
