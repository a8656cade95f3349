package summarize

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/session"
	"sessc/tokens"
)

// Records makes the record of every lifecycle of a selection, by code alone:
// files, commands and errors from tool calls (the agent's own while it waited,
// and the child's where its log lies beside), the rest from the words of the
// child's report. The same log gives the same records. The result is by index
// of the lifecycle. earlier are the records of the layers before, whose
// references are taken and whose facts need not be said again.
func Records(ctx context.Context, s *session.Session, all []lifecycle.Lifecycle, sel *lifecycle.Selection, earlier map[int]mask.Record) (map[int]mask.Record, error) {
	b := newRecorder(s, all, sel)
	for _, r := range earlier {
		b.refs[r.Ref] = true
		b.note(r.Remember)
	}
	records := map[int]mask.Record{}
	for i := range sel.Waves {
		if err := b.wave(ctx, &sel.Waves[i], records); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// wave makes the records of one wave. Where its lifecycles share entries, or
// have long file lists, masks that each keep to half of what they stand for
// can together pass half of the wave; then all are cut further. So whether a
// wave is worth its masks hangs on what can not be cut, and not on a word more
// or less that a second run would find to say.
func (b *recorder) wave(ctx context.Context, w *lifecycle.Wave, records map[int]mask.Record) error {
	drafts := make([]draft, 0, len(w.Lifecycles))
	stays, sum := 0, 0
	for _, n := range w.Lifecycles {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := b.draft(w, n)
		if err != nil {
			l := &b.all[n]
			return fmt.Errorf("%s:%d: record of %s: %w", b.s.Path, b.s.LineOf(l.Spawn), l.Key, err)
		}
		records[n] = b.fitted(d, d.replaced)
		b.note(records[n].Remember)
		drafts = append(drafts, d)
		stays, sum = stays+d.stays, sum+d.replaced
	}
	whole := w.Tokens(b.s) - stays
	for share := min(whole, sum); 2*Cost(w, b.s, b.all, records) > whole; share /= 2 {
		for i, n := range w.Lifecycles {
			records[n] = b.fitted(drafts[i], drafts[i].replaced*share/max(sum, 1))
		}
		if share <= 0 {
			break
		}
	}
	return nil
}

type recorder struct {
	s    *session.Session
	all  []lifecycle.Lifecycle
	sel  *lifecycle.Selection
	refs map[string]bool

	later   string          // what follows the masks
	asked   map[string]bool // memory of mentioned
	read    map[int32]bool  // messages whose words a record has been offered
	visible map[string]bool // what the records made so far remember
}

func newRecorder(s *session.Session, all []lifecycle.Lifecycle, sel *lifecycle.Selection) *recorder {
	return &recorder{
		s: s, all: all, sel: sel, refs: map[string]bool{}, later: laterText(s, sel),
		asked: map[string]bool{}, read: map[int32]bool{}, visible: map[string]bool{},
	}
}

// draft is a record before it is cut, with figures in tokens.
type draft struct {
	record   mask.Record
	stays    int // of the lifecycle's own entries, whatever the mask says
	replaced int // what the mask stands for: the rest of them, and the agent's work meanwhile
	besides  int // what stands in the log beside the record
	files    int // what the record's file lists cost
	least    int // what the record has to cost to say anything
	cap      func(replaced int) int
}

// capOf says how many tokens a mask of a layer may take that replaces so many.
func capOf(k lifecycle.Kind) func(replaced int) int {
	switch k {
	case lifecycle.Turn:
		return turnCap
	case lifecycle.Result:
		return resultCap
	}
	return mask.Cap
}

// draft collects all that a record could say, redacted.
func (b *recorder) draft(w *lifecycle.Wave, n int) (draft, error) {
	var r mask.Record
	var err error
	l := &b.all[n]
	d := draft{cap: capOf(l.Kind), least: 1}
	switch l.Kind {
	case lifecycle.Turn:
		r, err = b.turn(l)
	case lifecycle.Result:
		r, err = b.result(l)
	default:
		r, err = b.task(n)
	}
	if err != nil {
		return draft{}, err
	}
	if r.Ref, err = b.ref(l); err != nil {
		return draft{}, err
	}
	if d.stays, err = Stays(b.s, l); err != nil {
		return draft{}, err
	}
	d.record, d.replaced = redacted(r), l.Own
	if l.Kind == lifecycle.Task {
		d.replaced -= d.stays
		for _, i := range b.sel.Work[n] {
			d.replaced += b.s.Entries[i].Tokens()
		}
	}
	if l.Kind != lifecycle.Result {
		d.least = leastCost(d.record)
	}
	d.besides, d.files = besides(w, n, d.record), fileCost(d.record)
	return d, nil
}

// task collects what the record of a sub-task could say.
func (b *recorder) task(n int) (mask.Record, error) {
	l := &b.all[n]
	report, before, err := b.reports(l)
	if err != nil {
		return mask.Record{}, err
	}
	actions, calls, err := b.actions(n)
	if err != nil {
		return mask.Record{}, err
	}
	orders, err := b.orders(n)
	if err != nil {
		return mask.Record{}, err
	}
	facts, prose := FromActions(actions, b.s.Cwd), unmarked(unlabelled(FromReport(report)))
	if !endedWell(resultOf(l.State)) && !tellsFailure(prose.Conclusion) {
		prose.Conclusion = failureOf(report, prose)
	}
	for _, r := range before {
		prose = prose.after(r.prose)
	}
	errs := b.errorsOf(l, prose, facts)
	return mask.Record{
		Origin: mask.OriginAgent, Task: Name(l, taskWidth), Result: resultOf(l.State),
		Conclusion: prose.Conclusion,
		Added:      facts.Added, Changed: facts.Changed, Deleted: facts.Deleted,
		Errors: errs, Tried: prose.Tried,
		Remember: b.remember(prose, errs, facts, together(before, report), orders), Open: prose.Open,
		Omitted: mask.Omitted{Tried: prose.Left.Tried, Remember: prose.Left.Remember, Open: prose.Left.Open},
		Spent:   mask.Spent{Tokens: int(max(l.Spent, 0)), ToolCalls: calls, Took: time.Duration(max(l.Took, 0)) * time.Millisecond},
	}, nil
}

// fitted cuts a record to the cap of what it stands for, and to half of it
// with all that stands beside.
func (b *recorder) fitted(d draft, replaced int) mask.Record {
	room := replaced/2 - d.besides - d.files - slack
	r, _ := mask.Fit(d.record, mask.Budget{
		Cap: max(d.least, min(d.cap(replaced), room)), Count: tokens.EstimateString, Mentioned: b.mentionsAny,
	})
	return r
}

const (
	// taskWidth is the longest task line, in grapheme clusters.
	taskWidth = 160
	// slack keeps a mask that was cut to half of what it replaces below that
	// half, although its parts are counted together then: whether a lifecycle
	// is compacted must not hang on what a second run would say of it.
	slack = 8
	// callCost is what the shortened call of a mask costs beside its record,
	// in tokens.
	callCost = 30
)

// nameWidth is the longest task line of a turn or a result, in grapheme
// clusters: the prompt of a turn stands above it, and a result's line is one of
// many.
func nameWidth(l *lifecycle.Lifecycle) int {
	if l.Kind == lifecycle.Turn {
		return headlineWidth
	}
	return 100
}

// Name is what a person would call a lifecycle, on one line of at most width
// grapheme clusters and without secrets. A secret is looked for before the
// line is cut, since half of one has no shape, and after it, since invisible
// characters inside one are gone then.
func Name(l *lifecycle.Lifecycle, width int) string {
	if l.Kind == lifecycle.Result {
		return Redact(mask.Call(Redact(whole(l.Name(), 400)), width))
	}
	return Redact(mask.Headline(Redact(whole(l.Name(), 400)), width))
}

// Reason says why a lifecycle was left alone, without secrets.
func Reason(l lifecycle.Left) string { return foldSpace(Redact(whole(l.String(), 500))) }

// whole drops the last word of a text of which the index keeps only the first
// bytes, up to the border of a character: the word may be half a secret.
func whole(s string, kept int) string {
	if len(s) <= kept-utf8.UTFMax {
		return s
	}
	if i := strings.LastIndexAny(s, " \t\n"); i > 0 {
		return s[:i]
	}
	return s
}

// redacted is the last look at all that a record says. What it is made of was
// redacted before, but a cut, a join or an invisible character that goes can
// still leave the shape of a secret.
func redacted(r mask.Record) mask.Record {
	r = mask.Normalise(r)
	r.Task, r.Conclusion = Redact(r.Task), Redact(r.Conclusion)
	for _, items := range [][]string{r.Added, r.Changed, r.Deleted, r.Commands, r.Errors, r.Tried, r.Remember, r.Open} {
		for i := range items {
			items[i] = Redact(items[i])
		}
	}
	return r
}

// Of a report that is longer, the beginning and the end are read: a record
// holds a few hundred tokens, and all of it stays in the archive.
const (
	reportHead = 40 << 10 // bytes
	reportTail = 24 << 10
)

// bounded leaves out the middle of a very long report, at line borders where
// there are any.
func bounded(report string) string {
	if len(report) <= reportHead+reportTail {
		return report
	}
	head, tail := report[:reportHead], report[len(report)-reportTail:]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	return strings.ToValidUTF8(head, "") + "\n\n" + strings.ToValidUTF8(tail, "")
}

// besides is what stands in the log for a lifecycle beside its record, in
// tokens: the shortened call, and receipts in earlier pieces.
func besides(w *lifecycle.Wave, n int, r mask.Record) int {
	cost := 0
	for _, p := range w.Pieces {
		if p.Stay {
			continue
		}
		spawned, finished := slices.Contains(p.Spawned, n), slices.Contains(p.Finished, n)
		bare := len(p.Spawned)+len(p.Finished) == 0 && n == w.Lifecycles[0]
		if spawned || finished || bare {
			cost += callCost
		}
		if spawned && !finished || bare {
			cost += tokens.EstimateString(mask.Receipt(r.Task, r.Ref))
		}
	}
	return cost
}

// fileCost is what the file lists of a mask cost, in tokens: they are never
// cut, so what else the mask says has to leave them room.
func fileCost(r mask.Record) int {
	whole := tokens.EstimateString(mask.Render(r))
	r.Added, r.Changed, r.Deleted = nil, nil, nil
	return whole - tokens.EstimateString(mask.Render(r))
}

// leastCost is what a mask costs, without file lists, that has its fixed lines,
// one short sentence or list item, and counts all the others, in tokens. One
// that is cut below that says nothing: the lifecycle is better left alone then, as every
// mask that costs more than half of what it replaces.
func leastCost(r mask.Record) int {
	content := oneSentence
	if r.Conclusion == "" {
		content = oneItem
	}
	bare := mask.Record{Origin: r.Origin, Task: r.Task, Result: r.Result, Spent: r.Spent, Ref: r.Ref, Omitted: r.Omitted}
	bare.Omitted.Commands += len(r.Commands)
	bare.Omitted.Errors += len(r.Errors)
	bare.Omitted.Tried += len(r.Tried)
	bare.Omitted.Remember += len(r.Remember)
	bare.Omitted.Open += len(r.Open)
	return tokens.EstimateString(mask.Render(bare)) + content
}

// What a short sentence, and a list item with its quotes and the count of those
// left out, take, in tokens.
const (
	oneSentence = 24
	oneItem     = 64
)

func resultOf(s lifecycle.State) mask.Result {
	switch s {
	case lifecycle.Done:
		return mask.ResultSuccess
	case lifecycle.Failed:
		return mask.ResultFailed
	case lifecycle.TimedOut:
		return mask.ResultTimedOut
	case lifecycle.Killed:
		return mask.ResultKilled
	case lifecycle.SpawnFailed:
		return mask.ResultSpawnFailed
	}
	return mask.ResultUnknown
}

// endedWell is false for the results behind which no word of success may stand.
func endedWell(r mask.Result) bool {
	return r == mask.ResultSuccess || r == mask.ResultDone || r == mask.ResultUnknown
}

// reports returns the child's words in the completion that decided, and those of
// ends before it that are no part of them: a child that was told to go on reports
// what it did since.
func (b *recorder) reports(l *lifecycle.Lifecycle) (last string, before []earlier, err error) {
	if l.Final < 0 {
		return "", nil, nil
	}
	if last, err = b.report(l.Final); err != nil {
		return "", nil, err
	}
	for _, n := range l.Earlier {
		r, err := b.report(n)
		if err != nil {
			return "", nil, err
		}
		if strings.Contains(last, strings.TrimSpace(r)) {
			continue
		}
		e := earlier{text: bounded(r), prose: unmarked(unlabelled(FromReport(bounded(r))))}
		if ev := &b.s.Events[n]; ev.Outcome != session.OutcomeOK || ev.Suspect != "" {
			e.prose.Conclusion = "" // no result
		}
		before = append(before, e)
	}
	return bounded(last), before, nil
}

// earlier is the report of an end before the one that decided.
type earlier struct {
	text  string
	prose Prose
}

// together joins all reports of a child, oldest first.
func together(before []earlier, last string) string {
	var all []string
	for _, e := range before {
		all = append(all, e.text)
	}
	return strings.Join(append(all, last), "\n\n")
}

// report returns the child's words in an event.
func (b *recorder) report(event int) (string, error) {
	ev := &b.s.Events[event]
	raw, err := b.s.Raw(ev.Entry)
	if err != nil {
		return "", err
	}
	return b.s.Format.Report(raw, ev)
}

// actions returns what was done for a lifecycle: by the child, where its log
// can be read, then by the agent itself. calls counts the child's tool calls,
// 0 when its log is not at hand. A child's log that cannot be read is as good
// as none: it is no part of the session.
func (b *recorder) actions(n int) (done []session.Action, calls int, err error) {
	l := &b.all[n]
	ev := session.Event{Child: l.Child}
	if l.Final >= 0 {
		ev = b.s.Events[l.Final]
		ev.Child = l.Child
	}
	for _, c := range b.s.Format.Related(b.s, ev) {
		if a, err := c.Actions(); err == nil {
			done, calls = append(done, a...), calls+len(a)
		}
	}
	for _, i := range b.sel.Work[n] {
		for _, c := range b.s.CallsOf(i) {
			if c.Op == session.OpDelegate {
				continue
			}
			a, err := b.s.Action(&c)
			if err != nil {
				return nil, 0, err
			}
			done = append(done, a)
		}
	}
	clean(done)
	return done, calls, nil
}

// clean takes the secrets out of what was done, in one piece: a secret that is
// wrapped over lines is not seen in one.
func clean(done []session.Action) {
	for i := range done {
		a := &done[i]
		a.Command, a.Input, a.Output = Redact(a.Command), Redact(a.Input), Redact(a.Output)
	}
}

// errorsOf puts the program's own words for a failure last, where the newest
// error belongs, and first what it said before it said otherwise: a run that
// timed out and was done all the same. What the report tells in a section of
// errors comes before what the tool calls prove: it is mended as a rule.
func (b *recorder) errorsOf(l *lifecycle.Lifecycle, prose Prose, facts Facts) []string {
	var errs []string
	for _, n := range l.Events {
		ev := &b.s.Events[n]
		if n == l.Final || ev.Kind != session.Completion {
			continue
		}
		state := lifecycle.StateOf(ev.Outcome)
		if state == l.State || state == lifecycle.Done || !state.Finished() {
			continue
		}
		before := "reported as " + state.String() + " before"
		if ev.Error != "" {
			before += ": " + foldSpace(Redact(whole(ev.Error, 500)))
		}
		if !slices.Contains(errs, before) {
			errs = append(errs, before)
		}
	}
	for _, e := range prose.Errors {
		if !toldAsError(facts.Errors, e) {
			errs = append(errs, e)
		}
	}
	errs = append(errs, facts.Errors...)
	if l.State != lifecycle.Done && l.Why != "" {
		errs = append(errs, foldSpace(Redact(whole(l.Why, 500))))
	}
	return errs
}

// laterLimit bounds how much of the entries behind the last mask is looked
// through for what they mention, in bytes.
const laterLimit = 1 << 20

// laterText collects the raw lines that follow the last member.
func laterText(s *session.Session, sel *lifecycle.Selection) string {
	last := -1
	for _, w := range sel.Waves {
		for _, p := range w.Pieces {
			last = max(last, s.Position(p.Members[len(p.Members)-1]))
		}
	}
	var b strings.Builder
	for p := last + 1; p < len(s.Active) && b.Len() < laterLimit; p++ {
		if s.Entries[s.Active[p]].Len > laterLimit {
			continue
		}
		if raw, err := s.Raw(s.Active[p]); err == nil {
			b.Write(raw)
		}
	}
	return b.String()
}

// ref derives the archive reference of a lifecycle from the session, the key
// and the removed bytes, so that the same mask has the same name wherever it
// is made. It is lengthened until it is unique in the session.
func (b *recorder) ref(l *lifecycle.Lifecycle) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00", b.s.ID, l.Key)
	hashed := l.Members
	if l.Kind == lifecycle.Task {
		hashed = append([]int32{l.Spawn, l.Receipt}, l.Completions...)
	}
	for _, i := range hashed {
		if i < 0 {
			continue
		}
		raw, err := b.s.Raw(i)
		if err != nil {
			return "", err
		}
		h.Write(raw)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	for n := refLength; ; n += 4 {
		if ref := sum[:min(n, len(sum))]; !b.refs[ref] || n >= len(sum) {
			b.refs[ref] = true
			return ref, nil
		}
	}
}

// refLength is the usual length of a reference in hex digits: 48 bits.
const refLength = 12
