package mask

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

const (
	receiptHead  = "delegated: "
	receiptWidth = 80 // grapheme clusters of the task in a receipt
)

// Receipt is the one line that stands for a piece of work whose record stands elsewhere: "delegated: <task>
// (sessc:<ref>)". The task is shortened to its headline of at most 80 grapheme clusters.
func Receipt(task, ref string) string {
	at := noneWord
	if ref = cleanRef(ref); ref != "" {
		at = refScheme + ref
	}
	return receiptHead + encodeBare(Headline(task, receiptWidth)) + " (" + at + ")"
}

// ParseReceipt reads a line that Receipt wrote and returns the headline of the task and the reference without its
// "sessc:" prefix. Anything else is an error.
func ParseReceipt(s string) (task, ref string, err error) {
	body, ok := strings.CutPrefix(s, receiptHead)
	open := strings.LastIndex(body, " (")
	if !ok || open < 0 || !strings.HasSuffix(body, ")") || strings.IndexFunc(s, hidden) >= 0 {
		return "", "", errors.New("receipt: not of the form \"delegated: task (sessc:ref)\"")
	}
	if v := body[open+2 : len(body)-1]; v != noneWord {
		if ref, err = decodeRef(v); err != nil {
			return "", "", fmt.Errorf("receipt: %w", err)
		}
	}
	if open == 0 {
		return "", "", errors.New("receipt: the task is missing")
	}
	if task, err = decodeText(body[:open], true); err != nil {
		return "", "", fmt.Errorf("receipt: task: %w", err)
	}
	return task, ref, nil
}

var (
	// lineMarks are list, heading, quotation and emphasis marks at the start of a line.
	lineMarks = lazy(`^(?:#{1,6}\s+|[-*+•]\s+|>\s*|\d{1,3}[.)]\s+|\*{2,3}|_{2,3}|\s+)+`)

	// topic is a heading word that says nothing by itself, as a whole line or before a colon (en, pt, zh).
	topic = lazy(`(?i)^(?:your task|task|goal|objective|mission|context|background|overview|description|instructions?|request|prompt` +
		`|sua tarefa|tarefa|objetivo|missão|contexto|descrição|instruções|pedido` +
		`|你的任务|任务|目标|背景|上下文|描述|说明|要求)(?:\s*[*_]*\s*[:：]\s*[*_]*\s*|[*_]*$)`)

	// persona begins a sentence that tells the agent who it is instead of what to do (en, pt, zh).
	persona = lazy(`(?i)^(?:you are|you're|act as|você é|tu és|aja como|你是|您是|请扮演)`)

	tagLine = lazy(`^<[^<>]*>$`)

	// forbids is a line that leads to what is not to be done (en, pt, zh).
	forbids = lazy(`(?i)^(?:never|do not|don't|não|nunca|不要|禁止|请勿|不得)[^.。]*[:：]$`)

	// listItem begins a line of a list, or a heading.
	listItem = lazy(`^(?:[-*+•#]|\(?\d{1,2}[.)、]|[①-⑳])`)
)

// Headline reduces the text of a task to one clean line of at most limit grapheme clusters (at least one is used):
// the first line that says something. Empty lines, rules, code blocks, lines of one tag, bare headings such as
// "## Task" and sentences that only give the agent a role are passed over; marks and a leading "Task:" are removed. A line
// that leads to a list ("Three things to do:") takes its items along; a list of what is not
// to be done is passed over. What is longer is cut as in Fit and ends with "…". When no line qualifies the text itself is cut.
func Headline(task string, limit int) string {
	fits := func(s string) bool { return uniseg.GraphemeClusterCount(s) <= max(limit, 1) }
	text := strings.Map(visible, strings.ToValidUTF8(task, "\uFFFD"))
	head, leads, forbidden := "", false, false
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			code = !code
			continue
		}
		if code || tagLine().MatchString(line) {
			continue
		}
		item := listItem().MatchString(line)
		if line = clean(substance(line)); line == "" {
			continue
		}
		if head != "" && !item {
			break
		}
		if head == "" && (forbids().MatchString(line) || forbidden && item) {
			forbidden = true
			continue
		}
		switch {
		case head == "":
			head = line
		case strings.HasSuffix(head, ":"), strings.HasSuffix(head, "："):
			head = clean(head + " " + line)
		default:
			head = clean(head + "; " + line)
		}
		if leads = leads || strings.HasSuffix(head, ":") || strings.HasSuffix(head, "："); !leads || !fits(head) {
			return cut(head, fits)
		}
	}
	if head == "" {
		head = clean(task)
	}
	return cut(head, fits)
}

// Call reduces the name of a tool with its first argument to one clean line of at most limit grapheme clusters. Where it
// had more lines or was longer the line ends with "…", before a word, so that it can not pass for another call.
func Call(call string, limit int) string {
	text := strings.TrimSpace(strings.Map(visible, strings.ToValidUTF8(call, "\uFFFD")))
	line, _, more := strings.Cut(text, "\n")
	if line = clean(line); more {
		line += " " + ellipsis
	}
	return cutCall(clean(line), func(s string) bool { return uniseg.GraphemeClusterCount(s) <= max(limit, 1) })
}

// substance removes from a line what does not name the task, and returns "" when nothing is left.
func substance(line string) string {
	for {
		start := line
		line = lineMarks().ReplaceAllString(line, "")
		line = strings.TrimPrefix(line, topic().FindString(line))
		if persona().MatchString(line) {
			_, line, _ = uniseg.FirstSentenceInString(line, -1)
		}
		if line == start {
			break
		}
	}
	if strings.IndexFunc(line, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) < 0 {
		return ""
	}
	for _, mark := range []string{"**", "__"} {
		if strings.Count(line, mark)%2 == 1 { // the other half was at the start of the line
			line = strings.TrimSuffix(line, mark)
		}
	}
	return line
}
