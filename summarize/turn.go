package summarize

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sessc/lifecycle"
	"sessc/mask"
	"sessc/session"
)

// Bounds of the mask of a turn, in tokens. Unlike a sub-task, whose report says
// what mattered, a turn has no summary of its own: its record is a ledger of
// commands and exact facts, and that takes more room.
const (
	turnBase   = 400
	turnShare  = 6
	turnMaxCap = 3000
)

// turnCap returns how many tokens the mask of a turn may take that replaces the
// given number of context tokens: a sixth of them, and a base.
func turnCap(replaced int) int {
	return min(turnBase+replaced/turnShare, turnMaxCap)
}

// turn collects what the record of the agent's own work could say: what its
// tools did and which errors they met, the standing ones last, and of what it said meanwhile the failed attempts, constraints and
// exact facts. Where the answer stands right below there is no conclusion; of a
// step inside a turn it is what the agent said that the step did.
func (b *recorder) turn(l *lifecycle.Lifecycle) (mask.Record, error) {
	done, said, err := b.worked(l)
	if err != nil {
		return mask.Record{}, err
	}
	clean(done)
	narration := bounded(Redact(said))
	facts, prose := FromActions(done, b.s.Cwd), unlabelled(FromReport(narration))
	commands := make([]string, 0, len(facts.Commands))
	for _, c := range facts.Commands {
		commands = append(commands, c.String())
	}
	prose.Open = nil
	if prose.Conclusion, err = b.stepConclusion(l, narration); err != nil {
		return mask.Record{}, err
	}
	prose.Tried = without(prose.Tried, prose.Conclusion)
	prose.Remember = without(prose.Remember, prose.Conclusion)
	errs := facts.Errors
	facts.Exact = b.unseen(facts.Exact)
	origin := mask.OriginUser
	if b.s.Entries[l.Spawn].Kind != session.Human {
		origin = mask.OriginEvent
	}
	return mask.Record{
		Origin: origin, Task: Name(l, nameWidth(l)), Result: mask.ResultDone, Conclusion: prose.Conclusion,
		Added: facts.Added, Changed: facts.Changed, Deleted: facts.Deleted, Commands: commands,
		Errors: errs, Tried: prose.Tried, Remember: b.remember(prose, errs, facts, narration, "", commands...),
		Omitted: mask.Omitted{Tried: prose.Left.Tried, Remember: prose.Left.Remember},
		Spent:   mask.Spent{Tokens: l.Own, ToolCalls: len(done), Took: time.Duration(max(l.Took, 0)) * time.Millisecond},
	}, nil
}

// stepConclusion is what the agent said that a step inside a turn did, while it
// did it or right after, or "": of a turn to its end the answer says it.
func (b *recorder) stepConclusion(l *lifecycle.Lifecycle, narration string) (string, error) {
	s := b.s
	var after strings.Builder // up to the next call
	goesOn := false
	for _, i := range s.Active[s.Position(l.Members[len(l.Members)-1])+1:] {
		k := s.Entries[i].Kind
		if goesOn || k == session.Human || k == session.HostEvent || k == session.Summary || k == session.Boundary {
			break
		}
		if k != session.Assistant {
			continue
		}
		c, err := s.Content(i)
		if errors.Is(err, session.ErrNotJSON) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		after.WriteString(c.Text())
		after.WriteByte('\n')
		goesOn = len(s.CallsOf(i)) > 0
	}
	if !goesOn {
		return "", nil
	}
	if said := outcomeSaid(Redact(bounded(after.String()))); len(said) > 0 {
		return clip(said[0], itemWidth), nil
	}
	if said := outcomeSaid(narration); len(said) > 0 {
		return clip(said[len(said)-1], itemWidth), nil
	}
	return "", nil
}

// outcomeSaid are the sentences of a narration that say what came out.
func outcomeSaid(narration string) (said []string) {
	for _, u := range unitsOf(narration) {
		if u.fact || u.heading || u.errs || u.in == adviceSection || u.in == triedSection {
			continue
		}
		for _, s := range u.sentences {
			if outcome.MatchString(s) && hasWords(s) && !tooShort(s) && !announces(s) && !looking.MatchString(s) && !plan.MatchString(s) &&
				!intent.MatchString(s) && !greeting.MatchString(s) && !toReader.MatchString(s) && !contentless.MatchString(s) && !dangling().MatchString(s) {
				said = append(said, unbold(s))
			}
		}
	}
	return said
}

// intent is what the agent means to do: no outcome yet.
var intent = anyOf(`^(?:ok(?:ay)?,? )?(?:now|agora|现在)\b`, `\b(?:let me|let's|i'll|i will|i'm going to|need to|needs to|want to|should|going to|next step|next,)\b`, `\b(?:vou|preciso|vamos|falta)\b`, `接下来|让我|需要|我来|我将`)

// without is a list less the items that a sentence says.
func without(items []string, said string) []string {
	return slices.DeleteFunc(items, func(item string) bool { return item == said })
}

// worked is what the agent did in a turn, and what it said meanwhile.
func (b *recorder) worked(l *lifecycle.Lifecycle) (done []session.Action, said string, err error) {
	s := b.s
	var words strings.Builder
	for _, i := range l.Members {
		if k := s.Entries[i].Kind; k != session.Assistant && k != session.Mirror {
			continue
		}
		c, err := s.Content(i)
		if err != nil {
			return nil, "", err
		}
		words.WriteString(c.Text())
		words.WriteString("\n")
		for _, c := range s.CallsOf(i) {
			a, err := s.Action(&c)
			if err != nil {
				return nil, "", err
			}
			a.Output = remembered(a.Output)
			done = append(done, a)
		}
	}
	return done, words.String(), nil
}

// remembered is a result as the agent saw it, or what is still known of one that
// was cleared.
func remembered(output string) string {
	if !mask.IsBrief(output) {
		return output
	}
	r, err := mask.Parse(output)
	if err != nil {
		return ""
	}
	return strings.Join(slices.Concat(r.Errors, r.Remember), "\n")
}

// String is the command as a record shows it: with what came of it, when that
// is no success.
func (c Command) String() string {
	line := c.Line
	switch {
	case c.Whole != "":
		line = c.Whole
	case c.More && !strings.HasSuffix(line, "…"):
		line += " …"
	}
	switch {
	case c.Exit > 0:
		return fmt.Sprintf("%s (exit %d)", line, c.Exit)
	case c.Failed:
		return line + " (failed)"
	}
	return line
}

// unseen drops the facts that an earlier record of the session shows.
func (b *recorder) unseen(facts []string) []string {
	var rest []string
	for _, f := range facts {
		if !b.visible[f] {
			rest = append(rest, f)
		}
	}
	return rest
}

// carrier is the call under whose name the record of a turn stands: one that
// reads nothing and writes nothing if there is one, and whose result is no
// error, so that nothing in it could be taken for the content of a file.
func carrier(s *session.Session, members []int32) int32 {
	best, rank := int32(-1), 0
	for _, i := range members {
		for n := s.FirstCall(i); n < len(s.Calls) && s.Calls[n].Entry == i; n++ {
			c := &s.Calls[n]
			if c.Result < 0 || s.Entries[c.Result].Is(session.Failed) {
				continue
			}
			if r := fitness(c.Op); r > rank {
				best, rank = int32(n), r
			}
		}
	}
	if best < 0 {
		return anyCall(s, members)
	}
	return best
}

func fitness(op session.Op) int {
	switch op {
	case session.OpExec:
		return 4
	case session.OpOther, session.OpSearch:
		return 3
	case session.OpRead:
		return 2
	}
	return 1
}
