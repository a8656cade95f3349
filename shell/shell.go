// Package shell tells which files a shell command has changed, as far as that is
// certain from its words. It runs nothing and looks at no file.
package shell

import (
	"path"
	"slices"
	"strings"
)

// Edit is one file that a command has changed, deleted or, with To set, moved.
// Paths are as the command names them, behind its own cd.
type Edit struct {
	Path    string
	To      string
	Deleted bool
}

// Edits returns the file changes of a command that ended with status 0, as far
// as they are certain. It reads rm, git rm, mv, git mv, cp, tee, sed -i and
// redirections in plain commands, after cd. A command with a glob, a variable, a
// substitution, a subshell, a condition or a background job proves nothing, and
// neither does touch or mkdir (the file may have been there, a directory is no
// file). Of commands joined by ; or line ends only the last is known to have
// worked, the others where the whole was quiet: it printed no error. known
// reports whether a file was met before, which rm -f needs.
func Edits(command string, quiet bool, known func(path string) bool) []Edit {
	chains, ok := chainsOf(command)
	if !ok {
		return nil
	}
	var edits []Edit
	dir := ""
	for i, chain := range chains {
		certain := quiet || i == len(chains)-1
		for _, cmd := range chain {
			if len(cmd) == 2 && cmd[0] == "cd" {
				if !certain {
					return edits
				}
				dir = joinDir(dir, cmd[1])
				continue
			}
			if !certain {
				continue
			}
			for _, e := range simpleEdits(cmd, func(p string) bool {
				p = joinDir(dir, p)
				return known(p) || slices.ContainsFunc(edits, func(e Edit) bool { return e.Path == p })
			}) {
				e.Path = joinDir(dir, e.Path)
				if e.To != "" {
					e.To = joinDir(dir, e.To)
				}
				edits = append(edits, e)
			}
		}
	}
	return edits
}

func joinDir(dir, p string) string {
	if dir == "" || path.IsAbs(p) || strings.HasPrefix(p, "~") {
		return p
	}
	return path.Join(dir, p)
}

// redirect begins the words that chainsOf makes of redirections: a ">" in
// quotes is a word like any other.
const redirect = "\x00"

// simpleEdits reads one command as words.
func simpleEdits(cmd []string, known func(string) bool) (edits []Edit) {
	var args []string
	for i := 0; i < len(cmd); i++ {
		op, is := strings.CutPrefix(cmd[i], redirect)
		if !is {
			args = append(args, cmd[i])
			continue
		}
		switch op {
		case ">", ">>", "&>":
			if i++; i < len(cmd) && !strings.HasPrefix(cmd[i], "/dev/") {
				edits = append(edits, Edit{Path: cmd[i]})
			}
		case "<":
			i++
		case "2>", "2>>":
			return nil // errors are hidden: silence proves nothing
		}
	}
	if len(args) > 0 && args[0] == "sudo" {
		args = args[1:]
	}
	if len(args) > 1 && args[0] == "git" && (args[1] == "rm" || args[1] == "mv") {
		if args[1] == "rm" && slices.Contains(args, "--cached") {
			return edits
		}
		args = args[1:]
	}
	if len(args) < 2 {
		return edits
	}
	flags, files := splitArgs(args[1:])
	switch args[0] {
	case "rm", "unlink":
		for _, f := range files {
			if strings.Contains(flags, "f") && !known(f) || strings.HasSuffix(f, "/") {
				continue
			}
			edits = append(edits, Edit{Path: f, Deleted: true})
		}
	case "mv", "cp":
		if len(files) != 2 || strings.Contains(flags, "r") || strings.Contains(flags, "R") || strings.Contains(flags, "a") || strings.Contains(flags, "n") || strings.Contains(flags, "t") {
			return edits
		}
		from, to := files[0], files[1]
		if strings.HasSuffix(to, "/") {
			to = path.Join(to, path.Base(from))
		} else if path.Ext(to) == "" || path.Ext(from) == "" || to == "." || to == ".." {
			return edits // the target may be a directory
		}
		if args[0] == "mv" {
			edits = append(edits, Edit{Path: from, To: to})
		} else {
			edits = append(edits, Edit{Path: to})
		}
	case "tee":
		for _, f := range files {
			if !strings.HasPrefix(f, "/dev/") {
				edits = append(edits, Edit{Path: f})
			}
		}
	case "sed":
		edits = append(edits, sedEdits(args[1:])...)
	}
	return edits
}

func splitArgs(args []string) (flags string, files []string) {
	var letters strings.Builder
	for i, a := range args {
		if a == "--" {
			return letters.String(), append(files, args[i+1:]...)
		}
		if len(a) > 1 && a[0] == '-' {
			if a == "--force" {
				a = "-f"
			}
			if !strings.HasPrefix(a, "--") {
				letters.WriteString(a[1:])
			}
			continue
		}
		if a != "" {
			files = append(files, a)
		}
	}
	return letters.String(), files
}

func sedEdits(args []string) (edits []Edit) {
	inPlace, script := false, false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-e" || a == "-f" || a == "--expression":
			script = true
			i++
		case strings.HasPrefix(a, "-i") || a == "--in-place" || a == "-Ei" || a == "-ni" || a == "-ri":
			inPlace = true
			if a == "-i" && i+1 < len(args) && (args[i+1] == "" || strings.HasPrefix(args[i+1], ".")) {
				i++ // the suffix of BSD sed
			}
		case len(a) > 1 && a[0] == '-':
		case !script:
			script = true
		case inPlace && a != "":
			edits = append(edits, Edit{Path: a})
		}
	}
	return edits
}

