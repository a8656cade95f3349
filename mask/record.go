// Package mask turns the record of a finished piece of work into the short text that stands in its place, and back.
//
// Render and Parse are inverse on records in normal form (see Normalise). Fit brings a record under a token cap in
// one fixed order, Receipt and Headline make the one-line forms. Every value of a record is treated as data written
// by someone else: whatever it holds, it cannot add a line, a label, a list item or the end of a quotation.
//
// The package knows no log format, no message, no envelope marker and no tokenizer (the caller passes a count
// function). It decides neither what is masked nor what a record says, and it removes no secrets: redaction comes
// before it. A text that parses proves nothing about who wrote it.
package mask

import (
	"slices"
	"strings"
	"time"
)

// Origin says who asked for the finished work.
type Origin string

// The origins a record can have. OriginUnknown is what Normalise puts in the place of any other string.
const (
	OriginAgent   Origin = "agent" // a delegated sub-task: an agent spawned it
	OriginUser    Origin = "user"  // a turn started by a person's prompt
	OriginEvent   Origin = "event" // a turn started by an entry of the host program
	OriginUnknown Origin = "unknown"
)

// Result says how the work ended, in fixed words that no text of a child can change.
type Result string

// The results a record can have. ResultUnknown is what Normalise puts in the place of any other string.
const (
	ResultSuccess     Result = "success"      // the completion itself reports success
	ResultDone        Result = "done"         // it ended normally and nothing reports success or failure (a finished turn)
	ResultFailed      Result = "failed"       // the completion reports failure
	ResultTimedOut    Result = "timed out"    // the host's time limit ended it
	ResultKilled      Result = "killed"       // somebody stopped it
	ResultSpawnFailed Result = "spawn failed" // it never started
	ResultUnknown     Result = "unknown"
)

var (
	origins = []Origin{OriginAgent, OriginUser, OriginEvent, OriginUnknown}
	results = []Result{ResultSuccess, ResultDone, ResultFailed, ResultTimedOut, ResultKilled, ResultSpawnFailed, ResultUnknown}
)

// Record is what is kept of one finished piece of work. The zero value is a valid record that knows nothing.
type Record struct {
	Origin     Origin
	Task       string   // what was asked, one line; see Headline
	Result     Result   // from the completion's status, never from prose
	Conclusion string   // what came out, in the child's words; empty where the answer itself stays in the log
	Added      []string // files created (files+)
	Changed    []string // files modified (files~)
	Deleted    []string // files removed (files-)
	Commands   []string // shell commands that ran, each on one line, oldest first
	Errors     []string // distinct error lines, newest last
	Tried      []string // what was tried and failed, most telling first (tried_and_failed)
	Remember   []string // constraints and exact facts, most telling first (must_remember)
	Open       []string // what stays unresolved, most telling first
	Spent      Spent    // what the work cost (budget)
	Ref        string   // archive reference without the "sessc:" prefix: lower-case letters and digits
	Omitted    Omitted  // how many list items are left out, by list
	// Brief is set for a record on one line, which stands in the place of a
	// tool result: see Render. It has no origin, conclusion, lists of files or
	// commands, failed attempts or open points, of Spent only the tokens, and
	// one count of all that its lists leave out, Omitted.Remember.
	Brief bool
}

// Spent is what the work cost. A zero or negative amount means unknown and is not rendered.
type Spent struct {
	Tokens    int           // tokens the work used
	ToolCalls int           // tool calls made
	Took      time.Duration // wall time; kept to the second, below one second to the millisecond
}

// Omitted counts the items that a list no longer shows; they are rendered as "… +12, see ref", and those of lists that
// show nothing on a line of their own, "left_out: tried_and_failed 1, open 2, see ref".
type Omitted struct {
	Added, Changed, Deleted, Commands, Errors, Tried, Remember, Open int
}

// Normalise returns the normal form of r, the one that Render writes and Parse returns. In it
//   - every string is one trimmed line of valid UTF-8 without control, override or invisible characters and with
//     role tags, host markers and our own labels made harmless;
//   - lists hold no empty and no repeated item (the first one stays), and an empty list is nil;
//   - file lists are sorted by bytes;
//   - an origin or result outside the fixed words is "unknown";
//   - Ref holds only lower-case ASCII letters and digits;
//   - unknown amounts are 0, Took is rounded, no Omitted count is negative.
//
// Normalise(Normalise(r)) equals Normalise(r). The lists of r are not modified.
func Normalise(r Record) Record {
	if r.Brief {
		r = Record{
			Brief: true, Origin: OriginUnknown, Task: r.Task, Result: r.Result, Errors: r.Errors, Remember: r.Remember, Spent: Spent{Tokens: r.Spent.Tokens},
			Ref: r.Ref, Omitted: Omitted{Remember: max(r.Omitted.Errors, 0) + max(r.Omitted.Remember, 0)},
		}
	}
	if !slices.Contains(origins, r.Origin) {
		r.Origin = OriginUnknown
	}
	if !slices.Contains(results, r.Result) {
		r.Result = ResultUnknown
	}
	r.Task = clean(r.Task)
	r.Conclusion = clean(r.Conclusion)
	for _, l := range []*[]string{&r.Added, &r.Changed, &r.Deleted} {
		*l = cleanList(*l)
		slices.Sort(*l)
	}
	for _, l := range []*[]string{&r.Commands, &r.Errors, &r.Tried, &r.Remember, &r.Open} {
		*l = cleanList(*l)
	}
	r.Spent = Spent{max(r.Spent.Tokens, 0), max(r.Spent.ToolCalls, 0), roundTime(r.Spent.Took)}
	r.Ref = cleanRef(r.Ref)
	o := &r.Omitted
	for _, n := range []*int{&o.Added, &o.Changed, &o.Deleted, &o.Commands, &o.Errors, &o.Tried, &o.Remember, &o.Open} {
		*n = max(*n, 0)
	}
	return r
}

// cleanList cleans every item and drops empty and repeated ones.
func cleanList(items []string) []string {
	var out []string
	seen := make(map[string]bool, len(items))
	for _, it := range items {
		it = clean(it)
		if it == "" || seen[it] {
			continue
		}
		seen[it] = true
		out = append(out, it)
	}
	return out
}

func roundTime(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

// cleanRef keeps lower-case ASCII letters and digits, so that a reference can never be more than one word.
func cleanRef(ref string) string {
	ref = strings.TrimPrefix(strings.ToLower(ref), refScheme)
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' {
			return c
		}
		return -1
	}, ref)
}
