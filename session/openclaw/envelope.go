package openclaw

import (
	"strconv"
	"strings"

	"sessc/session"
)

// provenance is what the program recorded about where a user-role message
// came from (message.provenance). No model and no user can write it.
type provenance struct{ Kind, SourceSessionKey, SourceTool string }

// announces reports whether the message was routed from a sub-task as its
// completion: sourceTool subagent_announce since OpenClaw 2026.3, also
// subagent_settle in 2026.9.
func (p provenance) announces() bool {
	return p.Kind == "inter_session" && announceTool(p.SourceTool)
}

func announceTool(name string) bool {
	return name == "subagent_announce" || name == "subagent_settle"
}

// What the program writes around its own texts (formats page, section 7;
// program text of 2026.1 to 2026.9).
const (
	systemPrefix  = "System: "
	queuedTitle   = "[Queued announce messages while agent was busy]\n"
	overflowTitle = "[Queue overflow] Dropped "
	sessionTitle  = "[Inter-session message] "
	sessionNotice = "This content was routed by OpenClaw from another session"
	contextBegin  = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n"
	contextEnd    = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
	contextTitle  = "OpenClaw runtime context (internal):\n"
	contextNotice = "This context is runtime-generated, not user-authored."
	eventJoin     = "\n\n---\n\n"
	queuedJoin    = "\n\n---\nQueued #"
	userQueue     = "[Queued messages while agent was busy]"
)

var (
	// peopleMark opens the wrapper in which channels and the web client put
	// what a person typed.
	peopleMark = session.Lazy(`(?m)^(?:\[message_id: |[^\n]{1,60}\(untrusted(?: metadata|, for context)\):|\[Queued (?:user )?messages? )`)
)

// parser reads a user-role text from its start as far as it holds nothing but
// what the program itself writes. It stops at the first byte that it cannot
// account for; everything before pos is accounted for.
type parser struct {
	text string
	pos  int

	parts   []part
	open    int    // internal-context blocks that still need their end
	queued  int    // number of the queued item being read, 0 outside a queue
	foreign bool   // something was passed over that a person may have typed
	host    bool   // something was read that only the program writes
	source  string // child key in an inter-session header of an announcement

	marks  marks
	events []session.Event // the memory of those of [completions]
}

// part is one announcement or notice of the program within a text.
type part struct {
	at, end int
	ev      announcement
	event   bool // false for a notice that announces nothing
}

// parse reads a text, with the memory that an earlier one was read with.
func (p *parser) parse(text string) {
	*p = parser{text: text, parts: p.parts[:0], marks: p.marks, events: p.events}
	p.marks.sought = false
	p.envelopes()
	p.systemOnly()
	for {
		if !p.readAnnouncement() {
			if len(p.parts) == 0 && p.notice() {
				break
			}
			// An item of a queue that cannot be read does not hide the next.
			if p.queued == 0 || !p.nextQueued() {
				break
			}
			p.foreign = true
			continue
		}
		if !p.joint() {
			break
		}
	}
	p.trailer()
}

// trailer consumes the header of a routed message where it stands behind what
// was announced, as texts that OpenClaw 2026.5 and later stored have it.
func (p *parser) trailer() {
	if len(p.parts) == 0 {
		return
	}
	from := p.pos
	p.skipSpace()
	if !p.sessionHeader() {
		p.pos = from
	}
}

// whole reports whether envelopes, announcements and notices account for all
// of the text.
func (p *parser) whole() bool {
	return !p.foreign && p.open == 0 && strings.TrimSpace(p.text[p.pos:]) == ""
}

func (p *parser) rest() string { return p.text[p.pos:] }

func (p *parser) skipSpace() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// line consumes up to and including the next newline and returns what it
// consumed without it.
func (p *parser) line() string {
	l, _, found := strings.Cut(p.rest(), "\n")
	p.pos += len(l)
	if found {
		p.pos++
	}
	return l
}

// lit consumes a literal.
func (p *parser) lit(s string) bool {
	if !strings.HasPrefix(p.rest(), s) {
		return false
	}
	p.pos += len(s)
	return true
}

// envelopes consumes everything that may stand before an announcement.
func (p *parser) envelopes() {
	for {
		p.skipSpace()
		switch {
		case p.stamp():
		case p.system():
		case p.sessionHeader():
		case p.lit(contextBegin):
			p.open++
			p.host = true
		case p.lit(contextTitle):
			p.host = true
			if strings.HasPrefix(p.rest(), contextNotice) {
				p.line()
			}
		case p.queued == 0 && p.queueHeader():
		default:
			return
		}
	}
}