// chainsOf cuts a command into chains (joined by ; or line ends) of simple
// commands (joined by && or |), each a list of words and redirections. ok is false when the
// command is not plain.
func chainsOf(command string) (chains [][][]string, ok bool) {
	if strings.Contains(command, redirect) {
		return nil, false // no shell takes one
	}
	command = strings.ReplaceAll(command, "\r\n", "\n")
	var chain [][]string
	var cmd []string
	var word strings.Builder
	inWord := false
	var here []string // delimiters of heredocs that begin at the next line
	endWord := func() {
		if inWord {
			cmd = append(cmd, word.String())
			word.Reset()
			inWord = false
		}
	}
	endCmd := func() {
		endWord()
		if len(cmd) > 0 {
			chain = append(chain, cmd)
			cmd = nil
		}
	}
	endChain := func() {
		endCmd()
		if len(chain) > 0 {
			chains = append(chains, chain)
			chain = nil
		}
	}
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch c {
		case '\'':
			end := strings.IndexByte(command[i+1:], '\'')
			if end < 0 {
				return nil, false
			}
			word.WriteString(command[i+1 : i+1+end])
			inWord = true
			i += end + 1
		case '"':
			end := i + 1
			for end < len(command) && command[end] != '"' {
				if command[end] == '$' || command[end] == '`' {
					return nil, false
				}
				if command[end] == '\\' && end+1 < len(command) {
					end++
				}
				word.WriteByte(command[end])
				end++
			}
			if end >= len(command) {
				return nil, false
			}
			inWord = true
			i = end
		case '\\':
			if i+1 >= len(command) {
				return nil, false
			}
			i++
			if command[i] != '\n' {
				word.WriteByte(command[i])
				inWord = true
			}
		case ' ', '\t':
			endWord()
		case '\n':
			endChain()
			for _, delim := range here {
				n := heredocEnd(command[i+1:], delim)
				if n < 0 {
					return nil, false
				}
				i += n
			}
			here = nil
		case ';':
			endChain()
		case '&':
			switch {
			case strings.HasPrefix(command[i:], "&&"):
				endCmd()
				i++
			case strings.HasPrefix(command[i:], "&>"):
				endWord()
				cmd = append(cmd, redirect+"&>")
				i++
			default:
				return nil, false
			}
		case '|':
			if strings.HasPrefix(command[i:], "||") || strings.HasPrefix(command[i:], "|&") {
				return nil, false
			}
			endCmd()
		case '<':
			delim, n, isDoc := heredocStart(command[i:])
			if isDoc {
				endWord()
				here = append(here, delim)
				i += n - 1
				continue
			}
			if strings.HasPrefix(command[i:], "<(") || strings.HasPrefix(command[i:], "<<") {
				return nil, false
			}
			endWord()
			cmd = append(cmd, redirect+"<")
		case '>':
			fd := ""
			if inWord && (word.String() == "2" || word.String() == "1") {
				fd = word.String()
				word.Reset()
				inWord = false
			}
			endWord()
			switch {
			case strings.HasPrefix(command[i:], ">&"):
				cmd = append(cmd, redirect+"2>&1")
				i++
				for i+1 < len(command) && command[i+1] >= '0' && command[i+1] <= '9' {
					i++
				}
			case strings.HasPrefix(command[i:], ">("):
				return nil, false
			case strings.HasPrefix(command[i:], ">>"):
				i++
				cmd = append(cmd, redirect+strings.TrimPrefix(fd, "1")+">>")
			default:
				cmd = append(cmd, redirect+strings.TrimPrefix(fd, "1")+">")
			}
		case '$', '`', '*', '?', '[', '(', ')', '{', '}', '!':
			return nil, false
		case '#':
			if inWord {
				word.WriteByte(c)
				continue
			}
			for i+1 < len(command) && command[i+1] != '\n' {
				i++
			}
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endChain()
	for _, ch := range chains {
		for _, cm := range ch {
			switch cm[0] {
			case "if", "for", "while", "until", "case", "function", "then", "else", "do", "exit", "exec", "alias", "eval":
				return nil, false
			}
		}
	}
	return chains, len(here) == 0
}

// heredocStart reads << or <<- with its delimiter at the start of s.
func heredocStart(s string) (delim string, n int, ok bool) {
	if !strings.HasPrefix(s, "<<") || strings.HasPrefix(s, "<<<") {
		return "", 0, false
	}
	n = 2
	if n < len(s) && s[n] == '-' {
		n++
	}
	for n < len(s) && s[n] == ' ' {
		n++
	}
	end := n
	for end < len(s) && strings.IndexByte(" \t\n;&|<>()", s[end]) < 0 {
		end++
	}
	delim = strings.Trim(s[n:end], `'"\`)
	return delim, end, delim != ""
}

// heredocEnd returns the length of a heredoc body with its closing line.
func heredocEnd(s, delim string) int {
	at := 0
	for at < len(s) {
		line, _, more := strings.Cut(s[at:], "\n")
		at += len(line)
		if more {
			at++
		}
		if strings.TrimLeft(line, "\t") == delim {
			return at
		}
	}
	return -1
}
