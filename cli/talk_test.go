package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sessc/batch"
)

// A fault is told with the calls that led to it, for the first session that
// meets it.
func TestComplain(t *testing.T) {
	fault := func(path string, stack ...string) error {
		return fmt.Errorf("wrapped: %w", &batch.PanicError{Path: path, Value: "odd\x1b", Stack: stack})
	}
	errs := []error{errors.New("plain"), fault("a", "one x.go:1", "two y.go:2"), fault("b", "one x.go:1", "two y.go:2"), fault("c", "one x.go:3", "two y.go:2")}
	for _, tc := range []struct {
		name string
		json bool
		want string
	}{
		{"text", false, `sessc: plain
sessc: wrapped: a: internal error: odd�; please report this
    BUILD
    one x.go:1
    two y.go:2
sessc: wrapped: b: internal error: odd�; please report this
sessc: wrapped: c: internal error: odd�; please report this
    BUILD
    one x.go:3
    two y.go:2
`},
		{"json", true, `{"time":"1970-01-01T00:00:00Z","level":"ERROR","msg":"plain"}
{"time":"1970-01-01T00:00:00Z","level":"ERROR","msg":"wrapped: a: internal error: odd�; please report this","stack":["BUILD","one x.go:1","two y.go:2"]}
{"time":"1970-01-01T00:00:00Z","level":"ERROR","msg":"wrapped: b: internal error: odd�; please report this"}
{"time":"1970-01-01T00:00:00Z","level":"ERROR","msg":"wrapped: c: internal error: odd�; please report this","stack":["BUILD","one x.go:3","two y.go:2"]}
`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			p := &Process{Stderr: &out, Now: func() time.Time { return time.Unix(0, 0) }, jsonLog: tc.json}
			for _, err := range errs {
				p.Complain(err)
			}
			if want := strings.ReplaceAll(tc.want, "BUILD", build()); out.String() != want {
				t.Errorf("got\n%swant\n%s", out.String(), want)
			}
		})
	}
}

// full is a device that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

// What stdout does not take is an error, also where the library prints.
func TestFullStdout(t *testing.T) {
	for _, args := range [][]string{
		{"help"}, {"--help"}, {"--version"}, {"version"}, {"help", "compress"}, {"compress", "--help"}, {"config", "--help"}, {"completion", "bash"}, {"completion", "fish"},
		{"manual"}, {"formats"}, {"status"}, {"sessions"}, {"config", "show"}, {"compress", "--dry-run", "../fixtures/openclaw/demo.jsonl"}, {"scan", "--json", "../fixtures/openclaw/demo.jsonl"},
	} {
		home := t.TempDir()
		err := Run(t.Context(), &Process{
			Args: append([]string{"sessc"}, args...), Stdin: strings.NewReader(""), Stdout: full{}, Stderr: &bytes.Buffer{},
			Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Now: time.Now,
		})
		if !errors.Is(err, errFull) || strings.Contains(err.Error(), "report") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
