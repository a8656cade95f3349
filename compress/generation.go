package compress

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"sessc/archive"
	"sessc/lifecycle"
	"sessc/mask"
	"sessc/session"
	"sessc/writer"
)

// generation describes a rewrite to the archive, as far as the original says
// it; complete adds the rest.
func generation(s *session.Session, plan *session.Plan, c *choice, now time.Time) *archive.Generation {
	found, sel, records := c.found, &c.sel, c.records
	file := archive.File{Old: archive.Content{Size: s.Size, SHA256: s.Source.SHA256}}
	refs := refsOf(found, sel, records)
	for _, e := range plan.Edits {
		ref := e.Ref
		if own := refs[e.Entries[0]]; own != "" && len(e.Data) == 0 {
			ref = own // a removed line goes with its own mask, also when the mask stands elsewhere
		}
		file.Edits = append(file.Edits, archive.Edit{Old: e.At, Ref: ref})
	}
	g := &archive.Generation{Session: s.Name(), Format: s.Format.Name(), Time: now.UnixMilli(), Files: []archive.File{file}}
	for _, w := range sel.Waves {
		for _, n := range w.Lifecycles {
			r := records[n]
			g.Masks = append(g.Masks, archive.Mask{
				Ref: r.Ref, Key: found[n].Key, Headline: r.Task, State: found[n].State.String(), Record: mask.Render(r),
			})
			for _, i := range ownAndWork(&found[n], sel.Work[n]) {
				g.Entries = append(g.Entries, entry(s, i, r.Ref))
			}
		}
	}
	return g
}

// complete adds what the staged log says.
func complete(g *archive.Generation, st *writer.Staged, count *counting, context Change) {
	file := &g.Files[0]
	g.Path, file.Path = st.Final(), st.Final()
	file.New = archive.Content{Size: st.New.Size(), SHA256: st.After.Source.SHA256}
	for n := range file.Edits {
		file.Edits[n].New = st.New.At(n)
	}
	noted := remembered{Factor: count.factor, Written: st.Written, Context: &context}
	if agent := st.After.AgentName(); agent != g.Format {
		noted.Agent = agent
	}
	options, err := json.Marshal(noted)
	if err != nil {
		options = nil // the factor of the next run is fitted anew, and restore needs an unchanged beginning
	}
	g.Options = string(options)
	for i := range st.After.Entries {
		if m, ok := st.After.Mark(int32(i)); ok && !slices.Contains(g.Markers, m.Ref) {
			g.Markers = append(g.Markers, m.Ref)
		}
	}
}

// refsOf is the mask that each member goes with, the first one where several
// share it.
func refsOf(found []lifecycle.Lifecycle, sel *lifecycle.Selection, records map[int]mask.Record) map[int32]string {
	refs := map[int32]string{}
	for _, w := range sel.Waves {
		for _, n := range w.Lifecycles {
			for _, i := range ownAndWork(&found[n], sel.Work[n]) {
				if refs[i] == "" {
					refs[i] = records[n].Ref
				}
			}
		}
	}
	return refs
}

// ownAndWork lists what goes with a lifecycle, in file order.
func ownAndWork(l *lifecycle.Lifecycle, work []int32) []int32 {
	all := append(l.Entries(), work...)
	slices.Sort(all)
	return slices.Compact(all)
}

func entry(s *session.Session, i int32, ref string) archive.Entry {
	e := &s.Entries[i]
	a := archive.Entry{
		Old: session.Range{Off: e.Off, Len: int64(e.Len)}, Ref: ref,
		Role: e.Kind.Role(), Kind: e.Kind.String(), ID: s.IDOf(i), Time: e.Time,
	}
	if calls := s.CallsOf(i); len(calls) > 0 {
		a.Tool = s.Str(calls[0].Name)
	} else if n := s.Answers(i); n >= 0 {
		a.Tool = s.Str(s.Calls[n].Name)
	}
	return a
}

// indexText is what the search index holds of an entry: all that a reader of
// the session would see of it.
func indexText(s *session.Session, at session.Range) (string, error) {
	raw := make([]byte, at.Len)
	if _, err := s.ReadAt(raw, at.Off); err != nil {
		return "", err
	}
	c, err := s.Format.Content(raw)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, b := range c.Blocks {
		switch b.Type {
		case session.ImageBlock:
		case session.CallBlock:
			parts = append(parts, b.Tool+" "+string(b.Args))
		default:
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n"), nil
}
