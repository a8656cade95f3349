package archive

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"hash"
	"io"

	"sessc/session"
)

// Original writes the old bytes of a generation's file to w. current is the
// file as it is now: its first New.Size bytes must be what sessc wrote, which
// is checked on the way; what follows them is the caller's business. Kept bytes
// come from current, removed ones from the archive. Only when Original returns
// nil has w got the old bytes, by their SHA-256; otherwise w has to be thrown
// away. The error is [ErrChanged] when current does not begin with the new
// bytes, [ErrForgotten] when removed bytes were deleted.
func (a *Archive) Original(ctx context.Context, id int64, file int, current io.ReaderAt, currentSize int64, w io.Writer) error {
	return a.original(ctx, id, file, current, currentSize, newOriginal(w))
}

// OriginalUnproven is Original without the hashes: what w got are the old bytes
// only if their SHA-256 is that of [File.Old], which the caller has to see to.
// It is for who reads back what was written, and hashes it then.
func (a *Archive) OriginalUnproven(ctx context.Context, id int64, file int, current io.ReaderAt, currentSize int64, w io.Writer) error {
	return a.original(ctx, id, file, current, currentSize, &original{w: w, kept: w, removed: w})
}

func (a *Archive) original(ctx context.Context, id int64, file int, current io.ReaderAt, currentSize int64, out *original) error {
	var f File
	var segs []segment
	err := a.withPack(ctx, id, func(db *sql.DB, h head) (err error) {
		if file < 0 || file >= len(h.Files) {
			return fmt.Errorf("file %d of %d: %w", file, len(h.Files), ErrNotFound)
		}
		f = h.Files[file]
		if currentSize < f.New.Size {
			return fmt.Errorf("it has %d bytes, %d were written: %w", currentSize, f.New.Size, ErrChanged)
		}
		if f.Edits, err = loadEdits(ctx, db, id, file); err != nil {
			return err
		}
		segs, err = loadSegments(ctx, db, id, file)
		return err
	}, func(p *pack) error {
		return rebuild(ctx, f, segs, p, current, out)
	})
	return a.fail(fmt.Sprintf("original of generation %d", id), err)
}

// Missing lists the edits of a generation's file, by their place in
// [File.Edits], whose old bytes were deleted by [Archive.Forget]. The old file
// cannot be put together any more when there is one.
func (a *Archive) Missing(ctx context.Context, id int64, file int) ([]int, error) {
	db, err := a.db(ctx)
	if err != nil {
		return nil, err
	}
	edits, err := loadEdits(ctx, db, id, file)
	if err != nil {
		return nil, a.fail(fmt.Sprintf("edits of generation %d", id), err)
	}
	segs, err := loadSegments(ctx, db, id, file)
	if err != nil {
		return nil, a.fail(fmt.Sprintf("bytes of generation %d", id), err)
	}
	var missing []int
	for n, e := range edits {
		if _, ok := find(segs, file, e.Old); !ok && e.Old.Len > 0 {
			missing = append(missing, n)
		}
	}
	return missing, nil
}

func rebuild(ctx context.Context, f File, segs []segment, p *pack, current io.ReaderAt, out *original) error {
	buf := make([]byte, frameSize)
	at := int64(0) // in the current file
	for _, e := range f.Edits {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyRange(out.kept, current, at, e.New.Off-at, buf); err != nil {
			return err
		}
		if err := out.part(); err != nil {
			return err
		}
		if out.is != nil {
			if err := copyRange(out.is, current, e.New.Off, e.New.Len, buf); err != nil {
				return err
			}
		}
		at = e.New.End()
		if err := copyRemoved(out.removed, p, segs, e.Old, buf); err != nil {
			return err
		}
	}
	if err := copyRange(out.kept, current, at, f.New.Size-at, buf); err != nil {
		return err
	}
	if out.is == nil {
		return nil
	}
	if !equal(out.is, f.New.SHA256) {
		return ErrChanged
	}
	if !equal(out.was, f.Old.SHA256) {
		return fmt.Errorf("the bytes do not add up to the old file: %w", ErrDamaged)
	}
	return nil
}

// original is where an old file is put together, and its hash beside that of the
// new one. Up to the first edit both are the same file, most often nearly all of
// it, and there is one hash: is and was are the same until part. They are nil
// where nothing is hashed.
type original struct {
	w             io.Writer
	was, is       hash.Hash
	kept, removed io.Writer // for bytes of both files, and of the old one
}

func newOriginal(w io.Writer) *original {
	h := sha256.New()
	return &original{w: w, was: h, is: h, kept: io.MultiWriter(w, h)}
}

// part makes two hashes of the one.
func (o *original) part() error {
	if o.was != o.is || o.is == nil {
		return nil
	}
	h, ok := o.is.(hash.Cloner)
	if !ok {
		return errors.New("SHA-256 cannot be split") // the standard library's can
	}
	was, err := h.Clone()
	if err != nil {
		return fmt.Errorf("split SHA-256: %w", err)
	}
	o.was = was
	o.kept, o.removed = io.MultiWriter(o.w, was, o.is), io.MultiWriter(o.w, was)
	return nil
}

func equal(h hash.Hash, sum [32]byte) bool { return [32]byte(h.Sum(nil)) == sum }

func copyRange(w io.Writer, r io.ReaderAt, off, n int64, buf []byte) error {
	for n > 0 {
		b := buf[:min(n, int64(len(buf)))]
		if m, err := r.ReadAt(b, off); m < len(b) {
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("it ends at %d: %w", off+int64(m), ErrChanged)
			}
			return fmt.Errorf("read it at %d: %w", off, err)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		off, n = off+int64(len(b)), n-int64(len(b))
	}
	return nil
}

func copyRemoved(w io.Writer, p *pack, segs []segment, old session.Range, buf []byte) error {
	if old.Len == 0 {
		return nil
	}
	if len(segs) == 0 {
		return ErrForgotten
	}
	off, ok := find(segs, segs[0].file, old)
	if !ok {
		return fmt.Errorf("bytes %d+%d: %w", old.Off, old.Len, ErrForgotten)
	}
	for n := old.Len; n > 0; {
		b := buf[:min(n, int64(len(buf)))]
		if err := p.readAt(b, off); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		off, n = off+int64(len(b)), n-int64(len(b))
	}
	return nil
}