func (p *parser) stamp() bool {
	n := stampLen(p.rest())
	p.pos += n
	return n > 0
}

// maxZone is the longest time zone in a stamp, in characters.
const maxZone = 40

// stampLen is the length of the time stamp that a text begins with, 0 without
// one: `[2026-03-17 03:43] `, perhaps with a weekday in front, seconds, and a
// time zone behind. Nearly every text of a person has one, so it is no
// expression.
func stampLen(s string) int {
	const day, clock, seconds = "Mon Tue Wed Thu Fri Sat Sun ", "0000-00-00 00:00", ":00"
	if !strings.HasPrefix(s, "[") {
		return 0
	}
	at := 1
	if len(s) > 5 && s[4] == ' ' && strings.Index(day, s[1:5])%4 == 0 {
		at = 5
	}
	if !shaped(s[at:], clock) {
		return 0
	}
	at += len(clock)
	if shaped(s[at:], seconds) {
		at += len(seconds)
	}
	if strings.HasPrefix(s[at:], " ") {
		n := 0
		for i, r := range s[at+1:] {
			if n++; r == ']' || r == '\n' || n > maxZone {
				if n > 1 && r == ']' {
					at += 1 + i
				}
				break
			}
		}
	}
	if !strings.HasPrefix(s[at:], "] ") {
		return 0
	}
	return at + len("] ")
}

