//go:build unix

package writer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sessc/session"
	"sessc/session/openclaw"
)

// other is the user as which the tests for permissions run when they are
// started by root, whom nothing is forbidden.
const other = 65534

// asOther gives files to the other user.
func asOther(t testing.TB, paths ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	for _, p := range paths {
		if err := os.Chown(p, other, other); err != nil {
			t.Fatal(err)
		}
	}
}

// rewriteAs runs a rewrite in a child as the other user.
func rewriteAs(t testing.TB, path, output string) string {
	t.Helper()
	// Whoever it is has to get to the log.
	for dir := filepath.Dir(path); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if fi, err := os.Stat(dir); err == nil && fi.Mode().Perm()&0o005 == 0 {
			if err := os.Chmod(dir, fi.Mode().Perm()|0o005); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := child("rewrite " + path + " " + output)
	c.Path = readableSelf(t)
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: other, Gid: other}}
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("child: %v\n%s", err, out)
	}
	return string(out)
}

// readableSelf copies the test binary to where the other user may run it.
func readableSelf(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sessc-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	from, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(dir, "test"), os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(to.Close(), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return to.Name()
}

func init() { tasks["rewrite"] = childRewrite }

func childRewrite(args string) int {
	path, output, _ := strings.Cut(args, " ")
	s, err := session.Open(path, []session.Format{openclaw.Format{}}, noSettings)
	if err != nil {
		fmt.Println("open:", err)
		return 0
	}
	defer s.Close()
	r := newRun()
	r.target.Output = output
	if output == "" {
		err = Ready(s, r.minAge, r.now())
	}
	if err == nil {
		err = r.do(context.Background(), s)
	}
	fmt.Printf("refused %v, settled %s, error %v\n", errors.Is(err, ErrRefused), r.outcome(), err)
	return 0
}

func TestPermissions(t *testing.T) {
	type row struct {
		file, dir os.FileMode
		roots     bool // the log belongs to another user than the one who runs
		output    bool
		want      string
		changed   bool
	}
	tests := map[string]row{
		"own log":               {0o600, 0o755, false, false, "error <nil>", true},
		"read-only log":         {0o400, 0o755, false, false, "no permission to write it", false},
		"folder read-only":      {0o600, 0o555, false, false, "no permission to write in its folder", false},
		"unreadable log":        {0o200, 0o755, false, false, "permission denied", false},
		"output of a read-only": {0o400, 0o555, false, true, "error <nil>", false},
	}
	if os.Getuid() == 0 { // only root can make files of two users
		tests["log of another user"] = row{0o666, 0o777, true, false, "it belongs to another user", false}
		tests["log of another group"] = row{0o600, 0o755, false, false, "you are not in its group", false}
		tests["another group's folder"] = row{0o600, 0o755 | os.ModeSetgid, false, false, "error <nil>", true}
		tests["unreadable of another"] = row{0o600, 0o777, true, false, "permission denied", false}
		tests["unwritable of another"] = row{0o644, 0o777, true, false, "no permission to write it", false}
		tests["folder of another"] = row{0o666, 0o755, true, false, "no permission to write in its folder", false}
		tests["output of another's"] = row{0o644, 0o755, true, true, "error <nil>", false}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := newLog(t, original())
			dir := filepath.Dir(path)
			if !tt.roots {
				asOther(t, path, dir)
			}
			if strings.Contains(name, "another group") {
				if err := errors.Join(os.Chown(path, other, 0), os.Chown(dir, other, 0)); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.Chmod(path, tt.file), os.Chmod(dir, tt.dir)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(dir, 0o755) })
			output := ""
			if tt.output {
				out := t.TempDir()
				asOther(t, out)
				output = filepath.Join(out, "copy.jsonl")
				if err := os.Chmod(filepath.Dir(out), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			got := rewriteAs(t, path, output)
			if !strings.Contains(got, tt.want) {
				t.Errorf("%swant %q", got, tt.want)
			}
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
			want := original()
			if tt.changed {
				want = shorter(want)
			}
			holds(t, path, want)
			alone(t, path)
			if refused := strings.Contains(got, "refused true"); !tt.changed && !tt.output && refused == strings.HasPrefix(got, "open:") {
				t.Errorf("%swant a refusal", got)
			}
			if strings.Contains(name, "another group") {
				fi, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				if gid := fi.Sys().(*syscall.Stat_t).Gid; gid != 0 {
					t.Errorf("its group is %d, want 0", gid)
				}
			}
			if !tt.output {
				return
			}
			fi, err := os.Stat(output)
			if err != nil {
				t.Fatal(err)
			}
			mode := tt.file
			if tt.roots {
				mode &= 0o700
			}
			if fi.Mode() != mode {
				t.Errorf("mode of the copy %v, want %v", fi.Mode(), mode)
			}
		})
	}
}

// Run by root, the log stays its owner's.
func TestOwnerIsKept(t *testing.T) {
	path := newLog(t, original())
	asOther(t, path)
	want, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := newRun().do(context.Background(), open(t, path)); err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	g, w := got.Sys().(*syscall.Stat_t), want.Sys().(*syscall.Stat_t)
	if g.Uid != w.Uid || g.Gid != w.Gid || got.Mode() != want.Mode() || g.Ino == w.Ino {
		t.Errorf("owner %d:%d mode %v, want %d:%d %v and another inode", g.Uid, g.Gid, got.Mode(), w.Uid, w.Gid, want.Mode())
	}
}
