package summarize

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"sync"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/model"
	"sessc/session"
	"sessc/tokens"
)

// Author has a model write the words of records. It never writes facts: what
// a model says is read into four fields, checked against what it was told, and
// put on top of the record that code made, which stands wherever the model
// fails.
type Author struct {
	Name   string      // of the engine and the model; answers are kept under it
	Place  string      // where it runs: the same name elsewhere is another model
	Model  model.Asker // nil makes no calls and counts those that were needed
	Memory Memory      // nil: nothing is kept
	// Concurrency is how many lifecycles are told of at a time; 0 means 1.
	Concurrency int
}

// Memory keeps what models answered, so that no question is asked twice. Its
// methods may be called by several goroutines.
type Memory interface {
	// Answer returns what was kept under a key; ok is false when nothing was.
	Answer(ctx context.Context, key [32]byte) (text string, ok bool, err error)
	// KeepAnswer keeps an answer for the mask with a reference of a session.
	KeepAnswer(ctx context.Context, key [32]byte, session, ref, text string) error
}

// Names of the levels that a record can come from.
const (
	LevelNormal     = "normal"
	LevelAggressive = "aggressive"
	LevelRecord     = "record" // made by code, since the model failed
)

// Told is what came of the questions on one session.
type Told struct {
	Levels map[int]string // by lifecycle
	Asked  int            // questions that a model was asked
	In     int64          // tokens of these, by the engine's count
	Out    int64          // tokens of the answers
	Known  int            // questions whose answer was kept
	// Needed are the questions that a dry run would have asked at least, and
	// InTokens and OutTokens what they say and what their answers can be long.
	Needed, InTokens, OutTokens int
	// Failures counts, by reason, the answers that were of no use. A lifecycle
	// can have several of them.
	Failures map[string]int
	// Sentences is how many sentences of useful answers were read, and Dropped
	// how many of them say what the model was not told.
	Sentences, Dropped int
}

// Reasons for which an answer is of no use, beside the kinds of [model.Error].
const (
	NotAsked   = "not asked" // a limit of the run
	Unreadable = "not readable"
	TooLong    = "too long"
	NotSmaller = "not smaller than what it was told"
	Ungrounded = "not in what it was told"
	NoRoom     = "no room"
)

// Retell asks the model for the words of all records of a selection and puts
// them in place. A model that fails is no error: its lifecycle keeps the record
// that it has. The same records come out in whatever order answers arrive.
func (a *Author) Retell(ctx context.Context, s *session.Session, all []lifecycle.Lifecycle, sel *lifecycle.Selection, records map[int]mask.Record) (*Told, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := newRecorder(s, all, sel)
	t := &retelling{author: a, session: s.Name(), told: Told{Levels: map[int]string{}, Failures: map[string]int{}}, records: map[int]mask.Record{}}
	work := make(chan question)
	var wg sync.WaitGroup
	for range max(1, a.Concurrency) {
		wg.Go(func() {
			for q := range work {
				if err := t.one(ctx, q); err != nil {
					cancel(err)
				}
			}
		})
	}
	err := func() error {
		defer close(work)
		for i := range sel.Waves {
			w := &sel.Waves[i]
			room := b.headroom(w, records)
			for _, n := range w.Lifecycles {
				r := records[n]
				if !hasProse(all[n].Kind) {
					t.settle(n, r, LevelRecord)
					continue
				}
				d, err := b.brief(n, r)
				if err != nil {
					return fmt.Errorf("%s:%d: brief of %s: %w", s.Path, s.LineOf(all[n].Spawn), all[n].Key, err)
				}
				select {
				case work <- question{n: n, old: r, brief: d, room: room(n)}:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
		}
		return nil
	}()
	wg.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	maps.Copy(records, t.records)
	return &t.told, nil
}

// hasProse reports whether the records of a layer have words that a model could
// write: a tool result has one line of facts.
func hasProse(k lifecycle.Kind) bool { return k != lifecycle.Result }

// headroom says how many tokens the mask of a lifecycle of a wave may take
// without its file lists: as many as its size allows, and with all the others
// no more than half of what the wave replaces.
func (b *recorder) headroom(w *lifecycle.Wave, records map[int]mask.Record) func(n int) int {
	free := (w.Tokens(b.s)-w.Stays)/2 - Cost(w, b.s, b.all, records) - slack
	share := max(0, free) / len(w.Lifecycles)
	return func(n int) int {
		replaced := b.all[n].Own
		for _, i := range b.sel.Work[n] {
			replaced += b.s.Entries[i].Tokens()
		}
		now := proseCost(records[n])
		return min(max(now, capOf(b.all[n].Kind)(replaced)), now+share)
	}
}

// question is one lifecycle to be told of.
type question struct {
	n     int
	old   mask.Record
	brief brief
	room  int
}

// retelling is a Retell under way.
type retelling struct {
	author  *Author
	session string

	mu      sync.Mutex
	told    Told
	records map[int]mask.Record
}

// one settles one lifecycle. Its error ends the run: the context's, or one of
// the memory.
func (t *retelling) one(ctx context.Context, q question) error {
	r, name, err := t.escalate(ctx, q)
	if err != nil {
		return err
	}
	t.settle(q.n, r, name)
	return nil
}

// settle notes the record of a lifecycle, and which level it comes from.
func (t *retelling) settle(n int, r mask.Record, level string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records[n], t.told.Levels[n] = r, level
}

// errNeeded says that a dry run would have asked here.
var errNeeded = errors.New("a dry run asks nothing")

// escalate tries the levels one after another until one gives a record.
func (t *retelling) escalate(ctx context.Context, q question) (mask.Record, string, error) {
	quoted, err := q.brief.quoted()
	if err != nil {
		return q.old, "", err
	}
	size := tokens.EstimateString(quoted)
	g := newGround(q.brief, q.old.Result == mask.ResultSuccess || q.old.Result == mask.ResultDone)
	for i := range levels {
		l := &levels[i]
		p, err := t.answer(ctx, q.old.Ref, l.request(quoted, size))
		if ctx.Err() != nil {
			return q.old, "", context.Cause(ctx)
		}
		var broken *memoryError
		if errors.As(err, &broken) {
			return q.old, "", err
		}
		why := ""
		if err != nil {
			why = reasonOf(err)
		} else if p, why = t.judge(l, g, p, size); why == "" {
			if r, ok := merged(q.old, p, q.room); ok {
				return r, l.name, nil
			}
			why = NoRoom
		}
		if why != "" {
			t.fail(why)
		}
		if errors.Is(err, errNeeded) || errors.Is(err, model.ErrLimit) {
			break
		}
	}
	return q.old, LevelRecord, nil
}

// judge returns the useful part of an answer, or why there is none.
func (t *retelling) judge(l *level, g *ground, p Prose, told int) (Prose, string) {
	size := 0
	for _, s := range proseLines(mask.Record{Conclusion: p.Conclusion, Tried: p.Tried, Remember: p.Remember, Open: p.Open}) {
		size += tokens.EstimateString(s)
	}
	switch {
	case size == 0:
		return p, string(model.Empty)
	case size > tooLong*l.aim(told):
		return p, TooLong
	case size >= told:
		return p, NotSmaller
	}
	kept, all, dropped := g.keep(p)
	if 2*dropped > all || kept.Conclusion == "" && p.Conclusion != "" {
		return p, Ungrounded
	}
	t.mu.Lock()
	t.told.Sentences += all
	t.told.Dropped += dropped
	t.mu.Unlock()
	return kept, ""
}

// reasonOf names a failed question in one of the fixed words.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, errNeeded):
		return ""
	case errors.Is(err, model.ErrLimit):
		return NotAsked
	case errors.Is(err, errUnreadable):
		return Unreadable
	}
	if k := model.KindOf(err); k != "" {
		return string(k)
	}
	return string(model.Unreachable)
}

