package writer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"sessc/session"
)

// ErrRefused is wrapped by every refusal: the log is in use, too young, has
// changed, or must not be replaced where it stands.
var ErrRefused = errors.New("refused")

// Refusal says why a log is not rewritten and what the user can do.
type Refusal struct {
	Path string
	Why  string
	Hint string
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: refused: %s; %s", r.Path, r.Why, r.Hint) }

// InUse reports whether a program at work with the log is the reason.
func (r *Refusal) InUse() bool { return r.Hint == hintStop }

// Unwrap makes errors.Is(err, ErrRefused) true.
func (r *Refusal) Unwrap() error { return ErrRefused }

const (
	hintStop   = "stop the agent first, or write a copy with --output"
	hintOutput = "write a copy with --output"
	hintAgain  = "run sessc again"
	hintGroup  = "give it a group of yours (chgrp), run sessc as root, or " + hintOutput
)

// Ready refuses a log that must not be replaced in place now: hard-linked,
// not writable (itself or its folder), in use by its agent, open for writing,
// or changed within the last minAge. A time in the future counts as young.
func Ready(s *session.Session, minAge time.Duration, now time.Time) error {
	return ReadyAmong(s, minAge, now, nil)
}

// ReadyAmong is [Ready] for a first look, among programs that may have been
// listed a moment ago. [Staged.Commit] looks anew.
func ReadyAmong(s *session.Session, minAge time.Duration, now time.Time, running *session.Processes) error {
	fp, err := session.StatPath(s.Path)
	if err != nil {
		return &Refusal{s.Path, "it is gone: " + err.Error(), hintAgain}
	}
	if fp.Links > 1 {
		return &Refusal{s.Path, fmt.Sprintf("it has %d hard links, which a replacement would part", fp.Links), hintOutput}
	}
	if err := mayReplace(s.Path, "it", "no permission to write it", "its owner"); err != nil {
		return err
	}
	if err := mayReplace(s.Path, "its folder", "no permission to write in its folder", "the folder's owner"); err != nil {
		return err
	}
	if err := keepsOwner(s.Path, fp); err != nil {
		return err
	}
	if _, block := s.Format.Warn(s); block != "" {
		return &Refusal{s.Path, block, hintOutput}
	}
	switch age := now.Sub(fp.Modified); {
	case minAge > 0 && age < 0:
		return &Refusal{s.Path, fmt.Sprintf("it changed at %s, which is in the future", fp.Modified.UTC().Format(time.RFC3339)),
			"correct the clock or the file's time, or give --min-age 0"}
	case minAge > 0 && age < minAge:
		return &Refusal{s.Path, fmt.Sprintf("it changed %s ago, less than --min-age %s", age.Round(time.Second), minAge),
			"wait until the agent is done, or lower --min-age"}
	}
	if why := inUse(s, running); why != "" {
		return &Refusal{s.Path, why, hintStop}
	}
	return nil
}

// mayReplace refuses a log when it, or its folder, cannot be written.
func mayReplace(log, what, denied, who string) error {
	path := log
	if what != "it" {
		path = filepath.Dir(log)
	}
	if is, flag := fixed(path); is != "" {
		return &Refusal{log, fmt.Sprintf("%s is %s (chattr +%s), which forbids to replace the log, to root too", what, is, flag),
			fmt.Sprintf("take that off with chattr -%s, or %s", flag, hintOutput)}
	}
	switch err := writable(path); {
	case errors.Is(err, syscall.EROFS):
		return &Refusal{log, "its file system is mounted read-only", "mount it writable, or " + hintOutput}
	case err != nil:
		return &Refusal{log, denied, "run sessc as " + who + ", or " + hintOutput}
	}
	return nil
}

// keepsOwner refuses a log whose owner or group this user cannot give to the file
// that would take its place.
func keepsOwner(log string, fp session.Fingerprint) error {
	me := os.Geteuid()
	if me <= 0 || fp.UID < 0 { // whom nothing is forbidden, or nobody is known
		return nil
	}
	if fp.UID != me {
		return &Refusal{log, "it belongs to another user, and its replacement would be yours", "run sessc as its owner, or " + hintOutput}
	}
	dir, err := session.StatPath(filepath.Dir(log))
	if err == nil && dir.GID == fp.GID && (dir.Mode&os.ModeSetgid != 0 || runtime.GOOS == "darwin") {
		return nil // what is made there gets this group by itself
	}
	mine, err := os.Getgroups()
	if err == nil && fp.GID != os.Getegid() && !slices.Contains(mine, fp.GID) {
		return &Refusal{log, "you are not in its group, which its replacement could not have", hintGroup}
	}
	return nil
}

// inUse returns the sign that some process still writes to the log, "" if
// there is none.
func inUse(s *session.Session, running *session.Processes) string {
	if why := s.Format.Live(s, running); why != "" {
		return why
	}
	if who := writerOf(s); who != "" {
		return who + " has it open for writing"
	}
	return ""
}

// writerOf names a process that has the file of a log open for writing, "" if
// there is none, or the system shows none.
func writerOf(s *session.Session) string {
	free, known := false, false
	if f := s.File(); f != nil {
		free, known = disk.lease(f)
	}
	if free {
		return ""
	}
	who := visibleWriter(s.Source)
	if who == "" && known {
		return "a process that cannot be seen"
	}
	return who
}
