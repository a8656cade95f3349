package writer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"sessc/session"
)

// ErrWorse is returned when the rewritten log would be worse than the
// original in any respect that is checked. The log is not touched then.
var ErrWorse = errors.New("the rewritten log failed its check")

// Staged is a rewritten log that was checked against its original and is not
// in place yet.
type Staged struct {
	Before, After *session.Session
	Plan          *session.Plan    // nil for a log staged by [StageContent]
	New           *session.Spliced // where kept bytes and edits stand in the new file; nil without a plan
	Written       Written          // what the lines of the new file are; empty before Write and without a plan

	content io.ReaderAt // the new file
	piece   map[int]int // number of the piece of each edit, see [WrittenEdit]
	size    int64
	temp    string // "" before Write
	final   string // where the file is to stand
	copy    bool   // final is an output beside the log
	trace   func(step string)
}

// Target says where a staged log goes.
type Target struct {
	// Output is a path to write to instead of the log itself, "" in place.
	Output string
	// Trace, if set, is told the name of each step before it is taken.
	Trace func(step string)
}

// Stage makes the edited log in thought, reads it, and compares it with the
// original: nothing in its structure may be worse ([session.Facts]). Nothing is
// written before [Staged.Write].
//
// Two indexes of a long log would be most of the memory of a run: Stage
// releases that of s before it reads the edited log. Only a plan without edits
// keeps it, as the index of both.
func Stage(s *session.Session, plan *session.Plan, set session.Settings) (*Staged, error) {
	spliced, err := session.Splice(s, s.Size, plan.Edits)
	if err != nil {
		return nil, fmt.Errorf("%s: stage: %w", s.Path, err)
	}
	st := &Staged{Before: s, After: s, Plan: plan, New: spliced, content: spliced, size: spliced.Size()}
	if plan.Empty() {
		return st, nil
	}
	st.piece = st.pieces()
	was := session.FactsOf(s)
	s.Release()
	set.NoEvents = true
	if st.After, err = session.Index(spliced, st.size, s.Path, s.Format, set); err != nil {
		return nil, fmt.Errorf("%s: stage: read the edited log: %w", s.Path, err)
	}
	if worse := was.Worse(st.After); len(worse) > 0 {
		return nil, fmt.Errorf("%s: %w: %s; the log was left as it is, please report this", s.Path, ErrWorse, strings.Join(worse, "; "))
	}
	return st, nil
}

// Write puts a staged log into a temporary file beside its final place, durable
// and with the original's mode, owner and attributes, reads it back and compares it with
// what was staged, and every byte that no edit names with the original. The
// log must have been indexed with its hash. The caller calls [Staged.Commit],
// [Staged.Publish] or [Staged.Discard].
func (st *Staged) Write(ctx context.Context, t Target) error {
	st.aim(t)
	f, err := st.write(ctx)
	if err != nil {
		return st.failed(err)
	}
	defer f.Close()
	if err := st.readBack(f); err != nil {
		st.Discard()
		return err
	}
	return nil
}

// StageContent is Stage and Write for content that was made in another way
// than by edits: all bytes of content, an index with its hash, become the log.
// check, if not nil, has to find nothing wrong with it; the file can be read
// through it.
func StageContent(ctx context.Context, s, content *session.Session, t Target, check func(after *session.Session) error) (*Staged, error) {
	st := &Staged{Before: s, After: content, content: content, size: content.Size}
	st.aim(t)
	f, err := st.write(ctx)
	if err != nil {
		return nil, st.failed(err)
	}
	defer f.Close()
	st.After = content.Over(f)
	if err = st.readBack(f); err == nil && check != nil {
		err = check(st.After)
	}
	if err != nil {
		st.Discard()
		return nil, err
	}
	return st, nil
}

func (st *Staged) aim(t Target) {
	st.final, st.trace = st.Before.Path, t.Trace
	if st.trace == nil {
		st.trace = func(string) {}
	}
	if t.Output != "" {
		st.final, st.copy = t.Output, true
	}
}