func (t *retelling) fail(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told.Failures[why]++
}

// errUnreadable is an answer that could not be read, nor could the one to the
// second question.
var errUnreadable = errors.New("not readable")

// answer asks one question, and once more when the answer cannot be read.
func (t *retelling) answer(ctx context.Context, ref string, r model.Request) (Prose, error) {
	text, err := t.ask(ctx, ref, r)
	if err != nil {
		return Prose{}, err
	}
	p, err := readAnswer(text)
	if err == nil {
		return p, nil
	}
	if text, err = t.ask(ctx, ref, repair(r)); err != nil {
		return Prose{}, err
	}
	if p, err = readAnswer(text); err != nil {
		return Prose{}, errors.Join(errUnreadable, err)
	}
	return p, nil
}

// memoryError is an error of the memory, not of the model.
type memoryError struct{ error }

func (e *memoryError) Unwrap() error { return e.error }

// ask asks the memory, then the model. What comes back is all that [kept] leaves
// of an answer.
func (t *retelling) ask(ctx context.Context, ref string, r model.Request) (string, error) {
	a := t.author
	key := keyOf(a.Name+" "+a.Place, r)
	if a.Memory != nil {
		text, ok, err := a.Memory.Answer(ctx, key)
		if err != nil {
			return "", &memoryError{err}
		}
		if ok {
			t.count(func(told *Told) { told.Known++ })
			return text, nil
		}
	}
	if a.Model == nil {
		t.count(func(told *Told) {
			told.Needed++
			told.InTokens += tokens.EstimateString(r.System) + tokens.EstimateString(r.Prompt)
			told.OutTokens += r.Limit
		})
		return "", errNeeded
	}
	got, err := a.Model.Ask(ctx, r)
	if !errors.Is(err, model.ErrLimit) {
		t.count(func(told *Told) {
			told.Asked, told.In, told.Out = told.Asked+1, told.In+int64(got.In), told.Out+int64(got.Out)
		})
	}
	if err != nil {
		return "", err
	}
	text := kept(got.Text)
	if a.Memory != nil {
		// An answer that is paid for is kept, whatever ends the run now.
		if err := a.Memory.KeepAnswer(context.WithoutCancel(ctx), key, t.session, ref, text); err != nil {
			return "", &memoryError{err}
		}
	}
	return text, nil
}

func (t *retelling) count(f func(told *Told)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.told)
}

// keyOf is what an answer is kept under: all that it hangs on.
func keyOf(name string, r model.Request) [32]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d\x00%s\x00%d\x00%s\x00%s", promptVersion, name, r.Limit, r.System, r.Prompt)
	return [32]byte(h.Sum(nil))
}
