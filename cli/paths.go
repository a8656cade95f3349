package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sessc/session"
)

// target is one log to work on, or a path that came to nothing.
type target struct {
	shown string // the path as the user named it, or found below a named folder
	real  string // absolute, links resolved
	named bool   // the log itself stands on the command line
	err   error  // why there is no log at the path
}

// discovery turns the paths of a command line into logs.
type discovery struct {
	formats []session.Format
	found   []target
	at      map[string]int  // index in found by real path
	folders map[string]bool // real paths that were looked through
}

// discover returns the logs that paths name, in the order of the command line
// and, within a folder, by name. Each real file comes once, whatever links lead
// to it. In folders a format's verdict on a file's name counts; a log named
// directly is always taken.
func discover(paths []string, formats []session.Format) ([]target, error) {
	d := &discovery{formats: formats, at: map[string]int{}, folders: map[string]bool{}}
	for _, path := range paths {
		if path == "" {
			return nil, usage("a path is empty")
		}
		d.path(path)
	}
	return d.found, nil
}

func (d *discovery) path(path string) {
	real, info, err := look(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.fail(path, fmt.Errorf("%s: no such file or folder; check the path", path))
	case errors.Is(err, fs.ErrPermission):
		d.fail(path, fmt.Errorf("%s: no permission to look at it; run sessc as the owner", path))
	case err != nil:
		d.fail(path, fmt.Errorf("%s: %w", path, err))
	case info.IsDir():
		before := len(d.found)
		d.folder(path, real, true)
		if len(d.found) == before && !d.knows(real) {
			d.fail(path, fmt.Errorf("%s: no session log in this folder (known formats: %s); name the folder where the agent keeps them", path, formatNames(d.formats)))
		}
	case !info.Mode().IsRegular():
		d.fail(path, fmt.Errorf("%s: not a regular file; name a session log or a folder of them", path))
	default:
		d.add(target{shown: path, real: real, named: true})
	}
}

// knows reports whether a log below the folder was found by an earlier path.
func (d *discovery) knows(folder string) bool {
	for real := range d.at {
		if within(real, folder) {
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
	d.found = append(d.found, target{shown: path, err: err})
}

func (d *discovery) add(t target) {
	if i, ok := d.at[t.real]; ok {
		d.found[i].named = d.found[i].named || t.named
		return
	}
	d.at[t.real] = len(d.found)
	d.found = append(d.found, t)
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
		hint := "run sessc as the owner"
		if !top {
			hint += ", or name the folders beside it"
		}
		d.fail(shown, fmt.Errorf("read folder %s: %w; %s", shown, errors.Unwrap(err), hint))
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
			d.folder(path, there, false)
		case mode.IsRegular() && !d.skips(e.Name()):
			d.add(target{shown: path, real: there})
		}
	}
}

// skips reports whether a file is ruled out by its name: some format knows it
// for one of its own files that is no session, or no format has such logs.
func (d *discovery) skips(name string) bool {
	for _, f := range d.formats {
		if f.SkipName(name) != "" {
			return true
		}
	}
	return !slices.ContainsFunc(d.formats, func(f session.Format) bool { return f.LogName(name) })
}

func formatNames(formats []session.Format) string {
	names := ""
	for i, f := range formats {
		if i > 0 {
			names += ", "
		}
		names += f.Name()
	}
	return names
}
