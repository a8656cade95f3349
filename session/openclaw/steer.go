package openclaw

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// said is what the object of a result, or that of a call's arguments, says about
// children, read in one pass.
type said struct {
	rows                                          [5]gjson.Result // lists of children, each with its names
	pending, runIDs, ids                          gjson.Result    // lists of names
	labels, action, status, killed, text          gjson.Result
	target, childSessionKey, sessionKey, key, run gjson.Result
	label                                         gjson.Result
}

func saidBy(o gjson.Result) said {
	var v [len(saidKeys)]gjson.Result
	valuesOf(o, v[:], saidKeys[:]...)
	return said{
		rows:    [5]gjson.Result(v[:5]),
		pending: v[5], runIDs: v[6], ids: v[7],
		labels: v[8], action: v[9], status: v[10], killed: v[11], text: v[12],
		target: v[13], childSessionKey: v[14], sessionKey: v[15], key: v[16], run: v[17], label: v[18],
	}
}

var saidKeys = [...]string{
	"active", "recent", "sessions", "runs", "completed",
	"pending", "runIds", "ids",
	"labels", "action", "status", "killed", "text",
	"target", "childSessionKey", "sessionKey", "key", "runId", "label",
}

// child is the strongest name that the object gives a child.
func (t *said) child() string {
	return firstText([]gjson.Result{t.childSessionKey, t.sessionKey, t.key, t.run, t.label})
}

// rowKey is the strongest name that a row of a list gives a child.
func rowKey(row gjson.Result) string {
	var v [5]gjson.Result
	valuesOf(row, v[:], "childSessionKey", "sessionKey", "key", "runId", "label")
	return firstText(v[:])
}

// steered returns the children that a call of a steering tool names, in order and
// once each, and those among them that it ended; goesOn says that a message made
// the child work on, in a run of its own. They are named by session key where the
// arguments or the result give one, else by run id, label or the words of the
// call. A call that names nobody, such as a yield, has none.
func steered(tool string, args, details, text []byte) (touched, killed []string, goesOn bool) {
	a, d := saidBy(fieldsOf(args, nil)), saidBy(fieldsOf(details, text))
	var n names
	for _, list := range d.rows {
		list.ForEach(func(_, row gjson.Result) bool {
			n.add(rowKey(row))
			return true
		})
	}
	own := d.child()
	n.add(own)
	for _, list := range []gjson.Result{d.pending, a.runIDs, a.ids} {
		list.ForEach(func(_, v gjson.Result) bool { n.addID(v, &d); return true })
	}
	if own == "" {
		for _, v := range []gjson.Result{a.sessionKey, a.run, a.target, a.label} {
			n.addID(v, &d)
		}
	}
	if tool != "subagents" {
		return n.list, nil, false
	}
	for _, l := range d.killedLabels() {
		n.add(l)
	}
	// To a child that has ended the program says "done" (2026.7.35).
	goesOn = d.action.String() == "steer" && d.status.String() == "accepted"
	return n.list, d.ended(&a), goesOn
}

// ended returns the children that a call of the subagents tool ended, as its
// result says: by session key, else by run id, and by label where all children
// were ended at once. a are the arguments. The tool kills until 2026.6 and cancels
// from 2026.9 on.
func (t *said) ended(a *said) []string {
	action := t.action.String()
	if action == "" {
		action = a.action.String()
	}
	var n names
	switch {
	case action == "cancel":
		if t.killed.Type == gjson.True {
			n.add(t.child())
		}
	case action != "kill" || t.status.String() != "ok":
	case t.target.String() == "all" || t.target.String() == "*":
		for _, l := range t.killedLabels() {
			n.add(l)
		}
	case onlyDescendants(t.text.String()):
	default:
		if n.add(t.child()); len(n.list) == 0 {
			n.add(t.target.String())
		}
	}
	return n.list
}

// onlyDescendants reports that the words of a kill's result speak of the
// children of the target alone ("killed 2 descendants of x."): the target
// itself had ended before.
func onlyDescendants(s string) bool {
	f := strings.Fields(s)
	return len(f) > 3 && f[0] == "killed" && strings.HasPrefix(f[2], "descendant") && f[3] == "of" && strings.Trim(f[1], "0123456789") == ""
}

func (t *said) killedLabels() (labels []string) {
	if t.action.String() != "kill" {
		return nil
	}
	t.labels.ForEach(func(_, v gjson.Result) bool {
		if v.Type == gjson.String {
			labels = append(labels, v.Str)
		}
		return true
	})
	return labels
}

// names collects names in order, once each.
type names struct{ list []string }

func (n *names) add(s string) {
	if s = known(s); s != "" && !slices.Contains(n.list, s) {
		n.list = append(n.list, s)
	}
}

// addID adds a name that a call uses, unless it is a place in a list ("2",
// "last") or stands for all, or the result already gave that run by its key.
func (n *names) addID(v gjson.Result, result *said) {
	s := strings.TrimSpace(v.Str)
	switch strings.ToLower(s) {
	case "", "*", "all", "last":
		return
	}
	if strings.Trim(s, "#0123456789") == "" {
		return
	}
	for _, list := range result.rows {
		seen := false
		list.ForEach(func(_, row gjson.Result) bool {
			seen = row.Get("runId").String() == s && rowKey(row) != s
			return !seen
		})
		if seen {
			return
		}
	}
	n.add(s)
}
