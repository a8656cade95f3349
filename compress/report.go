package compress

import (
	"context"
	"math"
	"slices"

	"sessc/archive"
	"sessc/lifecycle"
	"sessc/mask"
	"sessc/session"
	"sessc/summarize"
	"sessc/writer"
)

// Schema names the version of the report's JSON form, see docs/json.md.
const Schema = "sessc.compress/1"

// Report is what one run found and did, or would do: a dry run's report equals
// that of the real run. Token figures are context tokens, byte figures are
// file bytes.
type Report struct {
	Schema  string `json:"schema"`
	Path    string `json:"path"`
	Agent   string `json:"agent"`
	Session string `json:"session"`
	Model   string `json:"model,omitempty"`
	Changed bool   `json:"changed"`

	Context Change `json:"context_tokens"`
	File    Change `json:"file_bytes"`
	// Recorded is the context size that the agent itself noted last, with its
	// system prompt and tools, in its provider's tokens; 0 when it noted none.
	Recorded int       `json:"recorded_context_tokens"`
	Counting Counting  `json:"counting"`
	Where    Where     `json:"where"`
	Layers   []Layer   `json:"layers"`
	Disk     *Weight   `json:"disk,omitempty"` // nil when it was not asked for
	Finished Finished  `json:"finished"`
	States   States    `json:"lifecycles"`
	Tasks    []Task    `json:"compacted"`
	Left     []LeftOut `json:"left_alone"`
	Lines    Lines     `json:"lines"`
	Prose    *Prose    `json:"prose,omitempty"` // nil when no model was named
	Notes    []string  `json:"notes,omitempty"`
	// Refusal says why a real run would be refused now, of a dry run only. It
	// is no part of the JSON, which is that of the real run.
	Refusal string `json:"-"`
}

// Change is one quantity before and after.
type Change struct {
	Before int64   `json:"before"`
	After  int64   `json:"after"`
	Saved  int64   `json:"saved"`
	Part   float64 `json:"saved_percent"`
}

// NewChange is the change between two quantities.
func NewChange(before, after int64) Change {
	c := Change{Before: before, After: after, Saved: before - after}
	if before > 0 {
		c.Part = math.Round(1000*float64(c.Saved)/float64(before)) / 10
	}
	return c
}

// Counting says how tokens were counted.
type Counting struct {
	Method string  `json:"method"`
	Factor float64 `json:"factor"`
	Pairs  int     `json:"pairs"`
}

// Where says what the context consists of, in context tokens before the run.
type Where struct {
	Human     int `json:"human"`
	Assistant int `json:"assistant"`
	Thinking  int `json:"thinking"`
	Arguments int `json:"tool_arguments"`
	Results   int `json:"tool_results"`
	Events    int `json:"events"`
}

// Total is the size of the context.
func (w Where) Total() int {
	return w.Human + w.Assistant + w.Thinking + w.Arguments + w.Results + w.Events
}

// Finished is the share of finished lifecycles in the context.
type Finished struct {
	// Own are the tokens of their spawns, receipts and completions.
	Own int `json:"own_tokens"`
	// Members are the tokens of all that was replaced, by every layer, Masks of
	// what stands there now: the difference is what the run saves.
	Members int `json:"replaced_tokens"`
	Masks   int `json:"mask_tokens"`
}

// States counts the lifecycles by how far they have come.
type States struct {
	Found       int `json:"found"`
	Done        int `json:"done"`
	Failed      int `json:"failed"`
	TimedOut    int `json:"timed_out"`
	Killed      int `json:"killed"`
	SpawnFailed int `json:"spawn_failed"`
	Open        int `json:"open"` // running, suspect or unknown
	Compacted   int `json:"compacted"`
}

// Task is one lifecycle that was compacted.
type Task struct {
	Layer    string `json:"layer"`
	Key      string `json:"key"`
	Name     string `json:"name"`
	State    string `json:"state"`
	Ref      string `json:"ref"`
	Line     int    `json:"line"`
	Started  int64  `json:"started_ms"` // unix ms, 0 unknown
	TookMS   int64  `json:"took_ms"`    // -1 unknown
	Spent    int64  `json:"tokens"`     // that the child used, -1 unknown
	Replaced int    `json:"replaced"`   // context tokens
	Mask     string `json:"mask"`       // the record, as the model reads it
	Entries  []int  `json:"lines"`      // the lines that it replaces
	// Words says who wrote the words of the mask, see [Prose]; "" when no
	// model was named.
	Words string `json:"words,omitempty"`
}

