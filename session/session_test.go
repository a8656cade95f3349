package session

import (
	"fmt"
	"strings"
	"testing"

	"sessc/session/linescan"
)

// plain is a format of lines "id parent", which claims what it is told to.
type plain struct {
	Format
	name    string
	verdict Recognition
	when    string // the verdict counts for files that begin so
}

func (p plain) Name() string { return p.name }

func (p plain) Recognise(head []byte, _ string) Recognition {
	if !strings.HasPrefix(string(head), p.when) {
		return Recognition{}
	}
	return p.verdict
}

func (p plain) Reader(Settings) Reader { return plainReader{} }

type plainReader struct{}

func (plainReader) Line(l linescan.Line, b *Builder) {
	id, parent, _ := strings.Cut(string(l.Body()), " ")
	b.Add(Entry{Off: l.Off, Len: uint32(l.Size), Kind: Human, ParentID: b.Store([]byte(parent)), ID: b.Store([]byte(id))})
}

func (plainReader) Finish(b *Builder) {
	b.Link()
	b.S.Leaf = int32(len(b.S.Entries) - 1)
	b.S.Chain = b.Walk(b.S.Leaf)
	b.S.Active = b.S.Chain
}

func lines(t *testing.T, text string) *Session {
	t.Helper()
	s, err := Index(strings.NewReader(text), int64(len(text)), "x.log", plain{}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLookup(t *testing.T) {
	s := lines(t, "b\na b\nc a\na c\n\nab a\n")
	for id, want := range map[string]string{"a": "[1 3]", "b": "[0]", "ab": "[5]", "d": "[]", "": "[]"} {
		if got := fmt.Sprint(s.Lookup(id)); got != want {
			t.Errorf("%q is found at %s, want %s", id, got, want)
		}
	}
	if s.IDOf(5) != "ab" || s.ParentIDOf(5) != "a" || s.Entries[5].Parent != 3 || s.Entries[0].Parent != NoParent || s.IDOf(4) != "" {
		t.Errorf("entries %+v", s.Entries)
	}
	if s.Lines != 6 || s.Count(Human) != 6 || s.Count(Meta) != 0 || s.Position(5) != len(s.Active)-1 || s.Position(0) >= 0 {
		t.Errorf("%d lines, active %v", s.Lines, s.Active)
	}
}

// TestStore keeps most ids once, and never mixes them up.
func TestStore(t *testing.T) {
	var text strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&text, "id%d id%d\n", n, n-1-n%7)
	}
	s := lines(t, text.String())
	for n := range 1000 {
		if id, parent := s.IDOf(int32(n)), s.ParentIDOf(int32(n)); id != fmt.Sprintf("id%d", n) || parent != fmt.Sprintf("id%d", n-1-n%7) {
			t.Fatalf("entry %d: %q below %q", n, id, parent)
		}
	}
	straight := lines(t, "aaaa\nbbbb aaaa\ncccc bbbb\ndddd cccc\n")
	if string(straight.text) != "\x00\x04aaaa\x04bbbb\x04cccc\x04dddd" {
		t.Errorf("the store holds %q", straight.text)
	}
	long := strings.Repeat("long ", 100)
	if b := NewBuilder(&Session{}); b.S.Str(b.Store([]byte(long))) != long {
		t.Error("a long id is not what it was")
	}
	b := NewBuilder(&Session{})
	for _, name := range []string{"read", "exec", "read", ""} {
		if got := b.S.Str(b.Intern([]byte(name))); got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
	if string(b.S.text) != "\x00\x04read\x04exec" {
		t.Errorf("the store holds %q", b.S.text)
	}
}

func TestSound(t *testing.T) {
	rows := []struct {
		name, line string
		want       string // part of the error, "" for none
	}{
		{"an object", `{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}`, ""},
		{"CRLF", "{\"a\":1}\r", ""},
		{"a key twice", `{"a":1,"b":2,"a":3}`, `the key "a" twice`},
		{"a key twice, deep", `{"a":[1,{"b":{"c":1,"d":2,"c":3}}]}`, `the key "c" twice`},
		{"a key twice, escaped", `{"ab":1,"\u0061b":3}`, `the key "ab" twice`},
		{"a key twice behind an empty object", `{"x":{},"y":[],"x":1}`, `the key "x" twice`},
		{"a control character", "{\"a\":\"\x01\"}", "not valid JSON"},
		{"a bad escape", `{"a":"\q"}`, "not valid JSON"},
		{"a torn line", `{"a":`, "not valid JSON"},
		{"two values", `{} {}`, "not valid JSON"},
	}
	for _, r := range rows {
		s := lines(t, r.line+"\n")
		err := s.Sound(0)
		if (err == nil) != (r.want == "") || err != nil && (!strings.Contains(err.Error(), r.want) || !strings.Contains(err.Error(), "line 1 ")) {
			t.Errorf("%s: %v, want %q", r.name, err, r.want)
		}
	}
	if err := lines(t, "\ufeff{}\n").Sound(0); err != nil {
		t.Errorf("a byte order mark: %v", err)
	}
	if err := lines(t, "{}\n\ufeff{}\n").Sound(1); err == nil {
		t.Error("a byte order mark in the middle passes")
	}
}

func TestFaults(t *testing.T) {
	rows := []struct {
		name, text string
		want       Faults
	}{
		{"one root", "a\nb a\n", Faults{Roots: 1, SameRole: 1}},
		{"two roots, one without an id is none", "a\nb\n\n", Faults{Roots: 2}},
		{"a missing parent", "a\nb x\n", Faults{Roots: 1, Dangling: 1}},
		{"a ring", "a b\nb a\n", Faults{Duplicate: 2, SameRole: 1}},
		{"an id twice", "a\na\nb a\n", Faults{Roots: 2, Duplicate: 3, SameRole: 1}},
	}
	for _, r := range rows {
		if got := FaultsOf(lines(t, r.text)); got != r.want {
			t.Errorf("%s: %+v, want %+v", r.name, got, r.want)
		}
	}
}

func TestKindNames(t *testing.T) {
	seen := map[string]bool{}
	for k := Opaque; k <= Meta; k++ {
		if k.String() == "" || seen[k.String()] {
			t.Errorf("kind %d is named %q", k, k)
		}
		seen[k.String()] = true
	}
}

// TestLinesAndMessages: an entry is on the line that was read last, and by
// default a message by itself.
func TestLinesAndMessages(t *testing.T) {
	for name, c := range map[string]struct {
		add         func(b *Builder)
		lines, head string
	}{
		"a line is an entry": {func(b *Builder) {
			for range 3 {
				b.S.Lines++
				b.Add(Entry{})
			}
		}, "[1 2 3]", "[0 1 2]"},
		"two on one line, a line without any, parts of a message": {func(b *Builder) {
			for _, line := range []int{1, 2, 2, 4} {
				b.S.Lines = line
				b.Add(Entry{})
			}
			b.Join(2, 1)
			b.S.Lines++
			b.Add(Entry{})
			b.Join(4, 3)
		}, "[1 2 2 4 5]", "[0 1 1 3 3]"},
		"the first line is none": {func(b *Builder) {
			b.S.Lines = 2
			b.Add(Entry{})
			b.S.Lines++
			b.Add(Entry{})
		}, "[2 3]", "[0 1]"},
	} {
		s := &Session{}
		c.add(NewBuilder(s))
		var lines, heads []int32
		for i := range s.Entries {
			lines, heads = append(lines, int32(s.LineOf(int32(i)))), append(heads, s.MessageOf(int32(i)))
		}
		if fmt.Sprint(lines) != c.lines || fmt.Sprint(heads) != c.head {
			t.Errorf("%s: lines %v, want %s; messages %v, want %s", name, lines, c.lines, heads, c.head)
		}
	}
}
