package properties_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/scripts/gen/genlog"
	"sessc/session"
)

// patience is after how long a run on one small log counts as a hang. It is
// long, because the machines share their processors.
const patience = 2 * time.Minute

// desk is a folder of its own for one log, with an archive beside it.
type desk struct {
	tb   testing.TB
	tg   *target
	sp   *specimen
	root string
	path string // of the log
	set  func(o *compress.Options)
}

func newDesk(tb testing.TB, tg *target, sp *specimen, set func(o *compress.Options)) *desk {
	tb.Helper()
	d := &desk{tb: tb, tg: tg, sp: sp, root: tb.TempDir(), set: set}
	dir := filepath.Join(d.root, "sessions")
	d.path = filepath.Join(dir, sp.name+".jsonl")
	if err := os.Mkdir(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	d.write(d.path, sp.data)
	for name, b := range sp.files {
		path := filepath.Join(dir, genlog.BesideName(name, sp.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		d.write(path, b)
	}
	return d
}

func (d *desk) write(path string, b []byte) {
	d.tb.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		d.tb.Fatal(err)
	}
}

func (d *desk) log() []byte { return fileOf(d.tb, d.path) }

// store is the folder of an archive by name: runs with different ones must not
// differ.
func (d *desk) store(name string) string { return filepath.Join(d.root, "archive-"+name) }

// run is compress.Run on the desk's log with the options of all machines. A
// panic and a hang are errors of their own.
func (d *desk) run(store string, change func(o *compress.Options)) (rep *compress.Report, err error) {
	var arch *archive.Archive
	o := compress.Options{
		Formats: []session.Format{d.tg.format}, Settings: d.sp.set, Lifecycles: lifecycle.Options{KeepLast: 4, KeepTurns: 2, KeepCalls: 20, KeepResults: 3},
		Now: time.Now, NoOutlook: true, // cli.TestHintIsARun looks at it
		Archive: func(create bool) (*archive.Archive, error) {
			if arch == nil {
				a, err := archive.Open(d.store(store), create)
				if !create && errors.Is(err, fs.ErrNotExist) {
					return nil, nil
				}
				if err != nil {
					return nil, err
				}
				arch = a
			}
			return arch, nil
		},
	}
	if d.set != nil {
		d.set(&o)
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		rep, err = compress.Run(ctx, d.path, o)
	}()
	select {
	case <-done:
	case <-time.After(patience):
		return nil, errors.New("hang: no end after " + patience.String())
	}
	if arch != nil {
		err = errors.Join(err, arch.Close())
	}
	return rep, err
}

// read opens the desk's log as the line does. A panic is an error.
func (d *desk) read() (s *session.Session, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return session.Open(d.path, []session.Format{d.tg.format}, d.sp.set)
}

// open reads bytes as the desk's log.
func (d *desk) open(b []byte) *session.Session {
	d.tb.Helper()
	s, err := session.Index(bytes.NewReader(b), int64(len(b)), d.path, d.tg.format, d.sp.set)
	if err != nil {
		d.tb.Fatal(err)
	}
	return s
}

// names lists what lies beside the log, with a sum of what is in it: no file
// but the log is ever changed.
func (d *desk) names() string {
	d.tb.Helper()
	var n []string
	err := filepath.WalkDir(filepath.Dir(d.path), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name := e.Name()
		if path != d.path && e.Type().IsRegular() {
			name += fmt.Sprintf(":%08x", crc32.ChecksumIEEE(fileOf(d.tb, path)))
		}
		n = append(n, name)
		return nil
	})
	if err != nil {
		d.tb.Fatal(err)
	}
	return strings.Join(n, " ")
}

// wrong reports a broken promise. The log is kept where SESSC_KEEP says.
func (d *desk) wrong(format string, args ...any) {
	d.tb.Helper()
	d.tb.Errorf(d.sp.name+": "+format, args...)
	if dir := os.Getenv("SESSC_KEEP"); dir != "" {
		d.write(filepath.Join(dir, d.sp.name+".jsonl"), d.sp.data)
	}
}

func jsonOf(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
