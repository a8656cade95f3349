//go:build unix

// Command bench measures how fast sessc is and how much memory it takes, beside programs that everybody has, and
// says which goals of the project are reached.
//
//	go run ./scripts/bench                        logs of 100 MB and 1 GB, five rounds: some minutes
//	go run ./scripts/bench -size 5 -big 0         one small log, to see that all of it works
//	go run ./scripts/bench -write                 put the table into docs/results.md
//
// It is run in the folder of the module and needs go, jq, wc, cp and sha256sum. The logs come from scripts/gen and
// are kept in -dir for the next run; with all copies the disk holds at most the big log and six times the small one.
//
// A figure is processor time, the user's and the system's, of a whole process: on a machine with other work it swings
// far less than the time on the clock. Within a round all programs run one after the other, so that each meets the
// same neighbours; a ratio is taken within each round and the median of the rounds is shown. Nothing here decides
// whether a test passes.
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

// page holds the table between the marks of replaceTable.
const page = "docs/results.md"

// settings are the flags.
type settings struct {
	size, big int // MB of the logs, 10^6 bytes; big 0 leaves the big one out
	rounds    int
	seed      int64
	dir       string
	write     bool
}

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 1 && args[0] == jobFlag {
		return job(ctx, stdout, args[1], args[2:])
	}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var s settings
	fs.IntVar(&s.size, "size", 100, "size of the log in MB (10^6 bytes)")
	fs.IntVar(&s.big, "big", 1000, "size of the big log in MB, 0 for none")
	fs.IntVar(&s.rounds, "rounds", 5, "how often everything is measured")
	fs.Int64Var(&s.seed, "seed", 1, "seed of the logs")
	fs.StringVar(&s.dir, "dir", filepath.Join(os.TempDir(), "sessc-bench"), "folder for the logs, which stay, and for all else, which does not")
	fs.BoolVar(&s.write, "write", false, "write the table into "+page)
	if err := fs.Parse(args); err != nil {
		return err
	}
	if s.size < 1 || s.big < 0 || s.rounds < 1 || fs.NArg() > 0 {
		return errors.New("sizes and rounds are numbers from 1 on (-big 0: no big log), and there are no further arguments")
	}
	if _, err := os.Stat(page); err != nil {
		return fmt.Errorf("%w; run it in the folder of the module", err)
	}
	b, err := newBench(ctx, s)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	for n := range s.rounds {
		fmt.Fprintf(stderr, "round %d of %d\n", n+1, s.rounds)
		if err := b.round(ctx); err != nil {
			return err
		}
	}
	text := b.report()
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
