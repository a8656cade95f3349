package main

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/tidwall/gjson"
)

// trail compares the files that masks list with those that tool calls touched.
type trail struct {
	Touched   int      `json:"touched"`
	Listed    int      `json:"listed"`
	Both      int      `json:"both"`
	SameSign  int      `json:"same_sign"` // also listed as +, ~ or - as the calls say
	Recall    float64  `json:"recall"`    // both / touched; 1 when nothing was touched
	Precision float64  `json:"precision"` // both / listed; 1 when nothing is listed
	Missing   []string `json:"missing,omitempty"`
	Surplus   []string `json:"surplus,omitempty"`
	Children  []string `json:"children,omitempty"`
}

var (
	maskLine = regexp.MustCompile(`^\s*files([+~-]):\s*(.*)$`)
	braces   = regexp.MustCompile(`^(.*)\{([^{}]*)\}(.*)$`)
	patchRE  = regexp.MustCompile(`(?m)^\*\*\* (Add|Update|Delete) File: (.+)$`)
	removeRE = regexp.MustCompile(`(?:^|[;&|]\s*)(?:git )?rm\s+((?:-\w+\s+)*)([^;&|\n]+)`)
)

// expand reads a files line of a mask: names separated by commas, folded names in braces, an overflow note at the end.
func expand(line string) []string {
	m := maskLine.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	var out []string
	for _, part := range splitTop(m[2]) {
		part = strings.Trim(strings.TrimSpace(part), "`\"")
		if part == "" || part == "none" || strings.HasPrefix(part, "…") || strings.HasPrefix(part, "see ref") {
			continue
		}
		out = append(out, unfold(part)...)
	}
	return out
}

func unfold(s string) []string {
	m := braces.FindStringSubmatch(s)
	if m == nil {
		return []string{s}
	}
	var out []string
	for _, x := range strings.Split(m[2], ",") {
		out = append(out, unfold(m[1]+strings.TrimSpace(x)+m[3])...)
	}
	return out
}

// splitTop splits at commas outside braces.
func splitTop(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}

// touched adds the files of the write, edit, patch and delete calls of entries; calls whose result is an error do
// not count. A write of a file that nothing touched before makes it new (+).
// stands, if not nil, says which calls can still be read with their path in the log: of those no mask has to speak.
func touched(es []*entry, cwd string, into map[string]string, stands map[string]string) {
	failed := map[string]bool{}
	for _, e := range es {
		m := e.v.Get("message")
		if m.Get("role").Str == "toolResult" && (m.Get("isError").Bool() || m.Get("details.status").Str == "error") {
			failed[m.Get("toolCallId").Str] = true
		}
	}
	set := func(p, sign string) {
		p = relative(p, cwd)
		switch old := into[p]; {
		case sign == "-" && old == "+":
			delete(into, p) // made and deleted again
		case old == "+" && sign == "~":
		default:
			into[p] = sign
		}
	}
	for _, e := range es {
		e.v.Get("message.content").ForEach(func(_, b gjson.Result) bool {
			args := callArgs(b)
			if !args.IsObject() || failed[b.Get("id").Str] {
				return true
			}
			file := pathOf(args)
			if file != "" && stands[b.Get("id").Str] == file {
				return true
			}
			switch strings.ToLower(b.Get("name").Str) {
			case "write", "create":
				if _, seen := into[relative(file, cwd)]; seen {
					set(file, "~")
				} else {
					set(file, "+")
				}
			case "edit", "multiedit", "multi_edit":
				set(file, "~")
			case "delete", "remove":
				set(file, "-")
			case "apply_patch":
				var s strings.Builder
				values(&s, args)
				for _, m := range patchRE.FindAllStringSubmatch(s.String(), -1) {
					set(m[2], map[string]string{"Add": "+", "Update": "~", "Delete": "-"}[m[1]])
				}
			case "exec", "bash", "shell":
				for _, m := range removeRE.FindAllStringSubmatch(args.Get("command").Str, -1) {
					for _, p := range strings.Fields(m[2]) {
						if !strings.ContainsAny(p, "*?$`'\">") && !strings.HasPrefix(p, "-") {
							set(p, "-")
						}
					}
				}
			}
			return true
		})
	}
}

