package properties_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sessc/compress"
	"sessc/lifecycle"
	"sessc/scripts/gen/genlog"
	"sessc/session"
	"sessc/session/claudecode"
	"sessc/session/openclaw"
)

// target is one log format under attack.
type target struct {
	name     string
	format   session.Format
	set      session.Settings
	fixtures string   // folder of NAME.jsonl with NAME.truth.json beside it
	trouble  string   // glob of more such logs, seen from fixtures; "" none
	played   []string // names under which package genlog writes the format
	samples  []string // globs below the samples folder
	read     func(b []byte) seen
	// pointers are the keys whose value names another line: a rewrite may
	// change these on a line that it keeps. figures are the paths of the
	// numbers that it may lower.
	pointers []string
	figures  []string
	// masks are the texts of a marked line that stand in the place of others.
	masks func(r *row) []string
	// later is a line that the agent might append; quote is a text as the
	// person's words in a line of the format.
	later string
	quote func(text string) any
	// ballast are the types of lines that may go with the layer disk.
	ballast []string
	// plain are fixtures that are read without set.
	plain map[string]bool
	// refused are fixtures that must not be read as a session.
	refused map[string]bool
}

// claudeCode is the name of that target in other tables.
const claudeCode = "claude-code"

// targets is the table that a new format is added to.
var targets = []target{{
	name:     "openclaw",
	format:   openclaw.Format{},
	set:      session.Settings{SpawnTools: []string{"delegate_task", "subagent"}},
	fixtures: "../fixtures/openclaw",
	trouble:  "../trouble/*.truth.json",
	played:   []string{"openclaw", "pi"},
	samples:  []string{"openclaw/*.jsonl", "mit/pi-*.jsonl"},
	read:     readOpenClaw,
	pointers: []string{"parentId", "targetId", "fromId", "appendParentId", "firstKeptEntryId"},
	figures:  []string{"message.usage.totalTokens"},
	masks:    func(r *row) []string { return r.texts },
	later:    `{"type":"custom","customType":"later","id":"later001","parentId":null}`,
	quote: func(text string) any {
		return map[string]any{"type": "message", "message": map[string]any{"role": "user", "content": text}}
	},
	plain: map[string]bool{"decoys": true},
	refused: map[string]bool{
		"binary": true, "empty": true, "header-v1": true, "header-v2": true, "header-v4": true, "no-version": true, "run.trajectory": true,
		"pi-large-session": true, // a sample: version 1
	},
}, {
	name:     claudeCode,
	format:   claudecode.Format{},
	set:      session.Settings{SpawnTools: []string{"delegate_task"}},
	fixtures: "../fixtures/claudecode",
	trouble:  "../trouble/claudecode/*.truth.json",
	played:   []string{"claude-code"},
	samples:  []string{"claude-code/*/*.jsonl", "claude-code/generated/*/*.jsonl", "mit/claude-*/*.jsonl"},
	read:     readClaude,
	pointers: []string{"parentUuid", "leafUuid", "messageId", "sourceToolAssistantUUID"},
	figures:  []string{"message.usage.input_tokens", "message.usage.cache_creation_input_tokens", "message.usage.cache_read_input_tokens"},
	masks:    masksClaude,
	ballast:  []string{"progress"},
	later:    `{"parentUuid":null,"isSidechain":false,"type":"system","subtype":"informational","content":"later","uuid":"1a7e0000-0000-4000-a000-000000000000","timestamp":"2026-05-01T00:00:00.000Z"}`,
	quote: func(text string) any {
		return map[string]any{"type": "user", "origin": map[string]any{"kind": "task-notification"}, "message": map[string]any{"role": "user", "content": text}}
	},
	plain:   map[string]bool{"decoys": true},
	refused: map[string]bool{"empty": true, "only-a-subagent": true, "another-program": true},
}}

