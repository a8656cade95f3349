package cli

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/config"
	"sessc/model"
	"sessc/model/gemini"
	"sessc/model/local"
	"sessc/summarize"
)

// engine is what the settings ask for a model, before anything is sent to it.
type engine struct {
	name     string // as it is asked for: "gemini:NAME", "local", "local:NAME"
	endpoint string
	price    model.Price
	priced   bool
	asker    model.Asker
	local    *local.Client  // nil for another engine
	gemini   *gemini.Client // nil for another engine
	gate     *model.Gate    // nil before it is asked
}

// engineOf returns the model that the settings name, nil for none. Nothing is
// connected to.
func (p *Process) engineOf(cfg *config.Config) (*engine, error) {
	kind, name := cfg.Engine()
	e := &engine{endpoint: cfg.Endpoint}
	switch kind {
	case config.Gemini:
		if name == "" {
			name = gemini.DefaultModel
		}
		if e.endpoint == "" {
			e.endpoint = gemini.DefaultEndpoint
		}
		e.name = config.Gemini + ":" + name
		e.price, e.priced = priceOf(cfg, name)
		e.gemini = gemini.New(e.endpoint, name, p.key())
		e.asker = e.gemini
	case config.Local:
		if e.endpoint == "" {
			e.endpoint = local.DefaultEndpoint
		}
		e.name = cfg.Model
		e.price, e.priced = priceOf(cfg, name)
		e.priced = true // where no price is set it costs nothing
		e.local = local.New(e.endpoint, name)
		e.asker = e.local
	default:
		return nil, nil
	}
	if cfg.MaxCost > 0 && !e.priced {
		return nil, usage("--max-cost needs to know what %s costs: set its price in the config file, prices = {%q = [IN, OUT]} in dollars for a million tokens", e.name, name)
	}
	return e, nil
}

func priceOf(cfg *config.Config, name string) (model.Price, bool) {
	p, ok := cfg.Prices[name]
	return model.Price{In: p.In, Out: p.Out}, ok
}

// key is the Gemini key. It comes from the environment alone: command lines are
// seen by other users, and config files are shared.
func (p *Process) key() string {
	if k := p.Getenv("GEMINI_API_KEY"); k != "" {
		return k
	}
	return p.Getenv("GOOGLE_API_KEY")
}

// asking is the model's part in one run.
type asking struct {
	p      *Process
	cfg    *config.Config
	engine *engine
	gate   *model.Gate
	author *summarize.Author // nil without a model

	mu    sync.Mutex
	heard time.Time // when progress was last told
	over  bool      // done has told
}

// progressEvery is how often a run tells how far its questions have come.
const progressEvery = 10 * time.Second

// asking prepares the model that the settings name. A dry run asks nothing, but
// takes the answers that are kept; a run that rewrites no log does not make an
// archive to keep some.
func (p *Process) asking(cfg *config.Config, s *store, dry, rewrites bool) (*asking, error) {
	e, err := p.engineOf(cfg)
	if err != nil || e == nil {
		return &asking{}, err
	}
	a := &asking{p: p, cfg: cfg, engine: e, heard: p.Now()}
	a.author = &summarize.Author{
		// The same name at another place is another model.
		Name: e.name, Place: e.endpoint, Concurrency: cfg.Concurrency,
		Memory: &memory{store: s, create: rewrites, now: p.Now},
	}
	if dry {
		if err := e.missing(); err != nil && !cfg.Quiet {
			p.talk("sessc: a real run would stop: %v", err)
		}
		return a, nil
	}
	if e.gemini != nil && p.key() == "" {
		return nil, usage("--model gemini needs a key in GEMINI_API_KEY or GOOGLE_API_KEY")
	}
	if err := e.missing(); err != nil {
		return nil, usage("%w", err)
	}
	a.gate = model.NewGate(e.asker, model.Limits{
		Concurrency: cfg.Concurrency, PerMinute: cfg.Rate, MaxCalls: cfg.MaxCalls, MaxCost: cfg.MaxCost,
		Price: e.price, Timeout: cfg.Timeout,
	})
	e.gate = a.gate
	a.author.Model = a.gate
	if cfg.Quiet {
		return a, nil
	}
	a.gate.Told = a.progress
	where := "stay on this machine"
	if !model.OnMachine(e.endpoint) {
		where = "leave this machine"
	}
	p.talk("model %s: tasks, reports and tool calls of finished sub-tasks %s for %s, secrets that are recognised taken out%s", e.name, where, e.endpoint, e.cost())
	return a, nil
}

