package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	partOpen  = "<!-- generated: "
	partClose = " -->"
	partEnd   = "<!-- end -->"
)

// replaceParts puts the generated parts into a page. Each must have its place there, and every place its part.
func replaceParts(page string, parts map[string]string) (string, error) {
	var b strings.Builder
	seen := map[string]bool{}
	for {
		before, rest, found := strings.Cut(page, partOpen)
		b.WriteString(before)
		if !found {
			break
		}
		name, rest, ok := strings.Cut(rest, partClose+"\n")
		_, after, closed := strings.Cut(rest, partEnd)
		text, known := parts[name]
		switch {
		case !ok || !closed:
			return "", fmt.Errorf("the part that begins with %q does not end", firstLine(partOpen+name))
		case !known || seen[name]:
			return "", fmt.Errorf("no part %q to generate here", name)
		}
		seen[name] = true
		fmt.Fprintf(&b, "%s%s%s\n%s\n%s", partOpen, name, partClose, strings.TrimRight(text, "\n"), partEnd)
		page = after
	}
	for name := range parts {
		if !seen[name] {
			return "", fmt.Errorf("no place for the generated part %q", name)
		}
	}
	return b.String(), nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// printDiff prints the lines that one text has and the other has not, in order, with the line numbers of the first.
func printDiff(w io.Writer, old, now string) error {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	// common[i][j] is the length of the longest common part of a[i:] and b[j:]; a page has a few hundred lines.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var err error
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i++
			j++
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			_, err = fmt.Fprintf(w, "%d\t- %s\n", i+1, a[i])
			i++
		default:
			_, err = fmt.Fprintf(w, "%d\t+ %s\n", i+1, b[j])
			j++
		}
		if err != nil {
			return err
		}
	}
	return nil
}
