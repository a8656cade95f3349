package summarize

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sessc/session"
)

func wrote(path string) session.Action {
	return session.Action{Op: session.OpWrite, Tool: "write", Paths: []string{path}, Done: true, Exit: -1, Output: "Successfully wrote 12 bytes to " + path}
}

func created(path string) session.Action {
	a := wrote(path)
	a.Created = true
	return a
}

func edited(path string) session.Action {
	return session.Action{Op: session.OpEdit, Tool: "edit", Paths: []string{path}, Done: true, Exit: -1}
}

func removed(path string) session.Action {
	return session.Action{Op: session.OpDelete, Tool: "delete", Paths: []string{path}, Done: true, Exit: -1}
}

func patched(text string) session.Action {
	return session.Action{Op: session.OpPatch, Tool: "apply_patch", Patch: text, Done: true, Exit: -1}
}

func ran(command string, exit int, output string) session.Action {
	return session.Action{Op: session.OpExec, Tool: "exec", Command: command, Exit: exit, Done: exit == 0, Output: output}
}

func failed(a session.Action, output string) session.Action {
	a.Done, a.Output = false, output
	return a
}

func TestFromActionsFiles(t *testing.T) {
	for _, c := range []struct {
		name                 string
		cwd                  string
		actions              []session.Action
		added, changed, gone []string
	}{
		{name: "created", actions: []session.Action{created("a.go")}, added: []string{"a.go"}},
		{name: "a write proves no creation", actions: []session.Action{wrote("a.go")}, changed: []string{"a.go"}},
		{name: "the result says created", actions: []session.Action{{Op: session.OpWrite, Paths: []string{"a.go"}, Done: true, Output: "File created successfully at: a.go"}}, added: []string{"a.go"}},
		{name: "the result says updated", actions: []session.Action{{Op: session.OpWrite, Paths: []string{"a.go"}, Done: true, Output: "The file a.go has been updated (created yesterday)."}}, changed: []string{"a.go"}},
		{name: "a read had found it missing", actions: []session.Action{
			failed(session.Action{Op: session.OpRead, Paths: []string{"a.go"}}, "ENOENT: no such file or directory, open 'a.go'"), wrote("a.go")}, added: []string{"a.go"}},
		{name: "created then edited", actions: []session.Action{created("a.go"), edited("a.go"), wrote("a.go")}, added: []string{"a.go"}},
		{name: "created then deleted is nothing", actions: []session.Action{created("a.go"), removed("a.go")}},
		{name: "created, deleted, created", actions: []session.Action{created("a.go"), removed("a.go"), created("a.go")}, added: []string{"a.go"}},
		{name: "deleted then created is changed", actions: []session.Action{removed("a.go"), created("a.go")}, changed: []string{"a.go"}},
		{name: "changed then deleted", actions: []session.Action{edited("a.go"), removed("a.go")}, gone: []string{"a.go"}},
		{name: "failed calls prove nothing", actions: []session.Action{failed(edited("a.go"), "no match"), failed(created("b.go"), "denied"), failed(removed("c.go"), "no")}},
		{name: "moved", actions: []session.Action{{Op: session.OpOther, Paths: []string{"a.go"}, Moved: "b.go", Done: true}}, added: []string{"b.go"}, gone: []string{"a.go"}},
		{name: "created then moved", actions: []session.Action{created("a.go"), {Op: session.OpOther, Paths: []string{"a.go"}, Moved: "b.go", Done: true}}, added: []string{"b.go"}},
		{name: "one file under two spellings", cwd: "/srv/app", actions: []session.Action{edited("/srv/app/x/a.go"), edited("./x/a.go"), edited("x//a.go")}, changed: []string{"x/a.go"}},
		{name: "outside of the directory", cwd: "/srv/app", actions: []session.Action{edited("/srv/application/a.go"), edited("/etc/hosts")}, changed: []string{"/srv/application/a.go", "/etc/hosts"}},
		{name: "windows paths", cwd: `C:\app`, actions: []session.Action{edited(`C:\app\src\a.ts`)}, changed: []string{`src\a.ts`}},
		{name: "order of first touch", actions: []session.Action{edited("b"), edited("a"), edited("b")}, changed: []string{"b", "a"}},
		{name: "no path", actions: []session.Action{edited(""), edited("a\nb")}},
		{name: "secret in a path", actions: []session.Action{edited("tmp/ghp_" + strings.Repeat("a1B2c3D4e", 4))}, changed: []string{"tmp/[secret:github-token]"}},
		{name: "patch envelope", actions: []session.Action{patched("*** Begin Patch\n*** Add File: n.go\n+x\n*** Update File: u.go\n@@\n-a\n+*** Delete File: no.go\n*** Update File: from.go\n*** Move to: to.go\n@@\n*** Delete File: d.go\n*** End Patch\n")},
			added: []string{"n.go", "to.go"}, changed: []string{"u.go"}, gone: []string{"from.go", "d.go"}},
		{name: "unified diff", actions: []session.Action{patched("--- /dev/null\n+++ b/n.go\n@@ -0,0 +1,2 @@\n+--- a\n++++ b\n--- a/u.go\t2026-01-01\n+++ b/u.go\n@@ -1,1 +1,1 @@\n-x\n+y\n--- a/d.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")},
			added: []string{"n.go"}, changed: []string{"u.go"}, gone: []string{"d.go"}},
		{name: "git diff with a rename", actions: []session.Action{patched("diff --git a/o.go b/p.go\nsimilarity index 90%\nrename from o.go\nrename to p.go\n--- a/o.go\n+++ b/p.go\n@@ -1,1 +1,1 @@\n-x\n+y\n")}, added: []string{"p.go"}, gone: []string{"o.go"}},
		{name: "patch without headers falls back to the paths", actions: []session.Action{{Op: session.OpPatch, Paths: []string{"a.go"}, Patch: "x", Done: true}}, changed: []string{"a.go"}},
		{name: "reads change nothing", actions: []session.Action{{Op: session.OpRead, Paths: []string{"a.go"}, Done: true, Output: "x"}}},
	} {
		f := FromActions(c.actions, c.cwd)
		if !slices.Equal(f.Added, c.added) || !slices.Equal(f.Changed, c.changed) || !slices.Equal(f.Deleted, c.gone) {
			t.Errorf("%s: +%q ~%q -%q, want +%q ~%q -%q", c.name, f.Added, f.Changed, f.Deleted, c.added, c.changed, c.gone)
		}
	}
}

