package compress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sessc/archive"
	"sessc/mask"
	"sessc/session"
	"sessc/summarize"
	"sessc/tokens"
	"sessc/writer"
)

// counting is how the figures of one session's report are made. One method and
// one factor serve for before and after, so that a saving is never an artefact
// of counting.
type counting struct {
	factor  tokens.Factor
	family  string
	counter tokens.Counter // nil: the estimate of the index, times the factor
}

// newCounting fits the factor on the log, unless an earlier rewrite of this
// session stored one: a log with masks is no longer what the provider counted.
func (o *Options) newCounting(ctx context.Context, s *session.Session) (*counting, error) {
	c := &counting{}
	var def float64
	c.family, def = tokens.Family(s.Model)
	switch o.Tokenizer {
	case "":
	case "o200k":
		counter, err := tokens.O200k()
		if err != nil {
			return nil, fmt.Errorf("load tokenizer o200k: %w", err)
		}
		c.counter = counter
	default:
		return nil, fmt.Errorf("unknown tokenizer %q; known: o200k", o.Tokenizer)
	}
	stored, err := o.storedFactor(ctx, s)
	if err != nil || stored != nil {
		if stored != nil {
			c.factor = *stored
		}
		return c, err
	}
	c.factor = tokens.Calibrate(pairs(s), def)
	return c, nil
}

// Measure gives the size of a session's context by what it consists of, as
// [Run] would, and how it was counted.
func Measure(ctx context.Context, s *session.Session, o Options) (Where, Counting, error) {
	c, err := o.newCounting(ctx, s)
	if err != nil {
		return Where{}, Counting{}, err
	}
	w, err := c.context(s)
	return w, c.shown(), err
}

// shown says how tokens are counted, for the report.
func (c *counting) shown() Counting {
	return Counting{Method: c.method(), Factor: c.factor.Value, Pairs: c.factor.Pairs}
}

// remembered is what a generation's options say about how it was counted, and
// for package restore about the lines that were written.
type remembered struct {
	Factor  tokens.Factor  `json:"factor"`
	Written writer.Written `json:"written"`
	Context *Change        `json:"context,omitempty"` // not in generations of early releases
	Agent   string         `json:"agent,omitempty"`   // where it is not the format's name
}

// AgentOf is whose log an archived rewrite was of, by the options and the
// format of its generation.
func AgentOf(options, format string) string {
	var r remembered
	if json.Unmarshal([]byte(options), &r) != nil || r.Agent == "" {
		return format
	}
	return r.Agent
}

// Saved is what an archived rewrite took off its session's context, nil when
// it was not noted.
func Saved(g *archive.Generation) *Change {
	var r remembered
	if json.Unmarshal([]byte(g.Options), &r) != nil {
		return nil
	}
	return r.Context
}

// storedFactor is the factor of the rewrite that left the masks of a log, nil
// for none. Copies of a session have one id: which of their rewrites it was
// tell the masks.
func (o *Options) storedFactor(ctx context.Context, s *session.Session) (*tokens.Factor, error) {
	if o.Archive == nil || s.Generation() == 0 {
		return nil, nil
	}
	arch, err := o.Archive(false)
	if arch == nil || err != nil {
		return nil, err
	}
	refs := map[string]bool{}
	for i := range s.Entries {
		if m, ok := s.Mark(int32(i)); ok {
			refs[m.Ref] = true
		}
	}
	past, err := arch.Generations(ctx, archive.Query{Refs: slices.Collect(maps.Keys(refs))})
	if err != nil {
		return nil, err
	}
	var r remembered
	g := wrote(past, s, refs)
	if g == nil || json.Unmarshal([]byte(g.Options), &r) != nil || r.Factor.Value == 0 {
		return nil, nil
	}
	return &r.Factor, nil
}