// failed is the error for a temporary file that could not be written.
func (st *Staged) failed(err error) error {
	if errors.Is(err, ErrRefused) {
		return err
	}
	return fmt.Errorf("%s: %w", st.Before.Path, unwritten(err, st.size))
}

// unwritten says what it was that failed, and how much room it needs where that
// is known.
func unwritten(err error, size int64) error {
	hint := ""
	if isNoSpace(err) && size > 0 {
		hint = fmt.Sprintf("; %d bytes of free space are needed", size)
	}
	return fmt.Errorf("stage: %w%s", err, hint)
}

// write creates and fills the temporary file, and returns it open for reading.
func (st *Staged) write(ctx context.Context) (*os.File, error) {
	f, err := st.create()
	if err != nil {
		return nil, err
	}
	if err = st.fill(ctx, f); err == nil {
		err = st.sync(f)
	}
	if err != nil {
		f.Close()
		st.Discard()
		return nil, err
	}
	return f, nil
}

// create makes the temporary file, with the original's mode and owner.
func (st *Staged) create() (*os.File, error) {
	st.trace("create temp")
	if st.copy {
		sweep(st.final)
	}
	f, err := createTemp(st.final)
	if err != nil {
		return nil, err
	}
	st.temp = f.Name()
	if err := disk.own(f, st.Before, st.copy); err != nil {
		if !errors.Is(err, ErrRefused) {
			err = fmt.Errorf("keep mode and owner: %w", err)
		}
		f.Close()
		st.Discard()
		return nil, err
	}
	return f, nil
}

func (st *Staged) fill(ctx context.Context, f *os.File) error {
	st.trace("write temp")
	buf := make([]byte, 256<<10)
	for off := int64(0); off < st.size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := st.content.ReadAt(buf[:min(int64(len(buf)), st.size-off)], off)
		if n == 0 && err != nil {
			return fmt.Errorf("read the original: %w", err)
		}
		if err := disk.write(f, buf[:n]); err != nil {
			return err
		}
		off += int64(n)
	}
	return nil
}

// sync makes the temporary file durable.
func (st *Staged) sync(f *os.File) error {
	st.trace("sync temp")
	if err := disk.sync(f); err != nil {
		return err
	}
	return disk.times(f.Name(), st.Before.Source.Modified)
}

// readBack compares the temporary file with what was staged, and notes the lines
// of an edited log. What came about in another way is hashed and no more: nobody
// asks for its lines.
func (st *Staged) readBack(file io.ReaderAt) error {
	if st.New == nil {
		sum, err := session.Hash(file, st.size)
		return st.same(sum, err)
	}
	sum := sha256.New()
	sums, offs, err := SumLines(io.TeeReader(io.NewSectionReader(file, 0, st.size), sum))
	if err := st.same([sha256.Size]byte(sum.Sum(nil)), err); err != nil {
		return err
	}
	if err := st.compareKept(file); err != nil {
		return fmt.Errorf("%s: %w: %w", st.Before.Path, ErrWorse, err)
	}
	st.note(sums, offs)
	return nil
}

// same reports that the temporary file cannot be read, or that its hash is not
// that of what was staged.
func (st *Staged) same(sum [sha256.Size]byte, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%s: read back: %w", st.Before.Path, err)
	case st.After.Source.SHA256 != sum:
		return fmt.Errorf("%s: %w: it does not read back as it was written", st.Before.Path, ErrWorse)
	}
	return nil
}

// compareKept compares every byte that no edit names.
func (st *Staged) compareKept(file io.ReaderAt) error {
	a, b := make([]byte, 256<<10), make([]byte, 256<<10)
	return st.New.Kept(func(old, new session.Range) error {
		for done := int64(0); done < old.Len; {
			n := min(old.Len-done, int64(len(a)))
			if _, err := st.Before.ReadAt(a[:n], old.Off+done); err != nil {
				return fmt.Errorf("read the original: %w", err)
			}
			if _, err := file.ReadAt(b[:n], new.Off+done); err != nil && !(errors.Is(err, io.EOF) && new.Off+done+n == st.New.Size()) {
				return fmt.Errorf("read the staged file: %w", err)
			}
			if !bytes.Equal(a[:n], b[:n]) {
				return fmt.Errorf("untouched bytes %d-%d differ", old.Off+done, old.Off+done+n)
			}
			done += n
		}
		return nil
	})
}

