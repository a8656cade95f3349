// Tokenerror prints, as Markdown, how far the class-table estimate of package tokens
// is from the o200k_base tokenizer on the text of session logs, and how far
// both are, before and after calibration, from what the provider counted.
//
//	go run ./scripts/tokenerror FILE...
//
// FILE is a JSONL log of pi, OpenClaw or Claude Code. The reader here is written for
// the figures alone and shares no code with the formats of sessc, so that a mistake
// there does not hide itself. It changes no file.
package main

import (
	"fmt"
	"io"
	"os"

	"sessc/tokens"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: tokenerror FILE...")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tokenerror:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, paths []string) error {
	exact, err := tokens.O200k()
	if err != nil {
		return err
	}
	var logs []*log
	for _, p := range paths {
		l, err := readLog(p, exact)
		if err != nil {
			return err
		}
		logs = append(logs, l)
	}
	printTexts(w, logs)
	printPairs(w, logs)
	return nil
}
