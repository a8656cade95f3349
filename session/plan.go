package session

import "errors"

// Piece is a run of members on the active path, contiguous but for metadata
// lines, and what stands in its place.
type Piece struct {
	Members []int32 // entry indexes in the order of the active path
	Put     []Put   // in the order in which they are to stand
	// Stay is set when the members are not replaced by other entries: they
	// keep their place, ids and pairs, and only the texts change that the one
	// mask names.
	Stay bool
	// InPlace is set for a task whose members stay too, of a format that
	// declares [Caps.InPlace]: it decides which of their texts the mask takes.
	InPlace bool
}

// Put is one mask within a piece.
type Put struct {
	Key      string // the lifecycle's key
	Call     int32  // index in Session.Calls of a call of the lifecycle inside this piece that may be kept, or -1
	Headline string // the task on one line, for a shortened call
	Text     string // what the model reads: a record, or a receipt
	Ref      string // reference into the archive
	Receipt  bool   // Text is a one-line receipt, the record stands in a later piece

	// Args are texts among the call's arguments, and what stands in their
	// place, of a piece that stays. Text is then the text of the call's
	// result, which keeps its own where Text is empty.
	Args []Arg
}

// Arg is a text among a call's arguments.
type Arg struct {
	Path []string // from the arguments down: keys of objects, indexes of arrays
	Text string   // what the model reads there
}

// Edit replaces a range of one file by other bytes. An edit with an empty
// range inserts; at the file's end it appends.
type Edit struct {
	File    int // index in Plan.Files, see [Plan.Of]
	At      Range
	Data    []byte
	Entries []int32 // entries whose bytes leave or change
	Ref     string  // the mask that takes their place, "" for a mere pointer
	Piece   int     // edits for one [Piece] have one number, from 1; 0 where the format does not say
	Disk    bool    // it takes out what no client reads again, see [PlanTerms.Disk]
}

// Plan is an ordered list of edits over one or more files, which are archived
// and restored together, and committed in the order in which the format needs
// them: a side file may have to stand before the log does.
type Plan struct {
	Files []string // paths, in the order of their commit
	Log   int      // index in Files of the log
	Edits []Edit   // ascending by file and offset, never overlapping
	// Relinked names the entries that keep their content and only got another
	// parent or pointer, or a lowered usage figure.
	Relinked []int32
	// Notes are remarks for the report.
	Notes []string
}

// Unfit is returned by [Format.Plan] when a piece cannot be planned: nothing
// fits in its place, or a line that leads to it cannot be edited. The rest of
// the plan may be made without it.
type Unfit struct {
	Member int32 // an entry of the piece
	Why    error
	// Also holds an entry of each further piece that cannot be planned either,
	// whatever becomes of the others: a plan takes a look at the whole log, so
	// that it is not made anew for each of them.
	Also []int32
}

// Error implements error.
func (u *Unfit) Error() string { return u.Why.Error() }

// Unwrap returns the cause.
func (u *Unfit) Unwrap() error { return u.Why }

// Unfits collects the pieces that cannot be planned while a plan is made.
type Unfits struct{ first *Unfit }

// Add takes in an [*Unfit], or nothing for nil. It returns every other error.
func (u *Unfits) Add(err error) error {
	var one *Unfit
	switch {
	case !errors.As(err, &one):
		return err
	case u.first == nil:
		u.first = one
	default:
		u.first.Also = append(append(u.first.Also, one.Member), one.Also...)
	}
	return nil
}

// Err is the first of them, which names the others, nil when there is none.
func (u *Unfits) Err() error {
	if u.first == nil {
		return nil
	}
	return u.first
}

// Of returns the edits of one file.
func (p *Plan) Of(file int) []Edit {
	var edits []Edit
	for _, e := range p.Edits {
		if e.File == file {
			edits = append(edits, e)
		}
	}
	return edits
}

// Empty reports whether the plan changes nothing.
func (p *Plan) Empty() bool { return p == nil || len(p.Edits) == 0 }
