package writer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sessc/session"
)

// ErrLate is returned when the new log is in place but another program wrote
// to the old one: what could not be carried over is saved in the archive, or
// the program does not let go of the old file.
var ErrLate = errors.New("another program wrote to the old log")

// lateWait is how long a commit waits for a program that opened the log right
// before it was replaced. Agents open, append a line and close; one that keeps
// a log open is found before the rename.
var lateWait = 2 * time.Second

// CommitTerms are what a commit needs from its caller.
type CommitTerms struct {
	MinAge time.Duration    // quiet period, see [Ready]
	Now    func() time.Time // the clock
	// Settle is told, once the rename is durable or has failed for good,
	// whether the new file is in place.
	Settle func(applied bool) error
	// KeepLate saves bytes that a late writer appended to the old file and
	// that cannot be carried over.
	KeepLate func(b []byte) error
	Set      session.Settings
}

// Commit puts the staged file in the log's place. It takes the locks, makes
// sure that nothing has changed since the log was read, renames, and looks
// once more at the old file for lines that a late writer put there. Until the
// rename every error leaves the log as it was.
func (st *Staged) Commit(ctx context.Context, t CommitTerms) (err error) {
	if st.copy {
		if err := st.Publish(); err != nil {
			return st.giveUp(t, err)
		}
		return t.Settle(true)
	}
	defer st.Discard()
	s := st.Before
	st.trace("lock")
	if err := lock(s.File()); err != nil {
		return st.giveUp(t, &Refusal{s.Path, "another sessc is at work on it", hintAgain})
	}
	// The agent's own lock would be taken for a sign of life once it is ours.
	if err := Ready(s, t.MinAge, t.Now()); err != nil {
		return st.giveUp(t, err)
	}
	unlock, err := agentLock(s)
	if err != nil {
		return st.giveUp(t, err)
	}
	defer unlock()
	if err := ctx.Err(); err != nil {
		return st.giveUp(t, fmt.Errorf("%s: stopped before the rename, nothing was changed: %w", s.Path, err))
	}
	st.trace("look again")
	if err := unchanged(s); err != nil {
		return st.giveUp(t, err)
	}
	if who := writerOf(s); who != "" {
		return st.giveUp(t, &Refusal{s.Path, who + " has it open for writing", hintStop})
	}
	st.trace("rename")
	if err := disk.rename(st.temp, st.final); err != nil {
		err = fmt.Errorf("%s: put the new log in place: %w", s.Path, err)
		if still := unchanged(s); still != nil {
			// A network file system may report an error for a rename that
			// took place: only the files themselves know.
			return fmt.Errorf("%w; which log stands there now is open, the next run finds out", err)
		}
		return st.giveUp(t, err)
	}
	st.temp = ""
	st.trace("sync folder")
	syncErr := disk.folder(filepath.Dir(st.final))
	st.trace("look for late lines")
	lateErr := st.late(t)
	st.trace("settle")
	if err := t.Settle(true); err != nil {
		return errors.Join(fmt.Errorf("%s: the new log is in place, but the archive could not note it; the next run will: %w", s.Path, err), lateErr)
	}
	if syncErr != nil {
		return errors.Join(fmt.Errorf("%s: the new log is in place, but its folder could not be synced: %w", s.Path, syncErr), lateErr)
	}
	return lateErr
}

// giveUp drops the pending generation and returns why.
func (st *Staged) giveUp(t CommitTerms, why error) error {
	if err := t.Settle(false); err != nil {
		return errors.Join(why, fmt.Errorf("drop the pending generation; the next run will: %w", err))
	}
	return why
}

// unchanged is the last look before the rename.
func unchanged(s *session.Session) error {
	now, err := session.StatPath(s.Path)
	if err != nil {
		return &Refusal{s.Path, "it is gone: " + err.Error(), hintAgain}
	}
	if !now.Same(s.Source) {
		return &Refusal{s.Path, "it changed while sessc was at work", hintAgain}
	}
	return nil
}

