package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sessc/session"
)

// Target is one log to work on, or a path that came to nothing.
type Target struct {
	Shown  string              // the path as the user named it, or found below a named folder
	Real   string              // absolute, links resolved; "" with Err
	Named  bool                // the log itself stands on the command line
	Err    error               // why there is no log at the path
	Source session.Fingerprint // of the file when it was found, without its hash
}

// Finder turns paths into logs. In folders the formats' verdicts on file names
// and the filters count; a log that is named directly is always taken.
type Finder struct {
	Formats []session.Format
	Getenv  func(string) string // for the agents' default folders; nil leaves the environment out
	Include []string            // patterns of [Match]: only logs that match one; empty takes all
	Exclude []string            // patterns of [Match]: no logs and no folders that match one
	Since   time.Time           // only logs that changed then or later; zero takes all
	Agents  []string            // only logs of these agents, of a format that several write; empty takes all
	Shard   Shard
}

// Find returns the logs that paths name, in the order of paths and, within a
// folder, by name; with all, those in the agents' default folders follow. Each
// real file comes once, whatever links lead to it. A path that is no file may
// be the id of a session in a default folder. Paths that come to nothing are
// targets with an error.
func (f *Finder) Find(paths []string, all bool) []Target {
	d := &discovery{Finder: f, at: map[string]int{}, folders: map[string]bool{}}
	for _, path := range paths {
		d.path(path)
	}
	if all {
		for _, dir := range DefaultDirs(f.Formats, f.Getenv) {
			if real, info, err := look(dir); err == nil && info.IsDir() {
				d.folder(dir, real, true)
			}
		}
	}
	return f.Shard.pick(d.found)
}

// DefaultDirs are the folders that exist and in which the agents of the
// formats keep their sessions.
func DefaultDirs(formats []session.Format, getenv func(string) string) []string {
	var dirs []string
	for _, f := range formats {
		for _, pattern := range f.DefaultDirs(getenv) {
			found, err := filepath.Glob(pattern)
			if err != nil {
				found = nil // a home with brackets in its name; its folders have to be named
			}
			dirs = append(dirs, found...)
		}
	}
	return dirs
}

// discovery is one search.
type discovery struct {
	*Finder
	found   []Target
	at      map[string]int  // index in found by real path
	folders map[string]bool // real paths that were looked through
	passed  int             // logs that a filter left out
}

func (d *discovery) path(path string) {
	real, info, err := look(path)
	switch {
	case path == "-" && errors.Is(err, fs.ErrNotExist):
		d.fail(path, errors.New("-: "+noFile))
	case errors.Is(err, fs.ErrNotExist) && isThere(path):
		d.fail(path, thereAndNoFile(path))
	case errors.Is(err, fs.ErrNotExist):
		switch found, looked := d.session(path); {
		case found:
		case looked:
			d.fail(path, fmt.Errorf("%s: no such file or folder, and no session in the agents' own folders has this id; check the path, or take an id from sessc sessions", path))
		default:
			d.fail(path, fmt.Errorf("%s: no such file or folder; check the path", path))
		}
	case errors.Is(err, fs.ErrPermission):
		d.fail(path, fmt.Errorf("%s: no permission to look at it; run sessc as the owner", path))
	case err != nil:
		d.fail(path, fmt.Errorf("%s: %w", path, err))
	case info.IsDir():
		before := len(d.found) + d.passed
		d.folder(path, real, true)
		if len(d.found)+d.passed == before && !d.knows(real) {
			d.fail(path, fmt.Errorf("%s: no session log in this folder (known agents: %s); name the folder where the agent keeps them", path, strings.Join(session.AllAgents(d.Formats), ", ")))
		}
	case !info.Mode().IsRegular():
		d.fail(path, thereAndNoFile(path))
	default:
		d.add(Target{Shown: path, Real: real, Named: true})
	}
}

// noFile says what a log has to be.
const noFile = "a log has to be a file, since it is read twice and replaced; write it into one first"

// isThere reports whether there is anything at a path, be it a link that leads
// nowhere.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// thereAndNoFile says what lies at a path that is neither a file nor a folder.
func thereAndNoFile(path string) error {
	info, err := os.Stat(path)
	switch to, linkErr := os.Readlink(path); {
	case err != nil && linkErr == nil:
		return fmt.Errorf("%s: this link leads to %s, where nothing is; mend the link, or name the log itself", path, to)
	case err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0:
		return fmt.Errorf("%s: this is a pipe: %s", path, noFile)
	}
	return fmt.Errorf("%s: not a regular file; name a session log or a folder of them", path)
}

// leastID is how much of a session's id has to be given, in bytes: less of it
// is found in names of files by chance.
const leastID = 8

// mostShown is how many logs an error lists.
const mostShown = 5

