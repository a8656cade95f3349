// Package report adds up what compress would do to many sessions, or what it
// did, and writes the figures as JSON, CSV, Markdown or a page of HTML.
//
// It reads no log and no archive, and knows no flags and no terminal.
package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"sessc/compress"
	"sessc/lifecycle"
)

// Schema names the version of the JSON form, see docs/json.md.
const Schema = "sessc.report/1"

// Report is the figures of many sessions. Token figures are context tokens,
// byte figures are file bytes.
type Report struct {
	Schema  string `json:"schema"`
	Made    int64  `json:"made_ms"`
	History bool   `json:"history"` // of rewrites that were done, not of what a run would do
	Prices  Prices `json:"prices"`

	Total    Sum         `json:"total"`
	Where    Where       `json:"where"`
	Layers   []Layer     `json:"layers"`
	States   States      `json:"lifecycles"`
	Agents   []Group     `json:"agents"`
	Days     []Group     `json:"days"` // UTC
	Biggest  []Lifecycle `json:"biggest"`
	Reasons  []Reason    `json:"left_alone"`
	Failures []Failure   `json:"failures"`
	Sessions []Session   `json:"sessions"`

	layers    []string // of the rewrites in a history
	timelines []timeline
	reasons   map[Reason]int // by reasons without a count
}

// Names of types of package compress, whose JSON forms are part of this one.
type (
	Where  = compress.Where
	States = compress.States
	Change = compress.Change
)

// Prices are what tokens cost.
type Prices struct {
	Input float64 `json:"per_million"` // of a million input tokens, in any currency; 0 unknown
	Read  float64 `json:"cache_read"`  // of a token read from the provider's cache, as a part of Input
	Write float64 `json:"cache_write"` // of a token written to it
}

// Sum is the figures of several sessions.
type Sum struct {
	Sessions  int    `json:"sessions"`
	Changed   int    `json:"changed"`
	Compacted int    `json:"compacted"` // lifecycles
	Tokens    Change `json:"context_tokens"`
	Bytes     Change `json:"file_bytes"`
	// Money is what one turn of each session costs less, at Prices.Input.
	Money float64 `json:"money_per_turn"`
	// Payback is after how many turns of those that change the break of the
	// provider's cache is made up for, if the cache still held the session; -1 never.
	Payback int `json:"payback_turns"`
	// Refused are those that a run now would refuse or skip, counted above as
	// they are. Undone are rewrites that were restored, in no other figure.
	Refused int `json:"refused"`
	Undone  int `json:"undone"`
	Logs    int `json:"logs,omitempty"` // in a history: that the rewrites were of

	broken Change // context tokens of those that change
	chains map[int64]chain
}

// chain is what the rewrites of one log have come to. What they saved adds up,
// after is that of the last. Before is the two together: what the log would
// hold then without any of them, which is more than it held before the first
// where it grew between them.
type chain struct{ tokens, bytes Change }

// Group is the sum of one agent or one day.
type Group struct {
	Name string `json:"name"`
	Sum
}

// Session is the figures of one session, or, in a history, of one rewrite.
type Session struct {
	Path      string   `json:"path"`
	Agent     string   `json:"agent"`
	ID        string   `json:"session"`
	Model     string   `json:"model,omitempty"`
	Time      int64    `json:"time_ms"` // of the log's last change, or of the rewrite
	Changed   bool     `json:"changed"`
	Tokens    Change   `json:"context_tokens"`
	Bytes     Change   `json:"file_bytes"`
	Counted   string   `json:"counted"` // how the tokens were counted; "" when they are not known
	Where     *Where   `json:"where,omitempty"`
	Layers    []Layer  `json:"layers,omitempty"`
	States    States   `json:"lifecycles"`
	Money     float64  `json:"money_per_turn"`
	Payback   int      `json:"payback_turns"`
	LeftAlone []Reason `json:"left_alone,omitempty"`
	Refusal   string   `json:"refusal,omitempty"` // why a run now would be refused; the figures are those of one that would not
	Undone    bool     `json:"undone,omitempty"`  // the rewrite was restored, and saves nothing any more

	// Log is, in a history, a number for the log that was rewritten: rewrites
	// with the same one follow one another.
	Log int64 `json:"-"`
}

// Layer is what one layer saves, or would: for one that was not asked for on
// top of those that were and of those before it.
type Layer struct {
	Name      string `json:"layer"`
	Asked     bool   `json:"asked"`
	Compacted int    `json:"compacted"` // lifecycles, of one that was asked for
	Saved     int64  `json:"saved"`     // context tokens
}

// Lifecycle is one piece of finished work, or one that is left alone.
type Lifecycle struct {
	Path     string `json:"path"`
	Layer    string `json:"layer"`
	Name     string `json:"name"`
	State    string `json:"state"`
	Line     int    `json:"line"`
	Started  int64  `json:"started_ms"`
	TookMS   int64  `json:"took_ms"`
	Replaced int    `json:"replaced"` // context tokens; 0 for one that stays
	Compact  bool   `json:"compact"`
}

