package summarize

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"

	"sessc/session"
)

// cue is a set of expressions that give a sentence its part in a report,
// matched against its lower-case form. An expression runs only on a sentence
// that holds one of the literals without which it cannot match: hundreds of
// them on every sentence would cost milliseconds a report. They are compiled
// at the first use: a command that reads no report would otherwise spend most
// of its time on them.
type cue func() []cuePart

type cuePart struct {
	expr *regexp.Regexp
	need []string // one of these is in every match; nil: unknown
}

// anyOf makes expressions in lower case into one cue.
func anyOf(exprs ...string) cue {
	return sync.OnceValue(func() []cuePart {
		parts := make([]cuePart, 0, len(exprs))
		for _, e := range exprs {
			tree, err := syntax.Parse(e, syntax.Perl)
			if err != nil {
				panic(err) // a mistake in this package, found by every test of a report
			}
			parts = append(parts, cuePart{regexp.MustCompile(e), needOf(tree.Simplify())})
		}
		return parts
	})
}

// MatchString reports whether s matches one of the expressions.
func (c cue) MatchString(s string) bool {
	low := strings.ToLower(s)
	parts := c()
	for i := range parts {
		p := &parts[i]
		if p.need != nil && !containsAny(low, p.need) {
			continue
		}
		if p.expr.MatchString(low) {
			return true
		}
	}
	return false
}

func containsAny(s string, subs []string) bool {
	for _, sub := range subs {
		if strings.Contains(s, sub) {
			return true
		}
	}
	return false
}

// needOf returns strings one of which is in every match of re, or nil.
func needOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return needOf(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			n := needOf(sub)
			if n == nil {
				return nil
			}
			all = append(all, n...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if n := needOf(sub); n != nil && (best == nil || shortest(n) > shortest(best)) {
				best = n
			}
		}
		return best
	}
	return nil
}

func shortest(list []string) int {
	n := utf8.MaxRune
	for _, s := range list {
		n = min(n, rune(len(s)))
	}
	return int(n)
}

// lazy compiles an expression at its first use.
var lazy = session.Lazy
