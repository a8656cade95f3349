// Command retention measures which exact facts of a session log survive its compression.
//
//	go run ./scripts/retention -before orig.jsonl -after compressed.jsonl [-archive-restored restored.jsonl] [-child DIR]
//
// It looks at the entries of the original's active path that are gone or say something else in the compressed log,
// finds the exact facts in them with rules of its own (file paths, commands, error lines, ids, URLs, key=value) and
// tells for each whether it can still be read in a mask (visible), only in an entry that stayed (kept), only in the
// restored log (recoverable), or nowhere (lost); of the recoverable ones it counts those of which a mask or a kept
// entry still shows the call they stood in, by its path, its command or its tool (named). It also compares the files that the masks list with the files that
// the removed tool calls touched. JSON goes to stdout, a table to stderr; -list adds every fact to the JSON.
//
// The program shares no code with sessc, so that the figure is not sessc's opinion of itself. It reads logs of OpenClaw and
// pi (JSONL version 3) and of Claude Code whole into memory and knows masks by their lines "files+:", "files~:" and "files-:" only.
// A fact counts once; its source is the best place it stands in: a child's report, the agent's text, call arguments,
// tool output, the content of files. Ids by which the host addresses runs are counted apart (host-id) and are not
// in the total.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// tally counts the fates of one group of facts.
type tally struct {
	Facts       int     `json:"facts"`
	Visible     int     `json:"visible"`
	Kept        int     `json:"kept_only"`
	Recoverable int     `json:"recoverable"`
	Named       int     `json:"named"` // of the recoverable ones, those whose call can be read
	Lost        int     `json:"lost"`
	Share       float64 `json:"visible_share"` // visible / facts; 1 when there are none
}

type result struct {
	Schema   string           `json:"schema"`
	Removed  int              `json:"entries_removed_or_edited"`
	Masks    int              `json:"mask_entries"`
	Restored bool             `json:"restored_given"` // without it, recoverable facts count as lost
	Kinds    map[string]tally `json:"kinds"`
	Sources  map[string]tally `json:"sources"` // without host-id
	Total    tally            `json:"total"`   // without host-id
	Files    trail            `json:"files"`
	Facts    []fact           `json:"facts,omitempty"`
}

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "retention:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("retention", flag.ContinueOnError)
	fs.SetOutput(stderr)
	before := fs.String("before", "", "the original log")
	after := fs.String("after", "", "the compressed log")
	restored := fs.String("archive-restored", "", "the log as restored from the archive")
	child := fs.String("child", "", "folder with the children's transcripts")
	list := fs.Bool("list", false, "put every fact with its fate into the JSON")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *before == "" || *after == "" {
		return errors.New("name two logs: -before FILE -after FILE")
	}
	b, err := readLog(*before)
	if err != nil {
		return err
	}
	a, err := readLog(*after)
	if err != nil {
		return err
	}
	var r *session
	if *restored != "" {
		if r, err = readLog(*restored); err != nil {
			return err
		}
	}
	res, err := measure(b, a, r, *child)
	if err != nil {
		return err
	}
	if !*list {
		res.Facts = nil
	}
	if err := res.table(stderr); err != nil {
		return err
	}
	e := json.NewEncoder(stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(res)
}

func measure(before, after, restored *session, childDir string) (result, error) {
	c := compare(before, after)
	res := result{Schema: "retention/1", Removed: len(c.removed), Masks: len(c.masks), Restored: restored != nil,
		Kinds: map[string]tally{}, Sources: map[string]tally{}}
	var all []fact
	calls := before.calls()
	for _, e := range c.removed {
		in := e.place(calls)
		for _, f := range extract(e) {
			f.In = in
			all = append(all, f)
		}
	}
	all = unique(all)
	masks, kept := newHaystack(c.masks), newHaystack(c.kept)
	var archive *haystack
	if restored != nil {
		archive = newHaystack(restored.entries)
	}
	for i := range all {
		f := &all[i]
		switch {
		case masks.has(*f):
			f.Fate = "visible"
		case kept.has(*f):
			f.Fate = "kept"
		case archive != nil && archive.has(*f):
			f.Fate = "recoverable"
			if masks.named(f.In) || kept.named(f.In) {
				f.Fate = "named"
			}
		default:
			f.Fate = "lost"
		}
		res.Kinds[f.Kind] = res.Kinds[f.Kind].plus(f.Fate)
		if f.Kind != "host-id" {
			res.Sources[f.Source] = res.Sources[f.Source].plus(f.Fate)
			res.Total = res.Total.plus(f.Fate)
		}
	}
	if res.Total.Facts == 0 {
		res.Total.Share = 1
	}
	res.Facts = all
	var err error
	res.Files, err = artifactTrail(c, before.cwd, childDir)
	return res, err
}

func (t tally) plus(fate string) tally {
	t.Facts++
	switch fate {
	case "visible":
		t.Visible++
	case "kept":
		t.Kept++
	case "recoverable":
		t.Recoverable++
	case "named":
		t.Recoverable++
		t.Named++
	default:
		t.Lost++
	}
	t.Share = share(t.Visible, t.Facts)
	return t
}

func (r result) table(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "\tfacts\tvisible\tkept only\trecoverable\tlost\tvisible %%\t\n")
	row := func(name string, t tally) {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f\t\n", name, t.Facts, t.Visible, t.Kept, t.Recoverable, t.Lost, 100*t.Share)
	}
	for _, k := range kinds {
		if t, ok := r.Kinds[k]; ok && k != "host-id" {
			row(k, t)
		}
	}
	row("all", r.Total)
	for _, s := range sources {
		if t, ok := r.Sources[s]; ok {
			row("from "+s, t)
		}
	}
	if t, ok := r.Kinds["host-id"]; ok {
		row("(host-id)", t)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "files: %d touched, %d listed in masks, %d both: recall %.1f %%, precision %.1f %%, %d with the same sign\n",
		r.Files.Touched, r.Files.Listed, r.Files.Both, 100*r.Files.Recall, 100*r.Files.Precision, r.Files.SameSign)
	return err
}
