package summarize

import (
	"slices"
	"strings"

	"sessc/tokens"
)

const (
	// foldAim is the most tokens of a folded fact. A mask that is over its cap
	// loses it as a whole, so it must not be all that the mask has to say.
	foldAim = 64
	// foldGain is how many bytes a path must save by being folded. Below it
	// the path stands in full, since a plain path is found by a plain search.
	foldGain = 10
)

// leadsThrough reports whether a path in a text names what f is: a folder on
// its way, or a path of several parts that is written from where the agent
// stood, "../app/src" or "Worktree: ../app/src".
func leadsThrough(text, f string) bool {
	if _, value, ok := strings.Cut(f, ": "); ok && strings.HasPrefix(value, "../") {
		f = value
	}
	f = strings.TrimRight(f, "/")
	rest := strings.TrimLeft(f, "./")
	if !isPath(f+"/") || rest == "" || !strings.Contains(text, rest) {
		return false
	}
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		if f[0] == '.' {
			return strings.Contains(rest, "/") && strings.Contains(word+"/", "/"+rest+"/")
		}
		return strings.HasPrefix(word, f+"/")
	})
}

// folded writes paths that lie below one folder as a shell would,
// "dir/{a.go,sub/b.go}", at the place of the first of them: in real logs most
// of what a mask says is the folder that a dozen paths share. The other facts
// stay as they are.
func folded(facts []string) []string {
	out := make([]string, 0, len(facts))
	var groups []pathGroup
	for _, f := range facts {
		dir := folderOf(f)
		if dir == "" {
			out = append(out, f)
			continue
		}
		name := f[len(dir):]
		if i := slices.IndexFunc(groups, func(g pathGroup) bool { return g.with(dir, name).worth(g, f) }); i >= 0 {
			groups[i] = groups[i].with(dir, name)
			out[groups[i].at] = groups[i].String()
			continue
		}
		groups = append(groups, pathGroup{dir: dir, names: []string{name}, at: len(out)})
		out = append(out, f)
	}
	return out
}

// folderOf returns the folder of a path that can be folded, with the separator
// behind it, or "".
func folderOf(f string) string {
	if !isPath(f) || strings.ContainsAny(f, " {},\"") || strings.HasSuffix(f, "/") {
		return ""
	}
	return f[:strings.LastIndexAny(f, `/\`)+1]
}

// pathGroup is the paths of one folded fact.
type pathGroup struct {
	dir   string   // with the separator behind it
	names []string // below dir
	at    int      // the place of the fact
}

func (g pathGroup) String() string {
	if len(g.names) == 1 {
		return g.dir + g.names[0]
	}
	return g.dir + "{" + strings.Join(g.names, ",") + "}"
}

// with returns the group with one path more, below the folder of both. Where
// they have none in common that is "".
func (g pathGroup) with(dir, name string) pathGroup {
	n := 0
	for i := range min(len(g.dir), len(dir)) {
		if g.dir[i] != dir[i] {
			break
		}
		if dir[i] == '/' || dir[i] == '\\' {
			n = i + 1
		}
	}
	names := make([]string, 0, len(g.names)+1)
	for _, old := range g.names {
		names = append(names, g.dir[n:]+old)
	}
	return pathGroup{dir: dir[:n], names: append(names, dir[n:]+name), at: g.at}
}

// worth reports whether the group is better than a smaller one and a path that
// stands by itself.
func (g pathGroup) worth(smaller pathGroup, path string) bool {
	whole := g.String()
	return g.dir != "" && len(smaller.String())+len(joint)+len(path)-len(whole) >= foldGain && tokens.EstimateString(whole) <= foldAim
}

// unfolded returns the facts of a list item: those that were joined to it, each
// path of those that were folded by itself.
func unfolded(item string) []string {
	var facts []string
	for _, f := range strings.Split(item, joint) {
		dir, names, ok := strings.Cut(strings.TrimSuffix(f, "}"), "{")
		if !ok || !strings.HasSuffix(f, "}") || folderOf(dir+"x") != dir {
			facts = append(facts, f)
			continue
		}
		for _, name := range strings.Split(names, ",") {
			facts = append(facts, dir+name)
		}
	}
	return facts
}
