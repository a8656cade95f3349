package shell

import (
	"strings"
	"testing"
)

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		command string
		quiet   bool
		want    string // changed, deleted and moved as ~ - >
	}{
		{command: "sed -i s/a/b/ /app/b.go", want: "~/app/b.go"},
		{command: "cd /app && sed -i s/a/b/ b.go", want: "~/app/b.go"},
		{command: "sed -n 1,9p b.go | tee copy.go", want: "~copy.go"},
		{command: "go test > out.log; grep -c ok a.go"},
		{command: "go test > out.log; grep -c ok a.go", quiet: true, want: "~out.log"},
		{command: "go test > out.log && grep -c ok a.go", want: "~out.log"},
		{command: "cp a.go /tmp/a.bak", want: "~/tmp/a.bak"},
		{command: "mv a.go b.go", want: ">a.go>b.go"},
		{command: "rm -f a.go", want: "-a.go"},
		{command: "git diff HEAD -- b.go > /tmp/d.patch", want: "~/tmp/d.patch"},
		{command: `grep -n '() => load' a.js`},
		{command: `grep -n "this->state" a.cpp`},
		{command: "awk '$3 > 5' a.csv"},
		{command: "pip install -r a.txt"},
		{command: "git stash list; wc -l a.go"},
		{command: "git checkout -b fix && go vet a.go"},
		{command: "git restore --staged b.go"},
		{command: "rsync -n b.go host:"},
		{command: "cp --help b.go"},
		{command: "git commit -m 'mv a.go b.go'"},
		{command: "cat > notes.txt <<'E'\nsee b.go\nE", want: "~notes.txt"},
		{command: "rm 'a"},
		{command: "rm *.go"},
	} {
		var got []string
		for _, e := range Edits(c.command, c.quiet, func(string) bool { return true }) {
			switch {
			case e.To != "":
				got = append(got, ">"+e.Path+">"+e.To)
			case e.Deleted:
				got = append(got, "-"+e.Path)
			default:
				got = append(got, "~"+e.Path)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q (quiet %v): %q, want %q", c.command, c.quiet, s, c.want)
		}
	}
}
