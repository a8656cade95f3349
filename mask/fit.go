package mask

import (
	"slices"
	"strings"
)

// Limits of the steps of Fit, in tokens. They are part of the fixed order: changing one changes masks.
const (
	taskAim         = 40 // a task longer than this is shortened first
	taskFloor       = 12 // no task is cut below this
	conclusionFloor = 24 // about one short sentence, kept until the unmentioned facts are gone
	fragmentFloor   = 14 // a clause of some words: what is shorter says nothing, so it goes last of all
	itemAim         = 48 // longest list item once a list has to shrink
	openFloor       = 1  // items: what is left to do is said before all that later entries mention of the rest
	listFloor       = 2  // items of a list, not tokens: those stay until every list is down to them
)

// Bounds of a cap, in tokens.
const (
	minCap = 300
	maxCap = 1200
)

// Cap returns how many tokens a mask may take that replaces the given number of context tokens: a tenth of them, at
// least 300 and at most 1,200. On real logs that keeps nine exact facts of ten visible at a tenth of the tokens.
func Cap(replaced int) int {
	return min(max(minCap, replaced/10), maxCap)
}

// Budget is what Fit may spend.
type Budget struct {
	Cap       int                    // most tokens of a mask, its file lines not counted; zero or less sets no limit
	Count     func(text string) int  // counts or estimates the tokens of a text; nil sets no limit
	Mentioned func(item string) bool // whether later entries mention what this list item is about; nil: none is
}

// aim is where the lean mask (mandatory lines and conclusion, without lists) should end: 100 tokens for the smallest
// cap, growing with it.
func (b Budget) aim() int { return b.Cap * 2 / 5 }

// Note tells what Fit did.
type Note struct {
	Before, After int      // tokens of the whole mask before and after, file lines included; 0 without a Count
	Cut           []string // labels of the fields that lost something, in the order in which they first did
	Over          bool     // the mandatory lines alone exceed the cap
}

// Fit brings a record under a cap and returns it in normal form. File lists are never cut and not counted (Render
// folds them). The order is fixed; each step stops as soon as the measure is met:
//
// Towards the aim, two fifths of the cap, measured without any list:
//  1. task to 40 tokens
//  2. conclusion, not below 24 tokens
//
// Then towards the cap, measured without file lines:
//  3. conclusion, not below 24 tokens
//  4. tried_and_failed, then open, errors, must_remember, commands, each: items over 48 tokens to 48, then whole items; those
//     that later entries mention stay, and the two best of the others
//  5. these two, lists in the same order, but not the best open point
//  6. task to 12 tokens
//  7. conclusion, not below 14 tokens
//  8. the mentioned items and that open point, lists in the same order
//  9. the rest of the conclusion
//
// What room is left then takes the best item of each list that lost all, cut where that is needed.
//
// A list loses its last items first, commands and errors their oldest (first) ones; the items left keep their order and the lost
// ones are added to Omitted. Texts are cut at the end of a sentence or else a clause where that keeps half of the room,
// otherwise at a space or between grapheme clusters, commands and calls before a word, and end with "…". What was tried
// and errors lose their middle, since their end tells what came of it. Fit of a fitted record changes nothing.
func Fit(r Record, b Budget) (Record, Note) {
	f := fitter{r: Normalise(r), b: b}
	if b.Count == nil {
		return f.r, Note{}
	}
	f.note.Before = b.Count(renderNormal(f.r))
	if b.Cap > 0 {
		whole := f.r
		f.run()
		f.refill(whole)
		if f.r.Brief { // one count for both lists
			f.r = Normalise(f.r)
		}
	}
	f.note.After = b.Count(renderNormal(f.r))
	return f.r, f.note
}

// fitter holds the record while it shrinks.
type fitter struct {
	r    Record
	b    Budget
	note Note
}

// lists are the fields that lose items, in the order in which they do. oldestFirst drops from the front.
var lists = []struct {
	label       string
	at          func(r *Record) (*[]string, *int)
	oldestFirst bool
}{
	{"tried_and_failed", triedIn, false},
	{"open", openIn, false},
	{"errors", errorsIn, true},
	{"must_remember", rememberIn, false},
	{"commands", commandsIn, true},
}

func (f *fitter) run() {
	f.text("task", &f.r.Task, f.lean, taskAim)
	f.text("conclusion", &f.r.Conclusion, f.lean, conclusionFloor)
	f.text("conclusion", &f.r.Conclusion, f.full, conclusionFloor)
	for i := range lists {
		f.shorten(i)
		f.drop(i, listFloor, false)
	}
	for i := range lists {
		floor := 0
		if lists[i].label == "open" {
			floor = openFloor
		}
		f.drop(i, floor, false)
	}
	f.text("task", &f.r.Task, f.full, taskFloor)
	f.text("conclusion", &f.r.Conclusion, f.full, fragmentFloor)
	for i := range lists {
		f.drop(i, 0, true)
	}
	if f.r.Conclusion != "" && f.r.Conclusion != ellipsis && !f.full() {
		f.r.Conclusion = ellipsis
		f.mark("conclusion")
	}
	f.note.Over = !f.full()
}

