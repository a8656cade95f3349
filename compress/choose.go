package compress

import (
	"context"
	"errors"
	"slices"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/scan"
	"sessc/session"
	"sessc/summarize"
)

// choice is what is compacted: lifecycles of all layers, those among them that
// are chosen, and their records, by index of the lifecycle.
type choice struct {
	found   []lifecycle.Lifecycle
	sel     lifecycle.Selection
	records map[int]mask.Record
	asked   []lifecycle.Kind // layers that were asked for and that the format knows
	small   bool             // the session has less than MinTokens
}

// wanted are the layers that were asked for, in their order.
func (o *Options) wanted() []lifecycle.Kind {
	if o.Layers == nil {
		return []lifecycle.Kind{lifecycle.Task}
	}
	return o.Layers
}

// choose goes through the layers, one after the other: each finds lifecycles
// among the entries that those before it have left. Tasks are always looked
// for, since what belongs to one is nothing to the others.
func (o *Options) choose(ctx context.Context, s *session.Session) (*choice, error) {
	c := &choice{sel: lifecycle.Selection{Work: map[int][]int32{}}, records: map[int]mask.Record{}, small: s.Tokens() < o.MinTokens}
	for _, k := range lifecycle.Kinds {
		if slices.Contains(o.wanted(), k) && supports(s, k) {
			c.asked = append(c.asked, k)
		}
	}
	tasks := scan.Find(s)
	sel := lifecycle.Select(s, tasks, o.Lifecycles)
	if !slices.Contains(c.asked, lifecycle.Task) {
		sel.DropAll(lifecycle.NotAsked)
	}
	if err := c.add(ctx, s, tasks, sel); err != nil {
		return nil, err
	}
	var free *lifecycle.Free
	var work *scan.Work
	for _, k := range c.asked {
		if k == lifecycle.Task {
			continue
		}
		if free == nil {
			work = scan.ReadWork(s)
			free = lifecycle.NewFree(s, tasks, &c.sel, work.Cleared(), o.Lifecycles)
		}
		found := work.Find(k, free, o.Lifecycles)
		if err := c.add(ctx, s, found, free.Select(found)); err != nil {
			return nil, err
		}
		free.Take(&c.sel)
		// What was too little for a mask of its own stays whole: a later run
		// would find less of it, and might think that enough.
		for _, left := range c.sel.Left {
			if left.Reason == lifecycle.MaskTooLarge {
				free.Keep(c.found[left.Lifecycle].Members)
			}
		}
	}
	return c, nil
}

// add makes the records of one layer and drops what would not pay.
func (c *choice) add(ctx context.Context, s *session.Session, found []lifecycle.Lifecycle, sel lifecycle.Selection) error {
	if c.small {
		sel.DropAll(lifecycle.SmallSession)
	}
	records, err := summarize.Records(ctx, s, found, &sel, c.records)
	if err != nil {
		return err
	}
	if err := weigh(s, found, &sel, records); err != nil {
		return err
	}
	by := len(c.found)
	c.found = append(c.found, found...)
	c.sel.Join(sel, by)
	for n, r := range records {
		c.records[n+by] = r
	}
	return nil
}

// weigh drops what would not pay: masks that are more than half of what they
// replace.
func weigh(s *session.Session, found []lifecycle.Lifecycle, sel *lifecycle.Selection, records map[int]mask.Record) error {
	var failed error
	sel.Weigh(s, func(w *lifecycle.Wave) (masks, stays int) {
		for _, n := range w.Lifecycles {
			rest, err := summarize.Stays(s, &found[n])
			failed = errors.Join(failed, err)
			stays += rest
		}
		if found[w.Lifecycles[0]].Kind != lifecycle.Task {
			return summarize.Floor(w, s, found, records), stays
		}
		return summarize.Cost(w, s, found, records), stays
	})
	return failed
}
