package summarize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/session"
	"sessc/tokens"
)

// brief is what a model is told of one lifecycle: data, quoted as one JSON
// object, so that no text in it can end the quotation. Every string is
// redacted, and cut so that its head, its tail and its error lines stay.
type brief struct {
	Task    string   `json:"task"`
	Result  string   `json:"result"`
	Facts   []string `json:"facts,omitempty"` // what code proved: files, errors, exact facts
	Said    string   `json:"agent_said,omitempty"`
	Report  string   `json:"report,omitempty"`
	Work    []step   `json:"tool_calls,omitempty"`
	Skipped int      `json:"tool_calls_left_out,omitempty"`
}

// step is one tool call of a brief.
type step struct {
	Tool   string   `json:"tool"`
	Paths  []string `json:"paths,omitempty"`
	Run    string   `json:"command,omitempty"`
	Failed bool     `json:"failed,omitempty"`
	Exit   int      `json:"exit,omitempty"`
	Output string   `json:"output,omitempty"`
}

// Bounds of a brief, in estimated tokens.
const (
	taskRoom   = 800
	saidRoom   = 500
	reportRoom = 2500
	workRoom   = 2000 // of all tool calls
	outputRoom = 120  // of one output
	brieflyCap = 6500 // of the whole, quotation marks and escapes included
)

// brief collects what a model is told of a lifecycle whose record code made.
func (b *recorder) brief(n int, r mask.Record) (brief, error) {
	l := &b.all[n]
	if l.Kind == lifecycle.Turn {
		return b.turnBrief(l, r)
	}
	report, before, err := b.reports(l)
	if err != nil {
		return brief{}, err
	}
	report = together(before, report)
	actions, _, err := b.actions(n)
	if err != nil {
		return brief{}, err
	}
	b.read = map[int32]bool{} // each brief stands by itself
	task, said, err := b.instructed(n)
	if err != nil {
		return brief{}, err
	}
	if task == "" {
		task = r.Task
	}
	d := brief{
		Task: told(task, taskRoom), Result: string(r.Result), Facts: factLines(r),
		Said: told(said, saidRoom), Report: told(report, reportRoom),
	}
	d.Work, d.Skipped = steps(actions)
	return d, nil
}

// turnBrief is the brief of the agent's own work: the prompt is its task. There
// is no report, since the answer stays below the mask.
func (b *recorder) turnBrief(l *lifecycle.Lifecycle, r mask.Record) (brief, error) {
	done, said, err := b.worked(l)
	if err != nil {
		return brief{}, err
	}
	clean(done)
	prompt, err := b.s.Content(l.Spawn)
	if err != nil && !errors.Is(err, session.ErrNotJSON) {
		return brief{}, err
	}
	d := brief{
		Task: told(prompt.Text(), taskRoom), Result: string(r.Result), Facts: factLines(r), Said: told(said, saidRoom),
	}
	d.Work, d.Skipped = steps(done)
	return d, nil
}

// instructed parts what [recorder.orders] joins: the text of the spawning call, and
// what the agent said meanwhile.
func (b *recorder) instructed(n int) (task, said string, err error) {
	l := &b.all[n]
	if call := spawnCall(b.s, l); call >= 0 {
		a, err := b.s.Action(&b.s.Calls[call])
		if err != nil {
			return "", "", err
		}
		task = a.Input
	}
	both, err := b.orders(n)
	return task, strings.TrimPrefix(both, task), err
}

// factLines are the facts of a record as its mask shows them.
func factLines(r mask.Record) []string {
	var lines []string
	add := func(label string, items []string) {
		if len(items) > 0 {
			lines = append(lines, label+": "+strings.Join(items, "; "))
		}
	}
	add("files created", r.Added)
	add("files changed", r.Changed)
	add("files deleted", r.Deleted)
	add("errors", r.Errors)
	return lines
}

// steps are the tool calls of a brief: all while there is room, otherwise those
// that failed, the first and the last ones before the others.
func steps(actions []session.Action) (list []step, skipped int) {
	room := workRoom
	chosen := make([]bool, len(actions))
	take := func(i int) {
		if chosen[i] || room <= 0 {
			return
		}
		chosen[i] = true
		room -= stepCost(stepOf(&actions[i]))
	}
	for i := range actions {
		if wentWrong(&actions[i]) {
			take(i)
		}
	}
	for i := range min(len(actions), 3) {
		take(i)
	}
	for i := len(actions) - 1; i >= 0; i-- {
		take(i)
	}
	for i := range actions {
		if chosen[i] {
			list = append(list, stepOf(&actions[i]))
		} else {
			skipped++
		}
	}
	return list, skipped
}

func wentWrong(a *session.Action) bool { return !a.Done || a.Exit > 0 }

func stepOf(a *session.Action) step {
	st := step{Tool: told(a.Tool, 20), Run: told(a.Command, 60), Failed: wentWrong(a), Exit: max(a.Exit, 0)}
	for i, p := range a.Paths {
		if i == 4 {
			break
		}
		st.Paths = append(st.Paths, told(p, 40))
	}
	// What a read or a search shows are words of files, not of the work.
	if st.Failed || a.Op == session.OpExec && !showsFiles(a.Command) {
		st.Output = told(a.Output, outputRoom)
	}
	return st
}

