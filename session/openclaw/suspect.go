package openclaw

import "sessc/session"

// suspicion says in a few words why a completion that claims success
// contradicts itself, "" if it does not. When a child's session compacts
// itself in the middle of a run, OpenClaw can announce success too early, with
// a stub, and announces nothing later (openclaw issues 74448, 79285, 50165).
func suspicion(a *announcement, text string) string {
	if a.unclear {
		return "its text quotes another completion"
	}
	if a.outcome != session.OutcomeOK {
		return ""
	}
	if a.stats.tokens == 0 && a.stats.runtime >= 60_000 {
		return "no tokens used in a minute or more"
	}
	if a.empty {
		return "no result"
	}
	return session.Unfinished(text[a.report.Off:a.report.End()])
}
