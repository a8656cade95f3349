package genlog

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestDamageFixtures checks that each damaged log is damaged in the way its truth says, and nowhere else.
func TestDamageFixtures(t *testing.T) {
	bad := map[string]int{
		"openclaw/torn-tail": 1, "openclaw/nul-line": 2, "openclaw/fused-lines": 2, "openclaw/bom": 1, "openclaw/crlf-blank": 0, "openclaw/separators": 0,
		"claudecode/torn-tail": 1, "claudecode/nul-line": 2, "claudecode/fused-lines": 2, "claudecode/bom": 1, "claudecode/crlf-blank": 0, "claudecode/separators": 0,
		"claudecode/dangling-parent": 0, "claudecode/null-parent": 0, "claudecode/duplicate-uuid": 0, "claudecode/parent-cycle": 0,
	}
	seen := 0
	for _, f := range append(damageFixtures(), claudeDamage()...) {
		seen++
		name := f.Folder() + "/" + f.Script.Name
		t.Run(name, func(t *testing.T) {
			want, ok := bad[name]
			if !ok {
				t.Fatal("no expectation for this fixture")
			}
			out, err := Play(f.Script, f.Format, f.Seed)
			if err != nil {
				t.Fatal(err)
			}
			log := f.Damage(bytes.Clone(out.Log), &out.Truth)
			if out.Truth.Bytes != int64(len(log)) || out.Truth.Lines != bytes.Count(log, []byte("\n")) {
				t.Errorf("truth says %d bytes and %d lines, the log has %d and %d", out.Truth.Bytes, out.Truth.Lines, len(log), bytes.Count(log, []byte("\n")))
			}
			broken := 0
			for _, l := range lines(log) {
				if l = bytes.TrimSpace(l); len(l) > 0 && !json.Valid(l) {
					broken++
				}
			}
			if broken != want {
				t.Errorf("%d lines are no JSON, want %d", broken, want)
			}
			for _, l := range out.Truth.Lifecycles {
				if l.OnActivePath && lineOf(lines(log), l.SpawnEntry) < 0 {
					t.Errorf("lifecycle %s is said to be reachable but its spawn cannot be found", l.CallID)
				}
			}
		})
	}
	if seen != len(bad) {
		t.Errorf("%d damaged fixtures, %d expectations", seen, len(bad))
	}
}
