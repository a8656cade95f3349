package openclaw

import (
	"strings"
	"testing"
)

func TestSuspect(t *testing.T) {
	long := "Read the three modules and compared their locks. "
	rows := []struct {
		name, status, result, stats string
		want                        string
	}{
		{"normal", "ok", report, "", ""},
		{"no tokens after a long run", "ok", report, "Stats: runtime 5m12s • tokens 0 (in 0 / out 0)", "no tokens"},
		{"no tokens after a short run", "ok", report, "Stats: runtime 5s • tokens 0 (in 0 / out 0)", ""},
		{"unknown tokens", "ok", report, "Stats: runtime 5m12s • tokens n/a", ""},
		{"no output", "ok", noOutput, "", "no result"},
		{"stub", "ok", "Done.", "", "stub"},
		{"short but exact", "ok", "Port is 8080.", "", ""},
		{"short path", "ok", "See notes.md", "", ""},
		{"Chinese stub", "ok", "好的。", "", "stub"},
		{"Chinese sentence", "ok", "任务已经全部完成，相关文件也都更新好了。", "", ""},
		{"failure is no contradiction", "failed: x", "Let me start by reading the files:", "", ""},
		{"timeout is no contradiction", "timed out", noOutput, "", ""},
		{"plan: let me", "ok", long + "Let me now read the configuration files.", "", "plan"},
		{"plan: next", "ok", long + "Next, I will update the tests", "", "plan"},
		{"plan: start by", "ok", "I'll start by looking at the repository structure.", "", "plan"},
		{"plan: curly quote", "ok", long + "Now I’ll run the build...", "", "plan"},
		{"plan: Portuguese", "ok", "Li os três módulos do projeto. Agora vou verificar os testes.", "", "plan"},
		{"plan: Portuguese, start", "ok", "Entendi a tarefa completa que foi pedida. Vou começar lendo os arquivos", "", "plan"},
		{"plan: Chinese", "ok", "我已经阅读了三个模块的全部代码，了解了结构。接下来我会修改配置文件。", "", "plan"},
		{"plan: Chinese, let me", "ok", "我已经阅读了三个模块的全部代码。让我检查一下测试文件", "", "plan"},
		{"colon", "ok", long + "Here is the first of the modules:", "", "colon"},
		{"wide colon", "ok", "我已经阅读了三个模块的全部代码，结果如下：", "", "colon"},
		{"open fence", "ok", long + "\n\n```go\nfunc main() {", "", "code block"},
		{"broken off", "ok", long + "The lock is taken before the rename and", "", "mid-sentence"},
		{"broken off at a comma", "ok", long + "The lock is taken before the rename,", "", "mid-sentence"},
		{"offer", "ok", long + "Let me know if you want the patch.", "", ""},
		{"offer, bare", "ok", long + "Let me know.", "", ""},
		{"condition", "ok", long + "I'll continue once you confirm the port.", "", ""},
		{"question", "ok", long + "I will start the migration, ok?", "", ""},
		{"Chinese condition", "ok", "三个模块的代码全部检查完毕，没有发现问题。如果需要，我先修改配置。", "", ""},
		{"list without full stops", "ok", long + "\n\n- lock.go is fine\n- rename is not", "", ""},
		{"list of next steps", "ok", long + "\n\nNext steps\n1. Next, I will do nothing", "", ""},
		{"no full stop", "ok", long + "All tests pass now", "", ""},
		{"bold ending", "ok", long + "**All done**", "", ""},
		{"closed fence", "ok", long + "\n```\nok 12\n```", "", ""},
		{"table", "ok", long + "\n| a | b |\n|---|---|\n| 1 | 2 |", "", ""},
		{"cut by the program", "ok", long + "\n```\nline 1\n...(truncated)...", "", ""},
		{"plan in the middle", "ok", "Let me now read the files. I read all 3 of them and they are fine.", "", ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			status := strings.Replace(r.status, "ok", "completed successfully", 1)
			text := noticeC + blockC("subagent task", childA, "x", status, r.result)
			if r.stats != "" {
				text = strings.Replace(text, statsC, r.stats, 1)
			}
			got := completions(parse(text), provenance{})[0].Suspect
			if (got == "") != (r.want == "") || !strings.Contains(got, r.want) {
				t.Errorf("suspect %q, want %q", got, r.want)
			}
		})
	}
}
