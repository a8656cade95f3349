package openclaw

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"sessc/scripts/gen/genlog"
	"sessc/session"
)

// TestPlanOfRandomPieces masks runs that no layer chose, in logs of all kinds:
// nothing may get worse, or the plan has to say that no shape fits.
func TestPlanOfRandomPieces(t *testing.T) {
	pieces, refused := 0, 0
	for seed := int64(0); seed < 150; seed++ {
		out, err := genlog.Play(genlog.Random(seed, false), "openclaw", seed)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 4 {
			r := rand.New(rand.NewSource(seed*10 + int64(round)))
			t.Run(fmt.Sprintf("%d-%d", seed, round), func(t *testing.T) {
				s := indexed(t, out.Log)
				all := randomPieces(r, s)
				pieces += len(all)
				if _, err := (Format{}).Plan(s, all, terms); err != nil {
					if !strings.Contains(err.Error(), "no shape fits") {
						t.Fatal(err)
					}
					refused++
					return
				}
				after, _ := planned(t, out.Log, func(s *session.Session) []session.Piece { return all })
				checkIndex(t, indexed(t, after), after)
			})
		}
	}
	t.Logf("%d pieces, %d plans refused", pieces, refused)
	if pieces < 500 || refused > 120 {
		t.Errorf("%d pieces, %d of 600 plans refused: the test tries too little", pieces, refused)
	}
}

// randomPieces cuts runs of whole atoms out of the active path.
func randomPieces(r *rand.Rand, s *session.Session) []session.Piece {
	free := map[int32]bool{}
	atom := map[int32]int32{}
	for _, i := range s.Active[:max(0, len(s.Active)-3)] {
		switch s.Entries[i].Kind {
		case session.Assistant, session.HostEvent, session.Result:
			free[i] = !s.Entries[i].Is(session.Unsure)
		}
	}
	onChain := map[int32]bool{}
	for _, i := range s.Chain {
		onChain[i] = true
	}
	for i := range s.Entries {
		if e := &s.Entries[i]; e.Parent >= 0 && !onChain[int32(i)] && e.Kind.Role() != "" {
			free[e.Parent] = false
		}
	}
	for _, c := range s.Calls {
		if c.Result < 0 || !free[c.Result] {
			free[c.Entry] = false
		}
		atom[c.Result] = c.Entry
	}
	for _, c := range s.Calls {
		if c.Result >= 0 && !free[c.Entry] {
			free[c.Result] = false
		}
	}
	var all []session.Piece
	var run []int32
	cut := func() {
		if len(run) > 0 && r.Intn(2) == 0 {
			if p, ok := randomPiece(r, s, run, len(all)); ok {
				all = append(all, p)
			}
		}
		run = nil
	}
	for p, i := range s.Active {
		_, answers := atom[i]
		whole := s.Entries[i].Kind != session.Result || answers && len(run) > 0
		switch {
		case !free[i] || !whole || len(run) > 0 && boundaryBetween(s, run[len(run)-1], i):
			cut()
		case len(run) > 0 && s.Entries[i].Kind != session.Result && r.Intn(6) == 0:
			cut()
		}
		if free[i] && (s.Entries[i].Kind != session.Result || len(run) > 0) {
			run = append(run, i)
		}
		if p == len(s.Active)-1 {
			cut()
		}
	}
	return all
}

func boundaryBetween(s *session.Session, from, to int32) bool {
	inside := false
	for _, i := range s.Chain {
		if k := s.Entries[i].Kind; inside && (k == session.Boundary || k == session.Summary) {
			return true
		}
		inside = inside || i == from
		if i == to {
			break
		}
	}
	return false
}

// randomPiece makes masks for a run, for calls of it or for none; a piece of
// which the masks would be larger than the run is not made.
func randomPiece(r *rand.Rand, s *session.Session, run []int32, n int) (session.Piece, bool) {
	p := session.Piece{Members: run}
	cost, size := 0, 0
	for _, i := range run {
		size += s.Entries[i].Tokens()
		for c := range s.Calls {
			if s.Calls[c].Entry == i && r.Intn(2) == 0 {
				p.Put = append(p.Put, session.Put{Call: int32(c)})
			}
		}
	}
	if len(p.Put) == 0 || r.Intn(3) == 0 {
		p.Put = append(p.Put, session.Put{Call: -1})
	}
	for m := range p.Put {
		ref := fmt.Sprintf("ref%d-%d", n, m)
		p.Put[m].Key, p.Put[m].Ref, p.Put[m].Headline, p.Put[m].Text = ref, ref, "x", "the record"
		cost += 60
	}
	return p, cost < size
}
