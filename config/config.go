// Package config brings together what a user set in four places: flags beat
// environment variables, these beat the config file, and that beats the
// built-in defaults. It remembers where each value came from.
//
// It knows no command, opens no archive and creates no file or folder.
package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Settings are the values that a run works with.
type Settings struct {
	Archive     string        // folder that keeps the removed bytes, "" when no home is known
	Layers      []string      // what is compacted, of LayerNames and in their order
	KeepLast    int           // entries at the end of a log that stay
	KeepTurns   int           // newest turns that stay
	KeepCalls   int           // last calls of a long turn that stay
	KeepResults int           // newest tool results that stay
	MinSaving   int           // least saving of one session, in context tokens
	MinShare    int           // least saving of one session, in percent of its context
	MinTokens   int           // least context of one session, in context tokens
	MinAge      time.Duration // quiet period of a log before it is replaced
	Tokenizer   string        // Estimate or "o200k"
	SpawnTool   []string      // further tools whose calls delegate a sub-task
	Workers     int           // sessions at once, 0 for one a processor
	LogFormat   string        // Text or "json": how messages on stderr are written
	Quiet       bool          // print errors only

	Model       string           // None, or an engine with or without ":" and a name; see [Settings.Engine]
	Endpoint    string           // of the engine, "" for its own
	Concurrency int              // calls of the model at one time
	Rate        int              // calls of the model in a minute, 0 no limit
	MaxCalls    int              // calls of the model in a run, 0 no limit
	MaxCost     float64          // dollars that a run may cost, 0 no limit
	Timeout     time.Duration    // of one call of the model
	Prices      map[string]Price // of models, by name
}

// None is the model that is none: no word of a log leaves the machine.
const None = "none"

// The engines that a model can run on.
const (
	Gemini = "gemini"
	Local  = "local"
)

// Engine parts the model into the engine and the name behind ":", which is ""
// when the engine may choose.
func (s *Settings) Engine() (engine, name string) {
	engine, name, _ = strings.Cut(s.Model, ":")
	return engine, name
}

// Price is what a model costs, in dollars for a million tokens.
type Price struct{ In, Out float64 }

// prices are those of the service's price list, 2026-11.
func prices() map[string]Price {
	return map[string]Price{
		"gemini-2.5-flash-lite": {0.10, 0.40},
		"gemini-3.1-flash-lite": {0.25, 1.50},
		"gemini-3.5-flash-lite": {0.30, 2.50},
	}
}

// Estimate is the tokenizer that counts nothing exactly and costs nothing.
const Estimate = "estimate"

// Text is the form of messages that people read.
const Text = "text"

// LayerNames are the layers that can be asked for, see package lifecycle.
var LayerNames = []string{"tasks", "turns", "results", DiskLayer}

// DiskLayer is the one that is no source of lifecycles: what no client reads
// again.
const DiskLayer = "disk"

// AllLayers asks for all of them.
const AllLayers = "all"

// Source is a place that a setting can come from.
type Source string

// The sources, weakest first.
const (
	FromDefault Source = "default"
	FromFile    Source = "file"
	FromEnv     Source = "environment"
	FromFlag    Source = "flag"
)

// Origin says where a value was set.
type Origin struct {
	Source Source
	Detail string // the file, the variable or the flag; "" for a default
}

// String is the origin as "config show --origin" prints it.
func (o Origin) String() string {
	if o.Detail == "" {
		return string(o.Source)
	}
	return string(o.Source) + " " + o.Detail
}

// Config is the settings of a run and where they come from.
type Config struct {
	Settings
	File   string // config file that was looked for
	origin map[string]Origin
}

// Value is one setting for display.
type Value struct {
	Name   string
	Text   string // as it would stand in the config file
	Origin Origin
}

// Load reads defaults, config file and environment. getenv looks up an
// environment variable; an empty one counts as unset. The file is
// SESSC_CONFIG, which must exist then, or sessc/config.toml in XDG_CONFIG_HOME
// (else ~/.config), which need not. Unknown keys and values that make no sense
// are errors that name the place.
func Load(getenv func(string) string) (*Config, error) {
	c := &Config{origin: map[string]Origin{}}
	c.Settings = Settings{
		Archive: defaultArchive(getenv), Layers: []string{"tasks"}, KeepLast: 4, KeepTurns: 2, KeepCalls: 20, KeepResults: 3,
		MinSaving: 1000, MinAge: 10 * time.Minute, Tokenizer: Estimate, LogFormat: Text,
		Model: None, Concurrency: 4, Timeout: 2 * time.Minute, Prices: prices(),
	}
	if err := c.readFile(getenv); err != nil {
		return nil, err
	}
	for _, k := range keys {
		v := getenv(k.env())
		if v == "" {
			continue
		}
		if err := k.set(&c.Settings, text(v)); err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", k.env(), err)
		}
		c.origin[k.name] = Origin{FromEnv, k.env()}
	}
	return c, nil
}

// configVariable names the config file.
const configVariable = envPrefix + "CONFIG"

// Unknown are the variables of an environment ("NAME=value") that look like
// sessc's and set nothing, with a hint where a setting has nearly that name. A
// run takes no offence at them: a later release may know them.
func Unknown(environ []string) []string {
	var names, found []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	for _, e := range environ {
		variable, value, _ := strings.Cut(e, "=")
		name, ours := strings.CutPrefix(variable, envPrefix)
		if !ours || value == "" || variable == configVariable || slices.Contains(names, strings.ToLower(name)) && name == strings.ToUpper(name) {
			continue
		}
		said := variable + " sets nothing in this release"
		if near := Nearest(strings.ToLower(name), names); near != "" {
			said += "; did you mean " + lookup(near).env() + "?"
		}
		found = append(found, said)
	}
	slices.Sort(found)
	return found
}

// SetFlag sets a key from the flag of the same name. Several values are given
// for a flag that may be repeated; they replace those of weaker sources.
func (c *Config) SetFlag(name string, values ...string) error {
	k := lookup(name)
	if k == nil {
		panic("config: no key " + name)
	}
	var raw any = values
	if !k.list {
		raw = text(values[len(values)-1])
	}
	if err := k.set(&c.Settings, raw); err != nil {
		return fmt.Errorf("%s: %w", k.flag(), err)
	}
	c.origin[name] = Origin{FromFlag, k.flag()}
	return nil
}

// Origin says where the value of a key comes from.
func (c *Config) Origin(name string) Origin {
	if o, ok := c.origin[name]; ok {
		return o
	}
	return Origin{Source: FromDefault}
}

// Values lists all settings, in a fixed order.
func (c *Config) Values() []Value {
	var all []Value
	for _, k := range keys {
		all = append(all, Value{Name: k.name, Text: k.show(&c.Settings), Origin: c.Origin(k.name)})
	}
	return all
}

// Doc describes a key for the help of its flag: what it is, the environment
// variable that sets it, and its default.
func Doc(name string) (doc, env, def string) {
	k := lookup(name)
	if k == nil {
		panic("config: no key " + name)
	}
	return k.doc, k.env(), k.def
}

// defaultArchive follows the XDG base directory specification on every
// system; it wants relative paths in the variables ignored.
func defaultArchive(getenv func(string) string) string {
	return under(getenv, "XDG_DATA_HOME", ".local/share", "sessc")
}

func under(getenv func(string) string, env, inHome, name string) string {
	if dir := getenv(env); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, inHome, name)
	}
	return ""
}
