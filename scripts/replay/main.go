// Command replay measures what a compression would have cost the agent that went on: a blind replay.
//
//	go run ./scripts/replay -sessc bin/sessc [-layers all] [-cuts 40,60,80] LOG...
//
// Each log is cut at a prompt near the given percent of its lines. sessc compresses the lines before the cut and never
// sees the others. Then the lines behind the cut are read: which paths, ids, hashes and URLs do the agent's words and
// calls in them take up again that stood in its context at the cut, and that no person, host or tool said anew before?
// Of these it counts how many can still be read in the compressed context (visible), and of how many at least the call
// in which they stood (named). Looking ahead in the same file, as a compression of the whole log could, would be
// cheating.
//
// The program shares no code with sessc and runs it as a user would. It reads logs of OpenClaw and pi (JSONL
// version 3) and of Claude Code. JSON goes to stdout, a table to stderr.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// result is the replay of one log from one cut.
type result struct {
	Log     string           `json:"log"`
	Cut     int              `json:"cut"`    // lines that sessc saw
	Lines   int              `json:"lines"`  // of the whole log
	Before  int64            `json:"before"` // context tokens at the cut
	After   int64            `json:"after"`
	Total   tally            `json:"total"`
	Kinds   map[string]tally `json:"kinds"`
	Missing []string         `json:"missing,omitempty"`
}

// tally counts references.
type tally struct {
	Refs    int `json:"references"`
	Visible int `json:"visible"`
	Named   int `json:"named"` // not visible, but the call they stood in is
}

func (t tally) plus(o tally) tally {
	return tally{t.Refs + o.Refs, t.Visible + o.Visible, t.Named + o.Named}
}

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("replay", flag.ContinueOnError)
	fs.SetOutput(stderr)
	sessc := fs.String("sessc", "", "the sessc program")
	layers := fs.String("layers", "all", "layers to compress with")
	cuts := fs.String("cuts", "40,60,80", "percents of the lines near which a log is cut")
	list := fs.Bool("list", false, "put every reference that is not visible into the JSON")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *sessc == "" || fs.NArg() == 0 {
		return errors.New("name the program and at least one log: -sessc FILE LOG")
	}
	var all []result
	for _, log := range fs.Args() {
		lines, err := readLines(log)
		if err != nil {
			return err
		}
		done := 0
		for c := range strings.SplitSeq(*cuts, ",") {
			percent, err := strconv.Atoi(c)
			if err != nil || percent <= 0 || percent >= 100 {
				return fmt.Errorf("%q is no percent", c)
			}
			cut := promptNear(lines, percent*len(lines)/100)
			if cut <= done {
				continue // no prompt between this cut and the one before
			}
			done = cut
			r, err := replay(ctx, *sessc, *layers, log, lines, cut)
			if err != nil {
				return fmt.Errorf("%s, cut at line %d: %w", log, cut, err)
			}
			if !*list {
				r.Missing = nil
			}
			all = append(all, r)
		}
	}
	if err := printTable(stderr, all); err != nil {
		return err
	}
	e := json.NewEncoder(stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(all)
}

// replay compresses what stands before the cut and looks for what the rest refers to.
func replay(ctx context.Context, sessc, layers, log string, lines [][]byte, cut int) (result, error) {
	r := result{Log: strings.TrimSuffix(filepath.Base(log), ".jsonl"), Cut: cut, Lines: len(lines), Kinds: map[string]tally{}}
	dir, err := os.MkdirTemp("", "replay-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	prefix, out := filepath.Join(dir, "prefix.jsonl"), filepath.Join(dir, "compressed.jsonl")
	if err := os.WriteFile(prefix, bytes.Join(lines[:cut], nil), 0o600); err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, sessc, "compress", "--json", "--layers", layers, "--min-saving", "0",
		"--archive", filepath.Join(dir, "archive"), "--output", out, prefix)
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		return r, err
	}
	var report struct {
		Context struct{ Before, After int64 } `json:"context_tokens"`
	}
	if err := json.Unmarshal(said, &report); err != nil {
		return r, err
	}
	r.Before, r.After = report.Context.Before, report.Context.After
	compressed, err := readLines(out)
	if err != nil {
		return r, err
	}
	before, after := contextOf(lines[:cut]), contextOf(compressed)
	for _, ref := range taken(before, lines[cut:]) {
		t := tally{Refs: 1}
		switch {
		case after.shows(ref.text):
			t.Visible = 1
		case slices.ContainsFunc(before.callsWith(ref.text), after.shows):
			t.Named = 1
			r.Missing = append(r.Missing, "named: "+ref.text)
		default:
			r.Missing = append(r.Missing, ref.text)
		}
		r.Kinds[ref.kind] = r.Kinds[ref.kind].plus(t)
		r.Total = r.Total.plus(t)
	}
	return r, nil
}

func printTable(w io.Writer, all []result) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "log\tcut\tof\tcontext\tafter\treferences\tvisible %%\tvisible or named %%\t\n")
	var sum tally
	row := func(name string, cut, of int, before, after int64, t tally) {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t\n", name, cut, of, before, after, t.Refs, percent(t.Visible, t.Refs), percent(t.Visible+t.Named, t.Refs))
	}
	for _, r := range all {
		row(r.Log, r.Cut, r.Lines, r.Before, r.After, r.Total)
		sum = sum.plus(r.Total)
	}
	row("all", 0, 0, 0, 0, sum)
	return tw.Flush()
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
}
