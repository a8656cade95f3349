package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v3"

	"sessc/archive"
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
	if !c.Bool("yes") {
		if err := p.confirm(what); err != nil {
			return err
		}
	}
	sel.Now = p.Now()
	done, err := arch.Forget(ctx, sel)
	if done != nil && !cfg.Quiet {
		if err := p.emit([]byte(clean(forgotten(done)))); err != nil {
			return err
		}
	}
	if err == nil && len(done.InUse) > 0 {
		err = fmt.Errorf("%s in use by a running sessc and were kept; run forget again", plural(len(done.InUse), "rewrite is", "rewrites are"))
	}
	return err
}

// selection finds out what an argument names, and says it in words.
func selection(ctx context.Context, arch *archive.Archive, name string, before int64) (sel archive.Selection, what string, err error) {
	query := archive.Query{Session: name}
	if name == "" {
		query = archive.Query{}
	}
	past, err := arch.Generations(ctx, query)
	if err != nil {
		return sel, "", err
	}
	if name == "" {
		var bytes int64
		n := 0
		for _, g := range past {
			if g.Time < before {
				n, bytes = n+1, bytes+g.Removed
			}
		}
		return archive.Selection{Before: before}, fmt.Sprintf("%s from before %s, %s of log text", plural(n, "rewrite", "rewrites"),
			time.UnixMilli(before).UTC().Format("2006-01-02 15:04Z"), plural(bytes, "byte", "bytes")), nil
	}
	answers, err := arch.Answers(ctx, name)
	if err != nil {
		return sel, "", err
	}
	if len(past)+answers > 0 && !strings.HasPrefix(name, refPrefix) {
		var bytes int64
		for _, g := range past {
			bytes += g.Removed
		}
		return archive.Selection{Session: name}, fmt.Sprintf("all %s of session %s, %s of log text",
			plural(len(past), "rewrite", "rewrites"), name, plural(bytes, "byte", "bytes")), nil
	}
	x, err := arch.Expand(ctx, strings.TrimPrefix(name, refPrefix))
	if errors.Is(err, archive.ErrNotFound) {
		return sel, "", fmt.Errorf("%s: neither a session nor a ref that is in the archive; sessc status lists the sessions", name)
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

// forgotten says what was deleted and what that means.
func forgotten(f *archive.Forgotten) string {
	var b strings.Builder
	fmt.Fprintf(&b, "deleted: %s, %s, %s of log text\n", plural(f.Generations, "rewrite", "rewrites"),
		plural(f.Masks, "mask", "masks"), plural(f.Bytes, "byte", "bytes"))
	if f.Answers > 0 {
		fmt.Fprintf(&b, "  and %s of a model\n", plural(f.Answers, "answer", "answers"))
	}
	for _, l := range f.Losses {
		what := "the rewrite"
		if l.Ref != "" {
			what = "mask " + refPrefix + l.Ref
		}
		fmt.Fprintf(&b, "  %s of %s can no longer be undone (session %s)\n", what, l.Path, l.Session)
	}
	return b.String()
}