func TestShellEdits(t *testing.T) {
	for _, c := range []struct {
		command, output string
		exit            int
		want            string // added, changed and deleted as + ~ -
	}{
		{command: "rm a.txt", want: "-a.txt"},
		{command: "rm a.txt", exit: 1},
		{command: "rm a.txt", exit: -1},
		{command: "rm -f a.txt"},
		{command: "echo x > a.txt && rm -f a.txt", want: "-a.txt"},
		{command: "rm *.txt"},
		{command: "rm $FILE"},
		{command: `rm "$FILE"`},
		{command: "rm 'a b.txt' c.txt", want: "-a b.txt -c.txt"},
		{command: "git rm -q old.go", want: "-old.go"},
		{command: "git rm --cached old.go"},
		{command: "git mv a.go b.go", want: "+b.go -a.go"},
		{command: "mv a.go b.go", want: "+b.go -a.go"},
		{command: "mv a.go sub/", want: "+sub/a.go -a.go"},
		{command: "mv a.go sub"},
		{command: "cp a.go b.go", want: "~b.go"},
		{command: "cp -r a b"},
		{command: "touch a.go"},
		{command: "mkdir -p a/b"},
		{command: "echo hi > out.txt", want: "~out.txt"},
		{command: "echo hi >> out.txt", want: "~out.txt"},
		{command: "make 2>&1 > log.txt", want: "~log.txt"},
		{command: "rm a.txt 2>/dev/null"},
		{command: "rm a.txt 2>>log.txt"},
		{command: "make 1> log.txt 2>&1", want: "~log.txt"},
		{command: "make &> log.txt", want: "~log.txt"},
		{command: "sort < in.txt > out.txt", want: "~out.txt"},
		{command: "grep -c '>' seqs.fasta"},
		{command: `grep -c ">" seqs.fasta && rm a.txt`, want: "-a.txt"},
		{command: `test 3 \> 2`},
		{command: "echo '2>' out.txt"},
		{command: "rm '>>' a.txt", want: "->> -a.txt"},
		{command: "rm '\x00>' a.txt"},
		{command: "make >/dev/null"},
		{command: "ls | tee out.txt", want: "~out.txt"},
		{command: "sed -i 's/a/b/' x.go y.go", want: "~x.go ~y.go"},
		{command: "sed -i '' -e 's/a/b/' x.go", want: "~x.go"},
		{command: "sed -n '1,5p' x.go"},
		{command: "cd sub && rm a.txt", want: "-sub/a.txt"},
		{command: "cd /x; rm a.txt", want: "-/x/a.txt"},
		{command: "rm a.txt; ls", want: "-a.txt"},
		{command: "rm a.txt; ls", output: "rm: cannot remove 'a.txt': No such file or directory"},
		{command: "rm a.txt || true"},
		{command: "(rm a.txt)"},
		{command: "rm a.txt &"},
		{command: "if true; then rm a.txt; fi"},
		{command: "for f in a b; do rm a.txt; done"},
		{command: "cat > conf.ini <<'EOF'\nx = $y\nrm z.txt\nEOF", want: "~conf.ini"},
		{command: "cat <<EOF > conf.ini\nx\nEOF\nrm b.txt", want: "~conf.ini -b.txt"},
		{command: "cat > conf.ini <<EOF\nnever closed"},
		{command: "cat <(ls) > a.txt"},
		{command: "echo 'rm a.txt'"},
		{command: "rm a.txt # rm b.txt", want: "-a.txt"},
		{command: "rm 'a"},
	} {
		f := FromActions([]session.Action{ran(c.command, c.exit, c.output)}, "")
		var got []string
		for _, p := range f.Added {
			got = append(got, "+"+p)
		}
		for _, p := range f.Changed {
			got = append(got, "~"+p)
		}
		for _, p := range f.Deleted {
			got = append(got, "-"+p)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q (exit %d): %q, want %q", c.command, c.exit, s, c.want)
		}
	}
}

