// Package cli is the command line of sessc: flags, settings, wiring, and what
// is printed where, one file a command. Data goes to stdout, talk and errors go
// to stderr.
//
// It decides nothing about logs and never ends the process: errors go back to
// main, which alone knows exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	ucli "github.com/urfave/cli/v3"

	"sessc/config"
)

// Process is what a run gets from the process that it runs in.
type Process struct {
	Args           []string // the program's name first
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Environ        []string // "NAME=value"; nil where only Getenv is known
	Now            func() time.Time
	// Trace, if set, is told each step of a rewrite before it is taken.
	Trace func(step string)

	jsonLog  bool            // messages are JSON objects
	reported map[string]bool // stacks of faults that were printed already
}

var (
	// ErrUsage is wrapped by errors in the command line, the environment or
	// the config file. Nothing was done then.
	ErrUsage = errors.New("usage")
	// ErrBatch is wrapped when some of several sessions failed.
	ErrBatch = errors.New("batch")
)

// kindError is an error that belongs to one of the kinds above without
// carrying its word in the message.
type kindError struct {
	kind error
	err  error
}

func (e *kindError) Error() string   { return e.err.Error() }
func (e *kindError) Unwrap() []error { return []error{e.kind, e.err} }

func usage(format string, args ...any) error {
	return &kindError{ErrUsage, fmt.Errorf(format, args...)}
}

// Run runs one command line. Its error is to be printed once, with
// [Process.Complain]; errors of single
// sessions in a batch were printed already and are only counted in it.
func Run(ctx context.Context, p *Process) error {
	root := rootCommand(p)
	args, err := helpFirst(root, p.Args)
	if err != nil {
		return err
	}
	out := &printed{w: p.Stdout}
	root.Writer = out
	if err = root.Run(ctx, args); err == nil && out.err != nil {
		err = unwritten(out.err)
	}
	return err
}

// printed is where the library prints help, versions and completions. It drops
// the errors of that; here the first one is kept.
type printed struct {
	w   io.Writer
	err error
}

func (o *printed) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// unwritten is the error for data that stdout did not take.
func unwritten(err error) error { return fmt.Errorf("write the output: %w", err) }

func rootCommand(p *Process) *ucli.Command {
	root := &ucli.Command{
		Name:  "sessc",
		Usage: "compress the session logs of coding agents, offline and reversibly",
		UsageText: "sessc COMMAND [OPTION]... [ARGUMENT]...\n" +
			"sessc help COMMAND",
		Description: rootHelp,
		Version:     version(),
		Commands: []*ucli.Command{
			compressCommand(p), sessionsCommand(p), scanCommand(p), reportCommand(p), restoreCommand(p), expandCommand(p),
			statusCommand(p), forgetCommand(p), configCommand(p), formatsCommand(p), doctorCommand(p), versionCommand(p), manualCommand(p),
		},
		Action: func(_ context.Context, c *ucli.Command) error {
			if c.Args().Present() {
				return unknownCommand(c, []string{fullName(c), c.Args().First()})
			}
			return usage("no command; see sessc --help")
		},
		Writer:                          p.Stdout,
		ErrWriter:                       p.Stderr,
		HideHelpCommand:                 true,
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: completionCommand,
		// Without it the library ends the process itself on some errors.
		ExitErrHandler: func(context.Context, *ucli.Command, error) {},
	}
	quietUsage(root)
	return root
}

// quietUsage makes a command and those below it return usage errors instead of
// printing help to stdout, and keep commas in values. The library hands
// neither down to sub-commands.
func quietUsage(c *ucli.Command) {
	c.OnUsageError = usageError
	c.DisableSliceFlagSeparator = true
	for _, sub := range c.Commands {
		quietUsage(sub)
	}
}

// undefinedFlag begins the library's message for an unknown flag.
const undefinedFlag = "flag provided but not defined: -"

// badValue is the library's message for a value that is no number.
var badValue = regexp.MustCompile(`^invalid value (".*") for flag -+(\S+): strconv\.Parse(\w+): `)

func usageError(_ context.Context, c *ucli.Command, err error, _ bool) error {
	see := fullName(c) + " --help"
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		what := "a number"
		if m[3] == "Int" {
			what = "a whole number"
		}
		return usage("%s wants %s, not %s; see %s", dashed(m[2]), what, m[1], see)
	}
	name, unknown := strings.CutPrefix(err.Error(), undefinedFlag)
	if !unknown {
		return usage("%w; see %s", err, see)
	}
	name = strings.TrimLeft(name, "-")
	known := []string{"help"}
	for _, f := range c.Flags {
		known = append(known, f.Names()...)
	}
	if near := config.Nearest(name, known); near != "" {
		return usage("unknown option %s; did you mean --%s?", dashed(name), near)
	}
	return usage("unknown option %s; see %s", dashed(name), see)
}

