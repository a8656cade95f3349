package summarize

import (
	"encoding/base64"
	"slices"
	"strings"
)

// column looks for the cells below or beside a cell that is named like a
// secret: tables of markdown, of database shells, with tabs or commas. All of
// them are put into f.ahead.
func (f *finder) column(kind kind, name string, end int) (span, bool) {
	s := f.s
	if kind == codeKey || kind == phraseKey {
		return span{}, false
	}
	from := max(0, end-longestRow)
	for {
		_, behind := lineBreak(s, from, end)
		if behind < 0 {
			break
		}
		from = behind
	}
	// In a JSON string the row begins behind its quote.
	if q := strings.LastIndexByte(s[from:end], '"'); q > 0 {
		if strings.HasSuffix(strings.TrimRight(s[from:from+q], " \\"), ":") {
			from += q + 1
		}
	}
	to, next := lineBreak(s, end, min(len(s), end+longestRow))
	if next < 0 {
		to, next = min(len(s), end+longestRow), len(s)
	}
	row := s[from:to]
	sep := ""
	switch rest := strings.TrimLeft(s[end:to], "*`_\"' "); {
	case strings.HasPrefix(rest, "|"):
		sep = "|"
	case row[0] != '\t' && strings.Contains(row, "\t") && (end == to || s[end] == '\t') && (end-len(name) == from || s[end-len(name)-1] == '\t'):
		sep = "\t"
	case row[0] != '\\' && strings.Contains(row, `\t`) && (end == to || s[end] == '\\'):
		sep = "\\" + "t"
		if strings.Contains(row, `\\t`) {
			sep = `\\t`
		}
	case rest == "" && strings.Contains(row, "|"):
		sep = "|"
	case strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ";") || rest == "" && strings.ContainsAny(row, ",;"):
		sep = ","
		if !strings.Contains(row, ",") {
			sep = ";"
		}
		// Words may stand before the header: it begins behind the last space.
		from += strings.LastIndexByte(s[from:end], ' ') + 1
		row = s[from:to]
		if !strings.Contains(row, sep) || strings.ContainsAny(row, " ({[=") || sep == "," && strings.Contains(row, ";") {
			return span{}, false // a list in code or prose
		}
	case (rest == "" || strings.HasPrefix(s[end:to], "  ")) && strings.Contains(row, "  ") && header(row) == strings.ToUpper(header(row)):
		from = to - len(header(row))
		sep = "  "
		if from > end-len(name) { // the name stands before a colon
			return span{}, false
		}
	default:
		return span{}, false
	}
	if sep == "|" { // the cell beside it
		if n := strings.IndexByte(s[end:to], '|'); n >= 0 {
			if m, ok := f.cell(kind, end+n+1, to, sep); ok {
				return m, true
			}
		}
	}
	at := strings.Count(s[from:end], sep)
	if sep == "  " {
		at = len(fieldsBefore(s[from:end])) - 1
	}
	first := span{}
	for rows := 0; rows < mostRows && next < len(s); rows++ {
		from = next
		to, next = lineBreak(s, from, min(len(s), from+longestRow))
		if next < 0 {
			to, next = min(len(s), from+longestRow), len(s)
		}
		line := s[from:to]
		if sep == "," || sep == ";" {
			if strings.Count(line, sep) != strings.Count(row, sep) {
				break
			}
		} else if !strings.Contains(line, sep) && !strings.HasPrefix(line, "+-") && !strings.HasPrefix(line, "-") {
			break
		}
		c := from
		if sep == "  " {
			c = from + fieldAt(line, at)
		} else {
			for range at {
				n := strings.Index(s[c:to], sep)
				if n < 0 {
					c = to
					break
				}
				c += n + len(sep)
			}
		}
		m, ok := f.cell(kind, c, to, sep)
		if !ok {
			continue
		}
		if first.to == 0 {
			first = m
		} else {
			f.later(m)
		}
	}
	return first, first.to > 0
}

// later puts m in its place among the secrets that are still to come.
func (f *finder) later(m span) {
	n := len(f.ahead)
	for n > 0 && f.ahead[n-1].from > m.from {
		n--
	}
	f.ahead = slices.Insert(f.ahead, n, m)
}

