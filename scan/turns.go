package scan

import (
	"slices"
	"strings"

	"sessc/lifecycle"
	"sessc/session"
)

// stepCalls is the least number of calls in a part of a turn: a turn that is
// longer is cut at finished steps, so that each part has a record of its own.
const stepCalls = 12

// turn is a prompt and what follows it up to the next one.
type turn struct {
	prompt   int32
	from, to int  // positions on the active path of what follows the prompt, to exclusive
	work     int  // position at which the closing answer begins, to when there is none
	closed   bool // its closing answer stands
}

// turns finds the agent's own work in turns: of a finished one that is not
// among the newest all that is free, of any other the finished steps before
// its last calls. What stays between free entries, such as the mask of a task,
// parts them.
func (w *Work) turns(free *lifecycle.Free, o lifecycle.Options) []lifecycle.Lifecycle {
	turns := turnsOf(w.s, free.Taken)
	w.running = w.lastStates()
	var found []lifecycle.Lifecycle
	s := w.s
	for n := range turns {
		t := &turns[n]
		runs := w.runs(t, free)
		if len(runs) == 0 {
			continue
		}
		rest := w.rest(t)
		edits := w.lastEdits(t)
		if task, open := free.Open(s.Active[t.from:t.to]); open {
			rest.State, rest.Why = lifecycle.Running, "its sub-task "+task+" is not finished"
			found = append(found, rest)
			continue
		}
		if old := len(turns)-n > o.KeepTurns; old && t.closed {
			for _, run := range runs {
				for _, part := range w.parts(run, edits, w.s.Position(run[len(run)-1]), true) {
					found = append(found, w.lifecycleOf(rest, part))
				}
			}
			continue
		}
		limit := w.limit(t, free, o.KeepCalls)
		for _, run := range runs {
			for _, part := range w.parts(run, edits, limit, false) {
				found = append(found, w.lifecycleOf(rest, part))
			}
		}
		switch {
		case !t.closed && n == len(turns)-1:
			rest.State, rest.Why = lifecycle.Running, "its closing answer is still to come"
		case !t.closed:
			rest.State, rest.Why = lifecycle.Unknown, "it has no closing answer"
		default:
			rest.Stays = lifecycle.AmongTurns
		}
		found = append(found, rest)
	}
	return found
}

// turnsOf cuts the active path at the prompts that stay. The summary with which
// a context begins is one too: the agent goes on from it.
func turnsOf(s *session.Session, taken func(int32) bool) []turn {
	var all []turn
	open := false
	for p, i := range s.Active {
		e := &s.Entries[i]
		prompt := e.Kind == session.Human || e.Kind == session.Summary && p == 0 || e.Kind == session.HostEvent && !e.Is(session.Quiet) && !e.Is(session.ByUs) && !taken(i)
		cut := e.Kind == session.Boundary || e.Kind == session.Summary
		if (prompt || cut) && open {
			all[len(all)-1].to, open = p, false
		}
		if prompt {
			all, open = append(all, turn{prompt: i, from: p + 1, to: len(s.Active)}), true
		}
	}
	for n := range all {
		all[n].close(s)
	}
	return all
}

// close finds the closing answer of a turn: the texts at its end that call no
// tool, when the last of the model's ended normally and says something. Copies
// of delivered texts do not come between.
func (t *turn) close(s *session.Session) {
	t.work = t.to
	said := false
	for p := t.to - 1; p >= t.from; p-- {
		i := s.Active[p]
		e := &s.Entries[i]
		switch {
		case e.Kind == session.HostEvent && e.Is(session.Quiet), e.Kind == session.Mirror:
		case e.Kind == session.Assistant && len(s.CallsOf(i)) == 0 && !e.Is(session.ByUs):
			if !said && !(e.Is(session.Ended) && e.Said > 0) {
				return
			}
			said = true
		default:
			t.closed = said
			return
		}
		if said || e.Kind == session.Mirror {
			t.work = p
		}
	}
	t.closed = said
}

// runs are the free entries of a turn's work, cut where something stays
// between them. A run holds calls whole, and at least one.
func (w *Work) runs(t *turn, free *lifecycle.Free) [][]int32 {
	s := w.s
	var runs [][]int32
	var run []int32
	end := func() {
		runs = append(runs, w.closed(run, free)...)
		run = nil
	}
	for _, i := range s.Active[t.from:t.work] {
		switch k := s.Entries[i].Kind; {
		case k != session.Assistant && k != session.Mirror && k != session.Result, !free.May(i), w.goesOn(i):
			end()
			continue
		}
		if len(run) > 0 && free.Parted(run[len(run)-1], i) {
			end()
		}
		run = append(run, i)
	}
	end()
	return runs
}

