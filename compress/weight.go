package compress

import "sessc/session"

// Weight is what was taken out of a log that no client reads again. It is no
// part of the context, and saves file bytes alone.
type Weight struct {
	Lines int   `json:"lines"` // that went whole
	Bytes int64 `json:"bytes"` // in these lines, and in parts of others
}

// diskWeight counts the disk weight that a plan takes out.
func diskWeight(s *session.Session, plan *session.Plan) Weight {
	var w Weight
	for _, e := range plan.Edits {
		if !e.Disk {
			continue
		}
		w.Bytes += e.At.Len - int64(len(e.Data))
		if s.Entries[e.Entries[0]].Off == e.At.Off {
			w.Lines++
		}
	}
	return w
}