func TestCommands(t *testing.T) {
	f := FromActions([]session.Action{
		ran("go test ./...", 1, "FAIL"),
		ran("# note\nset -e\nmake   all\nmake install", 0, ""),
		ran("go test ./...", 0, "ok"),
		ran("", 0, ""),
		ran("curl -H 'Authorization: Bearer "+strings.Repeat("a1B2c3D4e", 4)+"' h", -1, ""),
		ran("rm -rf"+strings.Repeat(" /var/cache/app/old", 20), 0, ""),
		ran("cat > run.sh <<EOF\n"+strings.Repeat("echo one more line\n", 40)+"EOF", 0, ""),
	}, "")
	want := []Command{
		{Line: "go test ./...", Exit: 0},
		{Line: "make all", Whole: "set -e ⏎ make all ⏎ make install", Exit: 0},
		{Line: "curl -H 'Authorization: Bearer [secret:bearer]' h", Exit: -1, Failed: true},
		{Line: "rm -rf" + strings.Repeat(" /var/cache/app/old", 10) + " …"},
		{Line: "cat > run.sh <<EOF", More: true},
	}
	if s := f.Commands[4].String(); s != "cat > run.sh <<EOF …" {
		t.Errorf("a command of many lines reads %q", s)
	}
	if !reflect.DeepEqual(f.Commands, want) {
		t.Errorf("got %+v", f.Commands)
	}
}

