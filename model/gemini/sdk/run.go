package sdk

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"sessc/model"
	"sessc/model/gemini"
)

// Main is the program sessc-gemini. It returns the exit code.
func Main() int {
	// Ctrl-C reaches both programs. What it means is for sessc to say, by the
	// end of stdin, which comes also when sessc is killed.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	out := os.Stdout
	os.Stdout = os.Stderr // what a library prints is no answer
	return run(os.Args, os.Getenv, os.Stdin, out, os.Stderr)
}

// run asks the model that the arguments name, behind an endpoint, what
// [gemini.Client] has it ask.
func run(args []string, getenv func(string) string, in io.Reader, out, talk io.Writer) int {
	if len(args) != 3 || getenv(gemini.KeyVariable) == "" {
		fmt.Fprintf(talk, "%s is started by sessc: run sessc compress --model gemini\n", gemini.Program)
		return 2
	}
	endpoint, err := model.Endpoint(args[1])
	if err != nil {
		err = fmt.Errorf("the endpoint %w", err)
	} else {
		err = gemini.Serve(in, out, New(endpoint, args[2], getenv(gemini.KeyVariable)))
	}
	if err != nil {
		fmt.Fprintln(talk, err)
		return 1
	}
	return 0
}
