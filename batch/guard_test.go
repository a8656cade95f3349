package batch

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sessc/archive"
	"sessc/compress"
	"sessc/session/formats"
)

// deref and index fail in the ways in which code does.
func deref(p *int) (int, error)           { return *p, nil }
func index(all []int, i int) (int, error) { return all[i], nil }

func TestGuard(t *testing.T) {
	usual := errors.New("as usual")
	for _, tc := range []struct {
		name string
		at   Target
		do   func() (int, error)
		want int
		says string // "" for no error
		from string // where it panicked, "" for nowhere
	}{
		{"done", Target{Shown: "a"}, func() (int, error) { return 7, nil }, 7, "", ""},
		{"failed", Target{Shown: "a"}, func() (int, error) { return 7, usual }, 7, "as usual", ""},
		{"no log", Target{Shown: "a", Err: usual}, func() (int, error) { panic("begun") }, 0, "as usual", ""},
		{"panicked", Target{Shown: "a"}, func() (int, error) { panic("odd") }, 0, "a: internal error: odd; please report this", "TestGuard"},
		{"nil", Target{Shown: "b"}, func() (int, error) { return deref(nil) }, 0, "b: internal error: runtime error: invalid memory address", "deref"},
		{"range", Target{Shown: "b"}, func() (int, error) { return index(nil, 3) }, 0, "b: internal error: runtime error: index out of range [3]", "index"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Guard(tc.at, tc.do)
			if got != tc.want || (err == nil) != (tc.says == "") || err != nil && !strings.HasPrefix(err.Error(), tc.says) {
				t.Fatalf("got %d, %v; want %d, %q", got, err, tc.want, tc.says)
			}
			var bug *PanicError
			if errors.As(err, &bug) != (tc.from != "") {
				t.Fatalf("error %v, want a panic: %v", err, tc.from != "")
			}
			if bug == nil {
				return
			}
			call := regexp.MustCompile(`^[\w./*()\[\]-]+ [\w.]+:\d+$`)
			if len(bug.Stack) < 3 || !strings.HasPrefix(bug.Stack[0], "sessc/batch."+tc.from) || slices.ContainsFunc(bug.Stack, func(s string) bool { return !call.MatchString(s) }) {
				t.Errorf("the stack is\n%s", strings.Join(bug.Stack, "\n"))
			}
		})
	}
}

// A panic over one log is the failure of that one, in a run and in a list.
func TestPanicIsOneFailure(t *testing.T) {
	w := newWorld(t, "logs/a.jsonl", "logs/b.jsonl", "logs/c.jsonl")
	targets := (&Finder{Formats: formats.All}).Find([]string{"logs"}, false)
	for name, run := range map[string]func(o compress.Options, done func(error)) error{
		"run": func(o compress.Options, done func(error)) error {
			j := &Job{Targets: targets, Options: o, Workers: 1, Done: func(o Outcome) error {
				done(o.Err)
				return nil
			}}
			_, err := j.Run(t.Context())
			return err
		},
		"list": func(o compress.Options, done func(error)) error {
			return List(t.Context(), targets, 1, o, func(_ Target, _ *Found, err error) error {
				done(err)
				return nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, first := w.options, true
			o.Archive = func(bool) (*archive.Archive, error) {
				if first {
					first = false
					panic("odd")
				}
				return w.archive, nil
			}
			var said []string
			err := run(o, func(err error) {
				if err != nil {
					said = append(said, err.Error())
				} else {
					said = append(said, "")
				}
			})
			if want := []string{"logs/a.jsonl: internal error: odd; please report this", "", ""}; err != nil || !slices.Equal(said, want) {
				t.Errorf("got %q, %v; want %q", said, err, want)
			}
		})
	}
}
