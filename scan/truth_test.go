package scan_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sessc/lifecycle"
	"sessc/scan"
	"sessc/scripts/gen/genlog"
	"sessc/session"
	"sessc/session/claudecode"
	"sessc/session/openclaw"
)

// extra are the delegation tools of extensions that the generator uses.
var extra = session.Settings{SpawnTools: []string{"delegate_task", "subagent"}}

// score counts lifecycles with their states against the truth.
type score struct{ right, wrong, missed int }

// judge compares what was found in one log with its truth and logs each
// difference.
func judge(t *testing.T, sc *score, name string, found []lifecycle.Lifecycle, truth genlog.Truth) {
	t.Helper()
	want := map[string][]genlog.Lifecycle{} // in the order of their spawns
	for _, l := range truth.Lifecycles {
		if l.Log == "" {
			want[l.CallID] = append(want[l.CallID], l)
		}
	}
	for _, l := range found {
		var w genlog.Lifecycle
		ok := len(want[l.Key]) > 0
		if ok {
			w, want[l.Key] = want[l.Key][0], want[l.Key][1:]
		}
		state := genlog.State(strings.ReplaceAll(l.State.String(), "spawn failed", "spawn-failed"))
		switch {
		case !ok:
			sc.wrong++
			t.Logf("%s: %s is no lifecycle", name, l.Key)
		case state != w.State && !slices.Contains(w.Or, state):
			sc.wrong++
			t.Logf("%s: %s (%s): state %s (%s), want %s", name, l.Key, w.Label, state, l.Why, w.State)
		default:
			sc.right++
		}
	}
	for key, left := range want {
		for range left {
			sc.missed++
			t.Logf("%s: %s was not found", name, key)
		}
	}
}

// written are the formats with the names under which the generator writes them.
var written = map[string]session.Format{"openclaw": openclaw.Format{}, "pi": openclaw.Format{}, "claude-code": claudecode.Format{}}

func TestGeneratedLogs(t *testing.T) {
	for name, format := range written {
		t.Run(name, func(t *testing.T) {
			var sc score
			for seed := range int64(200) {
				out, err := genlog.Play(genlog.Random(seed, false), name, seed)
				if err != nil {
					t.Fatal(err)
				}
				s, err := session.Index(bytes.NewReader(out.Log), int64(len(out.Log)), out.Truth.Name, format, extra)
				if err != nil {
					t.Fatal(err)
				}
				judge(t, &sc, out.Truth.Name, scan.Find(s), out.Truth)
			}
			t.Logf("200 logs: %d right, %d wrong, %d missed", sc.right, sc.wrong, sc.missed)
			if sc.wrong > 0 {
				t.Errorf("precision %.2f %%, want 100 %%", 100*float64(sc.right)/float64(sc.right+sc.wrong))
			}
			if all := sc.right + sc.wrong + sc.missed; 100*sc.right < 99*all {
				t.Errorf("recall %.2f %%, want at least 99 %%", 100*float64(sc.right)/float64(all))
			}
		})
	}
}

func TestFixtures(t *testing.T) {
	for _, c := range []struct {
		name   string
		format session.Format
		globs  []string
	}{
		{"openclaw", openclaw.Format{}, []string{"openclaw/*.truth.json", "openclaw/*/*.truth.json", "trouble/*.truth.json"}},
		{"claudecode", claudecode.Format{}, []string{"claudecode/*.truth.json", "claudecode/*/*.truth.json"}},
	} {
		t.Run(c.name, func(t *testing.T) { fixtures(t, c.format, c.globs) })
	}
}

func fixtures(t *testing.T, format session.Format, globs []string) {
	var truths []string
	for _, g := range globs {
		found, err := filepath.Glob("../fixtures/" + g)
		if err != nil {
			t.Fatal(err)
		}
		truths = append(truths, found...)
	}
	if len(truths) < 40 {
		t.Fatalf("%d fixtures found, want at least 40", len(truths))
	}
	for _, path := range truths {
		name := strings.TrimSuffix(filepath.Base(path), ".truth.json")
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var truth genlog.Truth
			if err := json.Unmarshal(b, &truth); err != nil {
				t.Fatal(err)
			}
			set := extra
			if name == "decoys" {
				set = session.Settings{}
			}
			s, err := session.Open(strings.TrimSuffix(path, ".truth.json")+".jsonl", []session.Format{format}, set)
			if err != nil {
				if refused[name] {
					return
				}
				t.Fatal(err)
			}
			defer s.Close()
			if refused[name] {
				t.Fatal("it was read, but must be refused")
			}
			var sc score
			judge(t, &sc, name, scan.Find(s), truth)
			if sc.wrong+sc.missed > 0 {
				t.Errorf("%d right, %d wrong, %d missed", sc.right, sc.wrong, sc.missed)
			}
		})
	}
}

// refused are the fixtures that are no session logs of a version that is read.
var refused = map[string]bool{
	"binary": true, "empty": true, "header-v1": true, "header-v2": true, "header-v4": true, "no-version": true, "run.trajectory": true,
	"only-a-subagent": true, "another-program": true,
}
