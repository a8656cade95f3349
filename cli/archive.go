package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"sessc/archive"
	"sessc/config"
	"sessc/session/formats"
	"sessc/writer"
)

// store opens the archive at most once in a run, and only when it is needed.
// Several sessions may ask for it at a time.
type store struct {
	p      *Process
	dir    string
	settle bool // the run may settle what an interrupted one left pending
	quiet  bool

	mu    sync.Mutex
	open  *archive.Archive
	claim *string        // the shard that the run claims as soon as there is an archive
	held  *archive.Claim // its right to be the only one
}

// store returns the archive of a run. readOnly leaves pending generations as
// they are: a dry run and a scan change nothing anywhere.
func (p *Process) store(cfg *config.Config, readOnly bool) (*store, error) {
	dir := cfg.Archive
	if dir == "" {
		return nil, usage("no folder for the archive is known: set HOME, or name one with --archive")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if owner := ownerOf(abs, p.Getenv); owner != "" && !readOnly {
		return nil, usage("archive %s lies in %s, a folder of an agent, which would take the files there for its own; name another with --archive", dir, owner)
	}
	return &store{p: p, dir: abs, settle: !readOnly, quiet: cfg.Quiet}, nil
}

// get returns the archive; without create it is nil when there is none yet.
func (s *store) get(ctx context.Context, create bool) (*archive.Archive, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != nil {
		return s.open, nil
	}
	a, err := archive.Open(s.dir, create)
	if !create && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !s.quiet {
		a.OnWait(func() { s.p.talk("waiting for another sessc, which is writing to the archive %s", clean(s.dir)) })
	}
	if s.claim != nil {
		held, err := a.Claim(*s.claim, s.p.Now())
		if errors.Is(err, archive.ErrRunning) {
			err = &kindError{writer.ErrRefused, fmt.Errorf("%w; wait until it is done, or name another archive with --archive", err)}
		}
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		s.held = held
	}
	if s.settle {
		if err := s.settlePending(ctx, a); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	s.open = a
	return a, nil
}

// must is get for commands that have nothing to do without an archive.
func (s *store) must(ctx context.Context) (*archive.Archive, error) {
	a, err := s.get(ctx, false)
	if a == nil && err == nil {
		err = &kindError{fs.ErrNotExist, fmt.Errorf("archive %s: nothing was archived here yet (give the folder with --archive)", s.dir)}
	}
	return a, err
}

func (s *store) close() error {
	var err error
	if s.open != nil {
		err = s.open.Close()
	}
	if s.held != nil {
		err = errors.Join(err, s.held.Release())
	}
	return err
}

// settlePending finds out what became of rewrites that were interrupted.
func (s *store) settlePending(ctx context.Context, a *archive.Archive) error {
	settled, err := a.SettlePending(ctx, writer.Peek)
	for _, r := range settled {
		if r.Busy || s.quiet && r.Outcome != archive.OutcomeOpen {
			continue
		}
		switch r.Outcome {
		case archive.OutcomeApplied:
			s.p.talk("an interrupted rewrite of %s had been completed; the archive now knows", clean(r.Generation.Path))
		case archive.OutcomeDropped:
			s.p.talk("an interrupted rewrite of %s had not begun to change it; it was dropped", clean(r.Generation.Path))
		default:
			s.p.talk("an interrupted rewrite of %s stays open: %s", clean(r.Generation.Path), clean(r.Reason))
		}
	}
	return err
}

// ownerOf returns the agent's folder that dir lies in, "" if in none. An
// agent's folder is the one above the part of a default folder that has no
// wild cards, as long as that is not a home as a whole.
func ownerOf(dir string, getenv func(string) string) string {
	home := resolved(getenv("HOME"))
	for _, f := range formats.All {
		for _, pattern := range f.DefaultDirs(getenv) {
			if !filepath.IsAbs(pattern) {
				continue
			}
			fixed, _, _ := strings.Cut(pattern, "*")
			fixed = filepath.Clean(fixed)
			if above := filepath.Dir(fixed); !within(home, resolved(above)) {
				fixed = above
			}
			if within(resolved(dir), resolved(fixed)) {
				return fixed
			}
		}
	}
	return ""
}

// within reports whether path is dir or lies in it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved follows the links of as much of a path as exists.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	above := filepath.Dir(path)
	if above == path {
		return path
	}
	return filepath.Join(resolved(above), filepath.Base(path))
}