// wrote returns the rewrite of a session whose masks are most like those that
// stand in the log, the newest of several, nil for none.
func wrote(past []archive.Generation, s *session.Session, refs map[string]bool) *archive.Generation {
	var best *archive.Generation
	least := 0
	for i := range past {
		g := &past[i]
		if g.Session != s.Name() || g.Format != s.Format.Name() {
			continue
		}
		differ := len(refs)
		for _, ref := range g.Markers {
			if refs[ref] {
				differ--
			} else {
				differ++
			}
		}
		if best == nil || differ < least {
			best, least = g, differ
		}
	}
	return best
}

// pairs compares, for each two turns of one model that follow each other on
// the active path, what the provider counted in between with our estimate.
func pairs(s *session.Session) []tokens.Pair {
	var found []tokens.Pair
	var last *session.Usage
	between := 0
	for _, i := range s.Active {
		e := &s.Entries[i]
		u := s.UsageOf(i)
		switch {
		case e.Is(session.ByUs) || e.Kind == session.Boundary || e.Pictures > 0:
			last = nil
		case s.MessageOf(i) != i:
			// Further lines of a message: its output, which the usage on its
			// first line counts.
		case u != nil && u.Total > 0 && u.Prompt > 0:
			if last != nil && last.Model == u.Model {
				found = append(found, tokens.Pair{
					Model: s.Str(u.Model), Used: int(u.Prompt) - int(last.Prompt) - int(last.Output), Estimated: between,
				})
			}
			last, between = u, 0
		default:
			between += e.Tokens()
		}
	}
	return found
}

// scale turns an uncalibrated estimate into a figure of the report.
func (c *counting) scale(n int) int {
	if c.counter != nil {
		return n
	}
	return c.factor.Apply(n)
}

// terms are the bounds for figures that the agent will trust: what is taken
// off its own count is estimated low, what must remain is estimated high.
func (c *counting) terms(s *session.Session) session.PlanTerms {
	value := c.factor.Value
	return session.PlanTerms{
		Low:        func(n int) int { return int(0.85 * min(value, 1) * float64(n)) },
		High:       func(n int) int { return int(1.15 * max(value, 1) * float64(n)) },
		Clean:      summarize.Redact,
		Harmless:   mask.Harmless,
		Generation: s.Generation() + 1,
	}
}

// context is the size of the active context, by what it consists of.
func (c *counting) context(s *session.Session) (Where, error) {
	var w Where
	for _, i := range s.Active {
		e := &s.Entries[i]
		said, thought, args := int(e.Said), int(e.Thought), int(e.Args)
		if c.counter != nil {
			var err error
			if said, thought, args, err = c.exact(s, i); err != nil {
				return w, err
			}
		}
		switch e.Kind {
		case session.Human:
			w.Human += said
		case session.Result:
			w.Results += said
		case session.Assistant, session.Mirror:
			w.Assistant += said
		default:
			w.Events += said
		}
		w.Thinking += thought
		w.Arguments += args
	}
	for _, p := range []*int{&w.Human, &w.Assistant, &w.Thinking, &w.Arguments, &w.Results, &w.Events} {
		*p = c.scale(*p)
	}
	return w, nil
}

// exact counts an entry with the tokenizer itself. One that cannot be decoded
// keeps its estimate.
func (c *counting) exact(s *session.Session, i int32) (said, thought, args int, err error) {
	content, err := s.Content(i)
	if errors.Is(err, session.ErrNotJSON) {
		e := &s.Entries[i]
		return int(e.Said), int(e.Thought), int(e.Args), nil
	}
	if err != nil {
		return 0, 0, 0, err
	}
	for _, b := range content.Blocks {
		switch b.Type {
		case session.ThinkingBlock:
			thought += c.counter.Count(b.Text)
		case session.CallBlock:
			args += c.counter.Count(b.Tool) + c.counter.Count(string(b.Args))
		case session.ImageBlock:
			said += tokens.Image(b.Size)
		default:
			said += c.counter.Count(b.Text)
		}
	}
	return said, thought, args, nil
}

// method names how tokens were counted, for people.
func (c *counting) method() string {
	if c.counter != nil {
		return c.counter.Name() + ", counted"
	}
	return fmt.Sprintf("estimated, factor %.3g for %s (%s)", c.factor.Value, c.family, c.factor.Method)
}
