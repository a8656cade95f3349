package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/rivo/uniseg"

	"sessc/report"
)

// comma writes a number with a comma before every three digits.
func comma[N int | int64](n N) string { return humanize.Comma(int64(n)) }

func share(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return report.Percent(100 * float64(part) / float64(whole))
}

// plural counts things in words: 1 line, 2 lines.
func plural[N int | int64](n N, one, many string) string {
	if n == 1 {
		return comma(n) + " " + one
	}
	return comma(n) + " " + many
}

// took writes a duration in ms as a person reads it, "-" when unknown.
func took(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case ms < 0:
		return "-"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	default:
		return d.Round(time.Second).String()
	}
}

// known writes a count, "-" when it is negative, that is unknown.
func known(n int64) string {
	if n < 0 {
		return "-"
	}
	return comma(n)
}

// day writes a time in unix ms as date and minute in UTC, "-" for 0.
func day(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04Z")
}

// clean makes text safe for a terminal. Line feeds and tabs stay.
func clean(s string) string { return report.Clean(s, "\n\t") }

// quote writes a word so that a POSIX shell reads it as one.
func quote(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	plain := s != ""
	for _, r := range s {
		plain = plain && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+=:,@%", r))
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ranges writes ascending line numbers as 3-5, 8, 10-12.
func ranges(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		part := strconv.Itoa(lines[i])
		if j > i {
			part += "-" + strconv.Itoa(lines[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// table lays out rows in columns; cells made with [right] are aligned to the
// right. text/tabwriter aligns all columns to one side and counts a Chinese
// character as one place wide.
func table(b *strings.Builder, indent string, rows [][]string) {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], uniseg.StringWidth(strings.TrimPrefix(cell, rightMark)))
		}
	}
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			text, right := strings.CutPrefix(cell, rightMark)
			pad := strings.Repeat(" ", width[i]-uniseg.StringWidth(text))
			if i > 0 {
				line += "  "
			}
			if right {
				line += pad + text
			} else {
				line += text + pad
			}
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

// nameCells is how many columns of a terminal the name of a sub-task takes in a
// table.
const nameCells = 60

// narrow puts a path into at most n columns: a folder below home begins with
// "~", and what is still too long loses its middle, since its ends tell most.
func narrow(path, home string, n int) string {
	if rest, below := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+"/"); below && home != "" && uniseg.StringWidth(path) > n {
		path = "~/" + rest
	}
	if uniseg.StringWidth(path) <= n {
		return path
	}
	head := report.Cut(path, max(n/3, 1))
	left := n - uniseg.StringWidth(head)
	tail := path
	for g := uniseg.NewGraphemes(path); uniseg.StringWidth(tail) > left && g.Next(); {
		_, at := g.Positions()
		tail = path[at:]
	}
	return head + tail
}

// rightMark begins a cell that is aligned to the right.
const rightMark = "\x00"

// right marks a cell of a table to be aligned to the right.
func right(s string) string { return rightMark + s }
