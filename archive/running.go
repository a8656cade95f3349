package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrRunning is wrapped when another run holds what [Archive.Claim] wants.
var ErrRunning = errors.New("another run is at it")

const (
	claimName  = "run.lock"
	shardClaim = "run-%s.lock" // with the shard
)

// Claim is the right of a run to work through many logs with an archive. The
// kernel takes it back when the process ends, however that happens.
type Claim struct{ held []*flock.Flock }

// Release gives the right back. The files stay: to remove one could part it
// from a lock that another process has just taken on it.
func (c *Claim) Release() error {
	var err error
	for _, l := range c.held {
		err = errors.Join(err, l.Close())
	}
	return err
}

// holder is what a run writes into the file that it locked, for the message of
// those that come later.
type holder struct {
	PID     int    `json:"pid"`
	Host    string `json:"host"`
	Started int64  `json:"started_ms"`
}

// Claim lets one run at a time through, or, when the work is divided, one run
// for each shard ("2/5") and none for all of the work ("") beside them. An
// error that wraps [ErrRunning] says who holds it.
func (a *Archive) Claim(shard string, now time.Time) (*Claim, error) {
	c := &Claim{}
	all := filepath.Join(a.dir, claimName)
	own := all
	if shard != "" {
		own = filepath.Join(a.dir, fmt.Sprintf(shardClaim, strings.ReplaceAll(shard, "/", "-of-")))
		if err := c.lock(all, (*flock.Flock).TryRLock); err != nil {
			return nil, a.fail("", err)
		}
	}
	if err := c.lock(own, (*flock.Flock).TryLock); err != nil {
		if shard == "" && errors.Is(err, ErrRunning) {
			err = a.shardRunning(err)
		}
		return nil, a.fail("", errors.Join(err, c.Release()))
	}
	return c, note(own, now)
}

// lock takes one lock without waiting.
func (c *Claim) lock(path string, try func(*flock.Flock) (bool, error)) error {
	l := flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(fileMode))
	ok, err := try(l)
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	if !ok {
		return fmt.Errorf("%w: %s", ErrRunning, who(path))
	}
	c.held = append(c.held, l)
	return nil
}

// note writes down who holds a lock, as one write over the old text.
func note(path string, now time.Time) error {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	b, err := json.Marshal(holder{os.Getpid(), host, now.UnixMilli()})
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), fileMode)
}

// who says who holds a lock, as far as it is known.
func who(path string) string {
	var h holder
	var b []byte
	err := regular(path)
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if err != nil || json.Unmarshal(b, &h) != nil || h.PID == 0 {
		return "an unknown process holds " + filepath.Base(path)
	}
	return fmt.Sprintf("process %d on %s, since %s", h.PID, h.Host, time.UnixMilli(h.Started).UTC().Format("2006-01-02 15:04:05Z"))
}

// shardRunning names the run of a shard that keeps a run for all of the work
// out; the lock that they share tells no names.
func (a *Archive) shardRunning(err error) error {
	names, readErr := os.ReadDir(a.dir)
	if readErr != nil {
		return err
	}
	before, after, _ := strings.Cut(shardClaim, "%s")
	for _, n := range names {
		if !strings.HasPrefix(n.Name(), before) || !strings.HasSuffix(n.Name(), after) {
			continue
		}
		path := filepath.Join(a.dir, n.Name())
		l := flock.New(path, flock.SetFlag(os.O_RDWR))
		ok, lockErr := l.TryLock()
		switch {
		case errors.Is(lockErr, fs.ErrNotExist):
		case ok:
			l.Close()
		default:
			return fmt.Errorf("%w: the run of a shard, %s", ErrRunning, who(path))
		}
	}
	return err
}
