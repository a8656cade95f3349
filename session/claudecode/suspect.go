package claudecode

import (
	"strings"

	"sessc/session"
)

// suspicion says in a few words why a report of success contradicts itself, ""
// if it does not. tokens and runtime are what the run used, -1 unknown.
func suspicion(report string, tokens, runtime int64) string {
	switch report = strings.TrimSpace(report); {
	case tokens == 0 && runtime >= 60_000:
		return "no tokens used in a minute or more"
	case report == "":
		return "no result"
	case strings.HasPrefix(report, "API Error"):
		return "result is an API error"
	}
	return session.Unfinished(report)
}
