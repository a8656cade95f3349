package writer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"sessc/session"
)

// plainSums is SumLines as one would write it for a small file.
func plainSums(b []byte) (sums []LineSum, offs []int64) {
	off := int64(0)
	for _, l := range bytes.SplitAfter(b, []byte("\n")) {
		if len(l) == 0 {
			break
		}
		body := l
		if bytes.HasSuffix(l, []byte("\n")) {
			body = bytes.TrimSuffix(bytes.TrimSuffix(l, []byte("\n")), []byte("\r"))
		}
		sum := sha256.Sum256(body)
		sums, offs = append(sums, LineSum(sum[:sumSize])), append(offs, off)
		off += int64(len(l))
	}
	return sums, offs
}

func checkSums(t *testing.T, b []byte) {
	t.Helper()
	sums, offs, err := SumLines(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	wantSums, wantOffs := plainSums(b)
	if !reflect.DeepEqual(sums, wantSums) || !reflect.DeepEqual(offs, wantOffs) {
		t.Errorf("%d bytes: %d lines at %v, want %d at %v", len(b), len(sums), offs, len(wantSums), wantOffs)
	}
}

func FuzzSumLines(f *testing.F) {
	for _, s := range []string{"", "\n", "\r\n", "a\r\r\nb", "a\nb\r", "a\n\n\nb\n", "\r"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkSums(t, b) })
}

// Lines longer than the buffer, with line ends on its border.
func TestSumLongLines(t *testing.T) {
	const buffer = 256 << 10
	for _, n := range []int{buffer - 2, buffer - 1, buffer, buffer + 1, 2*buffer - 1, 3 * buffer} {
		for _, end := range []string{"\n", "\r\n", "\r", "", "\r\r\n", "\rx\n"} {
			checkSums(t, []byte("first\n"+strings.Repeat("x", n-6)+end))
			checkSums(t, []byte(strings.Repeat("x", n)+end+"last\n"))
		}
	}
}

func TestWritten(t *testing.T) {
	path := newLog(t, original())
	s := open(t, path)
	plan, err := planFor(s)
	if err != nil {
		t.Fatal(err)
	}
	st, err := Stage(s, plan, noSettings)
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Written.Lines) > 0 {
		t.Errorf("lines are noted of what was not written: %d bytes", len(st.Written.Lines))
	}
	if err := st.Write(context.Background(), Target{}); err != nil {
		t.Fatal(err)
	}
	defer st.Discard()
	want, offs := plainSums(shorter(original()))
	if got := st.Written.Sums(); !reflect.DeepEqual(got, want) {
		t.Errorf("%d sums, want %d", len(got), len(want))
	}
	at := st.New.At(0)
	if e := st.Written.Edits[0]; len(st.Written.Edits) != 1 || e.Line != 4 || offs[4]+e.At != at.Off || e.Piece != 0 {
		t.Errorf("edits %+v, want one at %d", st.Written.Edits, at.Off)
	}
	b, err := json.Marshal(st.Written)
	if err != nil {
		t.Fatal(err)
	}
	var back Written
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, st.Written) {
		t.Errorf("%s does not come back: %v", b, err)
	}
}

// Edits that put masks or remove lines belong together where their entries
// follow each other on the active path, and where they are of one piece of the
// plan.
func TestPieces(t *testing.T) {
	path := newLog(t, original())
	s := open(t, path)
	at := func(id string) int32 { return s.Lookup(id)[0] }
	st := &Staged{Before: s, Plan: &session.Plan{Edits: []session.Edit{
		{Entries: []int32{at("00000001")}, Data: []byte("x"), Ref: "a"},
		{Entries: []int32{at("00000002")}},
		{Entries: []int32{at("00000003")}, Data: []byte(`"id"`)},
		{Entries: []int32{at("00000004")}},
		{Entries: []int32{at("00000005")}, Data: []byte("y"), Ref: "b"},
	}}}
	want := map[int]int{0: 1, 1: 1, 3: 2, 4: 2}
	if got := st.pieces(); !reflect.DeepEqual(got, want) {
		t.Errorf("pieces %v, want %v", got, want)
	}
	for n, piece := range []int{1, 2, 2, 3, 3} {
		st.Plan.Edits[n].Piece = piece
	}
	want = map[int]int{0: 1, 1: 2, 3: 3, 4: 3}
	if got := st.pieces(); !reflect.DeepEqual(got, want) {
		t.Errorf("pieces %v, want %v", got, want)
	}
}
