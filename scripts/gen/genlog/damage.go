package genlog

import (
	"bytes"
	"strings"
)

// The damages of the fixtures: each keeps the truth true. They are chosen by hand so that it is clear which
// lifecycles they touch; Mutate does the same blindly.

func lines(log []byte) [][]byte { return bytes.SplitAfter(log, []byte("\n")) }

// lineOf finds the line that holds the entry id as its own id.
func lineOf(ls [][]byte, id string) int {
	for i, l := range ls {
		if bytes.Contains(l, []byte(`"id":"`+id+`"`)) && !bytes.HasPrefix(l, []byte(`{"type":"session"`)) || bytes.Contains(l, []byte(`"uuid":"`+id+`"`)) {
			return i
		}
	}
	return -1
}

func tornTail(log []byte, t *Truth) []byte {
	ls := lines(bytes.TrimSuffix(log, []byte("\n")))
	last := ls[len(ls)-1]
	log = log[:len(log)-1-len(last)/3]
	t.Bytes, t.Lines = int64(len(log)), t.Lines-1
	t.Leaf = entryID(ls[len(ls)-2])
	return log
}

// entryID reads the id of a message line as this package writes it.
func entryID(line []byte) string {
	_, rest, ok := bytes.Cut(line, []byte(`"uuid":"`))
	if !ok {
		_, rest, _ = bytes.Cut(line, []byte(`"id":"`))
	}
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(id)
}

func nulLine(log []byte, t *Truth) []byte {
	ls := lines(log)
	at := lineOf(ls, t.Lifecycles[0].CompletionEntries[0]) + 2 // the answer after the first lifecycle
	glued := at + 1
	var out []byte
	for i, l := range ls {
		if i == at {
			out = append(append(out, make([]byte, 300)...), '\n')
		}
		if i == glued {
			out = append(out, make([]byte, 5)...)
		}
		out = append(out, l...)
	}
	// The line with the glued NULs cannot be read, so the chain breaks there and what stands before is off the path.
	t.Lines++
	t.Bytes = int64(len(out))
	cutBefore(t, ls, glued)
	return out
}

// cutBefore marks everything up to and including line as off the active path: the chain is broken there.
func cutBefore(t *Truth, ls [][]byte, line int) {
	before := map[string]bool{}
	for _, l := range ls[:line+1] {
		before[entryID(l)] = true
	}
	for i := range t.Lifecycles {
		if before[t.Lifecycles[i].SpawnEntry] {
			t.Lifecycles[i].OnActivePath, t.Lifecycles[i].InContext = false, false
		}
	}
	for i := range t.Humans {
		if before[t.Humans[i].Entry] {
			t.Humans[i].OnActivePath = false
		}
	}
}

func fusedLines(log []byte, t *Truth) []byte {
	ls := lines(log)
	second := t.Lifecycles[1]
	at := lineOf(ls, second.CompletionEntries[0])
	half := bytes.TrimRight(ls[at], "\n")
	half = half[:len(half)/4]
	var out []byte
	for i, l := range ls {
		if i == at {
			out = append(out, half...)
		}
		out = append(out, l...)
		if i == at {
			out = append(out, "\"}]}}\n"...)
		}
	}
	// The second completion can be read only behind a fragment: a careful reader leaves the lifecycle alone.
	t.Lifecycles[1].Or = []State{Running, Unknown}
	t.Lines++
	t.Bytes = int64(len(out))
	cutBefore(t, ls, at)
	return out
}

func blankLines(log []byte, t *Truth) []byte {
	var out []byte
	for i, l := range lines(log) {
		if i == 6 {
			l = append(bytes.TrimSuffix(bytes.Clone(l), []byte("\r\n")), '\n')
		}
		out = append(out, l...)
		if i == 4 || i == 9 {
			out = append(out, "\r\n"...)
			t.Lines++
		}
	}
	t.Bytes = int64(len(out))
	return out
}

func separators(log []byte, t *Truth) []byte {
	for i := range t.Lifecycles {
		old := firstLine(t.Lifecycles[i].Result)
		odd := old + "\u2028\u2029\u0085"
		log = bytes.ReplaceAll(log, []byte(old+`\n`), []byte(odd+`\ud83c\n`))
		t.Lifecycles[i].Result = strings.Replace(t.Lifecycles[i].Result, old, odd+"\ufffd", 1)
	}
	t.Bytes = int64(len(log))
	return log
}