// session looks for a log by the id of its session, or the beginning of one,
// which most agents put into the file's name and all into the log. It reports whether the id was found at
// all, and whether it could be one.
func (d *discovery) session(id string) (found, looked bool) {
	if len(id) < leastID || d.Getenv == nil || strings.ContainsRune(id, filepath.Separator) || strings.HasSuffix(id, ".jsonl") {
		return false, false
	}
	within := &discovery{Finder: &Finder{Formats: d.Formats, Getenv: d.Getenv}, at: map[string]int{}, folders: map[string]bool{}}
	for _, dir := range DefaultDirs(d.Formats, d.Getenv) {
		if real, info, err := look(dir); err == nil && info.IsDir() {
			within.folder(dir, real, true)
		}
	}
	logs := slices.DeleteFunc(within.found, func(t Target) bool { return t.Err != nil })
	where := "in their names"
	hits := which(logs, func(t Target) bool { return strings.Contains(filepath.Base(t.Shown), id) })
	if len(hits) == 0 {
		where = "as their session's id or its beginning"
		names := map[string]string{}
		hits = which(logs, func(t Target) bool {
			name, err := session.NameByHead(t.Real, d.Formats)
			names[t.Real] = name
			return err == nil && strings.HasPrefix(name, id) // who cannot be read has no id that could be meant
		})
		if whole := which(hits, func(t Target) bool { return names[t.Real] == id }); len(whole) > 0 {
			hits = whole
		}
	}
	switch len(hits) {
	case 0:
		return false, true
	case 1:
		hits[0].Named = true
		d.add(hits[0])
	default:
		var shown []string
		for _, t := range hits[:min(len(hits), mostShown)] {
			shown = append(shown, t.Shown)
		}
		if len(hits) > mostShown {
			shown = append(shown, "...")
		}
		d.fail(id, fmt.Errorf("%s: %d session logs have this %s: %s; give more of the id, or the path", id, len(hits), where, strings.Join(shown, ", ")))
	}
	return true, true
}

func which(logs []Target, is func(Target) bool) []Target {
	var hits []Target
	for _, t := range logs {
		if is(t) {
			hits = append(hits, t)
		}
	}
	return hits
}

// knows reports whether a log below the folder was found by an earlier path.
func (d *discovery) knows(folder string) bool {
	folder = strings.TrimSuffix(folder, string(filepath.Separator)) + string(filepath.Separator)
	for real := range d.at {
		if strings.HasPrefix(real, folder) {
			return true
		}
	}
	return false
}

func look(path string) (real string, info fs.FileInfo, err error) {
	if real, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	if real, err = filepath.EvalSymlinks(real); err != nil {
		return "", nil, err
	}
	info, err = os.Stat(real)
	return real, info, err
}

func (d *discovery) fail(path string, err error) {
	d.found = append(d.found, Target{Shown: path, Err: err})
}

func (d *discovery) add(t Target) {
	if i, ok := d.at[t.Real]; ok {
		d.found[i].Named = d.found[i].Named || t.Named
		return
	}
	source, err := session.StatPath(t.Real)
	if err != nil && !t.Named {
		return // gone since its folder was read
	}
	if !t.Named && !d.Since.IsZero() && source.Modified.Before(d.Since) {
		d.passed++
		return
	}
	if !t.Named && !d.wanted(t.Real) {
		d.passed++
		return
	}
	t.Source = source
	d.at[t.Real] = len(d.found)
	d.found = append(d.found, t)
}

// wanted reports whether a log is of one of the agents that are asked for. One
// that cannot be read is: the run says what is wrong with it.
func (d *discovery) wanted(path string) bool {
	if len(d.Agents) == 0 {
		return true
	}
	agent, err := session.AgentOf(path, d.Formats)
	return err != nil || slices.Contains(d.Agents, agent)
}

// folder looks through a folder and those below. Links are followed; the set
// of folders seen keeps a ring of them from going on for ever.
func (d *discovery) folder(shown, real string, top bool) {
	if d.folders[real] {
		return
	}
	d.folders[real] = true
	entries, err := os.ReadDir(real)
	if err != nil {
		d.fail(shown, unreadable(shown, err, top))
	}
	for _, e := range entries {
		path, there := filepath.Join(shown, e.Name()), filepath.Join(real, e.Name())
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			to, info, err := look(there)
			if err != nil {
				continue // leads nowhere
			}
			there, mode = to, info.Mode().Type()
		}
		switch {
		case mode.IsDir():
			if !anyMatch(d.Exclude, path) {
				d.folder(path, there, false)
			}
		case !mode.IsRegular() || d.skips(e.Name()):
		case anyMatch(d.Exclude, path) || len(d.Include) > 0 && !anyMatch(d.Include, path):
			d.passed++
		default:
			d.add(Target{Shown: path, Real: there})
		}
	}
}

// unreadable is the error for a folder. A lack of permission is not wrapped:
// the advice stands here already, and whoever meets that error adds it.
func unreadable(shown string, err error, top bool) error {
	why := errors.Unwrap(err)
	beside := "name the folders beside it"
	switch {
	case errors.Is(err, fs.ErrPermission) && top:
		return fmt.Errorf("read folder %s: %v; run sessc as the owner", shown, why)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("read folder %s: %v; run sessc as the owner, or %s", shown, why, beside)
	case top:
		return fmt.Errorf("read folder %s: %w", shown, why)
	}
	return fmt.Errorf("read folder %s: %w; %s", shown, why, beside)
}

// skips reports whether a file is ruled out by its name: some format knows it
// for one of its own files that is no session, or no format has such logs.
func (d *discovery) skips(name string) bool {
	for _, f := range d.Formats {
		if f.SkipName(name) != "" {
			return true
		}
	}
	return !slices.ContainsFunc(d.Formats, func(f session.Format) bool { return f.LogName(name) })
}
