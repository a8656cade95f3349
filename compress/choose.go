package compress

import (
	"context"
	"errors"
	"maps"
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

	tasks []lifecycle.Lifecycle // all sub-tasks of the log, found first
	free  *lifecycle.Free       // what the layers so far have left, nil before the second one
	work  *scan.Work
	whole *choice // the same before a plan takes out what it cannot do
}

// clone is a choice that can go another way. Only one of the two may take in
// further layers.
func (c *choice) clone() *choice {
	other := *c
	other.found, other.asked, other.records = slices.Clip(c.found), slices.Clip(c.asked), maps.Clone(c.records)
	other.sel = lifecycle.Selection{Waves: slices.Clone(c.sel.Waves), Left: slices.Clone(c.sel.Left), Work: maps.Clone(c.sel.Work)}
	return &other
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
	c.tasks = scan.Find(s)
	sel := lifecycle.Select(s, c.tasks, o.Lifecycles)
	if slices.Contains(o.wanted(), lifecycle.Task) {
		c.asked = append(c.asked, lifecycle.Task)
	} else {
		sel.DropAll(lifecycle.NotAsked)
	}
	if err := c.add(ctx, s, c.tasks, sel); err != nil {
		return nil, err
	}
	for _, k := range lifecycle.Kinds {
		if k == lifecycle.Task || !slices.Contains(o.wanted(), k) || !supports(s, k) {
			continue
		}
		if err := c.layer(ctx, s, k, o.Lifecycles); err != nil {
			return nil, err
		}
	}
	if !o.NoOutlook {
		c.whole = c.clone()
	}
	return c, nil
}

// layer takes in one more layer, which comes after those of the choice.
func (c *choice) layer(ctx context.Context, s *session.Session, k lifecycle.Kind, o lifecycle.Options) error {
	if c.free == nil {
		c.work = scan.ReadWork(s)
		c.free = lifecycle.NewFree(s, c.tasks, &c.sel, c.work.Cleared(), o)
	}
	c.asked = append(c.asked, k)
	found := c.work.Find(k, c.free, o)
	if err := c.add(ctx, s, found, c.free.Select(found)); err != nil {
		return err
	}
	c.free.Take(&c.sel)
	// What was too little for a mask of its own stays whole: a later run
	// would find less of it, and might think that enough.
	for _, left := range c.sel.Left {
		if left.Reason == lifecycle.MaskTooLarge {
			c.free.Keep(c.found[left.Lifecycle].Members)
		}
	}
	return nil
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
	if err := dropUnprofitable(s, found, &sel, records); err != nil {
		return err
	}
	by := len(c.found)
	if by == 0 {
		c.found = slices.Clip(found) // of a big log a copy would be megabytes
	} else {
		c.found = append(c.found, found...)
	}
	c.sel.Join(sel, by)
	for n, r := range records {
		c.records[n+by] = r
	}
	return nil
}

// dropUnprofitable drops what would not pay: masks that are more than half of what they
// replace.
func dropUnprofitable(s *session.Session, found []lifecycle.Lifecycle, sel *lifecycle.Selection, records map[int]mask.Record) error {
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
