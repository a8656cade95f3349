package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxFile bounds a config file, in bytes: nested brackets cost the parser the
// square of their depth in memory.
const maxFile = 16 << 10

// readFile takes over what the config file sets.
func (c *Config) readFile(getenv func(string) string) error {
	demanded := getenv(configVariable)
	c.File = demanded
	if c.File == "" {
		c.File = under(getenv, "XDG_CONFIG_HOME", ".config", filepath.Join("sessc", "config.toml"))
	}
	if c.File == "" {
		return nil
	}
	b, err := contentOf(c.File)
	switch {
	case demanded == "" && errors.Is(err, fs.ErrNotExist):
		return nil
	case demanded != "" && err != nil:
		return fmt.Errorf("config file named by SESSC_CONFIG: %w; correct the variable, or unset it", err)
	case err != nil:
		return fmt.Errorf("config file: %w", err)
	case len(b) > maxFile:
		return fmt.Errorf("config file: %s has more than %d bytes, and so more than any sessc config; is it the right file?", c.File, maxFile)
	}
	return c.read(string(b), getenv("HOME"))
}

// contentOf reads a file up to one byte more than a config may have. What could
// keep a reader waiting is refused.
func contentOf(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if fi.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

func (c *Config) read(doc, home string) error {
	var values map[string]toml.Primitive
	meta, err := toml.Decode(doc, &values)
	if err != nil {
		return c.place(err)
	}
	for _, name := range meta.Keys() {
		if len(name) > 1 {
			continue // part of a table, which is reported as a whole
		}
		s := setter{c: c, name: name[0], home: home}
		if err := meta.PrimitiveDecode(values[name[0]], &s); err != nil {
			return c.place(err)
		}
	}
	return nil
}

// place turns an error of the TOML library into one that begins with file and
// line.
func (c *Config) place(err error) error {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return fmt.Errorf("%s:%d: %s", c.File, pe.Position.Line, pe.Message)
}

// setter takes one value over. It is a type of its own because the library
// adds the line to errors of this method, and tells it in no other way.
type setter struct {
	c    *Config
	name string
	home string
}

// UnmarshalTOML implements [toml.Unmarshaler].
func (s *setter) UnmarshalTOML(raw any) error {
	k := lookup(s.name)
	if k == nil {
		return unknown(s.name)
	}
	if err := k.set(&s.c.Settings, raw); err != nil {
		return fmt.Errorf("%s %w", s.name, err)
	}
	if k.name == "archive" {
		if rest, ok := strings.CutPrefix(s.c.Archive, "~/"); ok && s.home != "" {
			s.c.Archive = filepath.Join(s.home, rest)
		}
		if !filepath.IsAbs(s.c.Archive) {
			return errors.New("archive wants a full path, or one that begins with ~/")
		}
	}
	s.c.origin[s.name] = Origin{FromFile, s.c.File}
	return nil
}

func unknown(name string) error {
	var all []string
	for _, k := range keys {
		all = append(all, k.name)
	}
	if near := Nearest(name, all); near != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown key %q; known: %s", name, strings.Join(all, ", "))
}

// Nearest returns the one of known that a person most likely meant by word, ""
// when none is close: at most half of the letters differ.
func Nearest(word string, known []string) string {
	best, least := "", 0
	for _, k := range known {
		d := distance(strings.ReplaceAll(word, "-", "_"), strings.ReplaceAll(k, "-", "_"))
		if 2*d <= max(len(word), len(k)) && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace to get from a to b
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
