package mask

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var (
	// ansi matches terminal sequences (CSI and OSC, with ESC or the one-character C1 form); tools print them into
	// error lines, and dropping only the ESC would leave "[31m" behind.
	ansi = lazy("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\u009d)[^\x07\x1b\n]*(?:\x07|\x1b\\\\)")

	// joinerRun is more joiners, direction marks and variation selectors in a row than any script or emoji has: text
	// can be hidden in them.
	joinerRun = lazy(`([\x{200C}-\x{200F}\x{FE00}-\x{FE0F}]{2})[\x{200C}-\x{200F}\x{FE00}-\x{FE0F}]+`)

	// lineBreak swallows the spaces around a break, so that indentation does not survive as a hole in the line.
	lineBreak = lazy(` *\n[ \n]*`)

	// specialToken is the chat-template form that tokenizers may read as one control token, e.g. <|im_start|>.
	specialToken = lazy(`<[|｜]([^<>|｜\s]*)[|｜]>`)

	// hostFrame is the delimiter form of agent hosts, e.g. <<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>> (OpenClaw 2026.4).
	hostFrame = lazy(`<<<\s*([A-Z][A-Z0-9_ ]*)>>>|<<(/?SYS)>>|<(/s)>`)

	// tag matches role tags and the frames in which agents wrap notices to the model: Claude Code 2.1
	// (system-reminder, task-notification and its children), Codex 0.126 (subagent_notification,
	// environment_context), PicoClaw-like clients (background-results), OpenClaw 2026.9 (prompt-data), tool-call
	// syntax. Other tags are left alone: HTML and placeholders occur in exact error lines.
	tag = lazy(`(?i)<(/?\s*(?:system|user|assistant|human|developer|tool|ai|instructions?|think(?:ing)?` +
		`|result|status|summary|usage|note|invoke|parameter|function|antml:[a-z_]+|tool[_-][a-z_-]+|function[_-][a-z_-]+` +
		`|(?:task|agent|session)[_-]id|output[_-]file|command[_-](?:name|message|args)|prompt[_-]data|persisted[_-]output` +
		`|(?:[a-z0-9]+[_-])+(?:reminder|notification|context|instructions?|stdin|stdout|stderr|caveat|results?|messages?|prompt|mode|calls?|use))` +
		`(?:\s[^<>]*)?/?)>`)

	// bracket matches markers in square brackets at their fixed beginning; OpenClaw generations B to D, PicoClaw,
	// Claude Code and the instruction tags of chat templates.
	bracket = lazy(`(?i)\[(/?INST\b|/?SYSTEM_PROMPT|TOOL_(?:CALLS|RESULTS)|AVAILABLE_TOOLS|System Message|System:|openclaw\b` +
		`|Internal task completion event|Inter-session message|Queued announce messages|Subagent (?:Context|hand-back)` +
		`|SubTurn Result|Response from agent|Team events|Request interrupted by user|Background task` +
		`|Compacted\b|Cleared by sessc\b|Compressed\b|Conversation compressed|Reactive compact|Earlier tool result|Previous: used)([^\[\]]*)(\]?)`)

	// announce is how OpenClaw generations A, B and D begin a completion.
	announce = lazy(`(An? (?:background|subagent|cron) (?:task|job))( "| completed\. Use this result)`)
	runtime  = lazy(`(OpenClaw runtime context) \(internal\):`)

	// speaker is a role at the start of a line. User and System count only with a capital: "user: alice" is a fact.
	speaker = lazy(`(?m)^([ >#*_-]*)((?i:human|assistant)|User|System)([*_ ]*):`)

	// ownLabel is one of our labels at the start of a line, spelled exactly as we spell it.
	ownLabel = lazy(`(?m)^([ >#*_-]*)(origin|task|result|conclusion|files[+~-]|errors|tried_and_failed|must_remember|open|left_out|budget|ref|delegated):( |$)`)

	// ownHeader and ruleRun take the header and the closing rule away from values.
	ownHeader = lazy(`COMPACTED\s+TASK`)
	ruleRun   = lazy(`[─━]{2,}`)
)

// lazy compiles an expression at its first use: all of them at start-up would
// take longer than a small command itself.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// maxPasses is how many layers of nested markers are taken off one by one before every bracket is rounded.
const maxPasses = 8

