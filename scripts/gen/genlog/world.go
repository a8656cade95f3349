package genlog

import (
	"fmt"
	"math/rand"
	"strings"
)

// world invents the matter of a session: tasks and their reports, the agent's own tool work, what people say.
type world struct {
	r    *rand.Rand
	seen map[string]int
}

func newWorld(seed int64) *world {
	return &world{r: rand.New(rand.NewSource(seed ^ 0x5e55c)), seen: map[string]int{}}
}

func (w *world) pick(of []string) string { return of[w.r.Intn(len(of))] }

func (w *world) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[w.r.Intn(16)]
	}
	return string(b)
}

// child makes a task of a language ("" = any) with a report in which all its facts stand word for word.
func (w *world) child(lang string) *Child {
	var fit []topic
	for _, t := range topics {
		if lang == "" || t.lang == lang {
			fit = append(fit, t)
		}
	}
	return w.fill(fit[w.r.Intn(len(fit))])
}

func (w *world) fill(t topic) *Child {
	num := 10 + w.r.Intn(89)
	sub := strings.NewReplacer("%N", fmt.Sprint(num), "%H", w.hex(7), "%U", w.hex(8)+"-"+w.hex(4)+"-4"+w.hex(3)+"-9"+w.hex(3)+"-"+w.hex(12))
	each := func(in []string) []string {
		var out []string
		for _, s := range in {
			out = append(out, sub.Replace(s))
		}
		return out
	}
	c := &Child{Label: t.label, Task: sub.Replace(t.task), Created: each(t.created), Modified: each(t.files), Deleted: each(t.deleted)}
	// Labels stay unique in a session, since generation B can be matched by label only.
	w.seen[t.label]++
	if n := w.seen[t.label]; n > 1 {
		c.Label = fmt.Sprintf("%s %d", t.label, n)
	}
	commit := w.hex(40)
	fact := func(kind string, in ...string) {
		for _, s := range in {
			c.Facts = append(c.Facts, Fact{kind, s})
		}
	}
	fact("file", c.Created...)
	fact("file", c.Modified...)
	fact("file", c.Deleted...)
	commands, errs, keys, urls := each(t.commands), each(t.errors), each(t.keys), each(t.urls)
	fact("command", commands...)
	fact("error", errs...)
	fact("keyvalue", keys...)
	fact("url", urls...)
	fact("id", commit)
	c.Report = w.report(t, c, commands, errs, keys, urls, commit)
	return c
}

// words are a report's fixed phrases in one language.
type words struct{ result, changed, created, deleted, how, errs, settings, tried, note, open, commit, see string }

var phrases = map[string]words{
	"en":    {"Result", "Changed", "New", "Deleted", "How it was checked", "Errors on the way", "Settings that matter", "Tried and dropped", "Must be remembered", "Still open", "Committed as", "See"},
	"pt":    {"Resultado", "Alterados", "Novos", "Apagados", "Como foi verificado", "Erros no caminho", "Valores importantes", "Tentado e descartado", "Não esquecer", "Em aberto", "Commit", "Ver"},
	"zh":    {"结果", "修改的文件", "新文件", "删除的文件", "检查方法", "过程中的错误", "重要的设置", "试过但放弃", "必须记住", "还没有完成", "提交", "参考"},
	"mixed": {"Result / Resultado", "Changed", "New / 新文件", "Deleted", "Check / 检查", "Errors", "Settings", "Tried / Tentado", "Remember / 记住", "Open", "Commit", "See"},
}

func (w *world) report(t topic, c *Child, commands, errs, keys, urls []string, commit string) string {
	p := phrases[t.lang]
	var b strings.Builder
	list := func(title string, items []string, quote string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n**%s**\n", title)
		for _, s := range items {
			fmt.Fprintf(&b, "- %s%s%s\n", quote, s, quote)
		}
	}
	fmt.Fprintf(&b, "## %s\n%s\n", p.result, t.conclusion)
	for _, s := range t.steps {
		fmt.Fprintf(&b, "\n%s\n", s)
	}
	list(p.changed, c.Modified, "`")
	list(p.created, c.Created, "`")
	list(p.deleted, c.Deleted, "`")
	fmt.Fprintf(&b, "\n**%s**\n", p.how)
	for i, s := range commands {
		fmt.Fprintf(&b, "```\n%s\n```\n", s)
		if i == 0 {
			fmt.Fprintf(&b, "%d passed, 0 failed in %d.%02ds\n", 6+w.r.Intn(30), 1+w.r.Intn(8), w.r.Intn(100))
		}
	}
	if len(errs) > 0 {
		fmt.Fprintf(&b, "\n**%s**\n```\n%s\n```\n", p.errs, strings.Join(errs, "\n"))
	}
	list(p.settings, keys, "`")
	fmt.Fprintf(&b, "\n**%s**: %s\n\n**%s**: %s\n", p.tried, t.tried, p.note, t.remember)
	if t.open != "" {
		fmt.Fprintf(&b, "\n**%s**: %s\n", p.open, t.open)
	}
	for _, u := range urls {
		fmt.Fprintf(&b, "\n%s: %s\n", p.see, u)
	}
	fmt.Fprintf(&b, "\n%s %s", p.commit, commit)
	return b.String()
}

// transcript is the child's own log: tool work that touches the files its report names, then the report.
func (w *world) transcript(c *Child) []Step {
	steps := []Step{Agent{Text: "I look at the code first.", Calls: []Call{w.read(c.Modified[0])}}}
	for _, f := range c.Modified {
		steps = append(steps, Agent{Calls: []Call{w.edit(f)}})
	}
	for _, f := range c.Created {
		steps = append(steps, Agent{Calls: []Call{{Tool: "write", Path: f, Content: w.source(f, 12)}}})
	}
	for _, f := range c.Deleted {
		steps = append(steps, Agent{Calls: []Call{{Tool: "exec", Command: "rm " + f}}})
	}
	for _, f := range c.Facts {
		if f.Kind == "command" {
			steps = append(steps, Agent{Calls: []Call{{Tool: "exec", Command: f.Text, Output: w.testLog(8)}}})
		}
	}
	return append(steps, Agent{Text: c.Report})
}
