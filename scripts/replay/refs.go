package main

import (
	"regexp"
	"strings"
)

// ref is something exact that the agent takes up.
type ref struct{ kind, text string }

var (
	urlRE  = regexp.MustCompile("https?://[^\\s\"'<>`)\\]}|]+")
	uuidRE = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	hashRE = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)
	pathRE = regexp.MustCompile(`(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\p{L}\d_.@+-]+){2,}|\b[\p{L}\d_@+-]+(?:/[\p{L}\d_.@+-]+)+|\b[\p{L}\d_@+-][\p{L}\d_.@+-]*\.(?:go|py|js|ts|tsx|jsx|rs|rb|java|c|h|cpp|sh|sql|html|css|md|txt|csv|json|jsonl|yaml|yml|toml|ini|conf|env|log|db)\b`)
	nameRE = regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]*)+\d[A-Za-z0-9_-]*\b|\b[A-Z]{2,}[A-Z0-9]*-\d+\b`)
)

// refsIn lists the references in a text, each kind once.
func refsIn(s string) []ref {
	var found []ref
	take := func(kind string, re *regexp.Regexp, good func(string) bool) {
		s = re.ReplaceAllStringFunc(s, func(hit string) string {
			hit = strings.TrimRight(hit, ".,;:!?-/")
			if good == nil || good(hit) {
				found = append(found, ref{kind, hit})
			}
			return " "
		})
	}
	take("url", urlRE, nil)
	take("id", uuidRE, nil)
	take("path", pathRE, func(p string) bool { return len(p) > 4 })
	take("hash", hashRE, func(h string) bool { return strings.ContainsAny(h, "0123456789") && strings.ContainsAny(h, "abcdef") })
	take("id", nameRE, nil)
	return found
}

// taken lists what the agent takes up in the lines behind a cut that stood in its context before, each once, and that
// nobody else said anew in between.
func taken(before *view, rest [][]byte) []ref {
	var found []ref
	seen := map[string]bool{}
	for _, l := range rest {
		v := entryOf(l)
		refs := refsIn(words(v))
		for _, r := range refs {
			if seen[r.text] {
				continue
			}
			seen[r.text] = true // also when a person or a tool says it: then it stands in the context again
			if role(v) == "assistant" && before.shows(r.text) {
				found = append(found, r)
			}
		}
	}
	return found
}