var allRound = strings.NewReplacer("<", "(", ">", ")", "[", "(", "]", ")")

// Harmless reports whether a text on one line holds nothing that a host or a model could take for structure.
func Harmless(s string) bool { return clean(s) == strings.TrimSpace(s) }

// clean turns any string into one harmless line. Brackets of a marker become round ones, so that the words stay
// readable and no host and no model takes them for structure. Applying it again changes nothing. The substring tests
// in cleanOnce only save time: most values hold nothing to take away.
func clean(s string) string {
	for pass := 0; ; pass++ {
		t := cleanOnce(s)
		if t == s {
			return t
		}
		// One rule can expose text to another, e.g. a marker around a marker. Each one only takes brackets, colons or
		// characters away, so this ends; planted nesting of any depth must not make it slow, so it ends soon.
		if pass == maxPasses {
			t = allRound.Replace(t)
		}
		s = t
	}
}

func cleanOnce(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\x1b\u009b\u009d") {
		s = ansi().ReplaceAllString(s, "")
	}
	s = strings.Map(visible, s)
	if strings.Contains(s, "\xe2\x80") || strings.Contains(s, "\xef\xb8") { // how they begin in UTF-8
		s = joinerRun().ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "<") {
		s = specialToken().ReplaceAllString(s, "($1)")
		s = hostFrame().ReplaceAllString(s, "($1$2$3)")
		s = cleanTags(s)
	}
	if strings.Contains(s, "[") {
		s = bracket().ReplaceAllStringFunc(s, roundBrackets)
	}
	if strings.Contains(s, "A") {
		s = announce().ReplaceAllString(s, "($1)$2")
	}
	if strings.Contains(s, ":") {
		s = runtime().ReplaceAllString(s, "($1, internal)")
		s = speaker().ReplaceAllString(s, "$1($2)$3")
		s = ownLabel().ReplaceAllString(s, "$1($2)$3")
	}
	if strings.Contains(s, "COMPACTED") {
		s = ownHeader().ReplaceAllStringFunc(s, strings.ToLower)
	}
	if strings.ContainsAny(s, "─━") {
		s = ruleRun().ReplaceAllStringFunc(s, func(run string) string {
			return strings.Repeat("-", utf8.RuneCountInString(run))
		})
	}
	if strings.Contains(s, "\n") {
		s = lineBreak().ReplaceAllString(s, " ")
	}
	return strings.TrimSpace(s)
}

// visible maps every kind of line break to "\n", tabs to a space, and drops what a reader cannot see: controls,
// direction overrides and isolates (they can show text in another order than it stands), zero-width fillers, tag
// characters and the rarer variation selectors (they can carry hidden text). Joiners and direction marks stay: scripts and emoji need them.
func visible(c rune) rune {
	switch {
	case c == '\n', c == '\r', c == '\v', c == '\f', c == 0x85, c == 0x2028, c == 0x2029:
		return '\n'
	case c == '\t':
		return ' '
	case unicode.IsControl(c),
		c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x206F,
		c == 0x200B, c >= 0x2060 && c <= 0x2064, c == 0xFEFF, c == 0xAD,
		c >= 0xFFF9 && c <= 0xFFFB, c >= 0xE0000 && c <= 0xE0FFF:
		return -1
	}
	return c
}

// cleanTags rounds the brackets of role and frame tags. "Promise<User>" is a type, not a tag: a capitalised name that
// directly follows a word is left alone.
func cleanTags(s string) string {
	found := tag().FindAllStringSubmatchIndex(s, -1)
	if found == nil {
		return s
	}
	var b strings.Builder
	last := 0
	for _, m := range found {
		name := s[m[2]:m[3]]
		if m[0] > 0 && isWord(s[m[0]-1]) && unicode.IsUpper(rune(name[0])) && name != strings.ToUpper(name) {
			continue
		}
		b.WriteString(s[last:m[0]])
		b.WriteString("(" + name + ")")
		last = m[1]
	}
	b.WriteString(s[last:])
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func roundBrackets(m string) string {
	if strings.HasSuffix(m, "]") {
		return "(" + m[1:len(m)-1] + ")"
	}
	return "(" + m[1:]
}