// missing says which program the engine needs and does not find.
func (e *engine) missing() error {
	if e.gemini == nil {
		return nil
	}
	_, err := gemini.Find()
	return err
}

// close ends what was started to ask. Nothing is asked after it.
func (e *engine) close() {
	if e.gemini != nil {
		e.gemini.Close()
	}
}

// cost says what a model costs.
func (e *engine) cost() string {
	switch {
	case e.price != model.Price{}:
		return fmt.Sprintf("; $%g in and $%g out for a million tokens", e.price.In, e.price.Out)
	case !e.priced:
		return "; its price is not known"
	}
	return ""
}

// progress tells now and then what was asked so far.
func (a *asking) progress(s model.Spent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.p.Now(); now.Sub(a.heard) >= progressEvery {
		a.heard = now
		a.p.talk("model %s: %s so far", a.engine.name, a.spent(s))
	}
}

// joins leaves it to the progress of a run over many sessions, which tells the
// same beside its own figures.
func (a *asking) joins() {
	if a.gate != nil {
		a.gate.Told = nil
	}
}

// figures are what was asked so far, for machines; none without a model, or
// where it is not asked.
func (a *asking) figures() []slog.Attr {
	if a == nil || a.gate == nil {
		return nil
	}
	s := a.gate.Spent()
	all := []slog.Attr{
		slog.Int("model_calls", s.Calls), slog.Int("model_failed", s.Failed),
		slog.Int64("model_tokens_in", s.In), slog.Int64("model_tokens_out", s.Out),
	}
	if a.engine.priced {
		all = append(all, slog.Float64("model_cost", math.Round(s.Cost*1e6)/1e6))
	}
	return all
}

// sofar is what was asked so far, for people, "" as for figures.
func (a *asking) sofar() string {
	if a == nil || a.gate == nil {
		return ""
	}
	return a.engine.name + ": " + a.spent(a.gate.Spent())
}

// done ends the asking and tells what was asked in all, once.
func (a *asking) done() {
	if a.gate == nil || a.over {
		return
	}
	a.over = true
	a.engine.close()
	// Nobody should find out after weeks that no model answered.
	if why := a.gate.GivenUp(); why != nil {
		a.p.talk("sessc: %s; the masks behind that are made by code", clean(strings.TrimPrefix(why.Error(), model.ErrLimit.Error()+": ")))
	}
	if !a.cfg.Quiet {
		a.p.talk("model %s: %s", a.engine.name, a.spent(a.gate.Spent()))
	}
}

func (a *asking) spent(s model.Spent) string {
	text := fmt.Sprintf("%s, %s tokens in, %s out", plural(s.Calls, "call", "calls"), comma(s.In), comma(s.Out))
	if s.Failed > 0 {
		text += fmt.Sprintf(", %s failed", comma(s.Failed))
	}
	switch {
	case a.engine.price != model.Price{}:
		text += fmt.Sprintf(", $%.4f", s.Cost)
		if s.Unsure > 0 {
			text += fmt.Sprintf(" and at most $%.4f for what got no answer", s.Unsure)
		}
	case !a.engine.priced:
		text += ", cost not known"
	}
	return text
}

// words adds up who wrote the words of masks.
type words struct {
	engine   *engine // nil without a model
	levels   compress.Levels
	failures map[string]int
	needed   compress.Needed
	known    int
	whole    bool // they are all of the run
}

