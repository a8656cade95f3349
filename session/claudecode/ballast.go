package claudecode

import (
	"slices"

	"github.com/tidwall/gjson"

	"sessc/session"
)

// lighten takes out what the client never sends and no client reads again:
// progress lines, which versions from about 2.0 to 2.1 wrote into the chain,
// and the structured copies of results whose text is gone (formats page,
// section 6; accepted by 2.1.328 with an identical request). What hung on a
// progress line hangs on what that hung on.
func (p *planner) lighten() error {
	for n := range p.s.Entries {
		i := int32(n)
		e := &p.s.Entries[n]
		if e.Is(session.Ballast) && e.Parent >= 0 && !e.Is(session.Unsure) && !p.isGone(i) && p.s.Sound(i) == nil {
			p.ballast[i] = true
		}
	}
	if err := p.keepNamed(); err != nil {
		return err
	}
	for i := range p.ballast {
		delete(p.rewrites, i) // it was only looked at
	}
	for n := range p.s.Entries {
		i := int32(n)
		if at := p.parentOf(i); at < 0 || !p.ballast[at] || p.ballast[i] || p.isGone(i) {
			continue
		} else if _, hung := p.hung[i]; !hung {
			p.hung[i] = hook{at, -1}
		}
	}
	return p.mirrors()
}

// keepNamed leaves a progress line where it is when another line names it
// otherwise than as its parent, or hangs on it and cannot be edited.
func (p *planner) keepNamed() error {
	ids, sizes := map[string]int32{}, map[int]bool{}
	for i := range p.ballast {
		ids[p.s.IDOf(i)] = i
		sizes[len(p.s.IDOf(i))] = true
	}
	for n := range p.s.Entries {
		i := int32(n)
		if len(ids) == 0 || p.ballast[i] || p.isGone(i) {
			continue
		}
		raw, err := p.s.Raw(i)
		if err != nil {
			return err
		}
		for _, at := range quoted(raw, sizes) {
			line, ok := ids[string(raw[at[0]:at[1]])]
			if !ok {
				continue
			}
			w := rewrite{raw: raw}
			from, to, found := w.member("parentUuid")
			asParent := found && from == at[0]-1 && to == at[1]+1
			if !asParent || p.s.Entries[i].Is(session.Unsure) || p.s.Sound(i) != nil {
				delete(p.ballast, line)
			}
		}
	}
	return nil
}

// mirrors takes out the structured copies of results whose text was cleared,
// now or by an earlier run.
func (p *planner) mirrors() error {
	for n := range p.s.Entries {
		i := int32(n)
		w := p.rewrites[i]
		if p.s.Entries[n].Kind != session.Result || p.isGone(i) || !p.s.Entries[n].Is(session.ByUs) && (w == nil || w.ref == "") || p.s.Sound(i) != nil {
			continue
		}
		w, err := p.line(i)
		if err != nil {
			return err
		}
		removed := slices.ContainsFunc(w.cuts, func(c cut) bool { return c.data == nil })
		if copied := w.get("toolUseResult"); !removed && idle(copied) {
			cuts := len(w.cuts)
			w.remove("toolUseResult", w.ref)
			for n := cuts; n < len(w.cuts); n++ {
				w.cuts[n].disk = true
			}
		}
	}
	return nil
}

// leastMirror is the size in bytes from which on a structured copy is worth an
// edit.
const leastMirror = 200

// idle reports whether the structured copy of a result says nothing that the
// client, or a later run of ours, looks for: tasks in the background, agents,
// that a file is new.
func idle(d gjson.Result) bool {
	if !d.IsObject() || len(d.Raw) < leastMirror || d.Get("type").String() == "create" {
		return false
	}
	for _, key := range []string{"status", "isAsync", "agentId", "resumedAgentId", "backgroundTaskId", "taskId", "task_id", "task", "shellId"} {
		if d.Get(key).Exists() {
			return false
		}
	}
	return true
}
