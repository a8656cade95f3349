package compress

import (
	"context"
	"fmt"
	"slices"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/session"
	"sessc/writer"
)

// Layer says what one layer saves, in context tokens. Of one that was asked for
// it is a recount, on top of those before it; of another it is estimated from
// sizes alone, on top of all that were asked for.
type Layer struct {
	Name      string `json:"name"`
	Asked     bool   `json:"asked"`
	Compacted int    `json:"compacted"`
	Saved     int64  `json:"saved"`
	After     int64  `json:"after"` // size of the context with it
}

// layers says what each layer that the format knows saves. before and after
// are the sizes of the context without any and with all that were asked for.
func (o *Options) layers(ctx context.Context, c *choice, s *session.Session, count *counting, before, after int64) ([]Layer, error) {
	asked := c.asked
	out := scan.LookOut(s, &c.sel, o.Lifecycles, !slices.Contains(asked, lifecycle.Turn))
	would := map[lifecycle.Kind]int{lifecycle.Turn: out.Turns, lifecycle.Result: out.Results}
	all := []Layer{}
	now, hope := before, after
	for n, k := range lifecycle.Kinds {
		l := Layer{Name: k.Layer(), Asked: slices.Contains(asked, k), Compacted: c.count(k)}
		if !supports(s, k) || k == lifecycle.Task && !l.Asked {
			continue
		}
		switch {
		case !l.Asked:
			l.Saved = min(int64(count.scale(would[k])), hope)
			hope -= l.Saved
			l.After = hope
		case l.Compacted == 0:
			l.After = now
		case k == asked[len(asked)-1]:
			l.Saved, l.After = now-after, after
		default:
			var err error
			if l.After, err = o.recount(ctx, s, c.only(lifecycle.Kinds[:n+1]), count); err != nil {
				return nil, err
			}
			l.Saved = now - l.After
		}
		if l.Asked {
			now = l.After
		}
		all = append(all, l)
	}
	return all, nil
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
	return notes
}

// recount is the size of the context when a choice is carried out.
func (o *Options) recount(ctx context.Context, s *session.Session, c *choice, count *counting) (int64, error) {
	plan, err := c.plan(s, count)
	if err != nil {
		return 0, err
	}
	st, err := writer.Stage(ctx, s, plan, o.Settings, writer.Target{Nowhere: true})
	if err != nil {
		return 0, err
	}
	where, err := count.context(st.After)
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
