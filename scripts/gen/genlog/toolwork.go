package genlog

import (
	"fmt"
	"path"
	"strings"
)

var nouns = strings.Fields("queue batch index token session record cursor buffer window schema report ledger header payload worker channel order invoice label parcel")
var verbs = strings.Fields("load store merge split parse render check fetch flush close count order group trim scan route")

var ownFiles = []string{"cmd/server/main.go", "internal/store/rows.go", "internal/api/handlers.go", "web/src/App.tsx", "scripts/deploy.sh", "README.md",
	"docs/operations.md", "app/models.py", "app/views.py", "config/default.toml", "tests/test_views.py", "Makefile"}

var ownCommands = []string{"git status --short", "git log --oneline -n 12", "go test ./... 2>&1 | tail -n 40", "npm test -- --silent", "ls -la internal", "grep -rn TODO internal | head -n 20",
	"make lint", "docker compose ps", "cat config/default.toml", "pytest -q"}

// source is made-up code of about n functions in the language the file name asks for.
func (w *world) source(file string, n int) string {
	var b strings.Builder
	ext := path.Ext(file)
	for i := 0; i < n; i++ {
		v, x, y := w.pick(verbs), w.pick(nouns), w.pick(nouns)
		name := v + strings.ToUpper(x[:1]) + x[1:]
		switch ext {
		case ".py":
			fmt.Fprintf(&b, "def %s_%s(%s, limit=%d):\n    \"\"\"%s the %s until the limit is reached.\"\"\"\n    if not %s:\n        raise ValueError(\"%s is empty\")\n    return [r.%s for r in %s][:limit]\n\n\n", v, x, y, 10+w.r.Intn(900), strings.ToUpper(v[:1])+v[1:], x, y, y, x, y)
		case ".ts", ".tsx", ".js":
			fmt.Fprintf(&b, "export function %s(%s: %s[], limit = %d): number {\n  const seen = new Map<string, number>();\n  for (const r of %s) seen.set(r.id, (seen.get(r.id) ?? 0) + 1);\n  return Math.min(seen.size, limit);\n}\n\n", name, y, strings.ToUpper(x[:1])+x[1:], 10+w.r.Intn(900), y)
		case ".go", ".rs":
			fmt.Fprintf(&b, "// %s reads the %s once and stops at the limit.\nfunc %s(%s []%s, limit int) (int, error) {\n\tif len(%s) == 0 {\n\t\treturn 0, fmt.Errorf(\"%s: no %s\")\n\t}\n\tn := 0\n\tfor _, r := range %s {\n\t\tif r.size > %d {\n\t\t\tn += r.size\n\t\t}\n\t}\n\treturn min(n, limit), nil\n}\n\n", name, x, name, y, x, y, v, y, y, w.r.Intn(4096))
		default:
			fmt.Fprintf(&b, "%s_%s = %d   # %s %s, see section %d\n", x, y, w.r.Intn(9000), v, x, w.r.Intn(20))
		}
	}
	return b.String()
}

func (w *world) read(file string) Call {
	return Call{Tool: "read", Path: file, Output: w.source(file, 4+w.r.Intn(9))}
}

func (w *world) edit(file string) Call {
	old := w.source(file, 1)
	return Call{Tool: "edit", Path: file, Old: old, New: strings.Replace(old, "limit", "cap", 1) + w.source(file, 1)}
}

// testLog is the output of a test run of n tests, now and then with a failure in it.
func (w *world) testLog(n int) string {
	var b strings.Builder
	failed := 0
	for i := 0; i < n; i++ {
		x, y := w.pick(nouns), w.pick(verbs)
		if w.r.Intn(14) == 0 {
			failed++
			fmt.Fprintf(&b, "--- FAIL: Test_%s_%s (%d.%02ds)\n    %s_test.go:%d: want %d, got %d\n", y, x, w.r.Intn(3), w.r.Intn(100), x, 20+w.r.Intn(300), w.r.Intn(90), w.r.Intn(90))
			continue
		}
		fmt.Fprintf(&b, "ok   %s/%s/%s  %d.%03ds  coverage: %d.%d%% of statements\n", x, y, w.pick(nouns), w.r.Intn(4), w.r.Intn(1000), 40+w.r.Intn(59), w.r.Intn(10))
	}
	fmt.Fprintf(&b, "%d tests, %d failed", n, failed)
	return b.String()
}