// lean reports whether the mask without its lists meets the aim.
func (f *fitter) lean() bool {
	r := Record{Brief: f.r.Brief, Origin: f.r.Origin, Task: f.r.Task, Result: f.r.Result, Conclusion: f.r.Conclusion, Spent: f.r.Spent, Ref: f.r.Ref}
	return f.b.Count(renderNormal(r)) <= f.b.aim()
}

// full reports whether the mask without its file lines meets the cap.
func (f *fitter) full() bool {
	r := f.r
	r.Added, r.Changed, r.Deleted = nil, nil, nil
	r.Omitted.Added, r.Omitted.Changed, r.Omitted.Deleted = 0, 0, 0
	return f.b.Count(renderNormal(r)) <= f.b.Cap
}

// text cuts one text until the measure is met or the text has no more than floor tokens.
func (f *fitter) text(label string, at *string, met func() bool, floor int) {
	old := *at
	if old == "" {
		return
	}
	shorter := cut
	if f.r.Brief {
		shorter = cutCall
	}
	*at = shorter(old, func(s string) bool {
		*at = s
		return met() || f.b.Count(s) <= floor
	})
	if *at != old {
		f.mark(label)
	}
}

// shorten cuts the long items of a list, when the mask is over the cap. Items that become equal are kept once. Folded
// paths stay whole: the last name of half a list would be that of another file.
func (f *fitter) shorten(i int) {
	if f.full() {
		return
	}
	items, omitted := lists[i].at(&f.r)
	shorter := cut
	switch lists[i].label {
	case "commands":
		shorter = cutCall
	case "tried_and_failed", "errors":
		shorter = cutInside
	}
	short := make([]string, 0, len(*items))
	for _, it := range *items {
		if !isFolded(it) {
			it = shorter(it, func(s string) bool { return f.b.Count(s) <= itemAim })
		}
		short = append(short, it)
	}
	if slices.Equal(short, *items) {
		return
	}
	n := len(short)
	*items = cleanList(short)
	*omitted += n - len(*items)
	f.mark(lists[i].label)
}

// drop takes whole items from a list until the mask meets the cap: those that nothing later mentions, or all, and not
// the best floor ones of them.
func (f *fitter) drop(i, floor int, mentionedToo bool) {
	if f.full() {
		return
	}
	items, omitted := lists[i].at(&f.r)
	all, before := *items, *omitted
	// order holds the indexes that may go, the first to go last; rank is their place in it, -1 for those that stay.
	var order []int
	rank := make([]int, len(all))
	for k, it := range all {
		rank[k] = -1
		if mentionedToo || f.b.Mentioned == nil || !f.b.Mentioned(it) {
			order = append(order, k)
		}
	}
	if len(order) <= floor {
		return
	}
	if lists[i].oldestFirst {
		slices.Reverse(order)
	}
	order = order[floor:]
	for at, k := range order {
		rank[k] = at
	}
	keep := func(n int) bool {
		*items = nil
		for k, it := range all {
			if rank[k] < n {
				*items = append(*items, it)
			}
		}
		*omitted = before + len(all) - len(*items)
		return f.full()
	}
	keep(largest(len(order), keep))
	f.mark(lists[i].label)
}

// refill gives each list that lost all its items the best one back where there is room for the beginning of it that says
// something.
func (f *fitter) refill(whole Record) {
	if !f.full() {
		return
	}
	for _, l := range lists {
		items, omitted := l.at(&f.r)
		all, _ := l.at(&whole)
		if len(*items) > 0 || len(*all) == 0 || l.label == "commands" {
			continue
		}
		best := (*all)[0]
		if l.oldestFirst {
			best = (*all)[len(*all)-1]
		}
		fits := func(s string) bool {
			*items = []string{s}
			return f.full() && f.b.Count(s) <= itemAim
		}
		*omitted--
		if !fits(best) {
			short := ellipsis
			switch {
			case isFolded(best):
			case l.label == "tried_and_failed":
				if short = cutInside(best, fits); !strings.Contains(short, gap) && !negation().MatchString(short) && !turn().MatchString(short) {
					short = ellipsis // half a trial reads like a success
				}
			case l.label == "errors":
				short = cutInside(best, fits)
			default:
				short = cut(best, fits)
			}
			if !strings.Contains(short, " "+ellipsis) || !fits(short) {
				*items = nil
				*omitted++
			}
		}
	}
}

func (f *fitter) mark(label string) {
	if !slices.Contains(f.note.Cut, label) {
		f.note.Cut = append(f.note.Cut, label)
	}
}