// closed parts a run at entries of which not all that must go with them stands
// in it, until none is left.
func (w *Work) closed(run []int32, free *lifecycle.Free) [][]int32 {
	in := map[int32]bool{}
	for _, i := range run {
		in[i] = true
	}
	for at, i := range run {
		if slices.ContainsFunc(free.Whole(i), func(i int32) bool { return !in[i] }) {
			return append(w.closed(run[:at], free), w.closed(run[at+1:], free)...)
		}
	}
	if w.calls(run) == 0 {
		return nil
	}
	return [][]int32{run}
}

// calls counts the calls in a run.
func (w *Work) calls(run []int32) int {
	n := 0
	for _, i := range run {
		n += len(w.s.CallsOf(i))
	}
	return n
}

// limit is the position behind which the last calls of a turn stay.
func (w *Work) limit(t *turn, free *lifecycle.Free, keep int) int {
	s := w.s
	for p := t.work - 1; p >= t.from; p-- {
		i := s.Active[p]
		if (!s.Entries[i].Is(session.ByUs) || w.briefs[i]) && !free.Taken(i) {
			keep -= len(s.CallsOf(i))
		}
		if keep <= 0 && s.Entries[i].Kind == session.Assistant {
			return p - 1
		}
	}
	return t.from - 1
}

// parts cuts a run where a step is finished and the part has calls enough. A
// part ends not behind a position; with all set the rest is a part too. edits
// are the last ones of the turn.
func (w *Work) parts(run []int32, edits map[string]int32, limit int, all bool) [][]int32 {
	s := w.s
	var parts [][]int32
	from, step, reach := 0, 0, -1 // beginning of the part; end of its last finished step; end of all open calls
	calls := 0
	finished := false
	for at, i := range run {
		if s.Position(i) > limit {
			break
		}
		first := s.FirstCall(i)
		for n := range s.CallsOf(i) {
			calls++
			reach = max(reach, s.Position(s.Calls[first+n].Result))
			finished = finished || w.finishes(int32(first+n), edits)
		}
		if !finished || s.Position(i) < reach {
			continue
		}
		step, finished = at+1, false
		if calls >= stepCalls {
			parts = append(parts, run[from:step])
			from, calls = step, 0
		}
	}
	if all {
		step = len(run)
	}
	if step > from && w.calls(run[from:step]) > 0 {
		parts = append(parts, run[from:step])
	}
	return parts
}

// finishes reports whether a call finished a step: a commit, a passing run of
// tests, an item of a plan, or the last edit of a file in the turn.
func (w *Work) finishes(call int32, edits map[string]int32) bool {
	c, d := &w.s.Calls[call], &w.deeds[call]
	if !d.known || !d.done {
		return false
	}
	switch {
	case c.Op == session.OpExec:
		return d.exit == 0 && (commits().MatchString(d.command) || tests().MatchString(d.command))
	case writes(c.Op):
		return slices.ContainsFunc(d.paths, func(p string) bool { return edits[p] == call })
	}
	return plans().MatchString(w.s.Str(c.Name))
}

// lastEdits returns the last call of a turn that changed each file.
func (w *Work) lastEdits(t *turn) map[string]int32 {
	last := map[string]int32{}
	w.each(t, func(call int32) {
		if d := &w.deeds[call]; d.known && d.done && writes(w.s.Calls[call].Op) {
			for _, p := range d.paths {
				last[p] = call
			}
		}
	})
	return last
}

// each calls f for the calls of a turn, in order.
func (w *Work) each(t *turn, f func(call int32)) {
	for _, i := range w.s.Active[t.from:t.to] {
		first := w.s.FirstCall(i)
		for n := range w.s.CallsOf(i) {
			f(int32(first + n))
		}
	}
}

// lastStates says of each process that outlived its call whether it runs at
// the end of the log.
func (w *Work) lastStates() map[string]bool {
	runs := map[string]bool{}
	for n := range w.deeds {
		if d := &w.deeds[n]; d.handle != "" {
			runs[d.handle] = d.running
		}
	}
	return runs
}

// goesOn reports whether an entry, or a call of it or that it answers, speaks of
// a process that still runs: these stay, whatever becomes of the rest of their
// turn, since they say how to reach it.
func (w *Work) goesOn(i int32) bool {
	of := func(call int32) bool { return w.deeds[call].running && w.running[w.deeds[call].handle] }
	if n := w.s.Answers(i); n >= 0 {
		return of(n)
	}
	first := w.s.FirstCall(i)
	for n := range w.s.CallsOf(i) {
		if of(int32(first + n)) {
			return true
		}
	}
	return false
}

