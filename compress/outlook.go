package compress

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"sessc/lifecycle"
	"sessc/session"
	"sessc/writer"
)

// prospect is a run that was not asked for: with one more layer, and with those
// before it.
type prospect struct {
	layer string // the last one that was added
	edits []session.Edit
}

// prospects plans a run for each layer that was not asked for, by the code of
// the real one. chosen is the choice of this run as it was made: what comes
// after its layers goes on from there. What the edits come to is counted later,
// when the index of the log is given up: two of them would be most of the
// memory.
func (o *Options) prospects(ctx context.Context, s *session.Session, layers []Layer, chosen *choice, count *counting) ([]prospect, error) {
	more, c := *o, chosen
	more.Layers = slices.Clone(o.wanted())
	var all []prospect
	for _, k := range lifecycle.Kinds {
		if !slices.ContainsFunc(layers, func(l Layer) bool { return l.Name == k.Layer() && !l.Asked }) {
			continue
		}
		more.Layers = append(more.Layers, k)
		var err error
		if len(c.asked) > 0 && c.asked[len(c.asked)-1] < k {
			err = c.layer(ctx, s, k, o.Lifecycles)
		} else {
			c, err = more.choose(ctx, s)
		}
		if err != nil {
			return nil, err
		}
		plan, err := c.clone().plan(s, count.terms(s))
		if err != nil {
			return nil, err
		}
		all = append(all, prospect{k.Layer(), plan.Edits})
	}
	return all, nil
}

// size is that of a context: as the report counts it, and uncalibrated.
type size struct {
	counted int64
	tokens  int
}

// foresee completes the layers that were not asked for. No index is needed any
// more but where the rewritten log is still to be put in place.
func (o *Options) foresee(r *Report, a *account, st *writer.Staged, count *counting) {
	if o.DryRun || st.Plan.Empty() && o.Output == "" {
		st.After.Release()
	}
	before := size{r.Context.Before, a.tokens}
	now := r.Context.After
	// Where a layer finds nothing more, the edits are the same once again.
	last, was := []session.Edit{}, before
	for _, p := range a.prospects {
		if !sameEdits(p.edits, last) {
			var err error
			if was, err = sizeOf(st.Before, p.edits, count, o.Settings); err != nil {
				r.withoutOutlook(err)
				return
			}
			last = p.edits
		}
		l := &r.Layers[slices.IndexFunc(r.Layers, func(l Layer) bool { return l.Name == p.layer })]
		l.After = was.counted
		if len(p.edits) > 0 && o.tooLittle(before.tokens, was.tokens) {
			l.TooLittle, l.After = max(before.counted-was.counted, 0), before.counted
		}
		l.Saved = now - l.After
		now = l.After
	}
}

// withoutOutlook takes the layers that were not asked for out of a report, for
// a reason, nil for none. What might be done is no reason to leave undone what
// was asked for.
func (r *Report) withoutOutlook(err error) {
	if err == nil {
		return
	}
	r.Layers = slices.DeleteFunc(r.Layers, func(l Layer) bool { return !l.Asked })
	r.Notes = append(r.Notes, fmt.Sprintf("what more layers would save cannot be told: %v", err))
}

// sizeOf is the size of the context of an edited log.
func sizeOf(s *session.Session, edits []session.Edit, count *counting, set session.Settings) (size, error) {
	after, err := edited(s, edits, set)
	if err != nil {
		return size{}, err
	}
	where, err := count.context(after)
	return size{int64(where.Total()), after.Tokens()}, err
}

func sameEdits(a, b []session.Edit) bool {
	return slices.EqualFunc(a, b, func(x, y session.Edit) bool { return x.At == y.At && bytes.Equal(x.Data, y.Data) })
}
