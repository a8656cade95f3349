package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"

	"sessc/lifecycle"
)

// sketch writes the waves of a selection: per piece the lifecycles of which
// the spawn stands in it, and behind a slash those that end in it.
func (p *played) sketch(sel lifecycle.Selection) string {
	labels := func(of []int) string {
		var b strings.Builder
		for _, n := range of {
			b.WriteString(p.found[n].Label)
		}
		return b.String()
	}
	var waves []string
	for _, w := range sel.Waves {
		var pieces []string
		for _, piece := range w.Pieces {
			pieces = append(pieces, labels(piece.Spawned)+"/"+labels(piece.Finished))
		}
		waves = append(waves, labels(w.Lifecycles)+"("+strings.Join(pieces, " ")+")")
	}
	return strings.Join(waves, " ")
}

func TestWaves(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"one", "human [spawn:a ok:a done:a] text", "a(a/a)"},
		{"one after the other", "human [spawn:a ok:a done:a] text [spawn:b ok:b done:b] text", "a(a/a) b(b/b)"},
		{"the next directly behind", "human [spawn:a ok:a done:a][spawn:b ok:b done:b] text", "a(a/a) b(b/b)"},
		{"overlapping", "human [spawn:a ok:a spawn:b ok:b done:a done:b] text", "ab(ab/ab)"},
		{"one within the other", "human [spawn:a ok:a spawn:b ok:b done:b done:a] text", "ab(ab/ba)"},
		{"a chain of overlaps", "human [spawn:a ok:a spawn:b ok:b done:a spawn:c ok:c done:b done:c] text", "abc(abc/abc)"},
		{"parallel in one message, out of order", "human [spawn:a+spawn:b+spawn:c ok:a ok:b ok:c done:c] text human text [done:a done:b] text", "abc(abc/c /ab)"},
		{"ends in one entry", "human [spawn:a+spawn:b ok:a ok:b done:a&b] text", "ab(ab/ab)"},
		{"refused inside", "human [spawn:a ok:a spawn:b refused:b done:a] text", "ab(ab/ba)"},
		{"refused in the same message", "human [spawn:a+spawn:b ok:a refused:b] human [done:a] text", "ab(ab/b /a)"},
		{"refused alone", "human [spawn:a refused:a] text", "a(a/a)"},
		{"killed", "human [spawn:a ok:a kill:a killed:a] text", "a(a/a)"},
		{"killed in a person's turn", "human [spawn:a ok:a] human [kill:a killed:a] text", "a(a/ /a)"},
		{"a piece that only asks", "human [spawn:a ok:a] human [list:a out] text human [done:a] text", "a(a/ / /a)"},
		{"the last copy is the end", "human [spawn:a ok:a done:a] text human [done:a] text", "a(a/ /a)"},
		{"one that stays splits no wave", "human [spawn:a ok:a] spawn:c ok:c [spawn:b ok:b done:a done:b] text", "ab(a/ b/ab)"},
		{"one that stays is no bridge", "human [spawn:a ok:a] spawn:c ok:c [done:a] text [spawn:b ok:b done:b] text", "a(a/ /a) b(b/b)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.script+tail)
			sel := lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})
			if got := p.draw(sel); got != strings.ReplaceAll(c.script, "][", "] [")+tail {
				t.Errorf("\n got %s\nwant %s", strings.TrimSuffix(got, tail), c.script)
			}
			if got := p.sketch(sel); got != c.want {
				t.Errorf("waves %s, want %s", got, c.want)
			}
		})
	}
}

// TestWork counts what the agent did itself to the sub-task of which it heard
// last.
func TestWork(t *testing.T) {
	p := play(t, "human [spawn:a ok:a read out spawn:b ok:b text done:a read out done:b] text"+tail)
	sel := lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})
	var got []string
	for n := range p.found {
		for _, i := range sel.Work[n] {
			got = append(got, p.found[n].Label+":"+p.words[i-1])
		}
	}
	if want := "[a:read a:out a:read a:out b:text]"; fmt.Sprint(got) != want {
		t.Errorf("work %v, want %s", got, want)
	}
	total := 0
	for _, l := range p.found {
		total += l.Own
	}
	for n := range p.found {
		for _, i := range sel.Work[n] {
			total += p.Entries[i].Tokens()
		}
	}
	if got := sel.Waves[0].Tokens(p.Session); got != total {
		t.Errorf("the wave costs %d tokens, own entries and work %d", got, total)
	}
}

func TestKeepLast(t *testing.T) {
	for _, c := range []struct {
		name, script string
		keep         int
	}{
		{"none: the last assistant message stays", "human [spawn:a ok:a done:a] text human", 0},
		{"a negative number is none", "human [spawn:a ok:a done:a] text human", -3},
		{"none: the leaf stays", "human [spawn:a ok:a done:a] text spawn:b refused:b", 0},
		{"none: a failed turn is the last assistant message too", "human [spawn:a ok:a done:a] text error", 0},
		{"one", "human [spawn:a ok:a done:a] text", 1},
		{"two: just outside", "human [spawn:a ok:a done:a] text human", 2},
		{"three: just inside", "human spawn:a ok:a done:a text human", 3},
		{"four: just outside", "human [spawn:a ok:a done:a] text human text human", 4},
		{"four: just inside", "human spawn:a ok:a done:a text human text", 4},
		{"lines that are not sent do not count", "human spawn:a ok:a done:a meta text meta human meta text meta", 4},
		{"four: its work may be inside only as a whole", "human [spawn:a ok:a done:a] text read out human", 4},
		{"a hundred keeps all", "human spawn:a ok:a done:a text human text human text", 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.script)
			if got := p.draw(lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: c.keep})); got != c.script {
				t.Errorf("\n got %s\nwant %s", got, c.script)
			}
		})
	}
}

// TestLastAssistantStays tries every log that is a beginning of one with many
// lifecycles, with no entries to keep: what clients treat in ways of their own
// is never a member, and the last completion is always one that was answered.
func TestLastAssistantStays(t *testing.T) {
	const script = "human spawn:a+spawn:b ok:a ok:b text done:a text human kill:b killed:b text spawn:c refused:c done:a text mirror error human"
	words := strings.Fields(script)
	taken := 0
	for n := 1; n <= len(words); n++ {
		p := play(t, strings.Join(words[:n], " "))
		sel := lifecycle.Select(p.Session, p.found, lifecycle.Options{})
		member := p.members(sel)
		taken += len(member)
		if member[p.Leaf] {
			t.Errorf("%s: the leaf is a member", words[:n])
		}
		for k := len(p.Active) - 1; k >= 0; k-- {
			if p.Entries[p.Active[k]].Kind.String() == "assistant" {
				if member[p.Active[k]] {
					t.Errorf("%s: the last assistant message is a member", words[:n])
				}
				break
			}
		}
	}
	if taken == 0 {
		t.Error("no log had a member")
	}
}
