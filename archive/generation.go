package archive

import (
	"fmt"

	"sessc/session"
)

// State is what is known about a generation's rewrite.
type State string

const (
	// StatePending: the bytes are safe, whether the log was replaced is open.
	StatePending State = "pending"
	// StateApplied: the log was replaced.
	StateApplied State = "applied"
)

// Content identifies the bytes of a file.
type Content struct {
	Size   int64 // bytes
	SHA256 [32]byte
}

// Edit is one replaced range of a file. Old is where the removed bytes stood
// in the old file, New is where their replacement stands in the new one; either
// may be empty. Ref names the mask that took their place, "" for a pointer or
// a usage figure that was rewritten.
type Edit struct {
	Old, New session.Range
	Ref      string
}

// File is one file of a generation before and after the rewrite. Edits ascend
// and do not overlap; what lies between them is the same in both files.
type File struct {
	Path     string // a hint only: logs get renamed and copied
	Old, New Content
	Edits    []Edit
}

// Mask is one mask that a generation made. Masks that it only carried over
// from an earlier one belong in [Generation.Markers] alone.
type Mask struct {
	Ref      string
	Key      string // the lifecycle's key
	Headline string
	State    string // of the lifecycle, in the words of the report
	Record   string // the text that the model reads
}

// Entry is one item of the log that left, or changed, for a mask. An item that
// stands in several ranges of a file is several entries with one ID.
type Entry struct {
	File int // index in Generation.Files
	Old  session.Range
	Ref  string
	Role string
	Kind string
	Tool string
	ID   string
	Time int64 // unix ms, 0 unknown
}

// Generation is one rewrite of one session.
type Generation struct {
	ID      int64 // set by the archive
	State   State // set by the archive
	Session string
	Format  string
	Path    string // of the log, a hint only
	Options string // what the caller wants to remember about the run
	Time    int64  // unix ms
	Files   []File
	Masks   []Mask
	Entries []Entry
	Markers []string // refs of all masks that stand in the new files

	// Removed and Stored are the bytes kept for the generation, before and
	// after compression. Set by the archive.
	Removed, Stored int64
}

// check refuses a generation whose numbers contradict each other: from such
// a one the old file could not be put together again.
func (g *Generation) check() error {
	if g.Session == "" {
		return fmt.Errorf("generation has no session id")
	}
	if len(g.Files) == 0 {
		return fmt.Errorf("generation of session %s has no files", g.Session)
	}
	for i := range g.Files {
		if err := g.Files[i].check(); err != nil {
			return fmt.Errorf("file %d of session %s: %w", i, g.Session, err)
		}
	}
	seen := map[string]bool{}
	for _, m := range g.Masks {
		if m.Ref == "" || seen[m.Ref] {
			return fmt.Errorf("session %s: mask ref %q is empty or used twice", g.Session, m.Ref)
		}
		seen[m.Ref] = true
	}
	for i, e := range g.Entries {
		if e.File < 0 || e.File >= len(g.Files) {
			return fmt.Errorf("session %s: entry %d names file %d of %d", g.Session, i, e.File, len(g.Files))
		}
		if !inside(e.Old, g.Files[e.File].Old.Size) || e.Old.Len == 0 {
			return fmt.Errorf("session %s: entry %d: bytes %d+%d are not in the file", g.Session, i, e.Old.Off, e.Old.Len)
		}
	}
	return nil
}

func (f *File) check() error {
	var old, new int64
	for i, e := range f.Edits {
		if !inside(e.Old, f.Old.Size) || !inside(e.New, f.New.Size) {
			return fmt.Errorf("edit %d lies outside the file", i)
		}
		if e.Old.Off < old || e.New.Off < new {
			return fmt.Errorf("edit %d overlaps the one before or is out of order", i)
		}
		if e.Old.Off-old != e.New.Off-new {
			return fmt.Errorf("edit %d: %d kept bytes before it in the old file, %d in the new", i, e.Old.Off-old, e.New.Off-new)
		}
		old, new = e.Old.End(), e.New.End()
	}
	if f.Old.Size-old != f.New.Size-new {
		return fmt.Errorf("%d kept bytes at the end of the old file, %d of the new", f.Old.Size-old, f.New.Size-new)
	}
	return nil
}

func inside(r session.Range, size int64) bool {
	return r.Off >= 0 && r.Len >= 0 && r.Off <= size && r.Len <= size-r.Off
}
