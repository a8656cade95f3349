package writer

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os"

	"sessc/session"
)

// Draft is the temporary file of a log that is put together piece by piece: it
// stands beside the log's place, has its mode, owner and attributes, and becomes
// the staged file itself ([Draft.Stage]), so that nothing is written twice.
type Draft struct {
	st   *Staged // nil once it is staged
	file *os.File
	need int64 // how large it is going to be, 0 when that is not known
	size int64
	hash hash.Hash // of what was written, nil for none
	err  error     // of the write that failed
	done bool      // it is durable, and not written to any more
	read *[sha256.Size]byte
}

// Begin makes the temporary file for what is to stand in the place of s. need
// is how large it is going to be, 0 when that is not known, and hashed says
// whether what is written is hashed, for [Draft.Sum]. What Begin, Write and
// ReadBack return does not name the log, unless it is a refusal.
func Begin(s *session.Session, t Target, need int64, hashed bool) (*Draft, error) {
	st := &Staged{Before: s}
	st.aim(t)
	d := &Draft{st: st, need: need}
	var err error
	if d.file, err = st.create(); err != nil {
		return nil, d.failed(err)
	}
	if hashed {
		d.hash = sha256.New()
	}
	st.trace("write temp")
	return d, nil
}

func (d *Draft) failed(err error) error {
	if errors.Is(err, ErrRefused) {
		return err
	}
	return unwritten(err, d.need)
}

// Write appends to the file. After an error it fails for good.
func (d *Draft) Write(b []byte) (int, error) {
	if d.done {
		return 0, errors.New("write to a log that is done")
	}
	if d.err != nil {
		return 0, d.err
	}
	if err := disk.write(d.file, b); err != nil {
		d.err = d.failed(err)
		return 0, d.err
	}
	d.size += int64(len(b))
	if d.hash != nil {
		d.hash.Write(b)
	}
	return len(b), nil
}

// Err is the error of the write that failed, for who got it wrapped in others.
func (d *Draft) Err() error { return d.err }

// ReadAt reads what was written.
func (d *Draft) ReadAt(b []byte, off int64) (int, error) { return d.file.ReadAt(b, off) }

// Size is how much was written.
func (d *Draft) Size() int64 { return d.size }

// Sum is the SHA-256 of what was written, as it was given to Write.
func (d *Draft) Sum() (sum [sha256.Size]byte) {
	d.hash.Sum(sum[:0])
	return sum
}

// sync makes the file durable.
func (d *Draft) sync() error {
	if d.done {
		return nil
	}
	if err := d.st.sync(d.file); err != nil {
		return d.failed(err)
	}
	d.done = true
	return nil
}

// ReadBack makes the file durable and reads it back as a log. The index has the
// hash of what stands in the file, and it is for the caller to compare it with
// that of what is to stand there.
func (d *Draft) ReadBack(set session.Settings) (*session.Session, error) {
	if err := d.sync(); err != nil {
		return nil, err
	}
	set.NoHash = false
	s, err := session.Index(d, d.size, d.st.Before.Path, d.st.Before.Format, set)
	if err != nil {
		return nil, fmt.Errorf("read back: %w", err)
	}
	sum := s.Source.SHA256
	d.read = &sum
	return s, nil
}

// Stage makes the draft the staged log. content is its index, with the hash of
// what is to stand in it: the durable file is read back and compared with that,
// unless [Draft.ReadBack] has read it. check, if not nil, has to find nothing
// wrong with it. On an error nothing is left of the file.
func (d *Draft) Stage(content *session.Session, check func(after *session.Session) error) (*Staged, error) {
	defer d.Close()
	st := d.st
	st.After, st.content, st.size = content, d, d.size
	if content.Size != d.size {
		return nil, fmt.Errorf("%s: stage: %d bytes were written of %d", st.Before.Path, d.size, content.Size)
	}
	if d.err != nil {
		return nil, fmt.Errorf("%s: %w", st.Before.Path, d.err)
	}
	if err := d.sync(); err != nil {
		return nil, fmt.Errorf("%s: %w", st.Before.Path, err)
	}
	var err error
	if d.read != nil {
		err = st.same(*d.read, nil)
	} else {
		err = st.readBack(d.file)
	}
	if err == nil && check != nil {
		err = check(content)
	}
	if err != nil {
		return nil, err
	}
	d.st = nil
	return st, nil
}

// Close closes the file, and removes it unless it was staged.
func (d *Draft) Close() {
	d.file.Close()
	if d.st != nil {
		d.st.Discard()
	}
}