func pathOf(args gjson.Result) string {
	for _, k := range []string{"path", "file", "file_path"} {
		if file := args.Get(k).Str; file != "" {
			return file
		}
	}
	return ""
}

func relative(p, cwd string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	if r, ok := strings.CutPrefix(p, strings.ReplaceAll(cwd, `\`, "/")+"/"); cwd != "" && ok {
		p = r
	}
	return strings.TrimPrefix(p, "./")
}

// childLogs finds the transcripts in dir of the children that the removed entries name: by session id in the text,
// or by session key through the index.
func childLogs(dir string, removed []*entry) ([]string, error) {
	var text strings.Builder
	for _, e := range removed {
		text.Write(e.raw)
	}
	all := text.String()
	ids := map[string]bool{}
	if index, err := os.ReadFile(filepath.Join(dir, "sessions.json")); err == nil {
		gjson.ParseBytes(index).ForEach(func(k, v gjson.Result) bool {
			if strings.Contains(all, k.Str) {
				ids[v.Get("sessionId").Str] = true
			}
			return true
		})
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, glob := range []string{"agent-*.jsonl", "*/subagents/agent-*.jsonl"} {
		agents, err := filepath.Glob(filepath.Join(dir, glob))
		if err != nil {
			return nil, err
		}
		for _, a := range agents {
			if strings.Contains(all, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(a), "agent-"), ".jsonl")) {
				out = append(out, a)
			}
		}
	}
	for _, n := range names {
		id, rest, _ := strings.Cut(n.Name(), ".")
		if !strings.HasPrefix(rest, "jsonl") || strings.HasSuffix(rest, ".zst") || len(id) < 8 {
			continue
		}
		if ids[id] || uuidRE.MatchString(id) && strings.Contains(all, id) {
			out = append(out, filepath.Join(dir, n.Name()))
		}
	}
	sort.Strings(out)
	return out, nil
}

func artifactTrail(c change, cwd, childDir string) (trail, error) {
	want := map[string]string{}
	var t trail
	if childDir != "" {
		logs, err := childLogs(childDir, c.removed)
		if err != nil {
			return t, err
		}
		for _, l := range logs {
			s, err := readLog(l)
			if err != nil {
				return t, err
			}
			touched(s.entries, s.cwd, want, nil)
			t.Children = append(t.Children, filepath.Base(l))
		}
	}
	stands := map[string]string{}
	for _, e := range c.masks {
		e.v.Get("message.content").ForEach(func(_, b gjson.Result) bool {
			if args := callArgs(b); args.IsObject() {
				stands[b.Get("id").Str] = pathOf(args)
			}
			return true
		})
	}
	touched(c.removed, cwd, want, stands)
	got := map[string]string{}
	for _, e := range c.masks {
		for _, l := range strings.Split(e.sent, "\n") {
			if m := maskLine.FindStringSubmatch(l); m != nil {
				for _, f := range expand(l) {
					got[relative(f, cwd)] = m[1]
				}
			}
		}
	}
	t.Touched, t.Listed = len(want), len(got)
	for f, sign := range want {
		listed, ok := got[f]
		if !ok {
			t.Missing = append(t.Missing, sign+f)
			continue
		}
		t.Both++
		if listed == sign {
			t.SameSign++
		}
	}
	for f, sign := range got {
		if _, ok := want[f]; !ok {
			t.Surplus = append(t.Surplus, sign+f)
		}
	}
	sort.Strings(t.Missing)
	sort.Strings(t.Surplus)
	t.Recall, t.Precision = share(t.Both, t.Touched), share(t.Both, t.Listed)
	return t, nil
}

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}
