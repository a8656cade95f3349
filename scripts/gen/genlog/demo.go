package genlog

import (
	_ "embed"
	"strings"
	"time"
)

//go:embed demo.txt
var demoText string

// passages splits a text at its "-- name --" lines.
func passages(s string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split(s, "\n-- ")[1:] {
		name, body, _ := strings.Cut(part, " --\n")
		out[name] = strings.TrimSuffix(body, "\n")
	}
	return out
}

// demo is the story that the README compresses: three delegated tasks of a bakery's order site, a rule given in the
// middle, an error that was met and fixed. Its words stand in demo.txt.
func demo(b *builder) Script {
	say := passages(demoText)
	exec := func(command, out string) Call { return Call{Tool: "exec", Command: command, Output: out} }
	home := "/home/dev/crumb/"
	printer := demoChild("label printer umlauts", say["task1"], say["report1"],
		"labels/printer.py labels/render.py config/crumb.toml", "tests/test_labels_bytes.py", "",
		Fact{"error", `UnicodeEncodeError: 'latin-1' codec can't encode character '\u20ac' in position 24: ordinal not in range(256)`},
		Fact{"keyvalue", "status_timeout_ms=1500"}, Fact{"keyvalue", `label_codepage = "cp1252"`}, Fact{"command", "pytest -q tests/test_labels_bytes.py"})
	overview := demoChild("slow order overview", say["task2"], say["report2"],
		"orders/overview.py orders/db.py templates/overview.html", "tests/test_overview_rows.py tests/data/overview_rows.json", "orders/overview_cache.py",
		Fact{"error", "sqlite3.OperationalError: database is locked"}, Fact{"keyvalue", "busy_timeout=4000"}, Fact{"keyvalue", "overview_page_size=250"},
		Fact{"command", "pytest -q tests/test_overview_rows.py tests/test_overview.py"})
	flour := demoChild("weekly flour mail", say["task3"], say["report3"],
		"config/recipes.toml ops/crumb.cron", "orders/flour_mail.py tests/test_flour_mail.py", "",
		Fact{"keyvalue", "flour_weeks=4"}, Fact{"keyvalue", "sack_kg=25"}, Fact{"id", "<20260319.0415.7f3e@crumb.example>"},
		Fact{"command", "python -m orders.flour_mail --dry-run --week 2026-W11"})
	ending := func(c *Child, d time.Duration, in, out int) Completion {
		return Completion{Generation: "C", Envelope: Envelope{Stamp: "UTC", Wrapped: true}, Endings: []Ending{{Child: c, Outcome: Done, Runtime: d, In: in, Out: out}}}
	}
	b.add(
		Human{Text: say["ask1"], Channel: Panel},
		Agent{Text: "Let me see what is there.", Calls: []Call{exec("ls "+home, say["ls"]), {Tool: "read", Path: home + "README.md", Output: say["readme"]},
			exec("git -C "+home+" log --oneline -n 5", say["gitlog"])}},
		Spawn{Text: say["plan"], Children: []*Child{printer}}, Yield{},
		ending(printer, 7*time.Minute+12*time.Second, 31_400, 5_230),
		Agent{Text: "I check the change before I report.", Calls: []Call{exec("git -C "+home+" diff labels/printer.py", say["check1"])}},
		Agent{Calls: []Call{{Tool: "read", Path: home + "labels/render.py", Output: say["render"]}}},
		Agent{Calls: []Call{exec("cd "+home+" && make test", say["tests1"])}},
		Agent{Text: say["answer1"]},
		Human{Text: say["human2"], Channel: Panel, Constraint: true},
		Agent{Text: say["answer2"]},
		Human{Text: "Go on with the overview, please.", Channel: Panel},
		Spawn{Text: "The overview is next.", Children: []*Child{overview}}, Yield{},
		ending(overview, 11*time.Minute+40*time.Second, 48_900, 7_810),
		Agent{Text: "I measure it myself and look at the backup that the report names.", Calls: []Call{
			exec("cd "+home+" && python -m orders.measure --db /srv/crumb/copy.db --page /overview --runs 3", say["timing"]),
			{Tool: "read", Path: "/srv/crumb/ops/backup.sh", Output: say["backup"]}}},
		Agent{Text: say["think2"], Calls: []Call{{Tool: "edit", Path: "/srv/crumb/ops/backup.sh", Old: "cp /srv/crumb/crumb.db /srv/backup/crumb-$day.db", New: say["backupnew"]}}},
		Agent{Calls: []Call{exec("sudo -u crumb sh /srv/crumb/ops/backup.sh && zcat /srv/backup/crumb-*.db.gz > /tmp/check.db && sqlite3 /tmp/check.db 'select count(*) from orders'", "60412"),
			{Tool: "read", Path: home + "orders/overview.py", Output: say["overview"]}}},
		Agent{Text: say["answer3"]},
		Human{Text: say["human3"], Channel: Panel},
		Spawn{Text: "I delegate the flour mail with all rules.", Children: []*Child{flour}}, Yield{},
		ending(flour, 9*time.Minute+3*time.Second, 39_700, 6_480),
		Agent{Calls: []Call{exec("cd "+home+" && python -m orders.flour_mail --dry-run --week 2026-W11", say["dry"]), exec("git -C "+home+" status --short", say["status"])}},
		Agent{Calls: []Call{{Tool: "read", Path: home + "orders/flour_mail.py", Output: say["flour"]}}},
		Agent{Text: say["answer4"]},
		Human{Text: say["human4"], Channel: Panel},
		Agent{Calls: []Call{exec("sudo systemctl edit crumb.service --drop-in=flour && sudo systemctl show crumb.service -p Environment", "Environment=flour_mail_to=bestellung@muehle.example")}},
		Agent{Text: say["answer5"]},
		Human{Text: say["human5"], Channel: Panel},
		Agent{Text: say["answer6"]},
	)
	return Script{Name: "demo", Cwd: "/home/dev/crumb", Oddity: "nothing: a readable story of three delegated tasks, one rule in the middle, one error met and fixed"}
}

func demoChild(label, task, report, modified, created, deleted string, facts ...Fact) *Child {
	c := &Child{Label: label, Task: task, Report: report, Modified: strings.Fields(modified), Created: strings.Fields(created), Deleted: strings.Fields(deleted)}
	for _, list := range [][]string{c.Created, c.Modified, c.Deleted} {
		for _, f := range list {
			c.Facts = append(c.Facts, Fact{"file", f})
		}
	}
	c.Facts = append(c.Facts, facts...)
	return c
}
