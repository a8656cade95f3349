package summarize

import (
	"errors"
	"slices"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/session"
	"sessc/tokens"
)

// Cost is the estimate in tokens of the masks that a wave would get.
func Cost(w *lifecycle.Wave, s *session.Session, all []lifecycle.Lifecycle, records map[int]mask.Record) int {
	n := 0
	for _, p := range piecesOf(w, s, all, records) {
		for _, put := range p.Put {
			n += tokens.EstimateString(put.Text)
			if put.Call >= 0 && !p.Stay {
				n += callCost
			}
			for _, a := range put.Args {
				n += tokens.EstimateString(a.Text)
			}
		}
	}
	return n
}

// Floor is the estimate in tokens of what a lifecycle with given members costs
// at most when all of its mask is cut that can be cut, but for one item of a turn. Whether it pays is judged
// by this, and not by what its mask says, which hangs on the other masks of the
// run: a second run would decide otherwise.
func Floor(w *lifecycle.Wave, s *session.Session, all []lifecycle.Lifecycle, records map[int]mask.Record) int {
	floor := 0
	for _, n := range w.Lifecycles {
		l, r := &all[n], records[n]
		r.Task = Name(l, nameWidth(l))
		r.Commands, r.Errors, r.Tried, r.Remember, r.Open = nil, nil, nil, nil, nil
		r.Omitted = mask.Omitted{Commands: cutItems, Errors: cutItems, Tried: cutItems, Remember: cutItems}
		if l.Kind == lifecycle.Result {
			r.Task += " (exit 255)"
		}
		if l.Kind == lifecycle.Turn {
			floor += oneItem // a mask that only counts says nothing
		}
		floor += Cost(w, s, all, map[int]mask.Record{n: r})
	}
	return floor
}

// cutItems stands for any number of items that a list no longer shows.
const cutItems = 99

// Pieces turns a selection and its records into what stands in the log: the
// record where a result became known for the last time, and a receipt in the
// earlier piece that holds the spawn. They are in the order of the active path.
func Pieces(s *session.Session, all []lifecycle.Lifecycle, sel *lifecycle.Selection, records map[int]mask.Record) []session.Piece {
	var pieces []session.Piece
	for n := range sel.Waves {
		pieces = append(pieces, piecesOf(&sel.Waves[n], s, all, records)...)
	}
	slices.SortStableFunc(pieces, func(a, b session.Piece) int { return s.Position(a.Members[0]) - s.Position(b.Members[0]) })
	return pieces
}

func piecesOf(w *lifecycle.Wave, s *session.Session, all []lifecycle.Lifecycle, records map[int]mask.Record) []session.Piece {
	var pieces []session.Piece
	for _, p := range w.Pieces {
		piece := session.Piece{Members: p.Members, Stay: p.Stay, InPlace: p.InPlace}
		for _, n := range p.Spawned {
			if slices.Contains(p.Finished, n) {
				piece.Put = append(piece.Put, complete(s, &all[n], records[n]))
			} else {
				piece.Put = append(piece.Put, receipt(s, &all[n], records[n], spawnCall(s, &all[n])))
			}
		}
		for _, n := range p.Finished {
			if !slices.Contains(p.Spawned, n) {
				piece.Put = append(piece.Put, record(s, &all[n], records[n], callOf(s, all[n].Finish())))
			}
		}
		if len(piece.Put) == 0 {
			// Only calls that ask about the children, and own work: a line
			// says what they were about.
			n := w.Lifecycles[0]
			piece.Put = append(piece.Put, receipt(s, &all[n], records[n], anyCall(s, p.Members)))
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

// complete is the mask of a lifecycle of which all stands in one piece.
func complete(s *session.Session, l *lifecycle.Lifecycle, r mask.Record) session.Put {
	switch l.Kind {
	case lifecycle.Turn:
		return record(s, l, r, carrier(s, l.Members))
	case lifecycle.Result:
		return cleared(s, l, r)
	}
	return record(s, l, r, spawnCall(s, l))
}

func record(s *session.Session, l *lifecycle.Lifecycle, r mask.Record, call int32) session.Put {
	return session.Put{Key: l.Key, Call: call, Headline: mask.Headline(r.Task, headlineWidth), Text: mask.Render(r), Ref: r.Ref}
}

func receipt(s *session.Session, l *lifecycle.Lifecycle, r mask.Record, call int32) session.Put {
	return session.Put{Key: l.Key, Call: call, Headline: mask.Headline(r.Task, headlineWidth), Text: mask.Receipt(r.Task, r.Ref), Ref: r.Ref, Receipt: true}
}

// headlineWidth is the longest task in a shortened call, in grapheme clusters:
// its record, right below, has it in full.
const headlineWidth = 60

// spawnCall is the index of a lifecycle's spawning call.
func spawnCall(s *session.Session, l *lifecycle.Lifecycle) int32 {
	for n := s.FirstCall(l.Spawn); n < len(s.Calls) && s.Calls[n].Entry == l.Spawn; n++ {
		if s.Str(s.Calls[n].ID) == l.Key {
			return int32(n)
		}
	}
	return -1
}

// callOf is the index of the call that a result answers, such as the one that
// killed a child; -1 for an entry that is no result.
func callOf(s *session.Session, result int32) int32 {
	if result < 0 {
		return -1
	}
	return s.Answers(result)
}

// anyCall is the index of the first answered call among members, or -1.
func anyCall(s *session.Session, members []int32) int32 {
	for _, i := range members {
		for n := s.FirstCall(i); n < len(s.Calls) && s.Calls[n].Entry == i; n++ {
			if s.Calls[n].Result >= 0 {
				return int32(n)
			}
		}
	}
	return -1
}

// Stays is what of a lifecycle's own entries stays in the context whatever its
// mask says, in estimated tokens: 0 where whole entries are replaced.
func Stays(s *session.Session, l *lifecycle.Lifecycle) (int, error) {
	if l.Kind != lifecycle.Task {
		n := -l.Own
		for _, i := range l.Members {
			n += s.Entries[i].Tokens()
		}
		return n, nil
	}
	f, ok := s.Format.(session.Residuer)
	if !ok {
		return 0, nil
	}
	n, err := f.Residue(s, session.Piece{Members: l.Entries(), Put: []session.Put{{Key: l.Key, Call: spawnCall(s, l)}}})
	var unfit *session.Unfit
	if errors.As(err, &unfit) {
		return 0, nil // no plan will hold it
	}
	return n, err
}
