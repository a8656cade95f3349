// Command mutants breaks the promises on purpose. Each patch in this folder is
// a small wrong change to sessc, headed by the promise that it breaks and the
// one test that has to notice:
//
//	Promise: 1
//	Test: ./archive TestPutFaults
//	Message: want one with "read back"
//
// In a copy of the tree a patch must apply and build, and its test must fail
// with the message. A patch that no longer applies is a failure, and so is a
// mutant that nobody notices.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// mutant is one patch with what its head says.
type mutant struct {
	path                        string
	promise, pkg, test, message string
}

func run() error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	patches, err := filepath.Glob(filepath.Join(root, "scripts", "mutants", "*.patch"))
	if err != nil {
		return err
	}
	if len(patches) == 0 {
		return fmt.Errorf("no patches in scripts/mutants; run it in the root of the project")
	}
	tree, err := os.MkdirTemp("", "sessc-mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	if err := copyTree(root, tree); err != nil {
		return err
	}
	failed := 0
	for _, p := range patches {
		start := time.Now()
		m, err := read(p)
		if err == nil {
			err = m.check(tree)
		}
		verdict := "noticed"
		if err != nil {
			failed++
			verdict = "FAILED: " + err.Error()
		}
		fmt.Printf("%4.0f s  promise %-2s  %-28s %s\n", time.Since(start).Seconds(), m.promise, filepath.Base(p), verdict)
	}
	fmt.Printf("%d mutants noticed, %d failed\n", len(patches)-failed, failed)
	if failed > 0 {
		return fmt.Errorf("%d of %d mutants failed", failed, len(patches))
	}
	return nil
}

// copyTree copies what git knows of the tree, as it stands.
func copyTree(from, to string) error {
	list := exec.Command("git", "-C", from, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the tree: %w", err)
	}
	for _, name := range strings.Split(strings.TrimRight(string(names), "\x00"), "\x00") {
		b, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue // deleted and not committed yet
		}
		if err != nil {
			return fmt.Errorf("copy the tree: %w", err)
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("copy the tree: %w", err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return fmt.Errorf("copy the tree: %w", err)
		}
	}
	return nil
}

func read(path string) (mutant, error) {
	m := mutant{path: path}
	b, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), ": ")
		if !ok {
			continue
		}
		switch name {
		case "Promise":
			m.promise = value
		case "Test":
			m.pkg, m.test, _ = strings.Cut(value, " ")
		case "Message":
			m.message = value
		}
	}
	if m.promise == "" || m.test == "" || m.message == "" {
		return m, fmt.Errorf("its head does not name promise, test and message")
	}
	return m, nil
}

func (m mutant) check(tree string) error {
	if out, err := in(tree, "git", "apply", "--whitespace=nowarn", m.path); err != nil {
		return fmt.Errorf("it does not apply: %s", out)
	}
	defer in(tree, "git", "apply", "-R", "--whitespace=nowarn", m.path)
	if out, err := in(tree, "go", "build", "./..."); err != nil {
		return fmt.Errorf("it does not build: %s", out)
	}
	out, err := in(tree, "go", "test", "-count=1", "-run", "^"+m.test+"$", m.pkg)
	switch {
	case err == nil:
		return fmt.Errorf("%s did not notice it", m.test)
	case !strings.Contains(out, "--- FAIL: "+m.test):
		return fmt.Errorf("%s did not fail, something else did: %s", m.test, out)
	case !strings.Contains(out, m.message):
		return fmt.Errorf("%s failed without saying %q: %s", m.test, m.message, out)
	}
	return nil
}

// in runs a command in the copy and returns what it printed.
func in(tree, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = tree
	out, err := cmd.CombinedOutput()
	if len(out) > 4000 {
		out = out[:4000]
	}
	return string(out), err
}