// lifecycleOf makes a part of a turn a lifecycle, from that of what stays of the
// turn.
func (w *Work) lifecycleOf(l lifecycle.Lifecycle, members []int32) lifecycle.Lifecycle {
	s := w.s
	l.Key = "turn:" + s.IDOf(members[0])
	l.Members = members
	for _, i := range members {
		l.Own += s.Entries[i].Tokens()
	}
	l.Started, l.Ended = s.Entries[members[0]].Time, s.Entries[members[len(members)-1]].Time
	if l.Started > 0 && l.Ended >= l.Started {
		l.Took = l.Ended - l.Started
	}
	return l
}

// rest is the lifecycle of what stays of a turn.
func (w *Work) rest(t *turn) lifecycle.Lifecycle {
	l := lifecycle.Lifecycle{
		Kind: lifecycle.Turn, Key: "turn:" + w.s.IDOf(t.prompt), State: lifecycle.Done,
		Spawn: t.prompt, Receipt: -1, Final: -1, Call: -1, Took: -1, Spent: -1,
	}
	if w.s.Entries[t.prompt].Kind == session.Summary {
		l.Task = "go on after a compaction"
	} else if c, err := w.s.Content(t.prompt); err == nil {
		l.Task = first(asked(c.Text()), targetLimit)
	}
	return l
}

// asked is a prompt without what hosts put before a person's words: fenced
// blocks, each under a label of its own, that say who sent them and from where,
// lines of the host itself, frames and time stamps. Where nothing else is left
// the last of it stays.
func asked(text string) string {
	for {
		text = strings.TrimSpace(text)
		rest := strings.TrimSpace(behindEnvelope(text))
		if rest == text || rest == "" {
			return text
		}
		text = rest
	}
}

// behindEnvelope takes one part of an envelope off the beginning of a prompt.
func behindEnvelope(text string) string {
	line, below, _ := strings.Cut(text, "\n")
	if rest, fenced := strings.CutPrefix(below, "```"); fenced && strings.HasSuffix(strings.TrimSpace(line), ":") {
		if _, rest, ok := strings.Cut(rest, "\n```"); ok {
			return rest
		}
		return text
	}
	if m := frameTag().FindStringSubmatch(text); m != nil {
		if _, rest, ok := strings.Cut(text, "</"+m[1]+">"); ok {
			return rest
		}
	}
	if n := len(stamp().FindString(text)); n > 0 {
		return text[n:]
	}
	if m := hostSays().FindString(text); m != "" {
		if ended(below) && strings.TrimSpace(below) != "" && !hostLine().MatchString(strings.TrimSpace(line[len(m):])) {
			return below
		}
		return text[len(m):]
	}
	if hostLine().MatchString(strings.TrimSpace(line)) || hostField().MatchString(line) && ended(below) {
		return below
	}
	return text
}

// ended reports whether a line of a host stands by itself. What goes on below
// may be the other half of a secret, which by itself has no shape.
func ended(below string) bool {
	next, _, _ := strings.Cut(below, "\n")
	return strings.TrimSpace(next) == "" || nextLine().MatchString(next)
}

var (
	// frameTag begins what an editor or a client says before the words.
	frameTag = session.Lazy(`^<(ide_[a-z_]+|system-reminder|local-command-caveat|environment_context)>`)
	// stamp is the time of a message: [Sun 2026-03-29 05:56 GMT+1].
	stamp = session.Lazy(`^\[(?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?: ?[A-Z][A-Za-z0-9+:-]*)?\] ?`)
	// hostSays begins a line that a host wrote: what came in, and from whom.
	hostSays = session.Lazy(`^System: \[\d{4}-[^\]\n]*\] (?:[A-Z][A-Za-z]*\[[^\]\n]*\] (?:DM|message)[^:\n]*: )?`)
	// nextLine begins what is no second half of a line of a host.
	nextLine = session.Lazy(`^(?:System: \[|[a-z_]+: )`)
	// hostField is a value that a host gives.
	hostField = session.Lazy(`^(?:source|session_key|session_id|type): `)
	// hostLine is a whole line of a host before or around what somebody said.
	hostLine = session.Lazy(`^(?:<<<[A-Z_ ]+>>>|OpenClaw runtime context \(internal\):|This context is runtime-generated, .*|\[Internal task completion event\]` +
		`|\[Queued messages while [^\]]*\]|---|Queued #\d+|\[message_id: [0-9a-fA-F-]*\])$`)
)
