// Command results measures what sessc does to the sample logs and the fixtures, and writes the figures into
// docs/results.md.
//
//	go run ./scripts/results -samples DIR           write the generated parts anew
//	go run ./scripts/results -samples DIR -check    print what would change, exit 1 if anything would
//
// It is run in the folder of the module. Each log is copied to a temporary folder (with its children's transcripts
// where they lie beside), compressed there by a dry run and a real run, and restored from the archive. The program
// fails when the two reports differ or when the restored log is not the original byte for byte. What a mask retains
// is counted by scripts/retention, what an agent would have missed by scripts/replay, which is built and run as a program of its own; the token error tables are the
// output of scripts/tokenerror. Every figure is deterministic: the same tree and samples give the same text.
//
// Only the parts between "<!-- generated: NAME -->" and "<!-- end -->" are written. The remarks around them are
// somebody's own and stay.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	page     = "docs/results.md"
	fixtures = "fixtures"
	scores   = "summarize/testdata/report_scores.md"
)

// errDiffers is returned by a check that found a difference.
var errDiffers = errors.New(page + " is not what the tree and the samples give: run make results and read the diff")

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("results", flag.ContinueOnError)
	fs.SetOutput(stderr)
	samples := fs.String("samples", "", "folder of the sample logs")
	check := fs.Bool("check", false, "write nothing, print the difference")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *samples == "" || fs.NArg() > 0 {
		return errors.New("name the folder of the samples: -samples DIR")
	}
	old, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("%w; run it in the folder of the module", err)
	}
	parts, err := measureAll(ctx, *samples)
	if err != nil {
		return err
	}
	now, err := replaceParts(string(old), parts)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	if now == string(old) {
		return nil
	}
	if *check {
		if err := printDiff(stdout, string(old), now); err != nil {
			return err
		}
		return errDiffers
	}
	return os.WriteFile(page, []byte(now), 0o644)
}

// measureAll makes the generated parts by their names.
func measureAll(ctx context.Context, samples string) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "sessc-results-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	logs, err := findLogs(samples)
	if err != nil {
		return nil, err
	}
	b, err := newBench(ctx, dir)
	if err != nil {
		return nil, err
	}
	var set set
	for _, l := range logs {
		r, err := b.measure(ctx, l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		set.add(r)
	}
	parts := map[string]string{
		"goal": set.goal(), "lifecycles": set.lifecycles(), "tokens": set.tokens(), "sizes": set.bySize(), "retention": set.retention(),
		"facts": set.facts(), "files": set.files(),
		"layers": set.layerTokens(), "layers rest": set.layerRest(), "layers facts": set.layerFacts(), "layers kinds": set.layerKinds(),
	}
	if parts["replay"], err = b.replay(ctx, set.sampled()); err != nil {
		return nil, err
	}
	if parts["token error"], err = b.tokenError(ctx, samples); err != nil {
		return nil, err
	}
	golden, err := os.ReadFile(filepath.FromSlash(scores))
	if err != nil {
		return nil, fmt.Errorf("%w; go test ./summarize -update writes it", err)
	}
	parts["reports"] = string(golden)
	return parts, nil
}
