package summarize

import (
	"slices"
	"strings"
	"testing"
)

func TestFolded(t *testing.T) {
	deep := "/home/dev/projects/app/worktrees/search"
	var many []string
	for _, n := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"} {
		many = append(many, deep+"/internal/store/"+n+"_of_many_test.go")
	}
	for _, c := range []struct {
		name string
		in   []string
		want []string
	}{
		{"one folder", []string{deep + "/a.go", "limit=5", deep + "/b.go"}, []string{deep + "/{a.go,b.go}", "limit=5"}},
		{"folders below it", []string{deep + "/cmd/a.go", deep + "/pkg/b.go", deep + "/pkg/c.go"}, []string{deep + "/{cmd/a.go,pkg/b.go,pkg/c.go}"}},
		{"folders themselves", []string{deep + "/main", deep + "/side"}, []string{deep + "/{main,side}"}},
		{"two trees", []string{deep + "/a.go", "/var/lib/app/data/x.db", deep + "/b.go", "/var/lib/app/data/y.db"}, []string{deep + "/{a.go,b.go}", "/var/lib/app/data/{x.db,y.db}"}},
		{"not from the middle of a name", []string{"/srv/data/reports/alpha-1/x.csv", "/srv/data/reports/alpha-2/x.csv"}, []string{"/srv/data/reports/{alpha-1/x.csv,alpha-2/x.csv}"}},
		{"too little to gain", []string{"src/a.go", "src/b.go"}, []string{"src/a.go", "src/b.go"}},
		{"nothing in common", []string{"/home/dev/a.go", "lib/some/where/b.go"}, []string{"/home/dev/a.go", "lib/some/where/b.go"}},
		{"backslashes", []string{`C:\Users\dev\app\a.go`, `C:\Users\dev\app\b.go`}, []string{`C:\Users\dev\app\{a.go,b.go}`}},
		{"braces and labels stand by themselves", []string{deep + "/{x}.go", "Worktree: " + deep, deep + "/a.go"}, []string{deep + "/{x}.go", "Worktree: " + deep, deep + "/a.go"}},
		{"none", nil, nil},
	} {
		if got := folded(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := folded(many); len(got) < 2 || len(got) > 4 {
		t.Errorf("a long list becomes %d facts: %q", len(got), got)
	}
	back := unfolded(strings.Join(folded(many), joint))
	slices.Sort(back)
	slices.Sort(many)
	if !slices.Equal(back, many) {
		t.Errorf("unfolded %q", back)
	}
}

func TestUnfolded(t *testing.T) {
	for _, c := range []struct {
		item string
		want []string
	}{
		{"a/b.go, limit=5", []string{"a/b.go", "limit=5"}},
		{"x=1, /srv/app/{a.go,sub/b.go}", []string{"x=1", "/srv/app/a.go", "/srv/app/sub/b.go"}},
		{"map{a,b}", []string{"map{a,b}"}},
		{"", []string{""}},
	} {
		if got := unfolded(c.item); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.item, got, c.want)
		}
	}
}

func TestLeadsThrough(t *testing.T) {
	for _, c := range []struct {
		name, text, fact string
		want             bool
	}{
		{"a folder on the way", "see /srv/app/src/a.go", "/srv/app/src", true},
		{"with its last separator", "/srv/app/src/a.go", "/srv/app/", true},
		{"not half a name", "/srv/app/src-old/a.go", "/srv/app/src", false},
		{"not itself", "/srv/app/src", "/srv/app/src", false},
		{"from where the agent stood", "/srv/app/src", "../app/src", true},
		{"labelled", "Full path: /srv/app/src", "Worktree: ../app/src", true},
		{"one part may be anywhere", "/srv/app/scripts/run.sh", "./run.sh", false},
		{"a plain relative path", "/srv/app/src/a.go", "app/src", false},
		{"no path", "/srv/app/src/a.go", "limit=5", false},
	} {
		if got := leadsThrough(c.text, c.fact); got != c.want {
			t.Errorf("%s: leadsThrough(%q, %q) = %v", c.name, c.text, c.fact, got)
		}
	}
}
