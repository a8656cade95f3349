package lifecycle_test

import (
	"strings"
	"testing"

	"sessc/lifecycle"
)

// The tail of four entries keeps what comes before it out of the last ones.
const tail = " human text human text"

func TestMembers(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"spawn, receipt and completion", "human [spawn:a ok:a done:a] text"},
		{"calls that name the child", "human [spawn:a ok:a list:a out done:a] text"},
		{"a waiting call in a turn of the wave", "human [spawn:a ok:a yield out done:a] text"},
		{"all copies of the completion", "human [spawn:a ok:a done:a text done:a] text"},
		{"a time-out and a late success", "human [spawn:a ok:a timeout:a text done:a] text"},
		{"own work, narration and reasoning while it waits", "human [spawn:a ok:a read out text read out done:a] text"},
		{"what a person answered stays", "human [spawn:a ok:a] ask_user out [done:a] text"},
		{"work before the spawn stays", "human read out text [spawn:a ok:a done:a] text"},
		{"work after the last completion stays", "human [spawn:a ok:a done:a] read out text"},
		{"narration after the last completion stays", "human [spawn:a ok:a done:a] text text"},

		{"a human entry cuts pieces", "human [spawn:a ok:a] human [done:a] text"},
		{"the turn that it starts stays", "human [spawn:a ok:a] human read out text [done:a] text"},
		{"an answer directly before a human entry stays", "human [spawn:a ok:a] text human text [done:a] text"},
		{"its copies stay with it", "human [spawn:a ok:a] text mirror human text [done:a] text"},
		{"a yield note behind it does not make it go", "human [spawn:a ok:a] text note human text [done:a] text"},
		{"text before a completion goes", "human [spawn:a ok:a text done:a] text"},
		{"an answer before it stays", "human [spawn:a ok:a] answer [done:a] text"},
		{"a question too", "human [spawn:a ok:a] question [done:a] text"},
		{"and between two", "human [spawn:a ok:a spawn:b ok:b done:b read out] answer [text note done:a] text"},
		{"text before another call goes", "human [spawn:a ok:a text read out] human [done:a] text"},
		{"what a person's turn asks about the child goes", "human [spawn:a ok:a] human [list:a out] text [done:a] text"},
		{"but not what it asks about something else too", "human [spawn:a ok:a] human list:a+read out out text [done:a] text"},
		{"nor about a child that still runs", "human spawn:b ok:b [spawn:a ok:a] human list:b out text [done:a] text"},
		{"nor about one that is not known", "human [spawn:a ok:a] human list:x out text [done:a] text"},
		{"a kill in a person's turn", "human [spawn:a ok:a] human [kill:a killed:a] text"},
		{"a kill in a message with other work goes whole", "human [spawn:a ok:a] human [kill:a+read killed:a out] text"},
		{"a turn that a completion starts is the wave's", "human [spawn:a ok:a spawn:b ok:b] human text [done:b read out text done:a] text"},

		{"a call about an unknown child stays in any turn", "human [spawn:a ok:a] list:x out [done:a] text"},
		{"a list of sessions may name others too", "human [spawn:a ok:a list:a lists:a&x done:a] text"},

		{"quiet yield notes go", "human [spawn:a ok:a yield out note done:a] text"},
		{"with the text before them", "human [spawn:a ok:a text note done:a] text"},
		{"but not in a person's turn", "human [spawn:a ok:a] human note [done:a] text"},
		{"another event stays and ends the turn", "human [spawn:a ok:a] event read out text [done:a] text"},
		{"an answer before another event stays", "human [spawn:a ok:a] text event text [done:a] text"},
		{"a message from the child stays and ends the turn", "human [spawn:a ok:a] progress:a text read out [done:a] text"},
		{"a completion of an unknown run stays", "human [spawn:a ok:a] done:x text [done:a] text"},
		{"error turns and mirrors inside the span go", "human [spawn:a ok:a error mirror done:a] text"},
		{"lines that are not sent do not cut", "human [spawn:a meta ok:a meta done:a] text"},
		{"nor does an answer beside the path", "human [spawn:a ok:a ~text done:a] text"},
		{"a mask of ours stays and ends the turn", "human [spawn:a ok:a] mask read out [done:a] text"},
		{"one that is a call and its result stays too", "human [spawn:a ok:a read out] maskcall maskout [read out done:a] text"},

		{"parallel calls go with their message", "human [spawn:a+read ok:a out done:a] text"},
		{"also where a result follows the last of the sub-task", "human [spawn:a+read refused:a out] text"},
		{"and where it follows a kill", "human [spawn:a ok:a kill:a+read killed:a out] text"},
		{"a message with a call that has no result stays whole", "human [spawn:a ok:a] list:a+read out [done:a] text"},
		{"so does one that starts a sub-task that still runs", "human [spawn:a ok:a] read+spawn:b out ok:b [read out done:a] text"},
		{"and one that asks about two of which one still runs", "human spawn:b ok:b [spawn:a ok:a] list:a+list:b out out [done:a] text"},
		{"invalid own work stays, and so does what stands beside it", "human [spawn:a ok:a read out] text !text text [read out done:a] text"},
		{"work beside a damaged line stays", "human [spawn:a ok:a] read out damaged read out [read out done:a] text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.script+tail)
			got := p.draw(lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4}))
			if got != c.script+tail {
				t.Errorf("\n got %s\nwant %s", strings.TrimSuffix(got, tail), c.script)
			}
		})
	}
}
