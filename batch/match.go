package batch

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Match reports whether a pattern names a file or folder: its elements, each
// with the wild cards of [path.Match], match elements of the file's path that
// follow each other. So "*.jsonl" matches by name, "main/sessions" whatever
// lies in such a folder, and "/home/dev/*" from the root only.
func Match(pattern, file string) bool {
	want := strings.Split(strings.Trim(filepath.ToSlash(pattern), "/"), "/")
	have := strings.Split(strings.Trim(filepath.ToSlash(file), "/"), "/")
	last := len(have) - len(want)
	if strings.HasPrefix(pattern, "/") {
		last = min(last, 0)
	}
	for at := 0; at <= last; at++ {
		if matchAt(want, have[at:]) {
			return true
		}
	}
	return false
}

func matchAt(want, have []string) bool {
	for i, w := range want {
		if ok, err := path.Match(w, have[i]); !ok || err != nil {
			return false
		}
	}
	return true
}

// CheckPattern returns an error for a pattern that matches nothing because it
// is written wrongly.
func CheckPattern(pattern string) error {
	_, err := path.Match(filepath.ToSlash(pattern), "")
	return err
}

// anyMatch reports whether one of the patterns names the file. Patterns from
// the root are compared with its full path.
func anyMatch(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if strings.HasPrefix(p, "/") {
			if abs, err := filepath.Abs(file); err == nil {
				return Match(p, abs)
			}
		}
		return Match(p, file)
	})
}
