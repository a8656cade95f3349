// Command gen writes a made-up session log of a coding agent and the truth about it.
//
//	go run ./scripts/gen -seed 7 -out DIR                  a random session: random-7.jsonl and random-7.truth.json
//	go run ./scripts/gen -seed 7 -out DIR -count 200       seeds 7 to 206
//	go run ./scripts/gen -seed 7 -out DIR -children        each session in a folder, child transcripts and index beside
//	go run ./scripts/gen -seed 7 -out DIR -script demo     a named session of the fixtures
//	go run ./scripts/gen -seed 7 -out DIR -format claude-code   the same world as another agent writes it
//	go run ./scripts/gen -seed 1 -out DIR -size 100        one log of 100 MB (10^6 bytes), written as a stream
//	go run ./scripts/gen -seed 7 -out DIR -mutate 5        the log damaged in five seeded ways, without truth
//
// The same flags give the same bytes. It writes nothing outside DIR.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sessc/scripts/gen/genlog"
)

func main() {
	err := run(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	fs := flag.NewFlagSet("gen", flag.ContinueOnError)
	seed := fs.Int64("seed", 1, "seed: the same one gives the same bytes")
	out := fs.String("out", "", "folder to write to (made if it does not exist)")
	format := fs.String("format", "openclaw", "log format: "+strings.Join(genlog.Formats(), ", "))
	size := fs.Float64("size", 0, "write one log of at least this many MB (10^6 bytes)")
	count := fs.Int("count", 1, "number of random sessions, with seeds counted upwards")
	children := fs.Bool("children", false, "write child transcripts and the index beside, each session in a folder")
	script := fs.String("script", "", "play a named session instead of a random one")
	mutate := fs.Int("mutate", 0, "write this many damaged copies too")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *out == "" || fs.NArg() > 0 {
		return errors.New("say where to write: -out DIR, and no further arguments")
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	if *size > 0 {
		return stream(*out, *format, *seed, int64(*size*1e6))
	}
	for s := *seed; s < *seed+int64(*count); s++ {
		sc, err := find(*script, *format, s, *children)
		if err != nil {
			return err
		}
		o, err := genlog.Play(sc, *format, s)
		if err != nil {
			return err
		}
		if err := write(*out, sc.Name, o, *children); err != nil {
			return err
		}
		for m := range *mutate {
			log, name := genlog.Mutate(s*1000+int64(m), o.Log)
			if err := os.WriteFile(filepath.Join(*out, fmt.Sprintf("%s.%d.%s.jsonl", sc.Name, m, name)), log, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func find(name, format string, seed int64, children bool) (genlog.Script, error) {
	if name == "" {
		return genlog.Random(seed, children), nil
	}
	var names []string
	for _, f := range genlog.Fixtures() {
		if f.Folder() != (genlog.Fixture{Format: format}).Folder() {
			continue
		}
		if f.Script.Name == name {
			return f.Script, nil
		}
		names = append(names, f.Script.Name)
	}
	return genlog.Script{}, fmt.Errorf("no session is named %q; one of: %s", name, strings.Join(names, ", "))
}

func write(dir, name string, o genlog.Output, children bool) error {
	if children {
		dir = filepath.Join(dir, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for file, data := range o.Files {
			path := filepath.Join(dir, genlog.BesideName(file, name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				return err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), o.Log, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".truth.json"), o.Truth.JSON(), 0o644)
}

func stream(dir, format string, seed, size int64) error {
	name := fmt.Sprintf("size-%d-%d", size/1e6, seed)
	f, err := os.Create(filepath.Join(dir, name+".jsonl"))
	if err != nil {
		return err
	}
	truth, err := genlog.Stream(f, format, seed, size)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".truth.json"), truth.JSON(), 0o644)
}
