package claudecode

import (
	"bytes"
	"strconv"

	"github.com/tidwall/gjson"

	"sessc/session"
	"sessc/session/jsonwalk"
)

// lowerUsage corrects the figures from which the client takes how full the
// context is: the usage of the last message, on every line of it (measured
// with 2.1.328: with a stale figure near the limit it refuses to send). What
// is taken off is a low estimate of what was removed before, and the figure
// never falls below a high one of what is sent.
func (p *planner) lowerUsage() error {
	s := p.s
	if len(p.rewrites) == 0 {
		return nil // nothing goes either: each mask stands in a line
	}
	for n := len(s.Active) - 1; n >= 0; n-- {
		i := s.Active[n]
		if s.Entries[i].Kind != session.Assistant || p.isGone(i) {
			continue
		}
		u := s.UsageOf(s.MessageOf(i))
		if u == nil || u.Total <= 0 {
			continue
		}
		less := int(u.Total) - p.totalAt(n, int(u.Total))
		if less <= 0 {
			return nil
		}
		for j := s.MessageOf(i); j < int32(len(s.Entries)); j++ {
			if s.MessageOf(j) != s.MessageOf(i) || s.Entries[j].Kind != session.Assistant || p.isGone(j) {
				continue
			}
			if err := p.lower(j, less); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// totalAt is the context size at a position of the active path after masking.
func (p *planner) totalAt(position, recorded int) int {
	removed, sent := 0, 0
	for _, i := range p.s.Active[:position+1] {
		sent += p.s.Entries[i].Tokens()
		if p.isGone(i) {
			removed += p.s.Entries[i].Tokens()
		} else if w := p.rewrites[i]; w != nil && len(w.cuts) > 0 {
			removed += cost(w.raw) - cost(w.result(p.terms.Generation))
		}
	}
	return max(recorded-p.terms.Low(removed), p.terms.High(sent-removed), 1)
}

// cost estimates a line in the context, in tokens.
func cost(raw []byte) int {
	r := newReader(session.Settings{}, false)
	r.sizing = true
	var e session.Entry
	if !r.walk(bytes.TrimSpace(jsonwalk.TrimBOM(raw))) {
		return 0
	}
	if r.kind(&e); e.Kind.Role() != "" {
		r.sent().measure(&e)
	}
	return e.Tokens()
}

// lower takes tokens off the input figures of one line, those of the cache
// first: they count what was sent before. A line that cannot be edited keeps
// its figures.
func (p *planner) lower(i int32, less int) error {
	if p.s.Sound(i) != nil {
		return nil
	}
	w, err := p.line(i)
	if err != nil {
		return err
	}
	for _, key := range []string{"cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens"} {
		v := w.get("message.usage." + key)
		if v.Type != gjson.Number || less <= 0 {
			continue
		}
		have, err := strconv.Atoi(v.Raw)
		if err != nil || have <= 0 {
			continue
		}
		take := min(have, less)
		less -= take
		w.cuts = append(w.cuts, cut{v.Index, v.Index + len(v.Raw), []byte(strconv.Itoa(have - take)), "", false})
	}
	return nil
}
