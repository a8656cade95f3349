package main

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/tidwall/gjson"
)

// fact is an exact string of what was removed.
type fact struct {
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Source string `json:"source"`
	Fate   string `json:"fate"`
	// In names the call in which it stood: its paths, its command, or its tool.
	In []string `json:"in,omitempty"`
}

// kinds in the order of the table. host-id are ids by which the host addresses a run or a session: nobody refers
// to them in prose, so they are counted apart.
var kinds = []string{"file", "command", "error", "id", "url", "keyvalue", "host-id"}

// sources, best first: a fact that occurs in several is counted once, for the first of these.
var sources = []string{"report", "text", "arguments", "output", "file content"}

const extensions = `go|py|js|mjs|cjs|ts|tsx|jsx|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|swift|php|pl|lua|sh|bash|zsh|ps1|bats|sql|html|htm|css|scss|md|txt|rst|csv|tsv|json|jsonl|yaml|yml|toml|ini|cfg|conf|env|lock|mod|sum|xml|svg|png|jpg|jpeg|gif|webp|pdf|log|db|sqlite|zip|gz|zst|tar|service|cron|plist|gradle|bas|proto|ipynb`

var (
	fileRE = regexp.MustCompile(`(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\p{L}\d_.@+-]+[/\\])*[\p{L}\d_@+-][\p{L}\d_.@+-]*\.(?:` + extensions + `)\b|(?:[\p{L}\d_.@+-]+/)*(?:Makefile|Dockerfile)\b`)
	// Several paths in one, as a shell would read it: dir/{a.go,sub/b.go}.
	foldedRE  = regexp.MustCompile(`[^\s"'` + "`" + `(){},]*[/\\]\{[^\s"{}]+,[^\s"{}]+\}[^\s"'` + "`" + `(){},]*`)
	urlRE     = regexp.MustCompile("https?://[^\\s\"'<>`)\\]}|]+")
	uuidRE    = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	hashRE    = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)
	keyRE     = regexp.MustCompile("(?:^|[\\s(\\[{`\"',;])((?:--)?[\\p{L}_][\\p{L}\\d_.-]*=[^\\s=,;\"'`()\\[\\]{}<>&|]+)")
	errorRE   = regexp.MustCompile(`(?:\b[A-Za-z]*(?:Error|Exception)\b|^\s*(?:error|fatal|panic|FAIL|E)\b.*:|--- FAIL|(?i:permission denied|no such file|command not found|connection refused|timed out|timeout$|^cannot |: cannot )|错误[:：])`)
	programRE = regexp.MustCompile(`^(?:\$ )?(?:sudo |cd |[A-Z_]+=\S+ )*(?:git|go|npm|npx|node|pnpm|yarn|python3?|pytest|pip|cargo|make|docker|kubectl|curl|wget|sqlite3|psql|pg_dump|bats|systemctl|rm|mv|cp|ls|cat|grep|sed|find|ssh|rsync|tar|bash|sh|du)\b.*`)
	hostLine  = regexp.MustCompile(`(?m)^(?:session_key|session_id|status|\[Inter-session message\]).*$|^\[[^\n]*A (?:subagent|background) task "[^"\n]*" (?:just )?(?:failed: |timed out)|\[sessionId: [^\]]*\]|sessionKey \S+|sessionId \S+|transcript \S+`)
)

// place says where the facts of an entry stood.
func (e *entry) place(calls map[string]gjson.Result) []string {
	var in []string
	of := func(call gjson.Result) {
		args := callArgs(call)
		for _, k := range []string{"path", "file", "file_path", "filePath", "command", "cmd", "query", "url"} {
			if v := args.Get(k); v.Type == gjson.String {
				in = append(in, squeeze(firstLine(v.Str)))
			}
		}
		if len(in) == 0 {
			in = append(in, call.Get("name").Str)
		}
	}
	m := e.v.Get("message")
	if m.Get("role").Str == "toolResult" {
		if call, ok := calls[m.Get("toolCallId").Str]; ok {
			of(call)
		}
		return in
	}
	m.Get("content").ForEach(func(_, b gjson.Result) bool {
		if callArgs(b).Exists() {
			of(b)
		}
		return true
	})
	return in
}

