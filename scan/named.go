package scan

import (
	"path"
	"strings"
	"unicode"
)

// named are the files that commands name in their words. A name is that of one
// file: what only ends like it is another. So a pattern names none, and nor
// does a name in a folder that is not known.
type named struct {
	cwd   string // of the session, "" unknown
	files map[string]bool
}

// has reports whether a command named a file.
func (n *named) has(file string) bool { return file != "" && n.files[within(n.cwd, file)] }

// read enters the words of a command.
func (n *named) read(command string) { n.words(command, n.cwd, 0) }

// maxNesting is how deep commands are read that stand in quotes within others.
const maxNesting = 3

// words enters the words of a command that begins in a folder. What stands in
// quotes may be a command itself.
func (n *named) words(command, dir string, depth int) {
	moves := false
	for word, rest := shellWord(command); word != "" || rest != ""; word, rest = shellWord(rest) {
		if moves {
			dir = within(dir, word)
		}
		moves = word == "cd"
		n.enter(word, dir)
		if strings.ContainsFunc(word, parts) && depth < maxNesting {
			n.words(word, dir, depth+1)
		}
		for part := range strings.FieldsFuncSeq(word, joins) {
			n.enter(part, dir)
		}
	}
}

// enter takes in a word as the name of a file. Where nobody knows the folder of
// the session, any end of the whole name may be what a call would call it.
func (n *named) enter(word, dir string) {
	if word == "" {
		return
	}
	file := within(dir, word)
	n.files[file] = true
	if n.cwd == "" && path.IsAbs(file) {
		for ok := true; ok && file != ""; _, file, ok = strings.Cut(file, "/") {
			n.files[file] = true
		}
	}
}

// within is the name of a file as seen from a folder, "" for one that is not
// known.
func within(dir, file string) string {
	if file == "" || path.IsAbs(file) || dir == "" {
		return path.Clean(file)
	}
	return path.Join(dir, file)
}

// shellWord takes the first word off a command, as a shell reads it: without
// its quotes. The word is empty where two stand right behind each other.
func shellWord(command string) (word, rest string) {
	command = strings.TrimLeftFunc(command, func(r rune) bool { return parts(r) && !strings.ContainsRune(quotes, r) })
	var b strings.Builder
	quote := rune(0)
	escaped := false
	for at, r := range command {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && special(command[at+1:]):
			escaped = true
		case r == quote:
			quote = 0
		case quote == 0 && strings.ContainsRune(quotes, r):
			quote = r
		case quote == 0 && parts(r):
			return b.String(), command[at:]
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), ""
}

const quotes = "\"'`"

// parts reports whether a character that is not quoted stands between words.
func parts(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(quotes+";|&()<>", r) }

// joins reports whether a character joins names to one word, or a name to what
// it is the value of.
func joins(r rune) bool { return strings.ContainsRune("=,:", r) }

// special reports whether a text begins with what a backslash takes the meaning
// from. Before anything else it is one of a path of Windows.
func special(s string) bool {
	return s != "" && strings.ContainsRune(quotes+" \t\n\\$;|&()<>*?[]{}#~!", rune(s[0]))
}
