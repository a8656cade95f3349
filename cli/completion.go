package cli

import (
	"bytes"
	"context"
	"strings"

	ucli "github.com/urfave/cli/v3"
)

// completionCommand changes the library's command to what ours are like.
func completionCommand(c *ucli.Command) {
	c.Hidden = false
	c.Usage = "print a completion script for bash, zsh, fish or pwsh"
	c.Description = c.Description + "\n" + exitCodes
	c.Action = group("completion")
	quietUsage(c)
	if bash := c.Command("bash"); bash != nil {
		bash.Action = bareBash(bash.Action)
	}
}

// The library's script for bash calls a function of the package
// bash-completion, which may not be there; what it would set is set before.
const (
	wantsPackage = "  else\n    _get_comp_words_by_ref "
	takesPackage = "  elif declare -F _get_comp_words_by_ref >/dev/null 2>&1; then\n    _get_comp_words_by_ref "
)

// bareBash has the library's script work in a bash without bash-completion.
func bareBash(write ucli.ActionFunc) ucli.ActionFunc {
	return func(ctx context.Context, c *ucli.Command) error {
		root := c.Root()
		out := root.Writer
		var script bytes.Buffer
		root.Writer = &script
		err := write(ctx, c)
		root.Writer = out
		if err != nil {
			return err
		}
		_, err = out.Write([]byte(strings.Replace(script.String(), wantsPackage, takesPackage, 1)))
		return err
	}
}
