package openclaw

import (
	"fmt"

	"sessc/session"
)

// facts are what Check needs to know of an original.
type facts struct {
	version string
	lost    map[string]int
}

// Facts implements [session.Format].
func (Format) Facts(s *session.Session) any { return facts{s.Version, lost(s)} }

// Check implements [session.Format]: the references by id that only this
// format has must lead where they led before, or at least somewhere.
func (Format) Check(before any, after *session.Session) []string {
	var worse []string
	was, now := before.(facts), lost(after)
	for _, key := range []string{"firstKeptEntryId", "targetId", "fromId", "appendParentId"} {
		if now[key] > was.lost[key] {
			worse = append(worse, fmt.Sprintf("lines whose %s names no entry: %d, before %d", key, now[key], was.lost[key]))
		}
	}
	if was.version != after.Version {
		worse = append(worse, fmt.Sprintf("version: %s, before %s", after.Version, was.version))
	}
	return worse
}

// lost counts references to ids that no entry has, by key.
func lost(s *session.Session) map[string]int {
	n := map[string]int{}
	for _, p := range s.Private.(*private).pointers {
		if len(s.Lookup(s.Str(p.to))) == 0 {
			n[p.key]++
		}
	}
	return n
}
