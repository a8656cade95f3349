package scan

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/session"
	"sessc/shell"
	"sessc/tokens"
)

// Work is what the agent did itself on the active path: the calls of its tools
// in short, read once. It is the source of the lifecycles that are no tasks.
type Work struct {
	s     *session.Session
	deeds []deed // by index in Session.Calls
	seed  maphash.Seed

	briefs  map[int32]bool  // entries of ours in which only texts were cleared
	running map[string]bool // processes that outlived a call, and run at the end of the log
}

// deed is what is kept of one call and its result.
type deed struct {
	known   bool // it is on the active path, has a result, and could be read
	paths   []string
	command string   // its first bytes
	changed []string // files that it has surely changed or deleted
	target  string   // what the call is about, for a person
	exit    int      // -1 unknown
	done    bool
	handle  string // of a process that outlives the call
	running bool
	whole   bool   // a read of the whole file
	stored  bool   // the result lies in a file, and its text says where
	output  uint64 // hash of tool and result
	args    uint64 // hash of tool and arguments
	long    []lifecycle.LongArg
}

const (
	// longArg is the size in tokens above which an argument may be cleared.
	longArg = 400
	// targetLimit is how much of a target is kept, in bytes.
	targetLimit = 400
)

// ReadWork reads the calls of the active path. A call that cannot be read is
// left out: nothing is known of it, so it stays.
func ReadWork(s *session.Session) *Work {
	w := &Work{s: s, deeds: make([]deed, len(s.Calls)), seed: maphash.MakeSeed()}
	for n := range s.Calls {
		c := &s.Calls[n]
		if c.Result < 0 || s.Position(c.Entry) < 0 || s.Position(c.Result) < 0 {
			continue
		}
		a, err := s.Action(c)
		if err != nil {
			continue
		}
		w.deeds[n] = w.deedOf(c, &a)
	}
	w.briefs = map[int32]bool{}
	for _, i := range s.Active {
		if s.Entries[i].Is(session.ByUs) && w.isCleared(i) {
			w.briefs[i] = true
		}
	}
	return w
}

// Cleared are the entries of an earlier run in which only texts were cleared.
func (w *Work) Cleared() map[int32]bool { return w.briefs }

// isCleared reports whether all that our envelope stands for in an entry is a
// text that was cleared: its result, or an argument of one of its calls.
func (w *Work) isCleared(i int32) bool {
	c, err := w.s.Content(i)
	if err != nil {
		return false
	}
	for _, b := range c.Blocks {
		switch b.Type {
		case session.ResultBlock:
			return mask.IsBrief(b.Text)
		case session.CallBlock:
			var v any
			if json.Unmarshal(b.Args, &v) == nil && holdsBrief(v) {
				return true
			}
		}
	}
	return false
}

func holdsBrief(v any) bool {
	switch v := v.(type) {
	case string:
		return mask.IsBrief(v)
	case []any:
		return slices.ContainsFunc(v, holdsBrief)
	case map[string]any:
		for _, e := range v {
			if holdsBrief(e) {
				return true
			}
		}
	}
	return false
}

// Find returns the lifecycles of a layer among what is free.
func (w *Work) Find(k lifecycle.Kind, free *lifecycle.Free, o lifecycle.Options) []lifecycle.Lifecycle {
	if k == lifecycle.Turn {
		return w.turns(free, o)
	}
	return w.results(free, o)
}

func (w *Work) deedOf(c *session.Call, a *session.Action) deed {
	d := deed{
		known: true, paths: a.Paths, command: first(a.Command, 4*targetLimit), changed: changedBy(a), exit: a.Exit, done: a.Done,
		handle: a.Handle, running: a.Running, stored: a.Stored, output: w.sum(a.Tool, a.Output),
	}
	d.target = strings.TrimSpace(a.Tool + " " + first(targetOf(a), targetLimit))
	if args := w.argsOf(c); args != nil {
		d.args = w.sum(a.Tool, string(args))
		var v any
		if json.Unmarshal(args, &v) == nil {
			object, ok := v.(map[string]any)
			d.whole = ok && len(object) == 1
			d.long = longArgs(v, nil, nil)
		}
	}
	return d
}

func targetOf(a *session.Action) string {
	switch {
	case len(a.Paths) > 0:
		return strings.Join(a.Paths, " ")
	case a.Command != "":
		return a.Command
	}
	return a.Input
}

// argsOf returns the arguments of a call as JSON, nil when there are none.
func (w *Work) argsOf(c *session.Call) []byte {
	content, err := w.s.Content(c.Entry)
	if err != nil {
		return nil
	}
	id, name := w.s.Str(c.ID), w.s.Str(c.Name)
	for _, b := range content.Blocks {
		if b.Type == session.CallBlock && b.Call == id && b.Tool == name {
			return b.Args
		}
	}
	return nil
}

// quoted is a text as it stands among the arguments of a call.
func quoted(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // as agents write it
	if e.Encode(text) != nil {
		return []byte(text)
	}
	return bytes.TrimSpace(b.Bytes())
}

// longArgs lists the long texts within a JSON value, in a fixed order.
func longArgs(v any, path []string, found []lifecycle.LongArg) []lifecycle.LongArg {
	switch v := v.(type) {
	case string:
		if n := tokens.EstimateString(v); n > longArg && len(path) > 0 {
			found = append(found, lifecycle.LongArg{
				Path: slices.Clone(path), Tokens: n, Weight: tokens.Estimate(quoted(v)), SHA256: fmt.Sprintf("%.4x", sha256.Sum256([]byte(v))),
			})
		}
	case []any:
		for i, e := range v {
			found = longArgs(e, append(path, strconv.Itoa(i)), found)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			found = longArgs(v[k], append(path, k), found)
		}
	}
	return found
}

// sum is a hash that only serves to find equals within one run.
func (w *Work) sum(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	for _, p := range parts {
		h.WriteString(p)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// first returns the beginning of a text, not cut within a character.
func first(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// writes reports whether a call changed files.
func writes(op session.Op) bool {
	switch op {
	case session.OpWrite, session.OpEdit, session.OpPatch, session.OpDelete:
		return true
	}
	return false
}

var (
	commits = session.Lazy(`\bgit\b[^|;&\n]*\scommit\b`)
	tests   = session.Lazy(`\b(go (-C \S+ )?test|(npm|pnpm|yarn|bun|deno)( run)? (test|check)|npx (--yes )?(jest|vitest|playwright|mocha)|jest|vitest` +
		`|pytest|tox|unittest|cargo (test|nextest)|make (test|check)|bats|ctest|rspec|phpunit|(mvn|gradle|gradlew|dotnet|mix|swift|sbt|bazel) test)\b`)
	plans = session.Lazy(`(?i)todo|^(update_)?plan$`)
)

// changedBy names the files that a command has surely changed, moved or deleted.
func changedBy(a *session.Action) (files []string) {
	if a.Op != session.OpExec || a.Exit != 0 {
		return nil
	}
	for _, e := range shell.Edits(a.Command, false, func(string) bool { return true }) {
		files = append(files, e.Path)
		if e.To != "" {
			files = append(files, e.To)
		}
	}
	return files
}
