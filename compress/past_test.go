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
