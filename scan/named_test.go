package scan

import (
	"fmt"
	"strings"
	"testing"

	"sessc/session"
)

// TestNamed: a command names a file only by a word of its own.
func TestNamed(t *testing.T) {
	for _, r := range []struct {
		cwd, file, command string
		want               bool
	}{
		{"", "main.go", "cp main.go old/main.go", true},
		{"", "main.go", "cp build/domain.go old/", false},
		{"", "main.go", "cp build/main.go old/", false},
		{"", "a.go", "rm data.gob", false},
		{"", "src/app", "cp src/app.conf.example /etc/", false},
		{"", "", "rm -r build", false},
		{"", "", "rm '' .", false},
		{"", "src/app.go", "rm ./src//app.go", true},
		// Whole names and names as seen from a folder.
		{"", "src/app.go", "sed -i s/a/b/ /home/me/src/app.go", true},
		{"", "/home/me/src/app.go", "sed -i s/a/b/ src/app.go", false},
		{"/home/me", "/home/me/src/app.go", "sed -i s/a/b/ src/app.go", true},
		{"/home/me", "src/app.go", "sed -i s/a/b/ /home/me/src/app.go", true},
		{"/home/me", "src/app.go", "sed -i s/a/b/ /srv/src/app.go", false},
		{"/home/me", "/srv/src/app.go", "sed -i s/a/b/ src/app.go", false},
		{"/home/me", "src/app.go", "cd src && sed -i s/a/b/ app.go", true},
		{"/home/me", "app.go", "cd src && sed -i s/a/b/ app.go", false},
		{"/home/me", "/srv/app.go", "cd /srv; rm -f app.go", true},
		{"", "/srv/app.go", "cd /srv; rm -f app.go", true},
		{"/home/me", "/home/app.go", "rm ../app.go", true},
		// Redirections, quotes, values.
		{"", "out.txt", "make >out.txt", true},
		{"", "out.txt", "make >>out.txt 2>&1", true},
		{"", "err.txt", "make 2>err.txt", true},
		{"", "my file.go", `rm "my file.go"`, true},
		{"", "my file.go", `rm my\ file.go`, true},
		{"", "my file.go", `rm "not my file.go"`, false},
		{"", "it's.go", `rm "it's.go"`, true},
		{"", "app.go", `bash -c "sed -i 's/a/b/' 'app.go'"`, true},
		{"", "app.go", `bash -c "cd src && rm app.go"`, false},
		{"", "app.go", `python3 -c "open('app.go','w').write('x')" > log`, true},
		{"", "app.go", "cat > notes.txt <<EOF\nit's in app.go\nEOF", true},
		{"", "disk.img", "cp --target=disk.img x", true},
		{"", `C:\x\app.go`, `cp y C:\x\app.go`, true},
		// Patterns may mean it, or not.
		{"", "main.go", "rm *.go", false},
		{"", "src/main.go", "rm -r src", false},
		{"", "a.go", "cp x {a,b}.go", false},
	} {
		w := &Work{s: &session.Session{Cwd: r.cwd, Calls: []session.Call{{Op: session.OpRead}, {Op: session.OpExec}}}, deeds: []deed{
			{known: true, done: true, paths: []string{r.file}, output: 1, args: 1},
			{known: true, done: true, command: r.command, output: 2, args: 2},
		}}
		if got := w.stale([]int32{0, 1})[0]; got != r.want {
			t.Errorf("read of %q in %q, then %q: stale is %v", r.file, r.cwd, r.command, got)
		}
	}
}

// TestNamedAtOnce: how often a file is looked for does not hang on how many
// commands there were: 50,000 of each would be 2,500,000,000 looks.
func TestNamedAtOnce(t *testing.T) {
	const n = 50_000
	w := &Work{s: &session.Session{}}
	add := func(op session.Op, d deed) {
		d.known, d.done, d.output, d.args = true, true, uint64(len(w.deeds)), uint64(len(w.deeds))
		w.s.Calls, w.deeds = append(w.s.Calls, session.Call{Op: op}), append(w.deeds, d)
	}
	for k := range n {
		add(session.OpRead, deed{paths: []string{fmt.Sprintf("a file %d.go", k)}})
	}
	for range n {
		add(session.OpExec, deed{command: "cp " + strings.Repeat("some/other/name ", 20)})
	}
	if stale := w.stale(nil); len(stale) > 0 {
		t.Errorf("%d reads are stale", len(stale))
	}
}