// firstLine is the first line that does something: comments come before it.
func firstLine(s string) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "set -") {
			return l
		}
	}
	return s
}

// named reports whether a text shows the call in which a fact stood, or at
// least the beginning of its command.
func (h *haystack) named(in []string) bool {
	for _, s := range in {
		if h.hasFile(s) || strings.Contains(h.text, cutTo(s, namedWidth)) {
			return true
		}
	}
	return false
}

// namedWidth is how much of a command has to stand there, in characters.
const namedWidth = 60

func cutTo(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// extract finds the facts of a removed entry.
func extract(e *entry) []fact {
	var out []fact
	m := e.v.Get("message")
	switch {
	case e.typ != "message":
		out = fromText(e.sent, "text")
	case m.Get("role").Str == "toolResult":
		source := "output"
		switch m.Get("toolName").Str {
		case "read":
			source = "file content"
		case "sessions_spawn", "sessions_yield", "subagents", "sessions_list":
			return hostIDs(e.sent)
		case "sessions_send", "delegate_task", "subagent", "task":
			source = "report"
		}
		out = fromText(e.sent, source)
	case m.Get("role").Str == "user":
		out = append(fromText(hostLine.ReplaceAllString(e.sent, ""), "report"), hostIDs(strings.Join(hostLine.FindAllString(e.sent, -1), "\n"))...)
	default:
		m.Get("content").ForEach(func(_, b gjson.Result) bool {
			out = append(out, fromText(b.Get("text").Str+"\n"+b.Get("thinking").Str, "text")...)
			if args := callArgs(b); args.Exists() {
				out = append(out, fromCall(args)...)
			}
			return true
		})
	}
	return out
}

func fromCall(args gjson.Result) []fact {
	var out []fact
	args.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "command", "cmd":
			out = append(out, fact{Kind: "command", Text: squeeze(v.Str), Source: "arguments"})
			out = append(out, fromText(v.Str, "arguments")...)
		case "path", "file", "file_path":
			out = append(out, fact{Kind: "file", Text: v.Str, Source: "arguments"})
		case "content", "oldText", "newText", "edits":
			var b strings.Builder
			values(&b, v)
			out = append(out, fromText(b.String(), "file content")...)
		default:
			var b strings.Builder
			values(&b, v)
			out = append(out, fromText(b.String(), "arguments")...)
		}
		return true
	})
	return out
}

func hostIDs(s string) []fact {
	var out []fact
	for _, u := range uuidRE.FindAllString(s, -1) {
		out = append(out, fact{Kind: "host-id", Text: u, Source: "output"})
	}
	return out
}

// fromText applies the rules for running text and tool output.
func fromText(s, source string) []fact {
	var out []fact
	put := func(kind, text string) { out = append(out, fact{Kind: kind, Text: text, Source: source}) }
	s = unescape(s)
	for _, u := range urlRE.FindAllString(s, -1) {
		put("url", strings.TrimRight(u, ".,;:!?"))
	}
	rest := urlRE.ReplaceAllString(s, " ")
	for _, l := range strings.Split(rest, "\n") {
		t := squeeze(strings.Trim(strings.TrimSpace(l), "`"))
		if source != "file content" && len(t) >= 8 && errorRE.MatchString(t) {
			put("error", cut(t))
		}
		if programRE.MatchString(t) && len(t) < 300 && strings.Contains(t, " ") && source == "report" && !strings.HasSuffix(t, ".") {
			put("command", strings.TrimPrefix(t, "$ "))
		}
	}
	for _, m := range keyRE.FindAllStringSubmatch(rest, -1) {
		put("keyvalue", strings.TrimRight(m[1], ".,;:!?"))
	}
	for _, u := range uuidRE.FindAllString(rest, -1) {
		put("id", u)
	}
	rest = uuidRE.ReplaceAllString(rest, " ")
	for _, h := range hashRE.FindAllString(rest, -1) {
		if strings.ContainsAny(h, "0123456789") && strings.ContainsAny(h, "abcdef") {
			put("id", h)
		}
	}
	for _, f := range fileRE.FindAllString(rest, -1) {
		put("file", f)
	}
	return out
}

