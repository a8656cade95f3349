package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v3"

	"sessc/archive"
	"sessc/config"
	"sessc/model"
	"sessc/model/gemini"
	"sessc/session"
	"sessc/session/formats"
)

func doctorCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "doctor", Usage: "tell whether archive, settings, folders and model are fine",
		UsageText:   "sessc doctor [OPTION]...",
		Description: doctorHelp,
		Flags:       settingFlags("archive", "model", "endpoint", "timeout"),
		Action:      func(ctx context.Context, c *ucli.Command) error { return p.doctor(ctx, c) },
	}
}

// finding is one line of the doctor.
type finding struct {
	what   string
	bad    bool
	detail string
	odd    bool // works, and may not be what the user meant
}

// doctor prints what it finds. Something that does not work is an error of the
// run; something that is not there yet is none.
func (p *Process) doctor(ctx context.Context, c *ucli.Command) error {
	if c.Args().Present() {
		return usage("doctor takes no argument")
	}
	cfg, err := p.settings(c)
	if err != nil {
		return err // it names file and line
	}
	findings := []finding{p.examineSettings(cfg)}
	for _, unknown := range config.Unknown(p.Environ) {
		findings = append(findings, finding{what: "environment", odd: true, detail: unknown})
	}
	findings = append(findings, p.examineArchive(ctx, cfg))
	findings = append(findings, p.examineAgents()...)
	more, err := p.examineModel(ctx, cfg)
	if err != nil {
		return err
	}
	findings = append(findings, more...)
	var b strings.Builder
	rows, bad := [][]string{}, 0
	for _, f := range findings {
		word := "ok"
		switch {
		case f.bad:
			word, bad = "WRONG", bad+1
		case f.odd:
			word = "warn"
		}
		rows = append(rows, []string{word, f.what, f.detail})
	}
	table(&b, "", rows)
	if err := p.emit([]byte(clean(b.String()))); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%s not work, see above", plural(bad, "thing does", "things do"))
	}
	return nil
}

func (p *Process) examineSettings(cfg *config.Config) finding {
	from := map[config.Source]int{}
	for _, v := range cfg.Values() {
		from[v.Origin.Source]++
	}
	file := cfg.File
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		file += " is not there"
	}
	return finding{what: "settings", detail: fmt.Sprintf("%s; %s", file, origins(from))}
}

// origins says where the settings come from that are not the defaults.
func origins(from map[config.Source]int) string {
	var parts []string
	all := 0
	for _, s := range []config.Source{config.FromFile, config.FromEnv, config.FromFlag} {
		if n := from[s]; n > 0 {
			all += n
			parts = append(parts, fmt.Sprintf("%s by %s", comma(n), s))
		}
	}
	said := plural(all, "value is", "values are") + " set"
	if all > 0 {
		said += " (" + strings.Join(parts, ", ") + ")"
	}
	return said
}

func (p *Process) examineArchive(ctx context.Context, cfg *config.Config) finding {
	f := finding{what: "archive"}
	s, err := p.store(cfg, true)
	if err != nil {
		return finding{what: f.what, bad: true, detail: err.Error()}
	}
	a, err := archive.Open(s.dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		if err := archive.CanMake(s.dir); err != nil {
			return finding{what: f.what, bad: true, detail: fmt.Sprintf("%s is not there yet, and cannot be made: %v; name another folder with --archive", s.dir, err)}
		}
		f.detail = s.dir + " is not there yet; the first rewrite makes it"
		return f
	}
	if err != nil {
		return finding{what: f.what, bad: true, detail: err.Error()}
	}
	st, err := a.Status(ctx)
	var read *archive.Checked
	if err == nil {
		until := time.Now().Add(checkTime)
		read, err = a.Check(ctx, func() bool { return time.Now().Before(until) })
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return finding{what: f.what, bad: true, detail: err.Error()}
	}
	f.detail = fmt.Sprintf("%s; %s, %s bytes on disk", s.dir, plural(len(st.Sessions), "session", "sessions"), comma(st.Disk()))
	open := 0
	for _, one := range st.Sessions {
		open += len(one.Pending)
	}
	if open > 0 {
		f.detail += fmt.Sprintf("; %s open, the next command that writes settles it", plural(open, "rewrite is", "rewrites are"))
	}
	if n := len(st.Unknown); n > 0 {
		f.bad = true
		f.detail += fmt.Sprintf("; %s not list: was an older %s put in place?", plural(n, "file that the index does", "files that the index does"), "index.db")
	}
	f.bad = f.bad || read.Damaged > 0
	f.detail += readBack(read)
	return f
}

