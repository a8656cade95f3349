package compress

import (
	"fmt"
	"slices"

	"sessc/lifecycle"
	"sessc/session"
)

// Layer says what one layer saves, in context tokens. Of one that was asked for
// it is a recount, on top of those before it; of another a recount of what a
// run with it too, and with those before it, would save on top of this run.
type Layer struct {
	Name      string `json:"name"`
	Asked     bool   `json:"asked"`
	Compacted int    `json:"compacted"`
	Saved     int64  `json:"saved"`
	After     int64  `json:"after"` // size of the context with it
	// TooLittle is what such a run would save in all, where that is less than
	// the least saving: it changes nothing. Of those that were asked for it
	// stands with the last.
	TooLittle int64 `json:"too_little,omitempty"`
}

// layers counts each layer that the format knows, those that were asked for
// first, as far as the original says it: the size of the context with each that was asked for but the last.
// settleLayers and foresee do the rest.
func (o *Options) layers(c *choice, s *session.Session, count *counting) ([]Layer, error) {
	all, others := []Layer{}, []Layer(nil)
	for n, k := range lifecycle.Kinds {
		l := Layer{Name: k.Layer(), Asked: slices.Contains(c.asked, k), Compacted: c.count(k)}
		switch {
		case !supports(s, k), !l.Asked && (k == lifecycle.Task || o.NoOutlook):
			continue
		case l.Asked && l.Compacted > 0 && k != c.asked[len(c.asked)-1]:
			var err error
			if l.After, err = recount(s, c.only(lifecycle.Kinds[:n+1]), count, o.Settings); err != nil {
				return nil, err
			}
		}
		if l.Asked {
			all = append(all, l)
		} else {
			others = append(others, l)
		}
	}
	return append(all, others...), nil
}

// settleLayers completes the layers that were asked for once the sizes of the
// context are known, without any and with all of them.
func settleLayers(all []Layer, before, after int64) {
	last := -1
	for n, l := range all {
		if l.Asked && l.Compacted > 0 {
			last = n
		}
	}
	now := before
	for n := range all {
		switch l := &all[n]; {
		case !l.Asked:
		case n == last:
			l.Saved, l.After = now-after, after
			now = after
		case l.Compacted > 0:
			l.Saved = now - l.After
			now = l.After
		default:
			l.Saved, l.After = 0, now
		}
	}
}

// noteTooLittle notes with the last layer that was asked for what all of them save.
func noteTooLittle(all []Layer, saved int64) {
	for n := range slices.Backward(all) {
		if all[n].Asked {
			all[n].TooLittle = max(saved, 0)
			return
		}
	}
}

// supports reports whether a format's logs allow what a layer does.
func supports(s *session.Session, k lifecycle.Kind) bool {
	switch can := s.Format.Caps(); k {
	case lifecycle.Turn:
		return can.Replace
	case lifecycle.Result:
		return can.Texts
	}
	return true
}

// missing names the layers that were asked for and that the format's logs do
// not allow.
func (o *Options) missing(s *session.Session) []string {
	var notes []string
	for _, k := range o.Layers {
		if !supports(s, k) {
			notes = append(notes, fmt.Sprintf("there is no layer %s for logs of %s yet", k.Layer(), s.Format.Name()))
		}
	}
	if o.Disk && len(o.Layers) == 0 && !s.Format.Caps().Disk {
		notes = append(notes, fmt.Sprintf("nothing is known of logs of %s that no client reads again", s.Format.Name()))
	}
	return notes
}

// outcome is the index of a log as a choice would leave it.
func (c *choice) outcome(s *session.Session, count *counting, set session.Settings) (*session.Session, error) {
	plan, err := c.plan(s, count.terms(s))
	if err != nil {
		return nil, err
	}
	return edited(s, plan.Edits, set)
}

// edited is the index of a log as edits would leave it. The log's own index is
// not needed for it.
func edited(s *session.Session, edits []session.Edit, set session.Settings) (*session.Session, error) {
	spliced, err := session.Splice(s, s.Size, edits)
	if err != nil {
		return nil, err
	}
	set.NoEvents, set.NoHash = true, true
	return session.Index(spliced, spliced.Size(), s.Path, s.Format, set)
}

// recount is the size of the context when a choice is carried out.
func recount(s *session.Session, c *choice, count *counting, set session.Settings) (int64, error) {
	after, err := c.outcome(s, count, set)
	if err != nil {
		return 0, err
	}
	where, err := count.context(after)
	return int64(where.Total()), err
}

// only is the part of a choice that some layers make up.
func (c *choice) only(kinds []lifecycle.Kind) *choice {
	part := *c
	part.sel.Left = slices.Clone(c.sel.Left)
	part.sel.Waves = nil
	for _, w := range c.sel.Waves {
		if slices.Contains(kinds, c.found[w.Lifecycles[0]].Kind) {
			part.sel.Waves = append(part.sel.Waves, w)
		}
	}
	return &part
}

// count is how many lifecycles of a layer are compacted.
func (c *choice) count(k lifecycle.Kind) int {
	n := 0
	for _, w := range c.sel.Waves {
		if c.found[w.Lifecycles[0]].Kind == k {
			n += len(w.Lifecycles)
		}
	}
	return n
}
