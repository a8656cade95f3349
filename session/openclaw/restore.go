package openclaw

import (
	"bytes"
	"fmt"

	"github.com/tidwall/gjson"

	"sessc/session/jsonwalk"
)

// Repoint implements [session.Format]. A compaction keeps the entries from
// firstKeptEntryId on. A mask has the id of the last entry that it stands for,
// so that the id leads somewhere in the restored log too, but past the others.
func (Format) Repoint(raw []byte, moved map[string]string) ([]byte, string) {
	const key = "firstKeptEntryId"
	at, ok := valueAt(raw, key)
	if !ok {
		return raw, ""
	}
	kept := gjson.ParseBytes(raw[at.Off:at.End()])
	to, ok := moved[kept.Str]
	if !ok || kept.Type != gjson.String {
		return raw, ""
	}
	line := bytes.Join([][]byte{raw[:at.Off], raw[at.End():]}, jsonwalk.Quote(to))
	return line, fmt.Sprintf("%s is %s, no longer the mask %s", key, to, kept.Str)
}