// options are the ways in which the line is run: every one is a promise of its
// own. A layer or switch that changes what is masked is added here.
var options = []struct {
	name string
	set  func(o *compress.Options)
}{
	{"estimated", func(*compress.Options) {}},
	{"keep-none", func(o *compress.Options) { o.Lifecycles.KeepLast = 0 }},
	{"turns", func(o *compress.Options) { o.Layers = []lifecycle.Kind{lifecycle.Turn} }},
	{"results", func(o *compress.Options) { o.Layers = []lifecycle.Kind{lifecycle.Result} }},
	{"tasks-turns", func(o *compress.Options) { o.Layers = []lifecycle.Kind{lifecycle.Task, lifecycle.Turn} }},
	{"all", func(o *compress.Options) { o.Layers = lifecycle.Kinds }},
	{"all-keep-none", func(o *compress.Options) {
		o.Layers = lifecycle.Kinds
		o.Lifecycles = lifecycle.Options{}
	}},
	{"all-disk", func(o *compress.Options) { o.Layers, o.Disk = lifecycle.Kinds, true }},
}

// rotated picks the options for the n-th log of a suite that does not run all.
func rotated(n int64) func(o *compress.Options) {
	return options[int(uint64(n)%uint64(len(options)))].set
}

// specimen is one log with what is known about it.
type specimen struct {
	name  string
	data  []byte
	files map[string][]byte // side files by name
	truth *genlog.Truth     // nil when nothing is known
	set   session.Settings
	// refused says that it must not be read as a session.
	refused bool
}

// fixturesOf reads the shipped logs of a format.
func fixturesOf(tb testing.TB, tg *target) []specimen {
	tb.Helper()
	var all []specimen
	for _, glob := range []string{"*.truth.json", "*/*.truth.json", tg.trouble} {
		if glob == "" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(tg.fixtures, glob))
		if err != nil {
			tb.Fatal(err)
		}
		for _, p := range paths {
			base := strings.TrimSuffix(filepath.Base(p), ".truth.json")
			sp := specimen{name: base, set: tg.set, files: map[string][]byte{}, truth: new(genlog.Truth), refused: tg.refused[base]}
			if tg.plain[base] {
				sp.set = session.Settings{}
			}
			if err := json.Unmarshal(fileOf(tb, p), sp.truth); err != nil {
				tb.Fatalf("%s: %v", p, err)
			}
			dir := filepath.Dir(p)
			sp.data = fileOf(tb, filepath.Join(dir, base+".jsonl"))
			if strings.HasPrefix(glob, "*/") {
				err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
					name := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)+"/")
					if err != nil || e.IsDir() || name == base+".jsonl" || strings.HasSuffix(name, ".truth.json") {
						return err
					}
					if rest, ok := strings.CutPrefix(name, base+"/"); ok {
						name = genlog.BesideLog + "/" + rest
					}
					sp.files[name] = fileOf(tb, path)
					return nil
				})
				if err != nil {
					tb.Fatal(err)
				}
			}
			all = append(all, sp)
		}
	}
	if len(all) < 40 {
		tb.Fatalf("%s: %d fixtures in %s, want at least 40", tg.name, len(all), tg.fixtures)
	}
	return all
}

func fileOf(tb testing.TB, path string) []byte {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// play writes a script in one of the target's formats.
func (tg *target) play(tb testing.TB, s genlog.Script, seed int64) specimen {
	tb.Helper()
	format := tg.played[int(uint64(seed)%uint64(len(tg.played)))]
	out, err := genlog.Play(s, format, seed)
	if err != nil {
		tb.Fatal(err)
	}
	return specimen{
		name: fmt.Sprintf("%s-%s-%d", s.Name, format, seed), data: out.Log, files: out.Files, truth: &out.Truth, set: tg.set,
	}
}

// number reads a count from the environment.
func number(tb testing.TB, name string, def int64) int64 {
	tb.Helper()
	v := os.Getenv(name)
	if v == "" {
		return def
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		tb.Fatalf("%s=%q is no count", name, v)
	}
	return n
}

// seed is the number at which generated and mutated logs begin. Long runs
// rotate it; the default is fixed, so that a failure is one for everybody.
func seed(tb testing.TB) int64 {
	tb.Helper()
	n := number(tb, "SESSC_SEED", 1)
	tb.Logf("SESSC_SEED=%d", n)
	return n
}
