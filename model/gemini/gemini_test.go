package gemini

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sessc/model"
)

// key is made up, and of no key's form.
const key = "key-of-the-test-0123456789"

// What the test program does under another name or with a role.
const (
	partVariable = "SESSC_TEST_PART" // of [parts]
	logVariable  = "SESSC_TEST_LOG"  // where the program notes what it sees
	roleVariable = "SESSC_TEST_ROLE" // "parent" asks a question and waits
)

func TestMain(m *testing.M) {
	switch {
	case strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == Program:
		note("started %q %s=%s GOOGLE_API_KEY=%s", os.Args[1:], KeyVariable, os.Getenv(KeyVariable), os.Getenv("GOOGLE_API_KEY"))
		parts[os.Getenv(partVariable)]()
		note("ended")
		os.Exit(0)
	case os.Getenv(roleVariable) == "parent":
		_, err := New("http://127.0.0.1:1", "gemini-test", key).Ask(context.Background(), model.Request{Prompt: "hang"})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// note adds a line to the log.
func note(format string, args ...any) {
	f, err := os.OpenFile(os.Getenv(logVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, format+"\n", args...)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		panic(err)
	}
}

// actor is an engine that does what the prompt says.
type actor struct{ second chan struct{} }

func (a actor) Ask(ctx context.Context, r model.Request) (model.Answer, error) {
	note("asked %.20s", r.Prompt)
	switch r.Prompt {
	case "hang":
		<-ctx.Done()
		note("taken back")
		return model.Answer{}, ctx.Err()
	case "first":
		<-a.second
	case "second":
		close(a.second)
	case "panic":
		panic("made by the test")
	case "crash":
		go panic("made by the test with " + key)
		select {}
	case "fail":
		return model.Answer{In: 7}, fmt.Errorf("wrapped: %w", &model.Error{Kind: model.Busy, Status: 429, After: 3 * time.Second, Text: "slower, " + key, Absent: true})
	case "odd":
		return model.Answer{}, errors.New("an error of no kind")
	}
	return model.Answer{Text: r.System + "/" + r.Prompt, In: 1, Out: 2, Model: "m"}, nil
}

func serve() {
	if err := Serve(os.Stdin, os.Stdout, actor{make(chan struct{})}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func hello() {
	if _, err := os.Stdout.Write(line(greeting{protocol})); err != nil {
		panic(err)
	}
}

// greet says hello and reads the first question.
func greet() {
	hello()
	if _, err := bufio.NewReader(os.Stdin).ReadBytes('\n'); err != nil {
		os.Exit(4)
	}
}

func die() {
	greet()
	fmt.Fprintln(os.Stderr, "boom with", key)
	os.Exit(3)
}

// stay never ends, and is no deadlock to the runtime.
func stay() { time.Sleep(time.Hour) }

// parts are what the program can do.
var parts = map[string]func(){
	"serve":  serve,
	"absent": func() { os.Exit(5) },
	"die":    die,
	"die once": func() {
		if b, err := os.ReadFile(os.Getenv(logVariable)); err != nil || bytes.Count(b, []byte("started")) > 1 {
			serve()
			return
		}
		die()
	},
	"garbage":  func() { greet(); fmt.Println("[GIN-debug] listening"); stay() },
	"no id":    func() { greet(); fmt.Println("{}"); stay() },
	"half":     func() { greet(); fmt.Print(`{"id":1,"answer":{"Text":"cut`); os.Exit(0) },
	"endless":  func() { greet(); fmt.Println(strings.Repeat("x", 2*longest)); stay() },
	"silent":   stay,
	"newer":    func() { fmt.Printf(`{"sessc-gemini":%d}`+"\n", protocol+1); stay() },
	"stranger": func() { fmt.Println("Usage: sessc-gemini [OPTION]..."); stay() },
	"deaf":     func() { hello(); stay() },
	"stubborn": func() { hello(); io.Copy(io.Discard, os.Stdin); stay() },
	"closed":   func() { greet(); os.Stdout.Close(); io.Copy(io.Discard, os.Stdin) },
}

// stage puts the program with a part into PATH, and returns a client and what
// the program notes.
func stage(t *testing.T, part string) (c *Client, log func() string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(exe, filepath.Join(dir, Program)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv(partVariable, part)
	t.Setenv(logVariable, filepath.Join(dir, "log"))
	t.Setenv(KeyVariable, "another-key")
	t.Setenv("GOOGLE_API_KEY", "a-third-key")
	c = New("http://127.0.0.1:1", "gemini-test", key)
	t.Cleanup(c.Close)
	return c, func() string {
		b, err := os.ReadFile(filepath.Join(dir, "log"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		return string(b)
	}
}

// within bounds a test: none of the programs may make sessc hang.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// await waits for words in the log.
func await(t *testing.T, log func() string, words string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(log(), words); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %q in %s", words, log())
		}
	}
}

func TestAsk(t *testing.T) {
	c, log := stage(t, "serve")
	ctx := within(t)
	// The first one is answered after the second, and both start the program.
	var wg sync.WaitGroup
	for _, prompt := range []string{"first", "second"} {
		wg.Go(func() {
			a, err := c.Ask(ctx, model.Request{System: "s", Prompt: prompt})
			if want := (model.Answer{Text: "s/" + prompt, In: 1, Out: 2, Model: "m"}); err != nil || a != want {
				t.Errorf("%+v %v", a, err)
			}
		})
	}
	wg.Wait()
	long := strings.Repeat("Zeile \u2028 <\n\x00\"", 1<<19)
	if a, err := c.Ask(ctx, model.Request{Prompt: long, Fields: []model.Field{{Name: "f", List: true}}}); err != nil || a.Text != "/"+long {
		t.Errorf("%d bytes came back, %v", len(a.Text), err)
	}
	a, err := c.Ask(ctx, model.Request{Prompt: "fail"})
	var e *model.Error
	if want := (model.Error{Kind: model.Busy, Status: 429, After: 3 * time.Second, Text: "slower, [key]", Absent: true}); !errors.As(err, &e) || *e != want || a.In != 7 {
		t.Errorf("%+v %+v", a, err)
	}
	for _, prompt := range []string{"panic", "odd"} {
		if _, err := c.Ask(ctx, model.Request{Prompt: prompt}); model.KindOf(err) != model.Garbled {
			t.Errorf("%s: %v", prompt, err)
		}
	}
	c.Close()
	if text := log(); strings.Count(text, "started") != 1 || !strings.HasSuffix(text, "ended\n") {
		t.Errorf("not one program that ended:\n%s", text)
	}
	if _, err := c.Ask(ctx, model.Request{}); model.KindOf(err) != model.Denied {
		t.Errorf("after the end: %v", err)
	}
}

// The key is in the environment of the program, and nowhere else.
func TestKey(t *testing.T) {
	c, log := stage(t, "serve")
	if _, err := c.Ask(within(t), model.Request{}); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("started %q %s=%s GOOGLE_API_KEY=\n", []string{"http://127.0.0.1:1", "gemini-test"}, KeyVariable, key); !strings.HasPrefix(log(), want) {
		t.Errorf("%s, want %s", log(), want)
	}
	if _, err := c.Ask(within(t), model.Request{Prompt: "crash"}); model.KindOf(err) != model.Unreachable || !strings.Contains(err.Error(), "panic: made by the test with [key]") {
		t.Errorf("%v", err)
	}
}

// A question whose time is over is taken back, so that nothing is paid for it.
func TestTakenBack(t *testing.T) {
	c, log := stage(t, "serve")
	if _, err := c.Ask(within(t), model.Request{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(within(t))
	done := make(chan error)
	go func() {
		_, err := c.Ask(ctx, model.Request{Prompt: "hang"})
		done <- err
	}()
	await(t, log, "asked hang")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	await(t, log, "taken back")
	if a, err := c.Ask(within(t), model.Request{Prompt: "next"}); err != nil || a.Text != "/next" {
		t.Errorf("%+v %v", a, err)
	}
	// Those that are open when the client closes are taken back too.
	go func() {
		_, err := c.Ask(within(t), model.Request{Prompt: "hang"})
		done <- err
	}()
	for strings.Count(log(), "asked hang") < 2 {
		time.Sleep(5 * time.Millisecond)
	}
	c.Close()
	if err := <-done; model.KindOf(err) != model.Unreachable {
		t.Errorf("%v", err)
	}
}

// Programs that do not do what they should: each fails all questions, is
// started once more, and then given up.
func TestBroken(t *testing.T) {
	for _, tc := range []struct {
		part   string
		kind   model.Kind // of the first failure; that of the second is Denied
		text   string
		starts int
	}{
		{"absent", model.Unreachable, "sessc-gemini ended by itself (exit status 5)", 2},
		{"die", model.Unreachable, "sessc-gemini ended by itself (exit status 3): boom with [key]", 2},
		{"half", model.Unreachable, "ended by itself (exit status 0)", 2},
		{"closed", model.Unreachable, "ended by itself", 2},
		{"garbage", model.Garbled, "what is no answer: invalid character", 2},
		{"no id", model.Garbled, "without an id", 2},
		{"endless", model.Garbled, "a line of more than", 2},
		{"silent", model.Unreachable, "said nothing within 500ms", 2},
		{"newer", model.Denied, "sessc-gemini is of another version than sessc; install both anew", 1},
		{"stranger", model.Denied, "sessc-gemini is of another version than sessc; install both anew", 1},
	} {
		t.Run(tc.part, func(t *testing.T) {
			c, log := stage(t, tc.part)
			if tc.part == "silent" {
				c.patience = 500 * time.Millisecond
			}
			ctx := within(t)
			for i, kind := range []model.Kind{tc.kind, model.Denied, model.Denied} {
				var wg sync.WaitGroup
				errs := make([]error, 1+3*i)
				for n := range errs {
					wg.Go(func() { _, errs[n] = c.Ask(ctx, model.Request{Prompt: "hello"}) })
				}
				wg.Wait()
				for _, err := range errs {
					if model.KindOf(err) != kind || !strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), key) {
						t.Errorf("question %d: %v, want %s: %s", i, err, kind, tc.text)
					}
				}
			}
			if n := strings.Count(log(), "started"); n != tc.starts {
				t.Errorf("%d starts, want %d", n, tc.starts)
			}
		})
	}
}

// A program that ended once is started again, and after an answer once more.
func TestStartedAgain(t *testing.T) {
	c, log := stage(t, "die once")
	ctx := within(t)
	for i, prompt := range []string{"a", "b", "crash", "c", "crash", "d"} {
		if _, err := c.Ask(ctx, model.Request{Prompt: prompt}); (model.KindOf(err) == model.Unreachable) != (i == 0 || prompt == "crash") {
			t.Fatalf("%s: %v", prompt, err)
		}
	}
	if n := strings.Count(log(), "started"); n != 4 {
		t.Errorf("%d starts", n)
	}
}

// A program that reads nothing holds up nobody for longer than he wants to wait.
func TestDeaf(t *testing.T) {
	c, log := stage(t, "deaf")
	c.parting = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(within(t), 500*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := c.Ask(ctx, model.Request{Prompt: strings.Repeat("x", 1<<20)}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	c.Close()
	if strings.Contains(log(), "ended") {
		t.Error(log())
	}
}

// One that does not end when it is told to is killed.
func TestStubborn(t *testing.T) {
	c, log := stage(t, "stubborn")
	c.parting = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(within(t), 200*time.Millisecond)
	defer cancel()
	if _, err := c.Ask(ctx, model.Request{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	begun := time.Now()
	c.Close()
	if took := time.Since(begun); took < c.parting || strings.Contains(log(), "ended") {
		t.Errorf("closed within %v\n%s", took, log())
	}
}

func TestMissing(t *testing.T) {
	c, _ := stage(t, "serve")
	t.Setenv("PATH", t.TempDir())
	_, err := c.Ask(within(t), model.Request{})
	if model.KindOf(err) != model.Denied || !strings.Contains(err.Error(), "go install . ./model/gemini/sessc-gemini") {
		t.Errorf("%v", err)
	}
	c.Close()
}

// When sessc is killed, sessc-gemini ends, and what it asks is taken back.
func TestParentKilled(t *testing.T) {
	_, log := stage(t, "serve")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(exe)
	parent.Env = append(os.Environ(), roleVariable+"=parent")
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, log, "asked hang")
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := parent.Wait(); err == nil {
		t.Error("it was not killed")
	}
	await(t, log, "\nended\n")
}

// Lines that are no questions end the program: it would not be understood.
func TestServeGarbage(t *testing.T) {
	for _, tc := range []struct{ in, err string }{
		{"", ""},
		{`{"cancel":9}` + "\n", ""},
		{`{"id":1,"request":{"Prom`, ""}, // sessc was killed
		{"hello\n", "no question: hello"},
		{"{}\n", "no question"},
		{strings.Repeat(" ", 2*longest), "a line of more than"},
	} {
		var out bytes.Buffer
		err := Serve(strings.NewReader(tc.in), &out, nil)
		if fmt.Sprint(err) == "<nil>" != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%.40q: %v", tc.in, err)
		}
		if out.String() != fmt.Sprintf(`{"sessc-gemini":%d}`+"\n", protocol) {
			t.Errorf("%.40q: %s", tc.in, &out)
		}
	}
}

// Close without a question starts nothing, twice is once, and from many sides
// too.
func TestClose(t *testing.T) {
	c, log := stage(t, "serve")
	c.Close()
	c.Close()
	if log() != "" {
		t.Errorf("started:\n%s", log())
	}
	c = New(c.endpoint, c.name, c.key)
	if _, err := c.Ask(within(t), model.Request{}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(c.Close)
	}
	wg.Wait()
	if lines := strings.Split(strings.TrimSpace(log()), "\n"); slices.Index(lines, "ended") != len(lines)-1 {
		t.Errorf("%q", lines)
	}
}
