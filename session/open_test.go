//go:build unix

package session

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file("real", "a\nb a\n"), link); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	sure := plain{name: "sure", when: "a", verdict: Recognition{Confidence: Sure}}
	maybe := plain{name: "maybe", when: "a", verdict: Recognition{Confidence: Maybe}}
	newer := plain{name: "newer", when: "z", verdict: Recognition{Confidence: Sure, Refuse: errors.New("it is too new")}}
	rows := []struct {
		name, path string
		formats    []Format
		is         error  // nil with text "" means that it opens
		text       string // part of the error, or the name of the format
	}{
		{"a log", file("log", "a\nb a\n"), []Format{maybe, sure}, nil, "sure"},
		{"the surer one, in another order", file("log2", "a\n"), []Format{sure, maybe}, nil, "sure"},
		{"only perhaps", file("log3", "a\n"), []Format{maybe, newer}, nil, "maybe"},
		{"through a link", link, []Format{sure}, nil, "sure"},
		{"two are sure", file("log4", "a\n"), []Format{sure, plain{name: "also", when: "a", verdict: sure.verdict}, maybe}, ErrNotSession, "sure, also both claim it"},
		{"refused by its format", file("log5", "z\n"), []Format{sure, newer}, ErrNotSession, "it is too new"},
		{"unknown", file("log6", "{x\n"), []Format{sure, maybe}, ErrUnknown, "known agents: sure, maybe"},
		{"unknown, no object", file("log7", "x\n"), []Format{sure}, ErrUnknown, "no JSON object"},
		{"unknown, binary", file("log8", "x\x00\n"), []Format{sure}, ErrUnknown, "looks binary"},
		{"only blank lines", file("log9", "\n \r\n"), []Format{sure}, ErrUnknown, "only blank lines"},
		{"only a byte order mark", file("log10", "\ufeff"), []Format{sure}, ErrUnknown, "only blank lines"},
		{"empty", file("log11", ""), []Format{sure}, ErrEmpty, "nothing to do"},
		{"missing", filepath.Join(dir, "none"), []Format{sure}, os.ErrNotExist, "none"},
		{"a link to itself", loop, []Format{sure}, nil, "loop"},
		{"a folder", dir, []Format{sure}, nil, "not a regular file"},
		{"a pipe that nobody writes to", pipe, []Format{sure}, nil, "not a regular file"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s, err := Open(r.path, r.formats, Settings{})
			_, recognised := Recognise(r.path, r.formats)
			_, named := NameByHead(r.path, r.formats)
			if err != nil {
				for _, err := range []error{err, recognised, named} {
					if err == nil || r.is != nil && !errors.Is(err, r.is) || !strings.Contains(err.Error(), r.text) || r.text == "sure" {
						t.Errorf("error %v, want %v with %q", err, r.is, r.text)
					}
				}
				return
			}
			if recognised != nil || named != nil {
				t.Errorf("it opens, and yet: %v, %v", recognised, named)
			}
			defer s.Close()
			content, err := os.ReadFile(r.path)
			if err != nil {
				t.Fatal(err)
			}
			if r.is != nil || s.Format.Name() != r.text {
				t.Errorf("opened as %s, want %s or %v", s.Format.Name(), r.text, r.is)
			}
			if s.Source.SHA256 != sha256.Sum256(content) || s.Source.Size != int64(len(content)) || s.Source.Inode == 0 || s.File() == nil {
				t.Errorf("fingerprint %+v", s.Source)
			}
			if r.path == link && filepath.Base(s.Path) != "real" {
				t.Errorf("path %s", s.Path)
			}
		})
	}
}

func TestIndexOfCutFile(t *testing.T) {
	if _, err := Index(strings.NewReader("a\n"), 10, "x", plain{}, Settings{}); err == nil || !strings.HasPrefix(err.Error(), "x: ") {
		t.Errorf("a file that is shorter than said: %v", err)
	}
}

func TestFingerprint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("abc"), 0o640); err != nil {
		t.Fatal(err)
	}
	one, err := StatPath(path)
	if err != nil {
		t.Fatal(err)
	}
	two, err := StatPath(path)
	if err != nil || !one.Same(two) || one.Size != 3 || one.Mode.Perm() != 0o640 || one.Links != 1 {
		t.Errorf("%+v and %+v, %v", one, two, err)
	}
	if err := os.WriteFile(path, []byte("abcd"), 0o640); err != nil {
		t.Fatal(err)
	}
	if two, err = StatPath(path); err != nil || one.Same(two) {
		t.Errorf("a longer file is the same: %v", err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if sum, err := Hash(f, 3); err != nil || sum != sha256.Sum256([]byte("abc")) {
		t.Errorf("hash %x, %v", sum, err)
	}
	if _, err := Hash(f, 9); err == nil {
		t.Error("more was hashed than there is")
	}
	if _, err := StatPath(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
