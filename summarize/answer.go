package summarize

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// What makes an answer unreadable.
var (
	errNoObject = errors.New("no JSON object in it")
	errThinking = errors.New("it is all thoughts")
)

// readAnswer reads what a model said as the fields of a record: one JSON
// object, which may stand among thoughts in tags, in a code fence or between
// words. Members may be missing or null, but what is there has to have its
// type; a text in the place of a list is a list of one. Secrets are taken out;
// nothing else is judged here.
func readAnswer(text string) (Prose, error) {
	text, err := withoutThoughts(text)
	if err != nil {
		return Prose{}, err
	}
	first := errNoObject
	for range 8 {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		text = text[i:]
		p, err := objectIn(text)
		if err == nil {
			return p, nil
		}
		if first == errNoObject {
			first = err
		}
		text = text[1:]
	}
	return Prose{}, first
}

func objectIn(text string) (p Prose, err error) {
	var members map[string]json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&members); err != nil {
		return p, fmt.Errorf("broken JSON: %w", err)
	}
	if members["conclusion"] == nil && members["must_remember"] == nil {
		return p, errors.New("neither conclusion nor must_remember in it")
	}
	if raw := members["conclusion"]; raw != nil {
		if err := json.Unmarshal(raw, &p.Conclusion); err != nil {
			return p, errors.New("conclusion is no text")
		}
	}
	for name, to := range map[string]*[]string{"tried_and_failed": &p.Tried, "must_remember": &p.Remember, "open": &p.Open} {
		if *to, err = listOf(members[name]); err != nil {
			return p, fmt.Errorf("%s is no list of texts", name)
		}
	}
	p.Conclusion = harmless(p.Conclusion)
	return p, nil
}

// harmless is a text of an answer on one line, without secrets: a model may
// guess one from what stands around its tag.
func harmless(s string) string {
	return foldSpace(Redact(strings.Map(seen, s)))
}

// listOf reads a list of texts without those that say that there are none.
func listOf(raw json.RawMessage) ([]string, error) {
	if raw == nil {
		return nil, nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			return nil, err
		}
		list = []string{one}
	}
	var items []string
	for _, s := range list {
		if s = harmless(s); s != "" && !nothingOpen.MatchString(s) {
			items = append(items, s)
		}
	}
	return items, nil
}

// kept is what is left of an answer before anything else sees it: the four
// fields, or nothing where they cannot be read.
func kept(text string) string {
	p, err := readAnswer(text)
	if err != nil {
		return ""
	}
	b, err := json.Marshal(map[string]any{"conclusion": p.Conclusion, "tried_and_failed": p.Tried, "must_remember": p.Remember, "open": p.Open})
	if err != nil {
		panic(err) // a map of texts
	}
	return string(b)
}

var (
	thoughts = lazy(`(?is)<(think|thinking|thought|reasoning)>.*?</(?:think|thinking|thought|reasoning)>`)
	thinking = lazy(`(?i)<(?:think|thinking|thought|reasoning)>`)
	thought  = lazy(`(?i)</(?:think|thinking|thought|reasoning)>`)
)

// withoutThoughts takes out what a model thinks aloud. Where the end of it is
// missing, the answer never came; where the beginning is, a template wrote it.
func withoutThoughts(text string) (string, error) {
	text = thoughts().ReplaceAllString(text, "")
	if at := lastIndex(thought(), text); at >= 0 {
		text = text[at:]
	}
	if thinking().MatchString(text) {
		return "", errThinking
	}
	return text, nil
}

// lastIndex is where the last match ends, -1 without one.
func lastIndex(expr *regexp.Regexp, text string) int {
	all := expr.FindAllStringIndex(text, -1)
	if all == nil {
		return -1
	}
	return all[len(all)-1][1]
}
