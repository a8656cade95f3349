package summarize

import "strings"

// patchEdits reads which files a patch text touches. Two grammars: the
// envelope of apply_patch (Codex CLI and OpenClaw; `*** Add File: p` and its
// kin) and unified diffs, where /dev/null stands for no file.
func patchEdits(patch string) []fileEdit {
	if strings.Contains(patch, "*** Add File: ") || strings.Contains(patch, "*** Update File: ") || strings.Contains(patch, "*** Delete File: ") {
		return envelopeEdits(patch)
	}
	return diffEdits(patch)
}

func envelopeEdits(patch string) (edits []fileEdit) {
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "*** Add File: "):
			edits = append(edits, fileEdit{do: added, path: line[len("*** Add File: "):]})
		case strings.HasPrefix(line, "*** Update File: "):
			edits = append(edits, fileEdit{do: changed, path: line[len("*** Update File: "):]})
		case strings.HasPrefix(line, "*** Delete File: "):
			edits = append(edits, fileEdit{do: deleted, path: line[len("*** Delete File: "):]})
		case strings.HasPrefix(line, "*** Move to: ") && len(edits) > 0:
			last := &edits[len(edits)-1]
			last.do, last.to = untouched, line[len("*** Move to: "):]
		}
	}
	return edits
}

// diffEdits takes a header only as the pair of a --- and a +++ line, since
// either can be a removed or added line of a hunk, and skips hunks by their
// counts.
func diffEdits(patch string) (edits []fileEdit) {
	lines := strings.Split(patch, "\n")
	old, from := "", ""
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r")
		switch {
		case strings.HasPrefix(line, "rename from "):
			from = line[len("rename from "):]
		case strings.HasPrefix(line, "rename to ") && from != "":
			edits = append(edits, fileEdit{path: from, to: line[len("rename to "):]})
			from = ""
		case strings.HasPrefix(line, "--- "):
			old = diffPath(line[4:])
		case strings.HasPrefix(line, "+++ ") && old != "":
			to := diffPath(line[4:])
			switch {
			case old == "/dev/null" && to != "/dev/null":
				edits = append(edits, fileEdit{do: added, path: to})
			case to == "/dev/null":
				edits = append(edits, fileEdit{do: deleted, path: old})
			case len(edits) > 0 && edits[len(edits)-1].to == to: // renamed above
			default: // one name, or one with a suffix such as .orig: the new one is written
				edits = append(edits, fileEdit{do: changed, path: to})
			}
			old = ""
		case strings.HasPrefix(line, "@@ "):
			i += hunkLines(lines[i+1:], line)
		}
	}
	return edits
}

// hunkLines returns how many lines the hunk under head takes.
func hunkLines(lines []string, head string) int {
	minus, plus := hunkCount(head, "-"), hunkCount(head, "+")
	n := 0
	for n < len(lines) && (minus > 0 || plus > 0) {
		switch {
		case strings.HasPrefix(lines[n], "-"):
			minus--
		case strings.HasPrefix(lines[n], "+"):
			plus--
		case strings.HasPrefix(lines[n], `\`):
		case strings.HasPrefix(lines[n], "diff --git "):
			return n // the counts were wrong
		default:
			minus, plus = minus-1, plus-1
		}
		n++
	}
	return n
}

func hunkCount(head, sign string) int {
	_, s, ok := strings.Cut(head, " "+sign)
	if !ok {
		return 0
	}
	s, _, _ = strings.Cut(s, " ")
	_, count, ok := strings.Cut(s, ",")
	if !ok {
		return 1
	}
	n := 0
	for i := 0; i < len(count) && n < 1_000_000; i++ {
		if count[i] < '0' || count[i] > '9' {
			return 0
		}
		n = n*10 + int(count[i]-'0')
	}
	return n
}

func diffPath(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = strings.Trim(strings.TrimSpace(s), `"`)
	if len(s) > 2 && (s[:2] == "a/" || s[:2] == "b/") {
		return s[2:]
	}
	return s
}