// checkTime is how long the doctor reads packs, since an archive may hold many
// gigabytes.
const checkTime = 10 * time.Second

// readBack says how much of the archive was read, and what is wrong with it.
func readBack(c *archive.Checked) string {
	said := fmt.Sprintf("; %s read back", plural(c.Read, "rewrite", "rewrites"))
	switch {
	case c.All == 0:
		return ""
	case c.Read < c.All:
		said = fmt.Sprintf("; the newest %s of %s read back, as many as there was time for", comma(c.Read), plural(c.All, "rewrite", "rewrites"))
	}
	if c.Damaged == 0 {
		return said + ", all sound"
	}
	return said + fmt.Sprintf(", %s damaged: %v; bring its pack back from a backup: restore cannot give back these bytes without it", comma(c.Damaged), c.First)
}

func (p *Process) examineAgents() []finding {
	var all []finding
	for _, f := range formats.All {
		var found []string
		for _, pattern := range f.DefaultDirs(p.Getenv) {
			if dirs, err := filepath.Glob(pattern); err == nil {
				found = append(found, dirs...)
			}
		}
		detail := "none of its folders is here"
		if len(found) > 0 {
			detail = strings.Join(found, ", ")
		}
		all = append(all, finding{what: "agent " + strings.Join(session.Agents(f), ", "), detail: detail})
	}
	return all
}

// examineModel asks the model a tiny question, without a word of any log.
func (p *Process) examineModel(ctx context.Context, cfg *config.Config) ([]finding, error) {
	e, err := p.engineOf(cfg)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return []finding{{what: "model", detail: "none: no word of a log leaves the machine, and masks are written by code"}}, nil
	}
	where := "on this machine"
	if !model.OnMachine(e.endpoint) {
		where = "not on this machine"
	}
	all := []finding{{what: "endpoint", detail: e.endpoint + ", " + where}}
	if e.gemini != nil {
		defer e.close()
		path, err := gemini.Find()
		if err != nil {
			return append(all, finding{what: "program", bad: true, detail: err.Error()}), nil
		}
		all = append(all, finding{what: "program", detail: path})
		if p.key() == "" {
			return append(all, finding{what: "key", bad: true, detail: "neither GEMINI_API_KEY nor GOOGLE_API_KEY is set"}), nil
		}
	}
	if e.local != nil {
		names, err := e.local.Models(ctx)
		f := finding{what: "models", detail: strings.Join(names, ", ")}
		if err != nil {
			f.bad, f.detail = model.KindOf(err) == model.Unreachable, err.Error()
			if f.bad {
				f.detail += "; is the server running? mlx_lm.server and llama-server listen on port 8080, Ollama on 11434, LM Studio on 1234"
				return append(all, f), nil
			}
		}
		all = append(all, f)
	}
	begun := time.Now()
	a, err := model.NewGate(e.asker, model.Limits{Timeout: cfg.Timeout, Tries: 1}).Ask(ctx, model.Request{
		System: `Answer with the JSON object {"ready": "yes"} and nothing else.`, Prompt: "Are you ready?",
		Fields: []model.Field{{Name: "ready"}}, Limit: 64,
	})
	took := time.Since(begun).Round(time.Millisecond)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case model.KindOf(err) == model.Empty:
		return append(all, finding{what: "model", bad: true, detail: fmt.Sprintf("%s answers in %v, but without a word: does it think aloud only?", e.name, took)}), nil
	case err != nil:
		return append(all, finding{what: "model", bad: true, detail: e.name + ": " + err.Error()}), nil
	}
	name := e.name
	if a.Model != "" {
		name += " (" + a.Model + ")"
	}
	return append(all, finding{what: "model", detail: fmt.Sprintf("%s answers in %v", name, took)}), nil
}
