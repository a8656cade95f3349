package archive

import (
	"context"
	"strings"
	"testing"
)

func TestSettle(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	kept := randomSample(seeded(20), "kept", 1, 5000, 6, 2)
	id := kept.apply(t, a)
	before := rowCounts(t, a)

	s := randomSample(seeded(21), "dropped", 2, 5000, 6, 2)
	p := s.put(t, a)
	if err := p.Settle(ctx, false); err != nil {
		t.Fatal(err)
	}
	if got := rowCounts(t, a); !equalCounts(got, before) {
		t.Errorf("rows after a drop %v, want %v", got, before)
	}
	if f := packFiles(t, a.dir); len(f) != 1 {
		t.Errorf("packs after a drop: %v", f)
	}
	if err := p.Settle(ctx, true); err == nil {
		t.Error("a dropped generation was settled as applied")
	}
	kept.restores(t, a, id)

	again := randomSample(seeded(21), "dropped", 2, 5000, 6, 2)
	if n := again.apply(t, a); n <= p.ID {
		t.Errorf("generation number %d was used before", n)
	}
	gs, err := a.Generations(ctx, Query{Session: "dropped"})
	if err != nil || len(gs) != 1 || gs[0].State != StateApplied {
		t.Errorf("generations %+v, %v", gs, err)
	}
}

func equalCounts(x, y map[string]int) bool {
	if len(x) != len(y) {
		return false
	}
	for k, v := range x {
		if y[k] != v {
			return false
		}
	}
	return true
}

func TestSettlePending(t *testing.T) {
	s := randomSample(seeded(22), "s", 2, 5000, 6, 2)
	grown := func(m map[string][]byte) map[string][]byte {
		for k := range m {
			m[k] = append(m[k][:len(m[k]):len(m[k])], "more\n"...)
		}
		return m
	}
	mixed := s.onDisk(true)
	mixed[s.g.Files[1].Path] = s.old[1]
	missing := s.onDisk(true)
	delete(missing, s.g.Files[1].Path)
	foreign := s.onDisk(false)
	foreign[s.g.Files[0].Path] = []byte("rewritten by its program")
	tests := map[string]struct {
		files  map[string][]byte
		want   Outcome
		reason string
	}{
		"new":           {s.onDisk(true), OutcomeApplied, ""},
		"new and grown": {grown(s.onDisk(true)), OutcomeApplied, ""},
		"old":           {s.onDisk(false), OutcomeDropped, ""},
		"old and grown": {grown(s.onDisk(false)), OutcomeDropped, ""},
		"mixed":         {mixed, OutcomeOpen, "some of its files"},
		"missing":       {missing, OutcomeOpen, "is missing"},
		"foreign":       {foreign, OutcomeOpen, "another program"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			a := newArchive(t)
			p := s.put(t, a)
			// As long as its owner lives, nobody else judges it.
			other := openArchive(t, a.dir)
			got, err := other.SettlePending(ctx, peekMap(tt.files))
			if err != nil || len(got) != 1 || got[0].Outcome != OutcomeOpen || !strings.Contains(got[0].Reason, "running") {
				t.Fatalf("while it is held: %+v, %v", got, err)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			got, err = other.SettlePending(ctx, peekMap(tt.files))
			if err != nil || len(got) != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			if got[0].Outcome != tt.want || !strings.Contains(got[0].Reason, tt.reason) {
				t.Errorf("outcome %s (%s), want %s (%s)", got[0].Outcome, got[0].Reason, tt.want, tt.reason)
			}
			gs, err := a.Generations(ctx, Query{Session: "s"})
			if err != nil {
				t.Fatal(err)
			}
			switch tt.want {
			case OutcomeDropped:
				if len(gs) != 0 || len(packFiles(t, a.dir)) != 0 {
					t.Errorf("left: %v, %v", gs, packFiles(t, a.dir))
				}
			case OutcomeApplied:
				if gs[0].State != StateApplied {
					t.Errorf("state %s", gs[0].State)
				}
			default:
				if gs[0].State != StatePending {
					t.Errorf("state %s", gs[0].State)
				}
			}
			if tt.want != OutcomeDropped {
				s.restores(t, a, p.ID)
			}
		})
	}
}

// When one content is a prefix of the other, the longer one decides.
func TestSettlePendingOfPrefixes(t *testing.T) {
	appended := appendOnly()
	cut := &sample{old: appended.new, new: appended.old, g: Generation{Session: "cut", Format: "f", Files: []File{{
		Path: "append-0.jsonl", Old: appended.g.Files[0].New, New: appended.g.Files[0].Old,
		Edits: []Edit{{Old: appended.g.Files[0].Edits[0].New, New: appended.g.Files[0].Edits[0].Old}},
	}}}}
	tests := map[string]struct {
		s     *sample
		files map[string][]byte
		want  Outcome
	}{
		"appended, new": {appended, appended.onDisk(true), OutcomeApplied},
		"appended, old": {appended, appended.onDisk(false), OutcomeDropped},
		"cut, new":      {cut, cut.onDisk(true), OutcomeApplied},
		"cut, old":      {cut, cut.onDisk(false), OutcomeDropped},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := newArchive(t)
			tt.s.put(t, a).Close()
			got, err := a.SettlePending(context.Background(), peekMap(tt.files))
			if err != nil || len(got) != 1 || got[0].Outcome != tt.want {
				t.Errorf("%+v, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestGenerations(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	one := randomSample(seeded(23), "one", 1, 3000, 5, 2)
	two := randomSample(seeded(24), "two", 1, 3000, 5, 2)
	two.g.Masks[0].Record = "── nul \x00, bad \xff\xfe, 归档, quote ' \""
	two.g.Markers = append(two.g.Markers, one.g.Markers[0]) // a fork that carries a mask over
	first, second := one.apply(t, a), two.apply(t, a)
	tests := map[string]struct {
		q    Query
		want []int64
	}{
		"all, newest first": {Query{}, []int64{second, first}},
		"session":           {Query{Session: "one"}, []int64{first}},
		"content":           {Query{New: two.g.Files[0].New.SHA256}, []int64{second}},
		"marker":            {Query{Refs: []string{one.g.Markers[0]}}, []int64{second, first}},
		"marker of one":     {Query{Refs: []string{one.g.Markers[1], "x"}}, []int64{first}},
		"any of them":       {Query{Session: "one", New: two.g.Files[0].New.SHA256}, []int64{second, first}},
		"nothing":           {Query{Session: "three"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			gs, err := a.Generations(ctx, tt.q)
			if err != nil {
				t.Fatal(err)
			}
			if len(gs) != len(tt.want) {
				t.Fatalf("%d generations, want %v", len(gs), tt.want)
			}
			for i, g := range gs {
				if g.ID != tt.want[i] {
					t.Errorf("generation %d is %d, want %d", i, g.ID, tt.want[i])
				}
			}
		})
	}
	g, err := a.Load(ctx, second)
	if err != nil {
		t.Fatal(err)
	}
	if g.Options != "tasks" || g.Format != "pi" || g.Time != 1000 || len(g.Masks) != 2 || g.Masks[0] != two.g.Masks[0] {
		t.Errorf("loaded %+v", g)
	}
	for i, e := range g.Files[0].Edits {
		if e != two.g.Files[0].Edits[i] {
			t.Errorf("edit %d: %+v, want %+v", i, e, two.g.Files[0].Edits[i])
		}
	}
	for i, e := range g.Entries {
		if e != two.g.Entries[i] {
			t.Errorf("entry %d: %+v, want %+v", i, e, two.g.Entries[i])
		}
	}
}
