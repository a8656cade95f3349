package openclaw

import (
	"path/filepath"
	"slices"
	"strings"

	"sessc/session"
)

// Finish implements [session.Reader].
func (r *reader) Finish(b *session.Builder) {
	r.asked = nil // the memory of a long log is at its height from here on
	b.Link()
	b.Pair(r.answers)
	r.answers = nil
	s := b.S
	for _, id := range r.edited {
		for _, to := range s.Lookup(s.Str(id)) {
			s.Entries[to].Flags |= session.Unsure
		}
	}
	s.Private = r.private
	s.Leaf = r.leaf(s)
	s.Chain = b.Walk(s.Leaf)
	s.Active = r.active(s)
	r.state(s)
	r.resolveChildren(s)
	if r.pi || inPi(s.Path) || s.Cwd != "" && filepath.Base(filepath.Dir(s.Path)) == piFolder(s.Cwd) {
		s.Agent = piAgent
	}
}

// inPi reports whether a log lies in a folder of pi's own sessions, which is
// named otherwise than its header says once the project has moved.
func inPi(path string) bool {
	above := filepath.ToSlash(filepath.Dir(filepath.Dir(path)))
	return strings.HasSuffix(above, "/.pi/agent/sessions")
}

// piFolder is the folder in which pi keeps the sessions of a working directory.
// OpenClaw has one for each agent, whatever the directory.
func piFolder(cwd string) string {
	cwd = strings.TrimLeft(cwd, `/\`)
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(cwd) + "--"
}

// leaf finds the active leaf: the last entry of the file, as pi does. A log
// with leaf entries or side appends was written by an OpenClaw of 2026.6 or
// later, where the last entry that is not aside counts, unless a later leaf
// entry names another (formats page, section 4). Lines without an id are in
// nobody's tree.
func (r *reader) leaf(s *session.Session) int32 {
	leaf := int32(-1)
	controls := r.leaves
	for i := range s.Entries {
		if len(controls) > 0 && controls[0].entry == int32(i) {
			target := s.Str(controls[0].text)
			controls = controls[1:]
			if target == "" {
				leaf = -1
			} else if to := s.Lookup(target); len(to) > 0 {
				leaf = to[len(to)-1]
			}
			continue
		}
		e := &s.Entries[i]
		if s.Str(e.ID) == "" || r.side && (e.Is(session.Side) || e.Kind == session.Opaque) {
			continue
		}
		leaf = int32(i)
	}
	return leaf
}

// active returns what the client would send: the entries of the chain, or,
// behind a compaction, its summary, the entries from the first kept one up to
// it, and all that follow. Older compactions in the kept range are not sent. A
// reset keeps entries in the same way and has no summary.
func (r *reader) active(s *session.Session) []int32 {
	var path []int32
	last := len(s.Chain) - 1
	for last >= 0 && s.Entries[s.Chain[last]].Kind != session.Boundary {
		last--
	}
	if last >= 0 {
		boundary := s.Chain[last]
		if s.Entries[boundary].Said > 0 {
			path = append(path, boundary)
		}
		if kept, _ := noted(r.windows, boundary); s.Str(kept) != "" {
			from := slices.IndexFunc(s.Chain[:last], func(i int32) bool { return s.IDOf(i) == s.Str(kept) })
			if from >= 0 {
				path = appendSent(path, s, s.Chain[from:last])
			}
		}
	}
	return appendSent(path, s, s.Chain[last+1:])
}

func appendSent(path []int32, s *session.Session, chain []int32) []int32 {
	for _, i := range chain {
		if k := s.Entries[i].Kind; k.Role() != "" && k != session.Boundary {
			path = append(path, i)
		}
	}
	return path
}

// state looks back along the chain for the model and reasoning level in force,
// which an assistant message sets as well as a change entry, and for the
// context size that the agent recorded last.
func (r *reader) state(s *session.Session) {
	model, effort, recorded := false, len(r.efforts) == 0, false
	for n := len(s.Chain) - 1; n >= 0 && !(model && effort && recorded); n-- {
		i := s.Chain[n]
		switch s.Entries[i].Kind {
		case session.Assistant, session.Mirror:
			if model && recorded {
				continue
			}
			u := s.UsageOf(i)
			if u == nil {
				continue
			}
			if m := s.Str(u.Model); !model && m != "" {
				s.Model, model = m, true
			}
			if !recorded && u.Total > 0 {
				s.Recorded, recorded = int(u.Total), true
			}
		case session.Boundary:
			recorded = true // nothing since
		case session.Meta:
			if t, ok := noted(r.models, i); ok && !model {
				s.Model, model = s.Str(t), true
			}
			if t, ok := noted(r.efforts, i); ok && !effort {
				s.Effort, effort = s.Str(t), true
			}
		}
	}
}