// agentLock takes the lock of the agent that owns the log, if it has one.
func agentLock(s *session.Session) (unlock func(), err error) {
	path, content := s.Format.LockFile(s)
	if path == "" {
		return func() {}, nil
	}
	for range 2 {
		err := placeLock(path, s.Path, content)
		if err == nil {
			return func() { disk.remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s: take the agent's lock: %w", path, err)
		}
		if why := s.Format.Live(s, nil); why != "" {
			return nil, &Refusal{s.Path, why, hintStop}
		}
		if err := takeAway(path, s.Path); err != nil {
			return nil, fmt.Errorf("%s: take over a lock whose owner is gone: %w", path, err)
		}
	}
	return nil, &Refusal{s.Path, "its lock file comes back", hintStop}
}

// placeLock makes a lock file that never stands there without its content: an
// empty one, left by a killed run, would be respected for half an hour. The
// error wraps [fs.ErrExist] when there is a lock already.
func placeLock(path, log string, content []byte) error {
	f, err := createTemp(log)
	if err != nil {
		return err
	}
	defer disk.remove(f.Name())
	if err := errors.Join(disk.write(f, content), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}

// takeAway removes a lock file whose owner is gone, as the agent itself would.
// An agent may take it over at the same moment: what was moved aside is the
// file that was looked at, or it goes back.
func takeAway(path, log string) error {
	seen, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	aside := tempBeside(log)
	if err := disk.rename(path, aside); err != nil {
		return err
	}
	if moved, err := os.Stat(aside); err != nil || !os.SameFile(seen, moved) {
		back := place(aside, path)
		if errors.Is(back, fs.ErrExist) {
			disk.remove(aside) // a third one has taken the lock since
		}
		return errors.Join(err, back)
	}
	return disk.remove(aside)
}

// late looks at what was done to the old file after it was read. It has no
// name any more, but our handle still leads to it, and so does that of a
// program that opened it just before the rename. No path leads there: once
// nobody has it open for writing, what stands in it is all that ever will.
// (All but a program that the kernel halts within open(), between the name and
// the file, for longer than the folder's sync takes.)
func (st *Staged) late(t CommitTerms) error {
	who := writerOf(st.Before)
	for end := time.Now().Add(lateWait); who != "" && time.Now().Before(end); who = writerOf(st.Before) {
		time.Sleep(lateWait / 100)
	}
	err := st.collect(t)
	if who == "" {
		return err
	}
	return errors.Join(err, fmt.Errorf("%s: %w: the new log is in place, but %s keeps the old file open; what it wrote until now is safe, what it writes there from now on is lost: end it, and start it again",
		st.Before.Path, ErrLate, who))
}

// collect carries over lines that were appended to the old file, and saves all
// else that was done to it.
func (st *Staged) collect(t CommitTerms) error {
	s := st.Before
	fp, err := session.Stat(s.File())
	if err != nil {
		return fmt.Errorf("%s: look for late lines: %w", s.Path, err)
	}
	if fp.Size == s.Size && fp.Modified.Equal(s.Source.Modified) {
		return nil
	}
	from := s.Size
	if sum, err := session.Hash(s.File(), min(s.Size, fp.Size)); err != nil || fp.Size < s.Size || sum != s.Source.SHA256 {
		from = 0 // rewritten in place: nothing of it is known
	} else if fp.Size == s.Size {
		return nil
	}
	b := make([]byte, fp.Size-from)
	n, err := s.File().ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: read late lines: %w", s.Path, err)
	}
	b = b[:n]
	stuck := false
	if from > 0 {
		var done bool
		if done, stuck = st.carry(b, t.Set); done {
			return nil
		}
	}
	if err := t.KeepLate(b); err != nil {
		return fmt.Errorf("%s: save %d late bytes: %w", s.Path, len(b), err)
	}
	if stuck {
		return fmt.Errorf("%s: %w and to the new one: %d bytes of the old log stand in the new one behind lines that are younger, or torn, and are saved in the archive too; stop the agent, look at them with sessc status", s.Path, ErrLate, len(b))
	}
	return fmt.Errorf("%s: %w: %d bytes that could not be carried over are saved in the archive; stop the agent, look at them with sessc status", s.Path, ErrLate, len(b))
}

// carry appends late lines to the new file, and reports whether they stand
// there whole, right behind what it held. A program that writes to the new file
// in the same moment may be first: late lines would come behind their own
// children. They are then taken back; stuck says that this was not possible.
func (st *Staged) carry(late []byte, set session.Settings) (done, stuck bool) {
	if st.Before.Torn.Len > 0 || !bytes.HasSuffix(late, []byte("\n")) || !st.joins(late, set) {
		return false, false
	}
	st.trace("append late lines")
	at, err := disk.append(st.final, late)
	if err == nil && at.Off == st.size {
		return true, false
	}
	st.trace("take late lines back")
	return false, at.Len > 0 && !st.takeBack(at)
}

// takeBack cuts late lines, or what a failed append left of them, off the new
// file, unless anything else was written behind them meanwhile.
func (st *Staged) takeBack(at session.Range) bool {
	f, err := os.OpenFile(st.final, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	fp, err := session.Stat(f)
	return err == nil && fp.Size == at.End() && f.Truncate(at.Off) == nil && f.Sync() == nil
}

// joins reports whether late lines find their parents in the new file, as
// they did in the old one.
func (st *Staged) joins(late []byte, set session.Settings) bool {
	s := st.Before
	f, err := os.Open(st.final)
	if err != nil {
		return false
	}
	defer f.Close()
	if fp, err := session.Stat(f); err != nil || fp.Size != st.size {
		return false
	}
	grown, err := session.Splice(f, st.size, []session.Edit{{At: session.Range{Off: st.size}, Data: late}})
	if err != nil {
		return false
	}
	after, err := session.Index(grown, grown.Size(), s.Path, s.Format, set)
	if err != nil {
		return false
	}
	// A restored log has the faults that it had before it was compressed.
	was, own, now := session.FaultsOf(s), session.FaultsOf(st.After), session.FaultsOf(after)
	return now.Dangling <= max(was.Dangling, own.Dangling) && now.Orphans <= max(was.Orphans, own.Orphans) &&
		now.Duplicate <= max(was.Duplicate, own.Duplicate) && now.Unreadable <= max(was.Unreadable, own.Unreadable)
}