// Reason is why lifecycles are left alone, and how many are.
type Reason struct {
	Layer  string `json:"layer"`
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Failure is a log without figures.
type Failure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// timeline is the sub-tasks and turns of one session.
type timeline struct {
	session Session
	tasks   []Lifecycle
}

const (
	mostBiggest   = 20  // lifecycles in Report.Biggest
	mostTimelines = 3   // sessions that are drawn along the clock
	mostTasks     = 120 // lifecycles that are drawn of a session
)

// New returns an empty report.
func New(prices Prices, history bool, now time.Time) *Report {
	return &Report{
		Schema: Schema, Made: now.UnixMilli(), History: history, Prices: prices, reasons: map[Reason]int{}, Layers: []Layer{},
		Agents: []Group{}, Days: []Group{}, Biggest: []Lifecycle{}, Reasons: []Reason{}, Failures: []Failure{}, Sessions: []Session{},
	}
}

// Add takes in what compress reported of a session. Only what the report shows
// is kept of it.
func (r *Report) Add(c *compress.Report, modified time.Time) {
	where := c.Where // a pointer into c would keep all of it
	s := Session{
		Path: c.Path, Agent: c.Agent, ID: c.Session, Model: c.Model, Time: modified.UnixMilli(), Changed: c.Changed,
		Tokens: c.Context, Bytes: c.File, Counted: c.Counting.Method, Where: &where, States: c.States, Refusal: c.Refusal,
	}
	var all []Lifecycle
	for _, t := range promised(c) {
		all = append(all, Lifecycle{c.Path, t.Layer, t.Name, t.State, t.Line, t.Started, t.TookMS, t.Replaced, true})
	}
	why := map[Reason]int{}
	for _, l := range c.Left {
		all = append(all, Lifecycle{c.Path, l.Layer, l.Name, l.State, l.Line, l.Started, l.TookMS, 0, false})
		reason, _, _ := strings.Cut(l.Reason, ": ")
		why[Reason{Layer: l.Layer, Reason: reason}]++
		r.reasons[Reason{Layer: l.Layer, Reason: reason}]++
	}
	s.LeftAlone = byCount(why)
	r.Biggest = largest(append(r.Biggest, all...), mostBiggest, func(l Lifecycle) int64 { return int64(l.Replaced) })
	// A result is a moment, and there are too many of them for a picture.
	work := slices.DeleteFunc(all, func(l Lifecycle) bool { return l.Layer == lifecycle.Result.Layer() })
	if len(work) > 0 {
		r.timelines = largest(append(r.timelines, timeline{s, work}), mostTimelines, func(t timeline) int64 { return t.session.Tokens.Saved })
	}
	r.addWhere(c)
	s.Layers = layersOf(c)
	r.addLayers(s)
	r.addSession(s)
}

// promised are the lifecycles that a run now would compact.
func promised(c *compress.Report) []compress.Task {
	if c.Refusal != "" {
		return nil
	}
	return c.Tasks
}

func (r *Report) addWhere(c *compress.Report) {
	w, st := &r.Where, c.States
	w.Human += c.Where.Human
	w.Assistant += c.Where.Assistant
	w.Thinking += c.Where.Thinking
	w.Arguments += c.Where.Arguments
	w.Results += c.Where.Results
	w.Events += c.Where.Events
	if c.Refusal != "" {
		st.Compacted = 0
	}
	r.States = sumStates(r.States, st)
}

func sumStates(a, b States) States {
	return States{
		Found: a.Found + b.Found, Done: a.Done + b.Done, Failed: a.Failed + b.Failed, TimedOut: a.TimedOut + b.TimedOut,
		Killed: a.Killed + b.Killed, SpawnFailed: a.SpawnFailed + b.SpawnFailed, Open: a.Open + b.Open, Compacted: a.Compacted + b.Compacted,
	}
}

func layersOf(c *compress.Report) []Layer {
	var all []Layer
	for _, l := range c.Layers {
		all = append(all, Layer{l.Name, l.Asked, l.Compacted, l.Saved})
	}
	return all
}

// addLayers adds up what layers save, in the order in which they are met.
func (r *Report) addLayers(s Session) {
	for _, l := range s.Layers {
		if s.Refusal != "" {
			l.Compacted, l.Saved = 0, 0
		}
		i := slices.IndexFunc(r.Layers, func(have Layer) bool { return have.Name == l.Name })
		if i < 0 {
			r.Layers = append(r.Layers, l)
			continue
		}
		r.Layers[i].Compacted += l.Compacted
		r.Layers[i].Saved += l.Saved
	}
}

// AddRewrite takes in the figures of one rewrite, and the layers that it was
// about; those of one log in the order in which they were done. What was undone
// has saved nothing.
func (r *Report) AddRewrite(s Session, layers []string) {
	s.Changed = !s.Undone
	if s.Undone {
		s.Tokens, s.Bytes = asBefore(s.Tokens), asBefore(s.Bytes)
		s.States.Compacted = 0
	} else {
		r.States = sumStates(r.States, s.States)
		for _, l := range layers {
			if !slices.Contains(r.layers, l) {
				r.layers = append(r.layers, l)
			}
		}
	}
	r.addSession(s)
}

// asBefore is a change that did not take place.
func asBefore(c Change) Change { return compress.NewChange(c.Before, c.Before) }

func (r *Report) addSession(s Session) {
	s.Money, s.Payback = r.Prices.money(s.Tokens), r.Prices.payback(s.Tokens)
	r.Sessions = append(r.Sessions, s)
}

// Fail takes in a log without figures.
func (r *Report) Fail(path, why string) { r.Failures = append(r.Failures, Failure{path, why}) }

// Finish adds up. Sessions are sorted by what they save, most first.
func (r *Report) Finish() {
	agents, days := map[string]*Sum{}, map[string]*Sum{}
	for _, s := range r.Sessions {
		r.Total.add(s)
		sumOf(agents, s.Agent).add(s)
		sumOf(days, time.UnixMilli(s.Time).UTC().Format(time.DateOnly)).add(s)
	}
	r.Total.price(r.Prices)
	r.Agents, r.Days = groups(agents, r.Prices), groups(days, r.Prices)
	r.Reasons = byCount(r.reasons)
	r.Biggest = slices.DeleteFunc(r.Biggest, func(l Lifecycle) bool { return !l.Compact })
	slices.SortStableFunc(r.Sessions, func(a, b Session) int {
		return cmp.Or(cmp.Compare(b.Tokens.Saved, a.Tokens.Saved), cmp.Compare(b.Tokens.Before, a.Tokens.Before), cmp.Compare(a.Path, b.Path))
	})
}

func sumOf(m map[string]*Sum, name string) *Sum {
	if m[name] == nil {
		m[name] = &Sum{}
	}
	return m[name]
}

func (s *Sum) add(x Session) {
	if x.Undone {
		s.Undone++
		return
	}
	s.Sessions++
	if x.Refusal != "" {
		s.Refused++
		x.Changed, x.Tokens, x.Bytes, x.States.Compacted = false, asBefore(x.Tokens), asBefore(x.Bytes), 0
	}
	if x.Changed {
		s.Changed++
		s.broken = sum(s.broken, x.Tokens)
	}
	s.Compacted += x.States.Compacted
	if x.Log != 0 {
		s.follow(x)
		return
	}
	s.Tokens = sum(s.Tokens, x.Tokens)
	s.Bytes = sum(s.Bytes, x.Bytes)
}

// follow takes in a rewrite of a log that may have been rewritten before. Its
// context was counted as it was after that, and is no other context.
func (s *Sum) follow(x Session) {
	if s.chains == nil {
		s.chains = map[int64]chain{}
	}
	was := s.chains[x.Log]
	is := chain{was.tokens, then(was.bytes, x.Bytes)}
	if x.Counted != "" {
		is.tokens = then(was.tokens, x.Tokens)
	}
	s.chains[x.Log] = is
	s.Logs = len(s.chains)
	s.Tokens = instead(s.Tokens, was.tokens, is.tokens)
	s.Bytes = instead(s.Bytes, was.bytes, is.bytes)
}

// then is a change and the one that followed it, as one.
func then(a, b Change) Change {
	return compress.NewChange(a.Saved+b.Saved+b.After, b.After)
}

// instead is a sum in which one change takes the place of another.
func instead(all, was, is Change) Change {
	return compress.NewChange(all.Before-was.Before+is.Before, all.After-was.After+is.After)
}

func (s *Sum) price(p Prices) { s.Money, s.Payback = p.money(s.Tokens), p.payback(s.broken) }

func sum(a, b Change) Change {
	return compress.NewChange(a.Before+b.Before, a.After+b.After)
}

func groups(m map[string]*Sum, p Prices) []Group {
	all := make([]Group, 0, len(m))
	for name, s := range m {
		s.price(p)
		all = append(all, Group{name, *s})
	}
	slices.SortFunc(all, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// byCount sorts reasons, most frequent first.
func byCount(m map[Reason]int) []Reason {
	all := make([]Reason, 0, len(m))
	for why, n := range m {
		why.Count = n
		all = append(all, why)
	}
	slices.SortFunc(all, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Layer, b.Layer))
	})
	return all
}

// largest keeps the n largest, largest first.
func largest[T any](all []T, n int, size func(T) int64) []T {
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(size(b), size(a)) })
	return slices.Clip(all[:min(n, len(all))])
}

// money is what one turn costs less.
func (p Prices) money(c Change) float64 { return float64(c.Saved) * p.Input / 1e6 }

// payback is the number of turns after which a rewrite has cost no more than
// none, under the worst assumption: that the provider's cache still held the
// whole old context, and can use nothing of it for the new one. The first turn
// then writes the new context to the cache instead of reading the old one;
// each later one reads less. -1 when that never comes.
func (p Prices) payback(c Change) int {
	extra := p.Write*float64(c.After) - p.Read*float64(c.Before)
	each := p.Read * float64(c.Saved)
	switch {
	case c.Saved <= 0:
		return -1
	case extra <= 0:
		return 1
	case each <= 0:
		return -1
	}
	return 1 + int(math.Ceil(extra/each-1e-9))
}
