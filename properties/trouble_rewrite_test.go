package properties_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sessc/archive"
	"sessc/compress"
	"sessc/writer"
)

// The rows on the rewrite itself.

// appendedMeanwhile appends a line after the log was read.
func appendedMeanwhile(c *trial) {
	more := []byte(`{"type":"message","id":"1a7e0001","parentId":"` + c.sp.truth.Leaf + `","timestamp":"2026-05-01T00:00:00.000Z","message":{"role":"user","content":"Too early."}}` + "\n")
	for _, step := range []string{"create temp", "archive", "prove restore", "lock"} {
		c.write(c.path, c.sp.data)
		_, err := c.run("one", func(o *compress.Options) {
			o.Trace = func(at string) {
				if at == step {
					c.write(c.path, slices.Concat(c.sp.data, more))
				}
			}
		})
		if !errors.Is(err, writer.ErrRefused) {
			c.wrong("a line appended at step %s: error %v, want a refusal", step, err)
		}
		if !bytes.Equal(c.log(), slices.Concat(c.sp.data, more)) {
			c.wrong("a line appended at step %s is lost", step)
		}
	}
	if rep, err := c.run("one", nil); err != nil || !rep.Changed || !bytes.HasSuffix(c.log(), more) {
		c.wrong("the next run does not compress the longer log: %v", err)
	}
}

func links(c *trial) {
	real := c.path
	dir := filepath.Join(c.root, "home")
	far := filepath.Join(dir, "far")
	link, loop, nowhere := filepath.Join(dir, "link.jsonl"), filepath.Join(dir, "loop.jsonl"), filepath.Join(dir, "nowhere.jsonl")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(filepath.Dir(real), far), os.Symlink(filepath.Join("far", filepath.Base(real)), link),
		os.Symlink("loop.jsonl", loop), os.Symlink("gone.jsonl", nowhere)); err != nil {
		c.tb.Fatal(err)
	}
	c.path = link
	rep, err := c.run("one", nil)
	if err != nil || !rep.Changed {
		c.tb.Fatalf("through a link: %v", err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		c.wrong("the link is no link any more (%v)", err)
	}
	if fi, err := os.Lstat(real); err != nil || !fi.Mode().IsRegular() || bytes.Equal(fileOf(c.tb, real), c.sp.data) {
		c.wrong("the real file was not replaced (%v)", err)
	}
	if c.restored("one", c.sp.data); rep.Path != real {
		c.wrong("the report names %s, the file is %s", rep.Path, real)
	}
	for _, c.path = range []string{loop, nowhere} {
		if _, err := c.run("one", nil); err == nil || strings.HasPrefix(err.Error(), "panic") || strings.HasPrefix(err.Error(), "hang") {
			c.wrong("%s: error %v", filepath.Base(c.path), err)
		}
	}
	if c.names() != "far link.jsonl loop.jsonl nowhere.jsonl" {
		c.wrong("beside the links lie %s", c.names())
	}
}

func modes(c *trial) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o444 | 0o200} {
		c.write(c.path, c.sp.data)
		if err := os.Chmod(c.path, mode); err != nil {
			c.tb.Fatal(err)
		}
		during := fs.FileMode(0)
		if _, err := c.run("one", func(o *compress.Options) {
			o.Trace = func(step string) {
				if temps, err := filepath.Glob(filepath.Join(filepath.Dir(c.path), ".*.tmp")); step == "rename" && err == nil && len(temps) == 1 {
					if fi, err := os.Stat(temps[0]); err == nil {
						during = fi.Mode().Perm()
					}
				}
			}
		}); err != nil {
			c.tb.Fatal(err)
		}
		if got := c.info().Mode().Perm(); got != mode || during&^mode != 0 || during == 0 {
			c.wrong("mode %o, on the way %o, want %o", got, during, mode)
		}
		if err := os.Chmod(c.path, 0o600); err != nil {
			c.tb.Fatal(err)
		}
	}
	err := filepath.WalkDir(c.store("one"), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if want := fs.FileMode(0o600); err == nil && (fi.Mode().Perm()&^want != 0 && !e.IsDir() || fi.Mode().Perm()&0o077 != 0) {
			c.wrong("%s of the archive has the mode %o", path, fi.Mode().Perm())
		}
		return err
	})
	if err != nil {
		c.tb.Fatal(err)
	}
}

func timeStays(c *trial) {
	old := c.longAgo()
	if rep, err := c.run("one", nil); err != nil || !rep.Changed {
		c.tb.Fatal(err)
	}
	if got := c.info().ModTime(); !got.Equal(old) {
		c.wrong("the new log is of %s, the old one was of %s", got, old)
	}
	if c.restored("one", c.sp.data); !c.info().ModTime().Equal(old) {
		c.wrong("the restored log is of %s", c.info().ModTime())
	}
}

// archiveFirst looks into the archive right before the rename.
func archiveFirst(c *trial) {
	var steps []string
	held := false
	if _, err := c.run("one", func(o *compress.Options) {
		o.Trace = func(step string) {
			if steps = append(steps, step); step != "rename" {
				return
			}
			a, err := archive.Open(c.store("one"), false)
			if err != nil {
				c.wrong("right before the rename: %v", err)
				return
			}
			defer a.Close()
			past, err := a.Generations(context.Background(), archive.Query{Session: c.sp.truth.SessionID})
			if err != nil || len(past) != 1 || past[0].State != archive.StatePending {
				c.wrong("right before the rename the archive holds %+v (%v)", past, err)
				return
			}
			temps, err := filepath.Glob(filepath.Join(filepath.Dir(c.path), ".*.tmp"))
			if err != nil || len(temps) != 1 {
				c.wrong("staged files: %q (%v)", temps, err)
				return
			}
			staged := fileOf(c.tb, temps[0])
			var original bytes.Buffer
			err = a.Original(context.Background(), past[0].ID, 0, bytes.NewReader(staged), int64(len(staged)), &original)
			held = err == nil && bytes.Equal(original.Bytes(), c.sp.data)
		}
	}); err != nil {
		c.tb.Fatal(err)
	}
	if proved := slices.Index(steps, "prove restore"); !held || proved < 0 || proved > slices.Index(steps, "rename") {
		c.wrong("the original could not be had right before the rename; steps %q", steps)
	}
	c.restored("one", c.sp.data)
}
