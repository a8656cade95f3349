package compress

import (
	"context"
	"testing"

	"sessc/archive"
	"sessc/session"
	"sessc/session/openclaw"
)

// Copies of a session have one id: the factor is that of the rewrite whose
// masks stand in the log, not that of the newest.
func TestWhoseFactor(t *testing.T) {
	s := &session.Session{ID: "s", Format: openclaw.Format{}}
	rewrite := func(id int64, session, format string, markers ...string) archive.Generation {
		return archive.Generation{ID: id, Session: session, Format: format, Markers: markers}
	}
	// Newest first, as the archive lists them.
	past := []archive.Generation{
		rewrite(9, "other", "openclaw", "a", "b"),
		rewrite(8, "s", "claude-code", "a", "b"),
		rewrite(7, "s", "openclaw", "a"),
		rewrite(6, "s", "openclaw", "a", "b", "c"),
		rewrite(5, "s", "openclaw", "a", "b"),
		rewrite(4, "s", "openclaw", "a", "b"),
	}
	for _, tc := range []struct {
		refs []string
		want int64
	}{
		{[]string{"a"}, 7},
		{[]string{"a", "b"}, 5},
		{[]string{"a", "b", "c"}, 6},
		{[]string{"b", "c"}, 6},
	} {
		refs := map[string]bool{}
		for _, r := range tc.refs {
			refs[r] = true
		}
		if g := wrote(past, s, refs); g == nil || g.ID != tc.want {
			t.Errorf("masks %q: rewrite %+v, want %d", tc.refs, g, tc.want)
		}
	}
	if g := wrote(past[:2], s, map[string]bool{"a": true}); g != nil {
		t.Errorf("another session's rewrite %d is taken", g.ID)
	}
	if f, err := (&Options{}).storedFactor(context.Background(), s); f != nil || err != nil {
		t.Errorf("without an archive: %v, %v", f, err)
	}
}
