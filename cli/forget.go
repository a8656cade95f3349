package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v3"

	"sessc/archive"
	"sessc/compress"
	"sessc/config"
)

func forgetCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "forget", Usage: "delete removed bytes from the archive for good",
		UsageText:   "sessc forget (SESSION | REF | --older-than D) [--yes]",
		Description: forgetHelp,
		Flags: append([]ucli.Flag{
			&ucli.StringFlag{Name: "older-than", Usage: "all rewrites older than the time `D` (90d, 26w)"},
			&ucli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask", HideDefault: true},
		}, settingFlags("archive", "quiet")...),
		Action: func(ctx context.Context, c *ucli.Command) error { return p.forget(ctx, c) },
	}
}

func (p *Process) forget(ctx context.Context, c *ucli.Command) (err error) {
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	if n := c.Args().Len(); n > 1 || n == 1 == c.IsSet("older-than") {
		return usage("forget takes one of a SESSION, a REF or --older-than D; see sessc forget --help")
	}
	var before int64
	if c.IsSet("older-than") {
		age, err := config.Duration(c.String("older-than"))
		if err != nil {
			return usage("--older-than: %w", err)
		}
		before = p.Now().Add(-age).UnixMilli()
	}
	st, err := p.store(cfg, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	arch, err := st.must(ctx)
	if err != nil {
		return err
	}
	sel, what, err := selection(ctx, arch, c.Args().First(), before)
	if err != nil {
		return err
	}
	undone, err := undoneIn(ctx, arch)
	if err != nil {
		return err
	}
	if what != "" && !c.Bool("yes") {
		if err := p.confirm(what); err != nil {
			return err
		}
	}
	sel.Now = p.Now()
	// Also where nothing is selected: it finishes a run that was interrupted.
	done, err := arch.Forget(ctx, sel)
	if done != nil && !cfg.Quiet {
		if err := p.emit([]byte(clean(forgotten(done, undone)))); err != nil {
			return err
		}
	}
	if err == nil && len(done.InUse) > 0 {
		err = fmt.Errorf("%s in use by a running sessc and were kept; run forget again", plural(len(done.InUse), "rewrite is", "rewrites are"))
	}
	return err
}

// undoneIn are the rewrites in the archive that were taken back since.
func undoneIn(ctx context.Context, arch *archive.Archive) (map[int64]bool, error) {
	all, err := arch.Generations(ctx, archive.Query{})
	if err != nil {
		return nil, err
	}
	past, err := arch.History(ctx)
	undone := map[int64]bool{}
	for i := range all {
		undone[all[i].ID] = compress.Undone(&all[i], past[all[i].ID])
	}
	return undone, err
}

// selection finds out what an argument names, and says it in words: "" when
// there is nothing to ask about.
func selection(ctx context.Context, arch *archive.Archive, name string, before int64) (sel archive.Selection, what string, err error) {
	sel = archive.Selection{Session: name, Before: before}
	past, err := arch.Generations(ctx, archive.Query{Session: name})
	if err != nil {
		return sel, "", err
	}
	answers, err := arch.Answers(ctx, sel)
	if err != nil {
		return sel, "", err
	}
	var bytes int64
	n := 0
	for _, g := range past {
		if name != "" || g.Time < before {
			n, bytes = n+1, bytes+g.Removed
		}
	}
	of := fmt.Sprintf("%s of log text", plural(bytes, "byte", "bytes"))
	if answers > 0 {
		of += " and " + plural(answers, "answer", "answers") + " of a model"
	}
	switch found := n+answers > 0; {
	case name == "" && !found:
		return sel, "", nil
	case name == "":
		return sel, fmt.Sprintf("%s from before %s, %s", plural(n, "rewrite", "rewrites"), time.UnixMilli(before).UTC().Format("2006-01-02 15:04Z"), of), nil
	case found && !strings.HasPrefix(name, refPrefix):
		return sel, fmt.Sprintf("all %s of session %s, %s", plural(n, "rewrite", "rewrites"), name, of), nil
	}
	x, err := arch.Expand(ctx, strings.TrimPrefix(name, refPrefix))
	if errors.Is(err, archive.ErrNotFound) {
		return sel, "", unknownName(ctx, arch, name)
	}
	if err != nil {
		return sel, "", err
	}
	return archive.Selection{Ref: x.Mask.Ref}, fmt.Sprintf("what mask %s%s stands for (%s), %s", refPrefix, x.Mask.Ref,
		x.Mask.Headline, plural(len(x.Entries), "entry", "entries")), nil
}

// confirm asks before something is deleted. No answer is a no.
func (p *Process) confirm(what string) error {
	fmt.Fprintf(p.Stderr, "delete for good: %s; it cannot be restored then. Type yes: ", clean(what))
	answer, _ := bufio.NewReader(p.Stdin).ReadString('\n') // an unreadable answer is a no
	if strings.TrimSpace(strings.ToLower(answer)) != "yes" {
		fmt.Fprintln(p.Stderr)
		return errors.New("not confirmed, nothing was deleted; type yes or give --yes")
	}
	return nil
}

// mostNear is how many names an error suggests.
const mostNear = 5

// unknownName says that a name is none, and which sessions begin with it: what
// is deleted for good has to be named in full.
func unknownName(ctx context.Context, arch *archive.Archive, name string) error {
	all, err := arch.Generations(ctx, archive.Query{})
	if err != nil {
		return err
	}
	var near []string
	for _, g := range all {
		if strings.HasPrefix(g.Session, name) && !slices.Contains(near, g.Session) {
			near = append(near, g.Session)
		}
	}
	slices.Sort(near)
	hint := "sessc status lists the sessions"
	switch {
	case len(near) > mostNear:
		hint = fmt.Sprintf("%s begin with it, give the whole id; sessc status lists them", plural(len(near), "session", "sessions"))
	case len(near) > 0:
		hint = fmt.Sprintf("did you mean %s? give the whole id", strings.Join(near, " or "))
	}
	return fmt.Errorf("%s: neither a session nor a ref that is in the archive; %s", name, hint)
}

// forgotten says what was deleted and what that means, in a line for each log.
func forgotten(f *archive.Forgotten, undone map[int64]bool) string {
	if f.Generations+f.Masks+len(f.InUse) == 0 && f.Answers == 0 { // a name that is none is an error before
		return "nothing to delete: nothing in the archive is that old\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "deleted: %s, %s, %s of log text\n", plural(f.Generations, "rewrite", "rewrites"),
		plural(f.Masks, "mask", "masks"), plural(f.Bytes, "byte", "bytes"))
	if f.Answers > 0 {
		fmt.Fprintf(&b, "  and %s of a model\n", plural(f.Answers, "answer", "answers"))
	}
	type log struct{ path, session, ref string }
	lost := map[log]int{}
	var logs []log
	for _, l := range f.Losses {
		at := log{l.Path, l.Session, l.Ref}
		if _, known := lost[at]; !known {
			logs = append(logs, at)
		}
		lost[at] += 0
		if !undone[l.Generation] {
			lost[at]++
		}
	}
	for _, l := range logs {
		what := "the rewrite"
		switch n := lost[l]; {
		case n == 0:
			fmt.Fprintf(&b, "  %s was restored before and stays as it is (session %s)\n", l.path, l.session)
			continue
		case l.ref != "":
			what = "mask " + refPrefix + l.ref
		case n > 1:
			what = plural(n, "rewrite", "rewrites")
		}
		fmt.Fprintf(&b, "  %s of %s can no longer be undone (session %s)\n", what, l.path, l.session)
	}
	return b.String()
}
