package compress

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"sessc/session"
	"sessc/writer"
)

// Restored is the refusal of a log that its user brought back to what it was:
// who undoes a rewrite does not want to find it done again the next morning.
type Restored struct{ *writer.Refusal }

// Unwrap makes the error a [writer.Refusal].
func (r *Restored) Unwrap() error { return r.Refusal }

// RestoredByUser returns a [*Restored] for a log that was restored and not
// rewritten since, or that seems to be one under another name.
func (o *Options) RestoredByUser(ctx context.Context, s *session.Session) error {
	if o.Archive == nil {
		return nil
	}
	arch, err := o.Archive(false)
	if arch == nil || err != nil {
		return err
	}
	notes, err := arch.RestoredLogs(ctx, s.Name(), s.Format.Name(), s.Path)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if n.Path == s.Path || gone(n.Path) {
			why := fmt.Sprintf("restored by you on %s", time.UnixMilli(n.Time).UTC().Format(time.DateOnly))
			return &Restored{&writer.Refusal{Path: s.Path, Why: why, Hint: "name it to compress it again"}}
		}
	}
	return nil
}

// gone reports whether nothing lies at a path any more: what did was moved.
func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