// shaped reports whether a text begins like a pattern in which 0 stands for
// any digit.
func shaped(s, pattern string) bool {
	if len(s) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if digit := s[i]-'0' <= 9; pattern[i] == '0' && !digit || pattern[i] != '0' && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

// system consumes a block of "System: [stamp] …" lines, which the program puts
// before the text of a turn, or only the prefix when an announcement follows
// on the same line. Lines about chat messages quote what a person typed.
func (p *parser) system() bool {
	if !strings.HasPrefix(p.rest(), systemPrefix) {
		return false
	}
	known := false
	for strings.HasPrefix(p.rest(), systemPrefix) {
		p.pos += len(systemPrefix)
		if p.stamp() {
			if p.atAnnouncement() || hasAnyPrefix(p.rest(), []string{contextBegin, contextTitle, sessionTitle}) {
				return true
			}
			known = programLine(p.rest())
		}
		if !known {
			p.foreign = true
		}
		p.line()
	}
	return true
}

// programLine reports whether a system line is about the program itself:
// commands, gateway, scheduler.
func programLine(s string) bool {
	s, _, _ = strings.Cut(s, "\n")
	for _, head := range []string{"Exec completed (", "Exec failed (", "Exec finished", "Exec running (",
		"Exec started (", "Exec denied (", "[Post-compaction context refresh]"} {
		if strings.HasPrefix(s, head) {
			return true
		}
	}
	n, gateway := 0, false
	for word := range strings.FieldsSeq(s) {
		if n++; n == 2 {
			gateway = word == "gateway"
		}
		if n > 2 {
			break
		}
	}
	return n > 2 && gateway && !strings.Contains(s, " from ")
}

// systemOnly marks a text that consists of system lines about the program.
func (p *parser) systemOnly() {
	if !p.foreign && p.pos == len(p.text) && strings.HasPrefix(strings.TrimSpace(p.text), systemPrefix) {
		p.host = true
	}
}

// sessionHeader consumes the header that marks a message as routed from
// another session, and its line of explanation.
func (p *parser) sessionHeader() bool {
	if !strings.HasPrefix(p.rest(), sessionTitle) {
		return false
	}
	var tool, source string
	for f := range strings.FieldsSeq(p.line()[len(sessionTitle):]) {
		if v, ok := strings.CutPrefix(f, "sourceTool="); ok {
			tool = v
		} else if v, ok := strings.CutPrefix(f, "sourceSession="); ok {
			source = v
		}
	}
	if announceTool(tool) {
		p.source = source
	}
	if strings.HasPrefix(p.rest(), sessionNotice) {
		p.line()
	}
	return true
}

// queueHeader consumes the title of a queue of announcements, the note on
// dropped ones, and the mark of the first item.
func (p *parser) queueHeader() bool {
	from := p.pos
	if !p.lit(queuedTitle) {
		return false
	}
	p.skipSpace()
	if strings.HasPrefix(p.rest(), overflowTitle) {
		for {
			p.line()
			if r := p.rest(); !strings.HasPrefix(r, "Summary:") && !strings.HasPrefix(r, "- ") {
				break
			}
		}
		p.skipSpace()
	}
	if !p.lit("---\nQueued #1\n") {
		p.pos = from
		return false
	}
	p.queued, p.host = 1, true
	return true
}

// joint consumes what stands between two announcements and reports whether
// another one may follow.
func (p *parser) joint() bool {
	for p.open > 0 {
		at := p.pos
		p.skipSpace()
		if !p.lit(contextEnd) {
			p.pos = at
			break
		}
		p.open--
	}
	if p.queued > 0 && strings.HasPrefix(p.rest(), p.queuedMark()) {
		return p.nextQueued()
	}
	if strings.HasPrefix(p.rest(), eventJoin) {
		at := p.pos
		p.pos += len(eventJoin)
		if p.atAnnouncement() {
			return true
		}
		p.pos = at
	}
	return false
}

func (p *parser) queuedMark() string { return queuedJoin + strconv.Itoa(p.queued+1) + "\n" }

// maxQueued bounds how many items of a queue are read, since each is looked for
// in all that follows. Programs keep 20, and drop the others.
const maxQueued = 100

// nextQueued moves to the next item of a queue.
func (p *parser) nextQueued() bool {
	if p.queued >= maxQueued {
		return false
	}
	mark := p.queuedMark()
	i := strings.Index(p.rest(), mark)
	if i < 0 {
		return false
	}
	p.pos += i + len(mark)
	p.queued++
	p.open = 0
	p.envelopes()
	return true
}

// Texts with which the program itself starts a turn (2026.1 to 2026.9). A
// prompt that quotes something ends with one of its closings.
var (
	promptHeads = []string{
		"A new session was started via /new or /reset",
		"Read HEARTBEAT.md if it exists",
		"[OpenClaw heartbeat poll]",
		"A scheduled cron event was triggered, but no event content was found.",
		"An async command completion event was triggered",
	}
	quoteHeads = []string{
		"A scheduled reminder has been triggered. The reminder content is:",
		"An async command you ran earlier ",
	}
	quoteClosings = []string{
		"Please relay this reminder to the user",
		"Handle this reminder internally.",
		"Please relay the command output to the user",
		"Tell the user the command completed without captured output",
	}
	// promptTails are lines that the program appends to its own prompts.
	promptTails = []string{"Current time: ", "Reference UTC: ", "When reading HEARTBEAT.md, use workspace file "}
	cronPattern = session.Lazy(`^\[cron:[A-Za-z0-9_.:-]+(?: [^\]\n]{0,200})?\] `)
)

// notice consumes a prompt of the program that announces nothing, when it and
// only it makes up the rest of the text.
func (p *parser) notice() bool {
	at, r := p.pos, strings.TrimRight(p.rest(), " \t\r\n")
	if !isNotice(r) {
		return false
	}
	p.pos += len(r)
	p.host = true
	p.parts = append(p.parts, part{at: at, end: p.pos})
	return true
}

func isNotice(s string) bool {
	if s == "" {
		return false
	}
	// The prompt of a scheduled run and the wake-up of a parent that waited
	// for its children are complete messages of the program.
	if strings.HasPrefix(s, "[cron:") && cronPattern().MatchString(s) || strings.HasPrefix(s, "[Subagent Context] ") {
		return true
	}
	for {
		i := strings.LastIndexByte(s, '\n')
		if i < 0 || !hasAnyPrefix(s[i+1:], promptTails) {
			break
		}
		s = strings.TrimRight(s[:i], " \t\r\n")
	}
	if hasAnyPrefix(s, promptHeads) {
		return !strings.Contains(s, "\n")
	}
	if hasAnyPrefix(s, quoteHeads) {
		i := strings.LastIndexByte(s, '\n')
		return i > 0 && hasAnyPrefix(s[i+1:], quoteClosings)
	}
	return false
}

func hasAnyPrefix(s string, heads []string) bool {
	for _, h := range heads {
		if strings.HasPrefix(s, h) {
			return true
		}
	}
	return false
}

// isHostText reports whether a user-role text, parsed, was written by the program and
// holds nothing that a person typed. The program's own field decides for a
// routed message, unless the text shows a person's wrapper; without that field
// the text must consist of known texts of the program to the last byte.
func isHostText(p *parser, prov provenance) bool {
	text := p.text
	if p.foreign || prov.Kind == "external_user" || strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), userQueue) {
		return false
	}
	if prov.Kind == "inter_session" || prov.Kind == "internal_system" {
		return strings.TrimSpace(text) != "" && !peopleMark().MatchString(p.rest())
	}
	return p.host && p.whole()
}
