package mask

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// minFoldGain is how many bytes folding a group of paths must save. Below it the paths stand in full, since a plain
// path can be found by a plain text search.
const minFoldGain = 16

// encodeFiles encodes sorted, distinct paths as list items. Paths of one folder become one item, "dir/{a,b}.go", when
// that is worth it; a path with list syntax in its name is quoted.
func encodeFiles(paths []string) []string {
	groups := make(map[string][]string)
	for _, p := range paths {
		if dir := folder(p); plainName(p) && dir != "" {
			groups[dir] = append(groups[dir], p)
		}
	}
	out := make([]string, 0, len(paths))
	done := make(map[string]bool)
	for _, p := range paths {
		dir := folder(p)
		switch {
		case !plainName(p):
			out = append(out, quote(p))
		case dir == "" || len(groups[dir]) < 2:
			out = append(out, p)
		case done[dir]:
		default:
			done[dir] = true
			out = append(out, fold(dir, groups[dir])...)
		}
	}
	return out
}

// fold writes the paths of one folder as one item, or as they are when folding saves too little.
func fold(dir string, paths []string) []string {
	ext := extension(paths[0][len(dir):])
	for _, p := range paths {
		if extension(p[len(dir):]) != ext {
			ext = ""
		}
	}
	plain := 2 * (len(paths) - 1)
	names := make([]string, len(paths))
	for i, p := range paths {
		plain += len(p)
		names[i] = strings.TrimSuffix(p[len(dir):], ext)
		if names[i] == "" {
			return paths
		}
	}
	one := dir + "{" + strings.Join(names, ",") + "}" + ext
	if plain-len(one) < minFoldGain {
		return paths
	}
	return []string{one}
}

// folder is the part of a path up to and including its last separator (both kinds: logs come from all systems).
func folder(p string) string { return p[:strings.LastIndexAny(p, `/\`)+1] }

// extension is the part of a file name from its last dot, "" when nothing stands before the dot.
func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[i:]
	}
	return ""
}

// plainName reports whether a path can stand without quotes. One with spaces cannot: a file name can be a sentence.
func plainName(p string) bool {
	return p != "" && p != noneWord && !strings.ContainsAny(p, specialName) && !strings.HasPrefix(p, ellipsis) &&
		strings.IndexFunc(p, unicode.IsSpace) < 0
}

// isFolded reports whether a text is several paths in one and nothing else.
func isFolded(s string) bool {
	paths, rest, err := bareItem(s)
	return err == nil && rest == "" && len(paths) > 1
}

// bareItem reads one unquoted item of a file list at the start of s, unfolded, and returns what follows.
func bareItem(s string) (paths []string, rest string, err error) {
	head := strings.IndexAny(s, specialName)
	if head < 0 {
		head = len(s)
	}
	if head == len(s) || s[head] == ',' {
		p := s[:head]
		if !plainName(p) {
			return nil, s, fmt.Errorf("bad list item %q", p)
		}
		return []string{p}, s[head:], nil
	}
	if s[head] != '{' {
		return nil, s, fmt.Errorf("unexpected %q in a list item", s[head])
	}
	dir := s[:head]
	if folder(dir) != dir || dir == "" {
		return nil, s, fmt.Errorf("folded item %q does not begin with a folder", dir)
	}
	inner, tail, ok := strings.Cut(s[head+1:], "}")
	if !ok || strings.ContainsAny(inner, `"{`) {
		return nil, s, errors.New("a folded item is not closed")
	}
	end := strings.IndexAny(tail, specialName)
	if end < 0 {
		end = len(tail)
	}
	if end < len(tail) && tail[end] != ',' {
		return nil, s, fmt.Errorf("unexpected %q after a folded item", tail[end])
	}
	names := strings.Split(inner, ",")
	if len(names) < 2 {
		return nil, s, errors.New("a folded item holds one name only")
	}
	for _, n := range names {
		p := dir + n + tail[:end]
		if n == "" || !plainName(p) {
			return nil, s, fmt.Errorf("bad name in folded item %q", dir)
		}
		paths = append(paths, p)
	}
	return paths, tail[end:], nil
}