// inserted finds the value of a column in INSERT INTO t (a, password) VALUES
// ('x', 'X'); end is behind the column's name.
func (f *finder) inserted(kind kind, end int) (span, bool) {
	s := f.s
	open := strings.LastIndexByte(s[max(0, end-longestRow):end], '(')
	if open < 0 {
		return span{}, false
	}
	open += max(0, end-longestRow)
	closing := strings.IndexByte(s[end:min(len(s), end+longestRow)], ')')
	if closing < 0 {
		return span{}, false
	}
	j, _ := gap(s, end+closing+1)
	if len(s)-j < 6 || !strings.EqualFold(s[j:j+6], "values") {
		return span{}, false
	}
	j, _ = gap(s, j+6)
	if j >= len(s) || s[j] != '(' {
		return span{}, false
	}
	at := strings.Count(s[open:end], ",")
	for n := 0; n <= at; n++ {
		j, _ = gap(s, j+1)
		from, to, ok := quoted(s, j)
		if n == at {
			if !ok || strings.ContainsAny(s[from:to], "$?:") && !strongPass(s[from:to]) {
				return span{}, false
			}
			return f.told(kind, from, to, literalForm)
		}
		if ok {
			_, j = quoteAt(s, to)
		}
		for j < len(s) && strings.IndexByte(",)\n", s[j]) < 0 {
			j++
		}
		if j >= len(s) || s[j] != ',' {
			return span{}, false
		}
	}
	return span{}, false
}

// longestRow and mostRows bound how much of a table is looked at.
const (
	longestRow = 400
	mostRows   = 60
)

// lineBreak finds the first line end in s[i:end], as it is or escaped, and
// what comes behind it; -1 when there is none.
func lineBreak(s string, i, end int) (at, behind int) {
	for ; i < end; i++ {
		switch s[i] {
		case '\n':
			return i, i + 1
		case '\\':
			k := i
			for k < end && k-i < 4 && s[k] == '\\' {
				k++
			}
			if k < end && s[k] == 'n' {
				return i, k + 1
			}
			i = k - 1
		}
	}
	return -1, -1
}

// header is a row without the words before a colon.
func header(row string) string { return row[strings.LastIndex(row, ": ")+1:] }

// fieldsBefore are the fields of a row whose columns are lined up by spaces.
func fieldsBefore(s string) []string { return strings.Fields(strings.ReplaceAll(s, "  ", "\t")) }

// fieldAt is the offset of field n of a row lined up by spaces.
func fieldAt(s string, n int) int {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	for ; n > 0 && i < len(s); n-- {
		e := strings.Index(s[i:], "  ")
		if e < 0 {
			return len(s)
		}
		i += e
		for i < len(s) && s[i] == ' ' {
			i++
		}
	}
	return i
}

// cell looks at the cell of a table that begins at i.
func (f *finder) cell(kind kind, i, end int, sep string) (span, bool) {
	s := f.s
	for i < end && strings.IndexByte(" *`\"'_", s[i]) >= 0 {
		i++
	}
	to := i
	for to < end && s[to] != ' ' && s[to] != '\r' && s[to] != '\\' && strings.IndexByte("*`\"'", s[to]) < 0 && !strings.HasPrefix(s[to:end], sep) {
		to++
	}
	rest := strings.TrimLeft(s[to:end], " *`\"'\r\\}]")
	if rest != "" && !strings.HasPrefix(s[to:end], sep) && !strings.HasPrefix(rest, strings.TrimSpace(sep)) {
		return span{}, false // more than one word
	}
	return f.told(kind, i, to, literalForm)
}

// userPass reports whether v is the base64 of a name and a password.
func userPass(v string) bool {
	if len(v) < 8 || len(v) > 400 {
		return false
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil {
		return false
	}
	colon := false
	for i, c := range b {
		if c < 0x20 || c > 0x7e {
			return false
		}
		colon = colon || c == ':' && i > 0 && i < len(b)-1
	}
	return colon
}
