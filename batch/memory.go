package batch

import (
	"context"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/session"
)

// Memory is the record, in the archive, of logs in which a run left nothing to
// do. A nil Memory knows nothing and learns nothing.
type Memory struct {
	archive *archive.Archive
	key     string
	now     func() time.Time
	known   map[archive.FileID]int64
	met     []archive.FileID
	fresh   []archive.Known // learned and not yet in the archive
	flushed time.Time
}

// Recall reads what was learned by runs of the same release with the same
// options.
func Recall(ctx context.Context, a *archive.Archive, o *compress.Options, release string) (*Memory, error) {
	key, err := o.Key(release)
	if err != nil {
		return nil, err
	}
	known, err := a.Known(ctx, key)
	if err != nil {
		return nil, err
	}
	return &Memory{archive: a, key: key, now: o.Now, known: known, flushed: o.Now()}, nil
}

// Forget makes all logs count as unknown; what is learned is still kept.
func (m *Memory) Forget() { m.known = nil }

// knows reports whether a log is exactly as a run left it, and the context
// tokens that it has. A log that was named is looked at again, unless all are
// to be known.
func (m *Memory) knows(t Target, named bool) (tokens int64, ok bool) {
	if m == nil || t.Named && !named || t.Err != nil {
		return 0, false
	}
	id := fileID(t.Source)
	if tokens, ok = m.known[id]; ok {
		m.met = append(m.met, id)
	}
	return tokens, ok
}

// What is learned is written down after so many logs, or after so long: each
// time costs a transaction, and a killed run loses what was not.
const (
	flushAt    = 200
	flushAfter = 2 * time.Second
)

// learn notes that a log, as it was found or as it was just written, needs no
// second look. When it has changed since it was found, or since it was
// written, the note fits no file and does no harm.
func (m *Memory) learn(ctx context.Context, t Target, r *compress.Report) error {
	if m == nil {
		return nil
	}
	source := t.Source
	if r.Changed {
		var err error
		if source, err = session.StatPath(t.Real); err != nil || source.Size != r.File.After {
			return nil // an agent is at it again
		}
	}
	if source.Inode == 0 {
		return nil // a system that tells files by nothing but their names
	}
	m.fresh = append(m.fresh, archive.Known{File: fileID(source), Tokens: r.Context.After})
	if len(m.fresh) < flushAt && m.now().Sub(m.flushed) < flushAfter {
		return nil
	}
	return m.flush(ctx)
}

func (m *Memory) flush(ctx context.Context) error {
	if len(m.fresh) == 0 {
		return nil
	}
	err := m.archive.Remember(ctx, m.key, m.fresh, m.now())
	m.fresh, m.flushed = m.fresh[:0], m.now()
	return err
}

// close writes down what is left.
func (m *Memory) close(ctx context.Context) error {
	if m == nil {
		return nil
	}
	if err := m.flush(ctx); err != nil {
		return err
	}
	return m.archive.Refresh(ctx, m.key, m.met, m.now())
}

func fileID(f session.Fingerprint) archive.FileID {
	return archive.FileID{Dev: f.Dev, Inode: f.Inode, Size: f.Size, Modified: f.Modified.UnixNano(), Changed: f.Changed.UnixNano()}
}
