package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	ucli "github.com/urfave/cli/v3"
)

// version is what the build knows of itself: the module's version, or the
// commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "built from " + s.Value
		}
	}
	return "development build"
}

// build is the program and what it was built with and for.
func build() string {
	return fmt.Sprintf("sessc %s (%s %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// committed is the day of the commit that the program was built from, so that
// the same source says the same.
func committed() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" && len(s.Value) >= len("2006-01-02") {
				return s.Value[:len("2006-01-02")]
			}
		}
	}
	return "1970-01-01"
}

func versionCommand(p *Process) *ucli.Command {
	return &ucli.Command{
		Name: "version", Usage: "print the version of sessc", UsageText: "sessc version",
		Description: exitCodes,
		Action: func(_ context.Context, c *ucli.Command) error {
			if c.Args().Present() {
				return usage("version takes no argument")
			}
			return p.emit([]byte(build() + "\n"))
		},
	}
}