// unique keeps each fact once, for its best source, in order of first occurrence by kind.
func unique(in []fact) []fact {
	rank := map[string]int{}
	for i, s := range sources {
		rank[s] = i
	}
	best := map[[2]string]int{}
	var out []fact
	for _, f := range in {
		k := [2]string{f.Kind, f.Text}
		if i, ok := best[k]; ok {
			if rank[f.Source] < rank[out[i].Source] {
				out[i].Source = f.Source
			}
			out[i].In = slices.Concat(out[i].In, f.In)
			continue
		}
		best[k] = len(out)
		out = append(out, f)
	}
	// An id that is also a host id is addressed by the host: counted there only.
	host := map[string]bool{}
	for _, f := range out {
		if f.Kind == "host-id" {
			host[f.Text] = true
		}
	}
	kept := out[:0]
	for _, f := range out {
		if f.Kind != "id" || !host[f.Text] {
			kept = append(kept, f)
		}
	}
	order := map[string]int{}
	for i, k := range kinds {
		order[k] = i
	}
	sort.SliceStable(kept, func(i, j int) bool { return order[kept[i].Kind] < order[kept[j].Kind] })
	return kept
}

func unescape(s string) string { return strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(s) }

// squeeze makes white space comparable: masks hold values on one line.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// shortened tells whether cut took something off: the text may then end within a word.
func (f fact) shortened() bool { return f.Kind == "error" && len([]rune(f.Text)) == errorWidth }

const errorWidth = 160

// cut limits an error line to its first 160 characters: longer ones may be shortened in a mask and still be found.
func cut(s string) string {
	if r := []rune(s); len(r) > errorWidth {
		return string(r[:errorWidth])
	}
	return s
}

// haystack is a text prepared for looking facts up.
type haystack struct {
	text  string
	files map[string]bool
}

func newHaystack(es []*entry) *haystack {
	var b strings.Builder
	for _, e := range es {
		b.WriteString(e.sent)
	}
	s := unescape(b.String())
	h := &haystack{files: map[string]bool{}}
	for _, l := range strings.Split(s, "\n") {
		for _, f := range expand(l) {
			h.files[f] = true
		}
	}
	for _, f := range foldedRE.FindAllString(s, -1) {
		for _, one := range unfold(f) {
			h.files[one] = true
		}
	}
	for _, f := range fileRE.FindAllString(foldedRE.ReplaceAllString(s, " "), -1) {
		h.files[f] = true
	}
	// A mask quotes the words of others: \" in it says ".
	h.text = squeeze(s + "\n" + unquote.Replace(s))
	return h
}

var unquote = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// has tells whether a fact can be read in the text. A path counts as named by another spelling of itself: absolute
// against relative with at least two parts.
func (h *haystack) has(f fact) bool {
	if f.Kind == "file" && h.hasFile(f.Text) {
		return true
	}
	for at := 0; ; {
		i := strings.Index(h.text[at:], f.Text)
		if i < 0 {
			return false
		}
		i += at
		if edge(h.text, i-1) && (f.shortened() || edge(h.text, i+len(f.Text))) {
			return true
		}
		at = i + 1
	}
}

func (h *haystack) hasFile(p string) bool {
	if h.files[p] {
		return true
	}
	for f := range h.files {
		if samePath(f, p) {
			return true
		}
	}
	return false
}

func samePath(a, b string) bool {
	a, b = strings.ReplaceAll(a, `\`, "/"), strings.ReplaceAll(b, `\`, "/")
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || strings.Contains(b, "/") && strings.HasSuffix(a, "/"+strings.TrimPrefix(b, "./"))
}

// edge tells whether the byte at i ends a word, so that "a.go" is not found in "data.go" nor 4d2 in a hash.
func edge(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return true
	}
	c := s[i]
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80)
}