func (w *words) add(p *compress.Prose) {
	if p == nil {
		return
	}
	w.levels.Normal += p.Levels.Normal
	w.levels.Aggressive += p.Levels.Aggressive
	w.levels.Record += p.Levels.Record
	w.known += p.Known
	if p.Needed != nil {
		w.needed.Calls += p.Needed.Calls
		w.needed.In += p.Needed.In
		w.needed.Out += p.Needed.Out
	}
	if w.failures == nil {
		w.failures = map[string]int{}
	}
	for why, n := range p.Failures {
		w.failures[why] += n
	}
}

// write says who wrote the words of masks, or in a dry run what asking would
// take.
func (w *words) write(b *strings.Builder, dry bool) {
	if w.engine == nil || w.levels == (compress.Levels{}) {
		return
	}
	l := w.levels
	if dry {
		fmt.Fprintf(b, "  words of the masks: %s from kept answers of %s, %s as code makes them\n", comma(l.Normal+l.Aggressive), w.engine.name, comma(l.Record))
		fmt.Fprintf(b, "    a real run would need at least %s, about %s tokens in and at most %s out%s; a dry run makes none\n",
			plural(w.needed.Calls, "call", "calls"), comma(w.needed.In), comma(w.needed.Out), w.atMost())
		return
	}
	if l.Normal+l.Aggressive == 0 && len(w.failures) > 0 {
		why := "the model was not asked"
		if vain := w.vain(); len(vain) > 0 {
			why = "the model failed (" + w.calls() + strings.Join(vain, ", ") + ")"
		}
		fmt.Fprintf(b, "  words of the masks: %s by code: %s\n", plural(l.Record, "mask", "masks"), why)
		return
	}
	fmt.Fprintf(b, "  words of the masks: %s by %s, %s by it when asked again more strictly, %s by code\n",
		comma(l.Normal), w.engine.name, comma(l.Aggressive), comma(l.Record))
	if w.known > 0 {
		fmt.Fprintf(b, "    %s taken from the archive\n", plural(w.known, "answer was", "answers were"))
	}
	vain := w.vain()
	if len(vain) == 0 {
		return
	}
	for n, why := range vain {
		vain[n] = comma(w.failures[why]) + " " + why
	}
	if w.failures[summarize.NotAsked] > 0 {
		vain = append(vain, "others not asked")
	}
	fmt.Fprintf(b, "    questions in vain: %s\n", strings.Join(vain, ", "))
}

// calls says how often the model was asked, "" where that is not known of these
// words alone.
func (w *words) calls() string {
	if !w.whole || w.engine.gate == nil {
		return ""
	}
	return plural(w.engine.gate.Spent().Calls, "call", "calls") + ": "
}

// vain are the reasons for which questions came to nothing. What was not asked,
// since a limit was reached or the model given up, is no question: a mask would
// have taken one or two.
func (w *words) vain() []string {
	reasons := slices.Sorted(maps.Keys(w.failures))
	return slices.DeleteFunc(reasons, func(why string) bool { return why == summarize.NotAsked })
}

// atMost is what the calls of a dry run would cost when all answers are as long
// as they may be.
func (w *words) atMost() string {
	switch {
	case w.engine.price != model.Price{}:
		return fmt.Sprintf(" ($%.4f)", w.engine.price.Of(int64(w.needed.In), int64(w.needed.Out)))
	case !w.engine.priced:
		return " (price not known)"
	}
	return ""
}

// memory keeps the answers of a model in the archive, if there is one or it may
// be made.
type memory struct {
	store  *store
	create bool
	now    func() time.Time
	mu     sync.Mutex
}

func (m *memory) open(ctx context.Context, create bool) (*archive.Archive, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.store.get(ctx, create)
}

// Answer implements [summarize.Memory].
func (m *memory) Answer(ctx context.Context, key [32]byte) (string, bool, error) {
	a, err := m.open(ctx, false)
	if a == nil || err != nil {
		return "", false, err
	}
	return a.Answer(ctx, key)
}

// KeepAnswer implements [summarize.Memory].
func (m *memory) KeepAnswer(ctx context.Context, key [32]byte, session, ref, text string) error {
	a, err := m.open(ctx, m.create)
	if a == nil || err != nil {
		return err
	}
	return a.KeepAnswer(ctx, key, session, ref, text, m.now().UnixMilli())
}