// LeftOut is one lifecycle that was left alone.
type LeftOut struct {
	Layer   string `json:"layer"`
	Key     string `json:"key"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Line    int    `json:"line"`
	Started int64  `json:"started_ms"` // unix ms, 0 unknown
	TookMS  int64  `json:"took_ms"`    // -1 unknown
	Reason  string `json:"reason"`
}

// Lines counts what the log consists of.
type Lines struct {
	All     int `json:"all"`
	Damaged int `json:"damaged"`
	Unknown int `json:"unknown"`
}

// account is what is known of a run before the rewritten log is read, when the
// index of the original is given up.
type account struct {
	tokens     int // uncalibrated, of the active context
	report     *Report
	same       *Report // what is reported should the rewrite save too little
	generation *archive.Generation
	prospects  []prospect
}

// newAccount makes the account of a run, and uses up the selection.
func (o *Options) newAccount(ctx context.Context, s *session.Session, plan *session.Plan, c *choice, count *counting) (*account, error) {
	where, err := count.context(s)
	if err != nil {
		return nil, err
	}
	rows := rowsOf(s, c.found)
	a := &account{tokens: s.Tokens()}
	if a.report, err = o.newReport(s, where, plan, c, rows, count); err != nil {
		return nil, err
	}
	if o.DryRun {
		if a.report.Refusal, err = refusal(o.atRest(ctx, s)); err != nil {
			return nil, err
		}
	}
	blind := error(nil)
	if a.prospects, blind = o.prospects(ctx, s, a.report.Layers, c.whole, count); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a.report.withoutOutlook(blind)
	if plan.Empty() {
		return a, nil
	}
	a.generation = generation(s, plan, c, o.Now())
	c.sel.DropAll(lifecycle.SavesTooLittle)
	if a.same, err = o.newReport(s, where, &session.Plan{}, c, rows, count); err == nil {
		a.same.Refusal = a.report.Refusal
		a.same.withoutOutlook(blind)
	}
	return a, err
}

// settle adds what the staged log says, unless it saves too little.
func (a *account) settle(st *writer.Staged, count *counting, little bool) (*Report, error) {
	after, err := count.context(st.After)
	if err != nil {
		return nil, err
	}
	if little {
		noteTooLittle(a.same.Layers, a.same.Context.Before-int64(after.Total()))
		return a.same, nil
	}
	r := a.report
	r.Context, r.File = NewChange(r.Context.Before, int64(after.Total())), NewChange(st.Before.Size, st.New.Size())
	// Of the three figures only the saving is a recount; where the others, which
	// are estimates, leave nothing for the masks, these count.
	if masks := r.Finished.Members - int(r.Context.Saved); masks > r.Finished.Masks/2 {
		r.Finished.Masks = masks
	} else {
		was := max(r.Finished.Members, 1)
		r.Finished.Members = r.Finished.Masks + int(r.Context.Saved)
		for n := range r.Tasks {
			t := &r.Tasks[n]
			t.Replaced = int(math.Round(float64(t.Replaced) * float64(r.Finished.Members) / float64(was)))
		}
	}
	settleLayers(r.Layers, r.Context.Before, r.Context.After)
	return r, nil
}

// newReport reports a run that leaves the log as large as it was.
func (o *Options) newReport(s *session.Session, where Where, plan *session.Plan, c *choice, rows []LeftOut, count *counting) (*Report, error) {
	found, sel, records := c.found, &c.sel, c.records
	size := int64(where.Total())
	r := &Report{
		Schema: Schema, Path: s.Path, Agent: s.AgentName(), Session: s.Name(), Model: s.Model, Changed: !plan.Empty(),
		Context: NewChange(size, size), File: NewChange(s.Size, s.Size), Recorded: s.Recorded,
		Counting: count.shown(),
		Where:    where, States: states(found), Tasks: []Task{}, Left: make([]LeftOut, 0, len(sel.Left)),
		Lines: Lines{All: s.Lines, Damaged: s.Count(session.Damaged), Unknown: s.Count(session.Opaque)},
	}
	var err error
	if r.Layers, err = o.layers(c, s, count); err != nil {
		return nil, err
	}
	settleLayers(r.Layers, size, size)
	if o.Disk && s.Format.Caps().Disk {
		w := diskWeight(s, plan)
		r.Disk = &w
	}
	notes, _ := s.Format.Warn(s)
	r.Notes = slices.Concat(notes, oddities(s, found), plan.Notes, o.missing(s))
	scale := scaleTo(s, size)
	r.Finished.Own = scale(ownTokens(s, found))
	counted := map[int32]bool{} // entries that several lifecycles share count for the first
	for n := range sel.Waves {
		w := &sel.Waves[n]
		replaced := scale(w.Tokens(s) - w.Stays)
		r.Finished.Members += replaced
		r.Finished.Masks += scale(summarize.Cost(w, s, found, records))
		for _, m := range w.Lifecycles {
			t := task(s, &found[m], records[m], ownAndWork(&found[m], sel.Work[m]), counted, scale)
			if len(w.Lifecycles) == 1 {
				t.Replaced = replaced // without what stays of its entries
			}
			r.Tasks = append(r.Tasks, t)
		}
	}
	r.States.Compacted = len(r.Tasks)
	for _, l := range sel.Left {
		row := rows[l.Lifecycle]
		row.Reason = summarize.Reason(l)
		r.Left = append(r.Left, row)
	}
	return r, nil
}

// scaleTo turns estimates of parts of a context into what they are of it as it
// was counted, which may have been done by a tokenizer.
func scaleTo(s *session.Session, size int64) func(int) int {
	whole := s.Tokens()
	return func(n int) int { return int(math.Round(float64(n) * float64(size) / float64(max(whole, 1)))) }
}

// rowsOf describes each lifecycle as one that was left alone, for a reason yet
// to be named.
func rowsOf(s *session.Session, found []lifecycle.Lifecycle) []LeftOut {
	rows := make([]LeftOut, len(found))
	for n := range found {
		l := &found[n]
		rows[n] = LeftOut{Layer: l.Kind.Layer(), Key: l.Key, Name: nameOf(l), State: l.State.String(), Line: s.LineOf(l.Spawn), Started: l.Started, TookMS: l.Took}
	}
	return rows
}

// ownTokens is what the finished lifecycles themselves hold of the context,
// each entry counted once.
func ownTokens(s *session.Session, found []lifecycle.Lifecycle) int {
	n, seen := 0, map[int32]bool{}
	for m := range found {
		l := &found[m]
		if !l.State.Finished() {
			continue
		}
		for _, i := range ownAndWork(l, nil) {
			if !seen[i] && s.Position(i) >= 0 {
				seen[i] = true
				n += s.Entries[i].Tokens()
			}
		}
	}
	return n
}

// task describes a lifecycle that was compacted.
func task(s *session.Session, l *lifecycle.Lifecycle, r mask.Record, entries []int32, counted map[int32]bool, scale func(int) int) Task {
	t := Task{
		Layer: l.Kind.Layer(), Key: l.Key, Name: nameOf(l), State: l.State.String(), Ref: r.Ref, Line: s.LineOf(l.Spawn),
		Started: l.Started, TookMS: l.Took, Spent: l.Spent, Mask: mask.Render(r),
	}
	for _, i := range entries {
		if !counted[i] {
			counted[i] = true
			t.Replaced += s.Entries[i].Tokens()
		}
		t.Entries = append(t.Entries, s.LineOf(i))
	}
	t.Replaced = scale(t.Replaced)
	return t
}

// nameOf is the lifecycle's name for a report: one short line, no secrets.
func nameOf(l *lifecycle.Lifecycle) string { return summarize.Name(l, nameWidth) }

// nameWidth is the longest name in a report, in grapheme clusters.
const nameWidth = 60

func states(found []lifecycle.Lifecycle) States {
	var st States
	for n := range found {
		st.add(found[n].State.String())
	}
	return st
}

// add counts a lifecycle by the name of its state.
func (st *States) add(state string) {
	st.Found++
	switch state {
	case lifecycle.Done.String():
		st.Done++
	case lifecycle.Failed.String():
		st.Failed++
	case lifecycle.TimedOut.String():
		st.TimedOut++
	case lifecycle.Killed.String():
		st.Killed++
	case lifecycle.SpawnFailed.String():
		st.SpawnFailed++
	default:
		st.Open++
	}
}
