package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sessc/batch"
	"sessc/compress"
	"sessc/config"
	"sessc/report"
	"sessc/restore"
	"sessc/writer"
)

// put makes files below a new folder and changes into it.
func put(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		path := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

func TestOwnerOf(t *testing.T) {
	home := put(t)
	link(t, home, "alias")
	env := map[string]string{"HOME": home}
	getenv := func(name string) string { return env[name] }
	for dir, want := range map[string]string{
		".local/share/sessc":                 ".",
		".openclaw":                          ".openclaw",
		".openclaw/agents/main/sessions/x":   ".openclaw",
		".openclaw/kept":                     ".openclaw",
		".openclaw-kept":                     ".",
		".claude/projects/kept":              ".claude",
		".pi/agent/sessions/--work--":        ".pi/agent",
		".pi":                                ".",
		"alias/.openclaw/kept":               ".openclaw",
		"alias/.local/share/sessc":           ".",
		"../" + filepath.Base(home) + "/sub": ".",
	} {
		got := ownerOf(filepath.Join(home, dir), getenv)
		if got == "" {
			got = home
		}
		if rel, err := filepath.Rel(home, got); err != nil || rel != want {
			t.Errorf("archive %s lies in %q, want %q", dir, rel, want)
		}
	}
	// A home that is an agent's folder as a whole leaves room for the archive.
	env["OPENCLAW_STATE_DIR"] = home
	if got := ownerOf(filepath.Join(home, ".local/share/sessc"), getenv); got != "" {
		t.Errorf("the default archive is said to lie in %s", got)
	}
	if got := ownerOf(filepath.Join(home, "agents/kept"), getenv); got != filepath.Join(home, "agents") {
		t.Errorf("an archive among the agents is said to lie in %q", got)
	}
}

func TestTallyErr(t *testing.T) {
	for _, tc := range []struct {
		name  string
		tally tally
		kind  error // nil: no error at all
		text  string
	}{
		{"all done", tally{changed: 2, same: 1}, nil, ""},
		{"skipped only", tally{busy: 2}, nil, ""},
		{"other files among logs", tally{same: 1, foreign: 4}, nil, ""},
		{"one failed", tally{changed: 2, failed: 1}, ErrBatch, "of 3 sessions: 1 failed"},
		{"all failed", tally{failed: 2}, ErrBatch, "of 2 sessions: 2 failed"},
		{"refused", tally{changed: 1, refused: 1}, writer.ErrRefused, "of 2 sessions: 1 refused"},
		{"failure outweighs refusal", tally{refused: 1, failed: 1}, ErrBatch, "of 2 sessions: 1 failed, 1 refused"},
		{"late lines", tally{changed: 2, late: 1}, ErrBatch, "of 2 sessions: 1 changed while another program wrote to it"},
		{"stopped", tally{changed: 1, stopped: 8}, ErrBatch, "of 9 sessions: 8 not done because of a signal"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.tally.err()
			if tc.kind == nil {
				if err != nil {
					t.Errorf("error %v", err)
				}
				return
			}
			if !errors.Is(err, tc.kind) || err.Error() != tc.text {
				t.Errorf("error %v, want %q of kind %v", err, tc.text, tc.kind)
			}
			for _, other := range []error{ErrUsage, ErrBatch, writer.ErrRefused} {
				if other != tc.kind && errors.Is(err, other) {
					t.Errorf("error %v is of kind %v too", err, other)
				}
			}
		})
	}
	if err := (&tally{foreign: 3}).err(); err == nil || errors.Is(err, ErrBatch) {
		t.Errorf("no session among three files gives %v", err)
	}
}

// A session that is changed although another program wrote to the old log is
// one session, and an error.
func TestLateIsOneSession(t *testing.T) {
	var out, talk bytes.Buffer
	p := &Process{Stdout: &out, Stderr: &talk}
	r := &compressRun{p: p, cfg: &config.Config{}, out: reporter{p: p, brief: true}}
	late := fmt.Errorf("logs/a.jsonl: %w: 7 bytes are saved", writer.ErrLate)
	for _, o := range []batch.Outcome{
		{Target: batch.Target{Shown: "logs/a.jsonl"}, Report: &compress.Report{Changed: true, Context: compress.NewChange(50, 20)}, Err: late},
		{Target: batch.Target{Shown: "logs/b.jsonl"}, Report: &compress.Report{Context: compress.NewChange(10, 10)}},
	} {
		if err := r.done(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.out.totals(&r.tally); err != nil {
		t.Fatal(err)
	}
	p.summary(&r.tally, false, 0, nil)
	err := r.tally.err()
	if want := "of 2 sessions: 1 changed while another program wrote to it"; !errors.Is(err, ErrBatch) || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	if want := "total: 2 sessions: 1 changed (1 of them while another program wrote to it), 1 unchanged\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, &out)
	}
	for _, want := range []string{"sessc: " + late.Error() + "\n", "summary: sessions=2 changed=1 unchanged=1 ", " failed=0 ", " tokens_saved=30 ", " late=1\n"} {
		if strings.Count(talk.String(), want) != 1 {
			t.Errorf("not once %q in\n%s", want, &talk)
		}
	}
}

// Every field of the JSON forms stands in docs/json.md.
func TestJSONIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			return
		}
		for i := range of.NumField() {
			f := of.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || !f.IsExported() {
				continue
			}
			if f.Anonymous && name == "" {
				check(f.Type)
				continue
			}
			if name == "" {
				t.Errorf("%s.%s has no name in JSON", of, f.Name)
			}
			if !strings.Contains(string(doc), "`"+name+"`") {
				t.Errorf("docs/json.md does not name %s (%s.%s)", name, of, f.Name)
			}
			seen++
			check(f.Type)
		}
	}
	for _, v := range []any{compress.Report{}, scanReport{}, sessionReport{}, report.Report{}, restore.Report{}, statusReport{}, errorObject{}} {
		check(reflect.TypeOf(v))
	}
	for _, schema := range []string{compress.Schema, scanSchema, sessionsSchema, report.Schema, restore.Schema, statusSchema, errorSchema} {
		if !strings.Contains(string(doc), "## "+schema+"\n") {
			t.Errorf("docs/json.md has no section %s", schema)
		}
	}
	if seen < 50 {
		t.Errorf("only %d fields were looked at", seen)
	}
}
