package archive

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotFound: the archive has no such generation or mask.
	ErrNotFound = errors.New("not in the archive")
	// ErrChanged: a file does not begin with the bytes that sessc wrote.
	ErrChanged = errors.New("the file does not begin with what sessc wrote")
	// ErrForgotten: the bytes were deleted on the user's demand.
	ErrForgotten = errors.New("deleted by sessc forget")
	// ErrDamaged: stored bytes do not read back as they were put.
	ErrDamaged = errors.New("the archive is damaged")
	// ErrFrame: a part of a pack does not decode; others may be sound.
	ErrFrame = fmt.Errorf("%w: a part of a pack does not read back", ErrDamaged)
	// ErrPack: a whole pack is missing, or is none.
	ErrPack = fmt.Errorf("%w: a pack cannot be opened", ErrDamaged)
	// ErrReadOnly: the archive can be read, and nothing can be written to it
	// where it stands.
	ErrReadOnly = errors.New("the archive can only be read here")
	// ErrNewer: the archive was written by a later sessc.
	ErrNewer = errors.New("written by a later sessc: update sessc to read it")
)

// AmbiguousError is returned for a prefix that several refs begin with.
type AmbiguousError struct {
	Prefix string
	Refs   []string // the candidates, ascending, at most ten
	More   bool     // there are further ones
}

// Error names the candidates.
func (e *AmbiguousError) Error() string {
	more := ""
	if e.More {
		more = ", ..."
	}
	return fmt.Sprintf("ref %s is ambiguous: give more of it, one of %s%s", e.Prefix, strings.Join(e.Refs, ", "), more)
}
