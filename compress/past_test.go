package compress

import (
	"slices"
	"testing"

	"sessc/archive"
	"sessc/lifecycle"
)

func TestStatesOf(t *testing.T) {
	mask := func(key string, s lifecycle.State) archive.Mask { return archive.Mask{Key: key, State: s.String()} }
	st, layers := StatesOf(&archive.Past{Masks: []archive.Mask{
		mask("call_1", lifecycle.Done), mask("turn:x", lifecycle.Done), mask("result:y", lifecycle.Failed), mask("call_2", lifecycle.TimedOut),
		mask("call_3", lifecycle.Killed), mask("call_4", lifecycle.SpawnFailed),
	}})
	if want := (States{Found: 6, Done: 2, Failed: 1, TimedOut: 1, Killed: 1, SpawnFailed: 1, Compacted: 6}); st != want {
		t.Errorf("%+v, want %+v", st, want)
	}
	if want := []string{"tasks", "turns", "results"}; !slices.Equal(layers, want) {
		t.Errorf("layers %q, want %q", layers, want)
	}
	if st, layers := StatesOf(nil); st != (States{}) || layers != nil {
		t.Errorf("of nothing: %+v, %q", st, layers)
	}
}

func TestLogs(t *testing.T) {
	type rewrite struct {
		session, path string
		old, left     byte // the content before and after
	}
	for _, tc := range []struct {
		name string
		all  []rewrite
		want []int64
	}{
		{"nothing", nil, []int64{}},
		{"again", []rewrite{{"s", "/a", 1, 2}, {"s", "/a", 2, 3}}, []int64{1, 1}},
		{"grown between", []rewrite{{"s", "/a", 1, 2}, {"s", "/a", 8, 9}}, []int64{1, 1}},
		{"renamed between", []rewrite{{"s", "/a", 1, 2}, {"s", "/b", 2, 3}, {"s", "/b", 8, 9}}, []int64{1, 1, 1}},
		{"renamed and grown", []rewrite{{"s", "/a", 1, 2}, {"s", "/b", 8, 9}}, []int64{1, 2}},
		{"copies of the original", []rewrite{{"s", "/a", 1, 2}, {"s", "/b", 1, 2}, {"s", "/b", 2, 3}, {"s", "/a", 2, 3}}, []int64{1, 2, 2, 1}},
		{"a copy between", []rewrite{{"s", "/a", 1, 2}, {"s", "/b", 2, 3}, {"s", "/a", 2, 3}}, []int64{1, 1, 3}},
		{"another session with the same bytes", []rewrite{{"s", "/a", 1, 2}, {"t", "/a", 2, 3}}, []int64{1, 2}},
	} {
		all := make([]archive.Generation, len(tc.all))
		for i, x := range tc.all {
			f := archive.File{Old: archive.Content{SHA256: [32]byte{x.old}}, New: archive.Content{SHA256: [32]byte{x.left}}}
			all[i] = archive.Generation{ID: int64(i + 1), Session: x.session, Format: "openclaw", Path: x.path, Files: []archive.File{f}}
		}
		if got := Logs(all); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}