func TestErrors(t *testing.T) {
	many := ""
	for i := range 100 {
		many += fmt.Sprintf("error: thing %d\n", i)
	}
	for _, c := range []struct {
		name    string
		actions []session.Action
		want    []string
	}{
		{"go", []session.Action{ran("go build", 1, "# pkg\na.go:3:2: undefined: x\n")}, []string{"a.go:3:2: undefined: x"}},
		{"python", []session.Action{ran("python a.py", 1, "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad   value\n")}, []string{"ValueError: bad value"}},
		{"pytest", []session.Action{ran("pytest", 1, "E   assert 1 == 2\n1 failed")}, []string{"E assert 1 == 2"}},
		{"npm", []session.Action{ran("npm ci", 1, "npm ERR! code ERESOLVE\n")}, []string{"npm ERR! code ERESOLVE"}},
		{"portuguese", []session.Action{ran("x", 1, "Erro: arquivo inválido\nlinha 2")}, []string{"Erro: arquivo inválido"}},
		{"chinese", []session.Action{ran("x", 1, "错误：找不到文件\n")}, []string{"错误：找不到文件"}},
		{"no cue: the last line of a program", []session.Action{ran("x", 2, "start\nbye\n")}, []string{"bye"}},
		{"no cue: the first line of a tool", []session.Action{failed(edited("a"), "Text did not match.\nHere is the file")}, []string{"Text did not match."}},
		{"success that prints errors", []session.Action{ran("deploy", 0, "step 1\nfatal: no remote\nall good")}, []string{"fatal: no remote"}},
		{"words of files are none", []session.Action{ran("grep -n error a.log", 0, "error: old"), ran("cd x && cat a.log", 0, "error: old"), {Op: session.OpRead, Done: true, Output: "error: old"}}, nil},
		{"behind its progress", []session.Action{ran("curl x", 1, " 10 %\r 55 %\rerror: disk full\r\n")}, []string{"error: disk full"}},
		{"no cue, behind its progress", []session.Action{ran("curl x", 1, " 10 %\r 55 %\rbye\r\n")}, []string{"bye"}},
		{"a search without hits", []session.Action{ran("grep x a.log", 1, "")}, nil},
		{"zero errors", []session.Action{ran("lint", 0, "error: 0\nFailed: 0")}, nil},
		{"said twice, newest last", []session.Action{ran("a", 1, "error: one"), ran("b", 1, "error: two"), ran("a", 1, "error: one")}, []string{"error: two", "error: one"}},
		{"resolved ones first", []session.Action{ran("b", 1, "error: stays"), ran("a", 1, "error: goes"), ran("a", 0, "ok")}, []string{"error: goes", "error: stays"}},
		{"redacted", []session.Action{ran("x", 1, "error: postgres://u:s3cr"+"etpw@h/d refused")}, []string{"error: postgres://u:[secret:url-password]@h/d refused"}},
	} {
		if got := FromActions(c.actions, "").Errors; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := FromActions([]session.Action{ran("x", 1, many)}, "").Errors; len(got) != errorsPerAction || got[0] != "error: thing 0" || got[len(got)-1] != "error: thing 99" {
		t.Errorf("many: %q", got)
	}
	var all []session.Action
	for i := range 60 {
		all = append(all, ran(fmt.Sprint("c", i), 1, fmt.Sprint("error: number ", i)))
	}
	if got := FromActions(all, "").Errors; len(got) != errorLimit || got[len(got)-1] != "error: number 59" {
		t.Errorf("limit: %d, last %q", len(got), got[len(got)-1])
	}
}

func TestExact(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"PORT=3000 then PORT=4000, HOST=x", []string{"PORT=4000", "HOST=x"}},
		{`NAME="two words" ok`, []string{`NAME="two words"`}},
		{"- port: 5433\n- **host**: db.internal\n端口：3307", []string{"port: 5433", "host: db.internal", "端口: 3307"}},
		{"see https://h.internal/a?b=1). And (http://x.y/z).", []string{"https://h.internal/a?b=1", "http://x.y/z"}},
		{"in src/a.go:41 and ./run.sh, `config.json`, C:\\x\\y.txt or ~/notes/", []string{"src/a.go:41", "./run.sh", "config.json", `C:\x\y.txt`, "~/notes/"}},
		{"文件在 /srv/data/out.csv，版本 v1.2.3。", []string{"/srv/data/out.csv", "v1.2.3"}},
		{"commit 4be1c07 and f6325425-d7b4-4e50-b4a4-4c98e3f7c65e, ABC-123, #4521", []string{"4be1c07", "f6325425-d7b4-4e50-b4a4-4c98e3f7c65e", "ABC-123", "#4521"}},
		{"on localhost:8080, 10.0.0.1:53 and port 9102", []string{"localhost:8080", "10.0.0.1:53", "port 9102"}},
		{"TS2345, E0308, ENOENT, 0x80070005", []string{"TS2345", "E0308", "ENOENT", "0x80070005"}},
		{"run `npm run dev -- --port 1` or `fooBar()`", []string{"npm run dev -- --port 1"}},
		{"ValueError: no  good\nplain", []string{"ValueError: no good"}},
		{"plain words, and/or e.g. 3.5 of 10 x==y a=>b 1/2 I/O", nil},
		{"twice a.go a.go", []string{"a.go"}},
		{"lang=pt-BR,zh-CN and features=fast,slow,beta; a1=2,b1=3, done", []string{"lang=pt-BR,zh-CN", "features=fast,slow,beta", "a1=2", "b1=3"}},
		{"with -count=1 and --max-width=1200", []string{"-count=1", "--max-width=1200"}},
		{"width=800,height mode=fast,the rest size=1,2,3 LICENSE of this.prisma, docker/podman or infra/platform", []string{"width=800", "mode=fast", "size=1,2,3"}},
		{"Makefile, docker/Dockerfile, bin/serve, src/main.zig, ops/crontab, ops/backup_test.bats, .gitignore", []string{"Makefile", "docker/Dockerfile", "bin/serve", "src/main.zig", "ops/crontab", "ops/backup_test.bats", ".gitignore"}},
		{"src/components/text.ts:import and utils.ts:export, a.go:12, src/a.ts:12:import lib/b/c.ts:7-9:x", []string{"src/components/text.ts", "utils.ts", "a.go:12", "src/a.ts:12", "lib/b/c.ts:7-9"}},
		{"password=hunter2,xyz9k,a/b.go", []string{"password=[secret:password]", "a/b.go"}},
		{"- Edit: src/a.go\n- File: src/b.go\n- File: src/c.go\n- Path: /srv/app", []string{"src/a.go", "src/b.go", "src/c.go", "Path: /srv/app"}},
		{"Reviewed: [yes/no]\nPorts: [80/443]", []string{"Ports: [80/443]"}},
		{`<div class="x" id="y1">LEVEL=2</div> <a/b.go> <item key="k1"/>`, []string{"LEVEL=2", "a/b.go", `key="k1"`}},
		{`say \"class=\"wide\"\"`, nil},
		{`expects class="tool-call", role="row" and label="row"`, []string{`label="row"`}},
		{"token=ghp_" + strings.Repeat("a1B2c3D4e", 4), []string{"token=[secret:github-token]"}},
	} {
		if got := Exact(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// What looks like a fact and is none.
func TestNoJunkAmongFacts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"\t\t\t\n--\n...\n", nil},
		{"every .json and .yaml file, but .env", []string{".env"}},
		{"const out = lines.map(l => l.replace(/\\x1b\\\\/, '')); themes.map(x)", nil},
		{"dist/app.js.map", []string{"dist/app.js.map"}},
		{"diff --git a/labels/printer.py b/labels/printer.py\n--- a/labels/printer.py\n+++ b/labels/printer.py", []string{"labels/printer.py"}},
		{"port.write(b\"\\x1bt\\x10\")", nil},
		{"\"@mariozechner/pi-ai\\\\\", \\r\\n, \\n\\t", nil},
		{`at C:\Users\ana\app\main.go and src\app\main.go`, []string{`C:\Users\ana\app\main.go`, `src\app\main.go`}},
		{"tools: read/write/search, list/poll/kill, src/app/main.go, src/app-2/views, /srv/app/data", []string{"src/app/main.go", "src/app-2/views", "/srv/app/data"}},
		{"modified:   bin/serve\nmodified:   ops/crontab\nmodified:   scripts/release", []string{"bin/serve", "ops/crontab", "scripts/release"}},
	} {
		if got := exactOutput(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := Exact("the records are in batch/flush/order"); len(got) != 1 {
		t.Errorf("of a person's words: %q", got)
	}
}

func TestFactsExact(t *testing.T) {
	f := FromActions([]session.Action{
		{Op: session.OpRead, Paths: []string{"/w/a.go"}, Done: true, Output: "see b.go"},
		ran("make PORT=1", 0, "listening on localhost:8080"),
		{Op: session.OpWrite, Paths: []string{"c.go"}, Done: true, Input: "LEVEL=2", Output: "wrote d.go"},
	}, "/w")
	if want := []string{"a.go", "PORT=1", "localhost:8080", "LEVEL=2"}; !slices.Equal(f.Exact, want) {
		t.Errorf("%q, want %q", f.Exact, want)
	}
}

func FuzzFacts(f *testing.F) {
	f.Add("cat > a <<'E'\nx\nE\nrm 'b' && sed -i s/a/b/ c", "error: x\nPORT=1 `git log -1`", "--- a/x\n+++ b/x\n@@ -1,9 +1 @@\n")
	f.Add("make\rmake all", "10 %\rerror: disk full\rsee `git log\r -1`", "")
	f.Fuzz(func(t *testing.T, command, output, patch string) {
		facts := FromActions([]session.Action{ran(command, 0, output), ran(command, 1, output), patched(patch)}, "/w")
		for _, l := range slices.Concat(facts.Added, facts.Changed, facts.Deleted, facts.Errors, facts.Exact) {
			if l == "" || strings.ContainsAny(l, "\n\r") {
				t.Fatalf("not one line: %q", l)
			}
			if HasSecret(l) {
				t.Fatalf("secret in %q", l)
			}
		}
	})
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"rm -rf build\nmake all\n":         "rm -rf build ⏎ make all",
		"# only the cache\nrm -rf cache":   "rm -rf cache",
		"go test \\\n  -run X \\\n  ./...": "go test -run X ./...",
		"cat > a <<'E'\n# kept\n\nE":       "cat > a <<'E' ⏎ # kept ⏎ E",
		"git status":                       "git status",
		"make\r\nmake all\rmake test\r":    "make ⏎ make all ⏎ make test",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