func stepCost(st step) int {
	return 10 + tokens.EstimateString(st.Run) + tokens.EstimateString(st.Output) + tokens.EstimateString(strings.Join(st.Paths, " "))
}

// told is a text as a model may read it: without characters that nobody sees,
// without secrets, and of about room tokens. A secret is looked for before
// the text is cut, since half of one has no shape, and after it.
func told(text string, room int) string {
	return Redact(bounding(withoutOrders(Redact(strings.Map(seen, strings.ToValidUTF8(text, "\uFFFD")))), room))
}

// orderToModel matches what strangers write into pages, files and reports for
// the models that read them: to forget what they were told, to be somebody
// else, or the answer itself in the form that we ask for.
var orderToModel = lazy(`(?i)\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|context|messages)\b|\byou are now\b|\bnew instructions?:|"?(?:tried_and_failed|must_remember)"?\s*:|"conclusion"\s*:|(?:忽略|无视|忘记).{0,12}(?:指令|指示|提示|规则)|\b(?:ignore|desconsidere|esqueça)\b.{0,40}\b(?:instruções|regras|mensagens)\b`)

// withoutOrders leaves out the paragraphs that give orders to a model: it need
// not prove itself against them.
func withoutOrders(text string) string {
	if !orderToModel().MatchString(text) {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if orderToModel().MatchString(p) {
			paragraphs[i] = leftOut
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// seen drops what a reader cannot see: it may hide an order, or a secret.
func seen(c rune) rune {
	if c == '\n' || c == '\t' {
		return c
	}
	if unicode.IsControl(c) || unseen(c) {
		return -1
	}
	return c
}

// leftOut stands where lines were left out.
const leftOut = "[…]"

// bounding cuts a text to about so many tokens: half of the room for its first
// lines, a third for its last, the rest for error lines in between.
func bounding(text string, room int) string {
	text = strings.TrimSpace(text)
	if len(text) <= room || tokens.EstimateString(text) <= room {
		return text
	}
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		return within(text, room)
	}
	width := max(10, room/3-1) // of one line, in tokens
	keep := make([]bool, len(lines))
	fill := func(room int, at func(i int) int, wanted func(line string) bool, all bool) {
		for i := range lines {
			k := at(i)
			if keep[k] || !wanted(lines[k]) {
				continue
			}
			line := within(lines[k], width)
			cost := 1 + tokens.EstimateString(line)
			if cost > room {
				if all {
					continue
				}
				return
			}
			lines[k], keep[k] = line, true
			room -= cost
		}
	}
	forward := func(i int) int { return i }
	backward := func(i int) int { return len(lines) - 1 - i }
	each := func(string) bool { return true }
	fill(room/2, forward, each, false)
	fill(room/3, backward, each, false)
	fill(room-room/2-room/3, forward, func(l string) bool { return errorLineOf(strings.TrimSpace(l), true) }, true)
	var b strings.Builder
	skipping := false
	for i, line := range lines {
		if !keep[i] {
			if !skipping {
				b.WriteString(leftOut + "\n")
			}
			skipping = true
			continue
		}
		skipping = false
		b.WriteString(line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// within cuts a line to at most so many tokens.
func within(line string, room int) string {
	line = clip(line, 12*room)
	for cost := tokens.EstimateString(line); cost > max(room, 1); cost = tokens.EstimateString(line) {
		n := uniseg.GraphemeClusterCount(line)
		line = clip(line, min(n-1, n*room/cost))
	}
	return line
}

// quoted is the brief as it stands in a request. Where escapes make it longer
// than a brief may be, tool calls are left out, the oldest first, and then the
// report is cut further.
func (d brief) quoted() (string, error) {
	for {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(d); err != nil {
			return "", fmt.Errorf("quote the brief: %w", err)
		}
		text := strings.TrimSpace(b.String())
		switch {
		case tokens.EstimateString(text) <= brieflyCap:
			return Redact(text), nil
		case len(d.Work) > 0:
			drop := (len(d.Work) + 1) / 2
			d.Work, d.Skipped = d.Work[drop:], d.Skipped+drop
		case len(d.Report) > 400:
			shorter := told(d.Report, tokens.EstimateString(d.Report)/2)
			if len(shorter) >= len(d.Report) {
				shorter = leftOut
			}
			d.Report = shorter
		default:
			return Redact(text), nil
		}
	}
}

// trusted is what people and agents said and did themselves: the task, the
// report, the agent's own words, commands and paths. What tools printed is not
// in it.
func (d brief) trusted() string {
	var b strings.Builder
	for _, s := range append([]string{d.Task, d.Said, d.Report}, d.Facts...) {
		b.WriteString(s + "\n")
	}
	for _, st := range d.Work {
		b.WriteString(st.Run + "\n" + strings.Join(st.Paths, "\n") + "\n")
	}
	return b.String()
}

// all is every word of the brief.
func (d brief) all() string {
	var b strings.Builder
	b.WriteString(d.trusted())
	for _, st := range d.Work {
		fmt.Fprintf(&b, "%s\n%s\n", st.Tool, st.Output)
		if st.Exit > 0 {
			fmt.Fprintf(&b, "exit %d\n", st.Exit)
		}
	}
	return b.String()
}
