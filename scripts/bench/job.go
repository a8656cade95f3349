//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sessc/archive"
	"sessc/scan"
	"sessc/session"
	"sessc/session/formats"
)

// jobFlag makes bench run one part of sessc alone, which has no command of its own, in a process that is measured.
const jobFlag = "-job"

// job runs a part of sessc.
func job(ctx context.Context, stdout io.Writer, name string, args []string) error {
	switch {
	case name == "scan" && len(args) == 1:
		return scanLog(stdout, args[0])
	case name == "put" && len(args) == 2:
		return putLog(ctx, args[0], args[1])
	}
	return fmt.Errorf("no job %q of %d arguments", name, len(args))
}

// scanLog reads a log once, as a dry run does, and finds the sub-tasks in its index.
func scanLog(stdout io.Writer, path string) error {
	s, err := session.Open(path, formats.All, session.Settings{NoHash: true})
	if err != nil {
		return err
	}
	defer s.Close()
	found := scan.Find(s)
	n := counts{lines: s.Lines, calls: len(s.Calls)}
	for _, u := range s.Usages {
		if u.Total > 0 {
			n.usages++
		}
	}
	for i := range s.Calls {
		if c := &s.Calls[i]; s.Str(c.Name) == "sessions_spawn" {
			n.spawns++
			if c.Result >= 0 {
				n.receipts++
			}
		}
	}
	for i := range s.Events {
		if s.Events[i].Kind == session.Completion {
			n.ends++
		}
	}
	_, err = fmt.Fprintln(stdout, n.lines, n.calls, n.usages, n.spawns, n.receipts, n.ends, len(found))
	return err
}

// counts are what the scan and jq both count in a log, to show that they do the same job. spawns and receipts are
// those of one tool, which starts nearly all sub-tasks.
type counts struct{ lines, calls, usages, spawns, receipts, ends int }

// same reports whether two found the same. jq knows one form of the text that announces an end, and not where one is
// only quoted: there it may be off by a few.
func (n counts) same(m counts) bool {
	off := n.ends - m.ends
	n.ends = m.ends
	return n == m && max(off, -off) <= 2+m.ends/20
}

// putLog archives all entries of a log, as if every one of them had been removed.
func putLog(ctx context.Context, path, dir string) (err error) {
	s, err := session.Open(path, formats.All, session.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	arch, err := archive.Open(dir, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, arch.Close()) }()
	g := &archive.Generation{Session: s.ID, Format: s.Format.Name(), Path: path, Files: []archive.File{{
		Path: path, Old: archive.Content{Size: s.Size, SHA256: s.Source.SHA256},
		Edits: []archive.Edit{{Old: session.Range{Len: s.Size}}},
	}}}
	for i := range s.Entries {
		e := &s.Entries[i]
		g.Entries = append(g.Entries, archive.Entry{
			Old: session.Range{Off: e.Off, Len: int64(e.Len)}, Role: e.Kind.Role(), Kind: e.Kind.String(), ID: s.IDOf(int32(i)), Time: e.Time,
		})
	}
	pending, err := arch.Put(ctx, g, archive.Source{
		Read: func(_ int, off, n int64) ([]byte, error) {
			b := make([]byte, n)
			_, err := s.ReadAt(b, off)
			return b, err
		},
		Text: func(i int) (string, error) {
			c, err := s.Content(int32(i))
			return c.Text(), err
		},
	})
	if err != nil {
		return err
	}
	return pending.Settle(ctx, true)
}