// own is one turn step of the agent's own tool work: one to three calls of mixed kinds.
func (w *world) own(signed bool) Agent {
	var a Agent
	if signed && w.r.Intn(2) == 0 {
		a.Thinking = w.pick(thoughts)
	}
	if w.r.Intn(2) == 0 {
		a.Text = w.pick(narration)
	}
	for i, n := 0, 1+w.r.Intn(3)/2+w.r.Intn(2); i < n; i++ {
		f := w.pick(ownFiles)
		switch k := w.r.Intn(12); {
		case k < 4:
			a.Calls = append(a.Calls, w.read(f))
		case k < 8:
			c := Call{Tool: "exec", Command: w.pick(ownCommands), Output: w.testLog(6 + w.r.Intn(24))}
			if w.r.Intn(6) == 0 {
				c.Exit = 1 + w.r.Intn(2)
			}
			a.Calls = append(a.Calls, c)
		case k < 10:
			a.Calls = append(a.Calls, w.edit(f))
		case k < 11:
			a.Calls = append(a.Calls, Call{Tool: "write", Path: "notes/plan-" + fmt.Sprint(w.r.Intn(90)) + ".md", Content: w.source("x.md", 9)})
		default:
			a.Calls = append(a.Calls, Call{Tool: "edit", Path: f, Old: "a", New: "b", Err: "Could not find the exact text in " + f + ". The old text must match exactly."})
		}
	}
	return a
}

var thoughts = []string{
	"The person wants this done without touching the public interface, so the work can be split: one part is independent of the other.",
	"Before I delegate I should know which files matter, otherwise the task text will be vague and the child will guess.",
	"The last test run is the best evidence; I compare it with what the report claims.",
	"两个任务互相独立,可以同时进行。",
}
var narration = []string{
	"Let me look at the current state first.", "I check what the tests say.", "Now the configuration.", "I verify the change in the working tree.",
	"Vou conferir o estado atual antes de responder.", "我先检查一下代码。", "One more look at the call sites.", "That matches; next file.",
}
var answers = []string{
	"Done: the change is in, the tests pass, and nothing else was touched.",
	"The report holds up: I compared the changed files with the working tree and ran the tests once more.",
	"Finished. There is one open point, which I have written down; it does not block anything.",
	"Pronto. Os testes passam e os arquivos alterados estão na lista acima.",
	"已经完成,测试全部通过,没有其他改动。",
	"All parts are back. Short version: two succeeded at once, one needed a second attempt.",
}
var questions = []string{
	"Could you have a look at the slow part first? I have a meeting at three and would like a number by then.",
	"By the way, which version is running on the small machine at the moment?",
	"Please delegate what can be delegated, I only want to read the result.",
	"And what about the tests, do they all pass now?",
	"Pode cuidar disso em paralelo? Preciso do relatório até o fim do dia.",
	"请把这个任务交给子代理,完成以后告诉我结果。",
	"Thanks. While that runs: where do we keep the sample data?",
	"Okay, go ahead. No rush with the second one.",
	"Ficou bom. E o arquivo de configuração, mudou alguma coisa?",
	"测试都通过了吗?有没有需要我注意的地方?",
}
var constraints = []string{
	"From now on never touch anything under migrations/, Theo is rebuilding the schema this week.",
	"One rule for everything that follows: no new dependency without asking me first.",
	"A partir de agora, nunca altere o arquivo config/prod.toml, nem para testar.",
	"从现在开始,不要直接推送到 main 分支,一定要先让我看。",
	"Please always answer in full sentences from here on, my colleague reads this too.",
}
