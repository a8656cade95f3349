package summarize

import (
	"strings"

	"sessc/session"
)

// errorsPerAction bounds what one failing tool call contributes: a build can
// print the same kind of line a thousand times.
const errorsPerAction = 12

// errorsIn returns the error lines of one call. The output of a call that did
// not fail counts only where a program ran and only lines that cannot be
// anything else; what a search or a read shows are words of files.
func errorsIn(a *session.Action, failed bool) []string {
	if !failed && (a.Op != session.OpExec || showsFiles(a.Command)) {
		return nil
	}
	var found []string
	seen := map[string]bool{}
	out := unixLines(clipMiddle(a.Output, 2*outputLimit))
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" || seen[line] || !errorLineOf(line, failed) {
			continue
		}
		seen[line] = true
		found = append(found, line)
	}
	if len(found) > errorsPerAction { // the first names the cause, the last the outcome
		found = append(found[:errorsPerAction/2:errorsPerAction/2], found[len(found)-errorsPerAction/2:]...)
	}
	if len(found) > 0 || !failed || a.Exit == 1 && showsFiles(a.Command) {
		return found
	}
	// A failure in its own words: a program's last line, a tool's first.
	line := firstLine(out)
	if a.Op == session.OpExec {
		line = lastLine(out)
	}
	if line == "" || saysNoneFailed(strings.ToLower(line)) {
		return nil
	}
	return []string{line}
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimSpace(s[strings.LastIndexAny(s, "\r\n")+1:])
}

// showsFiles is true for commands whose output is the content of files.
func showsFiles(command string) bool {
	cmd := commandLine(command)
	if strings.HasPrefix(cmd, "cd ") {
		if _, rest, ok := strings.Cut(cmd, "&&"); ok {
			cmd = strings.TrimSpace(rest)
		}
	}
	name, rest, _ := strings.Cut(cmd, " ")
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "grep", "egrep", "rg", "ag", "cat", "sed", "awk", "head", "tail", "less", "more", "bat", "find", "fd", "ls", "tree", "echo", "printf", "wc", "diff", "jq", "strings", "journalctl":
		return true
	case "git":
		sub, _, _ := strings.Cut(rest, " ")
		return sub == "log" || sub == "diff" || sub == "show" || sub == "grep" || sub == "blame"
	}
	return false
}

func hasErrorLine(out string) bool {
	for line := range strings.Lines(unixLines(clipMiddle(out, 2*outputLimit))) {
		line = strings.TrimSpace(line)
		if line != "" && errorLineOf(line, true) {
			return true
		}
	}
	return false
}

// Beginnings that make a line an error, in lower case. The loose ones count
// only in the output of something that failed.
var (
	errorStarts = []string{"error:", "error[", "error -", "fatal:", "fatal error:", "panic:", "npm err!", "npm error ", "--- fail", "fail:", "fail\t", "failed:", "failed ", "uncaught ", "unhandled ", "segmentation fault", "错误:", "错误：", "失败:", "失败：", "报错", "erro:", "erro ", "falha:", "falha ", "exception in thread", "[error]", "❌"}
	looseParts  = []string{"command not found", "no such file or directory", "permission denied", "cannot find", "could not", "cannot ", "can't ", "unable to", "undefined:", "undefined reference", ": error ", ": error:", "error:", "exception", "timed out", "timeout", "connection refused", "not found", "denied", "invalid ", "unexpected ", "syntax error", "assertion", "enoent", "eacces", "econnrefused", "错误", "失败", "无法", "não foi possível", "não encontrado", "falhou", "exit status", "exited with"}
)

// Counts of failures that are zero, and others: "12 tests, 0 failed" is no
// error, though it holds the word of one; "2 failed, 0 errors" is.
var (
	failedNone = lazy(`\b(?:0|no) (?:failed|failures?|errors?|errored)\b|\b(?:failed|failures|errors): 0\b`)
	failedSome = lazy(`\b[1-9]\d* (?:tests? )?(?:failed|failures?|errors?|errored)\b|\b(?:failed|failures|errors): [1-9]`)
)

// saysNoneFailed takes a line in lower case.
func saysNoneFailed(low string) bool {
	return failedNone().MatchString(low) && !failedSome().MatchString(low)
}

func errorLineOf(line string, failed bool) bool {
	if len(line) > 2000 {
		return false
	}
	if strings.HasPrefix(line, "E   ") { // pytest
		return true
	}
	low := strings.ToLower(line)
	if saysNoneFailed(low) {
		return false
	}
	for _, p := range errorStarts {
		if strings.HasPrefix(low, p) && !strings.HasPrefix(low, "failed 0") && !strings.HasPrefix(low, "failed: 0") && !strings.HasPrefix(low, "error: 0") {
			return true
		}
	}
	if strings.HasPrefix(line, "FAIL ") || classError(line) || programError().MatchString(line) {
		return true
	}
	if !failed {
		return false
	}
	for _, p := range looseParts {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// programError matches a line in which a program names itself, or a place in a
// file, before the error: "ld: error: x", "a.c:3:5: error: x".
var programError = lazy(`^[\w./+-]+:(?:\d+:)* (?:fatal )?error: \S`)

// classError matches the line in which languages name an exception, such as
// "pkg.ValueError: text" or "TypeError: text", the last line of a traceback.
func classError(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t/\"'") || name[0] == '.' {
		return false
	}
	return (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) && class[name[0]]&alnumByte != 0
}
