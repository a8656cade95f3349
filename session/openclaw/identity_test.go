package openclaw

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"sessc/scripts/gen/genlog"
	"sessc/session"
)

// checkIndex holds an index against the bytes that it was made of.
func checkIndex(t *testing.T, s *session.Session, log []byte) {
	t.Helper()
	var again []byte
	for i := range s.Entries {
		raw, err := s.Raw(int32(i))
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, raw...)
	}
	if !bytes.Equal(again, log) {
		t.Fatalf("the entries make %d bytes, the log has %d", len(again), len(log))
	}
	lines := bytes.Count(log, []byte("\n"))
	torn := int64(len(log) - 1 - bytes.LastIndexByte(log, '\n'))
	if torn > 0 {
		lines++
	}
	if s.Lines != lines || s.Torn.Len != torn || torn > 0 && s.Torn.End() != int64(len(log)) {
		t.Errorf("%d lines and a torn end of %+v, want %d and %d bytes", s.Lines, s.Torn, lines, torn)
	}
	if s.Source.SHA256 != sha256.Sum256(log) || s.Source.Size != int64(len(log)) {
		t.Error("the fingerprint is that of other bytes")
	}
	checkTree(t, s)
}

// checkTree checks what every later stage relies on.
func checkTree(t *testing.T, s *session.Session) {
	t.Helper()
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Parent >= int32(len(s.Entries)) || e.Parent < session.MissingParent || e.Kind.Role() == "" && e.Tokens() > 0 {
			t.Fatalf("entry %d: %+v", i, e)
		}
		if e.Parent >= 0 && s.IDOf(e.Parent) != s.ParentIDOf(int32(i)) {
			t.Fatalf("entry %d hangs below another than it names", i)
		}
	}
	if (s.Leaf < 0) != (len(s.Chain) == 0) || len(s.Chain) > 0 && s.Chain[len(s.Chain)-1] != s.Leaf {
		t.Fatalf("leaf %d, chain %v", s.Leaf, s.Chain)
	}
	for n := 1; n < len(s.Chain); n++ {
		if s.Entries[s.Chain[n]].Parent != s.Chain[n-1] {
			t.Fatalf("chain breaks at %d", n)
		}
	}
	on := map[int32]bool{}
	for p, i := range s.Active {
		if on[i] || s.Position(i) != p || s.Entries[i].Kind.Role() == "" || !slices.Contains(s.Chain, i) {
			t.Fatalf("entry %d on the active path twice, without a role, or off the chain", i)
		}
		on[i] = true
	}
	answered := map[int32]bool{}
	for n, c := range s.Calls {
		if n > 0 && c.Entry < s.Calls[n-1].Entry {
			t.Fatal("calls are not in file order")
		}
		if c.Result >= 0 && (answered[c.Result] || s.Entries[c.Result].Kind != session.Result) {
			t.Fatalf("call %d is answered by %d, as another is", n, c.Result)
		}
		answered[c.Result] = true
	}
	for _, ev := range s.Events {
		if ev.Entry < 0 || int(ev.Entry) >= len(s.Entries) {
			t.Fatalf("event %+v", ev)
		}
	}
}

func TestIdentityOfFixtures(t *testing.T) {
	for name, log := range fixtureLogs(t) {
		t.Run(name, func(t *testing.T) {
			s := indexed(t, log)
			checkIndex(t, s, log)
			checkSpliced(t, log, 1)
		})
	}
}

func TestIdentityOfMutated(t *testing.T) {
	logs := fixtureLogs(t)
	names := slices.Sorted(maps.Keys(logs))
	for seed := int64(0); seed < 500; seed++ {
		name := names[seed%int64(len(names))]
		log, how := genlog.Mutate(seed, logs[name])
		t.Run(fmt.Sprintf("%s %d %s", name, seed, how), func(t *testing.T) {
			s := indexed(t, log)
			checkIndex(t, s, log)
			for i := range s.Entries {
				if raw, err := s.Raw(int32(i)); err == nil {
					Format{}.Content(raw)
				}
			}
			for n := range s.Calls {
				s.Action(&s.Calls[n])
			}
			if worse := session.Worse(s, indexed(t, log)); worse != nil {
				t.Errorf("a log is worse than itself: %q", worse)
			}
			if seed%10 == 0 {
				checkSpliced(t, log, seed)
			}
		})
	}
}

// checkSpliced compares the index of an edited view with that of the bytes
// that it stands for.
func checkSpliced(t *testing.T, log []byte, seed int64) {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	var edits []session.Edit
	var real []byte
	from := 0
	for from < len(log) && len(edits) < 20 {
		at := from + r.Intn(len(log)-from)
		n := r.Intn(min(400, len(log)-at))
		data := bytes.Repeat([]byte("{\"id\":\"x\"}\n"), r.Intn(4))
		edits = append(edits, session.Edit{At: session.Range{Off: int64(at), Len: int64(n)}, Data: data})
		real = append(append(real, log[from:at]...), data...)
		from = at + n
	}
	real = append(real, log[from:]...)
	view, err := session.Splice(bytes.NewReader(log), int64(len(log)), edits)
	if err != nil {
		t.Fatal(err)
	}
	got, err := session.Index(view, view.Size(), "/logs/x.jsonl", Format{}, session.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	checkIndex(t, got, real)
	sameIndex(t, got, indexed(t, real))
}

func sameIndex(t *testing.T, a, b *session.Session) {
	t.Helper()
	for i := range a.Entries {
		if a.IDOf(int32(i)) != b.IDOf(int32(i)) || a.ParentIDOf(int32(i)) != b.ParentIDOf(int32(i)) {
			t.Fatalf("entry %d has other ids", i)
		}
	}
	for _, pair := range [][2]any{
		{a.Entries, b.Entries}, {a.Chain, b.Chain}, {a.Active, b.Active}, {a.Calls, b.Calls}, {a.Usages, b.Usages}, {a.Events, b.Events},
		{a.ID, b.ID}, {a.Model, b.Model}, {a.Effort, b.Effort}, {a.Leaf, b.Leaf}, {a.Recorded, b.Recorded}, {a.Torn, b.Torn}, {a.Lines, b.Lines},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Fatalf("the view gives\n%+v, the bytes\n%+v", pair[0], pair[1])
		}
	}
}
