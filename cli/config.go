package cli

import (
	"bytes"
	"context"
	"fmt"

	ucli "github.com/urfave/cli/v3"
)

func configCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "config", Usage: "show the settings", UsageText: "sessc config show [--origin]",
		Description: configHelp,
		Action:      group("config"),
		Commands: []*ucli.Command{{
			Name: "show", Usage: "print every setting", UsageText: "sessc config show [--origin]",
			Description: configHelp,
			Flags: []ucli.Flag{
				&ucli.BoolFlag{Name: "origin", Usage: "print where each value comes from", HideDefault: true},
			},
			Action: func(_ context.Context, c *ucli.Command) error { return p.showConfig(c) },
		}},
	}
}

// showConfig prints the settings in the form of a config file.
func (p *Process) showConfig(c *ucli.Command) error {
	if c.Args().Present() {
		return usage("config show takes no argument")
	}
	cfg, err := p.settings(c)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, v := range cfg.Values() {
		line := v.Name + " = " + v.Text
		if c.Bool("origin") {
			line = fmt.Sprintf("%-32s  # %s", line, v.Origin)
		}
		fmt.Fprintln(&b, clean(line))
	}
	return p.emit(b.Bytes())
}