// Open opens the staged file for reading.
func (st *Staged) Open() (*os.File, error) { return os.Open(st.temp) }

// Final is the path at which the file is to stand.
func (st *Staged) Final() string { return st.final }

// Publish puts a staged copy at its output path. A file that is there already
// is never replaced.
func (st *Staged) Publish() error {
	defer st.Discard()
	st.trace("publish")
	switch err := place(st.temp, st.final); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: write output: %w; name a file that does not exist", st.final, err)
	case err != nil:
		return fmt.Errorf("%s: write output: %w", st.final, err)
	}
	st.trace("sync folder")
	if err := disk.folder(filepath.Dir(st.final)); err != nil {
		disk.remove(st.final)
		return fmt.Errorf("%s: sync folder: %w", st.final, err)
	}
	return nil
}

// Discard removes the temporary file.
func (st *Staged) Discard() {
	if st.temp != "" {
		disk.remove(st.temp)
		st.temp = ""
	}
}

// createTemp makes a temporary file beside the place of another.
func createTemp(final string) (*os.File, error) { return disk.create(tempBeside(final)) }

// tempBeside is a name for a temporary file beside another. It is unique, names
// its process so that a leftover can be told from a run at work, and ends in
// nothing that an agent takes for a log.
func tempBeside(final string) string {
	dir, base := filepath.Split(final)
	return filepath.Join(dir, fmt.Sprintf("%s%d-%s.tmp", tempPrefix(base), os.Getpid(), nonce()))
}

// mostBase is how much of a file's name goes into that of its temporary files:
// names end at 255 bytes.
const mostBase = 200

// tempMark stands in the names of all temporary files.
const tempMark = ".sessc-"

// tempPrefix is what the names of a file's temporary files begin with.
func tempPrefix(base string) string {
	if len(base) > mostBase {
		sum, cut := sha256.Sum256([]byte(base)), mostBase-9
		for cut > 0 && !utf8.RuneStart(base[cut]) {
			cut-- // some file systems take no broken characters
		}
		base = fmt.Sprintf("%s-%x", base[:cut], sum[:4])
	}
	return "." + base + tempMark
}

// Sweep clears away the temporary files that killed runs left beside a log. It
// does not depend on there being anything to write. It comes before the log is
// opened, since a leftover may be a second name of it.
func Sweep(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		sweep(real)
	}
}

// SweepLock removes an agent's lock file that a killed run of sessc, or the
// agent itself, left behind: it would stand in the agent's way.
func SweepLock(s *session.Session) {
	path, _ := s.Format.LockFile(s)
	if path == "" {
		return
	}
	if _, err := os.Lstat(path); err == nil && s.Format.Live(s, nil) == "" {
		takeAway(path, s.Path)
	}
}

// Leftovers reports whether any temporary file of sessc lies in a folder, so
// that [Sweep] may find one there. A folder that cannot be read may hold some.
func Leftovers(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return true
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	return err != nil || slices.ContainsFunc(names, func(n string) bool {
		return strings.HasPrefix(n, ".") && strings.Contains(n, tempMark) && strings.HasSuffix(n, ".tmp")
	})
}

// sweep is Sweep for a place where no file need stand.
func sweep(final string) {
	dir, prefix := filepath.Dir(final), tempPrefix(filepath.Base(final))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok || !strings.HasSuffix(rest, ".tmp") || e.Type()&fs.ModeType != 0 {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(rest, "%d-", &pid); err == nil && pid != os.Getpid() && !session.Alive(pid) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