// dashed is an option as it was typed, as far as the library tells: a letter
// with one dash, a word with two.
func dashed(name string) string {
	if utf8.RuneCountInString(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// unknownCommand says that the last name of a command line, as it was typed,
// is none of a command's sub-commands.
func unknownCommand(c *ucli.Command, typed []string) error {
	last := len(typed) - 1
	name, above := typed[last], strings.Join(typed[:last], " ")
	var known []string
	for _, sub := range c.Commands {
		known = append(known, sub.Names()...)
	}
	if c.Name == "completion" {
		return usage("%s: no completion script for %q; known: %s", above, name, strings.Join(known, ", "))
	}
	if near := config.Nearest(name, known); near != "" {
		return usage("unknown command %q; did you mean %s %s?", name, above, near)
	}
	return usage("unknown command %q; see %s --help", name, above)
}

// group is the action of a command that only holds others.
func group(name string) ucli.ActionFunc {
	return func(_ context.Context, c *ucli.Command) error {
		if c.Args().Present() {
			return unknownCommand(c, []string{fullName(c), c.Args().First()})
		}
		return usage("%s what? see sessc %s --help", name, name)
	}
}

// fullName is the command as it is typed.
func fullName(c *ucli.Command) string { return c.FullName() }

// helpFirst turns "help COMMAND" and "COMMAND LOG --help" into "COMMAND
// --help", and refuses unknown names. The library has answers of its own for
// these, but they end the process or are no usage errors. What can follow "help"
// is what can follow the name of the program.
func helpFirst(root *ucli.Command, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	names := args[1:]
	help := names[0] == "help"
	if help {
		names = names[1:]
		if args[len(args)-1] == completionFlag {
			return append([]string{args[0]}, names...), nil
		}
	}
	at, path := root, []string{root.Name}
	for _, name := range names {
		if strings.HasPrefix(name, "-") || name != "completion" && len(at.Commands) == 0 {
			break
		}
		path = append(path, name)
		if name == "completion" {
			break
		}
		sub := at.Command(name)
		if sub == nil {
			return nil, unknownCommand(at, path)
		}
		at = sub
	}
	if help || len(at.Commands) == 0 && asksHelp(args) {
		return append(path, "--help"), nil
	}
	return args, nil
}

// completionFlag is what the library's scripts ask for completions with.
const completionFlag = "--generate-shell-completion"

// asksHelp reports whether help is among the options: "compress LOG --help".
func asksHelp(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--help") || slices.Contains(args, "-h")
}

// settings loads what environment and config file say, and puts the flags of
// the command on top.
func (p *Process) settings(c *ucli.Command) (*config.Config, error) {
	cfg, err := config.Load(p.Getenv)
	if err != nil {
		return nil, &kindError{ErrUsage, err}
	}
	for _, v := range cfg.Values() {
		flag := flagName(v.Name)
		if !c.IsSet(flag) {
			continue
		}
		if v.Name == "endpoint" && cfg.Model == config.None {
			continue // nothing is sent there
		}
		given := c.StringSlice(flag)
		switch f := c.Value(flag).(type) {
		case string:
			given = []string{f}
		case bool:
			given = []string{fmt.Sprint(f)}
		}
		if err := cfg.SetFlag(v.Name, given...); err != nil {
			return nil, &kindError{ErrUsage, err}
		}
	}
	p.jsonLog = cfg.LogFormat != config.Text
	return cfg, nil
}

func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }

// settingFlags are the flags of config keys.
func settingFlags(keys ...string) []ucli.Flag {
	var flags []ucli.Flag
	for _, k := range keys {
		doc, env, def := config.Doc(k)
		doc += " [$" + env + "]"
		switch k {
		case "quiet":
			flags = append(flags, &ucli.BoolFlag{Name: flagName(k), Aliases: []string{"q"}, Usage: doc, HideDefault: true})
		case "spawn_tool":
			flags = append(flags, &ucli.StringSliceFlag{Name: flagName(k), Usage: doc, HideDefault: true})
		default:
			flags = append(flags, &ucli.StringFlag{Name: flagName(k), Usage: doc, DefaultText: def})
		}
	}
	return flags
}

// emit writes data to stdout.
func (p *Process) emit(b []byte) error {
	if _, err := p.Stdout.Write(b); err != nil {
		return unwritten(err)
	}
	return nil
}
