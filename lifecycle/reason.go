package lifecycle

import "fmt"

// Reason is why a lifecycle is left alone. Its words are part of reports.
type Reason string

const (
	NotFinished    Reason = "not finished"
	OffPath        Reason = "off the active path, so it costs no context"
	BeforeCompact  Reason = "before a compaction boundary, so it costs no context"
	AcrossCompact  Reason = "a compaction or branch summary stands inside its span"
	Branched       Reason = "a conversation branch hangs inside its span"
	TouchesDamage  Reason = "it touches a damaged line"
	AmbiguousIDs   Reason = "its ids are ambiguous"
	NotConsumed    Reason = "the model has not answered its completion yet"
	AmongLast      Reason = "among the last entries, which stay"
	SharedEntry    Reason = "its completion stands in an entry with other text"
	SharedMessage  Reason = "its spawn shares a message with something that must stay"
	SharedEvent    Reason = "its completion stands in one entry with that of a lifecycle that must stay"
	SignedTurn     Reason = "its signed reasoning belongs to the turn at hand"
	NoShape        Reason = "nothing fits in its place"
	MaskTooLarge   Reason = "its mask would be more than half of what it replaces"
	NotAsked       Reason = "its layer was not asked for"
	AmongTurns     Reason = "among the newest turns, which stay"
	SavesTooLittle Reason = "the whole session would save less than the minimum"
	SmallSession   Reason = "the whole session is smaller than the minimum"
)

// Left is a lifecycle that is left alone.
type Left struct {
	Lifecycle int // index among the lifecycles of the session
	Reason    Reason
	Detail    string // what exactly, "" when the reason says it all
}

// String joins reason and detail for a report.
func (l Left) String() string {
	if l.Detail == "" {
		return string(l.Reason)
	}
	return fmt.Sprintf("%s: %s", l.Reason, l.Detail)
}
