package cli

import (
	"context"

	ucli "github.com/urfave/cli/v3"

	"sessc/docs"
)

func formatsCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "formats", Usage: "print what is known of each agent's logs", UsageText: "sessc formats",
		Description: formatsHelp,
		Action: func(_ context.Context, c *ucli.Command) error {
			if c.Args().Present() {
				return usage("formats takes no argument")
			}
			return p.emit(docs.Formats)
		},
	}
}
